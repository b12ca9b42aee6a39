"""Records that can be compared, and plans that are only the rest of another one."""

from hypothesis import given

from bthtn import Domain, Planner, defer, method, parallel, priority
from bthtn.engine.plan.equivalence import comparable_record, is_first_choice
from bthtn.engine.plan.walk import leaves, record_entries
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.engine.replanning.continuation import is_continuation
from bthtn.studio.testing.strategies import World, problems
from tests.rests import INVALID, RUNNING, SUCCESS, rest_of


def plan_for(goal, domain, **given):
    return Planner(domain, goal).plan(World(**given))


def same(plan, stages, other, *, idle=()):
    rest = rest_of(plan.tree, dict(zip(leaves(plan.tree), stages, strict=True)))
    return is_continuation(rest, other, lambda node: node.task.name in idle)


# comparable records


@given(problems())
def test_a_record_is_comparable_up_to_the_first_open_part_of_a_branch(problem):
    search = HtnSearch.of(problem)
    if search.advance() is not SearchStatus.SOLVED:
        return
    entries, is_whole = comparable_record(search.plan)
    record = search.plan.record
    assert tuple(record[: len(entries)]) == tuple(entries)
    assert not is_whole or entries == record
    assert is_first_choice(search.plan) == (not any(entries))
    if is_whole:
        assert record_entries(search.plan.tree, open_branches=False) == list(record)


def test_an_open_part_in_a_branch_cuts_the_record_and_one_at_the_end_does_not():
    domain = Domain("cut", World)
    a = domain.primitive("a")

    @domain.compound
    def second():
        yield method(a(), when=World.open)
        yield method(a())

    inside = plan_for(parallel((second(), defer(second())), second()), domain)
    assert comparable_record(inside) == ((1,), False)
    behind = plan_for((parallel(second(), second()), defer(second())), domain)
    assert comparable_record(behind) == ((1, 1), True)
    chosen = plan_for(priority(second(), (a(), defer(second())), second()), domain)
    assert comparable_record(chosen) == ((0, 1, 0), False)


# the same course


def test_what_is_left_is_compared_with_what_was_found():
    domain = Domain("course", World)
    a, b, c = (domain.primitive(name)() for name in "abc")

    @domain.compound
    def inner():
        yield method(b, c)

    whole, rest = plan_for((a, b, c), domain), plan_for(inner(), domain)
    assert same(whole, [SUCCESS, RUNNING, INVALID], rest)
    assert not same(whole, [RUNNING, INVALID, INVALID], rest)
    assert not same(whole, [SUCCESS, SUCCESS, RUNNING], rest)
    assert same(whole, [RUNNING, INVALID, INVALID], rest, idle="a")


def test_arguments_and_order_matter():
    domain = Domain("course", World)
    a, b = (domain.primitive(name)() for name in "ab")
    assert not same(plan_for((a, b), domain), [INVALID, INVALID], plan_for((b, a), domain))
    assert not same(plan_for((a, b), domain), [INVALID, INVALID], plan_for(parallel(a, b), domain))


def test_a_branch_that_is_left_alone_is_a_sequence():
    domain = Domain("course", World)
    a, b, c = (domain.primitive(name)() for name in "abc")
    beside = plan_for((parallel(a, b), c), domain)
    assert same(beside, [SUCCESS, RUNNING, INVALID], plan_for((b, c), domain))
