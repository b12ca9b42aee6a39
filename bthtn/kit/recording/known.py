"""Known: the state of one agent that the lines of a recording lead to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.kit.recording.snapshot import Snapshot, copied, updated
from bthtn.kit.recording.watched import Line

_PLANS_BEGIN: Final = frozenset({"plan_adopted", "plan_repaired"})
_PLANS_END: Final = frozenset({"goal_ended", "plan_aborted", "plan_failed", "plan_broken"})
_STEPS_END: Final = frozenset({"leaf_ended", "leaf_aborted"})


@dataclass(slots=True)
class Known:
    """The beliefs, plans, running steps and tree of an agent, after some lines of a recording.

    ``records`` are those of the plans, with what was planned for their suspended parts. ``rights``
    are the leases that it has, and the latest draws for its goals.
    ``about`` is the part of the first line about the agent; its ``since`` are the plans and steps
    that ran already when the recording began.
    """

    about: Line
    beliefs: dict[str, Any] = field(init=False)
    plans: dict[str, Line] = field(default_factory=dict)
    records: dict[str, MethodTraversalRecord] = field(default_factory=dict)
    steps: dict[int, Line] = field(default_factory=dict)
    rights: dict[str, Line] = field(default_factory=dict)
    tree: Snapshot | None = None

    def __post_init__(self) -> None:
        self.beliefs = dict(self.about["beliefs"])
        for line in self.about.get("since", ()):
            self._hear(line)

    def add(self, line: Line) -> None:
        name = self.about["agent"]
        if "view" in line:
            if line["agent"] == self.about.get("tree", name):
                self.tree = updated(self.tree, copied(line))
        elif line.get("agent") != name:
            return
        elif "beliefs" in line:
            self.beliefs = dict(line["beliefs"])
        elif "event" in line:
            self._hear(line)

    def line(self) -> Line:
        """The agent as in the first line of a recording that began now."""
        plans = [
            {**line, "plan": {**line["plan"], "record": list(self.records[goal])}}
            for goal, line in self.plans.items()
        ]
        since = [*plans, *self.steps.values(), *self.rights.values()]
        return {**self.about, "beliefs": self.beliefs, "since": since}

    def _hear(self, line: Line) -> None:
        kind = line["event"]
        if kind == "belief_changed":
            self.beliefs[line["change"]["fluent"]] = line["change"]["after"]
        elif kind in _PLANS_BEGIN:
            self.plans[line["goal"]] = line
            self.records[line["goal"]] = MethodTraversalRecord(line["plan"]["record"])
        elif kind == "plan_resumed":
            before = self.records.get(line["goal"], MethodTraversalRecord())
            part = MethodTraversalRecord(line["plan"]["record"])
            self.records[line["goal"]] = before.followed_by(part)
        elif kind in _PLANS_END:
            self.plans.pop(line["goal"], None)
        elif kind == "leaf_started":
            self.steps[line["leaf"]] = line
        elif kind in _STEPS_END:
            self.steps.pop(line["leaf"], None)
        elif kind == "lease_taken":
            self.rights[_lease(line)] = line
        elif kind == "lease_returned":
            self.rights.pop(_lease(line), None)
        elif kind == "actions_drawn":
            self.rights[f"draw for {line['goal']}"] = line


def _lease(line: Line) -> str:
    return f"lease {line['key']!r} of {line['holder']}"
