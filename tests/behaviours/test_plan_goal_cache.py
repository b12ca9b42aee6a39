"""Agents that share a cache of plans: who comes second plans in no time."""

import pytest

from bthtn import Domain, PlanCache, defer, method, parallel, pause
from bthtn.agent.events import BeliefChanged, LeafStarted, PlanAdopted, PlanBroken, PlanResumed
from bthtn.behaviours import Agent, PlanGoal
from bthtn.planning.cache import CacheStatistics
from bthtn.testing.doubles import RecordingListener, ticks
from bthtn.testing.playground import World
from tests.behaviours.own_nodes import OwnNodes

crew = Domain("crew", World)
work = crew.primitive("work", precondition=World.lit)
light = crew.primitive("light", effects=World.lit.becomes(True))
rest = crew.primitive("rest")
stand = crew.primitive("stand")
doze = crew.primitive("doze", duration=2)


@crew.compound
def shift():
    yield method(work(), work(), rest())
    yield method(light(), work(), rest())


@crew.compound
def long_day():
    yield method(shift(), pause(now=True), shift())


@crew.compound
def patrol():
    yield method(parallel((rest(), pause(now=True), patrol()), stand()))


@crew.compound
def promised_patrol():
    yield method(
        rest(), defer(promised_patrol(), ensures=World.lit.becomes(True), now=True), rest()
    )


@crew.compound
def half_day():
    yield method(doze(), work())


@crew.compound
def two_half_days():
    yield method(
        parallel((pause(now=True), half_day()), (doze(), doze(), pause(now=True), half_day()))
    )


@pytest.fixture
def cache():
    return PlanCache()


def member(name, cache=None, **beliefs):
    return Agent(name, crew, World(**beliefs), body=None, listener=RecordingListener(), cache=cache)


def day(agent, goal=long_day, budget=1):
    """The letters of the agent's ticks until the goal ends, and what happened to him."""
    behaviour = PlanGoal("day", agent, goal(), budget=budget, max_replans=0)
    letters = ticks(behaviour, 1)
    while letters[-1] == "R":
        assert len(letters) < 100, "it hangs"
        letters += ticks(behaviour, 1)
    happened = [e for e in agent.listener.events if isinstance(e, LeafStarted | BeliefChanged)]
    return letters, [str(getattr(event, "task", event)) for event in happened]


def test_the_second_agent_has_the_plan_in_the_tick_in_which_he_asks(cache):
    slow, story = day(member("first", cache), shift)
    quick, same_story = day(member("second", cache), shift)
    assert (slow, quick) == ("RRRS", "S")
    assert story == same_story
    assert cache.statistics == CacheStatistics(hits=1, misses=1, entries=1)


def test_the_rest_of_a_plan_is_remembered_too(cache):
    slow, story = day(member("first", cache))
    quick, same_story = day(member("second", cache))
    assert len(slow) > len("RRRS"), "the rest took time as well"
    assert quick == "S", "neither the plan nor its rest had to be searched for"
    assert story == same_story
    assert cache.statistics == CacheStatistics(hits=2, misses=2, entries=2)


def test_a_cached_plan_takes_nothing_of_the_budget(cache):
    day(member("first", cache), budget=None)
    assert day(member("second", cache), budget=1)[0] == "S"


def test_agents_in_different_situations_have_different_plans(cache):
    bright, dark = member("bright", cache), member("dark", cache, lit=False)
    assert [day(one, shift)[1] for one in (bright, dark)] == [
        day(member("alone", lit=lit), shift)[1] for lit in (True, False)
    ]
    assert cache.statistics.hits == 0


def test_a_shared_plan_predicts_from_the_beliefs_of_him_who_asked(cache):
    for armed in (False, True):
        agent = member("somebody", cache, armed=armed)
        day(agent, shift)
        (adopted,) = [e for e in agent.listener.events if isinstance(e, PlanAdopted)]
        assert adopted.plan.predicted == World(armed=armed).frozen()
    assert cache.statistics.hits == 1


def test_without_a_cache_everybody_plans_for_himself():
    assert day(member("first"), shift) == day(member("second"), shift)
    assert day(member("first"), shift)[0] == "RRRS"


@pytest.mark.parametrize("goal", [patrol, promised_patrol])
def test_a_task_that_goes_on_by_suspending_itself_goes_on_with_a_cache_as_without(cache, goal):
    stories = []
    for known in (None, cache):
        agent = member("somebody", known)
        agent.listener = OwnNodes()
        behaviour = PlanGoal("watch", agent, goal())
        assert ticks(behaviour, 30) == "R" * 30
        stories.append(agent.listener.story())
    assert stories[0] == stories[1]
    assert cache.statistics.hits > 20


@pytest.mark.parametrize("is_cached", [False, True])
def test_a_part_is_not_over_because_an_equal_one_is(cache, is_cached):
    agent = member("somebody", cache if is_cached else None)
    behaviour = PlanGoal("day", agent, two_half_days())
    while len(agent.listener.of(PlanResumed)) < 2:
        assert ticks(behaviour, 1) == "R"
    agent.beliefs.write(World.lit, value=False)
    ticks(behaviour, 1)
    (broken,) = agent.listener.of(PlanBroken)
    assert broken.step == "work"
    assert (cache.statistics.hits > 0) is is_cached


def test_whole_plans_share_the_tree_of_the_answer_from_which_they_are(cache):
    trees = []
    for name in ("first", "second", "third"):
        agent = member(name, cache)
        day(agent, shift)
        trees += [event.plan.tree for event in agent.listener.of(PlanAdopted)]
    assert all(tree is trees[0] for tree in trees)


hopeless = Domain("hopeless", World)
force = hopeless.primitive("force", precondition=~World.lit)


@hopeless.compound
def dig():
    for _ in range(20):
        yield method(tap(), force())


@hopeless.compound
def tap():
    for _ in range(20):
        yield method()


def test_why_there_is_no_plan_does_not_depend_on_the_cache(cache):
    """A search of so many expansions is not repeated for the reason, nor where it was cached."""

    def reason(number, of):
        agent = Agent(f"agent {number}", hopeless, World(), body=None, cache=of)
        goal = PlanGoal("dig", agent, dig(), budget=None)
        goal.tick_once()
        return goal.feedback_message

    assert [reason(number, cache) for number in range(3)] == [reason(3, None)] * 3
