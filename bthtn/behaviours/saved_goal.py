"""A goal in a save: its state by data, its running plan, and what has failed for it.

A goal that has no plan while it runs searches for one, and begins that search anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bthtn.agent.leases import Account
from bthtn.behaviours.decorated import timer_of
from bthtn.behaviours.hooks import PlanHooks, _Ends, _Open
from bthtn.behaviours.memory import GOAL as GOAL_ITSELF
from bthtn.behaviours.memory import Cause, Entry, FailureMemory
from bthtn.behaviours.mount import PlannedRest
from bthtn.behaviours.plan_goal import PlanGoal
from bthtn.behaviours.plan_run import PlanRun
from bthtn.behaviours.save_form import (
    AVOIDED,
    BELIEFS,
    CHANGE,
    CHANGES,
    COUNT,
    FAILURE,
    NODES,
    READS,
    RECORD,
    STATE,
    STATUS,
    TEXT,
    TIMER,
    TRUTH,
    Calls,
    SaveForm,
    Table,
    count,
    part,
    put_watch,
    text,
    truth,
    written_watch,
)
from bthtn.behaviours.saved_run import parts_of, put_run, written_run
from bthtn.behaviours.status import RUNNING
from bthtn.domain.decorator import CooldownDecorator
from bthtn.domain.task import CompoundTask
from bthtn.replanning.improvement import Start
from bthtn.replanning.remaining import RemainingPlan
from bthtn.text.plan_json import NUMBER, VALUES, Kind, or_none

Json = Any

GOAL: Final = Table(
    plan_id=TEXT,
    record=RECORD,
    replans=COUNT,
    ends_for=TEXT,
    _has_waited=TRUTH,
    _ended=or_none(STATUS),
)
START: Final = Table(Start, state=STATE, avoided=AVOIDED)
_BOUND: Final = Kind(
    lambda form, bound: [RECORD.write(form, bound[0]), bound[1]],
    lambda form, data: (RECORD.read(form, data[0]), truth(data[1])),
)
REVIEW: Final = Table(
    _avoided_then=AVOIDED,
    _avoided_last=AVOIDED,
    _best_from=or_none(START.kind),
    _bound=or_none(_BOUND),
    _age=COUNT,
    _better_since=or_none(COUNT),
    _is_new=TRUTH,
    _works_in=or_none(STATE),
    _is_best=TRUTH,
    _is_proven=TRUTH,
    _is_due=TRUTH,
    _is_free=TRUTH,
    _causes=CHANGES,
    _unexpected=or_none(CHANGE),
    _has_moved=TRUTH,
)
OWN: Final = Table(start=STATE, _done=BELIEFS, _has_finished_steps=TRUTH)
ENTRY: Final = Table(
    Entry,
    failure=FAILURE.kind,
    woken=NUMBER,
    count=COUNT,
    since=NUMBER,
    until=NUMBER,
    has_changed=TRUTH,
    reads=READS,
    searched=BELIEFS,
)
MEMORY: Final = Table(_now=NUMBER, _reads=READS, _has_plan=TRUTH, _had_plan=TRUTH)
REST: Final = Table(
    broken=part("number_of", "node"),
    over=NODES,
    running=NODES,
    entered=NODES,
)


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What a search has read that was made before the save."""

    reads: Mapping[Any, Any]


def goal_form(goal: PlanGoal, calls: Calls) -> SaveForm:
    """The form of what belongs to a goal."""
    planner = goal._search.planner
    return SaveForm(goal.agent, calls, planner.domain, planner.goal, goal.name)


def written_goal(form: SaveForm, goal: PlanGoal) -> dict[str, Json]:
    """A goal as JSON, without the goals that it waits for."""
    search, mount = goal._search, goal._mount
    data = {
        **GOAL.write(form, goal),
        "reason": search.reason,
        "repeated": search.budget.repeated + _expansions(goal),
        "failures": _written_memory(form, search.failures),
        "hooks": written_hooks(form, mount.hooks),
    }
    plan = goal.plan or goal._review._adopted  # one that was aborted is still shown
    if not mount.is_empty and mount._mounted is not None and plan is not None:
        run = written_run(form, plan, mount._mounted, mount.run, mount.subtree)
        is_over = goal.plan is None
        data["run"] = {**run, "is_over": is_over, "is_broken": mount.is_broken}
    if goal.status is not RUNNING:
        return data
    if "run" in data and not mount.is_broken:
        data["review"] = _written_review(form, goal)
    pending = goal._repair._pending
    if pending is not None:
        plan, rest, failure = pending
        form.number(plan.tree)
        data["repair"] = {
            "plan": form.plan(plan),
            "nodes": form.grown(rest.tree),
            "failure": FAILURE.write(form, failure),
            **REST.write(form, rest),
        }
    return data


def put_goal(form: SaveForm, goal: PlanGoal, data: Mapping[str, Json]) -> None:
    """Put a goal that was made anew where it was; its status and message are set already."""
    search, mount = goal._search, goal._mount
    GOAL.put(form, goal, data)
    search.reason = text(data["reason"])
    search.budget.repeated = count(data["repeated"])
    _put_memory(form, search.failures, data["failures"])
    put_hooks(form, mount.hooks, data["hooks"])
    if "run" in data:
        _put_run(form, goal, data["run"])
    if goal.status is not RUNNING:
        return
    if "repair" in data:
        _put_repair(form, goal, data["repair"])
    if mount.is_empty or mount.is_broken:
        form.calls.last.append(lambda: goal._start_search(search.reason))
    else:
        _put_review(form, goal, data["review"])


