"""Plain Python functions as conditions, effects, values and methods.

A function gets an instance of the user's State class that reads from the state of the search. Its
reads and writes are recorded, so a function can do all that data can do, but it cannot be printed
or analysed. Reading an unknown fluent ends the call, and the result is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from dis import get_instructions
from functools import lru_cache, partial
from traceback import walk_tb
from types import CodeType
from typing import Any, Final, NoReturn, TypeGuard, TypeVar, cast

from bthtn.engine.domain.bindable import Bindable
from bthtn.engine.world.expression import Binding, Expression, StateView
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import Write, WriteKind
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import UNKNOWN, Unknown
from bthtn.errors import BthtnError, Diagnostic, PlanningError, exception_text
from bthtn.records import record

T = TypeVar("T")


def is_function(value: object) -> TypeGuard[Callable[..., Any]]:
    """Whether it is meant as a function of the state: a task and a class are called for others."""
    is_task = type(value).__module__ == "bthtn.engine.domain.task"  # which imports this module
    return callable(value) and not is_task and not isinstance(value, type)


def function_text(function: Callable[..., Any]) -> str:
    """The function's name; of a lambda, that of the function which is all that it calls, or a line.

    So is a ``functools.partial`` called after its function.
    """
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    code = getattr(function, "__code__", None)
    if name == "<lambda>" and code is not None:
        return _only_call(function, code) or f"lambda at line {code.co_firstlineno}"
    return str(name)


_PLAIN_CALL: Final = ("LOAD_", "RETURN_", "RESUME", "COPY_FREE_VARS", "PUSH_NULL", "PRECALL")
"""How the instructions of ``lambda state: by_taxi(state, "park")`` begin, beside the call."""


def _only_call(function: Callable[..., Any], code: CodeType) -> str:
    """The name of the function whose call is all that a lambda does; empty for other lambdas."""
    name = _called_name(code)
    if not name:
        return ""
    cells = dict(zip(code.co_freevars, getattr(function, "__closure__", None) or (), strict=False))
    try:
        called_one = cells[name].cell_contents if name in cells else function.__globals__[name]
    except (KeyError, ValueError, AttributeError):  # a builtin, or not defined yet
        return ""
    return name if hasattr(called_one, "__code__") else ""


@lru_cache(maxsize=1024)  # a search that fails names the same functions again and again
def _called_name(code: CodeType) -> str:
    """The name that is called, where the code does nothing else; else empty."""
    done = [step for step in get_instructions(code) if step.opname not in ("CACHE", "KW_NAMES")]
    calls = [step for step in done if step.opname in ("CALL", "CALL_KW")]
    others = [step for step in done if step.opname.startswith(_PLAIN_CALL)]
    loads = [step for step in others if step.opname.startswith("LOAD_")]
    is_call = len(calls) == 1 and len(calls) + len(others) == len(done) and loads
    is_named = is_call and loads[0].opname in ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME")
    is_alone = not any(step.opname.startswith(("LOAD_ATTR", "LOAD_METHOD")) for step in loads[1:2])
    return str(loads[0].argval) if is_named and is_alone else ""


def called(function: Bindable[Callable[..., T]], binding: Binding, window: State) -> T:
    """The function's result with these parameter values.

    Raises UnknownRead when it reads an unknown fluent, and as ``blame`` for another exception.
    """
    try:
        return function.bound(binding)(window)
    except UnknownRead:
        raise
    except Exception as error:  # noqa: BLE001 - raised as the function's
        blame(function.function, error)


def blame(function: Callable[..., Any], error: Exception) -> NoReturn:
    """Raise what a function raised as a PlanningError, or a BthtnError with its place."""
    if isinstance(error, BthtnError):
        raise error.placed(place_of(function)) from None
    raise _raised(function, error) from error


def raised_in_description(error: Exception, where: str) -> Diagnostic:
    """The mistake of a function that was to describe a task, and raised this."""
    frame, line = list(walk_tb(error.__traceback__))[-1]
    place = f"{where}: {frame.f_code.co_filename}:{line}"
    hint = (
        "the function is called once, with symbols that have no value yet: what needs the value"
        " is a function of the state, lambda state: ..."
    )
    return Diagnostic("BT110", exception_text(error), place, hint)


def _raised(function: Callable[..., Any], error: Exception) -> PlanningError:
    message = f"{function_text(function)} raised {exception_text(error)}"
    hint = "functions of a domain are called with every state a search looks at"
    return PlanningError("BT201", message, place_of(function), hint)


def place_of(function: Callable[..., Any]) -> str:
    """The file and the line where a function is written."""
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else f"{function!r}"


@record(eq=False, repr=False)
class Computed(Expression[T]):
    """The result of a plain function of the state, converted to bool with ``as_truth``."""

    function: Callable[[Any], T]
    state_class: type[State]
    as_truth: bool = False
    _bindable: Bindable[Callable[[Any], T]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_bindable", Bindable(self.function))

    def evaluate(self, view: StateView, binding: Binding = ()) -> T | Unknown:
        """The function's result; UNKNOWN when it reads an unknown fluent."""
        try:
            answer = called(self._bindable, binding, self.state_class.over(view))
        except UnknownRead:
            return UNKNOWN
        if not self.as_truth or answer is True or answer is False:
            return answer
        return cast("T", self._truth(answer))

    def _truth(self, answer: object) -> bool:
        """The answer of a condition as a bool. Raises PlanningError if it is no truth value."""
        kind = type(answer)
        try:
            if answer is not None and (hasattr(kind, "__bool__") or hasattr(kind, "__len__")):
                return bool(answer)
        except BthtnError as error:
            raise error.placed(place_of(self.function)) from None
        except Exception as error:
            raise _raised(self.function, error) from error
        message = f"{function_text(self.function)} answers with {answer!r}, not True or False"
        hint = "a condition returns a truth value: return state.ammo > 0, return x is not None"
        raise PlanningError("BT110", message, place_of(self.function), hint)

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        return function_text(self.function)


