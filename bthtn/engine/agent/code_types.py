"""The types of users' code, which takes an agent with a body.

Agents have operators and sensors, whose code takes agents: this circle is one of types only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, final, overload


@final
class AnyBody:
    """The class of bodies for code that does not name one: ``Operators()``, ``Sensors()``."""


B = TypeVar("B")
F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")

if TYPE_CHECKING:
    import typing_extensions as checker  # every type checker knows it, installed or not

    from bthtn.engine.agent.agent import Agent

    B_contra = checker.TypeVar("B_contra", contravariant=True, default=AnyBody)
else:
    B_contra = TypeVar("B_contra", contravariant=True)


class Binding(Protocol[B]):
    """**Protocol:** a decorator of code that is called with an agent and other arguments."""

    @overload
    def __call__(self: Binding[AnyBody], code: F, /) -> F: ...

    @overload
    def __call__(
        self, code: Callable[Concatenate[Agent[Any, B], P], R], /
    ) -> Callable[Concatenate[Agent[Any, B], P], R]: ...


class SensorCode(Protocol[B]):
    """**Protocol:** code that is called with an agent and gives a reading, or readings."""

    def __call__(self, agent: Agent[Any, B], /) -> object:
        """The reading, a generator of readings, or an object with a method ``sense``."""
        ...
