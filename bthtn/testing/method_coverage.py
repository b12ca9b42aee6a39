"""Coverage of methods: in how many cases each method was chosen, entered or rejected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import NetworkLike
from bthtn.domain.task import CompoundTask
from bthtn.errors import BthtnError
from bthtn.plan.nodes import ScopeNode
from bthtn.plan.walk import preorder
from bthtn.planning.planner import find_plan
from bthtn.planning.protocol import DEFAULT_SETTINGS, Settings
from bthtn.planning.trace import MethodEntered, MethodRejected, SearchEvent
from bthtn.views.domain_drawing import domain_dot, method_appearance
from bthtn.world.state import FrozenState, State

CHOSEN: Final = 0
ENTERED: Final = 1
REJECTED: Final = 2

Counts = Mapping[str, Mapping[str, list[int]]]
"""By file and method: in how many cases it was chosen, entered, and rejected."""


class MethodCoverage:
    """In how many cases of each file each method was chosen, entered and rejected.

    A method is chosen when it is in the plan, entered when the search decomposed a task with it,
    and rejected when its condition was false, or a bound cut it. Methods of
    anonymous tasks are left out. Domains of one file share their methods: those with the same
    task, index, name and condition count as one.
    """

    def __init__(self) -> None:
        self.counts: dict[str, dict[str, list[int]]] = {}

    def expect(self, file: str, domain: FrozenDomain) -> None:
        """Count all methods of the domain as never chosen so far."""
        of_file = self.counts.setdefault(file, {})
        for label in _labels(domain).values():
            of_file.setdefault(label, [0, 0, 0])

    def add(
        self,
        file: str,
        domain: FrozenDomain,
        state: FrozenState | State,
        task: NetworkLike,
        settings: Settings = DEFAULT_SETTINGS,
    ) -> None:
        """Plan once more, and count each method once for what became of it."""
        self.expect(file, domain)
        labels, events = _labels(domain), list[SearchEvent]()
        try:
            plan = find_plan(domain, state, task, settings, events.append)
        except BthtnError:
            plan = None
        nodes = [] if plan is None else [node for _, node in preorder(plan.tree)]
        scopes = [node for node in nodes if isinstance(node, ScopeNode)]
        entered = [event for event in events if isinstance(event, MethodEntered)]
        rejected = [event for event in events if isinstance(event, MethodRejected)]
        found = {(CHOSEN, scope.task.name, scope.method) for scope in scopes}
        found |= {(ENTERED, event.task, event.method) for event in entered}
        found |= {(REJECTED, event.task, event.method) for event in rejected}
        for what, name, method in found:
            if (name, method) in labels:
                self.counts[file][labels[name, method]][what] += 1

    def merge(self, counts: Counts) -> None:
        """Add what another process has counted."""
        for file, methods in counts.items():
            of_file = self.counts.setdefault(file, {})
            for label, more in methods.items():
                before = of_file.get(label, [0, 0, 0])
                of_file[label] = [a + b for a, b in zip(before, more, strict=True)]

    def never_chosen(self) -> list[tuple[str, str]]:
        """The file and text of each method that no case has chosen."""
        return [
            (file, label)
            for file, methods in sorted(self.counts.items())
            for label, counts in methods.items()
            if not counts[CHOSEN]
        ]

    def percentage(self) -> float:
        """How many percent of all methods were chosen; 100 if there are none."""
        total = sum(map(len, self.counts.values()))
        return 100 * (1 - len(self.never_chosen()) / total) if total else 100.0

    def picture(self, file: str, domain: FrozenDomain) -> str:
        """The domain in dot: green methods were chosen, red ones never were."""
        of_file = self.counts.get(file, {})
        statuses = {
            place: "SUCCESS" if of_file.get(label, [0])[CHOSEN] else "FAILURE"
            for place, label in _labels(domain).items()
        }
        return domain_dot(domain, statuses=statuses)

    def table(self) -> str:
        """A row for each method with its three counts; those that were never chosen are marked."""
        lines = []
        for file, methods in sorted(self.counts.items()):
            if not methods:
                continue
            lines += [file, "  chosen  entered  rejected  method"]
            for label, (chosen, entered, rejected) in methods.items():
                mark = "" if chosen else "  <- never chosen"
                lines.append(f"  {chosen:6}  {entered:7}  {rejected:8}  {label}{mark}")
        total = sum(map(len, self.counts.values()))
        chosen = total - len(self.never_chosen())
        return "\n".join([*lines, f"{chosen} of {total} methods chosen: {self.percentage():.0f} %"])


def _labels(domain: FrozenDomain) -> dict[tuple[str, int], str]:
    """The texts of the methods that the author wrote, by task and index."""
    return {
        (task.name, index): f"{task.name}, method {method_appearance(index, method)[1]}"
        for task in domain.tasks.values()
        if isinstance(task, CompoundTask) and not task.origin
        for index, method in enumerate(domain.methods[task])
    }
