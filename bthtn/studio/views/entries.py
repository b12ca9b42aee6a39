"""Entries of a timeline: the events of one tick in words, in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain, islice, takewhile
from typing import Final

from bthtn.engine.agent import events
from bthtn.engine.agent.events import AgentEvent
from bthtn.engine.plan.nodes import Node, PriorityNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import leaves, preorder
from bthtn.engine.text.notation import normal
from bthtn.engine.world.diff import Change
from bthtn.engine.world.truth import value_text
from bthtn.errors import exception_text


class Verb(Enum):
    SENSES = "senses"
    EFFECT = "effect"
    PLAN = "plan"
    RESUMES = "resumes"
    KEEPS = "keeps"
    REPLACES = "replaces"
    BREAKS = "breaks"
    REPLANS = "replans"
    DROPS = "drops"
    GOAL = "goal"
    STARTS = "starts"
    CHOOSES = "chooses"
    RUNS = "runs"
    DONE = "done"
    FAILS = "fails"
    REFUSES = "refuses"
    ABORTS = "aborts"
    CLEANS = "cleans"
    TAKES = "takes"
    RETURNS = "returns"
    REPAIRS = "repairs"
    AVOIDS = "avoids"
    WAITS = "waits"
    RELOADS = "reloads"


_SHARED_LINE: Final = (
    *(Verb.SENSES, Verb.EFFECT, Verb.STARTS, Verb.DONE, Verb.ABORTS, Verb.RUNS),
    *(Verb.TAKES, Verb.RETURNS),
)
"""Kinds whose entries of one tick share a line."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a row; ``plan`` is a new plan, whose tree is shown.

    ``agent`` is whose entry it is, empty as long as all events are of one agent.
    """

    verb: Verb
    text: str
    plan: Plan | None = None
    agent: str = ""


class EntryBuilder:
    """Makes the entries of ticks: those of each agent stand together, in the agents' order."""

    def __init__(self) -> None:
        self._numbers = _PlanNumbers()
        self._agents: dict[str, _AgentEntries] = {}

    def entries(
        self, heard: tuple[AgentEvent, ...], is_shown: Callable[[AgentEvent], bool]
    ) -> tuple[Entry, ...]:
        """The entries of the next tick, for those events that are shown."""
        by_agent: dict[str, list[AgentEvent]] = {}
        for event in heard:
            by_agent.setdefault(event.agent, []).append(event)
        for name in by_agent:
            self._agents.setdefault(name, _AgentEntries(self._numbers))
        made: list[Entry] = []
        for name, agent in self._agents.items():
            label = name if len(self._agents) > 1 else ""
            entries = agent.entries(tuple(by_agent.get(name, ())), is_shown)
            made.extend(replace(entry, agent=label) for entry in entries)
        return tuple(made)


class _PlanNumbers:
    """Numbers the plans of all agents, and knows under which number an equal one was shown."""

    def __init__(self) -> None:
        self._adopted = 0
        self._shown: dict[tuple[str, tuple[int, ...]], int] = {}

    def adopted(self, plan: Plan) -> tuple[int, int]:
        """The number of a new plan, and that of the first plan that is equal to it."""
        self._adopted += 1
        shape = (normal(plan.tree), tuple(plan.record))
        return self._adopted, self._shown.setdefault(shape, self._adopted)


