"""The schedules in a save that divide a budget among the goals of a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bthtn.agent.agent import Agent
from bthtn.behaviours.plan_goal import PlanGoal
from bthtn.behaviours.save_form import (
    COUNT,
    TRUTH,
    Table,
)
from bthtn.replanning.schedule import PlanningSchedule, _Attention, _Claim
from bthtn.text.plan_json import NUMBER, Form, or_none, whole

Json = Any

SCHEDULE: Final = Table(
    frame=COUNT,
    _pace=or_none(NUMBER),
    _spent=NUMBER,
    _limit=COUNT,
    _unserved=COUNT,
    _free=COUNT,
    _numbers=COUNT,
    _seen=COUNT,
)
CLAIM: Final = Table(
    _Claim, number=COUNT, urgency=COUNT, since=COUNT, reserved=COUNT, is_active=TRUTH
)
ATTENTION: Final = Table(_Attention, phase=COUNT, priority=COUNT, every=COUNT, asleep=TRUTH)


def written_schedules(
    goals: Mapping[str, PlanGoal], agents: Sequence[Agent[Any, Any]]
) -> list[Json]:
    """The schedules of these goals, in the order of the goals."""
    found = []
    places = {goal: place for place, goal in goals.items()}
    for schedule in _schedules(goals):
        claims = [
            [places[goal], CLAIM.write(_form(agents), claim)]
            for goal, claim in schedule._claims.items()
            if isinstance(goal, PlanGoal) and goal in places
        ]
        attention = [
            [index, ATTENTION.write(_form(agents), schedule._attention[agent])]
            for index, agent in enumerate(agents)
            if agent in schedule._attention
        ]
        data = SCHEDULE.write(_form(agents), schedule)
        found.append({**data, "claims": claims, "attention": attention})
    return found


def put_schedules(
    data: Json, goals: Mapping[str, PlanGoal], agents: Sequence[Agent[Any, Any]]
) -> None:
    """Let the schedules of goals be where they were."""
    for schedule, saved in zip(_schedules(goals), data, strict=True):
        form = _form(agents)
        SCHEDULE.put(form, schedule, saved)
        schedule._claims = {}
        for place, claim in saved["claims"]:
            goal = goals[place]
            made = CLAIM.values(form, claim)
            schedule._claims[goal] = _Claim(goal, **made)
        for index, attention in saved["attention"]:
            made = ATTENTION.read(form, attention)
            if made.every < 1:
                raise ValueError("an agent plans every 0 frames")
            schedule._attention[agents[whole(index)]] = made


def _schedules(goals: Mapping[str, PlanGoal]) -> list[PlanningSchedule]:
    budgets = (goal.budget for goal in goals.values())
    return list(dict.fromkeys(budget for budget in budgets if isinstance(budget, PlanningSchedule)))


def _form(agents: Sequence[Agent[Any, Any]]) -> Form:
    return Form(agents[0].domain)
