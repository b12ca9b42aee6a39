"""What a running step has done is seen before it is over: sensors tell of it at once."""

import pytest

from bthtn import Domain, Fluent, Methods, State, find_plan, fluent, method
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.plan.walk import preorder
from bthtn.engine.replanning.validity import validity_of
from tests.rests import INVALID, RUNNING, SUCCESS, rest_of


class Porter(State):
    hand: Fluent[str] = fluent(default="nothing")
    shelf: Fluent[str] = fluent(default="key")
    door: Fluent[str] = fluent(default="locked")


@pytest.fixture
def domain():
    return Domain("porter", Porter)


@pytest.fixture
def plan(domain):
    take = domain.primitive(
        "take",
        precondition=Porter.hand == "nothing",
        expected=[Porter.hand.becomes(Porter.shelf), Porter.shelf.becomes("nothing")],
    )
    unlock = domain.primitive(
        "unlock", precondition=Porter.hand == "key", expected=Porter.door.becomes("open")
    )

    @domain.compound
    def empty_hands() -> Methods:
        yield method(when=Porter.hand == "nothing")

    @domain.compound
    def open_up() -> Methods:
        yield method(empty_hands(), take(), unlock())

    return find_plan(domain, Porter(), open_up())


def seen(plan, running, **values):
    """What is wrong with the rest of the plan while its first step runs, in such a world."""
    steps = [node for _, node in preorder(plan.tree) if isinstance(node, TaskNode)]
    statuses = dict.fromkeys(steps, INVALID) | {steps[0]: running}
    return validity_of(rest_of(plan.tree, statuses), plan.domain, Porter(**values).frozen()).failure


def test_a_step_whose_effects_are_seen_while_it_runs_breaks_nothing(plan):
    assert seen(plan, RUNNING, hand="key", shelf="nothing") is None


def test_also_when_only_some_of_them_are_seen(plan):
    assert seen(plan, RUNNING, shelf="nothing") is None
    assert seen(plan, RUNNING, hand="key") is None


def test_what_was_asked_before_the_step_is_not_asked_again(plan):
    assert seen(plan, SUCCESS, hand="key", shelf="nothing") is None


def test_when_it_is_over_and_came_out_otherwise_the_rest_breaks(plan):
    assert seen(plan, SUCCESS, hand="stone", shelf="nothing").what == "unlock"
