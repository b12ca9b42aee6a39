"""The State class of a problem, its objects by type, and the state that it begins with.

A predicate that no action changes is a relation, as is each type; any other predicate is a family
of fluents that are true or false. A function is a family of numbers, or of names of objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from bthtn.engine.world.declarations import fluent, fluents
from bthtn.engine.world.fluent import Fluent, FluentFamily
from bthtn.engine.world.relation import Relation, Tuples, relation
from bthtn.engine.world.state import FrozenState, State
from bthtn.kit.formats.hddl.parser import OBJECT, above
from bthtn.kit.formats.hddl.syntax import Declared, DomainFile, ProblemFile, Signature

Row = tuple[str, ...]


class World:
    """What there is in a problem.

    ``changing`` are the predicates that some action changes, ``growing`` those of them that some
    action makes true.
    """

    def __init__(
        self,
        domain: DomainFile,
        problem: ProblemFile,
        changing: frozenset[str],
        growing: frozenset[str],
    ) -> None:
        self._types = domain.types
        self._values = problem.values
        self._objects = problem.objects
        self.changing = changing
        self.shrinking = changing - growing
        """Predicates that are true of nothing but what they were true of at the beginning."""
        self.spelled = {name: each.spelled for name, each in problem.objects.items()}
        self.facts: dict[str, dict[Row, None]] = {name: {} for name in domain.predicates}
        """What holds at the beginning, in the order of the file."""
        for fact in problem.facts:
            self.facts[fact.name][tuple([self.spelled[term] for term in fact.terms])] = None
        self._declared: dict[tuple[str, str], str] = {}
        self.state_class = self._state_class(domain)

    def _state_class(self, domain: DomainFile) -> type[State]:
        content: dict[str, Any] = {}
        annotations: dict[str, Any] = {}
        for name, predicate in domain.predicates.items():
            attribute = self._named("predicate", predicate, content)
            if name not in self.changing and predicate.parameters:
                content[attribute] = relation(type=_index(predicate))
            else:
                content[attribute], annotations[attribute] = _fluents(predicate, default=False)
            if name in self.shrinking and predicate.parameters:
                content[self._named("first", predicate, content)] = relation(type=_index(predicate))
        for function in domain.functions.values():
            attribute = self._named("function", function, content)
            content[attribute], annotations[attribute] = _fluents(
                function, default="" if function.values else 0.0
            )
        for kind in domain.types.values():
            content[self._named("type", kind, content)] = relation(type=str)
        content |= {"__annotations__": annotations, "__module__": __name__}
        return type("World", (State,), content)

    def _named(self, kind: str, thing: Signature | Declared, taken: Mapping[str, Any]) -> str:
        """A name for an attribute of a State class; those of a type and a predicate may clash."""
        name = thing.spelled if thing.spelled[0] != "_" else f"x{thing.spelled}"
        name += "_at_first" * (kind == "first")
        while name in taken or name in vars(State):
            name += "_"
        self._declared[kind, thing.name] = name
        return name

    def fluent(self, kind: str, name: str, values: Sequence[Any] = ()) -> Any:
        """The fluent or relation of a predicate, function or type; with values, what is of them."""
        found = getattr(self.state_class, self._declared[kind, name])
        if not values:
            return found
        return found[values[0] if len(values) == 1 else tuple(values)]

    def start(self) -> FrozenState:
        """The state in which the problem begins."""
        values: dict[Any, Any] = {}
        for name, rows in self.facts.items():
            found = self.fluent("predicate", name)
            if not isinstance(found, Relation):
                values |= {self.fluent("predicate", name, row): True for row in rows}
                if ("first", name) not in self._declared:
                    continue
                found = self.fluent("first", name)
            width = len(found.columns)
            values[found] = Tuples(rows if width > 1 else (row[0] for row in rows), width)
        for atom, value in self._values:
            row = [self.spelled[term] for term in atom.terms]
            values[self.fluent("function", atom.name, row)] = (
                self.spelled[value] if isinstance(value, str) else float(value)
            )
        for name in self._types:
            values[self.fluent("type", name)] = Tuples(self.of_types((name,)), 1)
        return FrozenState(values)

    @cached_property
    def _extents(self) -> Mapping[str, list[str]]:
        """The objects of each type."""
        found: dict[str, list[str]] = {name: [] for name in (*self._types, OBJECT)}
        for each in self._objects.values():
            for name in above(self._types, (*each.types, OBJECT)):
                found[name].append(each.spelled)
        return found

    def of_types(self, types: tuple[str, ...]) -> Sequence[str]:
        """The objects that are of at least one of these types."""
        if len(types) == 1:
            return self._extents[types[0]]
        return list(dict.fromkeys(each for name in types for each in self._extents[name]))

    def are_among(self, types: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
        """Whether everything that is of one of these types is of one of the wanted ones."""
        return OBJECT in wanted or all(
            not above(self._types, (name,)).isdisjoint(wanted) for name in types
        )


def _fluents(signature: Signature, *, default: Any) -> tuple[Any, Any]:
    """The declaration of a fluent, or of a family, and its annotation."""
    kind: Any = type(default)
    if not signature.parameters:
        return fluent(default=default), Fluent[kind]
    index: Any = _index(signature)
    return fluents(default=default), FluentFamily[index, kind]


def _index(signature: Signature) -> Any:
    """The type of a predicate's arguments: ``str``, or a tuple of several."""
    count = len(signature.parameters)
    return str if count == 1 else tuple[(str,) * count]  # type: ignore[misc]