class _AgentEntries:
    """Makes the entries of one agent; keeps its running steps and the numbers of its plans."""

    def __init__(self, plan_numbers: _PlanNumbers) -> None:
        self._plan_numbers = plan_numbers
        self._running: dict[int, events.LeafStarted] = {}
        self._choices: dict[str, frozenset[str]] = {}
        self._numbers: dict[str, int] = {}
        self._failed: dict[str, int] = {}
        self._ended: set[int] = set()
        self._chosen: set[int] = set()

    def entries(
        self, heard: tuple[AgentEvent, ...], is_shown: Callable[[AgentEvent], bool]
    ) -> tuple[Entry, ...]:
        before = set(self._running)
        self._chosen.clear()
        self._ended = {
            e.leaf for e in heard if isinstance(e, events.LeafEnded | events.LeafAborted)
        }
        entries: list[Entry] = []
        for event in _joined(heard):
            made = [*self._goal_entries(event), *self._leaf_entries(event, heard)]
            made.extend(_other_entries(event))
            entries.extend(made if is_shown(event) else ())
            self._update(event)
        still = (step for leaf, step in self._running.items() if leaf in before and is_shown(step))
        entries.extend(Entry(Verb.RUNS, step.task) for step in still)
        return tuple(_merged(entries))

    def _update(self, event: AgentEvent) -> None:
        match event:
            case events.LeafStarted():
                self._running[event.leaf] = event
            case events.LeafEnded() | events.LeafAborted():
                self._running.pop(event.leaf, None)
            case events.PlanFailed() | events.PlanBroken() | events.PlanReplaced():
                self._failed[event.goal] = self._numbers.pop(event.goal, 0)
            case events.PlanAborted() | events.GoalEnded():
                self._numbers.pop(event.goal, None)
                self._failed.pop(event.goal, None)

    def _leaf_entries(self, event: AgentEvent, heard: tuple[AgentEvent, ...]) -> Iterator[Entry]:
        match event:
            case events.BeliefChanged(change):
                verb = Verb.EFFECT if change.source in self._numbers else Verb.SENSES
                yield Entry(verb, _change_text(change))
            case events.LeafStarted() if any(
                event.task in names for names in self._choices.values()
            ):
                self._chosen.add(event.leaf)
                yield Entry(Verb.CHOOSES, event.task)
            case events.LeafStarted() if event.leaf not in self._ended:
                yield Entry(Verb.STARTS, event.task)
            case events.LeafEnded(succeeded=True) if event.leaf not in self._chosen:
                yield Entry(Verb.DONE, event.task)
            case events.LeafEnded(succeeded=False):
                yield Entry(Verb.FAILS, _because(event.task, event.reason))
            case events.LeafRefused():
                yield Entry(Verb.REFUSES, _because(event.task, event.reason))
            case events.LeafWaits():
                why = f"'{event.other}' of '{event.other_goal}' is not over"
                yield Entry(Verb.WAITS, _because(event.task, why))
            case events.LeafAborted():
                yield Entry(Verb.ABORTS, _because(event.task, _why_aborted(event, heard)))

    def _goal_entries(self, event: AgentEvent) -> Iterator[Entry]:
        match event:
            case events.PlanAdopted():
                yield self._adoption_entry(event)
            case events.PlanRepaired():
                yield Entry(Verb.REPAIRS, _because(event.part, event.reason))
                yield self._adoption_entry(event)
            case events.TaskAvoided() | events.GoalWaits():
                yield _back_off_entry(event)
            case events.PlanResumed():
                self._choices[event.goal] |= _choices(event.plan.tree)
                text = f"{normal(event.plan.tree)} — was suspended ({event.cause})"
                yield Entry(Verb.RESUMES, text)
            case events.PlanFailed(again=True):
                failed = f"{self._plan_label(event.goal)} failed"
                yield Entry(Verb.REPLANS, _because(failed, event.reason))
            case events.PlanKept() | events.PlanReplaced() | events.PlanBroken():
                yield self._review_entry(event)
            case events.PlanAborted():
                yield Entry(Verb.DROPS, _because(self._plan_label(event.goal), event.reason))
            case events.GoalEnded(succeeded=True):
                yield Entry(Verb.GOAL, f"{event.goal} is done")
            case events.GoalEnded():
                yield Entry(Verb.GOAL, _because(f"{event.goal} failed", event.reason))

    def _adoption_entry(self, event: events.PlanAdopted | events.PlanRepaired) -> Entry:
        """The entry for a new plan; shows its tree unless an equal plan was shown before."""
        number, same = self._plan_numbers.adopted(event.plan)
        self._numbers[event.goal] = number
        self._choices[event.goal] = _choices(event.plan.tree)
        failed = self._failed.pop(event.goal, 0)
        text = f"{number} for {event.goal}{f' instead of plan {failed}' if failed else ''}"
        if same != number:
            return Entry(Verb.PLAN, f"{text}, the same as plan {same}")
        return Entry(Verb.PLAN, f"{text}, record {event.plan.record!r}", event.plan)

    def _review_entry(
        self, event: events.PlanKept | events.PlanReplaced | events.PlanBroken
    ) -> Entry:
        """The entry for a review of a running plan, with the reason and the changed belief."""
        subject, change = self._plan_label(event.goal), event.change
        verb, reason = Verb.KEEPS, event.reason
        if isinstance(event, events.PlanReplaced):
            verb = Verb.REPLACES
        if isinstance(event, events.PlanBroken):
            verb, reason = Verb.BREAKS, f"{event.step}: {reason}" if event.step else reason
        return Entry(verb, _because(subject, f"{reason} [{change}]" if change else reason))

    def _plan_label(self, goal: str) -> str:
        number = self._numbers.get(goal)
        return f"plan {number} for {goal}" if number else f"{goal}, before it had a plan"