def _put_run(form: SaveForm, goal: PlanGoal, data: Mapping[str, Json]) -> None:
    mount, search = goal._mount, goal._search
    run = mount._run = PlanRun(
        goal.agent,
        goal.name,
        mount,
        mount.setup_arguments,
        holder=mount.hooks.holder,
        cooldowns=search.failures.cooldowns,
    )
    plan, mount._mounted, root = put_run(form, search.planner.goal, data, run)
    goal.plan = None if data["is_over"] and goal.status is not RUNNING else plan
    root.parent = goal
    goal.children = [root]
    mount._domains = (search.planner.domain,)
    mount.is_broken = truth(data["is_broken"])


def _put_repair(form: SaveForm, goal: PlanGoal, data: Mapping[str, Json]) -> None:
    plan = form.plan_from(data["plan"], goal._search.planner.goal)
    form.number(plan.tree)
    tree = form.grown_from(data["nodes"])
    rest = RemainingPlan(tree, **REST.values(form, data))
    goal._repair._pending = plan, rest, FAILURE.read(form, data["failure"])


def _expansions(goal: PlanGoal) -> int:
    """What the searches that are not over have used."""
    search, review = goal._search, goal._review._search
    found: list[Any] = [search._current, search._background]
    found += [] if review is None else [review._first, review._search]
    asked = (node._ask for child in goal.children for node in parts_of(child))
    found += [ask.search._started for ask in asked if isinstance(ask, PlannedRest)]
    return sum({id(search): search.expansions for search in found if search is not None}.values())


# what others have changed


def _written_review(form: SaveForm, goal: PlanGoal) -> dict[str, Json]:
    review = goal._review
    data = REVIEW.write(form, review) | {
        "own": OWN.write(form, review._own),
        "support": written_watch(form, review._support),
        "chances": written_watch(form, review._chances),
    }
    if review._search is not None:  # it begins anew
        data["is_due"] = True
    return data


def _put_review(form: SaveForm, goal: PlanGoal, data: Mapping[str, Json]) -> None:
    review = goal._review
    review._adopted = goal.plan  # a running goal without one searches for it
    REVIEW.put(form, review, data)
    OWN.put(form, review._own, data["own"])
    put_watch(form, review._support, data["support"])
    put_watch(form, review._chances, data["chances"])


# what has failed


def _written_memory(form: SaveForm, memory: FailureMemory) -> dict[str, Json]:
    recorded = memory._recorded
    return MEMORY.write(form, memory) | {
        "entries": [
            [None if isinstance(cause, str) else form.cause(cause), ENTRY.write(form, entry)]
            for cause, entry in memory._entries.items()
        ],
        "recorded": None if recorded is None else BELIEFS.write(form, recorded.reads),
        "watch": written_watch(form, memory._watch),
        "cooldowns": [
            [task.name, VALUES.write(form, args), TIMER.write(form, timer)]
            for (task, args), timer in memory.cooldowns.left.items()
        ],
    }


def _put_memory(form: SaveForm, memory: FailureMemory, data: Mapping[str, Json]) -> None:
    MEMORY.put(form, memory, data)
    for cause, entry in data["entries"]:
        made: Cause = GOAL_ITSELF if cause is None else form.cause_from(cause)
        memory._entries[made] = ENTRY.read(form, entry)
    if data["recorded"] is not None:
        recorded: Any = _Recorded(BELIEFS.read(form, data["recorded"]))
        memory._recorded = recorded
    put_watch(form, memory._watch, data["watch"])
    for name, args, saved in data["cooldowns"]:
        task = form.domain.task(text(name))
        if not isinstance(task, CompoundTask) or not isinstance(task.decorator, CooldownDecorator):
            raise TypeError(f"'{name}' does not cool down")
        timer = timer_of(task.decorator.number, form.agent)
        TIMER.put(form, timer, saved)
        memory.cooldowns.left[task, VALUES.read(form, args)] = timer


# hooks of plans


def written_hooks(form: SaveForm, hooks: PlanHooks) -> dict[str, Json]:
    """The steps whose start hook was called, and those whose end hook is still to be called."""
    ends = [
        call.dropped
        for holder, call in hooks._agent.aborts._waiting
        if holder is hooks.holder and isinstance(call, _Ends)
    ]
    return {
        "open": _opened(form, hooks._open),
        "dropped": _opened(form, hooks._dropped),
        "ends": [_opened(form, dropped) for dropped in ends],
    }


def put_hooks(form: SaveForm, hooks: PlanHooks, data: Mapping[str, Json]) -> None:
    """Let the hooks of a goal be where they were; end hooks are those of the agent's operators."""
    hooks._open = _opened_from(form, hooks, data["open"])
    hooks._dropped = _opened_from(form, hooks, data["dropped"])
    for dropped in data["ends"]:
        ends = _Ends(hooks, _opened_from(form, hooks, dropped))
        hooks._agent.aborts._waiting += ((hooks.holder, ends),)


def _opened(form: SaveForm, opened: list[_Open]) -> Json:
    return [[form.cause(step.call), form.account(step.account)] for step in opened]


def _opened_from(form: SaveForm, hooks: PlanHooks, data: Json) -> list[_Open]:
    found = []
    for (name, _, args), leases in data:
        call = form.primitive(name), VALUES.read(form, args)
        account = form.put_account(Account(hooks.holder), leases)
        found.append(_Open(call, account))
    return found
