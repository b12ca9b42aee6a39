"""validate believes no tree: it carries its steps out, and compares where that leads."""

from dataclasses import replace

import pytest

from bthtn import UNKNOWN, defer, find_plan, parallel, pause, priority, sequence
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.nodes import NULL_NODE, ParallelNode, PriorityNode, SequenceNode
from bthtn.testing import validate
from tests.studio.analysis.camp import LEGS, Author, Camp


@pytest.fixture
def author():
    return Author()


def judged(author, plan, tree):
    return validate(replace(plan, tree=tree), author.state.frozen())


def beside(*children):
    return ParallelNode(children, ParallelPolicy.ALL)


def test_a_plan_that_holds_is_valid_and_the_end_is_told(author):
    plan = author.plan(author.step("a"), author.step("b", needs="a"))
    seen = validate(plan, author.state.frozen())
    assert (seen.ok, seen.reason, seen.final) == (True, "", plan.predicted)


def test_a_step_whose_precondition_is_false_is_named_with_the_reason(author):
    plan = author.plan(author.step("a"), author.bare("b", precondition=Camp.done["a"]))
    seen = judged(author, plan, beside(*plan.steps))
    assert (seen.ok, seen.where) == (False, "b")
    assert seen.reason == "done[a] is false: done[a] = false"


def test_branches_that_disturb_each_other_are_refused(author):
    plan = author.plan(author.step("a", uses=LEGS), author.step("b", uses=LEGS))
    seen = judged(author, plan, beside(*plan.steps))
    assert seen.reason == "branches 0 and 1 both touch legs"


def test_a_step_that_was_left_out_is_noticed_in_the_end(author):
    plan = author.plan(author.step("a"), author.step("b"))
    seen = judged(author, plan, plan.steps[0])
    assert (seen.ok, seen.reason) == (False, "it does not lead to what is predicted")


def test_what_sensors_say_may_not_be_relied_on_behind_a_step(author):
    plan = author.plan(author.bare("looks", precondition=Camp.light), author.step("a"))
    seen = judged(author, plan, SequenceNode(plan.steps[::-1]))
    assert seen.reason == "it is to be done although light is unknown"


def test_a_guard_may_be_unknown_as_the_first_step_of_an_alternative_only(author):
    guard = author.step("guard", precondition=Camp.light)
    plan = author.plan(author.step("a"), priority(guard, author.step("b")))
    assert validate(plan, author.state.frozen()).ok
    first, choice = plan.tree.children
    sure = judged(author, plan, SequenceNode((first, choice.children[0])))
    assert sure.reason == "it is to be done although light is unknown"
    late = SequenceNode((choice.children[1], choice.children[0]))
    tree = SequenceNode((first, PriorityNode((late,), (0,))))
    assert judged(author, plan, tree).reason == "it is to be done although light is unknown"


def test_suspended_parts_do_what_they_ensure_or_end_the_plan(author):
    later, after, other = author.step("later"), author.step("after"), author.step("x")
    ensured = defer(later, ensures=Camp.done["later"].becomes(True))
    plan = author.plan(ensured, after)
    assert validate(plan, author.state.frozen()).ok
    ended = author.plan(parallel((after, pause(), later), other))
    assert validate(ended, author.state.frozen()).ok
    tree = SequenceNode((ended.tree.children[0], *plan.steps))
    seen = judged(author, ended, tree)
    assert seen.reason == "it comes behind a suspended part that ensures nothing"


def test_what_cannot_be_asked_is_no_crash(author):
    def broken(state):
        if state.ore == 0:
            raise ValueError("no")
        return True

    plan = author.plan(author.bare("b", precondition=broken), ore=1)
    seen = validate(plan, Camp().frozen())
    assert (seen.ok, seen.where) == (False, "")
    assert "no" in seen.reason


def test_nothing_to_do_leads_nowhere(author):
    plan = find_plan(author.domain, Camp(), sequence())
    assert validate(replace(plan, tree=NULL_NODE), Camp().frozen()).ok
    elsewhere = validate(plan, Camp(ore=1).frozen())
    assert not elsewhere.ok


def test_branches_that_may_be_left_undone_are_unknown_afterwards(author):
    race = parallel(author.step("a"), author.step("b"), policy="any")
    plan = author.plan(race)
    assert plan.predicted.get(Camp.done["a"]) is UNKNOWN
    assert validate(plan, author.state.frozen()).ok