def _joined(heard: Iterable[AgentEvent]) -> list[AgentEvent]:
    """The events, with the reasons for which one change lets a plan be kept in one event."""
    joined: list[AgentEvent] = []
    for event in heard:
        before = joined[-1] if joined else None
        if (
            isinstance(event, events.PlanKept)
            and isinstance(before, events.PlanKept)
            and (event.goal, event.change) == (before.goal, before.change)
        ):
            joined[-1] = replace(before, reason=f"{before.reason}, and {event.reason}")
        else:
            joined.append(event)
    return joined


def _other_entries(event: AgentEvent) -> Iterator[Entry]:
    """Entries for clocks, leases, long aborts, failed plan hooks and cleanups."""
    match event:
        case events.SensorFailed(what, reason) | events.CodeFailed(what, reason):
            yield Entry(Verb.FAILS, _because(what, reason))
        case events.ClockSetBack():
            yield Entry(Verb.SENSES, event.text)
        case events.LeaseTaken(key, holder):
            yield Entry(Verb.TAKES, f"{key} for {holder}")
        case events.LeaseReturned(key, holder):
            yield Entry(Verb.RETURNS, f"{key} from {holder}")
        case events.LeafAborting(_, task):
            yield Entry(Verb.ABORTS, f"{task}, which takes time")
        case events.PlanHookFailed(_, hook, task, error):
            reason = f"{hook} raised {exception_text(error)}"
            yield Entry(Verb.FAILS, _because(task, reason))
        case events.AgentReloaded() | events.ReloadFailed():
            reason = getattr(event, "reason", "")
            yield Entry(Verb.RELOADS, _because(event.text, reason))
        case events.CleanupStarted(goal, task):
            yield Entry(Verb.CLEANS, f"{task} after {goal}")
        case events.CleanupEnded(_, task, succeeded, reason):
            verb, text = (Verb.DONE, task) if succeeded else (Verb.FAILS, _because(task, reason))
            yield Entry(verb, f"cleanup: {text}")


def _choices(tree: Node) -> frozenset[str]:
    """The first steps of alternatives, unless they also occur elsewhere in the plan."""
    chosen = (node for _, node in preorder(tree) if isinstance(node, PriorityNode))
    first = (islice(leaves(child), 1) for choice in chosen for child in choice.children)
    begin, everywhere = Counter(map(str, chain(*first))), Counter(map(str, leaves(tree)))
    return frozenset(name for name, times in begin.items() if times == everywhere[name])


def _change_text(change: Change) -> str:
    if isinstance(change.before, bool) and isinstance(change.after, bool):
        return f"{change.fluent} = {value_text(change.after)}"
    return f"{change.fluent}: {change.values_text}"


def _back_off_entry(event: events.TaskAvoided | events.GoalWaits) -> Entry:
    """The entry for a back-off: the task or goal, its duration, and the failure."""
    change = f", or until {', '.join(event.fluents)} changes" if event.fluents else ""
    time = f"{event.ticks:g} {'seconds' if event.in_seconds else 'ticks'}"
    duration = f"for {time}{change} — failed {event.failures} times: {event.reason}"
    if isinstance(event, events.TaskAvoided):
        return Entry(Verb.AVOIDS, f"{event.task}, {duration}")
    return Entry(Verb.WAITS, f"{event.goal}, {duration}")


def _because(subject: str, reason: str) -> str:
    return f"{subject} — {reason}" if reason else subject


def _why_aborted(aborted: events.LeafAborted, heard: tuple[AgentEvent, ...]) -> str:
    """The reason of an abort; empty if an event of the whole plan gives it.

    Events of other goals are no reason, nor are steps that failed after it.
    """
    reasons = []
    own = [event for event in heard if getattr(event, "goal", None) == aborted.goal]
    if not any(
        isinstance(event, events.PlanAborted | events.PlanReplaced | events.PlanBroken)
        for event in own
    ):
        before = takewhile(lambda event: event is not aborted, own)
        ends = (
            event for event in before if isinstance(event, events.LeafEnded | events.LeafRefused)
        )
        failed = [
            end.task for end in ends if isinstance(end, events.LeafRefused) or not end.succeeded
        ]
        reasons.append(f"'{failed[-1]}' failed" if failed else "no longer needed")
    if aborted.error is not None:
        reasons.append(f"its clean-up raised {exception_text(aborted.error)}")
    return ", and ".join(reasons)


def _merged(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Merge entries that share a line, at the position of the first of them."""
    lists: dict[Verb | int, list[Entry]] = {}
    for index, entry in enumerate(entries):
        lists.setdefault(entry.verb if entry.verb in _SHARED_LINE else index, []).append(entry)
    for merged in lists.values():
        yield replace(merged[0], text=", ".join(entry.text for entry in merged))
