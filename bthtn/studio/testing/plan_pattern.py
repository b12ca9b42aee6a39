"""Patterns of plans: a plan as text in which something is left open.

    (reload, *, shoot)              anything may stand there
    (go(?room), look, ?last)        a value or a step, the same wherever the name stands
    parallel{move, reload}          these branches in any order
    ({reload, hide}, shoot)         these steps in any order

All else is the plan's ``normal`` text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice, pairwise, permutations
from typing import Final

from bthtn.engine.text.notation import COMPOSITES, RESERVED
from bthtn.engine.text.values import QUOTED
from bthtn.errors import InputError, nearest

MOST_IN_ANY_ORDER: Final = 5
MOST_ORDERS: Final = 1_000
"""Of all braces of a pattern together."""
_OPEN: Final = re.compile(r"[*?{}]")
_TOKEN: Final = re.compile(
    rf"{QUOTED.pattern}|\?(?P<name>[^\W\d]\w*)|(?P<any>\*|…)|(?P<gap>\s*,\s*)|.", re.DOTALL
)
_ARGUMENTS: Final = re.compile(r"(?P<task>\w+)\((?P<values>[^(){}]*)\)")
_WORD: Final = re.compile(r"(?<![?\w.])[^\W\d]\w*")


def is_pattern(text: str) -> bool:
    """Whether something is left open in the text of a plan; quoted texts do not count."""
    return _OPEN.search(QUOTED.sub("", text)) is not None


def matches(pattern: str, plan: str) -> bool:
    """Whether the ``normal`` text of a plan is one that the pattern stands for."""
    return any(
        re.fullmatch(expression, plan, re.DOTALL)
        for expression in map(_expression, _orders(pattern))
    )


def check_pattern(pattern: str, tasks: Collection[str]) -> None:
    """Raise InputError for braces that do not fit, and for tasks that are none of these."""
    orders = list(islice(_orders(pattern), MOST_ORDERS + 1))
    if len(orders) > MOST_ORDERS:
        message = f"more than {MOST_ORDERS} orders of parts: {pattern}"
        raise InputError("BT406", message, hint="write fewer braces, or * for a part")
    text = QUOTED.sub("", orders[0])
    while (bare := _ARGUMENTS.sub(_without_values, text)) != text:
        text = bare
    unknown = {*_WORD.findall(text)} - {*tasks, *RESERVED, "all", "any", "primary"}
    for word in sorted(unknown):
        raise InputError("BT406", f"there is no task '{word}'", hint=nearest(word, tasks))


def _without_values(found: re.Match[str]) -> str:
    """A task without its values; the parts of a composite stay, in brackets that are done with."""
    is_composite = found["task"] in COMPOSITES
    return f"{found['task']} {found['values']}" if is_composite else found["task"]


def _orders(pattern: str) -> Iterator[str]:
    """The pattern with the parts of its innermost braces in every order. Raises InputError."""
    plain = QUOTED.sub(lambda found: "_" * len(found[0]), pattern)
    end = plain.find("}")
    start = plain.rfind("{", 0, end) if end >= 0 else plain.find("{")
    if start < 0 and end < 0:
        yield pattern
        return
    if start < 0 or end < 0:
        hint = "write {one, other} around parts in any order"
        raise InputError("BT406", f"a brace is not closed: {pattern}", hint=hint)
    cuts = [start, *_commas(plain, start + 1, end), end]
    parts = [pattern[cut + 1 : other].strip() for cut, other in pairwise(cuts)]
    if len(parts) > MOST_IN_ANY_ORDER:
        hint = f"write at most {MOST_IN_ANY_ORDER} into {{…}}"
        raise InputError("BT406", f"{len(parts)} parts in any order", hint=hint)
    opening, closing = ("(", ")") if plain[:start].endswith("parallel") else ("", "")
    if not opening:  # a sequence inside of a sequence is one
        parts = [part[1:-1] if part.startswith("(") else part for part in parts]
    for order in permutations(parts):
        yield from _orders(
            f"{pattern[:start]}{opening}{', '.join(order)}{closing}{pattern[end + 1 :]}"
        )


def _commas(text: str, start: int, end: int) -> Iterator[int]:
    """The places of the commas that are in no brackets."""
    depth = 0
    for place in range(start, end):
        depth += (text[place] == "(") - (text[place] == ")")
        if text[place] == "," and depth == 0:
            yield place


def _expression(pattern: str) -> str:
    """The regular expression of a pattern without braces."""
    seen: set[str] = set()

    def part(token: re.Match[str]) -> str:
        if token["any"]:
            return ".*"
        if token["gap"]:
            return ", "
        name = token["name"]
        if name is None:
            return re.escape(token[0])
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return rf"(?P<{name}>{QUOTED.pattern}|[^\s,()]+(?:\([^()]*\))?)"

    return _TOKEN.sub(part, pattern.strip())
