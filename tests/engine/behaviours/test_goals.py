"""Choosing among goals: by order, by value, by state; and being well-behaved in a tree."""

from itertools import pairwise

import py_trees
import pytest
from py_trees.common import Status
from py_trees.composites import Selector

from bthtn import UNKNOWN, Domain, method
from bthtn.behaviours import (
    Agent,
    Operators,
    PlanGoal,
    PriorityGoals,
    StateMachineGoals,
    UtilityGoals,
)
from bthtn.engine.agent.events import GoalEnded, PlanAborted, PlanAdopted
from bthtn.errors import DomainError, ExecutionError
from bthtn.studio.testing.doubles import RecordingListener, ScriptedOperator, ticks
from bthtn.studio.testing.strategies import World


class Yard:
    """Three jobs: ``heal`` when lit, ``fight`` when armed, ``patrol`` always."""

    def __init__(self, **scripts):
        self.heard = RecordingListener()
        self.domain = Domain("yard", World)
        operators = Operators(simulates_others=True)
        self.code = {}
        for name, condition in [("heal", World.open), ("fight", World.armed), ("patrol", None)]:
            task = self.domain.primitive(name, precondition=condition)
            self.code[name] = ScriptedOperator(scripts.get(name, "RRRRRRRRRRRRRRRRRRRRRRRR"))
            operators.bind(task)(self.code[name])
            setattr(self, name, task())
        self.count = self.counting()
        self.agent = Agent(
            "dog", self.domain, World(), body=None, operators=operators, listener=self.heard
        )

    def counting(self):
        """A goal that takes a hundred expansions to plan, and is done in a tick."""
        step = self.domain.primitive("step", effects=World.count.increases(1))

        @self.domain.compound
        def count():
            yield method(when=World.count >= 50)
            yield method(step(), count())

        @self.domain.compound
        def gated():
            yield method(count(), when=World.armed)

        def boom(state):
            if state.armed:
                raise ValueError("boom")
            return False

        @self.domain.compound
        def bad():
            yield method(step(), when=boom)

        self.gated, self.bad = gated(), bad()
        return count()

    def priority(self, *goals, **options):
        return PriorityGoals("jobs", self.agent, goals, **options)

    def story(self):
        return [line for line in self.heard.lines() if "Plan" not in line]


def running(tree):
    return tree.tip().name


# in order


def test_goals_are_tried_in_order_and_the_next_one_when_one_has_no_plan():
    yard = Yard()
    tree = yard.priority(yard.heal, yard.fight, yard.patrol)
    assert ticks(tree, 2) == "RR"
    assert running(tree) == "patrol"


def test_a_goal_that_fails_while_it_runs_gives_way_to_the_next():
    yard = Yard(fight="RF")
    yard.agent.believe(World.armed, True)
    tree = yard.priority(
        yard.heal, PlanGoal("fight", yard.agent, yard.fight, max_replans=0), yard.patrol
    )
    assert ticks(tree, 2) == "RR"
    assert running(tree) == "patrol"


def test_a_goal_that_is_done_makes_the_whole_done_and_all_failed_makes_it_fail():
    yard = Yard(patrol="RS")
    assert ticks(yard.priority(yard.heal, yard.patrol), 2) == "RS"
    assert ticks(yard.priority(yard.heal, yard.fight), 1) == "F"
    assert ticks(yard.priority(), 1) == "F"


def test_a_goal_that_holds_already_gives_way_to_the_next_and_does_not_come_back_while_it_holds():
    yard = Yard()
    yard.agent.believe(World.count, 50)
    tree = yard.priority(yard.count, yard.patrol, period=2)
    assert ticks(tree, 6) == "RRRRRR"
    assert yard.story() == ["start patrol"]
    yard.agent.believe(World.count, 0)
    assert ticks(tree, 1) == "S"
    assert yard.story()[1] == "aborted patrol"


