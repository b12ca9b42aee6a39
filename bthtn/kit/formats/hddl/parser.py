"""The parser: from the brackets of a file to a domain or a problem as data.

A domain is read in two passes, since its sections may stand in any order: first what is declared,
then the conditions, effects and networks that mention it. So each name that is used is known, and
has as many arguments as where it is declared, or there is an error with its place and the nearest
name that is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from bthtn.kit.formats.hddl.forms import Form, form_of
from bthtn.kit.formats.hddl.source import Source
from bthtn.kit.formats.hddl.syntax import (
    Action,
    And,
    Assign,
    Atom,
    Calculation,
    Change,
    Compared,
    Condition,
    Declared,
    DomainFile,
    Effect,
    Equal,
    Exists,
    ForAll,
    Increase,
    Method,
    Network,
    Not,
    OfType,
    Or,
    ProblemFile,
    Signature,
    Value,
)
from bthtn.records import record

OBJECT: Final = "object"
"""The type of everything."""
REQUIREMENTS: Final = frozenset(
    {
        ":strips",
        ":typing",
        ":negative-preconditions",
        ":disjunctive-preconditions",
        ":equality",
        ":existential-preconditions",
        ":universal-preconditions",
        ":quantified-preconditions",
        ":conditional-effects",
        ":universal-effects",
        ":adl",
        ":action-costs",
        ":fluents",
        ":numeric-fluents",
        ":object-fluents",
        ":hierarchy",
        ":htn",
        ":method-preconditions",
        ":method-constraints",
    }
)
_DECLARING: Final = (":types", ":constants", ":predicates", ":functions")
_DOING: Final = (":task", ":method", ":action")
_IN_DOMAINS: Final = (":requirements", *_DECLARING, *_DOING)
_IN_PROBLEMS: Final = (
    ":domain", ":requirements", ":objects", ":htn", ":init", ":goal", ":metric",
)  # fmt: skip
_ORDERED: Final = (":ordered-subtasks", ":ordered-tasks")
_SUBTASKS: Final = (":subtasks", ":tasks", *_ORDERED)
_NETWORK: Final = (*_SUBTASKS, ":ordering", ":constraints")
_IN_METHODS: Final = (":parameters", ":task", ":precondition", *_NETWORK)
_CONNECTIVES: Final = ("and", "or", "not", "imply", "forall", "exists", "=")
_EFFECTS: Final = ("and", "not", "forall", "when", "assign", "increase", "decrease")
_TYPE_OF: Final = ("sort", "sortof", "typeof")
_OTHER_EFFECTS: Final = frozenset({"scale-up", "scale-down", "oneof", "probabilistic"})
_NO_PREDICATES: Final = frozenset({*_CONNECTIVES, *_EFFECTS})
_COMPARISONS: Final = frozenset({"<", ">", "<=", ">="})
_CALCULATIONS: Final = frozenset({"+", "-", "*", "/"})
_NUMBER: Final = re.compile(r"-?\d{1,15}(\.\d{1,15})?")
_ALWAYS_AT: Final = 0
_ORDER_WORDS: Final = 3


def domain_in(source: Source) -> DomainFile:
    """The domain in a file. Raises InputError with the place of the first fault."""
    return _DomainParser(source).domain()


def problem_in(source: Source, domain: DomainFile) -> ProblemFile:
    """The problem in a file, for a domain. Raises InputError with the place of the first fault."""
    return _ProblemParser(source, domain).problem()


def kind_of(path: Path) -> str:
    """``domain`` or ``problem``, as the file says. Raises InputError if it says neither."""
    return _Parser(Source.of(path)).kind


@record(eq=False)
class _Part:
    """A part of a form, with its place."""

    value: Form | str
    at: int


@record(eq=False)
class _Around:
    """The quantifiers and conditions around an effect."""

    variables: tuple[Declared, ...]
    condition: And

    @property
    def parts(self) -> tuple[tuple[Declared, ...], Condition]:
        return self.variables, self.condition

    def of(self, variables: Iterable[Declared]) -> _Around:
        """With further variables."""
        return _Around((*self.variables, *variables), self.condition)

    def under(self, condition: Condition) -> _Around:
        """With a further condition."""
        return _Around(self.variables, And((*self.condition.parts, condition), self.condition.at))


class _Parser:
    """What domains and problems have in common: names, conditions and networks."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.form = form_of(source)
        self.types: dict[str, Declared] = {}
        self.objects: dict[str, Declared] = {}
        self.predicates: dict[str, Signature] = {}
        self.functions: dict[str, Signature] = {}
        self.tasks: dict[str, Signature] = {}
        self.kind, self.name = self._heading()

    def _heading(self) -> tuple[str, str]:
        parts = list(_parts(self.form))
        heading = parts[1].value if len(parts) > 1 else None
        if not isinstance(heading, Form) or parts[0].value != "define":
            hint = "write (define (domain name) …) or (define (problem name) …)"
            raise self.source.malformed(self.form.at, "this defines nothing", hint)
        words = [part for part in heading.parts if isinstance(part, str)]
        if list(map(type, heading.parts)) != [str, str] or words[0] not in ("domain", "problem"):
            hint = "write (domain name) or (problem name)"
            raise self.source.malformed(heading.at, "this names no domain and no problem", hint)
        return words[0], self.source.spelled(words[1], heading.places[1])

    def sections(self, known: Collection[str]) -> Iterator[tuple[str, Form]]:
        """The sections behind the heading, with their keywords."""
        for part in list(_parts(self.form))[2:]:
            form = self._form(part, f"a section such as ({next(iter(known))} …)")
            keyword = self._word(form, 0, "the name of a section")
            if keyword not in known:
                message = f"sections '{keyword}' are not read"
                raise self.source.unsupported(form.at, message, known, keyword)
            yield keyword, form

    # parts

    def _form(self, part: _Part, wanted: str) -> Form:
        if not isinstance(part.value, Form):
            raise self.source.malformed(part.at, f"'{part.value}' stands where {wanted} belongs")
        return part.value

    def _word(self, form: Form, index: int, wanted: str) -> str:
        if index >= len(form.parts):
            raise self.source.malformed(form.at, f"{wanted} is missing in these brackets")
        word = form.parts[index]
        if isinstance(word, Form):
            raise self.source.malformed(word.at, f"brackets stand where {wanted} belongs")
        return word

    def _name(self, form: Form, index: int, wanted: str) -> str:
        name = self._word(form, index, wanted)
        if name[0] in ":?" or name == "-":
            raise self.source.malformed(form.places[index], f"'{name}' is not {wanted}")
        return name

    def _fields(self, form: Form, start: int, known: Collection[str]) -> dict[str, _Part]:
        """The parts behind keywords: ``:parameters (…) :effect (…)``."""
        found: dict[str, _Part] = {}
        parts = list(_parts(form))[start:]
        for place in range(0, len(parts), 2):
            word, at = parts[place].value, parts[place].at
            if isinstance(word, Form) or word[0] != ":":
                shown = "brackets" if isinstance(word, Form) else f"'{word}'"
                hint = f"there is: {', '.join(known)}"
                raise self.source.malformed(at, f"{shown} where a keyword belongs", hint)
            if word not in known:
                raise self.source.unsupported(at, f"'{word}' is not read here", known, word)
            if word in found:
                raise self.source.malformed(at, f"'{word}' is given twice", "leave one out")
            if place + 1 == len(parts):
                raise self.source.malformed(at, f"nothing stands behind '{word}'")
            found[word] = parts[place + 1]
        return found

    def _typed(self, parts: Iterable[_Part], what: str) -> list[Declared]:
        """A list of names, with types behind a ``-`` for those before it."""
        found: list[Declared] = []
        waiting: list[_Part] = []
        pieces = iter(parts)
        for part in pieces:
            if part.value == "-":
                behind = next(pieces, None)
                if behind is None:
                    raise self.source.malformed(part.at, "a type is missing behind '-'")
                types = self._types(behind)
                found += [self._declared(each, types, what) for each in waiting]
                waiting = []
            else:
                waiting.append(part)
        return found + [self._declared(each, (OBJECT,), what) for each in waiting]

    def _declared(self, part: _Part, types: tuple[str, ...], what: str) -> Declared:
        name = part.value
        if isinstance(name, Form):
            raise self.source.malformed(part.at, f"brackets stand where {what} belongs")
        is_variable = what == "a variable"
        if (name[0] == "?") is not is_variable or name[0] == ":" or name == "?":
            hint = "variables begin with a '?'" if is_variable else ""
            raise self.source.malformed(part.at, f"'{name}' is not {what}", hint)
        return Declared(name, types, self.source.spelled(name, part.at), part.at)

    def _types(self, part: _Part) -> tuple[str, ...]:
        """The types behind a ``-``: one, or ``(either …)`` of several."""
        if not isinstance(part.value, Form):
            self._know_type(part.value, part.at)
            return (part.value,)
        form = part.value
        if self._word(form, 0, "'either'") != "either" or not form.parts[1:]:
            raise self.source.malformed(form.at, "this is no type", "write (either a b)")
        names = [self._name(form, index, "a type") for index in range(1, len(form.parts))]
        for name, at in zip(names, form.places[1:], strict=True):
            self._know_type(name, at)
        return tuple(names)

    def _know_type(self, name: str, at: int) -> None:
        if name not in self.types and name != OBJECT:
            known = [*self.types, OBJECT]
            raise self.source.unknown(at, f"there is no type '{name}'", name, known)

    def _variables(self, part: _Part, outer: Mapping[str, Declared] = {}) -> dict[str, Declared]:
        """The variables in brackets, together with those around them."""
        form = self._form(part, "a list of variables in brackets")
        scope = dict(outer)
        for variable in self._typed(_parts(form), "a variable"):
            if variable.name in scope and variable.name not in outer:
                message = f"the variable '{variable.name}' is declared twice"
                raise self.source.unknown(variable.at, message)
            scope[variable.name] = variable
        return scope

    # conditions

    def _term(self, form: Form, index: int, scope: Mapping[str, Declared]) -> str:
        term = self._word(form, index, "a variable or an object")
        return self._known_term(term, form.places[index], scope)

    def _known_term(self, term: str, at: int, scope: Mapping[str, Declared]) -> str:
        if term in scope or term in self.objects:
            return term
        if term[0] == "?":
            raise self.source.unknown(at, f"there is no variable '{term}' here", term, scope)
        raise self.source.unknown(at, f"there is no object '{term}'", term, self.objects)

    def _atom(
        self, form: Form, known: Mapping[str, Signature], what: str, scope: Mapping[str, Declared]
    ) -> Atom:
        """A name with its arguments, as many as where it is declared."""
        name = self._name(form, 0, what)
        if name not in known:
            raise self.source.unknown(form.places[0], f"there is no {what} '{name}'", name, known)
        wanted, given = len(known[name].parameters), len(form.parts) - 1
        if wanted != given:
            message = f"'{name}' takes {wanted} arguments, not {given}"
            declared = ", ".join(each.name for each in known[name].parameters)
            hint = (
                f"it is declared as ({' '.join((name, *declared.split(', ')))})" if declared else ""
            )
            raise self.source.malformed(form.at, message, hint)
        terms = tuple(self._term(form, index, scope) for index in range(1, len(form.parts)))
        for index, parameter in enumerate(known[name].parameters):
            self._check_type(terms[index], form.places[index + 1], parameter, name, scope)
        return Atom(name, terms, form.at)

    def _check_type(
        self, term: str, at: int, wanted: Declared, name: str, scope: Mapping[str, Declared]
    ) -> None:
        """Raise InputError if nothing can be both of the type of a term and of the wanted one."""
        given = scope[term] if term in scope else self.objects[term]
        if OBJECT in wanted.types or OBJECT in given.types:
            return
        if term in scope:  # it may be of a type below both
            fits = any(
                above(self.types, (each,)).intersection(given.types)
                and above(self.types, (each,)).intersection(wanted.types)
                for each in self.types
            )
        else:
            fits = not above(self.types, given.types).isdisjoint(wanted.types)
        if not fits:
            message = f"'{given.spelled}' is of type {' and '.join(self._types_of(given))}"
            types = " or ".join(self._types_of(wanted))
            hint = f"'{name}' takes {types} for its {wanted.spelled}"
            raise self.source.unfitting(at, message, hint)

    def _types_of(self, thing: Declared) -> list[str]:
        return [self.types[name].spelled for name in thing.types]

    def _condition(self, part: _Part, scope: Mapping[str, Declared]) -> Condition:
        form = self._form(part, "a condition in brackets")
        at, inside = form.at, list(_parts(form))[1:]
        if not form.parts:
            return And((), at)
        match self._word(form, 0, "a condition"):
            case "and":
                return And(tuple(self._condition(each, scope) for each in inside), at)
            case "or":
                return Or(tuple(self._condition(each, scope) for each in inside), at)
            case "not":
                self._count(form, 1)
                return Not(self._condition(inside[0], scope), at)
            case "imply":
                self._count(form, 2)
                first, then = (self._condition(each, scope) for each in inside)
                return Or((Not(first, first.at), then), at)
            case "forall" | "exists" as word:
                self._count(form, 2)
                within = self._variables(inside[0], scope)
                variables = tuple(
                    within[name] for name in within if within[name] is not scope.get(name)
                )
                quantified = ForAll if word == "forall" else Exists
                return quantified(variables, self._condition(inside[1], within), at)
            case "=" if not any(isinstance(each.value, Form) for each in inside):
                self._count(form, 2)
                return Equal(self._term(form, 1, scope), self._term(form, 2, scope), at)
            case word if word == "=" or word in _COMPARISONS:
                self._count(form, 2)
                return self._compared(word, [self._value(each, scope) for each in inside], at)
            case word if word in self.predicates:
                return self._atom(form, self.predicates, "predicate", scope)
            case word:
                known = [*self.predicates, *_CONNECTIVES]
                raise self.source.unknown(at, f"there is no predicate '{word}'", word, known)

    def _count(self, form: Form, number: int) -> None:
        """Raise unless so many parts stand behind the first word."""
        if len(form.parts) != number + 1:
            parts = f"{number} part" + "s" * (number > 1)
            given = len(form.parts) - 1
            raise self.source.malformed(form.at, f"'{form.parts[0]}' takes {parts}, not {given}")

    def _compared(self, word: str, values: Sequence[Value], at: int) -> Compared:
        left, right = values
        kinds = {self._is_number(each) for each in values}
        if len(kinds) > 1 or (word != "=" and kinds != {True}):
            raise self.source.malformed(at, f"'{word}' does not compare objects with numbers")
        if word in (">", ">="):
            left, right, word = right, left, word.replace(">", "<")
        return Compared("==" if word == "=" else word, left, right, at)

    def _value(self, part: _Part, scope: Mapping[str, Declared]) -> Value:
        """A number, a term, what a function is, or what is computed of numbers."""
        if isinstance(part.value, str):
            if _NUMBER.fullmatch(part.value):
                return _number(self.source, part)
            return self._known_term(part.value, part.at, scope)
        form = part.value
        word = self._word(form, 0, "a function")
        if word not in _CALCULATIONS:
            return self._atom(form, self.functions, "function", scope)
        numbers = [self._number(each, scope) for each in list(_parts(form))[1:]]
        if word == "-" and len(numbers) == 1:
            return Calculation(word, 0, *numbers)
        self._count(form, 2)
        return Calculation(word, *numbers)

    def _number(self, part: _Part, scope: Mapping[str, Declared]) -> Value:
        value = self._value(part, scope)
        if not self._is_number(value):
            raise self.source.malformed(part.at, "an object stands where a number belongs")
        return value

    def _is_number(self, value: Value) -> bool:
        if isinstance(value, Atom):
            return not self.functions[value.name].values
        return not isinstance(value, str)

    # networks

    def _network(
        self, fields: Mapping[str, _Part], scope: Mapping[str, Declared], at: int
    ) -> Network:
        """The tasks that stand behind the keywords of a method, or of the initial network."""
        given = [keyword for keyword in _SUBTASKS if keyword in fields]
        if len(given) > 1:
            message = f"'{given[0]}' and '{given[1]}' are both given"
            raise self.source.malformed(fields[given[1]].at, message, "leave one out")
        labels: dict[str, int] = {}
        tasks: list[Atom] = []
        for form in self._listed(fields[given[0]], "tasks") if given else ():
            called = form
            if list(map(type, form.parts)) == [str, Form]:
                label = self._name(form, 0, "a label")
                if label in labels:
                    raise self.source.unknown(form.at, f"two tasks are labelled '{label}'")
                labels[label] = len(tasks)
                called = self._form(list(_parts(form))[1], "a task in brackets")
            tasks.append(self._atom(called, self.tasks, "task", scope))
        before = list(pairwise(range(len(tasks)))) if given and given[0] in _ORDERED else []
        for form in self._listed(fields[":ordering"], "orders") if ":ordering" in fields else ():
            before.append(self._order(form, labels))
        self._refuse_circle(len(tasks), before, fields)
        constraints: Condition = And((), at)
        if ":constraints" in fields:
            constraints = self._constraint(fields[":constraints"], scope)
        return Network(tuple(tasks), tuple(before), constraints, at)

    def _listed(self, part: _Part, what: str) -> list[Form]:
        """The forms in ``(and …)``, or the one that stands alone; none in empty brackets."""
        form = self._form(part, f"a list of {what} in brackets")
        if not form.parts:
            return []
        if form.parts[0] != "and":
            return [form]
        return [self._form(each, f"one of the {what}") for each in list(_parts(form))[1:]]

    def _order(self, form: Form, labels: Mapping[str, int]) -> tuple[int, int]:
        words = [self._word(form, index, "a label") for index in range(len(form.parts))]
        places = {(0, "<"): (1, 2), (1, "<"): (0, 2)}
        for (index, sign), both in places.items():
            if len(words) == _ORDER_WORDS and words[index] == sign:
                for place in both:
                    if words[place] not in labels:
                        message = f"no task is labelled '{words[place]}'"
                        raise self.source.unknown(form.at, message, words[place], labels)
                return labels[words[both[0]]], labels[words[both[1]]]
        raise self.source.malformed(
            form.at, "this is no order of two tasks", "write (< first second)"
        )

    def _refuse_circle(
        self, count: int, before: list[tuple[int, int]], fields: Mapping[str, _Part]
    ) -> None:
        """Raise for tasks each of which would have to come before the others."""
        behind: dict[int, list[int]] = {}
        waits = [0] * count
        for first, then in before:
            behind.setdefault(first, []).append(then)
            waits[then] += 1
        free = [task for task in range(count) if not waits[task]]
        for task in free:
            for then in behind.get(task, ()):
                waits[then] -= 1
                if not waits[then]:
                    free.append(then)
        if len(free) < count:
            at = fields[":ordering"].at
            raise self.source.malformed(at, "these orders go round in a circle", "leave one out")

    def _constraint(self, part: _Part, scope: Mapping[str, Declared]) -> Condition:
        """Constraints on the arguments of a network: which are equal, and of which types."""
        form = self._form(part, "a constraint in brackets")
        if form.parts and form.parts[0] == "and":
            parts = list(_parts(form))[1:]
            return And(tuple(self._constraint(each, scope) for each in parts), form.at)
        if form.parts and form.parts[0] == "not":
            self._count(form, 1)
            return Not(self._constraint(list(_parts(form))[1], scope), form.at)
        if form.parts and form.parts[0] in _TYPE_OF:
            self._count(form, 3)
            types = self._types(list(_parts(form))[3])
            return OfType(self._term(form, 1, scope), types, form.at)
        return self._condition(part, scope)


