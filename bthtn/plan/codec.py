"""Plans as JSON, ``"format": "bthtn-plan/1"``, and values as JSON and as text.

Texts of trees are joined from pieces on an explicit stack, since a plan may be nested deeper
than ``json.dumps`` can recurse.
"""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, Final, assert_never

from bthtn.domain.decorator import decorator_text
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, network_text
from bthtn.domain.task import CompoundTask, TaskCall
from bthtn.errors import InputError, nearest
from bthtn.plan import nodes
from bthtn.plan.encoding import LONGEST_INTEGER, complete_json
from bthtn.plan.nodes import Node
from bthtn.plan.plan import Plan
from bthtn.world.expression import Binding, Constant, Expression, Parameter
from bthtn.world.truth import UNKNOWN, value_text

FORMAT: Final = "bthtn-plan/1"
_WHOLE: Final = re.compile(r"[+-]?\d+")
_NOT_FINITE: Final = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
QUOTED: Final = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)

Pieces = list[str | Node]
"""The text of a node, with its children in place of their texts."""


def put_together(root: Node, pieces: Callable[[Node], Pieces]) -> str:
    """The text of a whole tree, from a function that gives the pieces of one node."""
    written: list[str] = []
    pending: Pieces = [root]
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            written.append(piece)
        else:
            pending.extend(reversed(pieces(piece)))
    return "".join(written)


def listed(head: str, parts: Iterable[str | Node], tail: str) -> Pieces:
    """Parts with commas between a head and a tail."""
    pieces: Pieces = [head]
    for index, part in enumerate(parts):
        pieces.extend((", ", part) if index else (part,))
    return [*pieces, tail]


def encoded(plan: Plan, *, flat: bool = False, complete: bool = False) -> str:
    """The plan as one line of JSON; ``flat`` is the form in which plans are compared.

    ``complete`` is another format, with everything that ``decoded`` needs to make an equal plan.
    It raises InputError for values that cannot be made from text again.
    """
    if complete:
        return complete_json(plan)
    head = {
        "format": FORMAT,
        "domain": plan.domain.name,
        "task": goal_value(plan.goal, plan.binding),
        "record": list(plan.record),
        "cost": json_value(plan.cost),
        **({"value": json_value(plan.value)} if plan.domain.has_values else {}),
        "expansions": plan.expansions,
    }
    tree = tree_json(plan.flat() if flat else plan.tree, plan.domain)
    return f'{json.dumps(head)[:-1]}, "tree": {tree}}}'


def tree_json(root: Node, domain: FrozenDomain) -> str:
    """The tree alone as JSON; the names of methods are those of the domain."""
    return put_together(root, lambda node: _pieces(node, domain))


def goal_value(goal: Network, binding: Binding = ()) -> dict[str, Any]:
    """A goal as ``{"name", "args"}``; for a network, ``name`` is its text and ``args`` is empty."""
    if not isinstance(goal, TaskCall):
        return {"name": network_text(goal, binding), "args": []}
    if isinstance(goal.task, CompoundTask) and goal.task.origin:
        return {"name": goal.task.doc, "args": []}
    args = [_argument(argument, binding) for argument in goal.args]
    return {"name": goal.task.name, "args": args}