def test_a_goal_of_greatest_utility_that_holds_already_gives_way_to_the_next_best():
    yard = Yard()
    yard.agent.believe(World.count, 50)
    tree = utility(yard, (yard.count, 9), (yard.patrol, 1))
    assert ticks(tree, 3) == "RRR"
    yard.agent.believe(World.count, 51)
    assert ticks(tree, 3) == "RRR"
    assert yard.story() == ["start patrol"]


def test_where_all_goals_that_work_hold_already_nothing_is_left_to_do():
    yard = Yard()
    yard.agent.believe(World.count, 50)
    assert ticks(yard.priority(yard.fight, yard.count, yard.heal), 2) == "SS"


@pytest.mark.parametrize(
    ("given", "period"), [*(({"period": ticks}, ticks) for ticks in (1, 3, 5)), ({}, 10)]
)
def test_a_higher_goal_takes_over_when_it_plans_at_its_period(given, period):  # R000-31
    yard = Yard()
    tree = yard.priority(yard.heal, yard.fight, yard.patrol, **given)
    tree.tick_once()
    yard.agent.believe(World.open, True)
    names = []
    for _ in range(period):
        tree.tick_once()
        names.append(running(tree))
    assert names == ["patrol"] * (period - 1) + ["heal"]
    assert yard.story()[-2:] == ["aborted patrol", "start heal"]
    (dropped,) = yard.heard.of(PlanAborted)
    assert (dropped.goal, dropped.reason) == ("patrol", "'heal' took over")


def test_looking_at_higher_goals_does_not_disturb_the_running_one():
    yard = Yard()
    tree = yard.priority(yard.heal, yard.fight, yard.patrol, period=1)
    ticks(tree, 20)
    assert (yard.code["patrol"].starts, yard.code["patrol"].ticks) == (1, 20)
    assert yard.story() == ["start patrol"]


def test_a_higher_goal_begins_with_the_plan_that_was_found_while_the_other_ran():
    yard = Yard()
    higher = PlanGoal("count", yard.agent, yard.gated, budget=10)
    tree = yard.priority(higher, yard.patrol, period=1)
    tree.tick_once()
    assert running(tree) == "patrol"
    yard.agent.believe(World.armed, True)
    before = yard.code["patrol"].ticks
    statuses = ""
    while statuses[-1:] != "S":
        statuses += ticks(tree, 1)
    took = yard.code["patrol"].ticks - before
    assert len(statuses) == took + 1  # in the tick that takes over, the plan is there
    assert took >= 5  # patrol ran on while ten expansions a tick were spent on the other
    assert len(yard.heard.of(PlanAdopted)) == 2
    assert yard.heard.faults() == []


def test_a_plan_that_no_longer_holds_when_it_is_found_changes_nothing():
    yard = Yard()
    higher = PlanGoal("count", yard.agent, yard.gated, budget=10)
    tree = yard.priority(higher, yard.patrol, period=1)
    tree.tick_once()
    yard.agent.believe(World.armed, True)
    ticks(tree, 3)
    yard.agent.believe(World.armed, False)
    assert ticks(tree, 30) == "R" * 30
    assert running(tree) == "patrol"
    assert yard.code["patrol"].starts == 1


def test_a_domain_that_raises_is_no_better_goal():
    yard = Yard()
    tree = yard.priority(yard.bad, yard.patrol, period=1)
    tree.tick_once()
    yard.agent.believe(World.armed, True)
    assert ticks(tree, 3) == "RRR"
    assert running(tree) == "patrol"


def test_what_failed_in_one_run_is_tried_again_in_the_next():
    yard = Yard(patrol="S")
    tree = yard.priority(yard.heal, yard.patrol)
    assert ticks(tree, 1) == "S"
    yard.agent.believe(World.open, True)
    tree.tick_once()
    assert running(tree) == "heal"


