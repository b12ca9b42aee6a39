"""What a cache of plans keeps, what it forgets, and that many can use it at once."""

import gc
from itertools import islice, product
from threading import Barrier, Thread

import pytest

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    PlanCache,
    Planner,
    Primitive,
    Settings,
    State,
    fluent,
    fluents,
    method,
    primitive,
)
from bthtn.errors import DomainError, PlanningError
from bthtn.examples.domains.combat.domain import Distance, Soldier, combat, fight
from bthtn.planning.cache import Answer, CacheStatistics, Question
from bthtn.planning.protocol import SearchStatus


class Robot(State):
    count: Fluent[int] = fluent(default=0)
    ready: Fluent[bool] = fluent(default=False)
    dust: Fluent[bool] = fluent(default=False)
    clean: FluentFamily[str, bool] = fluents(default=False)


home = Domain("home", Robot)
start = home.primitive("start", effects=Robot.ready.becomes(True))
go = home.primitive("go", precondition=Robot.ready, effects=Robot.count.increases(1))
boom = home.primitive("boom", precondition=lambda robot: 1 // robot.count)


@home.primitive
def show(what: int) -> Primitive:
    return primitive()


@home.compound
def work():
    yield method(go(), when=Robot.ready)
    yield method(start(), go())


@pytest.fixture
def cache():
    return PlanCache()


def planner(goal, cache=None, settings=Settings()):  # noqa: B008 - it is frozen
    return Planner(home, goal, settings, cache=cache)


def said(plan):
    """A plan as text."""
    return plan and (
        repr(plan),
        [str(s) for s in plan.steps],
        repr(plan.predicted),
        plan.expansions,
    )


def short_lived():
    """A domain that nobody but the caller knows."""
    domain = Domain("short-lived", Robot)
    step = domain.primitive("step", precondition=lambda robot: not robot.ready)

    @domain.compound
    def walk():
        yield method(step(), step())

    return domain


# what is kept, and how long


def test_the_answers_of_a_domain_go_with_it(cache):
    domain = short_lived()
    assert Planner(domain, domain.freeze().task("walk")(), cache=cache).plan(Robot())
    assert planner(work(), cache).plan(Robot())
    assert cache.statistics.entries == 2
    del domain
    gc.collect()
    assert cache.statistics.entries == 1
    assert planner(work(), cache).plan(Robot())
    assert cache.statistics.hits == 1


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
    question, heard = planner(work(), cache), []
    found = [said(question.plan(Robot()))]
    for number in (1, 2, 3):
        found.append(said(question.plan(Robot(), heard.append)))
        assert len(heard) == 4 * number
    assert heard[:4] == heard[4:8] == heard[8:]
    assert all(one == found[0] for one in found)
    assert cache.statistics == CacheStatistics(hits=0, misses=1, entries=1)


def test_a_listener_may_stop_listening(cache):
    question, heard = planner(work(), cache), []
    question.plan(Robot(), heard.append)

    def stop(event):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        question.plan(Robot(), stop)
    assert said(question.plan(Robot())) == said(question.plan(Robot(), heard.append))


def test_the_first_of_two_equal_answers_stays(cache):
    asked = planner(work())
    answers = cache.answers(asked.domain, Question(asked.goal, asked.binding, asked.settings))
    one, other = (planner(work(), cache).search(Robot()) for _ in range(2))
    one.advance()
    answer = answers.find(Robot().frozen())
    other.advance()
    assert cache.statistics.entries == 1
    assert answers.find(Robot().frozen()) is answer is not None


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
    names = ("line_of_fire", "target", "cover", "in_cover", "ammo", "magazine")
    drawn = product(Distance, *[(True, False)] * len(names))
    situations = [
        Soldier(distance=distance, **dict(zip(names, truths, strict=True)))
        for distance, *truths in islice(drawn, 7, 107, 2)
    ]
    planners = [Planner(combat, fight(), cache=cache) for _ in range(1_000)]
    for turn in range(10):
        for number, planner in enumerate(planners):
            planner.plan(situations[(number * 7 + turn) % len(situations)])
    assert cache.statistics == CacheStatistics(hits=9_993, misses=7, entries=7)
