"""C++17: beliefs are members that can be assigned, tasks virtual functions, in one header."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_letters, digits
from typing import Any, Final

from bthtn.studio.bindings.identifiers import Scope, pascal, snake
from bthtn.studio.bindings.interface import (
    BOOLEAN,
    INTEGER,
    NUMBER,
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
)

_TYPES: Final = "Agent Belief Character Client Connection Error Family Json Process Step StepPtr"
_MEMBERS: Final = (
    "agent agent_name from_json on_abort retell start step take_untold tell to_json told untold"
)
_WORDS: Final = (
    "alignas alignof and and_eq asm assert auto bitand bitor bool break case catch char "
    "char16_t char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast else "
    "enum errno explicit export extern false float for friend goto if inline int linux long "
    "mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected "
    "public register reinterpret_cast requires return short signed sizeof static static_assert "
    "static_cast std stderr stdin stdout struct switch template this thread_local throw true "
    "try typedef typeid typename union unix unsigned using virtual void volatile wchar_t while "
    "xor xor_eq"
)
_UNESCAPED: Final = f"{ascii_letters}{digits} !#$%&'()*+,-./:;<=>@[]^_`{{|}}~"
_PLAIN: Final = {
    "boolean": "bool",
    "integer": "std::int64_t",
    "number": "double",
    "string": "std::string",
    "anything": "Json",
}


def cpp(interface: Interface) -> str:
    """A header: the types of a character, and a client for its bthtn serve."""
    types = Scope(pascal, _TYPES)
    classes = [types.add(kind.name) for kind in interface.kinds]
    enums = enumerations(interface, types, pascal)
    lines: list[str] = []
    for kind, name in zip(interface.kinds, classes, strict=True):
        lines += [*_class(kind, name, enums), ""]
    return filled(
        "client.hpp",
        namespace=Scope(snake, _WORDS).add(interface.tree),
        enums="\n".join(line for enum in enums.values() for line in [*_enum(enum), ""]),
        classes="\n".join(lines),
        tree=_text(interface.tree),
        hash=_text(interface.hash),
    )


def _enum(enum: Enumeration) -> Iterator[str]:
    name = enum.name
    yield f"enum class {name} {{ {', '.join(enum.members.values())} }};"
    yield ""
    yield f"inline Json to_json({name} value) {{"
    yield f"  static const char* const words[] = {{{', '.join(map(_text, enum.members))}}};"
    yield "  return words[static_cast<int>(value)];"
    yield "}"
    yield ""
    yield f"inline void from_json(const Json& json, {name}& value) {{"
    for word, member in enum.members.items():
        yield f"  if (json.text() == {_text(word)}) value = {name}::{member};"
    yield "}"


def _class(kind: Kind, name: str, enums: Enumerations) -> Iterator[str]:
    scope = Scope(snake, _MEMBERS, _WORDS)
    beliefs = [(belief, scope.add(belief.name)) for belief in kind.beliefs]
    tasks = [(task, scope.add(f"on_{task.name}")) for task in kind.tasks]
    yield from comment("///", about_kind(kind))
    yield f"class {name} : public Agent {{"
    yield " public:"
    for belief, identifier in beliefs:
        yield from _belief(belief, identifier, enums)
    agent = _text(kind.agents[0])
    yield f"  explicit {name}(const std::string& agent = {agent}) : Agent(agent) {{}}"
    for task, identifier in tasks:
        yield from _task(task, identifier, enums)
    yield ""
    yield "  void start(const StepPtr& step) override {"
    for task, identifier in tasks:
        args = (
            f"from_json<{_name(parameter.type, enums)}>(step->args[{_text(parameter.name)}])"
            for parameter in task.parameters
        )
        call = f"{identifier}({', '.join(['step', *args])})"
        yield f"    if (step->task == {_text(task.name)}) return {call};"
    yield '    step->fail("these bindings do not know the task \'" + step->task + "\'");'
    yield "  }"
    yield "};"


def _belief(belief: Belief, identifier: str, enums: Enumerations) -> Iterator[str]:
    typed = _name(belief.type, enums)
    first = _literal(belief.type, belief.first, enums)
    family = "" if belief.index is None else f"{_name(belief.index, enums)}, "
    holder = f"Family<{family}{typed}>" if family else f"Belief<{typed}>"
    yield from comment("  ///", about_belief(belief))
    yield f"  {holder} {identifier}{{*this, {_text(belief.name)}, {first}}};"
    yield ""


def _task(task: Task, identifier: str, enums: Enumerations) -> Iterator[str]:
    scope = Scope(snake, _WORDS, "step")
    parameters = (
        f"{_argument(parameter.type, enums)} {scope.add(parameter.name)}"
        for parameter in task.parameters
    )
    yield ""
    yield from comment("  ///", about_task(task))
    yield f"  virtual void {identifier}({', '.join(['const StepPtr& step', *parameters])}) = 0;"


def _name(typed: Type, enums: Enumerations) -> str:
    match typed:
        case Plain(kind):
            return _PLAIN[kind]
        case Choice():
            return enums[typed].name
        case Parts(types):
            return f"std::tuple<{', '.join(_name(part, enums) for part in types)}>"
        case Items(inside):
            return f"std::vector<{_name(inside, enums)}>"
        case Maybe(inside):
            return f"std::optional<{_name(inside, enums)}>"


def _argument(typed: Type, enums: Enumerations) -> str:
    """The type of a parameter: a reference to what is large."""
    is_small = isinstance(typed, Choice) or typed in (BOOLEAN, INTEGER, NUMBER)
    return _name(typed, enums) if is_small else f"const {_name(typed, enums)}&"


def _literal(typed: Type, value: Any, enums: Enumerations) -> str:
    match typed:
        case Plain("string"):
            return f"std::string({_text(value)})"
        case Plain("number"):
            return repr(float(value))
        case Plain("boolean"):
            return "true" if value else "false"
        case Plain("integer"):
            return f"std::int64_t{{{value}}}"
        case Choice():
            enum = enums[typed]
            return f"{enum.name}::{enum.members[value]}"
        case Parts(types):
            parts = zip(types, value, strict=True)
            items = ", ".join(_literal(part, item, enums) for part, item in parts)
            return f"{_name(typed, enums)}{{{items}}}"
        case Items(inside):
            items = ", ".join(_literal(inside, item, enums) for item in value)
            return f"{_name(typed, enums)}{{{items}}}"
        case Maybe(inside) if value is not None:
            return f"{_name(typed, enums)}{{{_literal(inside, value, enums)}}}"
        case Maybe():
            return "std::nullopt"
        case Plain():
            return "Json()"


def _text(text: str) -> str:
    """A string as the bytes of its UTF-8: C++ cannot write every character by its number."""
    escapes = (
        chr(byte) if chr(byte) in _UNESCAPED else f"\\{byte:03o}"
        for byte in text.encode(errors="replace")
    )
    return f'"{"".join(escapes)}"'
