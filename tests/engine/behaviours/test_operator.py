"""The forms an operator can have: generator, function, object, behaviour, or none."""

import re

import py_trees
import pytest
from py_trees.common import ParallelPolicy, Status

from bthtn import Primitive, defer, method, primitive
from bthtn.behaviours import OperatorFailed, PlanGoal, Running
from bthtn.engine.agent.events import LeafAborted, LeafEnded
from bthtn.engine.behaviours.step_abort import LONGEST_ABORT
from bthtn.errors import ExecutionError
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World

# none


@pytest.mark.parametrize(("duration", "letters"), [(0, "S"), (1, "RS"), (3, "RRRS")])
def test_without_an_operator_a_step_takes_its_duration_and_comes_true(stage, duration, letters):
    step = stage.step("a", duration=duration, effects=World.open.becomes(True))
    assert stage.play(step, duration + 1) == letters
    assert stage.believes(World.open)


def test_a_simulated_step_can_be_aborted(stage):
    goal = stage.goal(stage.step("a", duration=5, effects=World.open.becomes(True)))
    ticks(goal, 2)
    goal.stop(Status.INVALID)
    assert stage.heard.lines() == ["start a", "aborted a"]
    assert not stage.believes(World.open)


# generators


@pytest.fixture
def diary():
    return []


def walking(diary, *, answer=None):
    def walk(agent) -> Running:
        diary.append("begin")
        try:
            yield
            yield
            if answer:
                raise OperatorFailed(answer)
            diary.append("end")
        finally:
            diary.append("clean up")

    return walk


def test_a_generator_runs_to_its_next_yield_and_succeeds_by_returning(stage, diary):
    goal = stage.goal(stage.run_by("walk", walking(diary)))
    assert ticks(goal, 3) == "RRS"
    assert diary == ["begin", "end", "clean up"]


def test_a_generator_that_raises_cleans_up_and_fails(stage, diary):
    assert stage.play(stage.run_by("walk", walking(diary, answer="lost")), 3) == "RRF"
    assert diary == ["begin", "clean up"]


@pytest.mark.parametrize("status", [Status.SUCCESS, Status.FAILURE, False, "done"])
@pytest.mark.parametrize("word", ["returns", "yields"])
def test_a_generator_that_answers_with_a_status_fails_and_says_what_to_write(stage, word, status):
    def walk(agent):
        yield status if word == "yields" else None
        return status if word == "returns" else None

    goal = stage.goal(stage.run_by("walk", walk), max_replans=0)
    assert ticks(goal, 1 if word == "yields" else 2)[-1] == "F"
    (ended,) = stage.heard.of(LeafEnded)
    assert not ended.succeeded
    assert isinstance(ended.error, ExecutionError)
    assert f"the generator {word} {status!r}" in str(ended.error)
    assert "return is success" in ended.error.diagnostics[0].hint


def test_a_generator_may_yield_that_it_is_running(stage):
    def walk(agent):
        yield Status.RUNNING

    assert stage.play(stage.run_by("walk", walk), 2) == "RS"


def test_an_aborted_generator_cleans_up(stage, diary):
    goal = stage.goal(stage.run_by("walk", walking(diary)))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert diary == ["begin", "clean up"]
    assert stage.heard.of(LeafAborted)[0].error is None


def test_every_start_of_a_step_runs_a_generator_of_its_own(stage, diary):
    goal = stage.goal(stage.run_by("walk", walking(diary)))
    assert ticks(goal, 6) == "RRSRRS"
    assert diary.count("begin") == diary.count("end") == 2


def test_a_generator_that_yields_while_it_cleans_up_has_not_left_yet(stage):
    def slow(agent) -> Running:
        try:
            yield
        finally:
            yield
            yield

    goal = stage.goal(stage.run_by("a", slow))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert stage.heard.lines() == ["start a", "aborting a"]
    ticks(goal, 3)
    assert stage.heard.lines()[2:] == ["aborted a", "start a"]
    assert stage.heard.of(LeafAborted)[0].error is None


def delegating(diary, brake):
    """Drives to two places, each by a generator that brakes when it is aborted."""

    def drive(place):
        diary.append(f"to {place}")
        try:
            yield
        finally:
            yield from brake()
            diary.append("stands still")

    def tour(agent) -> Running:
        try:
            yield from drive("a")
            yield from drive("b")
        finally:
            diary.append("lights")
            yield
            diary.append("out")

    return tour


