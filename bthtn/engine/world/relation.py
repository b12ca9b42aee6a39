"""Relations: what a problem says once and for all, such as its map.

    class Delivery(State):
        truck: Relation[str] = relation()
        road: Relation[tuple[str, str]] = relation()

    Delivery(truck=["red"], road=[("a", "b"), ("b", "c")])

    Delivery.road["a", place]     a condition: whether the tuple is listed
    Delivery.road["a", ...]       the values at the ``...``, in order
    state.road["a", "b"]          the same in a function of the state

Inside, a relation is a fluent that nothing writes, so states keep, compare and save its value as
those of others. It is read without being recorded where recorded reads are watched: only the reads
of a whole search have it, by which equal problems are recognized.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from operator import itemgetter
from types import EllipsisType
from typing import Any, Final, Generic, NoReturn, TypeVar, cast, overload

from bthtn.checked import checked
from bthtn.engine.world.expression import (
    Binding,
    Condition,
    Expression,
    Matching,
    Related,
    StateView,
    as_expression,
)
from bthtn.engine.world.fluent import Fluent, Window
from bthtn.engine.world.sharing import Shared
from bthtn.engine.world.truth import value_text
from bthtn.engine.world.value_type import ValueType, value_type_of
from bthtn.errors import StateError

T = TypeVar("T")

_SHOWN: Final = 20
"""So many tuples are written out in a text."""


class Tuples(Shared, Generic[T]):
    """The value of a relation: distinct tuples, or values where there is one column, in order.

    Never changed. What has to be found by some of the columns is indexed when it is first asked.
    """

    __slots__ = ("_all", "_hash", "_indexes", "_places", "width")

    def __init__(self, tuples: Iterable[T], width: int) -> None:
        self._places: dict[Any, int] = {}
        for each in tuples:
            self._places.setdefault(each, len(self._places))
        self._all: tuple[T, ...] = tuple(self._places)
        self._indexes: dict[tuple[int, ...], Mapping[Any, tuple[T, ...]]] = {}
        self._hash: int | None = None
        self.width = width

    @property
    def places(self) -> Mapping[Any, int]:
        """The place of each tuple in the order of declaration."""
        return self._places

    def like(self, each: Any) -> tuple[T, ...]:
        """The listed tuple that equals this one, or nothing."""
        place = self._places.get(each)
        return () if place is None else (self._all[place],)

    def index(self, columns: tuple[int, ...]) -> Mapping[Any, tuple[T, ...]]:
        """The tuples by their value in a column, or by a tuple of their values in several."""
        known = self._indexes.get(columns)
        if known is None:
            key: Callable[[Any], Any] = itemgetter(*columns) if self.width > 1 else _itself
            found: dict[Any, list[T]] = {}
            for each in self._all:
                found.setdefault(key(each), []).append(each)
            known = self._indexes[columns] = {value: tuple(of) for value, of in found.items()}
        return known

    def matching(self, pattern: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values in the columns where the pattern has ``...``, of tuples that equal the rest.

        Those of several columns are tuples.
        """
        given = tuple(n for n, part in enumerate(pattern) if part is not ...)
        if not given:
            return self._all
        key = tuple(pattern[n] for n in given)
        found: tuple[Any, ...] = self.index(given).get(key if len(given) > 1 else key[0], ())
        free = [n for n in range(self.width) if n not in given]
        return tuple(map(itemgetter(*free), found)) if free else found

    @overload
    def __getitem__(self, index: T) -> bool: ...
    @overload
    def __getitem__(self, index: tuple[Any, ...] | EllipsisType) -> tuple[Any, ...]: ...
    def __getitem__(self, index: Any) -> bool | tuple[Any, ...]:
        """Whether the tuple is listed; with ``...`` in it, the values there.

        Raises StateError for another number of columns.
        """
        parts = columns_of(index, self.width)
        if any(part is ... for part in parts):
            return self.matching(parts)
        return index in self._places

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise fixed("the relation")

    def __contains__(self, item: object) -> bool:
        return item in self._places

    def __iter__(self) -> Iterator[T]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(other) is Tuples and self.width == other.width and self._all == other._all

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.width, self._all))
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return (Tuples, (self._all, self.width))

    def __repr__(self) -> str:
        shown = [value_text(each) for each in self._all[:_SHOWN]]
        more = len(self._all) - len(shown)
        return f"[{', '.join([*shown, *([f'… {more} more'] if more else [])])}]"


