"""A search: advanced by its caller, counted in expansions, telling what happens (semantics 2.6)."""

import gc
import sys
import weakref
from dataclasses import replace
from threading import Event, Thread

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    Primitive,
    Settings,
    State,
    find_plan,
    first_of,
    fluent,
    method,
    null,
    parallel,
    primitive,
    sequence,
)
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.planner import search_for
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.planning.trace import (
    Backtracked,
    BranchesConflict,
    MethodEntered,
    MethodRejected,
    PlanningSuspended,
    RecursionCut,
    TaskPlanned,
    TaskRejected,
)
from bthtn.engine.text.notation import normal
from bthtn.errors import DomainError, PlanningError

RUNNING, SOLVED, EXHAUSTED, LIMIT, ERROR, CANCELLED = SearchStatus


class Soldier(State):
    ammo: Fluent[int] = fluent(default=0)
    target: Fluent[bool] = fluent(default=True)


war = Domain("war", Soldier)
shoot = war.primitive("shoot", precondition=Soldier.ammo > 0, effects=Soldier.ammo.decreases(1))
reload = war.primitive("reload", effects=Soldier.ammo.becomes(1))
idle = war.primitive("idle")
boom = war.primitive("boom", precondition=lambda soldier: 1 // soldier.ammo)


@war.compound
def fight():
    yield method(idle(), when=~Soldier.target, name="nobody there")
    yield method(idle(), shoot())
    yield method(reload(), shoot(), name="carefully")


@war.compound
def count():
    yield method(reload_more(), count())


reload_more = war.primitive("reload_more", effects=Soldier.ammo.increases(1))


@war.compound
def circle():
    yield method(circle())


def search(goal, listener=None, settings=None, **values):
    return search_for(request(war, Soldier(**values), goal, settings or Settings()), listener)


# a little at a time


def test_a_search_goes_on_only_when_it_is_told_to():
    run = search(fight())
    assert (run.status, run.plan, run.expansions) == (RUNNING, None, 0)
    assert run.advance(0) is RUNNING
    assert run.expansions == 0


@war.compound
def look_around():
    """Data is read before and after a function that reads the same over and over."""
    yield method(idle(), when=Soldier.target == False)  # noqa: E712 - an expression
    yield method(check(), reload_more(), check())


def counts_ammo(soldier):
    return sum(soldier.ammo for _ in range(10)) >= 0 and bool(soldier.target)


check = war.primitive("check", precondition=counts_ammo)


def test_reads_are_those_of_the_start_state_each_once_in_order():
    run = search(look_around(), ammo=2)
    assert run.advance() is SOLVED
    assert list(run.reads.items()) == [(Soldier.target, True), (Soldier.ammo, 2)]


def test_each_expansion_is_a_task_examined_or_a_method_entered():
    # fight m1, idle, shoot (fails), fight m2, reload, shoot
    run = search(fight())
    counts = []
    while run.advance(1) is RUNNING:
        counts.append(run.expansions)
    assert counts == [1, 2, 3, 4, 5]
    assert (run.status, run.expansions) == (SOLVED, 6)
    assert normal(run.plan.tree) == "(reload, shoot)"
    assert run.plan.expansions == 6


def test_skipping_methods_and_doing_nothing_cost_nothing():
    run = search((idle(), (), idle()))
    assert run.advance(1) is RUNNING
    assert run.advance(1) is SOLVED, "what is left to do then is free"


def test_a_search_that_is_over_stays_as_it_is():
    run = search(idle())
    run.advance()
    plan = run.plan
    assert run.advance() is run.advance(5) is SOLVED
    assert run.plan is plan
    assert run.expansions == 1


def test_a_search_that_has_tried_everything_is_exhausted_and_that_is_no_error():
    run = search(shoot())
    assert run.advance() is EXHAUSTED
    assert run.plan is None
    assert run.expansions == 1


def test_what_failed_is_tried_again_where_another_way_leads_to_the_same_state():
    run = search((first_of(reload(), reload()), shoot(), shoot()))
    assert run.advance() is EXHAUSTED
    # Each of the two ways is a method, then reload, shoot, and shoot once too often.
    assert run.expansions == 2 * 4


def test_at_the_limit_nobody_knows_whether_there_is_a_plan():
    for limit, status in [(5, LIMIT), (6, SOLVED)]:
        run = search(fight(), settings=Settings(max_expansions=limit))
        assert run.advance() is status
        assert run.expansions == limit
    run = search(fight(), settings=Settings(max_expansions=5))
    assert [run.advance(2), run.advance(2), run.advance(2)] == [RUNNING, RUNNING, LIMIT]
    assert run.advance(2) is LIMIT


def test_what_costs_nothing_is_done_at_the_limit_as_well():
    yard = Domain("yard", Soldier)
    step = yard.primitive("step")

    @yard.compound
    def rest():
        yield method(name="nothing is left to do")

    @yard.compound
    def march():
        yield method(step(), rest(), sequence(null(), null()))

    for limit, status in [(2, LIMIT), (3, SOLVED)]:
        asked = request(yard, Soldier(), march(), Settings(max_expansions=limit))
        whole, slices = HtnSearch.of(asked), HtnSearch.of(asked)
        while slices.advance(1) is SearchStatus.RUNNING:
            pass
        assert (whole.advance(), whole.expansions) == (status, limit)
        assert (slices.status, slices.expansions) == (status, limit)


@pytest.mark.parametrize("depth", [4, 5, 6, 7, 100])
def test_a_call_that_is_nested_too_deep_at_the_limit_ends_the_search(depth):
    mine = Domain("mine", Soldier)

    @mine.compound
    def dig(down: int):
        yield method(dig(down + 1))

    run = HtnSearch.of(
        request(mine, Soldier(), dig(0), Settings(max_depth=depth, max_expansions=6))
    )
    assert run.advance() is (LIMIT if depth > 6 else EXHAUSTED)
    assert run.expansions == min(depth, 6)


@pytest.mark.parametrize("name", ["horizon", "horizon_time", "max_depth", "max_expansions"])
@pytest.mark.parametrize("value", [0, -1])
def test_limits_that_would_allow_nothing_are_refused(name, value):
    with pytest.raises(DomainError, match=rf"\[BT202\] {name} is {value}") as caught:
        Settings(**{name: value})
    assert "it has to be above zero" in str(caught.value)


def test_a_horizon_that_is_no_number_is_refused():
    with pytest.raises(DomainError, match=r"\[BT202\] horizon_time is nan"):
        Settings(horizon_time=float("nan"))


# asked once


def test_find_plan_answers_with_a_plan_or_with_none():
    assert normal(find_plan(war, Soldier(), fight()).tree) == "(reload, shoot)"
    assert find_plan(war, Soldier(), shoot()) is None


def test_find_plan_takes_a_domain_or_a_state_in_either_form():
    plan = find_plan(war.freeze(), Soldier(ammo=1).frozen(), fight())
    assert normal(plan.tree) == "(idle, shoot)"


def test_find_plan_does_not_take_the_limit_for_an_answer():
    with pytest.raises(PlanningError, match=r"\[BT203\] no answer after 5 expansions"):
        find_plan(war, Soldier(), fight(), Settings(max_expansions=5))


def test_a_user_function_that_raises_ends_the_search_for_good():
    run = search((idle(), boom()))
    with pytest.raises(PlanningError, match="ZeroDivisionError") as caught:
        run.advance()
    assert caught.value.code == "BT201"
    assert run.status is ERROR
    assert run.advance() is ERROR
    assert run.plan is None


def test_a_calculation_that_cannot_be_done_ends_the_search_as_well():
    domain = Domain("sums", Soldier)
    divide = domain.primitive("divide", effects=Soldier.ammo.becomes(Soldier.ammo // 1))
    share = domain.primitive("share", precondition=(Soldier.ammo // Soldier.ammo) == 1)
    assert find_plan(domain, Soldier(ammo=1), (divide(), share())) is not None
    with pytest.raises(PlanningError, match="ZeroDivisionError") as caught:
        find_plan(domain, Soldier(), share())
    assert caught.value.code == "BT201"


# what happens is told


def story(goal, **values):
    told = []
    search(goal, told.append, **values).advance()
    return told


def test_a_search_tells_what_it_does_in_order():
    assert story(fight()) == [
        MethodRejected("fight", 0, "nobody there", "not target is false: target = true", 0),
        MethodEntered("fight", 1, "", 0),
        TaskPlanned("idle", 1),
        TaskRejected("shoot", "shoot: ammo > 0 is false: ammo = 0", 1),
        Backtracked("fight"),
        MethodEntered("fight", 2, "carefully", 0),
        TaskPlanned("reload", 1),
        TaskPlanned("shoot", 1),
    ]


def test_a_search_tells_where_it_stops_and_why():
    assert story((shoot(), idle()), ammo=UNKNOWN) == [
        PlanningSuspended("shoot", "unknown ammo", 0),
        PlanningSuspended("idle", "unknown ammo", 0),
    ]
    assert story(circle()) == [
        MethodEntered("circle", 0, "", 0),
        RecursionCut("circle", "entered again inside itself, with nothing changed", 1),
    ]


def test_a_search_tells_what_branches_would_fight_over():
    assert story(parallel(idle(), reload(), shoot()), ammo=1)[-1] == BranchesConflict(
        1, 2, "ammo", 0
    )


def test_the_same_request_makes_the_same_search_again():
    assert story((fight(), fight())) == story((fight(), fight()))


def test_a_domain_can_be_searched_by_many_at_once():
    one, other = search(fight()), search(fight(), ammo=1)
    while RUNNING in (one.status, other.status):
        one.advance(1)
        other.advance(1)
    assert normal(one.plan.tree) == "(reload, shoot)"
    assert normal(other.plan.tree) == "(idle, shoot)"


# giving up


def test_a_cancelled_search_is_over_at_once():
    run = search(sequence(*[idle()] * 9))
    run.advance(4)
    run.cancel()
    assert run.status is CANCELLED
    assert run.advance() is CANCELLED
    assert (run.plan, run.expansions) == (None, 4)


def test_a_search_that_is_over_cannot_be_cancelled():
    run = search(idle())
    run.advance()
    run.cancel()
    assert run.status is SOLVED
    assert run.plan is not None


def test_a_cancelled_search_lets_go_of_everything():
    class Item:
        """Can be watched going away."""

    domain = Domain("heap", Soldier)
    item = Item()
    gone = weakref.ref(item)

    @domain.primitive
    def carry(what: object) -> Primitive:
        return primitive()

    run = HtnSearch.of(request(domain, Soldier(), carry(item)))
    run.advance(1)
    kept = search_for(request(domain, Soldier(), (carry(item), carry(item))), lambda event: None)
    assert kept.advance(1) is RUNNING
    before = sys.getrefcount(item)
    kept.cancel()
    assert sys.getrefcount(item) < before
    del run, kept, item
    gc.collect()
    assert gone() is None


def test_whoever_listens_may_cancel_in_the_middle():
    """As another thread may: the search stops before its next expansion."""
    run = search((idle(), idle(), idle()), lambda event: run.cancel())
    assert run.advance() is CANCELLED
    assert run.expansions == 1


def test_a_search_can_be_cancelled_from_another_thread():
    run, started = search(count(), lambda event: started.set()), Event()
    worker = Thread(target=run.advance)
    worker.start()
    started.wait()
    run.cancel()
    worker.join()
    assert run.status is CANCELLED
    assert 0 < run.expansions < 1_000_000


def test_a_domain_with_other_methods_for_a_task_is_planned_with_these():
    yard = Domain("yard", Soldier)
    step, jump = yard.primitive("step"), yard.primitive("jump")

    @yard.compound
    def move():
        yield method(step())

    whole, goal = yard.freeze().with_goal(first_of(move(), step()))
    assert [str(one) for one in find_plan(whole, Soldier(), goal).steps] == ["step"]
    (written,) = whole.methods[move]
    other = replace(whole, methods={**whole.methods, move: (replace(written, body=jump()),)})
    assert [str(one) for one in find_plan(other, Soldier(), goal).steps] == ["jump"]
