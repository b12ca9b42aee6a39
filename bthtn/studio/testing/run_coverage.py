"""Coverage of runs: the outcomes of the branches, steps and plans of a tree, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.behaviours import Character, PlanGoal
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.events import (
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
    PlanResumed,
)
from bthtn.engine.agent.hearing import hear_too
from bthtn.engine.behaviours.priority import PlanPriority
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.engine.domain.task import PrimitiveTask, Task
from bthtn.engine.plan.plan import Plan
from bthtn.engine.planning.protocol import PlanRequest
from bthtn.engine.replanning.policy import (
    TABLE,
    Interrupt,
    Rule,
    SearchOutcome,
    Situation,
    rule_for,
)
from bthtn.kit.recording.appearance import goal_of
from bthtn.kit.recording.event_log import kind_of
from bthtn.kit.recording.snapshot import Snapshot, Snapshots
from bthtn.studio.testing.coverage import Coverage
from bthtn.studio.testing.domain_coverage import AT_RUN_TIME, DomainCoverage
from bthtn.studio.testing.invariants import leaf_of
from bthtn.studio.views.behaviour_drawing import snapshot_dot

_ENDS: Final = MappingProxyType({Status.SUCCESS: "succeeded", Status.FAILURE: "failed"})
_CHOSEN: Final = frozenset({Status.RUNNING, Status.SUCCESS})
_BOUNDED: Final[frozenset[Interrupt]] = frozenset({"surprise", "mtr"})
"""The policies that only look for better plans."""


class RunCoverage:
    """How the parts of trees turned out in their runs, and the domains of their agents.

    ``trees`` and ``domains`` have the counts, ``pictures`` the trees as they were before a run.
    """

    def __init__(self) -> None:
        self.trees = Coverage()
        self.domains = Coverage()
        self.pictures: dict[str, Snapshot] = {}

    def watch(self, tree: str, character: Character) -> None:
        """Count the events of a character, which has not been ticked yet."""
        picture, branches = _picture(character.root)
        self.pictures.setdefault(tree, picture)
        _Watch(self, tree, character, branches)

    def dot(self, tree: str) -> str:
        """The tree in dot: green branches succeeded and failed, blue ones did one, red neither."""
        drawn, rows = self.pictures[tree], self.trees.counts[tree]["branch"]
        pending = [drawn]
        while pending:
            node = pending.pop()
            succeeded, failed, _ = rows[node["branch"]]
            node["status"] = "SUCCESS" if succeeded and failed else "RUNNING"
            if not (succeeded or failed):
                node["status"] = "FAILURE"
            pending.extend(node["children"])
        return snapshot_dot(drawn, title=f"coverage of {tree}")


class _Watch:
    """Counts the events of one character, as a row for everything that it has."""

    def __init__(
        self, runs: RunCoverage, tree: str, character: Character, branches: Mapping[object, str]
    ) -> None:
        self._coverage = runs.trees
        self._tree = tree
        self._root = character.root
        self._before: dict[object, Status] = {}
        self._branches = branches
        self._domains: dict[Task, DomainCoverage] = {}
        for agent in character.agents.values():
            for domain in agent.domains:
                counted = DomainCoverage(runs.domains, domain.name, domain)
                self._domains.update(dict.fromkeys(domain.tasks.values(), counted))
            hear_too(agent, partial(self._count, agent))
        for kind, name in self._expected():
            self._coverage.row(tree, kind, name)
        character.tree.add_post_tick_handler(lambda _: self._after_tick())

    def _expected(self) -> Iterator[tuple[str, str]]:
        yield from (("branch", name) for name in self._branches.values())
        goals = [node for node in self._root.iterate() if isinstance(node, PlanGoal)]
        steps = [task for task in self._domains if isinstance(task, PrimitiveTask)]
        yield from (("step", task.name) for task in steps)
        yield from (("plan", goal.name) for goal in goals)
        policies = {goal.replanning.interrupt for goal in goals}
        is_fixed = any(task.uninterruptible for task in steps)
        rules = {rule for policy in policies for rule in _rules(policy, is_fixed=is_fixed)}
        yield from (("verdict", _text(rule)) for rule in TABLE if rule in rules)

    def _count(self, agent: Agent[Any, Any], event: AgentEvent) -> None:
        if event.agent != agent.name:
            return  # listeners may pass on events of other agents
        outcome = kind_of(event).rpartition("_")[2]
        match event:
            case LeafStarted() | LeafRefused():
                self._add("step", _task(event), outcome)
                self._ask(event, *AT_RUN_TIME)
            case LeafEnded():
                self._add("step", _task(event), "done" if event.succeeded else "failed")
                self._ask(event, "during")
            case LeafAborted():
                self._add("abort", _task(event), outcome)
            case PlanAdopted():
                self._add("plan", event.goal, outcome)
                self._plan(agent, event.plan)
            case PlanResumed():
                self._plan(agent, event.plan)
            case PlanKept() | PlanReplaced() | PlanBroken():
                self._add("plan", event.goal, outcome)
                self._judged(event)
            case PlanRepaired() | PlanAborted():
                self._add("plan", event.goal, outcome)

    def _ask(self, event: LeafStarted | LeafRefused | LeafEnded, *conditions: str) -> None:
        """Count the values that conditions of a step have at an event of it."""
        leaf = leaf_of(self._root, event)
        if leaf is not None:
            self._ask_of(leaf, *conditions)

    def _ask_of(self, leaf: TaskLeaf, *conditions: str) -> None:
        task, goal = leaf.node.task, goal_of(leaf)
        if task in self._domains and goal is not None:
            for name in conditions:
                label, asked = f"{task.name}, {name}", getattr(task, name)
                self._domains[task].asked(label, asked, goal.agent.beliefs, leaf.node.args)

    def _plan(self, agent: Agent[Any, Any], plan: Plan) -> None:
        """Count the choices and conditions of the search for a plan, in the domain of the agent."""
        tasks = self._domains.keys() & set(plan.domain.tasks.values())
        counted = next((self._domains[task] for task in sorted(tasks, key=str)), None)
        if counted is not None:
            state = agent.beliefs.now.frozen()
            counted.planned(PlanRequest(plan.domain, state, plan.goal, plan.binding))

    def _judged(self, event: PlanKept | PlanReplaced | PlanBroken) -> None:
        """Count the rule of the policy by which a plan was kept, replaced or broken off."""
        if event.rule:  # others are no verdicts of the table: the rest still works, for instance
            rule = next(rule for rule in TABLE if rule.because == event.rule)
            self._add("verdict", _text(rule), "given")

    def _after_tick(self) -> None:
        for node in self._root.iterate():
            before = self._before.get(node.id, Status.INVALID)
            match node:
                case _ if node.id in self._branches:
                    self._ended(self._branches[node.id], before, node.status)
                case PlanPriority():
                    self._chosen(node, before)
                case TaskLeaf() if node.is_at_work:
                    self._coverage.row(self._tree, "abort", node.node.task.name)
                    self._ask_of(node, "during")
            self._before[node.id] = node.status

    def _ended(self, name: str, before: Status, now: Status) -> None:
        if now is Status.INVALID and before is Status.RUNNING:
            self._add("branch", name, "interrupted")
        elif now in _ENDS and before is not now:
            self._add("branch", name, _ENDS[now])

    def _chosen(self, node: PlanPriority, before: Status) -> None:
        """Count the alternative of a priority that was entered in this tick."""
        choices = " or ".join(child.name for child in node.children)
        for child in node.children:
            self._coverage.row(self._tree, "alternative", f"{choices}: {child.name}")
        chosen = node.current_child
        has_begun = before is not Status.RUNNING and node.status in _CHOSEN
        if chosen is not None and has_begun:
            self._add("alternative", f"{choices}: {chosen.name}", "chosen")

    def _add(self, kind: str, name: str, column: str) -> None:
        self._coverage.add(self._tree, kind, name, column)


def _task(event: LeafStarted | LeafEnded | LeafAborted | LeafRefused) -> str:
    return event.task.partition("(")[0]


def _text(rule: Rule) -> str:
    return f"{rule.decision.value}: {rule.because}"


def _rules(interrupt: Interrupt, *, is_fixed: bool) -> Iterator[Rule]:
    """The rules that can decide under a policy; ``is_fixed`` if some step is uninterruptible."""
    is_bounded = interrupt in _BOUNDED
    outcomes = (SearchOutcome.NOTHING, SearchOutcome.BETTER) if is_bounded else SearchOutcome
    surprises = (False, True) if interrupt == "surprise" else (False,)
    fixed = (False, True) if is_fixed else (True,)
    for facts in product((False, True), outcomes, surprises, fixed):
        yield rule_for(interrupt, Situation(*facts))


def _picture(root: Behaviour) -> tuple[Snapshot, dict[object, str]]:
    """A tree that has not been ticked as plain data, and the branches of its nodes by their ids.

    A branch is called by the names from the root on; each node of the picture has it, too.
    """
    drawn, branches = Snapshots(root).whole(), dict[object, str]()
    pending = [(root, drawn, root.name)]
    while pending:
        node, shown, name = pending.pop()
        shown["branch"] = branches[node.id] = name
        below = zip(node.children, shown["children"], strict=True)
        pending += [
            (child, picture, f"{name} > {child.name}") for child, picture in reversed([*below])
        ]
    return drawn, branches
