"""The decisions about the plans of an agent: why it replanned, and why it did not.

decisions = plan_decisions(map(event_data, heard))       # of events that a listener got
decisions = recording.decisions("Ann")                   # of a recording
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from bthtn.engine.world.truth import value_text

_DECISIONS: Final = frozenset(
    {"adopted", "kept", "replaced", "broken", "repaired", "resumed", "failed", "aborted"}
)


@dataclass(frozen=True, slots=True)
class PlanDecision:
    """One decision about a plan of a goal.

    ``decision`` is "adopted", "kept", "replaced", "broken", "repaired", "resumed", "failed" or
    "aborted". ``change`` is the change of a belief after which the plan was reviewed, and ``plan``
    the steps of a plan that starts; they are texts, empty where there is none.
    """

    tick: int
    goal: str
    plan_id: str
    decision: str
    reason: str
    change: str
    plan: str

    def __str__(self) -> str:
        change = f", after {self.change}" if self.change else ""
        plan = f": {self.plan}" if self.plan else ""
        why = f" — {self.reason}" if self.reason else ""
        return f"tick {self.tick}: {self.plan_id} of {self.goal} {self.decision}{change}{why}{plan}"

    def data(self) -> dict[str, Any]:
        """The decision as a dictionary for JSON."""
        return asdict(self)


def plan_decisions(
    events: Iterable[Mapping[str, Any]], *, agent: str = "", goal: str = ""
) -> Iterator[PlanDecision]:
    """The decisions among events as data, of an agent and about a goal if these are given."""
    for event in events:
        decision = event["event"].removeprefix("plan_")
        is_asked = agent in ("", event.get("agent")) and goal in ("", event.get("goal"))
        if decision == event["event"] or decision not in _DECISIONS or not is_asked:
            continue
        yield PlanDecision(
            event.get("tick", 0),
            event["goal"],
            event.get("plan_id", "a plan"),
            decision,
            event.get("reason", event.get("cause", "")),
            _change_text(event.get("change")),
            event["plan"]["plan"] if "plan" in event else "",
        )


def _change_text(change: Mapping[str, Any] | None) -> str:
    if change is None:
        return ""
    values = (change["before"], change["after"])
    before, after = (value if isinstance(value, str) else value_text(value) for value in values)
    return f"{change['fluent']}: {before} → {after} (by {change['source']})"