def test_what_failed_before_another_took_over_is_tried_again_when_that_fails():
    yard = Yard(heal="RF")
    heal = PlanGoal("heal", yard.agent, yard.heal, max_replans=0)
    tree = yard.priority(heal, yard.fight, yard.patrol, period=1)
    tree.tick_once()
    yard.agent.believe(World.open, True)
    tree.tick_once()
    assert running(tree) == "heal"
    yard.agent.believe(World.armed, True)
    tree.tick_once()
    assert running(tree) == "fight"


def test_an_interrupted_look_ahead_is_not_gone_on_with():
    yard = Yard()
    higher = PlanGoal("count", yard.agent, yard.gated, budget=10)
    tree = yard.priority(higher, yard.patrol, period=1)
    tree.tick_once()
    yard.agent.believe(World.armed, True)
    ticks(tree, 3)
    tree.stop(Status.INVALID)
    yard.agent.believe(World.armed, False)
    tree.tick_once()
    yard.agent.believe(World.armed, True)
    yard.agent.believe(World.count, 45)
    ticks(tree, 20)
    counted = [one.plan for one in yard.heard.of(PlanAdopted) if one.goal == "count"]
    assert [len(plan.steps) for plan in counted][:1] == [5]


def test_other_behaviours_take_over_as_under_a_selector(child, log):
    first, second = child("first", "FFR"), child("second", "RRR")
    yard = Yard()
    tree = yard.priority(first, second, period=1)
    ticks(tree, 3)
    ours, log[:] = list(log), []
    again = Selector("s", memory=False, children=[child("first", "FFR"), child("second", "RRR")])
    ticks(again, 3)
    assert ours == log
    assert ours[-1] == "abort second"


def test_a_goal_is_tried_only_while_its_condition_holds():
    yard = Yard()
    yard.agent.believe(World.armed, value=True)
    goals, when = [yard.fight, yard.patrol], [World.count > 2, True]
    tree = yard.priority(*goals, when=when, period=2)
    assert (ticks(tree, 2), running(tree)) == ("RR", "patrol")
    yard.agent.believe(World.count, 3)
    assert (ticks(tree, 2), running(tree)) == ("RR", "fight")
    yard.agent.believe(World.count, 0)
    assert (ticks(tree, 2), running(tree)) == ("RR", "patrol")


def test_a_goal_whose_condition_turns_false_while_it_is_planned_for_does_not_take_over():
    yard = Yard()
    tree = yard.priority(yard.count, yard.patrol, when=[World.open, True], period=1, budget=30)
    yard.agent.believe(World.open, value=False)
    ticks(tree, 1)
    yard.agent.believe(World.open, value=True)
    ticks(tree, 2)
    yard.agent.believe(World.open, value=False)
    assert (ticks(tree, 9), running(tree)) == ("RRRRRRRRR", "patrol")