def test_generators_behind_yield_from_clean_up_in_as_many_ticks_as_they_yield(stage, diary):
    """The innermost first, each to its end before the one that runs it."""

    def brake():
        for speed in (2, 1):
            diary.append(f"speed {speed}")
            yield

    goal = stage.goal(stage.run_by("tour", delegating(diary, brake)))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert diary == ["to a", "speed 2"]
    stage.actor.sense()
    assert diary[2:] == ["speed 1"]
    stage.actor.sense()
    assert diary[3:] == ["stands still", "lights"]
    assert stage.heard.lines()[1:] == ["aborting tour"]
    stage.actor.sense()
    assert diary[5:] == ["out"]
    assert stage.heard.lines()[2:] == ["aborted tour"]
    assert stage.heard.of(LeafAborted)[0].error is None


def test_an_inner_generator_that_returns_from_its_abort_does_not_stop_it(stage, diary):
    def drive(place):
        diary.append(f"to {place}")
        try:
            yield
        except GeneratorExit:
            yield
            diary.append("stands still")

    def tour(agent) -> Running:
        yield from drive("a")
        yield from drive("b")

    goal = stage.goal(stage.run_by("tour", tour))
    goal.tick_once()
    goal.stop(Status.INVALID)
    stage.actor.sense()
    assert diary == ["to a", "stands still"]
    assert stage.heard.lines()[2:] == ["aborted tour"]


def test_what_an_inner_generator_raises_in_its_abort_passes_through_those_that_run_it(stage, diary):
    def brake():
        yield
        raise ZeroDivisionError

    goal = stage.goal(stage.run_by("tour", delegating(diary, brake)))
    goal.tick_once()
    goal.stop(Status.INVALID)
    for _ in range(2):
        stage.actor.sense()
    assert diary == ["to a", "lights", "out"]
    assert isinstance(stage.heard.of(LeafAborted)[0].error, ZeroDivisionError)


def test_what_is_no_generator_behind_yield_from_is_left_at_once(stage, diary):
    def walk(agent) -> Running:
        try:
            yield from [None, None]
        finally:
            yield
            diary.append("clean up")

    goal = stage.goal(stage.run_by("walk", walk))
    goal.tick_once()
    goal.stop(Status.INVALID)
    stage.actor.sense()
    assert diary == ["clean up"]


def test_a_generator_that_will_not_leave_is_reported_and_left_behind(stage):
    def stubborn(agent) -> Running:
        try:
            yield
        finally:
            while True:
                yield

    goal = stage.goal(stage.run_by("a", stubborn))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    ticks(goal, LONGEST_ABORT)
    assert stage.heard.lines() == ["start a", "aborting a"]
    ticks(goal, 1)
    [aborted] = stage.heard.of(LeafAborted)
    assert aborted.error.code == "BT306"
    assert f"it was not done after {LONGEST_ABORT} ticks" in str(aborted.error)
    assert stage.heard.lines()[2:] == ["aborted a", "start a"]
    goal.shutdown()
    assert stage.heard.running() == stage.heard.faults() == []


def test_a_generator_that_raises_while_it_cleans_up_is_reported(stage):
    def clumsy(agent) -> Running:
        try:
            yield
        finally:
            raise ZeroDivisionError

    goal = stage.goal(stage.run_by("a", clumsy))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert isinstance(stage.heard.of(LeafAborted)[0].error, ZeroDivisionError)


# functions


def test_a_function_is_done_when_it_returns(stage):
    called = []
    step = stage.run_by("a", called.append, effects=World.open.becomes(True))
    assert stage.play(step, 1) == "S"
    assert called == [stage.actor]
    assert stage.believes(World.open)


def test_a_function_is_called_once_however_long_the_task_is_planned_to_take(stage):
    called = []
    assert stage.play(stage.run_by("a", called.append, duration=5), 1) == "S"
    assert len(called) == 1


# objects


def test_an_object_is_started_ticked_and_asked_for_nothing_more(stage):  # R004-03
    @stage.domain.primitive
    def go(place: str) -> Primitive:
        return primitive()

    did = []

    class Go:
        def __init__(self, agent, place):
            did.append(f"make for {agent.name} to {place}")

        def start(self):
            did.append("start")

        def tick(self):
            did.append("tick")
            return Status.SUCCESS if did.count("tick") == 2 else Status.RUNNING

        def abort(self):
            did.append("abort")

    stage.operators.bind(go)(Go)
    assert stage.play(go("b"), 2) == "RS"
    assert did == ["make for somebody to b", "start", "tick", "tick"]


