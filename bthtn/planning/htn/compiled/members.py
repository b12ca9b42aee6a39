"""Members of families by index, as generated functions look them up.

Two dictionaries know the same members. The one makes a member that it is asked for the first
time. The other, ``met``, is a plain one, in which looking up takes half as long; it raises
KeyError for whom it has not met.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from bthtn.world.fluent import Fluent, FluentFamily

MOST_MET: Final = 100_000
"""Members that are remembered; then all are forgotten, as in long games most are gone."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A family, and how indices are put together: None stands for a part that is no constant."""

    family: FluentFamily[Any, Any]
    parts: tuple[str | None, ...]


class Members(dict[Any, Any]):
    """What has been met: members, or for the first of several parts of an index more of these."""

    def __init__(self) -> None:
        super().__init__()
        self.met: dict[Any, Any] = {}

    def __missing__(self, key: Any) -> Any:
        if len(self) >= MOST_MET:
            self.clear()
            self.met.clear()
        made = self[key] = self.made(key)
        self.met[key] = made.met if isinstance(made, Members) else made
        return made

    def made(self, key: Any) -> Any:
        """What stands under a key. Raises StateError and TypeError where there can be nothing."""
        raise NotImplementedError


class MembersByIndex(Members):
    """The members of a family that a program has met, by index."""

    def __init__(self, family: FluentFamily[Any, Any]) -> None:
        super().__init__()
        self.family = family
        self.default = family.prototype.default
        self.volatile = family.prototype.volatile

    def made(self, key: Any) -> Fluent[Any]:
        return self.family.member(key)


class MembersByParts(Members):
    """The members of a family that a program has met, by the parts of their index one by one."""

    def __init__(self, pattern: Pattern, told: tuple[Any, ...] = ()) -> None:
        super().__init__()
        self._pattern = pattern
        self._told = told

    def made(self, key: Any) -> Fluent[Any] | MembersByParts:
        told, pattern = (*self._told, key), self._pattern
        if len(told) < pattern.parts.count(None):
            return MembersByParts(pattern, told)
        left = iter(told)
        first, *others = [next(left) if part is None else part for part in pattern.parts]
        for one in others:
            first = first + one
        return pattern.family.member(first)


def members_of(thing: Any) -> Any:
    """What stands for an object that generated functions mention."""
    if isinstance(thing, FluentFamily):
        return MembersByIndex(thing)
    return MembersByParts(thing) if isinstance(thing, Pattern) else thing