class _DomainParser(_Parser):
    def domain(self) -> DomainFile:
        """The domain. Raises InputError."""
        if self.kind != "domain":
            raise self.source.malformed(self.form.at, "this is a problem, and no domain")
        sections = list(self.sections(_IN_DOMAINS))
        for keyword, form in sections:
            if keyword == ":requirements":
                _check_requirements(self.source, form)
        for declares in _DECLARING:
            for keyword, form in sections:
                if keyword == declares:
                    getattr(self, f"_declare_{declares[1:]}")(list(_parts(form))[1:])
        doing = [(keyword, form) for keyword, form in sections if keyword in _DOING]
        named = [(keyword, form, self._name(form, 1, "a name")) for keyword, form in doing]
        for keyword, form, name in named:
            if keyword != ":method":
                self._declare_task(keyword, form, name)
        compound = {name: self.tasks[name] for keyword, _, name in named if keyword == ":task"}
        actions = {
            name: self._action(form, name) for keyword, form, name in named if keyword == ":action"
        }
        methods = [
            self._method(form, name, compound)
            for keyword, form, name in named
            if keyword == ":method"
        ]
        return DomainFile(
            self.source, self.name, self.types, self.objects, self.predicates, self.functions,
            compound, actions, tuple(methods),
        )  # fmt: skip

    def _declare_types(self, parts: list[_Part]) -> None:
        # A type may be named before it is declared, or only as one above others.
        inside = [part.value.parts[1:] for part in parts if isinstance(part.value, Form)]
        words = [part.value for part in parts] + [word for form in inside for word in form]
        names = dict.fromkeys(word for word in words if isinstance(word, str) and word != "-")
        for name in names:
            self.types.setdefault(name, Declared(name, (), name, _ALWAYS_AT))
        for found in self._typed(parts, "a type"):
            known = self.types[found.name]
            types = known.types + tuple(each for each in found.types if each not in known.types)
            self.types[found.name] = Declared(found.name, types, found.spelled, found.at)
        for name in names:
            if not self.types[name].types:
                self.types[name] = Declared(name, (OBJECT,), name, _ALWAYS_AT)
        self.types.pop(OBJECT, None)
        for name, found in self.types.items():
            if name in above(self.types, found.types):
                raise self.source.malformed(found.at, f"the type '{name}' is above itself")

    def _declare_constants(self, parts: list[_Part]) -> None:
        self.objects.update(_merged(self._typed(parts, "an object"), {}))

    def _declare_predicates(self, parts: list[_Part]) -> None:
        for part in parts:
            found = self._signature(self._form(part, "a predicate in brackets"), 0, "a predicate")
            if found.name in _NO_PREDICATES:
                message = f"a predicate cannot be called '{found.name}'"
                raise self.source.malformed(found.at, message)
            self._add(found, self.predicates, "predicates")

    def _declare_functions(self, parts: list[_Part]) -> None:
        waiting: list[str] = []
        pieces = iter(parts)
        for part in pieces:
            if part.value == "-":
                kind = next(pieces, None)
                if kind is None:
                    raise self.source.malformed(part.at, "a type is missing behind '-'")
                values = () if kind.value == "number" else self._types(kind)
                for each in waiting:
                    self.functions[each] = replace(self.functions[each], values=values)
                waiting = []
                continue
            form = self._form(part, "a function in brackets")
            found = self._signature(form, 0, "a function")
            self._add(found, self.functions, "functions")
            waiting.append(found.name)

    def _declare_task(self, keyword: str, form: Form, name: str) -> None:
        at = form.places[1]
        variables: tuple[Declared, ...] = ()
        known = (":parameters", ":precondition", ":effect")
        fields = self._fields(form, 2, known if keyword == ":action" else known[:1])
        if ":parameters" in fields:
            variables = tuple(self._variables(fields[":parameters"]).values())
        found = Signature(name, variables, self.source.spelled(name, at), at)
        self._add(found, self.tasks, "tasks")

    def _add(self, found: Signature, known: dict[str, Signature], what: str) -> None:
        if found.name in known:
            message = f"two {what} are called '{found.spelled}'"
            raise self.source.unknown(found.at, message)
        known[found.name] = found

    def _signature(self, form: Form, index: int, what: str) -> Signature:
        name, at = self._name(form, index, what), form.places[index] if form.places else form.at
        parameters = self._typed(list(_parts(form))[index + 1 :], "a variable")
        return Signature(name, tuple(parameters), self.source.spelled(name, at), at)

    def _action(self, form: Form, name: str) -> Action:
        fields = self._fields(form, 2, (":parameters", ":precondition", ":effect"))
        scope = {each.name: each for each in self.tasks[name].parameters}
        condition: Condition = And((), form.at)
        effects: tuple[Effect, ...] = ()
        if ":precondition" in fields:
            condition = self._condition(fields[":precondition"], scope)
        if ":effect" in fields:
            effects = tuple(self._effects(fields[":effect"], scope, _Around((), And((), form.at))))
        signature = self.tasks[name]
        return Action(
            name, signature.parameters, condition, effects, signature.spelled, form.places[1]
        )

    def _effects(
        self, part: _Part, scope: Mapping[str, Declared], around: _Around
    ) -> Iterator[Effect]:
        """The changes of an effect, each with the quantifiers and conditions around it."""
        form = self._form(part, "an effect in brackets")
        at, inside = form.at, list(_parts(form))[1:]
        if not form.parts:
            return
        match self._word(form, 0, "an effect"):
            case "and":
                for each in inside:
                    yield from self._effects(each, scope, around)
            case "not":
                self._count(form, 1)
                atom = self._form(inside[0], "a predicate in brackets")
                removed = self._atom(atom, self.predicates, "predicate", scope)
                yield Change(removed, False, *around.parts)  # noqa: FBT003 - what it becomes
            case "forall":
                self._count(form, 2)
                variables = self._variables(inside[0])
                for name, variable in variables.items():
                    if name in scope:
                        message = f"there is a variable '{name}' around it"
                        raise self.source.unsupported(variable.at, message)
                within = around.of(variables.values())
                yield from self._effects(inside[1], {**scope, **variables}, within)
            case "when":
                self._count(form, 2)
                asked = self._condition(inside[0], scope)
                yield from self._effects(inside[1], scope, around.under(asked))
            case "assign":
                target, value = self._given(form, scope)
                yield Assign(target, value, *around.parts)
            case "increase":
                target, value = self._given(form, scope)
                yield Increase(target, value, *around.parts)
            case "decrease":
                target, value = self._given(form, scope)
                less = -value if isinstance(value, int | float) else Calculation("-", 0, value)
                yield Increase(target, less, *around.parts)
            case word if word in self.predicates:
                added = self._atom(form, self.predicates, "predicate", scope)
                yield Change(added, True, *around.parts)  # noqa: FBT003 - likewise
            case word if word in _OTHER_EFFECTS:
                raise self.source.unsupported(at, f"effects '{word}' are not read", _EFFECTS, word)
            case word:
                known = [*self.predicates, *_EFFECTS]
                raise self.source.unknown(at, f"there is no predicate '{word}'", word, known)

    def _given(self, form: Form, scope: Mapping[str, Declared]) -> tuple[Atom, Value]:
        """The function that an effect changes, and the value in it."""
        self._count(form, 2)
        of, what = list(_parts(form))[1:]
        target = self._atom(
            self._form(of, "a function in brackets"), self.functions, "function", scope
        )
        value = self._value(what, scope)
        is_number = self._is_number(target)
        if self._is_number(value) is not is_number or not (is_number or form.parts[0] == "assign"):
            wanted = "a number" if is_number or form.parts[0] != "assign" else "an object"
            raise self.source.malformed(what.at, f"{wanted} is missing for '{target.name}'")
        return target, value

    def _method(self, form: Form, name: str, compound: Mapping[str, Signature]) -> Method:
        at = form.places[1]
        fields = self._fields(form, 2, _IN_METHODS)
        scope = self._variables(fields[":parameters"]) if ":parameters" in fields else {}
        if ":task" not in fields:
            raise self.source.malformed(form.at, f"the method '{name}' says no :task")
        called = self._form(fields[":task"], "a task in brackets")
        task = self._atom(called, compound, "task with methods", scope)
        condition: Condition = And((), form.at)
        if ":precondition" in fields:
            condition = self._condition(fields[":precondition"], scope)
        network = self._network(fields, scope, form.at)
        spelled = self.source.spelled(name, at)
        return Method(name, tuple(scope.values()), task, condition, network, spelled, at)