@pytest.mark.parametrize("answer", ["?", "-"])
def test_an_answer_that_is_no_result_fails_the_step(stage, answer):
    goal = stage.goal(stage.step("a", f"R{answer}"), max_replans=0)
    assert ticks(goal, 2) == "RF"
    [ended] = stage.heard.of(LeafEnded)
    assert "instead of a status" in ended.reason
    goal.stop(Status.INVALID)
    assert stage.heard.lines() == ["start a", "failed a"]


def test_a_failure_without_a_reason_is_called_by_its_name(stage):
    stage.play(stage.step("a", "F"), 1)
    assert stage.heard.of(LeafEnded)[0].reason == "the operator answered FAILURE"


def test_a_generator_that_yields_what_it_must_not_is_closed_in_that_tick(stage):
    def walk(agent):
        try:
            yield 7
        finally:
            raise RuntimeError("the wheels are stuck")

    assert stage.play(stage.run_by("a", walk), 1) == "F"
    [ended] = stage.heard.of(LeafEnded)
    assert ended.error.code == "BT304"
    assert str(ended.error.__context__) == "the wheels are stuck"


@pytest.mark.parametrize("made", [True, 3, "walk", object(), iter([None]), Status.SUCCESS])
def test_what_is_none_of_the_forms_fails_the_step(stage, made):
    assert stage.play(stage.run_by("a", lambda agent: made), 1) == "F"
    [ended] = stage.heard.of(LeafEnded)
    assert isinstance(ended.error, ExecutionError)
    assert ended.error.code == "BT304"
    assert type(made).__name__ in ended.reason
    assert stage.heard.lines() == ["start a", "failed a"]


def test_a_function_with_the_wrong_parameters_that_is_bound_to_a_name_fails_the_step(stage):
    task = stage.domain.primitive("a")
    stage.operators.bind("a")(lambda: None)
    assert stage.play(task(), 1) == "F"
    assert isinstance(stage.heard.of(LeafEnded)[0].error, TypeError)


class Unfinished:
    def tick(self): ...


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (Status.FAILURE, "'a' returned Status.FAILURE\n  hint: .*raise OperatorFailed"),
        (Unfinished(), "'a' made Unfinished, which has no start and no abort"),
    ],
)
def test_what_is_nearly_an_operator_is_told_what_it_lacks(stage, made, said):
    stage.play(stage.run_by("a", lambda agent: made), 1)
    assert re.search(said, stage.heard.of(LeafEnded)[0].reason)


# behaviours


def subtree(child, one, two):
    return py_trees.composites.Sequence(
        "inner", memory=True, children=[child("one", one), child("two", two)]
    )


def test_a_behaviour_runs_as_a_subtree_of_the_step(stage, child, log):
    step = stage.run_by("a", lambda agent: subtree(child, "RS", "RS"))
    goal = stage.goal(step)
    assert ticks(goal, 3) == "RRS"
    assert log == ["start one", "tick one", "tick one", "start two", "tick two", "tick two"]
    assert stage.heard.lines() == ["start a", "done a"]


def test_a_behaviour_that_fails_is_quoted(stage, child):
    step = stage.run_by("a", lambda agent: subtree(child, "S", "RF"))
    assert stage.play(step, 2) == "RF"
    assert stage.heard.of(LeafEnded)[0].reason == "'inner' failed"


def test_the_feedback_of_a_behaviour_that_fails_becomes_the_reason(stage):
    class Door(py_trees.behaviour.Behaviour):
        def update(self):
            self.feedback_message = "it is locked"
            return Status.FAILURE

    stage.play(stage.run_by("a", lambda agent: Door("door")), 1)
    assert stage.heard.of(LeafEnded)[0].reason == "it is locked"


def test_a_subtree_without_a_word_fails_with_that_of_the_behaviour_in_it_that_did(stage, child):
    class Door(py_trees.behaviour.Behaviour):
        def update(self):
            self.feedback_message = "it is locked"
            return Status.FAILURE

    def go_through(agent):
        open_it = py_trees.composites.Selector("open it", memory=True, children=[Door("door")])
        return py_trees.composites.Sequence("go", memory=True, children=[child("1", "S"), open_it])

    stage.play(stage.run_by("a", go_through), 1)
    assert stage.heard.of(LeafEnded)[0].reason == "door: it is locked"


