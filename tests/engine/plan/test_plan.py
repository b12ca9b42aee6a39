"""A plan is data; its tree and its predicted state may be made when they are first asked for."""

import copy
from dataclasses import FrozenInstanceError

import pytest

from bthtn import (
    Domain,
    Fluent,
    Plan,
    Planner,
    State,
    defer,
    find_plan,
    fluent,
    method,
    pause,
    priority,
)
from bthtn.engine.plan.plan import SharedTree
from bthtn.engine.plan.walk import leaves, outline


class Counter(State):
    count: Fluent[int] = fluent(default=0)


counting = Domain("counting", Counter)
step = counting.primitive("step", effects=Counter.count.becomes(1))
wait = counting.primitive("wait")


@counting.compound
def count():
    yield method(step(), step())


@pytest.fixture
def made():
    return find_plan(counting, Counter(), count())


class Source:
    """Makes a value, and counts how often it was asked to."""

    def __init__(self, value):
        self.value = value
        self.asked = 0

    def __call__(self):
        self.asked += 1
        return self.value


@pytest.fixture
def sources(made):
    return Source(made.tree), Source(made.predicted)


@pytest.fixture
def deferred(made, sources):
    tree, predicted = sources
    return later(made, tree=tree, predicted=predicted, expansions=lambda: 3)


class Parts:
    """Those of a plan, some of which are made by functions; it can tell some actions."""

    def __init__(self, made, sources, actions=None):
        self.made, self.sources, self.told = made, sources, actions

    def __getattr__(self, name):
        return self.sources[name]() if name in self.sources else getattr(self.made, name)

    @property
    def shared_tree(self):
        return SharedTree(self.__getattr__("tree"), self.record, {})

    def actions(self):
        return self.told


def later(made, **sources):
    """A plan like that one, with some parts that are made by functions."""

    return Plan.found(Parts(made, sources))


def test_actions_are_the_tasks_of_the_steps_with_their_arguments(deferred, made):
    assert made.actions == deferred.actions == ((step, ()), (step, ()))


def test_a_plan_that_is_remembered_has_its_actions():
    planner = Planner(counting, count())
    first = planner.plan(Counter())
    expected = first.actions
    assert first.tree
    assert planner.plan(Counter()).actions == expected == ((step, ()), (step, ()))


@pytest.mark.parametrize("name", ["tree", "predicted", "record"])
def test_a_plan_cannot_be_changed(deferred, made, name):
    for plan in (made, deferred):
        with pytest.raises(FrozenInstanceError):
            setattr(plan, name, None)


def test_a_plan_can_be_copied_before_its_parts_are_made(deferred, made):
    assert outline(copy.copy(deferred).tree) == outline(made.tree)


def test_what_is_left_of_a_plan_can_be_read_and_planned_from_anywhere():
    plan = find_plan(counting, Counter(), (step(), defer(count()), pause(), step()))
    assert [one.left for one in plan.suspended] == ["count", "pause, step"]
    left, _ = plan.suspended
    rest = Planner.resuming(plan.domain, left).plan(Counter(count=4))
    assert [str(one) for one in rest.steps] == ["step", "step"]
    assert not rest.suspended


def test_each_branch_of_a_plan_has_its_own_rest():
    plan = find_plan(counting, Counter(), priority((pause(), step()), (step(), pause(), count())))
    assert [one.left for one in plan.suspended] == ["step", "count"]


def test_the_steps_of_a_choice_are_those_of_the_preferred_alternative():
    goal = (step(), priority((step(), wait()), wait()), step())
    planner = Planner(counting, goal)
    for plan in (find_plan(counting, Counter(), goal), *(planner.plan(Counter()) for _ in "ab")):
        assert [task.name for task, _ in plan.actions] == ["step", "step", "wait", "step"]
        assert [str(one) for one in plan.steps] == ["step", "step", "wait", "step"]
        assert [str(one) for one in leaves(plan.tree)] == ["step", "step", "wait", "wait", "step"]
        assert "4 steps" in repr(plan)
