"""What must hold when a task begins, so that it can be done at all.

    an action:   the literals of its precondition
    a task:      what all of its methods need
    a method:    the literals of its precondition, and what its subtasks need and those before them
                 cannot change

Where steps of other tasks can come in between, what some action changes counts only for the method
whose first step needs it: it is decomposed just before.

With these as further conditions of a method, values of its variables are not tried with which one
of its steps could not be done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from bthtn.kit.formats.hddl.syntax import (
    Action,
    And,
    Atom,
    Calculation,
    Change,
    Compared,
    Condition,
    DomainFile,
    Equal,
    Exists,
    ForAll,
    Method,
    Network,
    Not,
    OfType,
    Or,
    Value,
)


class Literal(NamedTuple):
    """A predicate that holds, or does not, or the types of which an object is one."""

    name: str
    terms: tuple[str, ...]
    is_positive: bool = True
    types: tuple[str, ...] = ()

    @property
    def condition(self) -> Condition:
        """The same as a condition."""
        if self.types:
            return OfType(self.terms[0], self.types, 0)
        atom = Atom(self.name, self.terms, 0)
        return atom if self.is_positive else Not(atom, 0)

    def given(self, values: Mapping[str, str]) -> Literal:
        """The same of other terms."""
        return self._replace(terms=tuple(values.get(term, term) for term in self.terms))


class Needs:
    """What each task of a domain needs at its beginning, and which predicates it can change."""

    def __init__(self, domain: DomainFile, *, is_total: bool) -> None:
        self._domain = domain
        self._is_total = is_total
        self._methods: dict[str, list[Method]] = {name: [] for name in domain.tasks}
        for method in domain.methods:
            self._methods[method.task.name].append(method)
        self._changed = self._changes()
        self._literals = self._needs()

    @cached_property
    def changing(self) -> frozenset[str]:
        """The predicates that some action changes."""
        actions = self._domain.actions
        return frozenset().union(*(self._changed[name] for name in actions))

    @cached_property
    def growing(self) -> frozenset[str]:
        """The predicates that some action makes true."""
        effects = (each for action in self._domain.actions.values() for each in action.effects)
        return frozenset(
            each.atom.name for each in effects if isinstance(each, Change) and each.becomes
        )

    def of_network(self, network: Network) -> list[Literal]:
        """What has to hold where a network begins, so that each of its tasks can be done."""
        earlier = _earlier(len(network.tasks), network.before)
        found: dict[Literal, None] = {}
        for index, call in enumerate(network.tasks):
            others = earlier[index]
            changed: set[str] = set()
            for other in others:
                changed |= self._changed[network.tasks[other].name]
            is_first = not others and call.name in self._domain.actions
            for literal in self._given(call):
                is_kept = self._is_total or is_first or self._is_fixed(literal)
                if is_kept and (literal.types or literal.name not in changed):
                    found[literal] = None
        return list(found)

    def _is_fixed(self, literal: Literal) -> bool:
        """Whether no action changes it."""
        return bool(literal.types) or literal.name not in self.changing

    def _given(self, call: Atom) -> Iterator[Literal]:
        """What a call needs, of its arguments."""
        parameters = self._parameters(call.name)
        values = dict(zip(parameters, call.terms, strict=True))
        for literal in self._literals.get(call.name) or ():
            yield literal.given(values)

    def _parameters(self, name: str) -> list[str]:
        task = self._domain.actions.get(name) or self._domain.tasks[name]
        return [each.name for each in task.parameters]

    def _changes(self) -> dict[str, frozenset[str]]:
        found = {
            name: frozenset(each.atom.name for each in action.effects if isinstance(each, Change))
            for name, action in self._domain.actions.items()
        }
        found |= dict.fromkeys(self._methods, frozenset[str]())
        is_new = True
        while is_new:
            is_new = False
            for name, methods in self._methods.items():
                calls = (call for method in methods for call in method.network.tasks)
                changed = found[name].union(*(found[call.name] for call in calls))
                is_new |= changed != found[name]
                found[name] = changed
        return found

    def _needs(self) -> dict[str, frozenset[Literal] | None]:
        """By task; None is what needs more than can be said, and only before all is known.

        The first answer says too much, and each round takes away what is not so.
        """
        found: dict[str, frozenset[Literal] | None] = dict.fromkeys(self._methods)
        for name, action in self._domain.actions.items():
            found[name] = frozenset(_own(action))
        self._literals = found
        is_new = True
        while is_new:
            is_new = False
            for name, methods in self._methods.items():
                needs = [need for method in methods if (need := self._of(method)) is not None]
                whole = frozenset.intersection(*needs) if needs else None
                is_new |= whole != found[name]
                found[name] = whole
        return found

    def _of(self, method: Method) -> frozenset[Literal] | None:
        """What a method needs, of the parameters of its task; None while a subtask has None."""
        if any(self._literals[call.name] is None for call in method.network.tasks):
            return None
        names = self._parameters(method.task.name)
        values = {term: name for name, term in zip(names, method.task.terms, strict=True)}
        known = {*values, *self._domain.constants}
        return frozenset(
            literal.given(values)
            for literal in (*_own(method), *self.of_network(method.network))
            if known.issuperset(literal.terms) and (self._is_total or self._is_fixed(literal))
        )


def _own(owner: Action | Method) -> Iterator[Literal]:
    """The types of parameters, and the literals that a precondition consists of."""
    for parameter in owner.parameters:
        yield Literal("", (parameter.name,), types=parameter.types)
    yield from literals_in(owner.condition)


def literals_in(condition: Condition) -> Iterator[Literal]:
    """The literals that a condition is a conjunction of; other parts are left out."""
    for part in conjuncts_of(condition):
        match part:
            case Atom(name, terms):
                yield Literal(name, terms)
            case Not(Atom(name, terms)):
                yield Literal(name, terms, is_positive=False)
            case OfType(term, types):
                yield Literal("", (term,), types=types)


def conjuncts_of(condition: Condition) -> Iterator[Condition]:
    """The parts that all have to hold."""
    if isinstance(condition, And):
        for part in condition.parts:
            yield from conjuncts_of(part)
    else:
        yield condition


def _earlier(count: int, before: Iterable[tuple[int, int]]) -> list[set[int]]:
    """For each task the others that may come before it."""
    after: list[set[int]] = [set() for _ in range(count)]
    for first, then in closed(count, before):
        after[first].add(then)
    return [set(range(count)) - {index} - after[index] for index in range(count)]


def closed(count: int, before: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """All pairs of which one comes before the other, directly or not."""
    behind: list[list[int]] = [[] for _ in range(count)]
    for first, then in before:
        behind[first].append(then)
    found: set[tuple[int, int]] = set()
    for start in range(count):
        pending = list(behind[start])
        while pending:
            task = pending.pop()
            if (start, task) not in found:
                found.add((start, task))
                pending += behind[task]
    return found


def terms_of(condition: Condition) -> Iterator[str]:
    """The terms in a condition, but for the variables of its own quantifiers."""
    match condition:
        case Atom(_, terms):
            yield from terms
        case Equal(left, right):
            yield from (left, right)
        case Compared(_, left, right):
            yield from (term for each in (left, right) for term in _terms_in(each))
        case OfType(term):
            yield term
        case Not(part):
            yield from terms_of(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from terms_of(part)
        case ForAll(variables, part) | Exists(variables, part):
            own = {each.name for each in variables}
            yield from (term for term in terms_of(part) if term not in own)


def _terms_in(value: Value) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Atom(_, terms):
            yield from terms
        case Calculation(_, left, right):
            yield from (*_terms_in(left), *_terms_in(right))
