"""Time in seconds: of an agent's clock, which is read once in a tick."""

import asyncio
import json
import math
from itertools import accumulate

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from py_trees.behaviours import Success

from bthtn import Domain, parallel, seconds, sequence, timeout
from bthtn.behaviours import (
    Agent,
    Delay,
    ManualClock,
    OperatorFailed,
    Operators,
    PlanGoal,
    Replanning,
    RetryPolicy,
    Timeout,
    load,
    save,
)
from bthtn.errors import BthtnError, ExecutionError
from bthtn.events import ClockSetBack, GoalWaits, LeafEnded
from bthtn.kit.recording import line_of
from bthtn.studio.testing.doubles import RecordingListener, letter_of, ticks
from bthtn.studio.testing.strategies import World


class Scene:
    """An agent with a clock, and the goal that he is given."""

    def __init__(self):
        self.domain = Domain("yard", World)
        self.operators = Operators(simulates_others=True)
        self.clock = ManualClock()
        self.heard = RecordingListener()
        self.goal = None

    def task(self, name, operator=None, **described):
        task = self.domain.primitive(name, **described)
        if operator is not None:
            self.operators.bind(task)(operator)
        return task()

    def begin(self, goal, clock=None):
        self.agent = Agent(
            "Hal",
            self.domain,
            World(),
            body=None,
            operators=self.operators,
            listener=self.heard,
            clock=clock or self.clock,
        )
        self.goal = PlanGoal("goal", self.agent, goal)

    def play(self, *deltas):
        """The statuses of the goal, as the loop's delta times let time pass."""
        letters = ""
        for delta in deltas:
            self.clock.advance(delta)
            self.agent.sense()
            self.goal.tick_once()
            letters += letter_of(self.goal.status)
        return letters


@pytest.fixture
def scene():
    made = Scene()
    yield made
    if made.goal is not None:
        made.agent.close()


# R000-41
@pytest.mark.parametrize(
    ("deltas", "statuses"),
    [
        ((0, 0.5, 0.5, 0.5), "RRRS"),
        ((7, 1.4, 0.1), "RRS"),
        ((0, 9), "RS"),
        ((0, 0, 0, 1.5), "RRRS"),
        ((0.1,) * 16, "R" * 15 + "S"),
    ],
)
def test_a_simulated_step_ends_in_the_first_tick_in_which_its_seconds_have_passed(
    scene, deltas, statuses
):
    scene.begin(scene.task("nap", duration=seconds(1.5)))
    assert scene.play(*deltas) == statuses


def test_a_step_of_no_seconds_ends_in_its_first_tick(scene):
    scene.begin(scene.task("blink", duration=seconds(0)))
    assert scene.play(0) == "S"


def test_a_duration_is_what_was_planned(scene):
    scene.begin(scene.task("count", duration=seconds(World.ammo)))
    scene.agent.believe(World.ammo, 2)
    assert scene.play(0, 1, 1) == "RRS"


def test_a_generator_goes_on_when_its_seconds_have_passed(scene):  # R000-41
    called = []

    def wait(agent):
        called.append(agent.time())
        yield seconds(3)
        called.append(agent.time())
        yield
        called.append(agent.time())
        yield seconds(0.5)

    scene.begin(scene.task("wait", wait))
    assert scene.play(1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25) == "RRRRRRRS"
    assert called == [1, 4, 4.5]


def test_an_abort_does_not_wait_for_the_seconds_but_may_yield_some(scene):
    called = []

    def wait(_):
        try:
            yield seconds(100)
        finally:
            called.append("cleans up")
            yield seconds(2)
            called.append("clean")

    scene.begin(scene.task("wait", wait))
    scene.play(0, 1)
    scene.goal.stop(scene.goal.status.INVALID)
    assert called == ["cleans up"]
    for delta, left in ((1, 1), (1, 0)):
        scene.clock.advance(delta)
        scene.agent.sense()
        assert len(scene.agent.aborts) == left
    assert called == ["cleans up", "clean"]


def test_all_of_a_tick_has_the_same_time(scene):
    times = iter(range(100))
    seen = []

    def look(agent):
        seen.append(agent.time())
        yield
        seen.append(agent.time())

    steps = [scene.task(name, look) for name in ("left", "right")]
    scene.begin(parallel(*steps), clock=lambda: next(times))
    scene.play(0, 0)
    assert seen == [1, 1, 2, 2]


def test_the_same_times_make_the_same_run(scene):
    def played(clock):
        scene.heard.clear()
        scene.begin(goal, clock)
        return scene.play(0, 0.3, 0.4, 0.3, 1), scene.heard.lines()

    def wait(_):
        yield seconds(0.7)

    goal = sequence(scene.task("nap", duration=seconds(0.5)), scene.task("wait", wait))
    recorded = []

    def recording():
        recorded.append(scene.clock())
        return recorded[-1]

    first = played(recording)
    assert first[0] == "RRRRS"
    replayed = iter(recorded)
    assert played(lambda: next(replayed)) == first


