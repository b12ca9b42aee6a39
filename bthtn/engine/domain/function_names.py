"""names_in: the names that a function mentions, found without a call."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Final

from bthtn.engine.domain.bindable import held_by

_BY_ANY_NAME: Final = frozenset(
    {"eval", "exec", "getattr", "globals", "locals", "setattr", "vars", "write_fluent"}
)


def names_in(function: object) -> frozenset[str] | None:
    """The names in a function, and in those that it can call; None where others may be meant.

    A fluent that is not among them is neither read nor written by it.
    """
    found: set[str] = set()
    seen: set[int] = set()
    pending = [function]
    while pending:
        inner = pending.pop()
        if id(inner) in seen:
            continue
        seen.add(id(inner))
        if not isinstance(inner, FunctionType):
            return None
        names = {name for code in _codes(inner.__code__) for name in code.co_names}
        if names & _BY_ANY_NAME:
            return None
        found |= names
        known = inner.__globals__
        used = [known[name] for name in names if name in known]
        pending += [value for value in (*used, *held_by(inner)) if _may_write(value)]
    return frozenset(found)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and of those inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _may_write(value: object) -> bool:
    """Whether it can be called with a state, or holds what can; classes are made of values."""
    if isinstance(value, tuple | list | dict):
        return any(map(callable, held_by(value)))
    return isinstance(value, ModuleType) or (callable(value) and not isinstance(value, type))
