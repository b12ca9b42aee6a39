"""Joins: the values of several variables at once for which no condition is false.

The result, and its order, is that of nested loops: over the values of each variable as written,
with those left out for which one of the conditions is false. It is found otherwise. Conditions over
relations, and ``==`` with what is known, give the values of variables through an index; what gives
the fewest comes first. Every other condition is tested as soon as its variables have values. So the
values of one variable are only ever combined with those of another where nothing relates them.

A join decides nothing: a condition that is unknown, or cannot be evaluated, leaves values in. When
they are tried, the method's own condition is evaluated as in every method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any, Final

from bthtn.engine.domain.chance import values_in_order
from bthtn.engine.world.expression import (
    Binding,
    Comparison,
    Condition,
    Constant,
    Expression,
    Negation,
    Parameter,
    Related,
    TupleOf,
)
from bthtn.engine.world.fluent import Fluent, FluentFamily, MemberOf
from bthtn.engine.world.footprint import ReadRecorder
from bthtn.engine.world.relation import Tuples
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import BthtnError, DomainError
from bthtn.records import record

HINT: Final = "one_of chooses among the hashable values of a tuple, or of a list"
_ALONE: Final = -1
_UNBOUND: Final = object()

Row = list[Any]
"""Arguments with the values of some variables at their positions."""
Known = Callable[[Expression[Any], ReadRecorder, Binding], Any]


@record(eq=False)
class Range:
    """The values of one variable, and where they go among the arguments.

    ``places`` are those of its parts if it is unpacked, else its own; then ``whole`` is its own
    place if it is used beside its parts, else -1.
    """

    values: Expression[Any]
    places: tuple[int, ...]
    whole: int = _ALONE
    names: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """``spot in spots``, ``(a, b) in road``."""
        names = ", ".join(self.names)
        return f"{f'({names})' if len(self.names) > 1 else names} in {self.values!s}"


@record(eq=False)
class _Table:
    """A range, or a condition over a relation: which tuples its terms may be.

    A term is the place of a variable, or an expression that ``needs`` values at some places.
    """

    number: int
    terms: tuple[int | Expression[Any], ...]
    needs: frozenset[int]
    of: Range | Condition

    @property
    def places(self) -> frozenset[int]:
        return self.needs.union(term for term in self.terms if isinstance(term, int))


@record(eq=False)
class _Equal:
    """A condition that gives a variable its value."""

    place: int
    value: Expression[Any]
    needs: frozenset[int]
    of: Condition

    @property
    def places(self) -> frozenset[int]:
        return self.needs | {self.place}


@record(eq=False)
class _Test:
    """A condition that is evaluated once there are values at these places."""

    of: Condition
    places: frozenset[int]
    member: _Member | None = None


_Part = _Table | _Equal | _Test


class _UndecidedError(Exception):
    """A part cannot give values here, as what it depends on is unknown."""

    def __init__(self, part: _Part) -> None:
        self.part = part


class Join:
    """The ranges of the variables of one choice, and the conditions on them.

    ``places_in`` gives the places of those variables that an expression mentions.
    """

    def __init__(
        self,
        ranges: Sequence[Range],
        conditions: Sequence[Condition],
        places_in: Callable[[Expression[Any]], frozenset[int]],
    ) -> None:
        self.ranges = tuple(ranges)
        self.conditions = tuple(conditions)
        self._given = frozenset(place for each in ranges for place in each.places)
        """The places that ranges give values to by themselves; a whole tuple follows its parts."""
        self._places = self._given.union(each.whole for each in ranges) - {_ALONE}
        self._relations: list[Expression[Any]] = []
        self._tables = [_Table(n, each.places, frozenset(), each) for n, each in enumerate(ranges)]
        self._parts: list[_Table | _Equal] = []
        self._tests = [
            _Test(condition, places_in(condition), _Member.of(condition))
            for condition in conditions
        ]
        for test in self._tests:
            made = self._part(test.of, places_in)
            if made is not None:
                self._parts.append(made)
        self._ordered: dict[Any, tuple[Any, list[_Part]]] = {}
        self._width = max(self._places) + 1
        self._constants = [
            _listed(each, each.values.value) if isinstance(each.values, Constant) else None
            for each in ranges
        ]

    def _part(
        self, condition: Condition, places_in: Callable[[Expression[Any]], frozenset[int]]
    ) -> _Table | _Equal | None:
        """The condition as what gives values to variables, None if it can only be tested."""

        def term(value: Expression[Any]) -> int | Expression[Any]:
            position = value.position if isinstance(value, Parameter) else _ALONE
            return position if position in self._given else value

        if isinstance(condition, Related):
            terms = tuple(map(term, condition.values))
            others = (places_in(each) for each in terms if not isinstance(each, int))
            self._relations.append(condition.relation)
            number = len(self.ranges) + len(self._relations) - 1
            return _Table(number, terms, frozenset().union(*others), condition)
        if isinstance(condition, Comparison) and condition.symbol == "==":
            for one, other in (
                (condition.left, condition.right),
                (condition.right, condition.left),
            ):
                place = term(one)
                if isinstance(place, int) and place not in (needs := places_in(other)):
                    return _Equal(place, other, needs, condition)
        return None

    def rows(self, view: ReadRecorder, args: Binding, known: Known) -> list[tuple[Any, ...]]:
        """The values of all ranges, in order, for each way to choose them.

        Raises UnknownRead when a range is unknown, and DomainError when one is no collection.
        """
        tables: list[Any] = [
            constant or _listed(each, known(each.values, view, args))
            for each, constant in zip(self.ranges, self._constants, strict=True)
        ]
        tables += [relation.evaluate(view) for relation in self._relations]
        gone: set[int] = {id(part) for part in self._parts if _is_unknown(part, tables)}
        start = [*args, *[_UNBOUND] * (self._width - len(args))]
        for place in self._places:
            start[place] = _UNBOUND
        while True:
            try:
                found = self._found(self._steps(tables, gone), tables, view, start)
            except _UndecidedError as signal:
                gone.add(id(signal.part))
            else:
                return self._in_order(found, tables)

    def chosen(self, rows: list[tuple[Any, ...]], positions: tuple[int, ...]) -> tuple[Any, ...]:
        """The values at these positions in each row, each once: a value, or several in a tuple."""
        found = [
            (number, _ALONE if len(each.places) == 1 or position == each.whole else n)
            for position in positions
            for number, each in enumerate(self.ranges)
            for n, place in enumerate((*each.places, each.whole))
            if place == position
        ]
        if len(found) == 1 and found[0][1] == _ALONE:
            return tuple(dict.fromkeys(row[found[0][0]] for row in rows))
        values = (
            tuple([row[number] if n == _ALONE else row[number][n] for number, n in found])
            for row in rows
        )
        if len(found) == 1:
            values = (value[0] for value in values)
        return tuple(dict.fromkeys(values))

    def _in_order(self, found: list[Row], tables: list[Any]) -> list[tuple[Any, ...]]:
        """The values of the ranges in these rows, in the order of nested loops."""
        values = [
            tuple(
                [
                    row[each.places[0]]
                    if len(each.places) == 1
                    else tuple([row[place] for place in each.places])
                    for each in self.ranges
                ]
            )
            for row in found
        ]
        places = [tables[number].places for number in range(len(self.ranges))]
        return sorted(
            values,
            key=lambda row: [where[value] for where, value in zip(places, row, strict=True)],
        )

    # the order of the steps, found once for each problem

    def _steps(self, tables: list[Any], gone: set[int]) -> list[_Part]:
        sizes = tuple(len(tables[n]).bit_length() for n in range(len(self.ranges)))
        fixed = tuple(tables[len(self.ranges) :])
        key = (sizes, *map(id, fixed), frozenset(gone))
        known = self._ordered.get(key)
        if known is None:
            if len(self._ordered) >= _MOST:
                self._ordered = {}
            # The tables are kept, so that their ids stay theirs.
            known = self._ordered[key] = fixed, self._order(tables, gone)
        return known[1]

    def _order(self, tables: list[Any], gone: set[int]) -> list[_Part]:
        """All ranges and conditions, each when most of what it needs has values."""
        left: list[_Table | _Equal] = [*self._tables]
        left += [part for part in self._parts if id(part) not in gone]
        of = set(map(id, (part.of for part in left)))
        tests = [test for test in self._tests if id(test.of) not in of]
        bound: set[int] = set()
        steps: list[_Part] = []
        while left or tests:
            ready = [part for part in left if part.places <= bound]
            steps += sorted(ready, key=lambda part: isinstance(part, _Equal))  # which reads
            left = [part for part in left if part not in ready]
            bound.update(map(_whole, ready))
            steps += [test for test in tests if test.places <= bound]
            tests = [test for test in tests if not test.places <= bound]
            usable = [part for part in left if part.needs <= bound]
            if usable:
                best = min(usable, key=lambda part: _cost(part, tables, bound))
                left.remove(best)
                steps.append(best)
                bound |= best.places | {_whole(best)}
        return steps

    # the steps

    def _found(
        self, steps: list[_Part], tables: list[Any], view: ReadRecorder, start: Row
    ) -> list[Row]:
        rows = [start]
        for step in steps:
            if isinstance(step, _Test):
                rows = _tested(step, view, rows)
            elif isinstance(step, _Equal):
                rows = [*_equal(step, view, rows)]
            else:
                rows = [*_listing(step, tables[step.number], view, rows)]
            if not rows:
                break
        return rows


_MOST: Final = 100
"""So many orders of one join are kept."""
_MOST_FLUENTS: Final = 100_000


def _listed(of: Range, values: Any) -> Tuples[Any]:
    """The values of a range. Raises DomainError if they are no collection, or have other parts."""
    if type(values) is Tuples:
        return values
    listed = values_in_order(values, lambda: f"values of {of.text}", HINT)
    width = len(of.places)
    for value in listed if width > 1 else ():
        if not isinstance(value, tuple) or len(value) != width:
            message = f"{value!r} has not the {width} parts of {of.text}"
            raise DomainError("BT117", message, hint="let all values be tuples of one length")
    return Tuples(listed, width)


def _is_unknown(part: _Table | _Equal, tables: list[Any]) -> bool:
    return isinstance(part, _Table) and tables[part.number] is UNKNOWN


def _whole(part: _Table | _Equal) -> int:
    """The place for a tuple that is unpacked, where it is used as a whole, else -1."""
    return part.of.whole if isinstance(part.of, Range) else _ALONE


def _cost(part: _Table | _Equal, tables: list[Any], bound: set[int]) -> float:
    """About how many values each row gets, the fewest first."""
    if isinstance(part, _Equal):
        return 1
    table: Tuples[Any] = tables[part.number]
    given = tuple(
        n for n, term in enumerate(part.terms) if not isinstance(term, int) or term in bound
    )
    return len(table) / max(1, len(table.index(given))) if given else len(table)


def _tested(test: _Test, view: ReadRecorder, rows: list[Row]) -> list[Row]:
    """The rows for which a condition is not false."""
    member = test.member
    if member is None:
        return [row for row in rows if _may_hold(test.of, view, row)]
    index_of, fluents, wanted, get = member.index_of, member.fluents, member.wanted, view.get
    found: list[Row] = []
    for row in rows:
        index = index_of(row)
        fluent = fluents.get(index)
        if fluent is None:
            fluent = member.learned(index)
        if fluent is None:
            if _may_hold(test.of, view, row):
                found.append(row)
            continue
        value: Any = get(fluent)
        if value is wanted or value is UNKNOWN:
            found.append(row)
    return found


class _Member:
    """A condition that one of the fluents of a family is true, or ``wanted`` is False, is false.

    It is asked for many values, so that to evaluate it each time would take most of the time.
    """

    __slots__ = ("_family", "fluents", "index_of", "wanted")

    def __init__(
        self, family: FluentFamily[Any, Any], places: Sequence[int], *, wanted: bool
    ) -> None:
        self._family = family
        self.wanted = wanted
        self.index_of: Callable[[Row], Any] = itemgetter(*places)
        self.fluents: dict[Any, Fluent[Any]] = {}
        """Those that were asked for, by index."""

    @classmethod
    def of(cls, condition: Condition) -> _Member | None:
        """The condition if it is about such a fluent whose index is made of arguments alone."""
        wanted, asked = True, condition
        if isinstance(asked, Negation):
            wanted, asked = False, asked.operand
        if not isinstance(asked, MemberOf) or asked.value_type is not bool:
            return None
        terms = asked.index.parts if isinstance(asked.index, TupleOf) else (asked.index,)
        places = [term.position for term in terms if isinstance(term, Parameter)]
        texts = asked.family.indices.parts or (asked.family.indices,)
        if len(places) < len(terms) or any(each.kinds != (str,) for each in texts):
            return None  # other values may be equal and not the same index
        return cls(asked.family, places, wanted=wanted)

    def learned(self, index: Any) -> Fluent[Any] | None:
        """The fluent with this index, which is kept; None if there can be none."""
        with suppress(BthtnError):
            if len(self.fluents) >= _MOST_FLUENTS:
                self.fluents.clear()
            self.fluents[index] = self._family.member(index)
        return self.fluents.get(index)


def _may_hold(condition: Condition, view: ReadRecorder, row: Row) -> bool:
    try:
        return condition.evaluate(view, tuple(row)) is not False
    except Exception:  # noqa: BLE001 - it is evaluated again when the values are tried
        return True


def _value(part: _Table | _Equal, of: Expression[Any], view: ReadRecorder, row: Row) -> Any:
    """The value of a term, which can be looked up. Raises _UndecidedError."""
    if type(of) is Constant:
        return of.value
    try:
        value = of.evaluate(view, tuple(row))
        hash(value)
    except Exception:  # noqa: BLE001 - as above
        raise _UndecidedError(part) from None
    if value is UNKNOWN:
        raise _UndecidedError(part)
    return value


def _equal(step: _Equal, view: ReadRecorder, rows: list[Row]) -> Iterator[Row]:
    for row in rows:
        value = _value(step, step.value, view, row)
        if row[step.place] is _UNBOUND:
            new = row.copy()
            new[step.place] = value
            yield new
        elif row[step.place] == value:
            yield row


def _listing(
    step: _Table, table: Tuples[Any], view: ReadRecorder, rows: list[Row]
) -> Iterator[Row]:
    """The rows with each tuple that fits them; a range has its own of equal values."""
    terms: Sequence[Any] = step.terms
    is_range = isinstance(step.of, Range)
    first = rows[0]
    free = [n for n, term in enumerate(terms) if isinstance(term, int) and first[term] is _UNBOUND]
    given = tuple(n for n in range(len(terms)) if n not in free)
    own: list[tuple[Any, ...]] = [tuple(table)] if not given else []
    index = table.index(given) if given and free else {}
    whole, set_at = _whole(step), range(len(terms)) if is_range else free
    again = len({terms[n] for n in free}) < len(free)
    for row in rows:
        values = tuple(
            [
                row[term] if isinstance(term, int) else _value(step, term, view, row)
                for term in map(terms.__getitem__, given)
            ]
        )
        key = values if len(given) != 1 else values[0]
        for each in own[0] if own else index.get(key, ()) if free else table.like(key):
            parts = each if len(terms) > 1 else (each,)
            if again and not _agree(terms, parts, free):
                continue
            new = row.copy()
            for n in set_at:
                new[terms[n]] = parts[n]
            if whole != _ALONE:
                new[whole] = each
            yield new


def _agree(terms: Sequence[Any], parts: Sequence[Any], free: Sequence[int]) -> bool:
    """Whether a variable that stands in several columns has the same value in all."""
    values: dict[Any, Any] = {}
    return all(values.setdefault(terms[n], parts[n]) == parts[n] for n in free)
