"""An agent that is saved, and loaded in the middle of what it does, does what it would have done.

The scenes are those of ``scenes``. In addition searches take several ticks,
aborts take several ticks, and some steps need a lease, which their plan takes when it begins.
"""

import json
from contextlib import suppress

from hypothesis import assume, given
from hypothesis import strategies as st
from py_trees.trees import BehaviourTree

from bthtn.behaviours import Agent, Operators, PlanGoal, attach
from bthtn.engine.behaviours.mount import PlannedRest
from bthtn.engine.behaviours.saves import load, save
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.planning.protocol import Settings
from bthtn.engine.replanning.policy import Replanning
from bthtn.errors import InputError
from bthtn.kit.recording import event_data
from bthtn.studio.testing.doubles import ScriptedOperator
from bthtn.studio.testing.playground import World
from tests.properties.scenes import LIMITS, scenes, tree_of
from tests.properties.test_remembered_timelines import without_memories

STYLES = st.fixed_dictionaries(
    {
        "budget": st.sampled_from([None, None, 1, 3]),
        "abort_ticks": st.sampled_from([0, 0, 2]),
        "leases": st.booleans(),
    }
)


class Played:
    """One run of a scene; its agent, its tree, and what happened in every tick."""

    def __init__(self, drawn, style):
        self.moments = drawn["moments"]
        self.events = []
        self.agent = Agent(
            "somebody",
            drawn["domain"],
            World.over(drawn["state"]),
            body=None,
            operators=operators_of(drawn, style),
            listener=self.events.append,
        )
        options = {
            "settings": Settings(**drawn["settings"], **LIMITS),
            "budget": style["budget"],
            "max_replans": drawn["max_replans"],
            "replanning": Replanning(**drawn["replanning"]),
        }
        goals = [
            PlanGoal(name, self.agent, goal, **options)
            for name, goal in zip(("first", "second"), drawn["goals"], strict=True)
        ]
        self.tree = BehaviourTree(tree_of(drawn["tree"], self.agent, *goals))
        attach(self.tree, self.agent)
        self.tree.setup()

    def tick(self, moment):
        """What happens in the next tick, as text, and what every node then does."""
        self.events.clear()
        if moment is not None:
            self.agent.beliefs.write(*moment)
        self.tree.tick()
        nodes = [(node.name, str(node.status)) for node in self.tree.root.iterate()]
        return [json.dumps(event_data(one), sort_keys=True) for one in self.events], nodes


def operators_of(drawn, style):
    """The scripted operators of a scene, which can be resumed."""
    operators = Operators(simulates_others=True)
    primitives = [one for one in drawn["domain"].tasks.values() if isinstance(one, PrimitiveTask)]
    for task, script in zip(primitives, drawn["scripts"], strict=False):
        if script is not None:
            scripted = ScriptedOperator(script, abort_ticks=style["abort_ticks"])
            operators.bind(task)(scripted)
            operators.on_resume(task)(scripted.resume)
    if style["leases"]:
        operators.on_plan_start(primitives[0])(lambda agent: agent.take("tool"))
        operators.on_plan_end(primitives[0])(lambda agent: None)
    return operators


def continued(drawn, style, at):
    """The rest of a scene that was saved before tick ``at``, loaded into a tree made anew."""
    first = Played(drawn, style)
    for moment in drawn["moments"][:at]:
        first.tick(moment)
    assume(not any(searches_from_before(node) for node in first.tree.root.iterate()))
    text = json.dumps(save(first.tree, first.agent))
    second = Played(drawn, style)
    load(json.loads(text), second.tree, second.agent)
    assert parts_of(save(second.tree, second.agent)) == parts_of(json.loads(text))
    return [second.tick(moment) for moment in drawn["moments"][at:]]


def parts_of(saved):
    """A save without what the latest search of each goal has read: several may begin anew."""
    for node in saved["tree"].values():
        if "search" in node:
            del node["search"]["failures"]["recorded"]
    return saved


def searches_from_before(node):
    """Whether a search of a goal goes on that began with other beliefs: it begins anew."""
    if not isinstance(node, PlanGoal):
        return False
    search, version = node._search, node.agent.beliefs.version
    asked = [getattr(below, "_ask", None) for below in node.iterate()]
    going_on = [search._current, search._background]
    going_on += [ask.search._started for ask in asked if isinstance(ask, PlannedRest)]
    is_old = any(one is not None and one._version != version for one in going_on)
    return is_old or node._review._optimality._search is not None


@given(scenes(), STYLES, st.integers(0, 14))
def test_a_loaded_agent_goes_on_as_if_it_had_not_been_stopped(drawn, style, at):
    with without_memories():
        whole = Played(drawn, style)
        expected = [whole.tick(moment) for moment in drawn["moments"]]
    at = min(at, len(expected) - 1)
    for _ in range(2):  # the second one remembers plans of the first
        assert continued(drawn, style, at) == expected[at:]


@given(scenes(), STYLES, st.integers(1, 8), st.data())
def test_a_damaged_save_is_refused_or_the_agent_goes_on(drawn, style, at, data):
    played = Played(drawn, style)
    for moment in drawn["moments"][:at]:
        played.tick(moment)
    saved = json.loads(json.dumps(save(played.tree, played.agent)))
    damage(saved, data.draw(st.randoms(use_true_random=False)))
    other = Played(drawn, style)
    with suppress(InputError):
        load(saved, other.tree, other.agent)
        for _ in range(20):
            other.tick(None)


def damage(saved, random):
    """Put something else in a random place of a save."""
    inside = saved
    while True:
        keys = list(inside) if isinstance(inside, dict) else range(len(inside))
        key = random.choice(list(keys))
        below = inside[key]
        if not isinstance(below, dict | list) or not below or random.random() < 0.05:
            break
        inside = below
    inside[key] = random.choice([None, -1, 10**6, "x", [], {}, True, "RUNNING", "SUCCESS", [[]]])
