"""Coverage of runs: what the scenarios of each tree have made happen, and what not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.events import (
    AgentEvent,
    LeafAborted,
    LeafEnded,
    LeafRefused,
    LeafStarted,
    PlanAborted,
    PlanAdopted,
    PlanBroken,
    PlanKept,
    PlanRepaired,
    PlanReplaced,
)
from bthtn.behaviours import Agent, Character, PlanGoal
from bthtn.behaviours.priority import PlanPriority
from bthtn.domain.task import PrimitiveTask

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "branch": ("succeeded", "failed", "interrupted"),
        "step": ("started", "done", "failed", "aborted", "refused"),
        "plans of": ("adopted", "kept", "replaced", "broken", "repaired", "aborted"),
        "alternative": ("chosen",),
    }
)
"""What is counted, and how it may turn out."""
NEEDED: Final[Mapping[str, int]] = MappingProxyType(
    {"branch": 2, "step": 1, "plans of": 1, "alternative": 1}
)
"""So many of the first columns have to be above zero, or the row is marked."""
_PLANS: Final = MappingProxyType(
    {
        PlanAdopted: "adopted",
        PlanKept: "kept",
        PlanReplaced: "replaced",
        PlanBroken: "broken",
        PlanRepaired: "repaired",
        PlanAborted: "aborted",
    }
)

_ENDS: Final = MappingProxyType({Status.SUCCESS: "succeeded", Status.FAILURE: "failed"})

RunCounts = Mapping[str, Mapping[str, Mapping[str, list[int]]]]
"""By tree, kind and name: how often each column of the kind has happened."""


class RunCoverage:
    """How the branches, steps, plans and run-time choices of trees turned out in their runs."""

    def __init__(self) -> None:
        self.counts: dict[str, dict[str, dict[str, list[int]]]] = {}

    def watch(self, tree: str, character: Character) -> None:
        """Count what happens to a character, which has not been ticked yet."""
        _Watch(self, tree, character)

    def merge(self, counts: RunCounts) -> None:
        """Add what another process has counted."""
        for tree, kinds in counts.items():
            for kind, rows in kinds.items():
                for name, more in rows.items():
                    row = self.row(tree, kind, name)
                    row[:] = [one + other for one, other in zip(row, more, strict=True)]

    def table(self) -> str:
        """A table for each tree and kind; rows of what never happened are marked."""
        lines = []
        for tree, kinds in sorted(self.counts.items()):
            lines.append(tree)
            for kind, columns in COLUMNS.items():
                rows = kinds.get(kind, {})
                if rows:
                    lines.append(f"  {'  '.join(columns)}  {kind}")
                for name, row in rows.items():
                    cells = [f"{n:{len(head)}}" for n, head in zip(row, columns, strict=True)]
                    never = [
                        head for head, n in zip(columns[: NEEDED[kind]], row, strict=False) if not n
                    ]
                    mark = f"  <- never {', never '.join(never)}" if never else ""
                    lines.append(f"  {'  '.join(cells)}  {name}{mark}")
        return "\n".join(lines)

    def row(self, tree: str, kind: str, name: str) -> list[int]:
        """The counts of a row, which is made if there is none."""
        rows = self.counts.setdefault(tree, {}).setdefault(kind, {})
        # A goal's name is a subclass of str, which not every serializer of processes takes.
        return rows.setdefault(str(name), [0] * len(COLUMNS[kind]))

    def add(self, tree: str, kind: str, name: str, column: str) -> None:
        """Count once."""
        self.row(tree, kind, name)[COLUMNS[kind].index(column)] += 1


class _Watch:
    """Counts what happens to one character, as a row for everything that it has."""

    def __init__(self, coverage: RunCoverage, tree: str, character: Character) -> None:
        self._coverage = coverage
        self._tree = tree
        self._root = character.root
        self._before: dict[object, Status] = {}
        self._branches = dict(_branches(character.root))
        for agent in character.agents.values():
            self._listen_to(agent)
        for kind, name in self._expected(character):
            coverage.row(tree, kind, name)
        character.tree.add_post_tick_handler(lambda _: self._after_tick())

    def _expected(self, character: Character) -> Iterator[tuple[str, str]]:
        yield from (("branch", name) for name in self._branches.values())
        goals = (node for node in self._root.iterate() if isinstance(node, PlanGoal))
        yield from (("plans of", goal.name) for goal in goals)
        domains = (domain for agent in character.agents.values() for domain in agent.domains)
        tasks = (task for domain in domains for task in domain.tasks.values())
        yield from (("step", task.name) for task in tasks if isinstance(task, PrimitiveTask))

    def _listen_to(self, agent: Agent[Any, Any]) -> None:
        listener = agent.listener

        def hear(event: AgentEvent) -> None:
            if event.agent == agent.name:  # listeners may pass on events of other agents
                self._count(event)
            if listener is not None:
                listener(event)

        agent.listener = hear

    def _count(self, event: AgentEvent) -> None:
        match event:
            case LeafStarted() | LeafEnded() | LeafAborted() | LeafRefused():
                self._add("step", event.task.partition("(")[0], _end_of(event))
            case PlanAdopted() | PlanKept() | PlanReplaced() | PlanBroken() | PlanAborted():
                self._add("plans of", event.goal, _PLANS[type(event)])
            case PlanRepaired():
                self._add("plans of", event.goal, "repaired")
            case _:
                pass

    def _after_tick(self) -> None:
        for node in self._root.iterate():
            before = self._before.get(node.id, Status.INVALID)
            if node.id in self._branches:
                self._ended(self._branches[node.id], before, node.status)
            elif isinstance(node, PlanPriority) and before is not Status.RUNNING:
                self._chosen(node)
            self._before[node.id] = node.status

    def _ended(self, name: str, before: Status, now: Status) -> None:
        if now is Status.INVALID and before is Status.RUNNING:
            self._add("branch", name, "interrupted")
        elif now in _ENDS and before is not now:
            self._add("branch", name, _ENDS[now])

    def _chosen(self, node: PlanPriority) -> None:
        """Count the alternative of a priority that was entered in this tick."""
        chosen = node.current_child
        if chosen is not None and node.status in {Status.RUNNING, Status.SUCCESS}:
            choices = " or ".join(child.name for child in node.children)
            self._add("alternative", f"{choices}: {chosen.name}", "chosen")

    def _add(self, kind: str, name: str, column: str) -> None:
        self._coverage.add(self._tree, kind, name, column)


def _end_of(event: LeafStarted | LeafEnded | LeafAborted | LeafRefused) -> str:
    match event:
        case LeafStarted():
            return "started"
        case LeafEnded():
            return "done" if event.succeeded else "failed"
        case LeafAborted():
            return "aborted"
        case LeafRefused():
            return "refused"


def _branches(root: Behaviour) -> Iterator[tuple[object, str]]:
    """The ids of the author's nodes, each with its names from the root on."""
    pending = [(root, root.name)]
    while pending:
        node, name = pending.pop()
        yield node.id, name
        below = [] if isinstance(node, PlanGoal) else node.children
        pending.extend((child, f"{name} > {child.name}") for child in reversed(below))
