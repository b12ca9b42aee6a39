"""The shape of the lines of a recording: what has to be in them, and of what kind.

A recording may come from a stranger, or be damaged. So whoever reads one looks at lines that
have this shape, and needs no checks of his own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from types import UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from bthtn.engine.agent.events import AgentEvent
from bthtn.engine.plan.plan import Plan
from bthtn.engine.world.diff import Change
from bthtn.kit.recording.event_log import kind_of_class
from bthtn.kit.recording.watched import Line

Check = Callable[[Any], bool]


def fault_of(line: Line) -> str:
    """What is wrong with a line after the first; empty if nothing is.

    A line of which nothing is known is right: another version of bthtn may know it.
    """
    checks: list[tuple[str, Callable[[Line], str]]] = [
        ("event", _fault_of_event),
        ("view", _fault_of_view),
        ("beliefs", lambda line: _fault(line, {"agent": _is_text, "beliefs": _is_dict})),
        ("tick", lambda line: _fault(line, _TICK, {"time": _is_number, "active": _is_texts})),
        ("end", lambda line: _fault(line, {"end": _is_int}, {"reason": _is_text})),
    ]
    return next((fault for key, check in checks if key in line and (fault := check(line))), "")


def fault_of_agent(about: object) -> str:
    """What is wrong with the part of the first line about an agent; empty if nothing is."""
    if not isinstance(about, dict):
        return "an agent is no object"
    found = _fault(about, {"agent": _is_text, "beliefs": _is_dict}, {"since": _is_list})
    if found:
        return found
    for line in about.get("since", ()):
        if not isinstance(line, dict) or "event" not in line:
            return "'since' has something else than events"
        if fault := _fault_of_event(line, has_tick=False):
            return fault
    return ""


def _fault_of_event(line: Line, *, has_tick: bool = True) -> str:
    needed, further = _shape_of(line["event"]) if isinstance(line["event"], str) else ({}, {})
    context: dict[str, Check] = {"agent": _is_text, "goal": _is_text, "plan_id": _is_text}
    tick = _TICK if has_tick else {}
    return _fault(line, {"event": _is_text, **tick, **needed}, {**context, **further})


def _fault_of_view(line: Line) -> str:
    """What is wrong with a tree, or with the changes of one."""
    if fault := _fault(line, {"view": _is_int, "agent": _is_text}):
        return fault
    if "tree" in line:
        return _fault_of_nodes([line["tree"]])
    grafts, statuses = line.get("graft", []), line.get("status", {})
    if not _is_list(grafts) or not _is_dict(statuses):
        return "'graft' is no list, or 'status' no object"
    for graft in grafts:
        if not (_is_dict(graft) and _is_int(graft.get("id")) and _is_list(graft.get("children"))):
            return "a graft has no 'id' or no 'children'"
        if fault := _fault_of_nodes(graft["children"]):
            return fault
    is_right = all(_is_texts(status) and len(status) == 2 for status in statuses.values())  # noqa: PLR2004 - a status and its message
    return "" if is_right else "a status is no pair of texts"


def _fault_of_nodes(nodes: list[Any]) -> str:
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if not _is_dict(node):
            return "a node of the tree is no object"
        if fault := _fault(node, _NODE, _FURTHER):
            return f"a node of the tree: {fault}"
        pending.extend(node["children"])
    return ""


def _fault(
    line: Mapping[str, Any], needed: Mapping[str, Check], further: Mapping[str, Check] | None = None
) -> str:
    for name, check in needed.items():
        if name not in line:
            return f"it has no '{name}'"
        if not check(line[name]):
            return f"its '{name}' is of a wrong kind"
    for name, check in (further or {}).items():
        if name in line and not check(line[name]):
            return f"its '{name}' is of a wrong kind"
    return ""


@cache
def _shape_of(kind: str) -> tuple[Mapping[str, Check], Mapping[str, Check]]:
    """The checks of the fields that an event of a kind needs, and of those that it may have."""
    found = next((event for event in get_args(AgentEvent) if kind_of_class(event) == kind), None)
    if found is None:  # of another version of bthtn
        return {}, {}
    hints = get_type_hints(found)
    needed: dict[str, Check] = {}
    further: dict[str, Check] = {}
    for field in fields(found):
        is_needed = field.default is MISSING and field.default_factory is MISSING
        (needed if is_needed else further)[field.name] = _check_of(hints[field.name])
    return needed, further


def _check_of(hint: Any) -> Check:
    """The check of a field of an event, as its annotation has it."""
    if isinstance(hint, UnionType):
        checks = [_check_of(choice) for choice in get_args(hint)]
        return lambda value: any(check(value) for check in checks)
    if get_origin(hint) is tuple:
        item = _check_of(get_args(hint)[0])
        return lambda value: _is_list(value) and all(map(item, value))
    if isinstance(hint, type) and issubclass(hint, BaseException):
        return _is_text
    return _CHECKS[hint]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_int(value: Any) -> bool:
    return type(value) is int


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) or value in ("inf", "-inf", "nan")


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_dict(value: Any) -> bool:
    return isinstance(value, dict)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_plan(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("plan"), str)
        and isinstance(value.get("record"), list)
        and all(map(_is_int, value["record"]))
    )


def _is_change(value: Any) -> bool:
    if not isinstance(value, dict) or not {"before", "after"} <= value.keys():
        return False
    return isinstance(value.get("fluent"), str) and isinstance(value.get("source"), str)


_CHECKS: Final[Mapping[Any, Check]] = {
    str: _is_text,
    int: _is_int,
    float: _is_number,
    bool: lambda value: isinstance(value, bool),
    type(None): lambda value: value is None,
    Hashable: lambda _: True,
    Plan: _is_plan,
    Change: _is_change,
}
_TICK: Final[Mapping[str, Check]] = {"tick": _is_int}
_TEXTS: Final = ("kind", "name", "below", "tooltip", "status", "message", "edge")
_NODE: Final[Mapping[str, Check]] = {
    "id": _is_int,
    "children": _is_list,
    **dict.fromkeys(_TEXTS, _is_text),
}
_FURTHER: Final[Mapping[str, Check]] = {
    "task": _is_text,
    "path": _is_text,
    "source": _is_text,
    "conditions": _is_texts,
}