def test_what_asyncio_sleeps_are_seconds_of_the_agent(scene):
    called = []

    async def wait(agent):
        await asyncio.sleep(3600)
        called.append(agent.time())

    scene.begin(scene.task("wait", wait))
    assert scene.play(0, 3599, 1, 0) == "RRRS"
    assert called == [3600]


def test_a_coroutine_that_sleeps_while_the_agent_is_closed_holds_nothing_up(scene):
    called = []

    async def wait(_):
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(1e-9)
            called.append("clean")

    scene.begin(scene.task("wait", wait))
    scene.play(0, 1)
    scene.agent.close()
    assert called == ["clean"]


def test_a_decorator_goes_by_the_agent_s_clock(scene):
    scene.begin(scene.task("nap", duration=seconds(10)))
    root = Timeout("in time", scene.goal, seconds=2, clock=scene.agent.time)
    letters = ""
    for delta in (0, 1, 1):
        scene.clock.advance(delta)
        scene.agent.sense()
        letters += ticks(root, 1)
    assert letters == "RRF"


def test_an_agent_without_a_clock_simulates_no_seconds(scene):
    nap = scene.task("nap", duration=seconds(10))
    with pytest.raises(ExecutionError, match=r"\[BT316\] agent 'Rex' simulates 'nap'"):
        Agent("Rex", scene.domain, World(), body=None)
    rex = Agent("Rex", Domain("no time", World), World(), body=None)
    with pytest.raises(ExecutionError, match="BT316"):
        rex.plan_with(scene.domain)
    assert rex.domain.name == "no time"
    scene.operators.bind(nap.task)(lambda agent: None)
    rex = Agent("Rex", scene.domain, World(), body=None, operators=scene.operators)
    assert ticks(PlanGoal("nap", rex, nap), 1) == "S"


def test_a_step_that_waits_for_seconds_without_a_clock_fails(scene):
    def wait(_):
        yield seconds(1)

    task, heard = scene.task("wait", wait), RecordingListener()
    rex = Agent("Rex", scene.domain, World(), body=None, operators=scene.operators, listener=heard)
    ticks(PlanGoal("goal", rex, task), 1)
    assert heard.lines() == ["start wait", "failed wait"]
    (failed,) = heard.of(LeafEnded)
    assert "BT316" in failed.reason


def test_a_goal_without_a_plan_waits_for_seconds(scene):
    scene.begin(scene.task("burn", precondition=World.ammo > 5))
    policy = RetryPolicy(after=1, backoff=seconds(1), longest=seconds(4))
    retrying = Replanning(retrying=policy)
    scene.goal = PlanGoal("goal", scene.agent, scene.goal.goal, replanning=retrying)
    scene.play(0, *[0.25] * 20)
    waits = [(event.ticks, event.in_seconds) for event in scene.heard.of(GoalWaits)]
    assert waits == [(1, True), (2, True), (4, True)]
    assert "waits 2 more seconds, or for a change of ammo" in scene.goal.feedback_message
    rex = Agent("Rex", scene.domain, World(), body=None)
    with pytest.raises(ExecutionError, match="BT316"):
        PlanGoal("goal", rex, scene.goal.goal, replanning=retrying)


@pytest.mark.parametrize("wrong", ["3", math.nan, World.ammo])
def test_seconds_that_are_no_number_fail_the_step(scene, wrong):
    def wait(_):
        yield seconds(wrong)

    scene.begin(scene.task("wait", wait))
    scene.play(0)
    assert scene.heard.lines() == ["start wait", "failed wait"]


@pytest.mark.parametrize("wrong", [math.inf, math.nan, "later", None])
def test_where_a_clock_does_not_work_no_time_passes(scene, wrong):
    times = iter([0, 5, wrong, 6])
    scene.begin(scene.task("nap", duration=seconds(1)), clock=lambda: next(times))
    assert scene.play(0, 0, 0) == "RRS"
    (error,) = scene.agent.errors
    assert error.startswith("clock")


# clocks that go back, as that of a simulation which is reset


class Resettable:
    """A clock that is set to any time."""

    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def reset(scene):
    """Begins a goal at second 100; then plays it at seconds of the clock: 100.5, 3, 3.5, 4."""

    def play(goal, times=(100.5, 3, 3.5, 4), root=None):
        clock = Resettable()
        scene.begin(goal, clock)
        root = scene.goal if root is None else root(scene)
        letters = ""
        for clock.now in (100, *times):
            scene.agent.sense()
            letters += ticks(root, 1)
        return letters

    return play


def napping(scene):
    return scene.task("nap", duration=seconds(1.5))


def waiting(scene):
    def wait(_):
        yield seconds(1.5)

    return scene.task("wait", wait)


def sleeping(scene):
    async def sleep(_):
        await asyncio.sleep(1.5)

    return scene.task("sleep", sleep)


@pytest.mark.parametrize("step", [napping, waiting, sleeping])
def test_a_step_lasts_as_long_after_its_clock_went_back(scene, reset, step):
    goal = step(scene)
    letters = reset(goal, (100.5, 3, 3.5, 4, 4.5))
    assert letters.startswith("RRRR")
    assert "S" in letters
    assert scene.agent.errors == {}


