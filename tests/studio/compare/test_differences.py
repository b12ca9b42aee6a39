"""Differences of two observations of one seed, and those of many seeds."""

from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel

from bthtn.behaviours import Agent, Character, ManualClock, PlanGoal
from bthtn.examples.domains.combat.domain import Soldier, combat, fight
from bthtn.studio.compare.differences import means, most_different, other_plans, row_of
from bthtn.studio.compare.observe import Observation, run_seed


def test_runs_of_the_same_events_and_other_facts_differ_at_their_ends():
    one = Observation({"ticks": 5}, {}, [(1, "start shoot")])
    other = Observation({"ticks": 9}, {}, [(1, "start shoot")])
    row = row_of(0, one, other)
    assert (row["same"], row["a.ticks"], row["b.ticks"]) == (False, 5, 9)
    assert row["difference"] == {"tick": 5, "a": "ends after 5 ticks", "b": "ends after 9 ticks"}
    assert row_of(0, one, one)["same"]


def test_the_first_thing_that_happens_otherwise_is_the_difference():
    one = Observation({}, {}, [(1, "start shoot"), (2, "done shoot")])
    other = Observation({}, {}, [(1, "start shoot")])
    assert row_of(0, one, other)["difference"] == {"tick": 2, "a": "done shoot", "b": ""}


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


def rows(text, pairs):
    return [
        {"seed": seed, "same": a == b, f"a.{text}": a, f"b.{text}": b}
        for seed, (a, b) in enumerate(pairs)
    ]


def test_a_condition_has_its_share_and_a_number_its_mean():
    won = means(rows("won", [(True, False), (True, True), (False, True), (True, True)]), "won")
    assert (won.a, won.b, won.seeds, won.differ) == (0.75, 0.75, 4, 2)
    ticks = means(rows("ticks", [(1, 2), (2, 2), (6, 2)]), "ticks")
    assert (ticks.a, ticks.b, ticks.seeds, ticks.differ) == (3, 2, 3, 2)


def test_seeds_in_which_a_side_has_no_value_are_left_out_of_the_means():
    cost = means(rows("cost", [(None, 3), (1, 1), (2, None)]), "cost")
    assert (cost.a, cost.b, cost.seeds, cost.differ) == (1, 1, 1, 0)
    nothing = means(rows("cost", [(None, None)]), "cost")
    assert (nothing.a, nothing.b, nothing.seeds) == (None, None, 0)


def test_seeds_are_ranked_by_all_measures_and_the_same_ones_left_out():
    found = rows("ticks", [(5, 5), (5, 9), (5, 6), (7, 7), (1, None)])
    assert [row["seed"] for row in most_different(found, ["ticks"], 10)] == [1, 2, 4]
    assert [row["seed"] for row in most_different(found, ["ticks"], 1)] == [1]


def test_states_that_lead_to_the_same_two_plans_come_together_the_most_frequent_first():
    def row(seed, plan):
        state = {"ammo": seed > 1}
        decision = {"tick": 3, "goal": "fight", "state": state, "a": "(shoot)", "b": plan}
        return {"seed": seed, "decision": decision if plan else None}

    found = other_plans([row(0, "(run)"), row(1, None), row(2, "(hide)"), row(3, "(hide)")])
    assert [(one.b, one.seeds) for one in found] == [("(hide)", [2, 3]), ("(run)", [0])]
    assert found[0].example == {"ammo": True}