def test_a_condition_that_raises_is_contained_and_does_not_hold():
    yard = Yard()
    tree = yard.priority(yard.fight, yard.patrol, when=[lambda state: 1 // 0, True])
    assert (ticks(tree, 1), running(tree)) == ("R", "patrol")
    assert list(yard.agent.errors.values()) == [1]


def test_there_is_a_condition_for_each_goal_or_for_none():
    yard = Yard()
    with pytest.raises(DomainError, match="'jobs' has 2 goals and 1 conditions"):
        yard.priority(yard.fight, yard.patrol, when=[World.armed])


def test_a_period_below_one_tick_is_refused():
    yard = Yard()
    with pytest.raises(ExecutionError, match="BT202"):
        yard.priority(yard.patrol, period=0)


# by value


def utility(yard, *goals, **options):
    return UtilityGoals("wishes", yard.agent, goals, **options)


def test_the_goal_of_the_greatest_value_is_pursued():
    yard = Yard()
    yard.agent.believe(World.armed, True)
    tree = utility(yard, (yard.patrol, 1), (yard.fight, World.ammo + 1))
    tree.tick_once()
    assert running(tree) == "fight"


def test_equal_values_are_told_apart_by_their_order():
    yard = Yard()
    yard.agent.believe(World.armed, True)
    tree = utility(yard, (yard.patrol, 1), (yard.fight, 1))
    tree.tick_once()
    assert running(tree) == "patrol"


def test_a_goal_of_great_utility_is_not_pursued_while_its_condition_does_not_hold():
    yard = Yard()
    yard.agent.believe(World.armed, value=True)
    goals, when = [(yard.fight, 9), (yard.patrol, 1)], [World.count > 2, True]
    tree = UtilityGoals("jobs", yard.agent, goals, when=when)
    assert (ticks(tree, 1), running(tree)) == ("R", "patrol")
    yard.agent.believe(World.count, 3)
    assert (ticks(tree, 1), running(tree)) == ("R", "fight")
    yard.agent.believe(World.count, 0)
    assert (ticks(tree, 1), running(tree)) == ("R", "patrol")


def test_of_equal_values_the_running_one_is_kept():
    yard = Yard()
    yard.agent.believe(World.armed, True)
    yard.agent.believe(World.ammo, 5)
    tree = utility(yard, (yard.patrol, 1), (yard.fight, World.ammo))
    tree.tick_once()
    yard.agent.believe(World.ammo, 1)
    tree.tick_once()
    assert running(tree) == "fight"


def test_a_greater_value_interrupts_once_there_is_a_plan():
    yard = Yard()
    tree = utility(yard, (yard.patrol, 1), (yard.fight, World.ammo))
    tree.tick_once()
    yard.agent.believe(World.ammo, 5)
    tree.tick_once()
    assert running(tree) == "patrol"  # there is no plan without arms
    yard.agent.believe(World.armed, True)
    tree.tick_once()
    assert running(tree) == "fight"
    assert yard.code["patrol"].starts == 1


def test_the_next_best_goal_is_pursued_when_the_best_has_no_plan():
    yard = Yard()
    tree = utility(yard, (yard.fight, 9), (yard.patrol, 1), (yard.heal, 5))
    tree.tick_once()
    assert running(tree) == "patrol"


@pytest.mark.parametrize(("inertia", "switches"), [(0, 9), (3, 0)])
def test_inertia_keeps_two_near_goals_from_taking_turns(inertia, switches):  # R000-31
    yard = Yard()
    yard.agent.believe(World.armed, True)
    goals = [(yard.patrol, 5), (yard.fight, World.ammo)]
    tree = utility(yard, *goals, inertia=inertia)
    names = []
    for tick in range(10):
        yard.agent.believe(World.ammo, 4 + 2 * (tick % 2))
        tree.tick_once()
        names.append(running(tree))
    assert sum(a != b for a, b in pairwise(names)) == switches


def test_values_are_asked_only_when_beliefs_have_changed():
    yard, asked = Yard(), []

    def worth(state):
        asked.append(state.ammo)
        return state.ammo

    tree = utility(yard, (yard.patrol, worth), (yard.patrol, 0))
    ticks(tree, 10)
    assert asked == [1]
    yard.agent.believe(World.ammo, 2)
    ticks(tree, 10)
    assert asked == [1, 2]


@pytest.mark.parametrize(
    "value", [World.fuel, lambda state: state.fuel, lambda state: 1 / 0, float("nan")]
)
def test_a_goal_without_a_value_is_not_chosen(value):
    yard = Yard()
    yard.agent.believe(World.armed, True)
    yard.agent.believe(World.fuel, UNKNOWN)
    tree = utility(yard, (yard.fight, value), (yard.patrol, -1))
    tree.tick_once()
    assert running(tree) == "patrol"


# by state


def machine(yard, **options):
    return StateMachineGoals(
        "moods", yard.agent, World.place, {"a": yard.patrol, "b": yard.fight}, **options
    )


def test_a_transition_interrupts_and_plans_in_the_same_tick():  # R000-31
    yard = Yard()
    yard.agent.believe(World.armed, True)
    tree = machine(yard)
    ticks(tree, 3)
    assert running(tree) == "patrol"
    yard.agent.believe(World.place, "b")
    tree.tick_once()
    assert running(tree) == "fight"
    assert yard.story() == ["start patrol", "aborted patrol", "start fight"]


def test_a_goal_that_ended_is_begun_again_only_after_a_transition():
    yard = Yard(patrol="RS")
    yard.agent.believe(World.armed, True)
    tree = machine(yard)
    assert ticks(tree, 5) == "RSSSS"
    assert yard.code["patrol"].starts == 1
    yard.agent.believe(World.place, "b")
    assert ticks(tree, 1) == "R"
    yard.agent.believe(World.place, "a")
    assert ticks(tree, 2) == "RS"
    assert yard.code["patrol"].starts == 2


def test_a_goal_that_failed_stays_failed_until_a_transition():
    yard = Yard()
    tree = machine(yard)
    yard.agent.believe(World.place, "b")
    assert ticks(tree, 3) == "FFF"
    assert len(yard.heard.of(GoalEnded)) == 1


def test_an_interrupted_machine_begins_anew():
    yard = Yard(patrol="S")
    tree = machine(yard)
    assert ticks(tree, 1) == "S"
    tree.stop(Status.INVALID)
    assert ticks(tree, 1) == "S"
    assert yard.code["patrol"].starts == 2


@pytest.mark.parametrize("place", ["c", UNKNOWN])
def test_a_state_without_a_goal_is_a_failure_and_stops_what_ran(place):
    yard = Yard()
    tree = machine(yard)
    tree.tick_once()
    yard.agent.believe(World.place, place)
    assert ticks(tree, 1) == "F"
    assert "no goal for" in tree.feedback_message
    assert yard.heard.running() == []


def test_a_state_function_that_raises_is_contained():
    yard = Yard()
    tree = StateMachineGoals("moods", yard.agent, lambda state: 1 / 0, {"a": yard.patrol})
    assert ticks(tree, 1) == "F"
    assert "ZeroDivisionError" in tree.feedback_message


# well-behaved


def choosers(yard):
    return {
        "priority": yard.priority(yard.heal, yard.fight, yard.patrol, period=1),
        "utility": utility(
            yard, (yard.heal, World.ammo), (yard.fight, 3), (yard.patrol, 2), inertia=1
        ),
        "machine": machine(yard),
    }


@pytest.mark.parametrize("kind", ["priority", "utility", "machine"])
def test_it_can_be_looked_at_like_any_composite(kind):
    yard = Yard()
    tree = choosers(yard)[kind]
    root = py_trees.trees.BehaviourTree(tree)
    visitor = py_trees.visitors.SnapshotVisitor()
    root.visitors.append(visitor)
    root.setup()
    root.tick()
    assert tree.id in visitor.visited
    assert running(tree) == "patrol"
    assert "patrol" in py_trees.display.unicode_tree(tree, show_status=True)
    root.shutdown()
    assert yard.heard.running() == []


@pytest.mark.parametrize("kind", ["priority", "utility", "machine"])
def test_the_running_goal_is_stopped_exactly_once(kind):
    yard = Yard()
    yard.agent.believe(World.armed, True)
    tree = choosers(yard)[kind]
    others = []
    for tick in range(200):
        if tick % 7 == 3:
            yard.agent.believe(World.place, "ab"[tick % 2])
            yard.agent.believe(World.armed, tick % 4 < 2)
        if tick % 5 == 2:
            yard.agent.believe(World.open, tick % 2 == 0)
            yard.agent.believe(World.ammo, tick % 6)
        if tick % 13 == 12:
            tree.stop(Status.INVALID)
            assert yard.heard.running() == []
        tree.tick_once()
        assert len(yard.heard.running()) <= 1
        if tick % 3 == 0:
            others.append(running(tree))
    tree.stop(Status.INVALID)
    assert yard.heard.faults() == []
    assert yard.heard.running() == []
    assert sum(code.starts for code in yard.code.values()) > 10
    assert {"patrol", "fight"} < {*others, ""}