def test_the_time_of_an_agent_is_that_of_its_clock_which_says_once_that_it_went_back(scene, reset):
    reset(scene.task("nap", duration=seconds(9)))
    assert scene.agent.time() == 4
    assert scene.heard.of(ClockSetBack) == [ClockSetBack(100.5, 3)]
    (said,) = scene.heard.of(ClockSetBack)
    assert (said.time, line_of(said)) == (3, "the clock went back from 100.5 to 3")
    assert scene.agent.errors == {}


def test_a_goal_that_waits_tries_again_after_its_clock_went_back(scene, reset):
    def fails(_):
        raise OperatorFailed("no")

    retrying = RetryPolicy(after=1, backoff=seconds(1.5), longest=seconds(1.5))
    task = scene.task("try", fails)

    def goal(scene):
        settings = Replanning(retrying=retrying)
        return PlanGoal("goal", scene.agent, task, replanning=settings, max_replans=0)

    reset(task, (100.5, 3, 3.5, 4, 4.5, 5), root=goal)
    times = [event.time for event in scene.heard.of(LeafEnded)]
    assert times == [100, 4]


@pytest.mark.parametrize("own", [True, False])
def test_a_decorator_counts_on_when_its_clock_goes_back(scene, reset, own):
    clock = Resettable()

    def late(scene):
        return Delay("late", Success("now"), seconds=1.5, clock=clock if own else scene.agent.time)

    if not own:
        assert reset(scene.task("nap"), root=late) == "RRRRS"
        return
    root = late(None)
    letters = ticks(root, 1)
    for clock.now in (100.5, 3, 3.5, 4):
        letters += ticks(root, 1)
    assert letters == "RRRRS"


def test_a_decorated_part_counts_on_when_its_clock_goes_back(scene, reset):
    nap = scene.task("nap", duration=seconds(9))
    assert reset(timeout(seconds(1.5), nap), (100.5, 3, 3.5, 4)).startswith("RRRR")
    assert scene.heard.lines()[-1] == "aborted nap"


def test_a_save_from_after_a_reset_goes_on_as_if_it_had_not_been_stopped(scene, reset):
    reset(scene.task("nap", duration=seconds(1.5)), (100.5, 3))
    saved = json.loads(json.dumps(save(scene.goal, scene.agent)))
    clock, other = Resettable(), Scene()
    other.begin(other.task("nap", duration=seconds(1.5)), clock)
    load(saved, other.goal, other.agent)
    letters = ""
    for clock.now in (100.5, 101):
        other.agent.sense()
        letters += ticks(other.goal, 1)
    assert (letters, other.agent.time()) == ("RS", 4)


@pytest.mark.parametrize("clock", [3.0, ManualClock, lambda: "later", lambda: math.nan])
def test_what_is_no_clock_is_refused_when_the_agent_is_made(clock):
    with pytest.raises(ExecutionError, match=r"\[BT316\] the clock of agent 'Rex'"):
        Agent("Rex", Domain("yard", World), World(), body=None, clock=clock)


def test_an_agent_whose_clock_is_never_read_is_told_of():
    rex = Agent("Rex", Domain("yard", World), World(), body=None, clock=ManualClock())
    with pytest.warns(RuntimeWarning, match="has a clock that is never read"):
        PlanGoal("rest", rex, sequence()).tick_once()


@pytest.mark.parametrize("wrong", [-0.1, math.nan])
def test_a_clock_is_advanced_by_what_passes(wrong):
    with pytest.raises(ExecutionError, match="BT202"):
        ManualClock().advance(wrong)
    with pytest.raises(BthtnError, match="BT126"):
        ManualClock().advance("1")


# any times: moments are multiples of 1/64 s, which floats add up exactly

MOMENTS = st.lists(st.integers(0, 64), min_size=2, max_size=30)


def passed(moments, length):
    """The index of the first moment at which so much time has passed since the first one."""
    return next((n for n, one in enumerate(moments) if n and one - moments[0] >= length), None)


@given(MOMENTS, st.integers(1, 256))
def test_whatever_the_delta_times_are_all_that_waits_ends_in_the_same_tick(deltas, length):
    def wait(_):
        yield seconds(length / 64)

    moments = list(accumulate(deltas))
    expected = passed(moments, length)
    event("is over" if expected else "is not over")
    for make in (
        lambda scene: scene.task("nap", duration=seconds(length / 64)),
        lambda scene: scene.task("wait", wait),
    ):
        scene = Scene()
        scene.begin(make(scene))
        letters = scene.play(*(delta / 64 for delta in deltas))
        assert letters.find("S") == (-1 if expected is None else expected)
    clock = ManualClock()
    root = Delay("later", Success("now"), seconds=length / 64, clock=clock)
    letters = ""
    for delta in deltas:
        clock.advance(delta / 64)
        letters += ticks(root, 1)
    assert letters.find("S") == (-1 if expected is None else expected)