def test_an_aborted_behaviour_is_stopped(stage, child, log):
    goal = stage.goal(stage.run_by("a", lambda agent: subtree(child, "S", "R")))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert log == ["start one", "tick one", "start two", "tick two", "abort two"]
    assert stage.heard.lines() == ["start a", "aborted a"]


def test_a_behaviour_s_exception_stops_what_still_runs_beside_it(stage, child, log):
    class Raising(py_trees.behaviour.Behaviour):
        def update(self):
            raise ZeroDivisionError

    def side_by_side(agent):
        children = [child("runs", "R"), Raising("raises")]
        return py_trees.composites.Parallel("both", ParallelPolicy.SuccessOnAll(), children)

    goal = stage.goal(stage.run_by("a", side_by_side), max_replans=0)
    assert ticks(goal, 1) == "F"
    goal.shutdown()
    assert isinstance(stage.heard.of(LeafEnded)[0].error, ZeroDivisionError)
    assert log == ["start runs", "tick runs", "abort runs"]


@pytest.mark.parametrize("again", ["in the same plan", "in the next plan", "as a child in a tree"])
def test_a_behaviour_serves_one_start_of_a_step(stage, child, again):
    root = subtree(child, "S", "S")
    made = root.children[0] if again == "as a child in a tree" else root
    step = stage.run_by("a", lambda agent: made)
    goal = stage.goal((step, step) if again == "in the same plan" else step, max_replans=0)
    assert ticks(goal, 2) == {"in the next plan": "SF"}.get(again, "FF")
    assert stage.heard.of(LeafEnded)[-1].error.code == "BT307"


def test_a_behaviour_may_unregister_its_clients_of_the_blackboard_itself(stage):
    class Tidy(py_trees.behaviour.Behaviour):
        def __init__(self):
            super().__init__("tidy")
            self.board = self.attach_blackboard_client()

        def update(self):
            return Status.SUCCESS

        def shutdown(self):
            self.board.unregister()

    assert stage.play(stage.run_by("a", lambda agent: Tidy()), 2) == "SS"


class Stuck(py_trees.behaviour.Behaviour):
    """Takes two ticks, and cannot be stopped."""

    def initialise(self):
        self.answers = [Status.RUNNING, Status.SUCCESS]

    def update(self):
        return self.answers.pop(0)

    def terminate(self, new_status):
        raise ZeroDivisionError


def stuck_beside_others(stage, child):
    def side_by_side(agent):
        children = [child("one", "RRR"), Stuck("stuck"), child("two", "RRR")]
        return py_trees.composites.Parallel("both", ParallelPolicy.SuccessOnAll(), children)

    return stage.goal(stage.run_by("a", side_by_side), max_replans=0)


def test_a_behaviour_that_raises_when_it_ends_stops_what_still_runs_beside_it(stage, child, log):
    goal = stuck_beside_others(stage, child)
    assert ticks(goal, 2) == "RF"
    assert stage.heard.lines() == ["start a", "failed a"]
    assert log[-2:] == ["abort one", "abort two"]


def test_a_behaviour_that_raises_when_it_is_aborted_is_aborted_with_all_beside_it(
    stage, child, log
):
    goal = stuck_beside_others(stage, child)
    assert ticks(goal, 1) == "R"
    goal.stop(Status.INVALID)
    [aborted] = stage.heard.of(LeafAborted)
    assert isinstance(aborted.error, ZeroDivisionError)
    assert log[-2:] == ["abort one", "abort two"]
    assert not any(node.status is Status.RUNNING for node in goal.iterate())


def test_displays_show_the_subtree_of_a_running_step(stage, child):
    goal = stage.goal(stage.run_by("a", lambda agent: subtree(child, "S", "R")))
    goal.tick_once()
    shown = py_trees.display.unicode_tree(goal, show_status=True)
    assert [line.split()[1] for line in shown.splitlines()] == ["goal", "a", "inner", "one", "two"]
    names = {node.get_name().strip('"') for node in py_trees.display.dot_tree(goal).get_nodes()}
    assert {"goal", "inner", "one", "two"} <= names


