"""Instances: the values that the parameters of a task have together.

A *static* condition reads only fluents that no action writes, so it holds in every state of a plan
if it holds in the first. The static conjuncts of a precondition bind parameters, as in a query:

    drive(truck, start, to)   needs   at[truck] == start,  road[start, to]
                                                           ▲ static: only roads that there are

A table has the values that one conjunct, or the goal's ``objects``, allows for some parameters.
Tables are joined, the one that leaves the fewest next; the product of all objects is never made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

from bthtn.engine.domain.chance import stable_text
from bthtn.engine.domain.function import FunctionEffect
from bthtn.engine.domain.goal import given_for
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.planning.question import exact
from bthtn.engine.world.expression import (
    Comparison,
    Condition,
    Constant,
    Expression,
    Negation,
    Parameter,
    Related,
    StateView,
    TupleOf,
    conjuncts,
    leaves_of,
)
from bthtn.engine.world.fluent import Fluent, FluentFamily, MemberOf, UnknownRead
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.relation import Relation
from bthtn.engine.world.truth import UNKNOWN
from bthtn.engine.world.value_type import values_of
from bthtn.errors import Diagnostic, DomainError
from bthtn.records import record

Objects = Mapping[Any, tuple[Any, ...]]
"""The values of parameters, by their names or their types."""

Row = tuple[Any, ...]
Place = tuple[type | None, str]
"""What a fluent and the members of its family share: the class that declares it, and its name."""


class Table(NamedTuple):
    """The values that some parameters may have together."""

    positions: tuple[int, ...]
    rows: list[Row]


@record(eq=False)
class Match:
    """A conjunct which says that a relation lists these, or the index and value of a member."""

    source: Expression[Any]
    """The relation, or the member."""
    parts: tuple[Expression[Any], ...]


@record(eq=False)
class StaticFacts:
    """What instances depend on: the values of static fluents, and the members of such families."""

    values: Mapping[Any, Any]
    members: Mapping[FluentFamily[Any, Any], Mapping[Fluent[Any], Any]]

    def are_in(self, view: StateView) -> bool:
        """Whether the same is read from this state."""
        return all(exact(view.get(key)) == exact(value) for key, value in self.values.items()) and (
            all(members == members_of(family, view) for family, members in self.members.items())
        )


def members_of(family: FluentFamily[Any, Any], view: StateView) -> dict[Fluent[Any], Any]:
    """The members that do not have the default, with their values."""
    found = {}
    for fluent in family.known():
        value = view.get(fluent)
        if value is UNKNOWN or value != fluent.default:
            found[fluent] = value
    return found


class Statics:
    """The fluents that no action writes, and their values in a state."""

    def __init__(
        self, tasks: Iterable[PrimitiveTask[...]], objects: Objects, view: StateView
    ) -> None:
        self._objects = objects
        self._all_written = False
        self._written: dict[Place, list[tuple[frozenset[Any] | None, ...]]] = {}
        """For each place the indices that actions write: for each part its values, or None."""
        self.view: Final = RecordingView(view)
        """The state. What is read through it decides about the instances."""
        self._members: dict[FluentFamily[Any, Any], dict[Fluent[Any], Any]] = {}
        for task in tasks:
            self._note_relations(task.precondition)
            self._note_relations(task.cost)
            for effect in (*task.effects, *task.expected):
                if isinstance(effect, FunctionEffect):
                    self._all_written = True
                else:
                    self._note_relations(effect.value)
                    pattern = tuple(map(self._values, _index(effect.target)))
                    self._written.setdefault(_place(effect.target), []).append(pattern)

    def is_static(self, expression: Expression[Any]) -> bool:
        """Whether it has the same value in every state of a plan."""
        return all(map(self._is_static_leaf, leaves_of(expression)))

    def match(self, condition: Condition) -> Match | None:
        """The static conjunct as a match, unless it holds for members with the default."""
        match = _match(condition)
        if match is None or isinstance(match.source, Relation):
            return match
        assert isinstance(match.source, MemberOf), "there are only these"
        default = match.source.family.prototype.default
        values = self._values(match.parts[-1])
        is_rare = default is not UNKNOWN and (values is None or default not in values)
        return match if is_rare and self._is_static_leaf(match.source) else None

    def bound(self, task: PrimitiveTask[...]) -> set[int]:
        """The positions of parameters that conjuncts of the precondition give values."""
        matches = map(self.match, conjuncts(task.precondition))
        parts = chain.from_iterable(match.parts for match in matches if match is not None)
        return {part.position for part in parts if isinstance(part, Parameter)}

    def members(self, family: FluentFamily[Any, Any]) -> dict[Fluent[Any], Any]:
        """The members of a family that do not have the default, with their values."""
        if family not in self._members:
            self._members[family] = members_of(family, self.view.below)
        return self._members[family]

    @property
    def reads(self) -> StaticFacts:
        """What was read so far."""
        return StaticFacts(self.view.readings, self._members)

    def _note_relations(self, expression: Expression[Any]) -> None:
        """Record the relations that are read, as those are not recorded by whoever reads them."""
        for leaf in leaves_of(expression):
            if isinstance(leaf, Relation):
                self.view.readings[leaf] = leaf.evaluate(self.view)

    def _is_static_leaf(self, leaf: Expression[Any]) -> bool:
        match leaf:
            case Constant() | Parameter() | Relation():
                return True
            case MemberOf() | Fluent():
                prototype = leaf.family.prototype if isinstance(leaf, MemberOf) else leaf
                index = _index(leaf)
                return not (
                    self._all_written
                    or prototype.volatile
                    or any(
                        self._can_be(index, written)
                        for written in self._written.get(_place(leaf), ())
                    )
                ) and _are_plain(index)
        return False

    def _can_be(
        self, index: tuple[Expression[Any], ...], written: tuple[frozenset[Any] | None, ...]
    ) -> bool:
        """Whether it can be the index of a member that is written."""
        if len(index) != len(written):  # a tuple that is the value of one parameter
            return True
        for part, values in zip(index, written, strict=True):
            own = self._values(part)
            if own is not None and values is not None and own.isdisjoint(values):
                return False
        return True

    def _values(self, expression: Expression[Any]) -> frozenset[Any] | None:
        """The values that a constant or parameter can have; None if nothing says which."""
        match expression:
            case Constant(value):
                return frozenset((value,))
            case Parameter():
                return frozenset(listed_values(expression, self._objects)) or None
        return None


def listed_values(parameter: Parameter[Any], objects: Objects) -> tuple[Any, ...]:
    """The values of a parameter that the goal or its type lists, if any."""
    return tuple(given_for(parameter, objects) or values_of(parameter).values())


def unbound(task: PrimitiveTask[...], parameter: Parameter[Any]) -> Diagnostic:
    """The diagnostic for a parameter that nothing gives values."""
    name = parameter.name
    message = f"the values of '{name}' of '{task.name}' are not known"
    hint = (
        f"give them, achieve(..., objects={{'{name}': (...)}}) or --objects {name}=…,"
        " let its type be an Enum or a Literal, or name the actions: actions=[...]"
    )
    return Diagnostic("BT121", message, "achieve", hint)


class Instances:
    """The instances of one task. ``settled`` are the numbers of conjuncts that hold for all."""

    def __init__(self, task: PrimitiveTask[...], objects: Objects, statics: Statics) -> None:
        self._parameters = task.parameters
        self._listed = [listed_values(parameter, objects) for parameter in task.parameters]
        self._view = statics.view
        self._unsettled: set[int] = set()
        tests: dict[int, Condition] = {}
        tables = [
            Table((number,), [(value,) for value in listed])
            for number, listed in enumerate(self._listed)
            if listed
        ]
        matches = []
        parts = conjuncts(task.precondition) if task.parameters else ()
        for number, part in enumerate(parts):
            match = statics.match(part)
            if match is not None:
                matches.append(number)
                tables.append(_unified(match.parts, self._listed_by(number, match, statics)))
            elif statics.is_static(part):
                tests[number] = part
        bound = {position for table in tables for position in table.positions}
        unlisted = [each for each in task.parameters if each.position not in bound]
        DomainError.raise_for(unbound(task, parameter) for parameter in unlisted)
        rows = self._joined(tables, tests)
        self.rows: Final = self._in_order(rows)
        self.settled: Final = frozenset((*matches, *tests)) - self._unsettled

    def _listed_by(self, number: int, match: Match, statics: Statics) -> Iterator[Row]:
        """The values that the parts of a conjunct may have together. Raises UnknownRead."""
        if isinstance(match.source, Relation):
            is_plain = len(match.parts) == 1
            for each in match.source.evaluate(self._view):
                yield (each,) if is_plain else each
            return
        assert isinstance(match.source, MemberOf), "there are only these"
        is_plain = not isinstance(match.source.index, TupleOf)
        for fluent, known in statics.members(match.source.family).items():
            values = (known,)
            if known is UNKNOWN:
                self._unsettled.add(number)
                values = self._possible(match.parts[-1], fluent)
            for value in values:
                yield (fluent.index, value) if is_plain else (*fluent.index, value)

    def _possible(self, value: Expression[Any], fluent: Fluent[Any]) -> Row:
        """The values that an unknown fluent would have to have."""
        if isinstance(value, Constant):
            return (value.value,)
        assert isinstance(value, Parameter), "nothing else makes a match"
        listed = self._listed[value.position]
        if not listed:
            raise UnknownRead(fluent)
        return listed

    def _joined(self, tables: list[Table], tests: dict[int, Condition]) -> list[Row]:
        """The rows that are in all tables and pass all tests. The order is arbitrary."""
        rows: list[Row] = [(None,) * len(self._parameters)]
        bound: set[int] = set()
        left, untested = list(tables), dict(tests)
        while left:
            fewest = min(range(len(left)), key=lambda place: _fan_out(left[place], bound))
            table = left.pop(fewest)
            rows = _extended(rows, table, bound)
            bound.update(table.positions)
            for number, test in list(untested.items()):
                if bound.issuperset(positions_in(test)):
                    rows = [row for row in rows if self._passes(number, test, row)]
                    del untested[number]
        return rows

    def _passes(self, number: int, test: Condition, row: Row) -> bool:
        truth = test.evaluate(self._view, row)
        if truth is UNKNOWN:
            self._unsettled.add(number)
        return truth is not False

    def _in_order(self, rows: list[Row]) -> list[Row]:
        """The rows by the order of values, those of the last parameter changing first."""
        ranks = [
            {
                value: rank
                for rank, value in enumerate(
                    listed or sorted({row[number] for row in rows}, key=stable_text)
                )
            }
            for number, listed in enumerate(self._listed)
        ]
        return sorted(
            rows, key=lambda row: [rank[value] for rank, value in zip(ranks, row, strict=True)]
        )


def positions_in(expression: Expression[Any]) -> set[int]:
    """The positions of the parameters in an expression."""
    positions: set[int] = set()
    for leaf in leaves_of(expression):
        if isinstance(leaf, Parameter):
            positions.add(leaf.position)
        elif isinstance(leaf, MemberOf):
            positions |= positions_in(leaf.index)
    return positions


def _unified(parts: tuple[Expression[Any], ...], rows: Iterable[Row]) -> Table:
    """The values of parameters with which the parts have the values of one of the rows."""
    places: dict[int, list[int]] = {}
    for number, part in enumerate(parts):
        if isinstance(part, Parameter):
            places.setdefault(part.position, []).append(number)
    constants = [(n, part.value) for n, part in enumerate(parts) if isinstance(part, Constant)]
    firsts = [numbers[0] for numbers in places.values()]
    again = [(numbers[0], other) for numbers in places.values() for other in numbers[1:]]
    found = [
        tuple([row[first] for first in firsts])
        for row in rows
        if all(row[number] == value for number, value in constants)
        and all(row[first] == row[other] for first, other in again)
    ]
    return Table(tuple(places), found)


def _fan_out(table: Table, bound: set[int]) -> float:
    """How many rows of the table there are, on average, for values of what is bound."""
    shared = [number for number, position in enumerate(table.positions) if position in bound]
    keys = {tuple([row[number] for number in shared]) for row in table.rows}
    return len(table.rows) / len(keys) if keys else 0


def _extended(rows: list[Row], table: Table, bound: set[int]) -> list[Row]:
    """The rows with the values that the table has for them."""
    shared = [number for number, position in enumerate(table.positions) if position in bound]
    fresh = [number for number, position in enumerate(table.positions) if position not in bound]
    found: dict[Row, list[Row]] = {}
    for row in table.rows:
        key = tuple([row[number] for number in shared])
        found.setdefault(key, []).append(tuple([row[number] for number in fresh]))
    extended = []
    places = [table.positions[number] for number in fresh]
    known = [table.positions[number] for number in shared]
    for row in rows:
        for values in dict.fromkeys(found.get(tuple([row[place] for place in known]), ())):
            longer = list(row)
            for place, value in zip(places, values, strict=True):
                longer[place] = value
            extended.append(tuple(longer))
    return extended


def _match(condition: Condition) -> Match | None:
    """The condition as a match, if it has the form of one."""
    match condition:
        case Related(Relation() as relation, values):
            return _plain_match(relation, values)
        case MemberOf():
            return _plain_match(condition, (*_index(condition), Constant(value=True)))
        case Negation(MemberOf() as member):
            return _plain_match(member, (*_index(member), Constant(value=False)))
        case Comparison("==", MemberOf() as member, value):
            return _plain_match(member, (*_index(member), value))
        case Comparison("==", value, MemberOf() as member):
            return _plain_match(member, (*_index(member), value))
    return None


def _plain_match(source: Expression[Any], parts: tuple[Expression[Any], ...]) -> Match | None:
    return Match(source, parts) if _are_plain(parts) else None


def _are_plain(parts: Iterable[Expression[Any]]) -> bool:
    return all(isinstance(part, Constant | Parameter) for part in parts)


def _place(reference: Expression[Any]) -> Place:
    owner = reference.family if isinstance(reference, MemberOf) else reference
    assert isinstance(owner, Fluent | FluentFamily), "those are all references"
    return (owner.owner, owner.name)


def _index(reference: Expression[Any]) -> tuple[Expression[Any], ...]:
    """The parts of a member's index; none for a fluent that has no index."""
    if isinstance(reference, MemberOf):
        index = reference.index
        return index.parts if isinstance(index, TupleOf) else (index,)
    assert isinstance(reference, Fluent), "those are all references"
    if reference.indices is None:
        return ()
    return tuple(map(Constant, reference.index if reference.indices.parts else (reference.index,)))
