"""Two observations of one seed, beside each other."""

from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel

from bthtn.behaviours import Agent, Character, ManualClock, PlanGoal
from bthtn.examples.domains.combat.domain import Soldier, combat, fight
from bthtn.studio.compare.observe import Observation, run_seed
from bthtn.studio.compare.pair import paired


def test_runs_of_the_same_events_and_other_facts_differ_at_their_ends():
    one = Observation({"ticks": 5}, {}, [(1, "start shoot")])
    other = Observation({"ticks": 9}, {}, [(1, "start shoot")])
    row = paired(one, other)
    assert (row["same"], row["a.ticks"], row["b.ticks"]) == (False, 5, 9)
    assert row["difference"] == {"tick": 5, "a": "ends after 5 ticks", "b": "ends after 9 ticks"}
    assert paired(one, one)["same"]


def test_the_first_thing_that_happens_otherwise_is_the_difference():
    one = Observation({}, {}, [(1, "start shoot"), (2, "done shoot")])
    other = Observation({}, {}, [(1, "start shoot")])
    assert paired(one, other)["difference"] == {"tick": 2, "a": "done shoot", "b": ""}


def test_beliefs_of_other_agents_are_named_by_them():
    ann, bob = (
        Agent(name, combat, Soldier(target=name == "Bob"), body=None, clock=ManualClock())
        for name in ("Ann", "Bob")
    )
    goals = [PlanGoal("fight", one, fight()) for one in (ann, bob)]
    root = Parallel("both", policy=ParallelPolicy.SuccessOnAll(), children=goals)
    seen = run_seed(Character(root, ann), 1, ())
    own, others = (seen.facts["beliefs"][name] for name in ("target", "Bob.target"))
    assert (own, others) == (False, True)


def test_a_world_that_raises_when_it_is_stopped_is_a_fact_and_listeners_are_still_called():
    heard = []
    soldier, clock = Soldier(target=True), ManualClock()
    agent = Agent("Ann", combat, soldier, body=None, listener=heard.append, clock=clock)
    character = Character(PlanGoal("fight", agent, fight()), agent)
    character.root.shutdown = lambda: 1 / 0
    seen = run_seed(character, 2, ())
    assert seen.facts["error"] == "ZeroDivisionError: division by zero"
    assert seen.facts["ticks"] == 2
    assert heard
