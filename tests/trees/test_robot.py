"""A robot with its own BehaviourTree: a guard, a time-out, threads, and the end of it all."""

from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait

import py_trees
import pytest
from py_trees.blackboard import Client
from py_trees.common import Access, Status

from bthtn.examples.trees.robot.robot import Hardware, end, robot_with
from bthtn.testing import RecordingListener


class AtOnce(Executor):
    """Runs what is submitted before it returns, so that nothing has to be waited for."""

    def submit(self, function, /, *args):
        done = Future()
        try:
            done.set_result(function(*args))
        except OSError as error:
            done.set_exception(error)
        return done


class Threads(ThreadPoolExecutor):
    """Threads that can be waited for."""

    def __init__(self):
        super().__init__()
        self.futures = []

    def submit(self, function, /, *args):
        self.futures.append(super().submit(function, *args))
        return self.futures[-1]

    def let_run(self):
        """Leave the processor to them until one has ended, or for a moment."""
        wait([one for one in self.futures if not one.done()], 0.001, "FIRST_COMPLETED")


@pytest.fixture
def driver():
    client = Client(name="driver")
    client.register_key("held", Access.WRITE)
    client.held = False
    yield client
    client.unregister()


@pytest.fixture
def pool():
    with Threads() as threads:
        yield threads


class Run:
    """A robot, its tree, and what was heard of it."""

    def __init__(self, pool, **hardware):
        self.pool = pool
        self.body = Hardware(pool, **hardware)
        self.heard = RecordingListener()
        self.tree, self.agent = robot_with(self.body, listener=self.heard)

    def tick(self, count=1):
        for _ in range(count):
            self.tree.tick()

    def tick_until(self, happened):
        """Tick while threads do their part; they take no longer than it takes to stop."""
        for _ in range(100_000):
            if happened():
                return
            self.tick()
            self.pool.let_run()
        pytest.fail("it did not happen")

    def on_the_way(self):
        return self.heard.running() != [] and self.body.wheels_turn


def test_all_cups_are_brought_to_the_kitchen(driver):
    run = Run(AtOnce(), seconds=0)
    run.tick(10)
    assert run.body.cups == {"red cup": "kitchen", "blue cup": "kitchen"}
    assert run.tree.root.status is Status.SUCCESS
    run.tree.shutdown()
    assert run.heard.faults() == []


def test_while_it_is_held_it_stands_still_and_then_goes_on(driver, pool):
    run = Run(pool, seconds=60)
    run.tick_until(run.on_the_way)
    driver.held = True
    run.tick()
    assert "stand still" in [node.name for node in run.tree.root.iterate() if running(node)]
    run.tick_until(lambda: "aborted drive('sofa')" in run.heard.lines())
    assert not run.body.wheels_turn
    assert run.body.at == "dock"
    driver.held = False
    run.tick()
    assert run.heard.running() == ["drive('sofa')"]
    end(run.tree, run.agent, wait=pool.let_run)


def running(node):
    return node.status is Status.RUNNING


def test_a_plan_that_takes_too_long_is_stopped(driver, pool, monkeypatch):
    run = Run(pool, seconds=60)
    run.tick_until(run.on_the_way)
    now = py_trees.decorators.time.monotonic()
    monkeypatch.setattr(py_trees.decorators.time, "monotonic", lambda: now + 61)
    run.tick()
    assert run.heard.lines()[-1] == "aborting drive('sofa')"
    monkeypatch.undo()
    end(run.tree, run.agent, wait=pool.let_run)


def test_charging_comes_before_tidying(driver, pool):
    run = Run(pool, seconds=60)
    run.tick_until(run.on_the_way)
    run.body.battery = 10
    run.tick()
    assert "at the dock" in [node.name for node in run.tree.root.iterate() if running(node)]
    run.tick_until(lambda: not run.body.wheels_turn)
    end(run.tree, run.agent, wait=pool.let_run)


def test_at_the_end_the_wheels_have_stopped_and_nothing_was_cut_off(driver, pool):
    run = Run(pool, seconds=60)
    run.tick_until(run.on_the_way)
    end(run.tree, run.agent, wait=pool.let_run)
    assert not run.body.wheels_turn
    assert run.heard.running() == []
    assert run.heard.faults() == []
    assert run.agent.errors == {}


def test_a_drive_that_raises_fails_the_step(driver):
    class Broken(Hardware):
        def drive(self, to, stop):
            raise OSError("no power on the wheels")

    heard = RecordingListener()
    tree, _ = robot_with(Broken(AtOnce()), listener=heard)
    tree.tick()
    tree.tick()
    assert any("no power on the wheels" in str(event) for event in heard.events)
    tree.shutdown()
