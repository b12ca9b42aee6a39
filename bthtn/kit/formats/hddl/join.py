"""All values of a method's free variables together with which its conditions hold.

The variables get their values one after the other, those first of which there are the fewest, and
each condition is asked as soon as all that it mentions is known. What no action makes true is
looked up in an index of what holds at the beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from bthtn.engine.domain.variable import Variable
from bthtn.engine.world.expression import (
    Binding,
    Condition,
    Constant,
    Expression,
    Parameter,
    StateView,
)
from bthtn.kit.formats.hddl import syntax
from bthtn.kit.formats.hddl.necessary import terms_of
from bthtn.kit.formats.hddl.source import Source
from bthtn.kit.formats.hddl.syntax import Atom, Change, Declared, DomainFile, Equal, Not, OfType
from bthtn.kit.formats.hddl.truths import Truths
from bthtn.kit.formats.hddl.world import Row, World

Get = Callable[[Any], Any]
Slots = list[Any]
"""The values of parameters and variables by position."""
Test = Callable[[Get, Slots], bool]
"""Whether a condition holds with the values so far."""
Term = tuple[Any, bool]
"""A position and True, or a value and False."""


class Level:
    """Values for some of the variables, and the conditions that can be asked with them."""

    __slots__ = ("places", "tests", "values")

    def __init__(self, places: Sequence[int], values: Callable[[Slots], Sequence[Any]]) -> None:
        self.places, self.values = tuple(places), values
        self.tests: list[Test] = []


class Joined(Expression[Any]):
    """The values of several variables together, each time a tuple."""

    __slots__ = ("_count", "_levels", "_outputs", "_width", "parameters")

    def __init__(
        self,
        parameters: Sequence[Expression[Any]],
        count: int,
        levels: Sequence[Level],
        outputs: Sequence[int],
    ) -> None:
        self.parameters = tuple(parameters)
        self._width = len(parameters)
        self._count, self._levels, self._outputs = count, levels, outputs

    @property
    def is_condition(self) -> bool:
        return False

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        """What is shown in its place."""
        return "values"

    def evaluate(self, view: StateView, binding: Binding = ()) -> tuple[Row, ...]:
        """All tuples of values with which the conditions hold in this state."""
        slots: Slots = [parameter.evaluate(view, binding) for parameter in self.parameters]
        slots += [None] * self._count
        found: dict[Row, None] = {}
        for _ in _filled(self._levels, 0, view.get, slots):
            found[tuple([slots[place] for place in self._outputs])] = None
        return tuple(found)


def _filled(levels: Sequence[Level], number: int, get: Get, slots: Slots) -> Iterator[None]:
    """Put values into the slots, as many times as there are some."""
    level = levels[number]
    places, tests, is_last = level.places, level.tests, number + 1 == len(levels)
    place = places[0]
    for values in level.values(slots):
        if len(places) == 1:
            slots[place] = values
        else:
            for each, value in zip(places, values, strict=True):
                slots[each] = value
        for test in tests:
            if not test(get, slots):
                break
        else:
            if is_last:
                yield
            else:
                yield from _filled(levels, number + 1, get, slots)


class Item(Expression[Any]):
    """One of the values that a variable holds together."""

    __slots__ = ("_place", "variable")

    def __init__(self, variable: Variable[Any], place: int) -> None:
        self.variable, self._place = variable, place

    def evaluate(self, view: StateView, binding: Binding = ()) -> Any:  # noqa: ARG002 - protocol
        """The value in this binding."""
        return binding[self.variable.position][self._place]

    def text(self, binding: Binding | None = None) -> str:
        """The name of the variable, or the value."""
        if binding is None:
            return self.variable.name.split(", ")[self._place]
        return repr(binding[self.variable.position][self._place])


class AnyValue(Expression[bool]):
    """True: a condition of a method that has to have some value for a variable."""

    __slots__ = ("variable",)

    def __init__(self, variable: Variable[Any]) -> None:
        self.variable = variable

    def evaluate(self, view: StateView, binding: Binding = ()) -> bool:  # noqa: ARG002 - protocol
        """True."""
        return True

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        """What is shown in its place."""
        return "true"


class Rows:
    """What holds at the beginning of a predicate that no action makes true."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self._keys: dict[tuple[int, ...], int] = {}

    def keys(self, columns: tuple[int, ...]) -> int:
        """How many different values there are in these columns."""
        if columns not in self._keys:
            self._keys[columns] = len({tuple(row[c] for c in columns) for row in self.rows})
        return self._keys[columns]


class Joins:
    """Finds the order of joins for the methods of one problem."""

    def __init__(self, world: World, truths: Truths, domain: DomainFile) -> None:
        self._world, self._truths = world, truths
        added = {
            effect.atom.name
            for action in domain.actions.values()
            for effect in action.effects
            if isinstance(effect, Change) and effect.becomes
        }
        self._known = {
            name: Rows(list(rows)) for name, rows in world.facts.items() if name not in added
        }

    def values(
        self,
        free: Sequence[Declared],
        conditions: Sequence[syntax.Condition],
        given: Mapping[str, Expression[Any]],
        wanted: Sequence[str],
        source: Source,
    ) -> Joined:
        """The values of the wanted ones of the free variables. ``given`` are those known before."""
        names = [*given, *(each.name for each in free)]
        scope: dict[str, Parameter[Any]] = {
            name: Parameter(name[1:], place, str) for place, name in enumerate(names)
        }
        levels = _Levels(self._world, self._truths, self._known, scope, source)
        made = levels.made(free, conditions)
        outputs = [scope[name].position for name in wanted]
        return Joined(list(given.values()), len(free), made, outputs)