def test_the_tip_of_a_step_is_the_tip_of_its_subtree(stage, child):
    goal = stage.goal(stage.run_by("a", lambda agent: subtree(child, "S", "R")))
    goal.tick_once()
    assert goal.tip().name == "two"


def test_visitors_see_the_behaviours_of_a_subtree_tick(stage, child):
    goal = stage.goal(stage.run_by("a", lambda agent: subtree(child, "S", "R")))
    tree = py_trees.trees.BehaviourTree(goal)
    seen = py_trees.visitors.SnapshotVisitor()
    tree.add_visitor(seen)
    tree.tick()
    ids = {node.name: node.id for node in goal.iterate()}
    assert set(ids) == {"goal", "a", "inner", "one", "two"}
    assert {name for name, node_id in ids.items() if node_id in seen.visited} == set(ids)


class Wired(py_trees.behaviour.Behaviour):
    """Writes down what it is set up with, and that it is taken down."""

    def __init__(self, diary, answer=Status.SUCCESS):
        super().__init__("wired")
        self.diary = diary
        self.answer = answer

    def setup(self, **kwargs):
        self.diary.append(kwargs)

    def update(self):
        return self.answer

    def shutdown(self):
        self.diary.append("down")


@pytest.mark.parametrize("answer", [Status.SUCCESS, Status.FAILURE, Status.RUNNING])
def test_the_subtree_is_set_up_with_what_the_tree_was_set_up_with(stage, diary, answer):
    goal = stage.goal(stage.run_by("a", lambda agent: Wired(diary, answer)))
    tree = py_trees.trees.BehaviourTree(goal)
    tree.setup(node="the robot")
    tree.tick()
    assert diary[0] == {"node": "the robot"}


@pytest.mark.parametrize("answer", [Status.SUCCESS, Status.FAILURE, Status.RUNNING])
def test_the_subtree_is_taken_down_once_when_the_plan_goes(stage, diary, answer):
    goal = stage.goal(stage.run_by("a", lambda agent: Wired(diary, answer)), max_replans=0)
    goal.tick_once()
    goal.stop(Status.INVALID)
    goal.shutdown()
    assert diary.count("down") == 1


def test_so_is_the_subtree_of_a_step_that_was_done_long_ago(stage, diary):
    first, step = stage.run_by("a", lambda agent: Wired(diary)), stage.step("b")
    patrol = stage.compound("patrol", lambda: [method(step, defer(patrol))])
    goal = stage.goal((first, patrol))
    ticks(goal, 150)
    goal.shutdown()
    assert diary.count("down") == 1


def test_a_setup_that_raises_fails_the_step(stage):
    class Broken(Wired):
        def setup(self, **kwargs):
            raise ZeroDivisionError

    assert stage.play(stage.run_by("a", lambda agent: Broken([])), 1) == "F"
    assert isinstance(stage.heard.of(LeafEnded)[0].error, ZeroDivisionError)


def test_a_shutdown_that_raises_does_not_escape_the_tick(stage):
    class Broken(Wired):
        def shutdown(self):
            raise ZeroDivisionError

    step = stage.run_by("a", lambda agent: Broken([], Status.FAILURE))
    assert stage.play(step, 2, max_replans=2) == "RR"


def test_a_step_may_plan_and_run_a_goal_of_its_own(stage):
    inner = stage.step("inner", "RS")
    step = stage.run_by("outer", lambda agent: PlanGoal("nested", agent, inner))
    goal = stage.goal(step)
    assert ticks(goal, 2) == "RS"
    assert stage.heard.lines() == ["start outer", "start inner", "done inner", "done outer"]


def test_interrupting_a_goal_interrupts_the_goals_of_its_steps(stage):
    inner = stage.step("inner", "R")
    step = stage.run_by("outer", lambda agent: PlanGoal("nested", agent, inner))
    goal = stage.goal(step)
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert sorted(stage.heard.lines()[2:]) == ["aborted inner", "aborted outer"]
    assert stage.code["inner"].aborts == 1


def test_a_generator_that_leaves_by_itself_in_that_way_ends_the_program(stage):
    def leaving(agent) -> Running:
        yield
        raise GeneratorExit

    goal = stage.goal(stage.run_by("a", leaving))
    goal.tick_once()
    with pytest.raises(GeneratorExit):
        goal.tick_once()
    assert stage.heard.lines() == ["start a", "failed a"]
