"""Which calls other threads may make: what is promised in docs/in-your-own-tree.md."""

import threading
from contextlib import contextmanager
from sys import getswitchinterval, setswitchinterval

import pytest

from bthtn import (
    BthtnError,
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    State,
    fluent,
    fluents,
    method,
)
from bthtn.behaviours import Agent, PlanGoal, Sensors
from bthtn.testing import RecordingListener


class Robot(State):
    battery: Fluent[int] = fluent(default=100)
    seen: FluentFamily[int, int] = fluents(default=0)


@pytest.fixture
def robot():
    return Agent("robot", Domain("floor", Robot), Robot(), body=None)


@contextmanager
def elsewhere(*functions):
    """Run functions in threads of their own, beside the ``with``; what they raise is raised."""
    raised = []

    def run(function):
        try:
            function()
        except Exception as error:  # noqa: BLE001 - raised below
            raised.append(error)

    threads = [threading.Thread(target=run, args=(one,)) for one in functions]
    interval = getswitchinterval()
    setswitchinterval(1e-6)
    try:
        for one in threads:
            one.start()
        yield
    finally:
        for one in threads:
            one.join()
        setswitchinterval(interval)
    if raised:
        raise raised[0]


def test_what_is_believed_soon_is_believed_at_the_next_tick_in_the_order_of_the_calls(robot):
    changes = []
    robot.listener = changes.append

    def report():
        for level in (90, 80):
            robot.believe_soon(Robot.battery, level, source="driver")

    with elsewhere(report):
        pass
    assert robot.beliefs.now.battery == 100
    robot.sense()
    assert [(one.change[2], one.change[3]) for one in changes] == [(90, "driver"), (80, "driver")]
    robot.sense()
    assert len(changes) == 2


def test_nothing_that_is_believed_soon_is_lost(robot):
    def reporter(index):
        def report():
            for count in range(1, 501):
                robot.believe_soon(Robot.seen[index], count)

        return report

    with elsewhere(*map(reporter, range(4))):
        for _ in range(200):
            robot.sense()
    robot.sense()
    assert [robot.beliefs.get(Robot.seen[index]) for index in range(4)] == [500] * 4


def test_a_bad_value_is_refused_where_it_is_given(robot):
    for bad in (
        lambda: robot.believe_soon(Robot.battery, "full"),
        lambda: robot.believe_soon("battery", 3),
    ):
        with pytest.raises(BthtnError):
            bad()
    robot.sense()


def test_a_belief_that_another_thread_changes_is_refused(robot):
    robot.sense()
    with (
        pytest.raises(BthtnError, match=r"call agent\.believe_soon") as caught,
        elsewhere(lambda: robot.believe(Robot.battery, 3)),
    ):
        pass
    assert caught.value.code == "BT313"
    assert robot.beliefs.now.battery == 100


def test_the_thread_that_senses_is_the_one_that_believes(robot):
    def live():
        robot.sense()
        robot.believe(Robot.battery, 3)

    robot.sense()
    with elsewhere(live):
        pass
    assert robot.beliefs.now.battery == 3
    with pytest.raises(BthtnError):
        robot.believe(Robot.battery, 4)
    robot.sense()
    robot.believe(Robot.battery, 4)


def test_an_agent_that_was_never_sensed_or_is_closed_belongs_to_no_thread(robot):
    with elsewhere(lambda: robot.believe(Robot.battery, 3)):
        pass
    robot.sense()
    robot.close()
    with elsewhere(lambda: robot.believe(Robot.battery, 4)):
        pass
    assert robot.beliefs.now.battery == 4


def test_beliefs_may_be_looked_at_by_anybody_and_the_agent_sees_its_newest(robot):
    """A snapshot that another thread makes is never taken for a newer one than it is."""
    over = threading.Event()

    def look():
        while not over.is_set():
            robot.beliefs.frozen()

    with elsewhere(look, look):
        for count in range(1, 3000):
            robot.beliefs.write(Robot.seen[count], count)
            robot.beliefs.write(Robot.battery, count)
            if robot.beliefs.frozen().get(Robot.battery) != count:
                over.set()
                pytest.fail("a stale snapshot")
        over.set()
    seen = robot.beliefs.frozen()
    assert [seen.get(Robot.seen[count]) for count in range(1, 3000)] == [*range(1, 3000)]


def test_agents_of_one_domain_may_live_in_threads_of_their_own():
    lives = {}
    domain = Domain("floor", Robot)
    work = domain.primitive(
        "work", precondition=Robot.battery > 20, effects=Robot.battery.decreases(by=20)
    )
    charge = domain.primitive("charge", effects=Robot.battery.becomes(100))

    @domain.compound
    def live() -> Methods:
        yield method(work(), work())
        yield method(charge(), live())

    domain.freeze()

    def living(name):
        def run():
            heard = RecordingListener()
            agent = Agent(name, domain, Robot(), body=None, listener=heard)
            goal = PlanGoal("live", agent, live())
            for _ in range(60):
                agent.sense()
                goal.tick_once()
            lives[name] = heard.lines()

        return run

    with elsewhere(*map(living, "abcd")):
        pass
    living("alone")()
    assert all(lines == lives["alone"] for lines in lives.values())
    assert lives["alone"].count("done charge") > 10


def test_a_sensor_may_be_triggered_by_anybody():
    sensors, reads = Sensors(), []

    @sensors.sensor(Robot.battery, every=None)
    def meter(agent):
        reads.append(threading.get_ident())
        return 50

    robot = Agent("robot", Domain("floor", Robot), Robot(), body=None, sensors=sensors)
    robot.sense()
    with elsewhere(lambda: robot.trigger(meter)):
        pass
    robot.sense()
    assert reads == [threading.get_ident()] * 2