class _ProblemParser(_Parser):
    def __init__(self, source: Source, domain: DomainFile) -> None:
        super().__init__(source)
        self._domain = domain
        self.types = dict(domain.types)
        self.objects = dict(domain.constants)
        self.predicates = dict(domain.predicates)
        self.functions = dict(domain.functions)
        self.tasks = {**domain.tasks}
        for action in domain.actions.values():
            self.tasks[action.name] = Signature(
                action.name, action.parameters, action.spelled, action.at
            )

    def problem(self) -> ProblemFile:
        """The problem. Raises InputError."""
        if self.kind != "problem":
            raise self.source.malformed(self.form.at, "this is a domain, and no problem")
        sections: dict[str, Form] = {}
        for keyword, form in self.sections(_IN_PROBLEMS):
            if keyword in sections:
                raise self.source.malformed(form.at, f"there are two sections '{keyword}'")
            sections[keyword] = form
        if ":requirements" in sections:
            _check_requirements(self.source, sections[":requirements"])
        domain = self._name(sections[":domain"], 1, "a domain") if ":domain" in sections else ""
        if ":objects" in sections:
            parts = list(_parts(sections[":objects"]))[1:]
            self.objects = _merged(self._typed(parts, "an object"), self.objects)
        facts, values = self._init(sections.get(":init"))
        variables: tuple[Declared, ...] = ()
        network: Network | None = None
        if ":htn" in sections:
            form = sections[":htn"]
            fields = self._fields(form, 1, (":parameters", *_NETWORK))
            scope = self._variables(fields[":parameters"]) if ":parameters" in fields else {}
            variables = tuple(scope.values())
            network = self._network(fields, scope, form.at)
        goal: Condition = And((), self.form.at)
        if ":goal" in sections:
            form = sections[":goal"]
            self._count(form, 1)
            goal = self._condition(list(_parts(form))[1], {})
        elif network is None:
            raise self.source.malformed(self.form.at, "there is neither a :goal nor an :htn")
        minimizes = self._metric(sections[":metric"]) if ":metric" in sections else ""
        return ProblemFile(
            self.source, self.name, domain, self.objects, facts, values, variables, network, goal,
            minimizes,
        )  # fmt: skip

    def _init(
        self, form: Form | None
    ) -> tuple[tuple[Atom, ...], tuple[tuple[Atom, float | str], ...]]:
        """The facts that hold at first, and the values of functions."""
        facts: list[Atom] = []
        values: list[tuple[Atom, float | str]] = []
        for part in list(_parts(form))[1:] if form is not None else ():
            fact = self._form(part, "a fact in brackets")
            word = self._word(fact, 0, "a predicate")
            if word == "=":
                self._count(fact, 2)
                of, number = list(_parts(fact))[1:]
                function = self._form(of, "a function in brackets")
                target = self._atom(function, self.functions, "function", {})
                values.append((target, self._initial(target, number)))
            elif word == "not":
                self._count(fact, 1)
                inside = self._form(list(_parts(fact))[1], "a predicate in brackets")
                self._atom(inside, self.predicates, "predicate", {})
            else:
                facts.append(self._atom(fact, self.predicates, "predicate", {}))
        return tuple(facts), tuple(values)

    def _initial(self, target: Atom, part: _Part) -> float | str:
        """What a function is at first."""
        if self._is_number(target):
            return _number(self.source, part)
        if isinstance(part.value, Form):
            raise self.source.malformed(part.at, "brackets stand where an object belongs")
        return self._known_term(part.value, part.at, {})

    def _metric(self, form: Form) -> str:
        """The name of the function that is to be small."""
        wanted = self._word(form, 1, "'minimize'")
        what = form.parts[2] if form.parts[2:] else None
        name = what.parts[0] if isinstance(what, Form) and len(what.parts) == 1 else what
        if wanted != "minimize" or not isinstance(name, str):
            message = "only a function alone can be minimized"
            raise self.source.unsupported(form.at, message, ["minimize"], wanted)
        if name in self.functions and self.functions[name].values:
            raise self.source.malformed(form.at, f"'{name}' is no number")
        if name not in self.functions and name != "total-time":
            known = self.functions
            raise self.source.unknown(form.at, f"there is no function '{name}'", name, known)
        return name


