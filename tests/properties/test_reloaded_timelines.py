"""Agents that are reloaded at random moments: steps end exactly once, plans are kept if they work.

The scenes are those of ``scenes``. The code that is taken over is the same as
before, so a plan is kept exactly if the rest of it works.
"""

from collections import Counter

import pytest
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st
from py_trees.common import Status

from bthtn.agent.events import (
    AgentReloaded,
    LeafAborted,
    LeafEnded,
    LeafStarted,
    PlanBroken,
    PlanKept,
)
from bthtn.behaviours import Agent, Character, Operators, PlanGoal
from bthtn.domain.task import PrimitiveTask
from bthtn.errors import InputError
from bthtn.planning.protocol import Settings
from bthtn.replanning.policy import Replanning
from bthtn.replanning.reloaded import reloaded_plan
from bthtn.replanning.validity import validity_of
from bthtn.testing.doubles import ScriptedOperator
from bthtn.testing.playground import World
from tests.properties.scenes import LIMITS, scenes, tree_of

MOMENTS = st.lists(st.sampled_from(["", "", "", "agent", "tree"]), min_size=15, max_size=15)


def made(drawn, operators, sense, running=None):
    """The character of a scene, or another one of the same code for a running one."""
    state = World.over(drawn["state"])
    agent = Agent("somebody", drawn["domain"], state, body=None, operators=operators)
    if running is not None:
        agent = running.agent.reload(agent)
    options = {
        "settings": Settings(**drawn["settings"], **LIMITS),
        "max_replans": drawn["max_replans"],
        "replanning": Replanning(**drawn["replanning"]),
    }
    goals = [
        PlanGoal(name, agent, goal, **options)
        for name, goal in zip(("first", "second"), drawn["goals"], strict=True)
    ]
    return Character(tree_of(drawn["tree"], agent, *goals), agent, sense=sense)


def check_plans(character, counts):
    """A running plan is one of the same code exactly if the rest of it works."""
    now = character.agent.beliefs.frozen()
    for goal in character.root.iterate():
        if not isinstance(goal, PlanGoal) or goal.status is not Status.RUNNING:
            continue
        if goal._mount.is_empty or goal._mount.is_broken:
            continue
        planner, progress = goal._search.planner, goal._mount.progress()
        works = validity_of(progress, planner.domain, now).failure is None
        why = ""
        try:
            reloaded_plan(goal.plan, progress, goal._mount._origin, planner, now)
        except InputError as error:
            why = str(error)
        assert works is (not why), why
        counts["whole" if works else "broken"] += 1


def played(drawn, moments, counts):
    """The events of a scene in which the agent, or its whole tree, is reloaded now and then."""
    operators, sensed = Operators(simulates_others=True), iter(drawn["moments"])
    primitives = [one for one in drawn["domain"].tasks.values() if isinstance(one, PrimitiveTask)]
    for task, script in zip(primitives, drawn["scripts"], strict=False):
        if script is not None:
            operators.bind(task)(ScriptedOperator(script))

    def sense():
        if seen := next(sensed):
            character.agent.beliefs.write(*seen)

    character = made(drawn, operators, sense)
    events = []
    for moment, _ in zip(moments, drawn["moments"], strict=False):
        if moment == "tree":
            character.reload(lambda running: made(drawn, operators, sense, running))
        elif moment == "agent":
            agent, state = character.agent, World.over(drawn["state"])
            agent.reload(Agent("x", drawn["domain"], state, body=None, operators=operators))
        events += character.tick()
        check_plans(character, counts)
    events += character.stop()
    counts.update(type(one).__name__ for one in events)
    counts["kept"] += sum(isinstance(one, PlanKept) and "reloaded" in one.reason for one in events)
    assert not len(character.agent.leases)
    assert not character.agent.aborts
    return events


def ends(events):
    """Every step with its ends."""
    found = {one.leaf: [] for one in events if isinstance(one, LeafStarted)}
    for one in events:
        if isinstance(one, LeafEnded | LeafAborted):
            found[one.leaf].append(one)
    return found


@given(scenes(), MOMENTS)
def test_a_reload_keeps_what_works_and_every_step_ends_exactly_once(drawn, moments):
    counts = Counter()
    events = played(drawn, moments, counts)
    assert all(len(several) == 1 for several in ends(events).values())
    broken = [
        one for one in events if isinstance(one, PlanBroken) and "does not have" in one.reason
    ]
    event(f"kept: {min(counts['kept'], 2)}, broken by a reload: {bool(broken)}")


@pytest.mark.slow
def test_the_reloads_are_not_empty():
    counts = Counter()

    @settings(max_examples=60, derandomize=True, database=None, phases=[Phase.generate])
    @given(scenes(), MOMENTS)
    def play(drawn, moments):
        played(drawn, moments, counts)

    play()
    wanted = {"kept": 10, "whole": 40, AgentReloaded.__name__: 25}
    missing = {kind: counts[kind] for kind, least in wanted.items() if counts[kind] < least}
    assert not missing, f"{missing} in {dict(counts)}"
