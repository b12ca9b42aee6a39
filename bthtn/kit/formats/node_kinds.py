"""The nodes that trees in XML may have, each made by a function with annotated parameters.

Parameters called ``name``, ``agent``, ``child`` and ``children`` are given by the reader; every
other one is a port, an attribute of the element. A port called like one of them, or like a word of
Python, is a parameter with ``_`` at its end: ``from_``, ``child_``. A ``Mapping`` by numbers is
several ports: ``case_1``, ``case_2``, …. With ``**ports`` that are annotated it has any others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from inspect import Parameter, signature
from keyword import iskeyword
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, Literal, NewType, Union, get_args, get_origin, get_type_hints

from py_trees.behaviour import Behaviour

from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import Condition, Expression
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.value_type import COLLECTIONS, ValueType, value_type_of
from bthtn.errors import InputError

Category = Literal["Action", "Condition", "Control", "Decorator"]
CATEGORIES: Final = get_args(Category)

SKIPPING: Final = ("_skipIf", "_while")
PRECONDITIONS: Final = ("_failureIf", "_successIf", *SKIPPING)
"""The attributes of any node with conditions, in the order in which they are asked."""
SCRIPTS: Final = ("_onSuccess", "_onFailure", "_onHalted", "_post")
"""The attributes of any node with scripts that are run behind it."""

GIVEN: Final = frozenset({"name", "agent", "child", "children"})
_NUMBERED: Final = re.compile(r"(\w+)_([1-9]\d{0,3})", re.ASCII)
_TEXTS: Final[Mapping[type, str]] = {bool: "bool", int: "int", float: "double", str: "std::string"}


Key = NewType("Key", Fluent[Any])
"""A port that takes the name of a key, with or without braces."""
Script = NewType("Script", tuple[Assignment, ...])
"""A port that takes a script of BehaviorTree.CPP."""
ScriptCondition = NewType("ScriptCondition", Condition)
"""A port that takes a condition in the language of scripts."""

Expressed = Literal["", "condition", "number", "key", "script", "script condition"]
_EXPRESSED: Final[Mapping[object, Expressed]] = MappingProxyType(
    {Key: "key", Script: "script", ScriptCondition: "script condition"}
)


@dataclass(frozen=True, slots=True)
class Port:
    """An attribute of a node, and the values that its text may stand for.

    ``values`` are those of a literal, ``fluent`` is the class of the values of a fluent that
    ``{name}`` may point to. A port for an expression has neither. One that is ``numbered`` stands
    for any number of attributes: ``case_1``, ``case_2``, …. ``parameter`` is its name in Python.
    """

    name: str
    values: ValueType | None
    fluent: type | None = None
    expression: Expressed = ""
    default: Any = Parameter.empty
    numbered: bool = False
    parameter: str = ""

    @property
    def is_needed(self) -> bool:
        return self.default is Parameter.empty

    @property
    def type_text(self) -> str:
        """The type as BehaviorTree.CPP calls it, if it has it."""
        if self.values is None or self.fluent is not None:
            return "" if self.fluent is not None else "std::string"
        return _TEXTS.get(self.values.kind, "std::string")


@dataclass(frozen=True, slots=True)
class NodeKind:
    """How an element becomes a behaviour: its ports and its numbers of children."""

    category: Category
    make: Callable[..., Behaviour]
    ports: Mapping[str, Port]
    given: frozenset[str]
    fewest: int
    most: int | None
    others: Port | None = None
    """What every other attribute is, of a function with ``**ports``."""

    @property
    def children_text(self) -> str:
        """How many children it has: ``1``, ``2 to 3``, ``1 or more``."""
        if self.most is None:
            return f"{self.fewest} or more"
        return str(self.fewest) + ("" if self.most == self.fewest else f" to {self.most}")

    def port(self, attribute: str) -> tuple[Port, int] | None:
        """The port that an attribute sets, and its number: 0 if the port has none."""
        found = self.ports.get(attribute)
        if found is not None and not found.numbered:
            return found, 0
        numbered = _NUMBERED.fullmatch(attribute)
        found = self.ports.get(numbered[1]) if numbered else None
        if numbered and found and found.numbered:
            return found, int(numbered[2])
        if self.others is None:
            return None
        parameter = f"{attribute}_" if attribute in GIVEN else attribute
        return replace(self.others, name=attribute, parameter=parameter), 0


def kind_of(
    make: Callable[..., Behaviour],
    *,
    category: Category | None = None,
    fewest: int | None = None,
    most: int | None = None,
) -> NodeKind:
    """The kind of node that a class or a function makes. Raises InputError for a bad parameter."""
    parameters = _parameters(make)
    ports: dict[str, Port] = {}
    others: Port | None = None
    for parameter, annotation in parameters:
        if parameter.kind is Parameter.VAR_KEYWORD:
            others = None if annotation is None else _port(parameter, annotation)
        elif parameter.name not in GIVEN:
            port = _port(parameter, annotation)
            if port is None:
                message = f"no text can stand for '{parameter.name}' of {_name_of(make)}"
                hint = "annotate it: str, int, float, bool, an Enum, a Literal, or Fluent[…]"
                raise InputError("BT416", message, hint=hint)
            ports[port.name] = port
    given = frozenset(parameter.name for parameter, _ in parameters) & GIVEN
    least, last = (1, 1) if "child" in given else (1, None) if "children" in given else (0, 0)
    of_children: Category = "Control" if last is None else "Decorator" if last else "Action"
    return NodeKind(
        category or of_children,
        make,
        MappingProxyType(ports),
        given,
        least if fewest is None else fewest,
        last if most is None else most,
        others,
    )


def ports_kept(made: type[Behaviour]) -> Mapping[str, Port]:
    """The ports of a class, without the parameters that no text can stand for."""
    try:
        parameters = _parameters(made)
    except InputError:
        return {}
    ports = (
        _port(parameter, annotation)
        for parameter, annotation in parameters
        if parameter.name not in GIVEN and parameter.kind is not Parameter.VAR_KEYWORD
    )
    return {port.name: port for port in ports if port is not None}


def _parameters(make: Callable[..., Behaviour]) -> list[tuple[Parameter, object]]:
    """The parameters of a class or a function, with their annotations. Raises InputError."""
    try:
        hints = get_type_hints(make.__init__ if isinstance(make, type) else make)  # type: ignore[misc]  # the class's own
        parameters = signature(make).parameters.values()
    except (NameError, TypeError, ValueError, AttributeError) as error:
        hint = "give a class, or a function with annotations that can be read"
        message = f"the parameters of {_name_of(make)} cannot be read: {error}"
        raise InputError("BT416", message, hint=hint) from None
    return [
        (parameter, hints.get(parameter.name))
        for parameter in parameters
        if parameter.kind is not Parameter.VAR_POSITIONAL
    ]


def _port(parameter: Parameter, annotation: object) -> Port | None:
    """The port of a parameter; None if no text can stand for its values."""
    is_numbered = get_origin(annotation) is Mapping
    if is_numbered:
        annotation = get_args(annotation)[1]
    is_union = get_origin(annotation) in (Union, UnionType)
    values: list[Any] = []
    port = Port(
        _attribute_of(parameter.name),
        None,
        default=parameter.default,
        numbered=is_numbered,
        parameter=parameter.name,
    )
    for hint in get_args(annotation) if is_union else (annotation,):
        origin, arguments = get_origin(hint) or hint, get_args(hint)
        if isinstance(hint, NewType) and hint in _EXPRESSED:
            port = replace(port, expression=_EXPRESSED[hint])
        elif origin is Fluent:
            port = replace(port, fluent=_class_of(arguments))
        elif origin is Expression:
            port = replace(port, expression="condition" if arguments == (bool,) else "number")
        else:
            values.append(hint)
    if all(value is NoneType for value in values):
        return port
    try:
        literal = value_type_of(Union[tuple(values)])  # noqa: UP007 - of a list
    except TypeError:  # what stands there is no type
        return None
    return replace(port, values=literal) if literal is not None and _is_writable(literal) else None


def _attribute_of(parameter: str) -> str:
    """The attribute that a parameter stands for: ``from`` for ``from_``."""
    stem = parameter.removesuffix("_")
    return stem if iskeyword(stem) or stem in GIVEN else parameter


def _class_of(arguments: Sequence[Any]) -> type:
    found = value_type_of(arguments[0]) if arguments and arguments[0] is not Any else None
    return object if found is None else found.kind


def _is_writable(values: ValueType) -> bool:
    known = (*_TEXTS, *COLLECTIONS, Enum)
    return bool(values.listed or values.parts) or all(
        issubclass(kind, known) for kind in values.kinds
    )


def _name_of(make: object) -> str:
    return getattr(make, "__name__", None) or repr(make)
