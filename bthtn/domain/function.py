"""Plain Python functions as conditions, effects, values and methods.

A function is given a window on the state, an instance of the user's own State class. What
it reads and writes through the window is recorded, so a function is as good as data for
everything but printing. Reading an unknown fluent ends the call: the answer is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from bthtn.domain.parameter import Bindable
from bthtn.errors import BthtnError, Diagnostic, PlanningError
from bthtn.world.expression import Binding, Expression, StateView
from bthtn.world.fluent import Fluent, UnknownRead
from bthtn.world.footprint import Write, WriteKind
from bthtn.world.state import State
from bthtn.world.truth import UNKNOWN, Unknown

T = TypeVar("T")
R = TypeVar("R")


def function_text(function: Callable[..., Any]) -> str:
    """The function's name, or where the lambda stands."""
    name = getattr(function, "__name__", type(function).__name__)
    code = getattr(function, "__code__", None)
    if name == "<lambda>" and code is not None:
        return f"lambda at line {code.co_firstlineno}"
    return str(name)


def called(
    function: Bindable[Callable[..., T]],
    binding: Binding,
    window: State,
    read: Callable[[T], R],
) -> R:
    """What is read from the function's answer, for a call with these parameter values.

    Raises as ``used``.
    """
    try:
        return read(function.bound(binding)(window))
    except (UnknownRead, BthtnError):
        raise
    except Exception as error:
        raise _raised(function.function, error) from error


def used(
    function: Bindable[Callable[..., T]], binding: Binding, use: Callable[[Callable[..., T]], R]
) -> R:
    """What somebody gets who uses the function, for a call with these parameter values.

    Raises UnknownRead when it read something unknown, and PlanningError around whatever else
    it, or using its answers, raises.
    """
    try:
        return use(function.bound(binding))
    except (UnknownRead, BthtnError):
        raise
    except Exception as error:
        raise _raised(function.function, error) from error


def _raised(function: Callable[..., Any], error: Exception) -> PlanningError:
    return PlanningError(
        Diagnostic(
            "BT201",
            f"{function_text(function)} raised {type(error).__name__}: {error}",
            where=_place(function),
            hint="functions of a domain are called with every state a search looks at",
        )
    )


def _itself(answer: T) -> T:
    return answer


def _place(function: Callable[..., Any]) -> str:
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Computed(Expression[T]):
    """The answer of a plain function of the state; with ``as_truth``, its truth."""

    function: Callable[[Any], T]
    state_class: type[State]
    as_truth: bool = False
    _bindable: Bindable[Callable[[Any], T]] = field(init=False)

    def __post_init__(self) -> None:
        """Look at the function once."""
        object.__setattr__(self, "_bindable", Bindable(self.function))

    def evaluate(self, view: StateView, binding: Binding = ()) -> T | Unknown:
        """What the function answers; unknown when it reads something unknown."""
        read: Callable[[Any], Any] = bool if self.as_truth else _itself
        try:
            return cast("T", called(self._bindable, binding, self.state_class.over(view), read))
        except UnknownRead:
            return UNKNOWN

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        """The function's name."""
        return function_text(self.function)


class _WritingView:
    """A view on which a function effect works: it reads its own writes back."""

    __slots__ = ("_read_anything", "_view", "writes")

    def __init__(self, view: StateView) -> None:
        self._view = view
        self._read_anything = False
        self.writes: dict[Fluent[Any], Write] = {}

    def get(self, fluent: Any, /) -> Any:
        """Value of the fluent, as written here or as below."""
        if fluent in self.writes:
            return self.writes[fluent].value
        self._read_anything = True
        return self._view.get(fluent)

    def put(self, fluent: Fluent[Any], value: Any) -> None:
        """Record a write; it is a constant only while nothing has been read."""
        kind = WriteKind.COMPUTED if self._read_anything else WriteKind.CONSTANT
        self.writes[fluent] = Write(kind, value)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FunctionEffect:
    """A change of the state by a plain function that sets fluents on its window."""

    function: Callable[[Any], None]
    state_class: type[State]
    _bindable: Bindable[Callable[[Any], None]] = field(init=False)

    def __post_init__(self) -> None:
        """Look at the function once."""
        object.__setattr__(self, "_bindable", Bindable(self.function))

    def writes(self, view: StateView, binding: Binding = ()) -> dict[Fluent[Any], Write]:
        """What the function wrote. Raises UnknownRead when it read something unknown."""
        recorder = _WritingView(view)
        called(self._bindable, binding, self.state_class.over(recorder), _itself)
        return recorder.writes

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - as expressions
        """The function's name."""
        return function_text(self.function)

    def __str__(self) -> str:
        return self.text()
