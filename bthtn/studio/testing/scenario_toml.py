"""A scenario as the text of a ``*.scenario.toml``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from bthtn.errors import InputError
from bthtn.studio.testing.interventions import Intervention
from bthtn.studio.testing.locate import Target, listed, shown
from bthtn.studio.testing.scenario import Expected, Scenario


def scenario_text(scenario: Scenario, tree: str, *, seed: int = 0) -> str:
    """The text that ``read_scenario`` reads as this scenario of the tree; invariants hold in it."""
    lines = [
        f"tree = {quoted(tree)}",
        f"seed = {seed}",
        f"ticks = {scenario.ticks}",
        *(["invariants = true"] if scenario.invariants is not None else []),
    ]
    for intervention in scenario.interventions:
        lines += ["", "[[when]]", *_intervention_lines(intervention)]
    for key, all_expected in (("expect", scenario.expected), ("never", scenario.never)):
        for expected in all_expected:
            lines += ["", f"[[{key}]]", *expected_lines(expected)]
    if scenario.finally_:
        lines += ["", "[finally]", *_pairs(scenario.finally_)]
    return "\n".join([*lines, ""])


def tree_entry(tree: Target, typed: str, file: Path) -> str:
    """The ``tree`` of a scenario in a file, for one that was typed: its name, or else its path.

    Raises InputError for a tree that a file there cannot name, see ``named_in``.
    """
    if listed(typed, tree.kind) is not None:
        return typed
    if tree.file is None or not os.path.exists(typed):
        module, _, attribute = typed.partition(":")
        renamed = "" if attribute == "character" else " as character"
        line = f"from {module} import {attribute}{renamed}"
        message = f"a scenario cannot name '{typed}', only a name of bthtn list, or a file"
        raise InputError("BT409", message, hint=f"name a file instead, which may say '{line}'")
    folder, found = file.parent.resolve(), tree.file.parent.resolve() / tree.file.name
    if found.is_relative_to(folder) and found.resolve().is_relative_to(folder):
        return found.relative_to(folder).as_posix()
    message = f"{file} cannot name {typed}, which is not in its folder or below it"
    hint = f"write it beside the tree: --scenario {shown(found.with_name(file.name))}"
    raise InputError("BT409", message, hint=hint)


def expected_lines(expected: Expected) -> Iterator[str]:
    """The lines of an expected event, without the name of their table."""
    yield f"event = {quoted(expected.event)}"
    if expected.within is not None:
        yield f"within = {expected.within}"
    if expected.before:
        yield f"before = {quoted(expected.before)}"


def quoted(text: str) -> str:
    """A text in TOML: its strings in quotes are those of JSON."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _intervention_lines(intervention: Intervention) -> Iterator[str]:
    if intervention.tick is None and not intervention.event:
        yield "tick = 1"
    for name in (field.name for field in fields(intervention) if field.name != "where"):
        value = getattr(intervention, name)
        if value not in (None, "", (), {}):
            yield f"{name} = {toml_value(value)}"


def _pairs(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        yield f"{quoted(key)} = {toml_value(value)}"


def toml_value(value: Any) -> str:
    match value:
        case str():
            return quoted(value)
        case Mapping():
            return f"{{ {', '.join(_pairs(value))} }}"
        case list() | tuple():
            return f"[{', '.join(map(toml_value, value))}]"
        case _:  # a number, true or false: as JSON has them
            return json.dumps(value)
