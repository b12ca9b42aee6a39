"""C#: beliefs are properties, tasks abstract methods, for Unity, Godot and .NET."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
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
    "Action Agent ArgumentException Array Bthtn BthtnError Character Client Console Convert "
    "CultureInfo Dictionary Exception Family FormatException Func IDisposable IOException Json "
    "List Math Nullable NumberStyles Object Process ProcessStartInfo Step StreamReader "
    "StreamWriter String StringBuilder System TextReader TextWriter Tuple UTF8Encoding Words"
)
_MEMBERS: Final = (
    "AgentName Array Bthtn Character Equals Finalize Forget GetHashCode GetType Json List "
    "MemberwiseClone OnAbort ReferenceEquals Retell Said Start TakeUntold Tell ToString Words"
)
_WORDS: Final = (
    "abstract as base bool break byte case catch char checked class const continue decimal "
    "default delegate do double else enum event explicit extern false finally fixed float for "
    "foreach goto if implicit in int interface internal is lock long namespace new null object "
    "operator out override params private protected public readonly ref return sbyte sealed "
    "short sizeof stackalloc static step string struct switch this throw true try typeof uint "
    "ulong unchecked unsafe ushort using virtual void volatile while"
)
_PLAIN: Final = {
    "boolean": "bool",
    "integer": "long",
    "number": "double",
    "string": "string",
    "anything": "object",
}


def csharp(interface: Interface) -> str:
    """A file: the types of a character, and a client for its bthtn serve."""
    types = Scope(pascal, _TYPES)
    classes = [types.add(kind.name) for kind in interface.kinds]
    namespace = Scope(pascal, "System").add(interface.tree)
    enums = enumerations(interface, types, pascal, place=f"Bthtn.{namespace}.")
    lines: list[str] = []
    for enum in enums.values():
        lines += [*_enum(enum), ""]
    if enums:
        lines += [*_words(enums.values()), ""]
    for kind, name in zip(interface.kinds, classes, strict=True):
        lines += [*_class(kind, name, enums), ""]
    return filled(
        "client.cs",
        namespace=namespace,
        types="\n".join(f"    {line}".rstrip() for line in lines),
        tree=quoted(interface.tree),
        serve=quoted(f'serve "{interface.tree}"'),
        hash=quoted(interface.hash),
    )


def _enum(enum: Enumeration) -> Iterator[str]:
    yield f"public enum {enum.name}"
    yield "{"
    for member in enum.members.values():
        yield f"    {member},"
    yield "}"


def _words(enums: Iterable[Enumeration]) -> Iterator[str]:
    """What the members of all enums are called in bthtn."""
    yield "internal static class Words"
    yield "{"
    for enum in enums:
        words = ", ".join(map(quoted, enum.members))
        yield f"    internal static readonly string[] {enum.name} = {{ {words} }};"
    yield "}"


def _class(kind: Kind, name: str, enums: Enumerations) -> Iterator[str]:
    scope = Scope(pascal, _MEMBERS, name)
    beliefs = [(belief, scope.add(belief.name)) for belief in kind.beliefs]
    tasks = [(task, scope.add(f"on_{task.name}")) for task in kind.tasks]
    yield from _summary("", about_kind(kind))
    yield f"public abstract class {name} : Agent"
    yield "{"
    for belief, identifier in beliefs:
        yield from _belief(belief, identifier, enums)
    yield f"    protected {name}(string agentName = {quoted(kind.agents[0])}) : base(agentName)"
    yield "    {"
    for belief, identifier in beliefs:
        if belief.index is not None:
            yield f"        {identifier} = {_family(belief, enums)};"
    yield "    }"
    for task, identifier in tasks:
        yield from _task(task, identifier, enums)
    yield ""
    yield "    public override void Start(Step step)"
    yield "    {"
    yield "        switch (step.Task)"
    yield "        {"
    for task, identifier in tasks:
        args = (
            _read(parameter.type, f"step.Args[{quoted(parameter.name)}]", enums)
            for parameter in task.parameters
        )
        yield f"            case {quoted(task.name)}:"
        yield f"                {identifier}({', '.join(['step', *args])});"
        yield "                break;"
    yield "            default:"
    yield '                step.Fail("these bindings do not know the task \'" + step.Task + "\'");'
    yield "                break;"
    yield "        }"
    yield "    }"
    yield "}"


def _belief(belief: Belief, identifier: str, enums: Enumerations) -> Iterator[str]:
    typed, name = _name(belief.type, enums), quoted(belief.name)
    yield from _summary("    ", about_belief(belief))
    if belief.index is not None:
        family = f"Family<{_name(belief.index, enums)}, {typed}>"
        yield f"    public readonly {family} {identifier};"
    else:
        yield f"    public {typed} {identifier}"
        yield "    {"
        first = _literal(belief.type, belief.first, enums)
        yield f"        get {{ return Said<{typed}>({name}, {first}); }}"
        yield f"        set {{ Tell({name}, value, {_written(belief.type, 'value', enums)}); }}"
        yield "    }"
    yield ""


def _family(belief: Belief, enums: Enumerations) -> str:
    assert belief.index is not None, "a family has an index"
    types = f"{_name(belief.index, enums)}, {_name(belief.type, enums)}"
    first = _literal(belief.type, belief.first, enums)
    index, value = (
        f"one => {_written(typed, 'one', enums)}" for typed in (belief.index, belief.type)
    )
    return f"new Family<{types}>(this, {quoted(belief.name)}, {first}, {index}, {value})"


def _task(task: Task, identifier: str, enums: Enumerations) -> Iterator[str]:
    scope = Scope(camel, _WORDS)
    parameters = (
        f"{_name(parameter.type, enums)} {scope.add(parameter.name)}"
        for parameter in task.parameters
    )
    yield ""
    yield from _summary("    ", about_task(task))
    yield f"    public abstract void {identifier}({', '.join(['Step step', *parameters])});"


def _name(typed: Type, enums: Enumerations) -> str:
    match typed:
        case Plain(kind):
            return _PLAIN[kind]
        case Choice():
            return enums[typed].name
        case Parts(types):
            return f"({', '.join(_name(part, enums) for part in types)})"
        case Items(inside):
            return f"List<{_name_inside(inside, enums)}>"
        case Maybe(inside):
            return _name_inside(inside, enums) + "?" * _is_struct(inside)


def _name_inside(typed: Type, enums: Enumerations) -> str:
    """The name of a type that stands in another one: compilers of Mono read no short one there."""
    if not isinstance(typed, Parts):
        return _name(typed, enums)
    return f"ValueTuple<{', '.join(_name_inside(part, enums) for part in typed.types)}>"


def _is_struct(typed: Type) -> bool:
    """Whether a null of the type needs a ``?``."""
    return isinstance(typed, Choice | Parts) or (
        isinstance(typed, Plain) and typed.kind in ("boolean", "integer", "number")
    )


def _read(typed: Type, json: str, enums: Enumerations, depth: int = 0) -> str:
    """The expression of a value that is there as one of JSON."""
    match typed:
        case Plain("integer"):
            return f"Json.Int({json})"
        case Plain("number"):
            return f"Json.Float({json})"
        case Plain("anything"):
            return json
        case Plain(kind):
            return f"({_PLAIN[kind]}){json}"
        case Choice():
            name = enums[typed].name
            return f"({name})Array.IndexOf(Words.{name}, {json})"
        case Parts(types):
            items = (
                _read(part, f"Json.List({json})[{number}]", enums, depth)
                for number, part in enumerate(types)
            )
            return f"({', '.join(items)})"
        case Items(inside):
            item = f"item{depth or ''}"
            each = _read(inside, item, enums, depth + 1)
            return f"Json.List({json}).Select({item} => {each}).ToList()"
        case Maybe(inside):
            return f"{json} == null ? ({_name(typed, enums)})null : {_read(inside, json, enums)}"


def _written(typed: Type, value: str, enums: Enumerations, depth: int = 0) -> str:
    """The expression of the value of JSON for a value."""
    match typed:
        case Plain():
            return f"(object){value}" if depth else value
        case Choice():
            return f"Words.{enums[typed].name}[(int){value}]"
        case Parts(types):
            items = (
                _written(part, f"{value}.Item{number}", enums, depth + 1)
                for number, part in enumerate(types, 1)
            )
            return f"new List<object> {{ {', '.join(items)} }}"
        case Items(inside):
            item = f"item{depth or ''}"
            each = _written(inside, item, enums, depth + 1)
            return f"{value}.Select({item} => {each}).ToList<object>()"
        case Maybe(inside):
            there = f"{value}.Value" if _is_struct(inside) else value
            return f"{value} == null ? null : (object){_written(inside, there, enums, depth)}"


def _literal(typed: Type, value: Any, enums: Enumerations) -> str:
    match typed:
        case Plain("string"):
            return quoted(value)
        case Plain("number"):
            return repr(float(value))
        case Plain("boolean"):
            return "true" if value else "false"
        case Plain("integer"):
            return f"{value}L"
        case Choice():
            enum = enums[typed]
            return f"{enum.full_name}.{enum.members[value]}"
        case Parts(types):
            parts = zip(types, value, strict=True)
            return f"({', '.join(_literal(part, item, enums) for part, item in parts)})"
        case Items(inside):
            items = ", ".join(_literal(inside, item, enums) for item in value)
            return f"new {_name(typed, enums)} {{ {items} }}"
        case Maybe(inside) if value is not None:
            return _literal(inside, value, enums)
        case Plain() | Maybe():
            return "null"


def _summary(indent: str, paragraphs: Iterable[str]) -> Iterator[str]:
    yield f"{indent}/// <summary>"
    yield from comment(f"{indent}///", (escape(text, quote=False) for text in paragraphs))
    yield f"{indent}/// </summary>"
