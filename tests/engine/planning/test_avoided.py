"""What an agent avoids for a while: the search goes another way, and says why."""

import pytest

from bthtn import Domain, Fluent, Primitive, State, fluent, method, one_of, primitive, priority
from bthtn.engine.planning.exclusions import avoidable
from bthtn.engine.planning.explain import explained, explanation_text, main_reasons
from bthtn.engine.planning.planner import Planner
from bthtn.errors import DomainError


class Hall(State):
    key: Fluent[bool] = fluent(default=True)


HALL = Domain("hall", Hall)
walk = HALL.primitive("walk")
climb = HALL.primitive("climb", precondition=Hall.key)


@HALL.primitive
def knock(door: str) -> Primitive:
    return primitive(uses=())


@HALL.compound
def leave():
    yield method(walk(), name="by the door")
    yield method(climb(), name="by the window")


@HALL.compound
def walk_twice():
    yield method(walk(), climb())
    yield method(climb(), walk())


@HALL.compound
def knock_somewhere():
    yield method(knock(one_of(("left", "right"), name="door")))


REASON = "it failed at tick 12 because the door is locked"


def plan_text(goal, *avoided):
    frozen = HALL.freeze()
    keys = {avoidable(frozen, *what): REASON for what in avoided}
    plan = Planner(HALL, goal).plan(Hall(), avoiding=keys)
    return None if plan is None else f"{[str(step) for step in plan.steps]} {plan.record!r}"


def test_an_avoided_method_is_passed_over_and_the_others_keep_their_numbers():
    assert plan_text(leave()) == "['walk'] [0]"
    assert plan_text(leave(), (leave, (), 0)) == "['climb'] [1]"
    assert plan_text(leave(), (leave, (), 0), (leave, (), 1)) is None


def test_an_avoided_step_is_avoided_wherever_it_stands():
    assert plan_text(leave(), (walk,)) == "['climb'] [1]"
    assert plan_text(priority(walk(), climb()), (walk,)) == "['climb'] [1,0]"


def test_a_step_is_avoided_for_the_values_with_which_it_failed():
    assert "left" in plan_text(knock_somewhere())
    assert "right" in plan_text(knock_somewhere(), (knock, ("left",)))
    assert plan_text(knock_somewhere(), (knock, ("left",)), (knock, ("right",))) is None


def test_what_is_avoided_is_explained_with_when_and_why_it_failed():
    frozen, events = HALL.freeze(), []
    keys = {
        avoidable(frozen, leave, (), 0): REASON,
        avoidable(frozen, climb): "it failed at tick 14 because the window is too high",
    }
    assert Planner(HALL, leave()).plan(Hall(), events.append, avoiding=keys) is None
    assert explanation_text(explained(events)) == (
        "leave, method 0 'by the door':"
        " avoided: it failed at tick 12 because the door is locked\n"
        "leave, method 1 'by the window'\n"
        "  climb: avoided: it failed at tick 14 because the window is too high"
    )


@pytest.mark.parametrize("method", [None, 2, -1])
def test_a_compound_task_is_avoided_by_one_of_its_methods(method):
    with pytest.raises(DomainError, match=r"BT110.*'leave' cannot be avoided"):
        avoidable(HALL.freeze(), leave, (), method)


def test_a_primitive_task_has_no_method_to_avoid():
    with pytest.raises(DomainError, match="there is no method 0"):
        avoidable(HALL.freeze(), walk, (), 0)


@pytest.mark.parametrize("avoiding", [{walk: REASON}, {"walk": REASON}, {(walk, ())}])
def test_what_is_no_key_with_a_reason_is_refused(avoiding):
    planner = Planner(HALL, leave())
    with pytest.raises(DomainError, match=r"(?s)is not avoided.*avoidable\(domain, task\)"):
        planner.plan(Hall(), avoiding=avoiding)
    with pytest.raises(DomainError, match="is not avoided"):
        planner.trace(Hall(), avoiding)


def test_what_is_avoided_is_told_once_however_often_it_was_tried():
    events = []
    keys = {avoidable(HALL.freeze(), walk): REASON}
    search = Planner(HALL, walk_twice()).search(Hall().frozen(), events.append, keys)
    search.advance(100)
    assert main_reasons(explained(events)) == (f"walk: avoided: {REASON}",)
