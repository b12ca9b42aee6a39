"""A run as a timeline: what happened in each tick, folded from the agent's events.

    tick    the tree runs           what happens
    13      fight          plan     2 for fight, record [1,0,1,0,0,0]
                           starts   move_to_cover, wait(3)
    14–15   fight          runs     move_to_cover, wait(3)

``rows`` folds ticks into rows, of which quiet ticks share one; ``lines`` lays a row out.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain, islice
from typing import Final

from bthtn.agent.events import (
    AgentEvent,
    BeliefChanged,
    CleanupEnded,
    CleanupStarted,
    GoalEnded,
    GoalWaits,
    LeafAborted,
    LeafAborting,
    LeafEnded,
    LeafRefused,
    LeafStarted,
    LeaseReturned,
    LeaseTaken,
    PlanAborted,
    PlanAdopted,
    PlanBroken,
    PlanFailed,
    PlanHookFailed,
    PlanKept,
    PlanRepaired,
    PlanReplaced,
    PlanResumed,
    SensorFailed,
    TaskAvoided,
)
from bthtn.plan.nodes import Node, PriorityNode
from bthtn.plan.notation import normal
from bthtn.plan.plan import Plan
from bthtn.plan.walk import leaves, preorder
from bthtn.views.text import UNICODE, Strokes, one_line, tree_text
from bthtn.world.diff import Change
from bthtn.world.truth import value_text

WIDTH: Final = 100
_WHEN: Final = 8
_ACTIVE: Final = 15
_VERB: Final = 9
MARGIN: Final = _WHEN + _ACTIVE
_MOST_TREE_LINES: Final = 60


class Verb(Enum):
    """What kind of thing happened."""

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


_TOGETHER: Final = frozenset(
    {
        *(Verb.SENSES, Verb.EFFECT, Verb.STARTS, Verb.DONE, Verb.ABORTS, Verb.RUNS),
        *(Verb.TAKES, Verb.RETURNS),
    }
)
"""What stands on one line, however often it happened in a tick."""


@dataclass(frozen=True, slots=True)
class Tick:
    """One tick of a run: the leaves of the authored tree that run after it, and the events."""

    number: int
    active: tuple[str, ...]
    events: tuple[AgentEvent, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened; ``plan`` is a plan that was never seen before."""

    verb: Verb
    text: str
    plan: Plan | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """What happened in one tick, or that nothing new happened in several."""

    first: int
    last: int
    active: tuple[str, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, in four columns."""

    when: str
    active: str
    verb: str
    text: str

    def __str__(self) -> str:
        fits = len(self.active) < _ACTIVE
        active = self.active if fits else f"{self.active[: _ACTIVE - 2]}…"
        return f"{self.when:<{_WHEN}}{active:<{_ACTIVE}}{self.verb:<{_VERB}}{self.text}".rstrip()


HEADING: Final = Line("tick", "the tree runs", "", "what happens")


def rows(ticks: Iterable[Tick]) -> Iterator[Row]:
    """The timeline, row by row, while the ticks come in."""
    fold = _Fold()
    quiet: Row | None = None
    for tick in ticks:
        row = fold.row(tick)
        if quiet is not None:
            if not tick.events and replace(row, first=quiet.first, last=quiet.last) == quiet:
                quiet = replace(quiet, last=row.last)
                continue
            yield quiet
        quiet = None if tick.events else row
        if quiet is None:
            yield row
    if quiet is not None:
        yield quiet


def lines(row: Row, *, width: int = WIDTH, strokes: Strokes = UNICODE) -> Iterator[Line]:
    """The row as text; what is too wide is wrapped, plan trees are left as they are."""
    when = str(row.first) if row.first == row.last else f"{row.first}–{row.last}"
    active = ", ".join(row.active)
    if not row.entries:
        yield Line(when, active, "", "")
    for entry in row.entries:
        verb = entry.verb.value
        for text in _texts(entry, max(20, width - MARGIN - _VERB), strokes):
            yield Line(when, active, verb, text)
            when = active = verb = ""


class _Fold:
    """What has to be remembered: from tick to tick, and within one."""

    def __init__(self) -> None:
        self._running: dict[int, str] = {}
        self._choices: dict[str, frozenset[str]] = {}
        self._numbers: dict[str, int] = {}
        self._failed: dict[str, int] = {}
        self._seen: dict[tuple[str, tuple[int, ...]], int] = {}
        self._adopted = 0
        self._ended: set[int] = set()
        self._chosen: set[int] = set()

    def row(self, tick: Tick) -> Row:
        """The row for the next tick."""
        before = set(self._running)
        self._chosen.clear()
        self._ended = {e.leaf for e in tick.events if isinstance(e, LeafEnded | LeafAborted)}
        happened: list[Entry] = []
        for event in tick.events:
            happened.extend(self._of_goal(event))
            happened.extend(self._of_leaf(event, tick.events))
            happened.extend(_of_keeping(event))
            self._follow(event)
        still = (name for leaf, name in self._running.items() if leaf in before)
        happened.extend(Entry(Verb.RUNS, name) for name in still)
        return Row(tick.number, tick.number, tick.active, tuple(_together(happened)))

    def _follow(self, event: AgentEvent) -> None:
        """Keep account of what runs."""
        match event:
            case LeafStarted():
                self._running[event.leaf] = event.task
            case LeafEnded() | LeafAborted():
                self._running.pop(event.leaf, None)
            case PlanFailed() | PlanBroken() | PlanReplaced():
                self._failed[event.goal] = self._numbers.pop(event.goal, 0)
            case PlanAborted() | GoalEnded():
                self._numbers.pop(event.goal, None)
                self._failed.pop(event.goal, None)
            case _:
                pass

    def _of_leaf(self, event: AgentEvent, events: tuple[AgentEvent, ...]) -> Iterator[Entry]:
        match event:
            case BeliefChanged(change):
                verb = Verb.EFFECT if change.source in self._numbers else Verb.SENSES
                yield Entry(verb, _change_text(change))
            case SensorFailed():
                yield Entry(Verb.FAILS, _because(event.sensor, event.reason))
            case LeafStarted() if any(event.task in names for names in self._choices.values()):
                self._chosen.add(event.leaf)
                yield Entry(Verb.CHOOSES, event.task)
            case LeafStarted() if event.leaf not in self._ended:
                yield Entry(Verb.STARTS, event.task)
            case LeafEnded(succeeded=True) if event.leaf not in self._chosen:
                yield Entry(Verb.DONE, event.task)
            case LeafEnded(succeeded=False):
                yield Entry(Verb.FAILS, _because(event.task, event.reason))
            case LeafRefused():
                yield Entry(Verb.REFUSES, _because(event.task, event.reason))
            case LeafAborted():
                yield Entry(Verb.ABORTS, _because(event.task, _why_aborted(event, events)))
            case _:
                pass

    def _of_goal(self, event: AgentEvent) -> Iterator[Entry]:
        match event:
            case PlanAdopted():
                yield self._adoption(event)
            case PlanRepaired():
                yield Entry(Verb.REPAIRS, _because(event.part, event.reason))
                yield self._adoption(event)
            case TaskAvoided() | GoalWaits():
                yield _for_a_while(event)
            case PlanResumed():
                self._choices[event.goal] |= _choices(event.plan.tree)
                text = f"{normal(event.plan.tree)} — was suspended ({event.cause})"
                yield Entry(Verb.RESUMES, text)
            case PlanFailed(again=True):
                failed = f"{self._which(event.goal)} failed"
                yield Entry(Verb.REPLANS, _because(failed, event.reason))
            case PlanKept() | PlanReplaced() | PlanBroken():
                yield self._judgement(event)
            case PlanAborted():
                yield Entry(Verb.DROPS, _because(self._which(event.goal), event.reason))
            case GoalEnded(succeeded=True):
                yield Entry(Verb.GOAL, f"{event.goal} is done")
            case GoalEnded():
                yield Entry(Verb.GOAL, _because(f"{event.goal} failed", event.reason))
            case _:
                pass

    def _adoption(self, event: PlanAdopted | PlanRepaired) -> Entry:
        """A plan that looks like an earlier one is not shown again."""
        self._adopted += 1
        number = self._numbers[event.goal] = self._adopted
        self._choices[event.goal] = _choices(event.plan.tree)
        failed = self._failed.pop(event.goal, 0)
        text = f"{number} for {event.goal}{f' instead of plan {failed}' if failed else ''}"
        shape = (normal(event.plan.tree), tuple(event.plan.record))
        same = self._seen.setdefault(shape, number)
        if same != number:
            return Entry(Verb.PLAN, f"{text}, the same as plan {same}")
        return Entry(Verb.PLAN, f"{text}, record {event.plan.record!r}", event.plan)

    def _judgement(self, event: PlanKept | PlanReplaced | PlanBroken) -> Entry:
        """What was decided about a running plan, why, and whose doing it was."""
        what, change = self._which(event.goal), event.change
        verb, reason = Verb.KEEPS, event.reason
        if isinstance(event, PlanReplaced):
            verb = Verb.REPLACES
        if isinstance(event, PlanBroken):
            verb, reason = Verb.BREAKS, f"{event.step}: {reason}" if event.step else reason
        return Entry(verb, _because(what, f"{reason} [{change}]" if change else reason))

    def _which(self, goal: str) -> str:
        number = self._numbers.get(goal)
        return f"plan {number} for {goal}" if number else f"{goal}, before it had a plan"


def _of_keeping(event: AgentEvent) -> Iterator[Entry]:
    """What is taken for a while, and what does not end at once."""
    match event:
        case LeaseTaken(key, holder):
            yield Entry(Verb.TAKES, f"{key} for {holder}")
        case LeaseReturned(key, holder):
            yield Entry(Verb.RETURNS, f"{key} from {holder}")
        case LeafAborting(_, task):
            yield Entry(Verb.ABORTS, f"{task}, which takes time")
        case PlanHookFailed(_, hook, task, error):
            reason = f"{hook} raised {type(error).__name__}: {error}"
            yield Entry(Verb.FAILS, _because(task, reason))
        case CleanupStarted(goal, task):
            yield Entry(Verb.CLEANS, f"{task} after {goal}")
        case CleanupEnded(_, task, succeeded, reason):
            verb, text = (Verb.DONE, task) if succeeded else (Verb.FAILS, _because(task, reason))
            yield Entry(verb, f"cleanup: {text}")
        case _:
            pass


def _choices(tree: Node) -> frozenset[str]:
    """The steps that a run-time choice leads to at once, and that occur nowhere else."""
    chosen = (node for _, node in preorder(tree) if isinstance(node, PriorityNode))
    first = (islice(leaves(child), 1) for choice in chosen for child in choice.children)
    begin, everywhere = Counter(map(str, chain(*first))), Counter(map(str, leaves(tree)))
    return frozenset(name for name, times in begin.items() if times == everywhere[name])


def _change_text(change: Change) -> str:
    if isinstance(change.before, bool) and isinstance(change.after, bool):
        return f"{change.fluent} = {value_text(change.after)}"
    return f"{change.fluent}: {value_text(change.before)} → {value_text(change.after)}"


def _for_a_while(event: TaskAvoided | GoalWaits) -> Entry:
    """What is not tried, how long, and why."""
    change = f", or until {', '.join(event.fluents)} changes" if event.fluents else ""
    told = f"for {event.ticks} ticks{change} — failed {event.failures} times: {event.reason}"
    if isinstance(event, TaskAvoided):
        return Entry(Verb.AVOIDS, f"{event.task}, {told}")
    return Entry(Verb.WAITS, f"{event.goal}, {told}")


def _because(what: str, reason: str) -> str:
    return f"{what} — {reason}" if reason else what


def _why_aborted(aborted: LeafAborted, events: tuple[AgentEvent, ...]) -> str:
    """Why a step was given up, where no line about its whole plan says it."""
    reasons = []
    if not any(isinstance(event, PlanAborted | PlanReplaced | PlanBroken) for event in events):
        ends = (event for event in events if isinstance(event, LeafEnded | LeafRefused))
        failed = [end.task for end in ends if isinstance(end, LeafRefused) or not end.succeeded]
        reasons.append(f"'{failed[-1]}' failed" if failed else "no longer needed")
    if aborted.error is not None:
        reasons.append(f"its clean-up raised {type(aborted.error).__name__}: {aborted.error}")
    return ", and ".join(reasons)


def _together(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries; those that can share a line stand where the first of them stood."""
    lists: dict[Verb | int, list[Entry]] = {}
    for index, entry in enumerate(entries):
        lists.setdefault(entry.verb if entry.verb in _TOGETHER else index, []).append(entry)
    for several in lists.values():
        yield replace(several[0], text=", ".join(entry.text for entry in several))


def _texts(entry: Entry, width: int, strokes: Strokes) -> Iterator[str]:
    """The entry's text on lines of that width, and the plan tree below."""
    yield from textwrap.wrap(one_line(entry.text), width, subsequent_indent="  ") or [""]
    if entry.plan is not None:
        drawn = tree_text(entry.plan.tree, entry.plan.domain, strokes=strokes).splitlines()
        yield from drawn[:_MOST_TREE_LINES]
        if len(drawn) > _MOST_TREE_LINES:
            yield f"… and {len(drawn) - _MOST_TREE_LINES} lines more"
