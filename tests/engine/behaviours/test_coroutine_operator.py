"""Operators that are coroutines: ``async def``, with or without a loop that is running."""

import asyncio
import gc
import subprocess
import sys
import textwrap
import threading

import pytest
from py_trees.common import Status

from bthtn import BthtnError, parallel, primitive
from bthtn.behaviours import OperatorFailed, Sensors
from bthtn.engine.agent.events import LeafAborted, LeafEnded
from bthtn.studio.testing.doubles import ScriptedError, ticks
from bthtn.studio.testing.strategies import World


@pytest.fixture(autouse=True)
def closed(stage):
    """What a test leaves behind would be noticed: loops, and coroutines that nobody awaits."""
    yield
    if stage.actor is not None:
        stage.actor.close()
    gc.collect()


async def pause(count):
    for _ in range(count):
        await asyncio.sleep(0)


def test_awaiting_is_running_and_returning_is_success(stage):
    async def walk(agent):
        await pause(2)

    walked = stage.run_by("walk", walk, effects=World.open.becomes(True))
    assert stage.play(walked, 3) == "RRS"
    assert stage.believes(World.open)


def test_it_is_called_with_the_task_s_arguments(stage):
    said = []

    @stage.domain.primitive
    def say(word: str):
        return primitive()

    @stage.operators.bind(say)
    async def aloud(agent, word):
        said.append((agent.name, word))

    assert stage.play(say("hello"), 1) == "S"
    assert said == [("somebody", "hello")]


def test_what_it_reports_is_the_reason_of_the_failure(stage):
    async def walk(agent):
        await pause(1)
        raise OperatorFailed("stuck")

    assert stage.play(stage.run_by("walk", walk), 2) == "RF"
    [ended] = stage.heard.of(LeafEnded)
    assert ended.reason == "stuck"
    assert not stage.actor.errors


def test_what_it_raises_is_contained_and_counted(stage):
    async def walk(agent):
        await pause(1)
        raise ScriptedError

    assert stage.play(stage.run_by("walk", walk), 2) == "RF"
    assert isinstance(stage.heard.of(LeafEnded)[0].error, ScriptedError)
    [kind] = stage.actor.errors
    assert "test_coroutine_operator.py" in kind


async def gets_stuck():
    await pause(1)
    raise OperatorFailed("stuck")


async def breaks():
    await pause(1)
    raise ScriptedError


async def both(*several):
    async with asyncio.TaskGroup() as group:
        for one in several:
            group.create_task(one())


def test_a_failure_in_a_group_of_tasks_is_an_answer_of_the_world_with_its_reason(stage):
    async def walk(agent):
        await both(lambda: both(gets_stuck), lambda: pause(99))

    assert "F" in stage.play(stage.run_by("walk", walk), 15)
    ended, *_ = stage.heard.of(LeafEnded)
    assert ended.reason == "stuck"
    assert not stage.actor.errors


@pytest.mark.parametrize("others", [(), (gets_stuck,)])
def test_another_exception_in_a_group_of_tasks_is_counted_and_told_by_its_own_name(stage, others):
    async def walk(agent):
        await both(breaks, *others)

    assert stage.play(stage.run_by("walk", walk), 5) == "RRRRF"
    [ended] = stage.heard.of(LeafEnded)
    assert "ScriptedError" in ended.reason
    assert isinstance(ended.error, ExceptionGroup)
    [kind] = stage.actor.errors
    assert "ScriptedError (test_coroutine_operator.py" in kind


def test_a_value_that_it_returns_is_a_mistake(stage):
    async def walk(agent):
        return Status.FAILURE

    assert stage.play(stage.run_by("walk", walk), 1) == "F"
    error = stage.heard.of(LeafEnded)[0].error
    assert error.code == "BT304"
    assert "the coroutine returns" in str(error)


def test_one_that_cancels_itself_has_failed(stage):
    async def walk(agent):
        asyncio.current_task().cancel()
        await pause(1)

    assert stage.play(stage.run_by("walk", walk), 2) == "RF"
    assert stage.heard.of(LeafEnded)[0].reason == "it was cancelled"


def test_an_abort_cancels_it_and_its_cleanup_is_over_in_the_same_tick(stage):
    left = []

    async def walk(agent):
        try:
            await asyncio.sleep(3600)
        finally:
            left.append("halt")

    goal = stage.goal(stage.run_by("walk", walk))
    ticks(goal, 2)
    goal.stop(Status.INVALID)
    assert left == ["halt"]
    assert stage.heard.lines() == ["start walk", "aborted walk"]
    assert len(stage.actor.aborts) == 0


def test_a_cleanup_that_awaits_is_waited_for_over_ticks(stage):
    left = []

    async def walk(agent):
        try:
            await asyncio.sleep(3600)
        finally:
            await pause(2)
            left.append("halt")

    goal = stage.goal(stage.run_by("walk", walk))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert stage.heard.lines()[-1] == "aborting walk"
    stage.actor.sense()
    assert left == []
    stage.actor.sense()
    assert left == ["halt"]
    assert stage.heard.lines()[-1] == "aborted walk"


