"""Interface: a character as an engine sees it, read from the answer to ``hello``.

The types are those of JSON Schema that values of a character can have. Whatever else a schema
says is ``ANYTHING``, a value of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bthtn.records import record

Json = Mapping[str, Any]


@record
class Plain:
    """One of the types of JSON that every language has."""

    kind: str


@record
class Choice:
    """One of some words: the members of an Enum, whose name is the ``title``, or just words."""

    title: str
    members: tuple[str, ...]


@record
class Parts:
    """A tuple of values of these types, at least two and no more than C# has tuples for."""

    types: tuple[Type, ...]


@record
class Items:
    """Any number of values of a type."""

    type: Type


@record
class Maybe:
    """A value of a type, or None."""

    type: Type


BOOLEAN: Final = Plain("boolean")
INTEGER: Final = Plain("integer")
NUMBER: Final = Plain("number")
STRING: Final = Plain("string")
ANYTHING: Final = Plain("anything")

Type = Plain | Choice | Parts | Items | Maybe
_BEYOND: Final = 2**63
"""From here on whole numbers have too many digits for other languages, and so do NaN and inf."""
_NULL: Final = {"type": "null"}
_LONGEST_TUPLE: Final = 7
"""So many parts of a tuple can be named in C#."""
_PLAIN: Final = {plain.kind: plain for plain in (BOOLEAN, INTEGER, NUMBER, STRING)}


@record
class Belief:
    """A fluent, or a family of them if it has an ``index``.

    ``first`` is a value of JSON: its default, or what stands for a default that is unknown.
    """

    name: str
    type: Type
    index: Type | None
    first: Any
    doc: str


@record
class Parameter:
    name: str
    type: Type


@record
class Task:
    """A task that the engine does; ``notes`` say how long it takes and what it uses."""

    name: str
    parameters: tuple[Parameter, ...]
    doc: str
    notes: tuple[str, ...]


@record
class Kind:
    """Agents that have the same beliefs and tasks, for which one class is written."""

    name: str
    agents: tuple[str, ...]
    beliefs: tuple[Belief, ...]
    tasks: tuple[Task, ...]


@record
class Interface:
    """What bindings are written from.

    ``choices`` are all there are, each with the name that its type gets: its title, or else that of
    the belief or parameter that has it first.
    """

    tree: str
    hash: str
    kinds: tuple[Kind, ...]
    choices: Mapping[Choice, str]


def interface_of(hello: Json) -> Interface:
    """The interface of a character, from the answer to ``hello``."""
    alike: dict[str, list[Json]] = {}
    for agent in hello["agents"]:
        alike.setdefault(json.dumps([agent["beliefs"], agent["tasks"]]), []).append(agent)
    kinds = tuple(
        Kind(
            name=hello["tree"] if len(alike) == 1 else first["name"],
            agents=tuple(agent["name"] for agent in (first, *others)),
            beliefs=tuple(map(_belief, first["beliefs"])),
            tasks=tuple(map(_task, first["tasks"])),
        )
        for first, *others in alike.values()
    )
    choices: dict[Choice, str] = {}
    for kind in kinds:
        for name, typed in _named_types(kind):
            for choice in choices_in(typed):
                choices.setdefault(choice, choice.title or name)
    return Interface(hello["tree"], hello["hash"], kinds, choices)


def type_of(schema: Json) -> Type:
    """The type that a JSON Schema describes, ANYTHING if it is none of those above."""
    if "enum" in schema:
        return _listed(schema)
    if "anyOf" in schema:
        options = [option for option in schema["anyOf"] if option != _NULL]
        inside = _common(set(map(type_of, options)))
        return Maybe(inside) if _NULL in schema["anyOf"] and inside != ANYTHING else inside
    if 1 < len(schema.get("prefixItems", ())) <= _LONGEST_TUPLE:
        return Parts(tuple(map(type_of, schema["prefixItems"])))
    if schema.get("type") == "array":
        items = schema.get("prefixItems") or [schema.get("items", {})]
        return Items(_common(set(map(type_of, items))))
    return _PLAIN.get(schema.get("type", ""), ANYTHING)


def _common(types: set[Type]) -> Type:
    """The type of values of any of these types."""
    if types == {INTEGER, NUMBER}:
        return NUMBER
    return types.pop() if len(types) == 1 else ANYTHING


def _listed(schema: Json) -> Type:
    """The type of a few values."""
    values = schema["enum"]
    kinds = set(map(type, values))
    if kinds == {str}:
        return Choice(schema.get("title", ""), tuple(values))
    if kinds == {bool}:
        return BOOLEAN
    if kinds and kinds <= {int, float}:
        return INTEGER if kinds == {int} else NUMBER
    return ANYTHING


def choices_in(typed: Type) -> Iterator[Choice]:
    """The choices in a type, from left to right."""
    match typed:
        case Choice():
            yield typed
        case Parts(types):
            for part in types:
                yield from choices_in(part)
        case Items(inside) | Maybe(inside):
            yield from choices_in(inside)
        case Plain():
            pass


def _named_types(kind: Kind) -> Iterator[tuple[str, Type]]:
    """The types of beliefs and parameters, each with what is called so."""
    for belief in kind.beliefs:
        yield belief.name, belief.type
        if belief.index is not None:
            yield f"{belief.name}_index", belief.index
    for task in kind.tasks:
        for parameter in task.parameters:
            yield f"{task.name}_{parameter.name}", parameter.type


def _belief(told: Json) -> Belief:
    typed = type_of(told["type"])
    index = type_of(told["index"]) if "index" in told else None
    default = told.get("default", "unknown")
    first = default if _can_be_first(default, typed) else _stand_in(typed)
    return Belief(told["name"], typed, index, first, told.get("doc", ""))


def _can_be_first(default: Any, typed: Type) -> bool:
    """Whether a default is known, and a number is one that every language can write."""
    if default == "unknown":
        return isinstance(typed, Choice) and default in typed.members
    return not isinstance(default, int | float) or abs(default) < _BEYOND


def _stand_in(typed: Type) -> Any:
    """A value of a type that stands for one that is unknown."""
    match typed:
        case Plain(kind):
            return {"boolean": False, "integer": 0, "number": 0.0, "string": ""}.get(kind)
        case Choice():
            return typed.members[0]
        case Parts(types):
            return list(map(_stand_in, types))
        case Items():
            return []
        case Maybe():
            return None


def _task(told: Json) -> Task:
    parameters = (Parameter(own["name"], type_of(own["type"])) for own in told["parameters"])
    notes = [f"Takes {told[unit]:g} {unit}." for unit in ("seconds", "ticks") if unit in told]
    if told.get("uses"):
        notes.append(f"Uses {', '.join(told['uses'])}.")
    return Task(told["name"], tuple(parameters), told.get("doc", ""), tuple(notes))