class _WritingView:
    """The view that a function effect gets: it records writes, and reads return them."""

    __slots__ = ("_read_anything", "_view", "writes")

    def __init__(self, view: StateView) -> None:
        self._view = view
        self._read_anything = False
        self.writes: dict[Fluent[Any], Write] = {}

    def get(self, fluent: Any, /) -> Any:
        """Value of the fluent: the one written here, else the one in the view below."""
        if fluent in self.writes:
            return self.writes[fluent].value
        self._read_anything = True
        return self._view.get(fluent)

    def put(self, fluent: Fluent[Any], value: Any) -> None:
        """Record a write. It is a constant only if no fluent was read before it."""
        kind = WriteKind.COMPUTED if self._read_anything else WriteKind.CONSTANT
        self.writes[fluent] = Write(kind, value)


@record(eq=False, repr=False)
class FunctionEffect:
    """A change of the state by a plain function that sets fluents on its window."""

    function: Callable[[Any], None]
    state_class: type[State]
    _bindable: Bindable[Callable[[Any], object]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_bindable", Bindable(self.function))

    def writes(self, view: StateView, binding: Binding = ()) -> dict[Fluent[Any], Write]:
        """The writes that the function makes. Raises UnknownRead if it reads an unknown fluent."""
        recorder = _WritingView(view)
        window = self.state_class.over(recorder)
        answer: object = called(self._bindable, binding, window)
        if answer is not None:
            message = f"the effect {function_text(self.function)} answers with {answer!r}"
            hint = "that changes nothing: set fluents of the state it is given, state.ammo = 6"
            raise PlanningError("BT110", message, place_of(self.function), hint)
        return recorder.writes

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - as expressions
        return function_text(self.function)

    def __str__(self) -> str:
        return self.text()
