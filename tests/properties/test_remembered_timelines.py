"""An agent whose plans are remembered does what it would do without memories, tick by tick."""

from collections import Counter
from unittest.mock import patch

from hypothesis import event, given
from hypothesis import strategies as st

from bthtn import Settings
from bthtn.behaviours import Agent, Character, Operators, PlanGoal
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.planning.htn import search
from bthtn.engine.planning.htn.memo import PlanMemo
from bthtn.engine.replanning.policy import Replanning
from bthtn.studio.testing.doubles import ScriptedOperator
from bthtn.studio.testing.playground import World
from bthtn.studio.views.timeline import Tick, lines, rows
from tests.engine.behaviours.own_nodes import OwnNodes
from tests.properties.scenes import LIMITS, scenes, tree_of


def without_memories():
    """A context in which nobody remembers a plan."""
    return patch.object(PlanMemo, "find", lambda *_: None)


def timeline(drawn, counts=None):
    """What ``bthtn run`` would print, tick by tick."""
    counts = Counter() if counts is None else counts
    operators, planning = Operators(simulates_others=True), Settings(**drawn["settings"], **LIMITS)
    primitives = [
        task for task in drawn["domain"].tasks.values() if isinstance(task, PrimitiveTask)
    ]
    for task, script in zip(primitives, drawn["scripts"], strict=False):
        if script is not None:
            operators.bind(task)(ScriptedOperator(script))
    agent = Agent(
        "somebody",
        drawn["domain"],
        World.over(drawn["state"]),
        body=None,
        operators=operators,
        # What was checked is shared by all arrivals at one suspended part.
        listener=None if planning.check_rest else OwnNodes(),
    )
    options = {
        "settings": planning,
        "budget": drawn["budget"],
        "max_replans": drawn["max_replans"],
        "replanning": Replanning(**drawn["replanning"]),
    }
    both = [
        PlanGoal(name, agent, goal, **options)
        for name, goal in zip(("first", "second"), drawn["goals"], strict=True)
    ]
    sensed = iter(drawn["moments"])

    def sense():
        if seen := next(sensed):
            agent.beliefs.write(*seen)

    character = Character(tree_of(drawn["tree"], agent, *both), agent, sense=sense)
    ticks = []
    for _ in drawn["moments"]:
        events = character.tick()
        ticks.append(Tick(character.ticks, tuple(goal.status.value for goal in both), events))
        counts.update(type(one).__name__ for one in events)
    ticks.append(Tick(character.ticks + 1, (), character.stop()))
    return [[str(line) for line in lines(row)] for row in rows(ticks)]


def remembered(drawn, counts=None):
    """The timeline, and how many plans were remembered in it."""
    recalled, recall = [], search.Recalled

    def noted(*given):
        recalled.append(given)
        return recall(*given)

    with patch.object(search, "Recalled", noted):
        found = timeline(drawn, counts)
    return found, len(recalled)


BUDGETS = st.sampled_from([None, 1, 2, 3, 5, 10, 30])


@given(scenes(), BUDGETS)
def test_with_memories_the_same_happens_in_every_tick(drawn, budget):
    drawn = {**drawn, "budget": budget}
    with without_memories():
        alone = timeline(drawn)
    for _ in range(2):
        found, recalled = remembered(drawn)
        assert found == alone
    event(f"remembered: {recalled > 0}")