class Relation(Fluent[Tuples[T]], Generic[T]):
    """The declaration of a relation: ``Relation[str]``, ``Relation[tuple[str, str]]``.

    ``described`` says which tuples, or values, it may have.
    """

    __slots__ = ("_given", "_is_described", "described")

    def __init__(self, given: Iterable[T], described: ValueType | None) -> None:
        super().__init__(Tuples(tuple[T](), 1), values=ValueType((Tuples,)), volatile=False)
        self._given = tuple(given)
        self._is_described = described is not None
        self.described = described

    @overload
    def __get__(self, instance: None, owner: Any) -> Relation[T]: ...
    @overload
    def __get__(self, instance: Window, owner: Any) -> Tuples[T]: ...
    def __get__(self, instance: Window | None, owner: Any) -> Relation[T] | Tuples[T]:
        return self if instance is None else self.evaluate(instance._view)

    def __set__(self, instance: Window, value: Iterable[T]) -> None:  # type: ignore[override]  # as given
        raise fixed(f"'{self.name}'")

    def annotate(self, annotation: object) -> None:
        """Take the types of its columns from the annotation, unless they were given."""
        if not self._is_described:
            *_, described = getattr(annotation, "__args__", None) or (None,)
            self.described = value_type_of(described)
        self.default = self.filled(self._given)

    @property
    def columns(self) -> tuple[ValueType, ...]:
        """The values of each column. Raises StateError while nothing says which."""
        if self.described is None:
            message = f"nothing says what the relation '{self.name}' relates"
            hint = f"annotate it: {self.name}: Relation[tuple[str, str]] = relation()"
            raise StateError("BT106", message, hint=hint)
        return self.described.parts or (self.described,)

    def filled(self, given: object) -> Tuples[T]:
        """The value with these tuples. Raises StateError for others than it can have."""
        width, described = len(self.columns), cast("ValueType", self.described)
        if type(given) is Tuples:
            given = tuple(given)
        if isinstance(given, str) or not isinstance(given, Iterable):
            message = f"'{self.name}' lists tuples; {value_text(given)} has none"
            raise StateError("BT106", message, hint=f"give a list: {self.name}=[…]")
        listed = tuple(given)
        for each in listed:
            if not described.accepts(each):
                raise self._unfit(each, described)
        return Tuples(map(described.canonical, listed), width)

    def _unfit(self, value: object, of: ValueType) -> StateError:
        message = f"'{self.name}' relates {self.values_text}; {of.fault(value)}"
        hint = of.advice(value) if of.listed else f"give {of.name}"
        return StateError("BT106", message, hint=hint)

    def read(self, given: object) -> Tuples[T]:
        """The value that a list from a file stands for; members of an Enum are named there.

        Raises StateError for others than it can have.
        """
        if not isinstance(given, list):
            return self.filled(given)
        return self.filled([self._read(each) for each in given])

    def _read(self, each: Any) -> Any:
        parts = tuple(each) if isinstance(each, list) else (each,)
        if len(parts) != len(self.columns):
            return parts if isinstance(each, list) else each
        parts = tuple(map(_named, parts, self.columns))
        return parts if isinstance(each, list) else parts[0]

    def parse(self, text: str) -> Tuples[T]:
        """The value of a text such as ``[["a", "b"]]``. Raises StateError."""
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, list):
            message = f"'{self.name}' cannot be {text!r}"
            hint = 'write its tuples as in [["a", "b"], ["b", "c"]]'
            raise StateError("BT106", message, hint=hint)
        return self.read(found)

    def accepts(self, value: object) -> bool:
        """Whether it is a value of the relation, which is never unknown."""
        return (
            type(value) is Tuples
            and value.width == len(self.columns)
            and all(map(cast("ValueType", self.described).accepts, value))
        )

    def check(self, value: object) -> None:
        """Raise StateError for what is no value of the relation."""
        if not self.accepts(value):
            self.filled(value)
            raise fixed(f"'{self.name}'")

    def check_write(self, value: object) -> None:  # noqa: ARG002 - see Fluent
        """Raise StateError: it never changes."""
        raise fixed(f"'{self.name}'")

    def becomes(self, value: object) -> NoReturn:  # noqa: ARG002 - see Fluent
        """Raise StateError: it never changes."""
        raise fixed(f"'{self.name}'")

    increases = decreases = becomes  # type: ignore[assignment]  # all refuse

    def evaluate(self, view: StateView, binding: Binding = ()) -> Any:  # noqa: ARG002 - protocol
        """The value, read where nothing is recorded."""
        below: StateView | None = view
        while below is not None:
            view, below = below, getattr(below, "below", None)
        return view.get(self)

    @overload
    def __getitem__(self, index: T) -> Condition: ...
    @overload
    def __getitem__(self, index: Expression[Any] | tuple[Any, ...] | EllipsisType) -> Any: ...
    def __getitem__(self, index: Any) -> Expression[Any]:
        """The condition that the tuple is listed; with ``...`` in it, the values there.

        Raises StateError for another number of columns, and for a constant of another type.
        """
        columns = self.columns
        parts = columns_of(index, len(columns), f"'{self.name}'")
        for part, column in zip(parts, columns, strict=True):
            if part is not ... and not isinstance(part, Expression) and not column.accepts(part):
                raise self._unfit(part, column)
        if any(part is ... for part in parts):
            pattern = tuple(None if part is ... else as_expression(part) for part in parts)
            return Matching(self, pattern)
        return Related(self, tuple(map(as_expression, parts)))

    @property
    def values_text(self) -> str:
        """The types of its columns: ``str, str``."""
        return ", ".join(column.name for column in self.columns)

    def parsed(self, column: ValueType, text: str) -> Any:
        """The value of a column that the text stands for. Raises StateError."""
        try:
            return column.parse_index(text)
        except ValueError:
            wrong = f"'{self.name}' does not relate {text!r}"
            raise StateError("BT106", wrong, hint=column.hint(text)) from None


