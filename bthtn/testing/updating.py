"""Rewrites what a case expects to what is planned now: ``pytest --bthtn-update``."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from bthtn.errors import BthtnError
from bthtn.formats.document import lines_of, text_of
from bthtn.plan.notation import normal
from bthtn.planning.planner import find_plan
from bthtn.testing.cases import NO_PLAN, Case


def update(path: Path, case: Case) -> bool:
    """Write the actual plan of a case into its file, and its record where there was one.

    Returns False, with nothing written, where planning raises, and where a value that would have
    to change is not in one line.
    """
    try:
        plan = find_plan(case.domain, case.state, case.task, case.settings)
    except BthtnError:
        return False
    changes: dict[str, str | None] = {"expect": json.dumps(NO_PLAN), "record": None}
    if plan is not None:
        expected = json.dumps(normal(plan.tree), ensure_ascii=False)
        changes = {"expect": expected, "record": json.dumps(list(plan.record)), "because": None}
    text = text_of(path)
    lines, places = text.split("\n"), lines_of(text)
    for key, value in changes.items():
        number = places.get((case.name, key))
        if number is None:
            continue
        if not _is_whole(lines[number - 1]):
            return False
        lines[number - 1] = "\0" if value is None else f"{key} = {value}"
    path.write_text("\n".join(line for line in lines if line != "\0"), "utf-8")
    return True


def _is_whole(line: str) -> bool:
    """Whether a line has a key with all of its value."""
    try:
        return bool(tomllib.loads(line))
    except tomllib.TOMLDecodeError:
        return False
