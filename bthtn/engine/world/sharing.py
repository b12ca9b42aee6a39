"""Which objects ``copy`` shares, and which ones ``copy`` and ``pickle`` refuse."""

from __future__ import annotations

from typing import Any, Self, SupportsIndex

from bthtn.errors import ArgumentError


class Shared:
    """A frozen object, which is compared by identity: its copy is the object itself."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


class Unpicklable:
    """An object that refuses ``pickle`` and, unless it is shared, ``copy``.

    It holds functions of a domain, or belongs to one agent, tree or search.
    """

    __slots__ = ()
    _copy_hint = "make another one, as this one was made"

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        name = type(self).__name__
        verb, hint = "copied or pickled", self._copy_hint
        if isinstance(self, Shared):
            verb = "pickled"
            hint = "import the domain where it is needed; encoded(plan) is a plan as JSON"
        raise ArgumentError("BT127", f"{name} cannot be {verb}", hint=hint)
