"""GDScript: beliefs are properties, tasks functions to write, for Godot 4 and for Godot 3."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from bthtn.records import record
from bthtn.studio.bindings.identifiers import Scope, constant, pascal, snake
from bthtn.studio.bindings.interface import (
    Belief,
    Choice,
    Interface,
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
)

_CALLED_IN_4: Final = {
    "refcounted": "RefCounted",
    "bytes": "PackedByteArray",
    "utf8": "to_utf8_buffer",
    "write": "JSON.stringify",
    "exact": ', "", false, true',
    "read": "JSON.parse_string",
    "result": "",
    "start": "OS.create_process(command, arguments)",
    "poll": "\t\t_peer.poll()\n",
    "remove": "DirAccess.remove_absolute",
    "open": "\t\tvar is_there = FileAccess.file_exists(path)\n"
    '\t\tvar text = FileAccess.get_file_as_string(path) if is_there else ""',
}
_CALLED_IN_3: Final = {
    "refcounted": "Reference",
    "bytes": "PoolByteArray",
    "utf8": "to_utf8",
    "write": "JSON.print",
    "exact": "",
    "read": "JSON.parse",
    "result": ".result",
    "start": "OS.execute(command, arguments, false)",
    "poll": "",
    "remove": "Directory.new().remove",
    "open": "\t\tvar file = File.new()\n"
    '\t\tvar text = file.get_as_text() if file.open(path, File.READ) == OK else ""',
}
"""What one version of Godot calls otherwise than the other."""

_TYPES: Final = (
    "AABB Agent Array Basis Callable Character Client Color Dictionary Directory Engine File "
    "FileAccess Geometry Input IP JSON Marshalls Mutex Node NodePath Object OS Performance "
    "Plane Quat Rect2 RefCounted Reference Resource RID Script Signal Step StreamPeerTCP String "
    "StringName Thread Time Timer Transform Variant Vector2 Vector3 Vector4 WeakRef Words"
)
_MEMBERS: Final = (
    "agent_name call callv changed connect disconnect emit_signal forget free get get_class "
    "has_method has_signal init_ref is_class is_connected notification on_abort "
    "property_list_changed_notify reference retell said script script_changed set "
    "set_block_signals set_meta set_script start take_untold tell tell_member to_string tr "
    "unreference"
)
_WORDS: Final = (
    "abs acos and as asin assert atan await bool break breakpoint ceil char clamp class "
    "class_name const continue cos do elif else enum exp export extends false float floor for "
    "func hash if in inf int is isnan len lerp load log master match max min move_toward "
    "namespace nan not null onready or pass pow preload print puppet randf randi range remote "
    "return round seed self setget sign signal sin sqrt static step str super switch tan trait "
    "true typeof var void weakref when while yield"
)
_PLAIN: Final = {
    "boolean": "bool",
    "integer": "int",
    "number": "float",
    "string": "String",
}


@record
class _Godot:
    """What the writers of parts need to know: the enums, and for which Godot it is."""

    enums: Enumerations
    is_3: bool


def gdscript(interface: Interface) -> str:
    """A script for Godot 4: the types of a character, and a client for its bthtn serve."""
    return _script(interface, _CALLED_IN_4)


def gdscript3(interface: Interface) -> str:
    """The same for Godot 3."""
    return _script(interface, _CALLED_IN_3)


def _script(interface: Interface, called: Mapping[str, str]) -> str:
    types = Scope(pascal, _TYPES)
    classes = [types.add(kind.name) for kind in interface.kinds]
    enums = enumerations(interface, types, constant)
    lines: list[str] = []
    for kind, name in zip(interface.kinds, classes, strict=True):
        lines += [*_class(kind, name, _Godot(enums, is_3=called is _CALLED_IN_3)), "", ""]
    return filled(
        "client.gd",
        enums="\n".join(_enums(enums.values())),
        classes="\n".join(lines),
        tree=_text(interface.tree),
        hash=_text(interface.hash),
        **called,
    )


def _enums(enums: Iterable[Enumeration]) -> Iterator[str]:
    """The enums, and what their members are called in bthtn."""
    words = []
    for enum in enums:
        yield f"enum {enum.name} {{ {', '.join(enum.members.values())} }}"
        words.append(f'"{enum.name}": [{", ".join(map(_text, enum.members))}]')
    yield f"const WORDS := {{ {', '.join(words)} }}"
    yield ""


def _class(kind: Kind, name: str, godot: _Godot) -> Iterator[str]:
    scope = Scope(snake, _MEMBERS, _WORDS)
    beliefs = [(belief, scope.add(belief.name)) for belief in kind.beliefs]
    access = [
        (scope.add(f"set_{belief.name}"), scope.add(f"get_{belief.name}"))
        for belief in kind.beliefs
    ]
    tasks = [(task, scope.add(f"on_{task.name}")) for task in kind.tasks]
    yield from comment("#", about_kind(kind))
    yield f"class {name}:"
    yield "\textends Agent"
    for (belief, identifier), (setter, getter) in zip(beliefs, access, strict=True):
        yield ""
        yield from comment("\t#", about_belief(belief))
        if belief.index is not None:
            yield from _family(belief, setter, getter, godot)
        elif godot.is_3:
            yield from _property_in_3(belief, identifier, setter, godot)
        else:
            yield from _property_in_4(belief, identifier, godot)
    yield ""
    yield "\tfunc _init():"
    yield f"\t\tagent_name = {_text(kind.agents[0])}"
    for task, identifier in tasks:
        yield from _task(task, identifier, godot)
    if tasks:
        yield ""
        yield "\tfunc start(step):"
        yield "\t\tmatch step.task:"
        for task, identifier in tasks:
            args = (
                _read(parameter.type, f"step.args[{_text(parameter.name)}]", godot)
                for parameter in task.parameters
            )
            yield f"\t\t\t{_text(task.name)}:"
            yield f"\t\t\t\t{identifier}({', '.join(['step', *args])})"
        yield "\t\t\t_:"
        yield '\t\t\t\tstep.fail("these bindings do not know the task \'" + step.task + "\'")'


def _property_in_4(belief: Belief, identifier: str, godot: _Godot) -> Iterator[str]:
    first = _literal(belief.type, belief.first, godot)
    yield f"\tvar {identifier}{_hint(belief.type, godot)} = {first}:"
    yield "\t\tset(value):"
    yield f"\t\t\t{identifier} = value"
    yield f"\t\t\ttell({_text(belief.name)}, {_written(belief.type, 'value', godot)})"


def _property_in_3(belief: Belief, identifier: str, setter: str, godot: _Godot) -> Iterator[str]:
    hint, first = _hint(belief.type, godot), _literal(belief.type, belief.first, godot)
    yield f"\tvar {identifier}{hint} = {first} setget {setter}"
    yield ""
    yield f"\tfunc {setter}(value{hint}):"
    yield f"\t\t{identifier} = value"
    yield f"\t\ttell({_text(belief.name)}, {_written(belief.type, 'value', godot)})"


def _family(belief: Belief, setter: str, getter: str, godot: _Godot) -> Iterator[str]:
    assert belief.index is not None, "a family has an index"
    name, index = _text(belief.name), _hint(belief.index, godot)
    inside = _written(belief.index, "index", godot)
    parts = inside if isinstance(belief.index, Parts) else f"[{inside}]"
    value = _written(belief.type, "value", godot)
    yield f"\tfunc {setter}(index{index}, value{_hint(belief.type, godot)}):"
    yield f"\t\ttell_member({name}, {parts}, {value})"
    yield ""
    yield f"\tfunc {getter}(index{index}):"
    yield f"\t\tvar value = said({name}, {parts}, {_any(belief.first)})"
    yield f"\t\treturn {_read(belief.type, 'value', godot)}"


def _task(task: Task, identifier: str, godot: _Godot) -> Iterator[str]:
    scope = Scope(snake, _WORDS, "step")
    parameters = (
        f"_{scope.add(parameter.name)}{_hint(parameter.type, godot)}"
        for parameter in task.parameters
    )
    yield ""
    yield from comment("\t#", about_task(task))
    yield f"\tfunc {identifier}({', '.join(['step', *parameters])}):"
    yield f'\t\tstep.fail("{identifier} is not written")'


def _hint(typed: Type, godot: _Godot) -> str:
    """The type of a variable, as it stands behind its name; nothing for any value."""
    match typed:
        case Plain("anything") | Maybe():
            return ""
        case Plain(kind):
            return f": {_PLAIN[kind]}"
        case Choice():
            return ": int" if godot.is_3 else f": {godot.enums[typed].name}"
        case _:
            return ": Array"


def _read(typed: Type, json: str, godot: _Godot) -> str:
    """The expression of a value that is there as one of JSON, whose numbers are all floats.

    The words of choices stay words in arrays of any length.
    """
    match typed:
        case Plain("integer"):
            return f"int({json})"
        case Plain("number"):
            return f"float({json})"
        case Choice():
            return f'WORDS["{godot.enums[typed].name}"].find({json})'
        case Parts(types):
            items = (_read(part, f"{json}[{i}]", godot) for i, part in enumerate(types))
            return f"[{', '.join(items)}]"
        case Maybe(inside):
            return f"null if {json} == null else {_read(inside, json, godot)}"
        case _:
            return json


def _written(typed: Type, value: str, godot: _Godot) -> str:
    """The expression of the value of JSON for a value."""
    match typed:
        case Choice():
            return f'WORDS["{godot.enums[typed].name}"][{value}]'
        case Parts(types):
            items = (_written(part, f"{value}[{i}]", godot) for i, part in enumerate(types))
            return f"[{', '.join(items)}]"
        case Maybe(inside):
            there = _written(inside, value, godot)
            return value if there == value else f"null if {value} == null else {there}"
        case _:
            return value


def _literal(typed: Type, value: Any, godot: _Godot) -> str:
    match typed:
        case Plain("number"):
            return repr(float(value))
        case Choice():
            enum = godot.enums[typed]
            return f"{enum.name}.{enum.members[value]}"
        case Parts(types):
            parts = zip(types, value, strict=True)
            return f"[{', '.join(_literal(part, item, godot) for part, item in parts)}]"
        case Maybe(inside) if value is not None:
            return _literal(inside, value, godot)
        case _:
            return _any(value)


def _any(value: Any) -> str:
    """A value of JSON; objects are left out."""
    if isinstance(value, list):
        return f"[{', '.join(map(_any, value))}]"
    if isinstance(value, str):
        return _text(value)
    return "null" if value is None or isinstance(value, dict) else str(value).lower()


def _text(text: str) -> str:
    """A string, with escapes for what cannot be seen."""
    escapes = (
        f"\\{letter}"
        if letter in '"\\'
        else letter
        if letter.isprintable()
        else f"\\u{ord(letter):04x}"
        for letter in text
    )
    return f'"{"".join(escapes)}"'
