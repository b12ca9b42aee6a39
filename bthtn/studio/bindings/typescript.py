"""TypeScript: beliefs are accessors, tasks abstract functions, for Node and for browsers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from bthtn.studio.bindings.identifiers import Scope, camel, pascal
from bthtn.studio.bindings.interface import (
    Belief,
    Choice,
    Interface,
    Items,
    Kind,
    Maybe,
    Parts,
    Plain,
    Task,
    Type,
)
from bthtn.studio.bindings.source import (
    Enumeration,
    Enumerations,
    about_belief,
    about_kind,
    about_task,
    comment,
    enumerations,
    filled,
    quoted,
)

_TYPES: Final = (
    "Agent Array BthtnError Character Child Client Error Family JSON Map Object Promise Record "
    "Step String Waiting WebSocket"
)
_MEMBERS: Final = (
    "agentName character constructor forget onAbort retell said start takeUntold tell told "
    "toString untold valueOf values"
)
_WORDS: Final = (
    "arguments await break case catch class const continue debugger default delete do else enum "
    "eval export extends false finally for function if implements import in instanceof "
    "interface let new null package private protected public return static step super switch "
    "this throw true try typeof var void while with yield"
)
_PLAIN: Final = {
    "boolean": "boolean",
    "integer": "number",
    "number": "number",
    "string": "string",
    "anything": "unknown",
}


def typescript(interface: Interface) -> str:
    """A module: the types of a character, and a client for its bthtn serve."""
    types = Scope(pascal, _TYPES)
    classes = [types.add(kind.name) for kind in interface.kinds]
    enums = enumerations(interface, types, pascal)
    lines: list[str] = []
    for enum in enums.values():
        lines += [*_enum(enum), ""]
    for kind, name in zip(interface.kinds, classes, strict=True):
        lines += [*_class(kind, name, enums), ""]
    return filled(
        "client.ts",
        types="\n".join(lines),
        tree=quoted(interface.tree),
        hash=quoted(interface.hash),
    )


def _enum(enum: Enumeration) -> Iterator[str]:
    yield f"export enum {enum.name} {{"
    for word, member in enum.members.items():
        yield f"  {member} = {quoted(word)},"
    yield "}"


def _class(kind: Kind, name: str, enums: Enumerations) -> Iterator[str]:
    scope = Scope(camel, _MEMBERS)
    beliefs = [(belief, scope.add(belief.name)) for belief in kind.beliefs]
    tasks = [(task, scope.add(f"on_{task.name}")) for task in kind.tasks]
    yield from _doc("", about_kind(kind))
    yield f"export abstract class {name} extends Agent {{"
    for belief, identifier in beliefs:
        yield from _belief(belief, identifier, enums)
    yield f"  constructor(agentName: string = {quoted(kind.agents[0])}) {{"
    yield "    super(agentName);"
    yield "  }"
    for task, identifier in tasks:
        yield from _task(task, identifier, enums)
    yield ""
    yield "  start(step: Step): void {"
    yield "    switch (step.task) {"
    for task, identifier in tasks:
        args = (f"step.args[{quoted(parameter.name)}]" for parameter in task.parameters)
        yield f"      case {quoted(task.name)}:"
        yield f"        return this.{identifier}({', '.join(['step', *args])});"
    yield "      default:"
    yield '        return step.fail("these bindings do not know the task \'" + step.task + "\'");'
    yield "    }"
    yield "  }"
    yield "}"


def _belief(belief: Belief, identifier: str, enums: Enumerations) -> Iterator[str]:
    typed = _name(belief.type, enums)
    first = _literal(belief.type, belief.first, enums)
    yield from _doc("  ", about_belief(belief))
    if belief.index is not None:
        index = _name(belief.index, enums)
        family = f"Family<{index}, {typed}>"
        yield f"  readonly {identifier} = new {family}(this, {quoted(belief.name)}, {first});"
    else:
        yield f"  get {identifier}(): {typed} {{"
        yield f"    return this.said({quoted(belief.name)}, {first});"
        yield "  }"
        yield f"  set {identifier}(value: {typed}) {{"
        yield f"    this.tell({quoted(belief.name)}, value);"
        yield "  }"
    yield ""


def _task(task: Task, identifier: str, enums: Enumerations) -> Iterator[str]:
    scope = Scope(camel, _WORDS)
    parameters = (
        f"{scope.add(parameter.name)}: {_name(parameter.type, enums)}"
        for parameter in task.parameters
    )
    yield ""
    yield from _doc("  ", about_task(task))
    yield f"  abstract {identifier}({', '.join(['step: Step', *parameters])}): void;"


def _name(typed: Type, enums: Enumerations) -> str:
    match typed:
        case Plain(kind):
            return _PLAIN[kind]
        case Choice():
            return enums[typed].name
        case Parts(types):
            return f"[{', '.join(_name(part, enums) for part in types)}]"
        case Items(inside):
            return f"Array<{_name(inside, enums)}>"
        case Maybe(inside):
            return f"{_name(inside, enums)} | null"


def _literal(typed: Type, value: Any, enums: Enumerations) -> str:
    match typed:
        case Choice():
            enum = enums[typed]
            return f"{enum.name}.{enum.members[value]}"
        case Parts(types):
            parts = zip(types, value, strict=True)
            return f"[{', '.join(_literal(part, item, enums) for part, item in parts)}]"
        case Items(inside):
            return f"[{', '.join(_literal(inside, item, enums) for item in value)}]"
        case Maybe(inside) if value is not None:
            return _literal(inside, value, enums)
        case Plain() | Maybe():
            return json.dumps(value)


def _doc(indent: str, paragraphs: Iterable[str]) -> Iterator[str]:
    yield f"{indent}/**"
    yield from comment(f"{indent} *", paragraphs)
    yield f"{indent} */"
