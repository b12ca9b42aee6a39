"""A cache of plans: a tree of what searches read of their start states."""

import gc
import runpy
from pathlib import Path
from threading import Barrier, Thread

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
    fluent,
    fluents,
    method,
    parallel,
    primitive,
    priority,
    sequence,
)
from bthtn.errors import DomainError, PlanningError
from bthtn.planning.cache import Answer, CacheStatistics
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
    domain.primitive("boom", precondition=lambda robot: 1 // robot.count)

    @domain.primitive
    def show(what: object) -> Primitive:
        return primitive()

    @domain.primitive
    def sweep(room: str) -> Primitive:
        return primitive(effects=Robot.clean[room].becomes(True))

    return domain


home = made()
idle, start, go, scatter, never, boom, show, sweep = home._tasks.values()


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
    assert search.plan.tree is plan.tree
    assert cache.statistics == CacheStatistics(hits=1, misses=2, entries=1)
    assert repr(cache) == "<plan cache: 1 entries, 1 hits, 2 misses>"


def test_what_no_search_reads_does_not_matter(cache):
    states = [Robot(dust=dust, thing=thing) for dust in (False, True) for thing in (1, "a")]
    assert same_as_fresh(work(), cache, *states) == 3
    assert cache.statistics.entries == 1


def test_what_a_plan_only_writes_does_not_matter(cache):
    assert same_as_fresh(start(), cache, Robot(), Robot(ready=True), Robot(ready=UNKNOWN)) == 2


def test_a_prediction_starts_from_the_state_that_is_asked_for(cache):
    question = planner(start(), cache)
    question.plan(Robot())
    assert question.plan(Robot(dust=True)).predicted == Robot(dust=True, ready=True).frozen()
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


# what is not kept


def test_the_answers_of_a_domain_go_with_it(cache):
    domain = made()
    ask(domain._tasks["start"](), cache, domain=domain)
    assert ask(start(), cache) is False
    assert cache.statistics.entries == 2
    del domain
    gc.collect()
    assert cache.statistics.entries == 1
    assert ask(start(), cache)


def test_a_search_without_an_answer_is_not_remembered(cache):
    for _ in range(2):
        with pytest.raises(PlanningError, match="BT203"):
            planner(work(), cache, Settings(max_expansions=1)).plan(Robot())
        with pytest.raises(PlanningError, match="BT201"):
            planner(boom(), cache).plan(Robot())
    assert cache.statistics == CacheStatistics(hits=0, misses=4, entries=0)


def test_a_search_that_is_not_over_is_not_remembered(cache):
    search = planner(work(), cache).search(Robot())
    search.advance(1)
    assert cache.statistics.entries == 0
    search.advance()
    assert search.advance() is SearchStatus.SOLVED
    assert cache.statistics.entries == 1


def test_who_listens_hears_of_a_search_every_time(cache):
    question = planner(work(), cache)
    question.plan(Robot())
    before, heard = cache.statistics, []
    assert said(question.plan(Robot(), heard.append)) == said(question.plan(Robot()))
    assert len(heard) == 4
    assert cache.statistics.misses == before.misses, "the cache was not asked"


def test_the_first_of_two_equal_answers_stays(cache):
    one, other = (planner(work(), cache).search(Robot()) for _ in range(2))
    one.advance()
    other.advance()
    assert cache.statistics.entries == 1
    assert planner(work(), cache).plan(Robot()).tree is one.plan.tree


def test_an_impure_function_does_no_harm_to_others(cache):
    whims = iter([["ready"], ["dust"], ["ready", "dust"], [], ["ready"], ["dust"]])
    moody = Domain("moody", Robot)
    act = moody.primitive(
        "act", precondition=lambda s: [getattr(s, w) for w in next(whims)] or True
    )
    question = Planner(moody, act(), cache=cache)
    searches = [question.search(Robot()) for _ in range(4)]
    for search in searches:
        search.advance()
    assert cache.statistics.entries == 1
    assert question.plan(Robot(dust=True)), "found where the first path leads"
    assert question.plan(Robot(ready=True))


# how much is kept


def answers_alive():
    gc.collect()
    return sum(isinstance(one, Answer) for one in gc.get_objects())


@pytest.mark.parametrize("entries", [1, 2, 7, 50])
def test_never_more_is_kept_than_was_allowed(entries):
    others = answers_alive()
    cache = PlanCache(entries)
    question = planner(go(), cache)
    for count in range(200):
        question.plan(Robot(ready=True, count=count))
        planner(show(count), cache).plan(Robot())
        assert cache.statistics.entries <= entries
    assert answers_alive() - others <= entries
    assert cache.statistics == CacheStatistics(0, 400, cache.statistics.entries)
    assert cache.statistics.entries >= entries // 2


def test_what_is_asked_for_again_and_again_is_not_forgotten():
    cache = PlanCache(10)
    question = planner(go(), cache)
    for count in range(100):
        question.plan(Robot(ready=True, count=count))
        question.plan(Robot(ready=True))
    assert cache.statistics.hits == 100


def test_an_answer_may_depend_on_more_fluents_than_python_can_call_deep(cache):
    rooms = [Robot.clean[str(number)] for number in range(10_000)]
    palace = Domain("palace", Robot)
    rest = palace.primitive(
        "rest", precondition=lambda robot: not any(robot.read_fluent(room) for room in rooms)
    )
    question = Planner(palace, rest(), cache=cache)
    states = [Robot(), Robot(clean={"9999": True}), Robot(clean={"5000": True})]
    assert [question.plan(state) is None for state in states * 2] == [False, True, True] * 2
    assert cache.statistics == CacheStatistics(hits=3, misses=3, entries=3)
    cache.clear()
    assert cache.statistics.entries == 0


def test_a_cache_can_be_emptied(cache):
    question = planner(work(), cache)
    question.plan(Robot())
    cache.clear()
    assert cache.statistics == CacheStatistics(hits=0, misses=1, entries=0)
    question.plan(Robot())
    question.plan(Robot())
    assert cache.statistics == CacheStatistics(hits=1, misses=2, entries=1)


@pytest.mark.parametrize("entries", [0, -1])
def test_a_cache_that_could_keep_nothing_is_refused(entries):
    with pytest.raises(DomainError, match="BT202"):
        PlanCache(entries)


# together


@pytest.mark.parametrize("entries", [3, 1_000])
def test_threads_share_a_cache_and_all_get_the_right_answers(entries):
    cache, together = PlanCache(entries), Barrier(6)
    states = [Robot(ready=count % 3 == 0, count=count) for count in range(12)]
    expected = [said(planner(work()).plan(state)) for state in states]
    wrong = []

    def agent(first):
        question = planner(work(), cache)
        together.wait()
        for turn in range(120):
            index = (first + turn * 5) % len(states)
            answer = said(question.plan(states[index]))
            if answer != expected[index]:
                wrong.append((first, turn, answer))

    threads = [Thread(target=agent, args=(first,)) for first in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    known = cache.statistics
    assert known.hits + known.misses == 6 * 120
    assert known.entries == 12 or entries < 12
    assert known.entries <= entries


def test_a_thousand_agents_in_fifty_situations_search_a_handful_of_times(cache):
    benchmark = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks/cache.py"))
    plans = benchmark["planned_by_many"](cache)
    assert len(plans) == 1_000 * benchmark["ROUNDS"]
    assert cache.statistics == CacheStatistics(hits=2_993, misses=7, entries=7)
