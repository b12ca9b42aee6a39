"""HELLO: a description, as ``hello`` answers it, whose names and types are as bad as can be."""

from __future__ import annotations

from collections.abc import Iterator

NAMES = [
    *("class", "Class", "CLASS", "", "  ", "3d", "-", "日本", "naïve", "step", "Step", "json"),
    *("words", "list", "array", "agent", "agent name", "tell", "get", "set", "toString"),
    *("constructor", "on walk", "walk", "$tree", "${enums}", "{0}", "%s", "self", "this"),
    *("string", "object", "linux", "errno", "name", "free", "distance", "Distance", "__proto__"),
    *("on_abort", "set_distance", "get_distance", "value", "values", "a*/b", "emoji 😀", "tab\t"),
    *("what??/", "start", "forget", "default", 'x"); evil(); ("', "backslash\\"),
]
WORDS = ["class", "Class", "é", "3", "", 'q"uote', "NEAR", "near", "EOF", "true", "default", "None"]
DISTANCE, CLASS, STEP = ({"title": title, "enum": WORDS} for title in ("Distance", "class", "Step"))
INTEGER, NUMBER, STRING, NULL = ({"type": kind} for kind in ("integer", "number", "string", "null"))
TYPES = [
    *({"type": "boolean"}, INTEGER, NUMBER, STRING, DISTANCE, CLASS, STEP, {}),
    {"enum": ["a", "b\\"]},
    {"anyOf": [STRING, NULL]},
    {"anyOf": [DISTANCE, NULL]},
    {"anyOf": [INTEGER, NULL]},
    {"type": "array", "prefixItems": [DISTANCE, INTEGER, {"anyOf": [INTEGER, NULL]}]},
    {"type": "array", "items": CLASS},
    {"type": "array"},
    {"type": "array", "items": {"type": "array", "prefixItems": [INTEGER, STEP]}},
    {"enum": [1, 2]},
    {"enum": [1, "a"]},
    {"anyOf": [INTEGER, STRING]},
    {"type": "array", "prefixItems": []},
    {"type": "array", "prefixItems": [INTEGER]},
    {"type": "array", "prefixItems": [INTEGER] * 9},
    {"anyOf": [{"type": "array", "prefixItems": [DISTANCE, INTEGER]}, NULL]},
    {"anyOf": [{"type": "array", "items": NUMBER}, NULL]},
]
INDICES = [
    *(STRING, INTEGER, DISTANCE, {"anyOf": [STRING, NULL]}, {}),
    {"type": "array", "prefixItems": [STRING, CLASS]},
]
DEFAULTS = [
    ({"type": "array", "prefixItems": [DISTANCE, INTEGER]}, ["near", 3]),
    ({"anyOf": [{"type": "array", "prefixItems": [DISTANCE, INTEGER]}, NULL]}, ["near", 3]),
    ({"type": "array", "items": CLASS}, ["3", ""]),
    ({}, {"a": [1, None, True]}),
    (STRING, 'q"\\\n\u202e é 😀 $x ??/'),
    (NUMBER, float("inf")),
    (INTEGER, 2**70),
    (INTEGER, -5),
]
DOC = 'evil */ \u202e "doc" \\\n#include <evil>\r\n--> <b> & \u2028 evil \\'


def beliefs() -> Iterator[dict]:
    for number, name in enumerate(NAMES):
        index = {"index": INDICES[number // 4 % len(INDICES)]} if number % 4 == 3 else {}
        yield {"name": name, "type": TYPES[number % len(TYPES)], "doc": DOC, **index}
    for number, kind in enumerate(TYPES):
        yield {"name": f"type {number}", "type": kind, "default": "unknown"}
    for number, index in enumerate(INDICES):
        yield {"name": f"family {number}", "type": TYPES[-number - 1], "index": index}
    for number, (kind, default) in enumerate(DEFAULTS):
        yield {"name": f"default {number}", "type": kind, "default": default}


def tasks() -> Iterator[dict]:
    for first, name in enumerate(NAMES):
        parameters = [
            {"name": own, "type": TYPES[(first + number) % len(TYPES)]}
            for number, own in enumerate((NAMES[first:] + NAMES)[:4])
        ]
        yield {"name": name, "doc": DOC, "uses": ["a\nb"], "ticks": 3, "parameters": parameters}


HELLO = {
    "tree": 'na"sty\\ tree\n$x',
    "hash": "0",
    "agents": [
        {"name": 'a"b', "beliefs": list(beliefs()), "tasks": list(tasks())},
        {"name": "class", "beliefs": [], "tasks": []},
        {"name": "Client", "beliefs": list(beliefs())[:2], "tasks": []},
    ],
}
