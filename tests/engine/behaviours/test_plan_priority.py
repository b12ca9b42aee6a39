"""PlanPriority: the choice that was left open is made on arrival, in the actual state."""

from py_trees.common import Status

from bthtn import null, parallel, priority
from bthtn.behaviours import OperatorFailed
from bthtn.engine.agent.events import LeafRefused
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World
from tests.counting import bytes_kept


def test_the_first_alternative_that_works_here_is_taken(stage):
    network = priority(
        stage.step("a", "S", exec_only=World.open), stage.step("b", "S", exec_only=World.lit)
    )
    assert stage.play((network, stage.step("c")), 1) == "S"
    assert stage.heard.lines() == ["refused a", "start b", "done b", "start c", "done c"]


def test_the_choice_is_made_in_the_state_on_arrival(stage):
    def open_up():
        stage.actor.believe(World.open, True)

    before = stage.step("before", "RS", at_tick=open_up)
    network = (before, priority(stage.step("a", "S", exec_only=World.open), stage.step("b", "S")))
    assert stage.play(network, 2) == "RS"
    assert stage.heard.lines()[-1] == "done a"


def test_a_failed_alternative_is_followed_by_the_next_one_and_keeps_its_effects(stage):
    first = (stage.step("a", "S", effects=World.count.increases(1)), stage.step("b", "RF"))
    second = stage.step("c", "S", exec_only=World.count > 0)
    assert stage.play(priority(first, second), 2) == "RS"
    assert stage.heard.lines()[-3:] == ["failed b", "start c", "done c"]


def test_when_all_alternatives_fail_the_plan_fails_with_the_last_reason(stage):
    goal = stage.goal(priority(stage.step("a", "F"), stage.step("b", "F")), max_replans=0)
    assert ticks(goal, 1) == "F"
    assert goal.feedback_message.endswith("b: the operator answered FAILURE")


def test_a_running_alternative_is_kept_while_an_earlier_one_would_work_again(stage):
    network = priority(stage.step("a", "S", exec_only=World.open), stage.step("b", "RRS"))
    goal = stage.goal(network)
    ticks(goal, 1)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 2) == "RS"
    assert len(stage.heard.of(LeafRefused)) == 1
    assert stage.code["a"].starts == 0


def test_an_alternative_that_failed_is_not_tried_again(stage):
    network = priority(stage.step("a", "F", "S"), stage.step("b", "RRS"))
    assert stage.play(network, 3) == "RRS"
    assert stage.code["a"].starts == 1


def test_a_reactive_one_aborts_the_running_alternative_for_an_earlier_one(stage):
    first = stage.step("a", "RS", exec_only=World.open)
    network = priority(first, stage.step("b", "R"), reactive=True)
    goal = stage.goal(network)
    assert ticks(goal, 2) == "RR"
    stage.actor.believe(World.open, True)
    assert ticks(goal, 2) == "RS"
    assert stage.heard.lines()[-3:] == ["aborted b", "start a", "done a"]
    assert stage.code["b"].aborts == 1


def test_a_reactive_one_goes_back_when_the_earlier_alternative_fails_again(stage):
    first = stage.step("a", "RF", exec_only=World.open)
    network = priority(first, stage.step("b", "R", "RS"), reactive=True)
    goal = stage.goal(network)
    ticks(goal, 1)
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    stage.actor.believe(World.open, False)
    assert ticks(goal, 2) == "RS"
    assert stage.code["b"].starts == 2
    assert stage.heard.faults() == stage.code["a"].faults == stage.code["b"].faults == []


def test_what_a_reactive_one_aborts_is_over_before_the_earlier_alternative_starts(stage):
    first = stage.step("a", "S", exec_only=World.open, uses="legs")
    second = stage.step("b", "R", uses="legs", abort_ticks=2)
    goal = stage.goal(priority(first, second, reactive=True))
    ticks(goal, 1)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 3) == "RRS"
    assert stage.heard.lines()[2:] == ["aborting b", "aborted b", "start a", "done a"]


def test_the_earlier_alternative_gets_the_lease_of_the_one_that_is_aborted_for_it(stage):
    def takes(agent):
        if not agent.take("spot"):
            raise OperatorFailed("taken")
        yield

    first = stage.run_by("a", takes, exec_only=World.open)
    goal = stage.goal(priority(first, stage.run_by("b", takes, duration=9), reactive=True))
    ticks(goal, 1)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 2) == "RS"
    assert stage.heard.lines()[1:] == ["start b", "aborted b", "start a", "done a"]


def test_an_alternative_that_has_another_one_aborted_and_fails_is_tried_once(stage):
    first = stage.step("a", "F", exec_only=World.open)
    goal = stage.goal(priority(first, stage.step("b", "R", "RRRS"), reactive=True))
    ticks(goal, 1)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 4) == "RRRS"
    told = ["aborted b", "start a", "failed a", "start b", "done b"]
    assert stage.heard.lines()[2:] == told


def test_it_is_tried_again_when_the_choice_is_made_anew(stage):
    first = stage.step("a", "F", "S", exec_only=World.open)
    second = stage.step("b", "R", "RF")
    goal = stage.goal(priority(first, second, reactive=True), max_replans=1)
    ticks(goal, 1)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 3) == "RRS"
    assert stage.heard.lines()[-2:] == ["start a", "done a"]


def test_a_refused_alternative_leaves_the_running_one_alone(stage):
    first = (stage.step("a", "S", exec_only=World.open), stage.step("c", "S"))
    goal = stage.goal(priority(first, stage.step("b", "RRS"), reactive=True))
    assert ticks(goal, 3) == "RRS"
    assert stage.code["b"].aborts == 0


def test_doing_nothing_is_an_alternative_and_hides_those_behind_it(stage):
    network = priority(stage.step("a", "S", exec_only=World.open), null(), stage.step("b", "S"))
    assert stage.play(network, 1) == "S"
    assert stage.heard.lines() == ["refused a"]


def test_an_alternative_of_several_branches_is_aborted_as_a_whole(stage):
    both = parallel(stage.step("b", "R"), stage.step("c", "R"))
    goal = stage.goal(priority(stage.step("a", "S", exec_only=World.open), both, reactive=True))
    ticks(goal, 1)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 1) == "S"
    assert sorted(stage.heard.lines()[-4:]) == ["aborted b", "aborted c", "done a", "start a"]


def test_an_interrupted_priority_aborts_its_alternative(stage):
    goal = stage.goal(priority(stage.step("a", "F"), stage.step("b", "R")))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert stage.heard.lines() == ["start a", "failed a", "start b", "aborted b"]


def test_a_reactive_choice_that_is_asked_ten_thousand_times_keeps_no_diary(stage):
    """What earlier alternatives say at every tick is not piled up."""
    network = priority(
        stage.step("a", "S", exec_only=World.open), stage.step("b", "R"), reactive=True
    )
    goal = stage.goal(network)
    stage.actor.listener = None
    ticks(goal, 100)
    assert bytes_kept(lambda: ticks(goal, 2_000)) < 20_000