def json_value(value: object) -> Any:
    """A value as JSON: a member of an Enum by name, values unknown to JSON by their text."""
    if isinstance(value, Enum):
        return value_text(value) if value is UNKNOWN else value.name
    if isinstance(value, int) and value.bit_length() > LONGEST_INTEGER:
        return hex(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return value_text(value)


def value_from(text: str, parameter: Parameter[Any]) -> Any:
    """The value that a text denotes. Raises InputError when the parameter cannot have it."""
    kind, plain = parameter.type or object, unquoted(text)
    try:
        return _value(kind, text, plain)
    except (KeyError, ValueError):
        shown = f"'{parameter.name}' is {kind.__name__} and cannot be {shortened(text)}"
        raise InputError("BT103", shown, hint=_hint_for(kind, text)) from None


def finite_from(text: str, parameter: Parameter[Any]) -> Any:
    """As ``value_from``, for files: a number that is infinite, or none, is a mistake there."""
    value = value_from(text, parameter)
    is_number = isinstance(value, float) or (parameter.type is None and isinstance(value, str))
    if is_number and _NOT_FINITE.fullmatch(text.strip()):
        raise InputError("BT103", f"'{parameter.name}' is {text}", hint="write a finite number")
    if isinstance(value, float) and not math.isfinite(value):
        message = f"'{parameter.name}' is {shortened(text)}, which is too large"
        raise InputError("BT103", message, hint="write a finite number")
    return value


def _value(kind: type, text: str, plain: str) -> Any:
    if kind is object:
        return guessed(text) if plain == text else plain
    if kind is bool:
        return {"true": True, "false": False}[text.casefold()]
    if issubclass(kind, Enum):
        return kind[plain]
    if kind is float and _WHOLE.fullmatch(text):
        return int(text)
    if issubclass(kind, int | float | str):
        return kind(plain)
    raise ValueError(text)


def guessed(text: str) -> Any:
    """A value for a parameter without a type: a number or truth where it looks like one."""
    try:
        return ast.literal_eval({"true": "True", "false": "False", "none": "None"}.get(text, text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _hint_for(kind: type, text: str) -> str:
    if issubclass(kind, Enum):
        return nearest(text, [member.name for member in kind])
    hints = {
        bool: "write true or false",
        int: "write a whole number",
        float: "write a number, such as 2.5",
    }
    return hints.get(kind, f"values of type {kind.__name__} cannot be written as text")


def unquoted(text: str) -> str:
    """The text between the quotes, or the text itself when there are none."""
    if not QUOTED.fullmatch(text):
        return text
    try:
        with warnings.catch_warnings(action="error"):
            return str(ast.literal_eval(text))
    except (ValueError, SyntaxError):  # an escape such as "\x" that Python cannot read
        return text[1:-1]


def shortened(text: str, longest: int = 60) -> str:
    """The text; the middle of one longer than ``longest`` characters is replaced by ``…``."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"


def _argument(argument: Expression[Any], binding: Binding) -> Any:
    match argument:
        case Constant(value):
            return json_value(value)
        case Parameter(_, position):
            return json_value(binding[position])
        case _:
            return argument.text(binding)


def _pieces(node: Node, domain: FrozenDomain) -> Pieces:
    match node:
        case nodes.TaskNode(task, args):
            return [_object("task", name=task.name, args=_values(args))]
        case nodes.NullNode():
            return [_object("null")]
        case nodes.SuspendedNode(rest, binding, cause):
            tasks = [network_text(network, binding) for network in rest]
            return [_object("suspended", cause=str(cause), tasks=tasks)]
        case nodes.ScopeNode(task, args, index, child):
            name = node.name or domain.method_name(task, index)
            fields = {"task": task.name, "args": _values(args), "method": name, "index": index}
            fields |= {"cost": json_value(node.cost)} if node.cost else {}
            fields |= {"value": json_value(node.value)} if node.value else {}
            if task.decorator is not None:
                fields |= {"decorator": decorator_text(task.decorator)}
            return [_object("scope", **fields)[:-1], ', "child": ', child, "}"]
        case nodes.SequenceNode(children):
            return _composite(_object("sequence"), children)
        case nodes.ParallelNode(children, policy):
            return _composite(_object("parallel", policy=policy.value), children)
        case nodes.PriorityNode(children):
            return _composite(_object("priority", **_choice(node)), children)
        case _:
            assert_never(node)


def _choice(node: nodes.PriorityNode) -> dict[str, Any]:
    """The fields of a priority node except its children; fields with default values are omitted."""
    dropped = [
        {"alternative": drop.alternative, "task": drop.text, "reason": drop.reason}
        for drop in node.dropped
    ]
    said: dict[str, Any] = {"reactive": True} if node.reactive else {}
    return said | ({"dropped": dropped} if dropped else {})


def _composite(head: str, children: tuple[Node, ...]) -> Pieces:
    return listed(f'{head[:-1]}, "children": [', children, "]}")


def _object(kind: str, **fields: Any) -> str:
    return json.dumps({"node": kind, **fields})


def _values(args: tuple[Any, ...]) -> list[Any]:
    return [json_value(value) for value in args]
