"""Plans as text: ``(parallel(move, (wait(3), reload)), shoot)``.

    tree    ::= name | name(value, …) | (tree, …) | null | suspended(network, …)
              | parallel(tree, …[, policy=any]) | priority(tree, …[, reactive])
              | timeout(ticks, tree, …) | retry(tries, tree, …) | cooldown(ticks, tree, …)
              | invert(tree)
    network ::= a tree of any tasks, which may also contain defer(task) and pause

In a network, a value may also be an expression, which is read as in ``conditions``, and evaluated
later. A name or a value may be quoted, and then holds any characters. Two trees are the same plan
when their ``normal`` texts are equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, Final, assert_never

from bthtn.engine.domain import network as networks
from bthtn.engine.domain.decorator import (
    CooldownDecorator,
    Decorator,
    InvertDecorator,
    RetryDecorator,
    TimeoutDecorator,
    opening_text,
)
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import ParallelPolicy, SequenceNetwork, network_text
from bthtn.engine.domain.number import Seconds
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.engine.plan import nodes
from bthtn.engine.plan.nodes import Node, check_node
from bthtn.engine.plan.walk import flat
from bthtn.engine.text.conditions import expression_from_text
from bthtn.engine.text.values import QUOTED, guessed, shortened, unquoted, value_from
from bthtn.engine.world.expression import REQUIRED, Constant, Parameter, as_expression
from bthtn.engine.world.truth import value_text
from bthtn.errors import BthtnError, Diagnostic, InputError, nearest

DEEPEST: Final = 100
_TIMED: Final[Mapping[str, type[TimeoutDecorator | CooldownDecorator]]] = {
    decorator.word: decorator for decorator in (TimeoutDecorator, CooldownDecorator)
}
_DECORATORS: Final = frozenset({*_TIMED, RetryDecorator.word, InvertDecorator.word})
COMPOSITES: Final = _DECORATORS | {"parallel", "priority", "suspended", "defer"}
RESERVED: Final = COMPOSITES | {"null", "pause", "reactive", "policy", "now"}
_HOW: Final = "write a task, or one of (…), parallel(…), priority(…), suspended(…), null"
_NUMBER: Final = re.compile(
    r"\(\s*(?:([1-9]\d{0,8})|seconds\(\s*(\d{1,9}(?:\.\d{1,9})?)\s*\))\s*(?=,)"
)
_WORD: Final = re.compile(r"""[^\s(),"'=]+""")
_OPTION: Final = re.compile(
    r"(?P<name>reactive|now|policy(?=\s*=))(?:(?<=policy)\s*=\s*(?P<policy>\w*))?\s*(?=\))"
)
_OWNERS: Final[Mapping[str, tuple[str, ...]]] = {
    "reactive": ("priority",),
    "policy": ("parallel",),
    "now": ("defer", "pause"),
}
_IN_VALUE: Final = re.compile(rf"""{QUOTED.pattern}|[^"'()\[\]{{}},]+|.""", re.DOTALL)


def normal(root: Node) -> str:
    """The plan as text without scopes and needless nesting; equal for equivalent plans.

    ``root`` is ``plan.tree``, or a part of it.
    """
    check_node(root, "normal")
    return notation(flat(root))


def notation(root: Node) -> str:
    """The tree as text, without its scopes but those with decorators.

    The text is put together on an explicit stack: a plan may be nested deeper than Python calls.
    """
    written: list[str] = []
    pending: list[str | Node] = [root]
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            written.append(piece)
        else:
            pending.extend(reversed(_pieces(piece)))
    return "".join(written)


def node_from(text: str, domain: FrozenDomain) -> Node:
    """The tree that a text denotes. Raises InputError with the column of each fault."""
    node: Node = _PlanParser(text, domain).whole()
    return node


def network_from_text(text: str, domain: FrozenDomain) -> networks.Network:
    """The network that a text denotes; its calls have values only. Raises InputError."""
    network: networks.Network = _PlanParser(text, domain, suspended=True).whole()
    return network


