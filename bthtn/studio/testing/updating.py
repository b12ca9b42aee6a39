"""Rewrites the expectations of tests to the present events: ``bthtn test --update``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from typing import Any, NamedTuple

from bthtn.engine.agent.programming_errors import text_of as text_of_error
from bthtn.engine.planning.planner import find_plan
from bthtn.engine.text.notation import normal
from bthtn.engine.world.schema import is_plain, written
from bthtn.errors import BthtnError
from bthtn.kit.formats.document import text_of
from bthtn.kit.formats.toml_edit import Keys, edited
from bthtn.studio.testing.alignment import Alignment, aligned, is_open
from bthtn.studio.testing.cases import NO_PLAN, Case, fault_of
from bthtn.studio.testing.scenario import Expected, Played, Scenario, play
from bthtn.studio.testing.scenario_files import read_scenario
from bthtn.studio.testing.scenario_toml import quoted, toml_value


class Updated(NamedTuple):
    """The faults that the test still has, and the rewritten lines, as a difference of the file.

    Either is empty if there is nothing to say.
    """

    fault: str
    difference: str = ""


def update(path: Path, test: Case | Scenario) -> Updated:
    """Let a case or a scenario expect in its file what happens now.

    The expectations of a case become the actual plan, and its record where there was one. Nothing
    is written where planning raises, and where a value that would have to change is not in one
    line.

    A scenario is played to its end. An expected event that does not come, or too late, becomes the
    one that has come in its place: another plan, another value of the fluent, another end of the
    step or the goal; or the number of ticks within which it has to come. Expected beliefs become
    those at the end. Events with ``*``, and those that must never happen, are left as they are.
    """
    return _case(path, test) if isinstance(test, Case) else _scenario(path, test)


def _case(path: Path, case: Case) -> Updated:
    fault = fault_of(case)
    try:
        plan = find_plan(case.domain, case.state, case.task, case.settings)
    except BthtnError:
        return Updated(fault)
    values: dict[str, str | None] = {"expect": quoted(NO_PLAN), "record": None}
    if plan is not None:
        expected = quoted(normal(plan.tree))
        values = {"expect": expected, "record": toml_value(plan.record), "because": None}
    text = text_of(path)
    known: Mapping[str, Any] = tomllib.loads(text)
    for key in case.keys:
        known = known[key]
    new, left = edited(text, {(*case.keys, key): values[key] for key in values if key in known})
    if left:
        return Updated("\n".join([fault, "", *_left_out(left)]))
    return Updated("", _write(path, text, new))


def _scenario(path: Path, scenario: Scenario) -> Updated:
    free = replace(scenario, expected=(), never=(), invariants=None)
    try:
        played = play(free)
    except Exception as error:  # noqa: BLE001 - the world's: a fault of the scenario
        return Updated(f"the world raised: {text_of_error(error)}")
    now = aligned(scenario.expected, played.ticks)
    text = text_of(path)
    entries = tomllib.loads(text).get("expect", ())
    changes = zip(entries, scenario.expected, now.found, strict=True)
    new, left = edited(text, {**dict(_events(changes)), **dict(_beliefs(played))})
    difference = _write(path, text, new)
    fault = play(read_scenario(path)).fault
    notes = [*_left_out(left), *_left_alone(scenario, now)]
    return Updated(fault and "\n".join([fault, "", *notes]), difference)


def _events(changes: Iterable[tuple[Any, Expected, Expected]]) -> Iterator[tuple[Keys, str]]:
    """The new texts for events that are not as they were expected, with their entries."""
    for number, (entry, before, now) in enumerate(changes):
        keys = ("expect", str(number))
        if now.event != before.event:
            yield keys if isinstance(entry, str) else (*keys, "event"), quoted(now.event)
        if now.within != before.within:
            yield (*keys, "within"), str(now.within)


def _beliefs(played: Played) -> Iterator[tuple[Keys, str]]:
    """The new texts for the beliefs that are others at the end, if TOML has such values."""
    for name, value in played.others.items():
        if is_plain(written(value)):
            yield ("finally", name), toml_value(written(value))


def _left_out(keys: list[Keys]) -> list[str]:
    return [f"not updated, as it is not in a line of its own: {'.'.join(key)}" for key in keys]


def _left_alone(scenario: Scenario, now: Alignment) -> Iterator[str]:
    """The expectations that are not met, and why they are not rewritten."""
    for unmet in now.left:
        why = "it leaves something open" if is_open(unmet.event) else "nothing came in its place"
        yield f"not updated, as {why}: '{unmet.event}' ({unmet.where})"
    if play(replace(scenario, expected=(), finally_={}, invariants=None)).fault:
        yield "not updated: what must never happen"


def _write(path: Path, old: str, new: str) -> str:
    """Write the new text, if it is another. Returns the difference."""
    if old == new:
        return ""
    path.write_text(new, "utf-8", newline="")
    lines = unified_diff(old.splitlines(), new.splitlines(), str(path), str(path), n=1, lineterm="")
    return "\n".join(lines)