def columns_of(index: Any, width: int, name: str = "the relation") -> tuple[Any, ...]:
    """The parts of an index, one for each column. Raises StateError for another number."""
    parts = index if isinstance(index, tuple) and width > 1 else (index,)
    if len(parts) != width:
        given = f"{len(parts)} {'is' if len(parts) == 1 else 'are'} given"
        message = f"{name} relates {width}; {given}"
        hint = "write a value for each column, and ... for any"
        raise StateError("BT106", message, hint=hint)
    return parts


def fixed(what: str) -> StateError:
    """The error of a write to a relation."""
    hint = (
        "give it with the problem, State(road=[…]); what changes is a fluent, or a family of them"
    )
    return StateError("BT108", f"{what} never changes: it is a relation", hint=hint)


def _named(value: Any, column: ValueType) -> Any:
    """The member of an Enum that a text of a file names, every other value as it is."""
    if isinstance(value, str) and issubclass(column.kind, Enum):
        with suppress(ValueError):
            return column.parse(value)
    return value


def _itself(value: Any) -> Any:
    return value


@checked
def relation(default: Iterable[Any] = (), *, type: Any = None) -> Relation[Any]:  # noqa: A002 - as in `fluent`
    """Declare a relation: tuples, or values, that a state lists and nothing changes.

    Its annotation says what it relates: ``Relation[tuple[str, str]]``, ``Relation[str]``; ``type``
    is for annotations that cannot be read, ``type=tuple[str, str]``. A state that is given none
    has the ``default``: without one a type checker asks for them. Raises StateError for tuples of
    another type.
    """
    return Relation(default, None if type is None else value_type_of(type))