def call_from(text: str, domain: FrozenDomain) -> TaskCall:
    """A task with its arguments, ``fight`` or ``move("tokyo")``. Raises InputError."""
    call = network_from_text(text, domain)
    if not isinstance(call, TaskCall):
        hint = 'write one task, such as fight or move("tokyo")'
        raise InputError("BT406", f"{shortened(text)!r} is not a task with arguments", hint=hint)
    given: dict[str, Any] = {}
    for parameter, argument in zip(call.task.parameters, call.args, strict=True):
        if isinstance(argument, Constant) and argument.value == parameter.default:
            continue
        if parameter.is_fixed:
            message = f"'{parameter.name}' of '{call.task.name}' is {parameter.default!r}"
            raise InputError("BT103", message, hint=f"leave {argument.text()} out")
        given[parameter.name] = value_from(argument.text(), parameter)
    return call.task(**given)


class _UnparsedValue(str):
    """A value of a type that cannot be made from text: it is kept, and shown, as written."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class _PlanParser:
    """A recursive-descent parser. It makes networks inside ``suspended``, else nodes."""

    def __init__(self, text: str, domain: FrozenDomain, *, suspended: bool = False) -> None:
        self._text = text
        self._domain = domain
        self._suspended = suspended
        self._at = 0
        self._depth = 0
        self._found: list[Diagnostic] = []

    def whole(self) -> Any:
        """The node, or network, that the whole text denotes. Raises InputError."""
        tree = self._tree()
        if self._peek():
            message = f"{self._next()} stands behind the end"
            raise self._fault(self._at, message, "remove it, or open a bracket before")
        if self._found:
            raise InputError.of(self._found)
        return tree

    def _tree(self) -> Any:
        opening, start = self._peek(), self._at
        if opening == "(":
            parts = self._parts("", {})
            return networks.sequence(*parts) if self._suspended else nodes.SequenceNode(parts)
        quoted = QUOTED.match(self._text, start)
        word = quoted or _WORD.match(self._text, start)
        if word is None:
            raise self._fault(start, f"a task is missing before {self._next()}", _HOW)
        self._at = word.end()
        if quoted or word[0] not in RESERVED:
            return self._task(unquoted(word[0]), start)
        if word[0] == "null":
            return networks.NULL if self._suspended else nodes.NULL_NODE
        if word[0] == "pause" and self._suspended:
            return self._pause()
        only_inside = word[0] == "defer" and not self._suspended
        if word[0] not in COMPOSITES or only_inside or self._peek() != "(":
            hint = f"a task of this name is written '{word[0]}', in quotes"
            raise self._fault(start, f"{word[0]} cannot stand here like this", hint)
        return self._composite(word[0], start)

    def _pause(self) -> networks.Network:
        if self._peek() != "(":
            return networks.PAUSE
        start, options = self._at, dict[str, Any]()
        if self._parts("pause", options) or not options:
            raise self._fault(start, "a pause has nothing in it", "write pause or pause(now)")
        return networks.PAUSE_NOW

    def _composite(self, word: str, start: int) -> Any:
        if word in _DECORATORS:
            return self._decorated(word, start)
        outside = self._suspended
        options: dict[str, Any] = {}
        self._suspended = outside or word == "suspended"
        parts = self._parts(word, options)
        self._suspended = outside
        if not parts:
            raise self._fault(start, f"{word}() has nothing in it", "write null for nothing")
        if word == "suspended" and not outside:
            return nodes.SuspendedNode(parts, (), nodes.PAUSED)
        if outside:
            single = len(parts) == 1 and isinstance(parts[0], TaskCall)
            if word == "suspended" or (word == "defer" and not single):
                raise self._fault(start, f"{word}(…) cannot stand here like this", _HOW)
            return getattr(networks, word)(*parts, **options)
        if word == "parallel":
            return nodes.ParallelNode(parts, options.get("policy", ParallelPolicy.ALL))
        return nodes.PriorityNode(parts, tuple(range(len(parts))), options.get("reactive", False))

    def _decorated(self, word: str, start: int) -> Node:
        """A part with a decorator: the scope of a task that no domain has."""
        number = _NUMBER.match(self._text, self._at)
        decorator = _decorator_from(word, number)
        if self._suspended or decorator is None:
            how = f"{word}(…)" if word == InvertDecorator.word else f"{word}(3, …)"
            hint = f"write {how}; or a task of this name '{word}', in quotes"
            raise self._fault(start, f"{word}(…) cannot stand here like this", hint)
        if number is not None:
            self._at = number.end()
        parts = self._parts(word, {})
        if not parts:
            raise self._fault(start, f"{word}() has nothing in it", "write null for nothing")
        task: CompoundTask[...] = CompoundTask(
            word, (), lambda: iter(()), origin=word, decorator=decorator
        )
        return nodes.ScopeNode(task, (), 0, nodes.SequenceNode(parts))

    def _parts(self, word: str, options: dict[str, Any]) -> tuple[Any, ...]:
        """The parts between brackets; an option at the end is put into ``options``."""
        start, parts = self._at, []
        self._at += 1
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._fault(start, f"nested deeper than {DEEPEST}", "leave brackets out")
        while self._peek() != ")" and not self._option(word, options):
            parts.append(self._tree())
            if self._peek() == ",":
                self._at += 1
            elif self._peek() != ")":
                raise self._fault(self._at, f"expected ',' or ')' before {self._next()}", _HOW)
        self._at += 1
        self._depth -= 1
        return tuple(parts)

    def _option(self, word: str, options: dict[str, Any]) -> bool:
        """Parse an option into ``options``. Returns False if there is none here."""
        found = _OPTION.match(self._text, self._at)
        if found is None or word not in _OWNERS[found["name"]]:
            return False
        if found["policy"] is None:
            options[found["name"]] = True
        else:
            known = [policy.value for policy in ParallelPolicy]
            if found["policy"] not in known:
                message = f"no parallel policy is called '{found['policy']}'"
                raise self._fault(self._at, message, nearest(found["policy"], known))
            options["policy"] = ParallelPolicy(found["policy"])
        self._at = found.end()
        return True

    def _task(self, name: str, start: int) -> Any:
        """A task with its values. Faults in them are collected, and raised together at the end."""
        texts = self._values() if self._peek() == "(" else []
        try:
            task = self._domain.task(name)
            values = self._fitting(task, texts)
        except BthtnError as error:
            place = f"column {start + 1}"
            self._found.extend(replace(fault, where=place) for fault in error.diagnostics)
            return networks.NULL if self._suspended else nodes.NULL_NODE
        if self._suspended:
            return TaskCall(task, tuple(map(as_expression, values)))
        assert isinstance(task, PrimitiveTask), "_fitting has rejected compound tasks"
        return nodes.TaskNode(task, values)

    def _fitting(self, task: Task, texts: list[str]) -> tuple[Any, ...]:
        if not isinstance(task, PrimitiveTask) and not self._suspended:
            hint = "write the primitive tasks that it is decomposed into"
            raise InputError("BT406", f"'{task.name}' is a compound task", hint=hint)
        if self._suspended and len(texts) < len(task.parameters):
            return self._filled(task, texts)
        if len(texts) != len(task.parameters):
            wanted = ", ".join(parameter.name for parameter in task.parameters) or "no values"
            raise InputError("BT103", f"'{task.name}' takes {wanted}; it is given {len(texts)}")
        return tuple(map(self._expected, texts, task.parameters))

    def _filled(self, task: Task, texts: list[str]) -> tuple[Any, ...]:
        """The arguments of a call that leaves out what has a default. Raises InputError."""
        free = [parameter for parameter in task.parameters if not parameter.is_fixed]
        given = {
            parameter.name: self._expected(text, parameter)
            for parameter, text in zip(free, texts, strict=False)
        }
        needed = [parameter.name for parameter in free if parameter.default is REQUIRED]
        if len(texts) > len(free) or needed[len(texts) :]:
            wanted = ", ".join(parameter.name for parameter in free) or "no values"
            raise InputError("BT103", f"'{task.name}' takes {wanted}; it is given {len(texts)}")
        return tuple(given.get(parameter.name, parameter.default) for parameter in task.parameters)

    def _expected(self, text: str, parameter: Parameter[Any]) -> Any:
        """The value that the text denotes; the text itself if it cannot be converted."""
        kind, schema = parameter.type or object, self._domain.schema
        if self._suspended and unquoted(text) == text:
            words = set(re.findall(r"\w+", text))
            if words & {*schema.fluents, *schema.families}:  # an expression, evaluated later
                return self._expression(text)
        if kind is not object and issubclass(kind, bool | int | float | str | Enum):
            return value_from(text, parameter)
        return _UnparsedValue(text) if guessed(text) is text else guessed(text)

    def _expression(self, text: str) -> Any:
        """The expression that the text denotes; the text itself if it is shown in another way."""
        try:
            found = expression_from_text(text, self._domain.schema)
        except BthtnError:
            return _UnparsedValue(text)
        return found if found.text() == text else _UnparsedValue(text)

    def _values(self) -> list[str]:
        """The values in brackets after a name, as texts."""
        start, depth, texts = self._at, 0, [""]
        while self._at < len(self._text):
            piece = _IN_VALUE.match(self._text, self._at)
            assert piece is not None, "every character is a piece"
            if piece[0] in ("'", '"'):
                raise self._fault(self._at, "this quote is never closed", f"add a {piece[0]}")
            self._at = piece.end()
            depth += (piece[0] in "([{") - (piece[0] in ")]}")
            if depth == 0:
                return [text.strip() for text in texts] if any(map(str.strip, texts)) else []
            if piece[0] == "," and depth == 1:
                texts.append("")
            elif self._at > start + 1:
                texts[-1] += piece[0]
        raise self._fault(start, "this bracket is never closed", "add a ')'")

    def _peek(self) -> str:
        """Skip white space and return the next character, "" at the end."""
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        return self._text[self._at : self._at + 1]

    def _next(self) -> str:
        found = QUOTED.match(self._text, self._at) or _WORD.match(self._text, self._at)
        return repr(shortened(found[0]) if found else self._peek()) if self._peek() else "the end"

    def _fault(self, at: int, message: str, hint: str) -> InputError:
        return InputError("BT406", message, f"column {at + 1}", hint)


def _decorator_from(word: str, number: re.Match[str] | None) -> Decorator | None:
    """The decorator of this name with this number, None if it has another one, or none."""
    if number is None or word == InvertDecorator.word:
        return InvertDecorator() if number is None and word == InvertDecorator.word else None
    whole, time = number.groups()
    if word == RetryDecorator.word:
        return None if whole is None else RetryDecorator(int(whole))
    return _TIMED[word](int(whole) if time is None else Seconds(guessed(time)))


def _pieces(node: Node) -> list[str | Node]:
    """The text of a node, with its children in place of their texts."""
    match node:
        case nodes.ScopeNode(task=CompoundTask(decorator=None)):
            return [node.child]
        case nodes.ScopeNode(child=child):
            assert node.task.decorator is not None, "without one it is not written"
            inside = child.children if isinstance(child, nodes.SequenceNode) else (child,)
            return _listed(opening_text(node.task.decorator), inside, ")")
        case nodes.TaskNode(task, args):
            return [_named(task.name, [value_text(value) for value in args])]
        case nodes.NullNode():
            return ["null"]
        case nodes.SequenceNode(children):
            return _listed("(", children, ")")
        case nodes.ParallelNode(children, policy):
            extra = "" if policy is ParallelPolicy.ALL else f", policy={policy.value}"
            return _listed("parallel(", children, f"{extra})")
        case nodes.PriorityNode(children):
            return _listed("priority(", children, ", reactive)" if node.reactive else ")")
        case nodes.SuspendedNode(rest, binding):
            whole = networks.sequence(*rest)
            parts = whole.parts if isinstance(whole, SequenceNetwork) else (whole,)
            return _listed("suspended(", [network_text(part, binding) for part in parts], ")")
        case _:
            assert_never(node)


def _named(name: str, values: list[str]) -> str:
    plain = _WORD.fullmatch(name) and name not in RESERVED
    shown = name if plain else repr(name)
    return f"{shown}({', '.join(values)})" if values else shown


def _listed(head: str, parts: Iterable[str | Node], tail: str) -> list[str | Node]:
    """Parts with commas between a head and a tail."""
    pieces: list[str | Node] = [head]
    for index, part in enumerate(parts):
        pieces.extend((", ", part) if index else (part,))
    return [*pieces, tail]
