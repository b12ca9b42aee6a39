"""A cache of plans: a tree of what searches read of their start states."""

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    PlanCache,
    Planner,
    Primitive,
    Settings,
    State,
    defer,
    first_of,
    fluent,
    fluents,
    method,
    parallel,
    primitive,
    priority,
    sequence,
)
from bthtn.plan.nodes import PAUSED, SuspendedNode
from bthtn.plan.walk import outline, preorder
from bthtn.planning.cache import CacheStatistics
from bthtn.planning.protocol import SearchStatus


class Robot(State):
    count: Fluent[int] = fluent(default=0)
    ready: Fluent[bool] = fluent(default=False)
    dust: Fluent[bool] = fluent(default=False)
    thing: Fluent[object] = fluent(default=None, type=object)
    room: Fluent[str] = fluent(default="hall")
    clean: FluentFamily[str, bool] = fluents(default=False)


def made():
    """A domain of its own at every call."""
    domain = Domain("home", Robot)
    domain.primitive("idle")
    domain.primitive("start", effects=Robot.ready.becomes(True))
    domain.primitive("go", precondition=Robot.ready, effects=Robot.count.increases(1))
    domain.primitive("scatter", effects=Robot.dust.becomes(True))
    domain.primitive("never", precondition=False)

    @domain.primitive
    def show(what: object) -> Primitive:
        return primitive()

    @domain.primitive
    def sweep(room: str) -> Primitive:
        return primitive(effects=Robot.clean[room].becomes(True))

    return domain


home = made()
idle, start, go, scatter, never, show, sweep = home._tasks.values()


@home.compound
def work():
    yield method(go(), when=Robot.ready)
    yield method(start(), go())


@home.compound
def again():
    yield method(start(), again())
    yield method(idle())


@home.compound
def either():
    yield method(start(), either(), never())
    yield method(scatter(), either())
    yield method(idle())


@home.compound
def clean_up():
    yield method(idle(), when=Robot.clean[Robot.room])
    yield method(sweep(Robot.room))


@pytest.fixture
def cache():
    return PlanCache()


def planner(goal, cache=None, settings=Settings(), domain=home):  # noqa: B008 - it is frozen
    return Planner(domain, goal, settings, cache=cache)


def said(plan):
    """A plan as text, in which 1, True and 1.0 differ."""
    return plan and (
        repr(plan),
        [str(s) for s in plan.steps],
        repr(plan.predicted),
        plan.expansions,
    )


def same_as_fresh(goal, cache, *states):
    """Ask for each state; every answer is that of a planner without a cache. The hits."""
    before = cache.statistics.hits
    for state in states:
        assert said(planner(goal, cache).plan(state)) == said(planner(goal).plan(state)), state
    return cache.statistics.hits - before


# what is a hit


def test_a_state_that_was_asked_for_needs_no_search(cache):
    question = planner(work(), cache)
    assert question.search(Robot()).status is SearchStatus.RUNNING
    plan = question.plan(Robot())
    search = question.search(Robot())
    assert search.status is SearchStatus.SOLVED
    assert search.advance(0) is SearchStatus.SOLVED
    assert search.expansions == 0, "no work was done"
    assert search.plan.expansions == plan.expansions == 3
    assert said(search.plan) == said(plan)
    assert cache.statistics == CacheStatistics(hits=1, misses=2, entries=1)
    assert repr(cache) == "<plan cache: 1 entries, 1 hits, 2 misses>"


def test_whole_plans_share_one_tree(cache):
    trees = {planner(work(), cache).plan(Robot()).tree for _ in range(3)}
    assert len(trees) == 1
    assert cache.statistics.hits == 2


def test_every_plan_of_a_suspended_part_has_nodes_of_its_own(cache):
    domain = home.freeze()
    part = SuspendedNode((work(),), (), PAUSED)
    plans = [Planner.resuming(domain, part, cache=cache).plan(Robot()) for _ in range(3)]
    assert len({outline(plan.tree) for plan in plans}) == 1
    assert len({node for plan in plans for _, node in preorder(plan.tree)}) == 3 * len(
        list(preorder(plans[0].tree))
    )
    assert plans[2].tree is plans[2].tree
    assert cache.statistics.hits == 2


def test_the_actions_of_a_known_plan_are_told_without_a_tree(cache):
    first, known = (planner(work(), cache).plan(Robot()) for _ in range(2))
    assert known.actions == tuple((step.task, step.args) for step in first.steps)
    assert known.actions == first.actions


def test_what_no_search_reads_does_not_matter(cache):
    states = [Robot(dust=dust, thing=thing) for dust in (False, True) for thing in (1, "a")]
    assert same_as_fresh(work(), cache, *states) == 3
    assert cache.statistics.entries == 1


def test_what_an_argument_comes_from_belongs_to_the_question(cache):
    question = planner(sweep(Robot.room), cache)
    rooms = ("hall", "attic", "hall", "attic")
    assert [question.plan(Robot(room=room)).steps[0].args for room in rooms] == [
        (room,) for room in rooms
    ]
    assert cache.statistics.hits == 2


def test_what_a_plan_only_writes_does_not_matter(cache):
    assert same_as_fresh(start(), cache, Robot(), Robot(ready=True), Robot(ready=UNKNOWN)) == 2


def test_a_prediction_starts_from_the_state_that_is_asked_for(cache):
    question = planner(start(), cache)
    question.plan(Robot())
    assert question.plan(Robot(dust=True)).predicted == Robot(dust=True, ready=True).frozen()
    assert cache.statistics.hits == 1


