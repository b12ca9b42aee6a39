"""A goal in a save: its state by data, its running plan, and what has failed for it.

A goal that has no plan while it runs searches for one, and begins that search anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final

from bthtn.engine.agent.leases import Account
from bthtn.engine.behaviours.hooks import PlanHooks, _Ends, _Open
from bthtn.engine.behaviours.memory import GOAL as GOAL_ITSELF
from bthtn.engine.behaviours.memory import Cause, RememberedFailure
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.behaviours.plan_run import PlanRun
from bthtn.engine.behaviours.save_form import (
    CODECS,
    LEASES,
    Calls,
    SavedAttributes,
    SaveForm,
    truth,
)
from bthtn.engine.behaviours.saved_run import advance, put_run, searched, written_run
from bthtn.engine.behaviours.status import RUNNING
from bthtn.engine.replanning.improvement import Start
from bthtn.engine.text.plan_json import VALUES, Codec

Json = Any

REMEMBERED: Final = SavedAttributes(
    "failure:failure woken:number count:count since:number until:number changed:change?"
    " ended_by:change? reads:reads searched:beliefs",
    RememberedFailure,
)


def _entries(form: Any, entries: Mapping[Cause, RememberedFailure]) -> Json:
    """What has failed, with the cause; None for the goal itself."""
    return [
        [None if isinstance(cause, str) else form.cause(cause), REMEMBERED.write(form, entry)]
        for cause, entry in entries.items()
    ]


def _entries_from(form: Any, data: Json) -> dict[Cause, RememberedFailure]:
    return {
        GOAL_ITSELF if cause is None else form.cause_from(cause): REMEMBERED.read(form, entry)
        for cause, entry in data
    }


BOUND: Final = Codec(
    lambda _, bound: [list(bound[0]), bound[1]],
    lambda form, data: (CODECS["record"].read(form, data[0]), truth(data[1])),
)
MEMORY: Final = SavedAttributes(
    "_now:number _reads:reads _has_plan:truth _had_plan:truth _entries:entries"
    " _recorded:recorded? _watch:watch cooldowns:cooldowns",
    cooldowns=SavedAttributes("left:cooling"),
    entries=Codec(_entries, _entries_from),
    recorded=SavedAttributes("reads:beliefs", SimpleNamespace),
)
GOAL: Final = SavedAttributes(
    "plan_id:text record:record replans:count ends_for:text _has_waited:truth _ended:status?"
    " _search:search",
    search=SavedAttributes("reason:text failures:memory", memory=MEMORY),
)
VALIDITY: Final = SavedAttributes(
    "_is_new:truth _works_in:state? _unexpected:change? _support:watch",
)
OPTIMALITY: Final = SavedAttributes(
    "_avoided_then:avoided _avoided_last:avoided _best_from:start? _bound:bound? _age:count"
    " _better_since:count? _is_due:truth _is_due_anyway:truth _causes:changes _has_moved:truth"
    " _chances:watch",
    bound=BOUND,
    start=SavedAttributes("state:state avoided:avoided", Start),
)
REVIEW: Final = SavedAttributes(
    "_own:own _validity:validity _optimality:optimality",
    own=SavedAttributes("start:state _done:beliefs"),
    validity=VALIDITY,
    optimality=OPTIMALITY,
)


def goal_form(goal: PlanGoal, calls: Calls) -> SaveForm:
    planner = goal._search.planner
    return SaveForm(goal.agent, calls, planner.domain, planner.goal, goal.name)


def written_goal(form: SaveForm, goal: PlanGoal) -> dict[str, Json]:
    """A goal as JSON, without the goals that it waits for."""
    mount = goal._mount
    data = {
        **GOAL.write(form, goal),
        "searched": searched(goal._search._current),
        "prepared": searched(goal._search._background),
        "hooks": written_hooks(form, mount.hooks),
    }
    if not mount.is_empty:
        run = written_run(form, mount.run, mount.subtree, goal.plan)
        data["run"] = {**run, "is_broken": mount.is_broken}
        if goal.status is RUNNING and not mount.is_broken:
            data["review"] = review = REVIEW.write(form, goal._review)
            if goal._review._optimality._search is not None:
                review["optimality"]["is_due"] = True  # it begins anew
    return data


def put_goal(form: SaveForm, goal: PlanGoal, data: Mapping[str, Json]) -> None:
    """Put a goal that was made anew where it was; its status and message are set already."""
    mount = goal._mount
    GOAL.put(form, goal, data)
    put_hooks(form, mount.hooks, data["hooks"])
    if "run" in data:
        _put_run(form, goal, data["run"])
    form.calls.last.append(lambda: _search_again(goal, data))
    if goal.status is RUNNING and not (mount.is_empty or mount.is_broken):
        goal._review._optimality.plan = goal.plan
        REVIEW.put(form, goal._review, data["review"])


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
    goal.plan, root = put_run(form, search.planner.goal, data, run)
    root.parent = goal
    goal.children = [root]
    mount._domains = (search.planner.domain,)
    mount.is_broken = truth(data["is_broken"])


def _search_again(goal: PlanGoal, data: Mapping[str, Json]) -> None:
    """Begin the searches anew that were not over, as far as they had come."""
    search = goal._search
    if goal.status is RUNNING and (goal._mount.is_empty or goal._mount.is_broken):
        goal._start_search(search.reason)
    advance(search._current, data["searched"])
    if data["prepared"] is not None:
        search._background = search._started()
        advance(search._background, data["prepared"])


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
    return [[form.cause(step.call), LEASES.write(form, step.account)] for step in opened]


def _opened_from(form: SaveForm, hooks: PlanHooks, data: Json) -> list[_Open]:
    found = []
    for (name, _, args), leases in data:
        call = form.primitive(name), VALUES.read(form, args)
        found.append(_Open(call, Account(hooks.holder)))
        LEASES.put(form, found[-1].account, leases)
    return found
