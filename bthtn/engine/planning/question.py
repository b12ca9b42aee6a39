"""Question: a goal, binding and settings as a key that equal ones share, and no others."""

from __future__ import annotations

from typing import Any, Final

from bthtn.engine.domain.network import Network, calls_in
from bthtn.engine.planning.protocol import Settings
from bthtn.engine.world.expression import Binding, Constant

_AS_THEY_ARE: Final = frozenset({bool, int, str})
"""Types whose values, paired with their type, can be used as keys directly."""


class Question:
    """A goal with its binding and settings; equal questions lead to identical searches."""

    __slots__ = ("_hash", "_key")

    def __init__(self, network: Network, binding: Binding, settings: Settings) -> None:
        given = (arg for call in calls_in(network) for arg in call.args)
        values = tuple(exact(arg.value) for arg in given if isinstance(arg, Constant))
        self._key = (network, values, exact(binding), settings)
        self._hash = hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Question) and self._key == other._key

    def __hash__(self) -> int:
        return self._hash


def exact(value: Any) -> Any:
    """A key that separates the equal numbers 1, True and 1.0, and also 0.0 and -0.0.

    A NaN object equals only itself. Equal objects of other types share one key.
    """
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return (kind, value)
    if kind is float and value == 0:
        return (kind, str(value))
    if isinstance(value, tuple):
        return (kind, tuple(map(exact, value)))
    if isinstance(value, frozenset):
        return (kind, frozenset(map(exact, value)))
    return (kind, value)
