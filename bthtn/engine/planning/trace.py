"""Search events: the data from which texts, explanations and views of a search are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any, Final, Self, TypeVar, dataclass_transform

from bthtn.engine.domain.task import call_text

E = TypeVar("E")


class Event(tuple[Any, ...]):
    """Base class of all events; immutable.

    Searches emit many events, and few of their texts are ever read. So a text may be stored as a
    tuple of a function and its arguments, that of a call as its task with the arguments behind all
    fields; it is made when the field is read.
    """

    __slots__ = ()
    __match_args__: tuple[str, ...]
    _defaults: dict[str, Any]

    def __new__(cls, *values: Any, **named: Any) -> Self:
        names = cls.__match_args__
        if len(values) == len(names) and not named:
            return super().__new__(cls, values)
        given = {**cls._defaults, **dict(zip(names, values, strict=False)), **named}
        if len(values) > len(names) or given.keys() != set(names):
            raise TypeError(f"a {cls.__name__} has {', '.join(names)}")
        return super().__new__(cls, [given[name] for name in names])

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, name) for name in self.__match_args__)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and [*self] == [*other]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), *self))

    def __repr__(self) -> str:
        values = zip(self.__match_args__, self, strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in values)})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


@dataclass_transform(frozen_default=True)
def event(declared: type[E]) -> type[E]:
    """Make an event class of the declared fields and defaults, as ``dataclass`` would."""
    names = tuple(declared.__annotations__)
    made: dict[str, Any] = {
        "__slots__": (),
        "__match_args__": names,
        "__doc__": declared.__doc__,
        "__module__": declared.__module__,
        "_defaults": {name: vars(declared)[name] for name in names if name in vars(declared)},
    }
    for place, name in enumerate(names):
        is_text = declared.__annotations__[name] == "str"
        made[name] = property(_text(place) if is_text else itemgetter(place))
    return type(declared.__name__, (Event,), made)


def _text(place: int) -> Callable[[Event], str]:
    def text(event: Event) -> str:
        field = event[place]
        if type(field) is str:
            return field
        return field[0](*field[1:]) if type(field) is tuple else call_text(field, event[-1])

    return text


@event
class TaskPlanned:
    """A primitive task was put into the plan."""

    task: str
    depth: int


@event
class TaskRejected:
    """The precondition of a primitive task does not hold in the projected state."""

    task: str
    reason: str
    depth: int


@event
class MethodEntered:
    """A method of a compound task was chosen."""

    task: str
    method: int
    name: str
    depth: int


@event
class MethodRejected:
    """A method may not be used in this state, or cannot lead to a plan that beats the bound."""

    task: str
    method: int
    name: str
    reason: str
    depth: int


@event
class RecursionCut:
    """A task was entered again inside itself in an unchanged state, or is nested too deep."""

    task: str
    reason: str
    depth: int


@event
class BranchesConflict:
    """Two branches of a parallel node conflict over a fluent or resource."""

    first: int
    second: int
    over: str
    depth: int


@event
class AlternativeDropped:
    """An alternative of a priority node cannot be planned."""

    alternative: int
    text: str
    depth: int


@event
class PlanningSuspended:
    """Planning is suspended at this point until execution reaches it."""

    what: str
    cause: str
    depth: int


@event
class Backtracked:
    """The search went back to an earlier choice; ``to`` names its task."""

    to: str


@event
class GoalsExpanded:
    """A goal-directed search expanded a node: conditions to be met, or a state reached.

    ``cost`` is that of the steps between the node and the root, ``estimate`` the estimated cost
    of the steps that are missing.
    """

    what: str
    cost: float
    estimate: float
    depth: int = 0


@event
class ActionRejected:
    """A goal-directed search rejected an action at the current node."""

    task: str
    reason: str
    depth: int = 0


@event
class Unachievable:
    """A goal-directed search failed for this reason."""

    reason: str
    depth: int = 0


SearchEvent = (
    TaskPlanned
    | TaskRejected
    | MethodEntered
    | MethodRejected
    | RecursionCut
    | BranchesConflict
    | AlternativeDropped
    | PlanningSuspended
    | Backtracked
    | GoalsExpanded
    | ActionRejected
    | Unachievable
)

GOES_ROUND: Final = "entered again inside itself, with nothing changed"
FAILED_BEFORE: Final = "failed before, in the same state and with the same tasks left"
"""The reason of a ``RecursionCut`` that is not for depth."""

SearchListener = Callable[[SearchEvent], None]
