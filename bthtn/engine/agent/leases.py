"""Leases: keys that only so many holders can have at once, and who has them.

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
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from bthtn.engine.world.sharing import Unpicklable

_NO_PLACES: Final[Mapping[Hashable, int]] = MappingProxyType({})


@dataclass(slots=True, eq=False)
class Holder(Unpicklable):
    """A holder of leases: an agent, one run of a plan, or one start of a step.

    It also has the leases of the holder that it is ``inside`` of. Compared by identity. Plans and
    steps have a ``goal``, and steps the id of the plan in which they started, and a ``number``.
    """

    what: object
    """The object whose text is the name; most holders are never asked for it."""
    inside: Holder | None = None
    goal: str = ""
    plan_id: str = ""
    number: int = 0

    @property
    def name(self) -> str:
        """Its name in events: ``shoot #3`` for a step."""
        return f"{self.what} #{self.number}" if self.number else str(self.what)

    def __str__(self) -> str:
        return self.name

    def is_within(self, other: Holder | None) -> bool:
        """Whether it is the other one, or inside of it at any depth."""
        around: Holder | None = self
        while around is not None and around is not other:
            around = around.inside
        return around is not None


class Leases(Unpicklable):
    """A table of leases, to be shared by agents of one thread.

    ``places`` is how many holders may have a key at once; one, for a key that is not in it.
    """

    __slots__ = ("_holders", "_places")

    def __init__(self, places: Mapping[Hashable, int] = _NO_PLACES) -> None:
        self._places = dict(places) if places else _NO_PLACES
        self._holders: dict[Hashable, list[Holder]] = {}

    def take(self, key: Hashable, holder: Holder) -> bool:
        """Take a lease. Returns False if all places are taken; taking it twice has no effect."""
        if self.has(key, holder):
            return True
        holders = self._holders.get(key, [])
        if len(holders) >= self._places.get(key, 1):
            return False
        self._holders.setdefault(key, holders).append(holder)
        return True

    def has(self, key: Hashable, holder: Holder) -> bool:
        """Whether the holder, or one that it is inside of, has the key."""
        holders = self._holders.get(key, ())
        around: Holder | None = holder
        while around is not None and around not in holders:
            around = around.inside
        return around is not None

    def give_back(self, key: Hashable, holder: Holder) -> bool:
        """Return a lease. Returns False if the holder itself did not have it."""
        holders = self._holders.get(key, [])
        if holder not in holders:
            return False
        holders.remove(holder)
        if not holders:
            del self._holders[key]
        return True

    def holders(self, key: Hashable) -> tuple[Holder, ...]:
        """The holders of the key, in the order in which they took it."""
        return tuple(self._holders.get(key, ()))

    def __len__(self) -> int:
        return sum(map(len, self._holders.values()))


@dataclass(slots=True, eq=False)
class Account:
    """The leases that a holder took and has not returned.

    ``shared`` are keys that it asked for while it, or a holder around it, already had them.
    """

    holder: Holder
    keys: tuple[Hashable, ...] = ()
    shared: tuple[Hashable, ...] = ()


def without(key: Hashable, keys: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    """The other keys, each once. By hashes: a key may be a fluent, whose ``==`` is no truth."""
    left = dict.fromkeys(keys)
    del left[key]
    return tuple(left)
