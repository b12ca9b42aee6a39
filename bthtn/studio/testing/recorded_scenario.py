"""A recorded run as a scenario: the steps of an agent up to a tick have to happen."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Final

from bthtn.errors import InputError
from bthtn.kit.recording import Recording
from bthtn.studio.testing.scenario import Expected
from bthtn.studio.testing.scenario_toml import expected_lines, quoted

_STEPS: Final = MappingProxyType(
    {"leaf_started": "start", "leaf_aborted": "aborted", "leaf_refused": "refused"}
)


def tree_of(recording: Recording) -> str:
    """The tree of a recorded run, as it was typed. Raises InputError for any other recording."""
    run = recording.head.get("run")
    if not isinstance(run, dict) or not isinstance(run.get("tree"), str):
        hint = "take one that bthtn run --record has made"
        raise InputError("BT461", "the recording does not say which tree it is of", hint=hint)
    tree: str = run["tree"]
    return tree


def scenario_of(
    recording: Recording, tree: str, *, agent: str = "", tick: int | None = None
) -> str:
    """The text of a ``*.scenario.toml`` that expects the plans and steps of an agent of a tree.

    The agent is the first one if none is named, and all ticks count if none is given. Raises
    InputError as ``Recording.at``.
    """
    seed = recording.head.get("seed") or 0
    if not isinstance(seed, int):
        raise InputError("BT461", "the recording has no whole number as its seed")
    moment = recording.at(tick, agent)
    text = [
        f"tree = {quoted(tree)}",
        f"seed = {seed}",
        f"ticks = {moment.tick}",
    ]
    before = 0
    for at, event in _events(recording, moment.agent, moment.tick):
        text += ["", "[[expect]]", *expected_lines(Expected(event, max(1, at - before)))]
        before = at
    return "\n".join([*text, ""])


def _events(recording: Recording, agent: str, until: int) -> Iterator[tuple[int, str]]:
    """The ticks and texts of the plans and steps of an agent."""
    for block in recording.ticks:
        tick = block[0]["tick"]
        if tick > until:
            return
        for line in block:
            text = _text(line) if line.get("agent") == agent else ""
            if text:
                yield tick, text


def _text(line: dict[str, Any]) -> str:
    """An event of a recording as ``event_text`` has it; empty for other lines."""
    kind = line.get("event", "")
    if kind in ("plan_adopted", "plan_repaired"):
        return f"plan {line['plan']['plan']}"
    if kind == "leaf_ended":
        return f"{'done' if line['succeeded'] else 'failed'} {line['task']}"
    if kind == "goal_ended":
        return f"{line['goal']} {'succeeded' if line['succeeded'] else 'failed'}"
    return f"{_STEPS[kind]} {line['task']}" if kind in _STEPS else ""
