"""A domain in HDDL or PDDL as the Python that one would write for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bthtn.engine.world.state import State
from bthtn.kit.formats.hddl.names import python_name, python_names
from bthtn.kit.formats.hddl.necessary import Needs, conjuncts_of, terms_of
from bthtn.kit.formats.hddl.orders import arranged
from bthtn.kit.formats.hddl.parser import OBJECT
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
    Equal,
    Exists,
    ForAll,
    Increase,
    Method,
    Not,
    OfType,
    Or,
    Signature,
    Value,
)

_IMPORTED: Final = (
    "Domain", "Fluent", "FluentFamily", "Methods", "Primitive", "Relation", "State", "fluent",
    "fluents", "method", "one_of", "partial_order", "primitive", "relation", "sequence",
    "unordered",
)  # fmt: skip
_BUILT_IN: Final = ("bool", "float", "str", "tuple", "all", "any", "state")
_WIDTH: Final = 100
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COST: Final = "total-cost"
"""The function that is the cost of plans, in each domain that has costs."""
_COMMON: Final = "objects"
"""The relation of all objects, where there is a variable of no type."""


def python_text(file: DomainFile) -> str:
    """The module. Raises InputError for what is not written, with its place."""
    return _Writer(file).text()


class _Writer:
    def __init__(self, file: DomainFile) -> None:
        self._file = file
        self._changing = Needs(file, is_total=True).changing
        title = "".join(part.capitalize() for part in re.findall(r"[A-Za-z0-9]+", file.name))
        named = python_names(
            [f"{title} state", file.name, *file.actions, *file.tasks], (*_IMPORTED, *_BUILT_IN)
        )
        self._class = python_name(title, (*_IMPORTED, *named.values()))
        tasks = [(each.name, _snake(each.spelled)) for each in file.actions.values()]
        tasks += [(each.name, _snake(each.spelled)) for each in file.tasks.values()]
        self._domain = python_name(_snake(file.name), (*_IMPORTED, *_BUILT_IN))
        taken = {*_IMPORTED, *_BUILT_IN, self._class, self._domain}
        names = python_names((spelled for _, spelled in tasks), taken)
        self._tasks = {name: names[spelled] for name, spelled in tasks}
        self._taken = taken | {*self._tasks.values()}
        self._attributes = self._named_attributes()
        self._used: set[str] = set()

    def _named_attributes(self) -> dict[tuple[str, str], str]:
        """The attributes of the State class by kind and name."""
        file, found = self._file, dict[tuple[str, str], str]()
        things: list[tuple[str, Signature | Declared]] = [
            ("predicate", each) for each in file.predicates.values()
        ]
        things += [("function", each) for each in file.functions.values()]
        things += [("type", each) for each in file.types.values()]
        taken = {*vars(State), _COMMON, self._class}
        for kind, each in things:
            found[kind, each.name] = name = python_name(_snake(each.spelled), taken)
            taken.add(name)
        return found

    def text(self) -> str:
        """The whole module."""
        parts = [self._action(action) for action in self._file.actions.values()]
        parts += [self._task(task) for task in self._file.tasks.values()]
        world = self._world()
        self._used |= {"Domain", "State"}
        imports = _listed("from bthtn import (", sorted(self._used), ")", "")
        source = self._file.source.path.name
        head = f'"""The domain {self._file.name}, as it was written in {source}."""'
        lines = [head, "", imports.replace("(", "", 1)[:-1] if "\n" not in imports else imports]
        made = f'{self._domain} = Domain("{self._domain}", {self._class})'
        return "\n".join([*lines, "", "", world, "", "", made, *parts, ""])

    # the world

    def _world(self) -> str:
        lines = [f"class {self._class}(State):", '    """What is true, and what there is."""', ""]
        for name, kind in self._file.types.items():
            over = [self._attributes["type", each] for each in kind.types if each != OBJECT]
            attribute = self._attributes["type", name]
            constants = [
                each.spelled
                for each in self._file.constants.values()
                if name in self._kinds_of(each)
            ]
            lines.append(f"    {attribute}: Relation[str] = relation({_default(constants)})")
            if over:
                lines.append(f'    """Each of them is in ``{"`` and ``".join(over)}``, too."""')
        self._used |= {"Relation", "relation"} if self._file.types else set()
        if _COMMON in self._used:
            self._used.discard(_COMMON)
            self._used |= {"Relation", "relation"}
            constants = [each.spelled for each in self._file.constants.values()]
            lines.append(f"    {_COMMON}: Relation[str] = relation({_default(constants)})")
        for name, predicate in self._file.predicates.items():
            attribute, index = self._attributes["predicate", name], _index(predicate)
            if index and name not in self._changing:
                self._used |= {"Relation", "relation"}
                lines.append(f"    {attribute}: Relation[{index}] = relation()")
            else:
                lines.append(self._fluent(attribute, index, "bool", "False"))
        for name, function in self._file.functions.items():
            described = ("str", '""') if function.values else ("float", "0.0")
            attribute = self._attributes["function", name]
            lines.append(self._fluent(attribute, _index(function), *described))
        return "\n".join(lines)

    def _fluent(self, attribute: str, index: str, kind: str, default: str) -> str:
        if not index:
            self._used |= {"Fluent", "fluent"}
            return f"    {attribute}: Fluent[{kind}] = fluent(default={default})"
        self._used |= {"FluentFamily", "fluents"}
        return f"    {attribute}: FluentFamily[{index}, {kind}] = fluents(default={default})"

    def _kinds_of(self, thing: Declared) -> set[str]:
        found, pending = set[str](), list(thing.types)
        while pending:
            name = pending.pop()
            if name not in found and name in self._file.types:
                found.add(name)
                pending += self._file.types[name].types
        return found

    # conditions

    def _of(
        self, kind: str, name: str, terms: Sequence[str], names: Mapping[str, str], owner: str
    ) -> str:
        attribute = f"{owner}.{self._attributes[kind, name]}"
        inside = ", ".join(self._term(term, names) for term in terms)
        return f"{attribute}[{inside}]" if terms else attribute

    def _term(self, term: str, names: Mapping[str, str]) -> str:
        return names[term] if term in names else f'"{self._file.constants[term].spelled}"'

    def _value(self, value: Value, names: Mapping[str, str], owner: str) -> str:
        """A value as an expression."""
        match value:
            case str():
                return self._term(value, names)
            case Atom(name, terms):
                return self._of("function", name, terms, names, owner)
            case Calculation(symbol, left, right):
                if symbol == "/" and owner == self._class:
                    message = "divisions are not written in Python but by what quantifies"
                    raise self._file.source.unsupported(0, message)
                sides = (self._value(each, names, owner) for each in (left, right))
                return f"({f' {symbol} '.join(sides)})"
            case number:
                return str(number)

    def _compared(self, condition: Compared, names: Mapping[str, str], owner: str) -> str:
        left, right = (
            self._value(each, names, owner) for each in (condition.left, condition.right)
        )
        return f"{left} {condition.symbol} {right}"

    def _data(self, condition: Condition, names: Mapping[str, str]) -> str:
        """A condition as an expression, which needs no brackets around it but a comparison."""
        match condition:
            case Atom(name, terms):
                return self._of("predicate", name, terms, names, self._class)
            case Equal(left, right):
                return f"({self._term(left, names)} == {self._term(right, names)})"
            case Compared():
                return f"({self._compared(condition, names, self._class)})"
            case Not(Equal(left, right)):
                return f"({self._term(left, names)} != {self._term(right, names)})"
            case Not(part):
                return f"~{self._data(part, names)}"
            case OfType(term, types):
                kinds = [self._of("type", each, (term,), names, self._class) for each in types]
                return kinds[0] if len(kinds) == 1 else f"({' | '.join(kinds)})"
            case And(parts) | Or(parts) if parts:
                sign = " & " if isinstance(condition, And) else " | "
                return f"({sign.join(self._data(part, names) for part in parts)})"
        raise AssertionError("an empty junction is left out, and what quantifies is a function")

    def _asked(self, condition: Condition, names: Mapping[str, str]) -> str:
        """A condition as an expression in a function of the state."""
        match condition:
            case Atom(name, terms):
                return self._of("predicate", name, terms, names, "state")
            case Equal(left, right):
                return f"{self._term(left, names)} == {self._term(right, names)}"
            case Compared():
                return self._compared(condition, names, "state")
            case OfType(term, types):
                kinds = [self._of("type", each, (term,), names, "state") for each in types]
                return f"({' or '.join(kinds)})"
            case Not(part):
                return f"not ({self._asked(part, names)})"
            case And(parts) | Or(parts):
                sign = " and " if isinstance(condition, And) else " or "
                inside = sign.join(self._asked(part, names) for part in parts)
                return f"({inside})" if parts else str(isinstance(condition, And))
            case ForAll(variables, part) | Exists(variables, part):
                own = python_names(
                    (each.spelled for each in variables), {*self._taken, *names.values()}
                )
                inner = {**names, **{each.name: own[each.spelled] for each in variables}}
                loops = " ".join(
                    f"for {inner[each.name]} in {self._values(each, 'state')}" for each in variables
                )
                word = "all" if isinstance(condition, ForAll) else "any"
                return f"{word}({self._asked(part, inner)} {loops})"

    def _conditions(self, conditions: Sequence[Condition], names: Mapping[str, str]) -> list[str]:
        """The parts of a condition, as they stand in a list."""
        found = []
        for condition in conditions:
            for part in conjuncts_of(condition):
                if _is_quantified(part):
                    found.append(f"lambda state: {self._asked(part, names)}")
                else:
                    text = self._data(part, names)
                    found.append(
                        text[1:-1]
                        if isinstance(part, Equal | Compared) or _is_unequal(part)
                        else text
                    )
        return found

    def _values(self, variable: Declared, owner: str) -> str:
        """What a variable may be."""
        if OBJECT in variable.types:
            self._used.add(_COMMON)
            return f"{owner}.{_COMMON}"
        kinds = [f"{owner}.{self._attributes['type', name]}" for name in variable.types]
        if len(kinds) > 1:
            message = "a variable of one of several types is not written in Python"
            raise self._file.source.unsupported(variable.at, message)
        return kinds[0]

    # tasks

    def _action(self, action: Action) -> str:
        self._used |= {"Primitive", "primitive"}
        names = self._parameters(action.parameters)
        parts = self._given("precondition", self._conditions([action.condition], names))
        effects: list[str] = []
        for becomes in (False, True):
            for each in action.effects:
                is_plain = not each.variables and not any(conjuncts_of(each.condition))
                if not is_plain:
                    message = (
                        "effects under conditions, or of all objects, are not written in Python"
                    )
                    raise self._file.source.unsupported(action.at, message)
                if isinstance(each, Change) and each.becomes is becomes:
                    atom = self._data(each.atom, names)
                    effects.append(f"{atom}.becomes({becomes})")
        for each in action.effects:
            if isinstance(each, Assign):
                target = self._value(each.target, names, self._class)
                effects.append(f"{target}.becomes({self._value(each.value, names, self._class)})")
            elif isinstance(each, Increase) and each.target.name != _COST:
                target = self._value(each.target, names, self._class)
                amount = self._value(each.amount, names, self._class)
                effects.append(f"{target}.increases({amount})")
        parts += self._given("effects", effects)
        parts += [f"cost={cost}" for cost in self._costs(action, names)]
        body = _listed("return primitive(", parts, ")", "    ")
        return self._function("primitive", action, names, "Primitive", [body])

    def _costs(self, action: Action, names: Mapping[str, str]) -> list[str]:
        """What the action adds to the cost of a plan, if plans have one."""
        if _COST not in self._file.functions:
            return []
        for each in action.effects:
            if isinstance(each, Increase) and each.target.name == _COST:
                return [self._value(each.amount, names, self._class)]
        return ["0"]

    def _task(self, task: Signature) -> str:
        self._used |= {"Methods", "method"}
        names = self._parameters(task.parameters)
        body: list[str] = []
        used = {*names.values()}
        for each in self._file.methods:
            if each.task.name == task.name:
                body += self._method(each, list(names.values()), used)
        word = "compound" if body else "extension_point"
        return self._function(word, task, names, "Methods", body or ["    yield from ()"])

    def _method(self, written: Method, parameters: list[str], used: set[str]) -> Iterator[str]:
        names: dict[str, str] = {}
        conditions: list[str] = []
        for term, parameter in zip(written.task.terms, parameters, strict=True):
            if term in names or term[0] != "?":
                conditions.append(f"{parameter} == {self._term(term, names)}")
            else:
                names[term] = parameter
        task = self._file.tasks[written.task.name]
        own = {each.name: each for each in written.parameters}
        for term, declared in zip(written.task.terms, task.parameters, strict=True):
            if term in own and own[term].types not in (declared.types, (OBJECT,)):
                conditions.append(self._data(OfType(term, own[term].types, 0), names))
        free = [each for each in written.parameters if each.name not in names]
        made = python_names((each.spelled for each in free), self._taken | used)
        names |= {each.name: made[each.spelled] for each in free}
        if _has_function(written):  # which looks its names up when it is called
            used |= {*made.values()}
        mentioned = {term for call in written.network.tasks for term in call.terms}
        mentioned |= {*terms_of(written.condition), *terms_of(written.network.constraints)}
        chosen = [each for each in free if each.name in mentioned]
        if chosen:
            self._used.add("one_of")
            left = ", ".join(names[each.name] for each in chosen)
            values = [self._values(each, self._class) for each in chosen]
            yield _listed(f"{left} = one_of(", values, ")", "    ")
        conditions += self._conditions([written.condition, written.network.constraints], names)
        parts = [*self._network(written, names), *self._given("when", conditions)]
        yield _listed("yield method(", [*parts, f'name="{written.spelled}"'], ")", "    ")

    def _network(self, written: Method, names: Mapping[str, str]) -> list[str]:
        network = written.network
        calls = [
            f"{self._tasks[call.name]}({', '.join(self._term(term, names) for term in call.terms)})"
            for call in network.tasks
        ]
        return [*arranged(network, calls, self)]

    # how the tasks of a network are ordered, see orders.Words

    def sequence(self, parts: Sequence[str]) -> str:
        return self._joined("sequence", parts)

    def unordered(self, parts: Sequence[str]) -> str:
        return self._joined("unordered", parts)

    def partial_order(self, orders: Sequence[str], parts: Mapping[str, str]) -> str:
        named = [f"{name}={part}" for name, part in parts.items()]
        return self._joined("partial_order", [*(f'"{order}"' for order in orders), *named])

    def _joined(self, word: str, parts: Sequence[str]) -> str:
        self._used.add(word)
        return f"{word}({', '.join(parts)})"

    def _parameters(self, parameters: Sequence[Declared]) -> dict[str, str]:
        named = python_names((_snake(each.spelled) for each in parameters), self._taken)
        return {each.name: named[_snake(each.spelled)] for each in parameters}

    def _given(self, word: str, parts: Sequence[str]) -> list[str]:
        if not parts:
            return []
        return [
            f"{word}={parts[0]}" if len(parts) == 1 else _listed(f"{word}=[", parts, "]", " " * 8)
        ]

    def _function(
        self,
        word: str,
        thing: Action | Signature,
        names: Mapping[str, str],
        kind: str,
        body: list[str],
    ) -> str:
        given = [f"{name}: str" for name in names.values()]
        name = self._tasks[thing.name]
        head = _listed(f"def {name}(", given, f") -> {kind}:", "")
        said = self._types_said(thing.parameters, names)
        return "\n".join(["", "", f"@{self._domain}.{word}", head, *said, *body])

    def _types_said(self, parameters: Sequence[Declared], names: Mapping[str, str]) -> list[str]:
        """A docstring with the types of the parameters."""
        said: dict[str, list[str]] = {}
        for each in parameters:
            kinds = [self._attributes["type", name] for name in each.types if name != OBJECT]
            said.setdefault(" or ".join(kinds), []).append(names[each.name])
        text = "; ".join(f"{', '.join(own)}: {kind}" for kind, own in said.items() if kind)
        return [f'    """{text}."""'] if text and len(text) < _WIDTH - 12 else []


def _snake(text: str) -> str:
    return _HUMP.sub("_", text.removeprefix("?")).replace("-", "_").lower()


def _index(signature: Signature) -> str:
    count = len(signature.parameters)
    return f"tuple[{', '.join(['str'] * count)}]" if count > 1 else "str" * count


def _default(constants: Sequence[str]) -> str:
    shown = ", ".join(f'"{each}"' for each in constants)
    return f"default=[{shown}]" if constants else ""


def _is_quantified(condition: Condition) -> bool:
    match condition:
        case ForAll() | Exists():
            return True
        case Not(part):
            return _is_quantified(part)
        case And(parts) | Or(parts):
            return not parts or any(map(_is_quantified, parts))
    return False


def _is_unequal(condition: Condition) -> bool:
    return isinstance(condition, Not) and isinstance(condition.part, Equal)


def _has_function(written: Method) -> bool:
    return any(map(_is_quantified, conjuncts_of(written.condition)))


def _listed(opening: str, parts: Sequence[str], closing: str, indent: str) -> str:
    """The parts between brackets, in one line if they fit, else each in one of its own."""
    line = (
        f"{indent}{opening}{', '.join(parts)}{closing}"
        if opening[-1] != "["
        else (f"{opening}{', '.join(parts)}{closing}")
    )
    if len(line) <= _WIDTH - 8 and "\n" not in line:
        return line
    start = indent if opening[-1] != "[" else ""
    lines = [f"{start}{opening}", *(f"{indent}    {part}," for part in parts), f"{indent}{closing}"]
    return "\n".join(lines)