def above(types: Mapping[str, Declared], names: Iterable[str]) -> set[str]:
    """These types and all above them."""
    found: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += types[name].types if name in types else ()
    return found


def _parts(form: Form) -> Iterator[_Part]:
    return map(_Part, form.parts, form.places)


def _merged(found: Iterable[Declared], known: Mapping[str, Declared]) -> dict[str, Declared]:
    """Objects by name; one that is declared again is of all types that are given."""
    merged = dict(known)
    for each in found:
        before = merged.get(each.name)
        types = dict.fromkeys((*(before.types if before else ()), *each.types))
        first = before or each
        merged[each.name] = Declared(each.name, tuple(types), first.spelled, first.at)
    return merged


def _number(source: Source, part: _Part) -> float:
    if isinstance(part.value, Form) or not _NUMBER.fullmatch(part.value):
        raise source.malformed(part.at, "a number is missing here")
    return float(part.value) if "." in part.value else int(part.value)


def _check_requirements(source: Source, form: Form) -> None:
    """Raise InputError for a requirement that is not met here."""
    for part in list(_parts(form))[1:]:
        if part.value not in REQUIREMENTS:
            message = f"'{part.value if isinstance(part.value, str) else '(…)'}' is not supported"
            raise source.unsupported(part.at, message, REQUIREMENTS, str(part.value))