class _Levels:
    """The levels of one join."""

    def __init__(
        self,
        world: World,
        truths: Truths,
        known: Mapping[str, Rows],
        scope: Mapping[str, Parameter[Any]],
        source: Source,
    ) -> None:
        self._world, self._truths, self._known = world, truths, known
        self._scope, self._source = scope, source

    def made(self, free: Sequence[Declared], conditions: Sequence[syntax.Condition]) -> list[Level]:
        left = {each.name: each for each in free}
        pending = list(conditions)
        levels: list[Level] = []
        while left:
            atom = self._fewest(pending, left)
            if atom is None:
                name = min(left, key=lambda each: len(self._world.of_types(left[each].types)))
                level = self._of_objects(name, left.pop(name))
            else:
                level = self._of_atom(atom, left)
                if atom.name not in self._world.changing:
                    pending.remove(atom)
            levels.append(level)
            for condition in list(pending):
                if left.keys().isdisjoint(terms_of(condition)):
                    pending.remove(condition)
                    level.tests.append(self._test(condition))
        return levels

    def _of_objects(self, name: str, variable: Declared) -> Level:
        """The level of a variable that may be any object of its type."""
        objects = self._world.of_types(variable.types)
        return Level([self._scope[name].position], lambda _: objects)

    def _fewest(
        self, conditions: Sequence[syntax.Condition], left: Mapping[str, Declared]
    ) -> Atom | None:
        """The atom that leaves the fewest values on average; None if some type has no more."""
        fewest: float = min(len(self._world.of_types(each.types)) for each in left.values())
        best: Atom | None = None
        for each in conditions:
            if isinstance(each, Atom) and each.name in self._known:
                columns = _known_columns(each, left)
                if len(columns) == len(each.terms):
                    continue
                rows = self._known[each.name]
                count = len(rows.rows) / max(1, rows.keys(columns))
                if count < fewest or (best is None and count <= fewest):
                    fewest, best = count, each
        return best

    def _of_atom(self, atom: Atom, left: dict[str, Declared]) -> Level:
        """The level of the variables in an atom, by an index of what is known before."""
        columns = _known_columns(atom, left)
        places = {
            self._scope[term].position: self._world.of_types(left[term].types)
            for term in atom.terms
            if term in left
        }
        extents = {place: set(objects) for place, objects in places.items()}
        index: dict[Row, list[Any]] = {}
        for row in self._known[atom.name].rows:
            values: dict[int, str] = {}
            for column, term in enumerate(atom.terms):
                if column not in columns:
                    place = self._scope[term].position
                    if row[column] not in extents[place]:
                        break
                    if values.setdefault(place, row[column]) != row[column]:
                        break
            else:
                found = tuple(values.values())
                key = tuple([row[column] for column in columns])
                index.setdefault(key, []).append(found if len(found) > 1 else found[0])
        given = _getter([self._term(atom.terms[column]) for column in columns])
        for term in atom.terms:
            left.pop(term, None)
        return Level(list(places), lambda slots: index.get(given(slots), ()))

    def _term(self, term: str) -> Term:
        value = self._truths.term(term, self._scope)
        return (value.position, True) if isinstance(value, Parameter) else (value, False)

    def _test(self, condition: syntax.Condition) -> Test:
        wanted = not isinstance(condition, Not)
        inner = condition.part if isinstance(condition, Not) else condition
        match inner:
            case Atom(name, terms) if name not in self._world.changing:
                given = _getter(list(map(self._term, terms)))
                rows = self._world.facts[name]
                return lambda _, slots: (given(slots) in rows) is wanted
            case Atom(name, terms):
                family = self._world.fluent("predicate", name)
                return _fluent_test(family, list(map(self._term, terms)), wanted=wanted)
            case OfType(term, types):
                given, objects = _getter([self._term(term)]), set(self._world.of_types(types))
                return lambda _, slots: (given(slots)[0] in objects) is wanted
            case Equal(left, right):
                given = _getter([self._term(left), self._term(right)])
                return lambda _, slots: (len(set(given(slots))) == 1) is wanted
        truth = self._truths.of(condition, self._scope, self._source)
        asked: Condition = truth if isinstance(truth, Expression) else Constant(truth)
        return lambda get, slots: asked.evaluate(_View(get), tuple(slots)) is True


class _View:
    """A view that asks a function."""

    __slots__ = ("get",)

    def __init__(self, get: Get) -> None:
        self.get = get


def _known_columns(atom: Atom, left: Mapping[str, Declared]) -> tuple[int, ...]:
    return tuple(column for column, term in enumerate(atom.terms) if term not in left)


def _getter(terms: Sequence[Term]) -> Callable[[Slots], Row]:
    """A function for the values of terms as a tuple."""
    if len(terms) > 1 and all(is_place for _, is_place in terms):
        get: Callable[[Slots], Row] = itemgetter(*(place for place, _ in terms))
        return get
    return lambda slots: tuple([slots[term] if is_place else term for term, is_place in terms])


def _fluent_test(family: Any, terms: Sequence[Term], *, wanted: bool) -> Test:
    """Whether a fluent is true, or is not."""
    if not terms:
        return lambda get, _: get(family) is wanted
    members: dict[Any, Any] = {}
    given = itemgetter(terms[0][0]) if len(terms) == 1 and terms[0][1] else _getter(terms)

    def test(get: Get, slots: Slots) -> bool:
        index = given(slots)
        member = members.get(index)
        if member is None:
            single = len(terms) == 1 and isinstance(index, tuple)
            member = members[index] = family.member(index[0] if single else index)
        return get(member) is wanted

    return test