def test_what_the_cleanup_raises_is_kept(stage):
    async def walk(agent):
        try:
            await asyncio.sleep(3600)
        finally:
            raise ScriptedError

    goal = stage.goal(stage.run_by("walk", walk))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert isinstance(stage.heard.of(LeafAborted)[0].error, ScriptedError)


def test_a_cleanup_that_is_not_done_is_cut_off_when_the_tree_is_shut_down(stage):
    async def walk(agent):
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(3600)

    goal = stage.goal(stage.run_by("walk", walk))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    goal.shutdown()
    assert stage.heard.of(LeafAborted)[0].error.code == "BT306"


def test_steps_side_by_side_share_a_loop_and_keep_their_leases_apart(stage):
    def taking(key, count):
        async def take(agent):
            await pause(count)
            agent.take(key)
            await pause(count)

        return take

    both = parallel(stage.run_by("a", taking("left", 1)), stage.run_by("b", taking("right", 4)))
    stage.play_out(stage.goal(both))
    story = stage.heard.story()
    assert story.index("a #1 has left") < story.index("a #1 gave back left")
    assert story.index("a #1 gave back left") < story.index("b #2 gave back right")
    assert len(stage.actor.leases) == 0


def test_what_it_believes_is_its_own_between_ticks_too(stage):
    """A loop that is running goes on with it when no step is ticked."""

    async def look(agent):
        await asyncio.sleep(0)
        agent.believe(World.open, True)
        agent.take("lamp")
        await asyncio.sleep(3600)

    async def run():
        goal = stage.goal(stage.run_by("look", look))
        goal.tick_once()
        for _ in range(4):
            await asyncio.sleep(0)
        assert [str(one) for one in stage.actor.leases.holders("lamp")] == ["look #1"]
        goal.stop(Status.INVALID)
        assert len(stage.actor.aborts) == 1
        await asyncio.sleep(0)
        stage.actor.sense()
        assert len(stage.actor.aborts) == 0
        assert len(stage.actor.leases) == 0

    asyncio.run(run())
    assert stage.heard.changes() == ["open: false → true (by look)"]


def test_one_that_is_aborted_before_the_running_loop_came_to_it_has_done_nothing(stage):
    begun = []

    async def walk(agent):
        begun.append(agent)

    async def run():
        goal = stage.goal(stage.run_by("walk", walk))
        goal.tick_once()
        goal.stop(Status.INVALID)
        await asyncio.sleep(0)

    asyncio.run(run())
    assert begun == []
    assert stage.heard.lines() == ["start walk", "aborted walk"]


def test_work_of_another_thread_can_be_awaited(stage):
    threads = []
    done = threading.Event()

    def work():
        threads.append(threading.get_ident())
        done.set()

    async def walk(agent):
        await asyncio.to_thread(work)
        threads.append(threading.get_ident())

    goal = stage.goal(stage.run_by("walk", walk))
    goal.tick_once()
    assert done.wait(timeout=10)
    for _ in range(1000):
        goal.tick_once()
        if goal.status is Status.SUCCESS:
            break
    assert goal.status is Status.SUCCESS
    assert threads[1] == threading.get_ident() != threads[0]


def test_an_agent_that_was_closed_may_be_ticked_again(stage):
    async def walk(agent):
        await pause(1)

    goal = stage.goal(stage.run_by("walk", walk))
    assert ticks(goal, 2) == "RS"
    stage.actor.close()
    assert ticks(goal, 2) == "RS"


def test_a_program_that_ends_in_the_middle_of_it_ends_cleanly():
    program = """
        import asyncio
        from bthtn import Domain, State
        from bthtn.behaviours import Agent, Operators, PlanGoal

        yard = Domain("yard", State)
        bark = yard.primitive("bark")
        operators = Operators()

        @operators.bind(bark)
        async def loudly(agent):
            try:
                await asyncio.to_thread(lambda: None)
                await asyncio.sleep(3600)
            finally:
                print("quiet")

        rex = Agent("Rex", yard, State(), body=None, operators=operators)
        goal = PlanGoal("greet", rex, bark())
        for _ in range(9):
            goal.tick_once()
    """
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("quiet\n", "")


def test_an_interrupt_leaves_the_tick_and_the_step_has_ended(stage, caplog):
    async def walk(agent):
        await pause(1)
        raise KeyboardInterrupt

    goal = stage.goal(stage.run_by("walk", walk))
    ticks(goal, 1)
    with pytest.raises(KeyboardInterrupt):
        ticks(goal, 1)
    assert stage.heard.lines() == ["start walk", "failed walk"]
    stage.heard.clear()  # its events keep the exception, and that the task
    stage.actor.close()
    gc.collect()
    assert caplog.records == []


def test_hooks_and_sensors_that_nobody_would_await_are_refused(stage):
    async def later(agent): ...

    task = stage.task("a")
    for decorated in (stage.operators.on_plan_start(task), Sensors().sensor(World.open)):
        with pytest.raises(BthtnError, match="coroutine function, which is never awaited"):
            decorated(later)
