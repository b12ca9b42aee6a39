"""Leases: what only so many can have at once, and who has it.

fray = Leases({"attack": 2})                  # for all agents that may attack at once
Agent("grunt", ..., leases=fray)

@operators.bind(attack)
def strike(agent):
    if not agent.take("attack"):
        raise OperatorFailed("others attack already")
    yield                                     # given back when the step is over, on any path
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

_NOTHING_SAID: Final[Mapping[Hashable, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Holder:
    """Somebody who can have a lease: an agent, one run of a plan, one start of a step.

    What those have that it is ``inside`` of, it has too. Compared by identity.
    """

    name: str
    inside: Holder | None = None

    def __str__(self) -> str:
        return self.name

    def is_within(self, other: Holder | None) -> bool:
        """Whether it is the other one, or inside of it at any depth."""
        around: Holder | None = self
        while around is not None and around is not other:
            around = around.inside
        return around is not None


class Leases:
    """A table of leases. Agents of one thread may share it; a coordinator may take leases too.

    ``places`` says how many may have a key at once; what it does not name only one may have.
    """

    def __init__(self, places: Mapping[Hashable, int] = _NOTHING_SAID) -> None:
        self._places = dict(places)
        self._holders: dict[Hashable, list[Holder]] = {}

    def take(self, key: Hashable, holder: Holder) -> bool:
        """Whether the holder has the key from now on. Taken twice, it is had once."""
        if self.has(key, holder):
            return True
        holders = self._holders.get(key, [])
        if len(holders) >= self._places.get(key, 1):
            return False
        self._holders.setdefault(key, holders).append(holder)
        return True

    def has(self, key: Hashable, holder: Holder) -> bool:
        """Whether the holder, or somebody it is inside of, has the key."""
        holders = self._holders.get(key, ())
        around: Holder | None = holder
        while around is not None and around not in holders:
            around = around.inside
        return around is not None

    def give_back(self, key: Hashable, holder: Holder) -> bool:
        """Whether the holder itself had the key until now."""
        holders = self._holders.get(key, [])
        if holder not in holders:
            return False
        holders.remove(holder)
        if not holders:
            del self._holders[key]
        return True

    def holders(self, key: Hashable) -> tuple[Holder, ...]:
        """Who has the key, in the order it was taken."""
        return tuple(self._holders.get(key, ()))

    def __len__(self) -> int:
        return sum(map(len, self._holders.values()))


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """What a holder took and has not given back.

    ``shared`` are keys that it asked for when the holder, or somebody around it, had them.
    """

    holder: Holder
    keys: list[Hashable] = field(default_factory=list)
    shared: list[Hashable] = field(default_factory=list)