def test_a_cheapest_plan_predicts_what_it_does_itself_and_not_what_was_tried_after_it(cache):
    cheapest = Settings(cheapest=True)
    question = Planner(home, first_of(start(), (idle(), scatter())), cheapest, cache=cache)
    for _ in range(2):
        assert question.plan(Robot()).predicted == Robot(ready=True).frozen()
    assert cache.statistics.hits == 1


def test_that_there_is_no_plan_is_an_answer_too(cache):
    assert same_as_fresh(go(), cache, Robot(), Robot(), Robot(dust=True)) == 2
    assert planner(go(), cache).search(Robot()).status is SearchStatus.EXHAUSTED


def test_what_is_read_next_depends_on_what_was_read_first(cache):
    states = [Robot(room=room, clean={"hall": True}) for room in ("hall", "attic", "hall")]
    assert same_as_fresh(clean_up(), cache, *states) == 1
    assert same_as_fresh(clean_up(), cache, Robot(room="attic", clean={"hall": False})) == 1


def test_an_amount_depends_on_what_it_is_added_to(cache):
    states = [Robot(ready=True, count=count) for count in (0, 1, 2, UNKNOWN)]
    assert same_as_fresh(go(), cache, *states, *states) == 4


def test_unknown_is_a_value_of_its_own(cache):
    states = [Robot(ready=ready) for ready in (True, False, UNKNOWN)]
    assert same_as_fresh(work(), cache, *states, *states) == 3


@pytest.mark.parametrize(
    "values",
    [(1, True, 1.0), (0.0, -0.0), ((1,), (True,), (1.0,)), (frozenset({1}), frozenset({True}))],
)
def test_equal_values_of_different_kinds_are_different_values(cache, values):
    states = [Robot(thing=value) for value in values]
    assert same_as_fresh(show(Robot.thing), cache, *states) == 0
    assert same_as_fresh(show(Robot.thing), cache, *states) == len(values)


def test_a_value_that_does_not_equal_itself_is_found_again(cache):
    nan = float("nan")
    assert same_as_fresh(show(Robot.thing), cache, Robot(thing=nan), Robot(thing=nan)) == 1


def test_a_task_inside_itself_depends_on_whether_the_state_has_changed(cache):
    # Nothing asks whether the robot is ready. But starting one that is ready changes nothing,
    # so that the recursion ends one level sooner (semantics 2.2.6).
    states = [Robot(), Robot(ready=True)]
    records = [planner(again()).plan(state).record for state in states]
    assert records == [(0, 1), (1,)]
    assert same_as_fresh(again(), cache, *states) == 0
    assert same_as_fresh(again(), cache, *states, Robot(dust=True)) == 3


def test_what_was_written_and_taken_back_is_not_confused_with_what_was_written_instead(cache):
    # The second method of the inner call writes where the first one wrote before it failed.
    states = [Robot(ready=ready, dust=dust) for ready in (False, True) for dust in (False, True)]
    assert len({planner(either()).plan(state).expansions for state in states}) == 4
    assert same_as_fresh(either(), cache, *states) == 0
    assert same_as_fresh(either(), cache, *states) == 4


def test_what_every_alternative_writes_does_not_depend_on_what_was_there(cache):
    choice = priority(start(), sequence(idle(), start()))
    assert same_as_fresh(choice, cache, Robot(), Robot(ready=True)) == 1
    choice = priority(start(), idle())
    assert same_as_fresh(choice, cache, Robot(), Robot(ready=True)) == 0


# what is a question


def ask(goal, cache, settings=Settings(), domain=home):  # noqa: B008 - it is frozen
    """Whether the cache knows the answer."""
    before = cache.statistics.hits
    planner(goal, cache, settings, domain).plan(Robot(ready=True))
    return cache.statistics.hits > before


def test_equal_goals_and_settings_are_one_question(cache):
    for _ in range(2):
        found = [
            ask(sequence(start(), parallel(idle(), go())), cache),
            ask(priority(show(1), idle()), cache, Settings(horizon=2)),
            ask(defer(idle()), cache),
        ]
    assert found == [True, True, True]


def test_everything_that_could_give_another_plan_makes_another_question(cache):
    ensured = Robot.dust.becomes(True)
    goals = [
        *(show(1), show(True), show(1.0), show(Robot.count), show(Robot.thing)),
        *(sequence(idle(), go()), sequence(go(), idle()), parallel(idle(), go())),
        *(priority(idle(), go()), priority(idle(), go(), reactive=True)),
        *(parallel(idle(), go(), policy="any"), defer(idle()), defer(idle(), ensures=ensured)),
        defer(idle(), ensures=Robot.dust.becomes(False)),
    ]
    assert not any(ask(goal, cache) for goal in goals)
    assert not ask(idle(), cache)
    assert not ask(idle(), cache, Settings(horizon=1))
    assert all(ask(goal, cache) for goal in goals)


def test_a_domain_never_gets_the_plans_of_another_one(cache):
    twin, other = made(), made()
    assert not ask(twin._tasks["start"](), cache, domain=twin)
    assert not ask(other._tasks["start"](), cache, domain=other)
    assert ask(twin._tasks["start"](), cache, domain=twin)
    plan = planner(other._tasks["start"](), cache, domain=other).plan(Robot(ready=True))
    assert plan.domain is other.freeze()
    assert plan.steps[0].task is other._tasks["start"]
