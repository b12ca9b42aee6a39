"""Caches of the members of a family, from which generated source takes them."""

from __future__ import annotations

from typing import Any, Final

from bthtn.world.fluent import Fluent, FluentFamily

MOST_MEMBERS: Final = 100_000
"""Size at which a table of members is emptied: in a long game most of them are gone."""


class MembersByIndex(dict[Any, Fluent[Any]]):
    """A cache of a family's members by index."""

    def __init__(self, family: FluentFamily[Any, Any]) -> None:
        super().__init__()
        self._family = family

    def __missing__(self, index: Any) -> Fluent[Any]:
        if len(self) >= MOST_MEMBERS:
            self.clear()
        member = self[index] = self._family.member(index)
        return member


class MembersByParts(dict[Any, Any]):
    """A cache of a family's members by the parts of their indices: ``members[x][y]``.

    To look two parts up takes half as long as to make a tuple of them, and to look that up.
    """

    def __init__(
        self,
        family: FluentFamily[Any, Any],
        parts: int,
        index: tuple[Any, ...] = (),
        whole: MembersByParts | None = None,
    ) -> None:
        """The cache of members whose index has so many ``parts``, the first of which are given."""
        super().__init__()
        self._family = family
        self._parts = parts
        self._index = index
        self._whole = self if whole is None else whole
        self._made = 0

    def __missing__(self, part: Any) -> Any:
        index, whole = (*self._index, part), self._whole
        whole._made += 1
        if whole._made > MOST_MEMBERS:
            whole.clear()
            whole._made = 0
        made: Fluent[Any] | MembersByParts
        if len(index) == self._parts:
            made = self._family.member(index)
        else:
            made = MembersByParts(self._family, self._parts, index, whole)
        self[part] = made
        return made
