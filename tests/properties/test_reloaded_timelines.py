"""Agents that are reloaded at random moments: steps end exactly once, plans are made anew.

The scenes are those of ``scenes``. The code that is taken over is the same as before, so the next
plan may well begin with the steps that run.
"""

from collections import Counter

from hypothesis import event, given
from hypothesis import strategies as st

from bthtn.behaviours import Agent, Character, Operators, PlanGoal
from bthtn.engine.agent.events import (
    LeafAborted,
    LeafEnded,
    LeafStarted,
    PlanAdopted,
    PlanBroken,
)
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.plan.replay import replay
from bthtn.engine.planning.protocol import Settings
from bthtn.engine.replanning.policy import Replanning
from bthtn.studio.testing.doubles import ScriptedOperator
from bthtn.studio.testing.playground import World
from tests.properties.scenes import LIMITS, scenes, tree_of

MOMENTS = st.lists(st.sampled_from(["", "", "", "agent", "tree"]), min_size=15, max_size=15)
RELOADED = "the domain was reloaded"


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

    def hear(told):
        if isinstance(told, PlanAdopted) and told.reason == RELOADED:
            counts["planned anew"] += 1
            assert replay(told.plan, character.agent.beliefs.frozen())

    character = made(drawn, operators, sense)
    character._listener = hear
    events = []
    for moment, _ in zip(moments, drawn["moments"], strict=False):
        running = [leaf for leaf, ends in ends_of(events).items() if not ends]
        if moment == "tree":
            character.reload(lambda running: made(drawn, operators, sense, running))
        elif moment == "agent":
            agent, state = character.agent, World.over(drawn["state"])
            agent.reload(Agent("x", drawn["domain"], state, body=None, operators=operators))
        happened = character.tick()
        events += happened
        if any(isinstance(one, PlanBroken) and one.reason == RELOADED for one in happened):
            aborted = {one.leaf for one in happened if isinstance(one, LeafAborted)}
            counts["runs on"] += sum(leaf not in aborted for leaf in running)
            counts["aborted"] += sum(leaf in aborted for leaf in running)
    events += character.stop()
    counts.update(type(one).__name__ for one in events)
    assert not len(character.agent.leases)
    assert not character.agent.aborts
    return events


def ends_of(events):
    """Every step with its ends."""
    found = {one.leaf: [] for one in events if isinstance(one, LeafStarted)}
    for one in events:
        if isinstance(one, LeafEnded | LeafAborted):
            found[one.leaf].append(one)
    return found


@given(scenes(), MOMENTS)
def test_the_next_plan_works_from_the_beliefs_and_every_step_ends_exactly_once(drawn, moments):
    counts = Counter()
    events = played(drawn, moments, counts)
    assert all(len(several) == 1 for several in ends_of(events).values())
    event(f"run on: {min(counts['runs on'], 2)}, aborted: {min(counts['aborted'], 2)}")
