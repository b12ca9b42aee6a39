"""What a planner remembers: plans, by what searches have read of their start states."""

import gc
import weakref
from enum import Enum
from threading import Barrier, Thread

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Planner,
    Primitive,
    Settings,
    State,
    fluent,
    fluents,
    method,
    parallel,
    pause,
    primitive,
    priority,
    sequence,
)
from bthtn.engine.plan.walk import outline, preorder
from bthtn.engine.planning.htn import memo as memos
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus


class Room(Enum):
    HALL = "hall"
    ATTIC = "attic"


class Robot(State):
    count: Fluent[int] = fluent(default=0)
    ready: Fluent[bool] = fluent(default=False)
    dust: Fluent[bool] = fluent(default=False)
    thing: Fluent[object] = fluent(default=None, type=object)
    room: Fluent[str] = fluent(default="hall")
    near: Fluent[Room] = fluent(default=Room.HALL)
    clean: FluentFamily[str, bool] = fluents(default=False)


home = Domain("home", Robot)
idle = home.primitive("idle")
start = home.primitive("start", effects=Robot.ready.becomes(True))
go = home.primitive("go", precondition=Robot.ready, effects=Robot.count.increases(1))
scatter = home.primitive("scatter", effects=Robot.dust.becomes(True))
never = home.primitive("never", precondition=False)


@home.primitive
def show(what: object) -> Primitive:
    return primitive()


@home.primitive
def sweep(room: str) -> Primitive:
    return primitive(effects=Robot.clean[room].becomes(True))


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
def searches(monkeypatch):
    """What was searched for, and not remembered: a list of searches."""
    begun, run = [], HtnSearch._run_until

    def noted(search, end):
        begun.append(search)
        return run(search, end)

    monkeypatch.setattr(HtnSearch, "_run_until", noted)
    return begun


def said(plan):
    """A plan as text, in which 1, True and 1.0 differ."""
    return plan and (
        repr(plan),
        outline(plan.tree),
        [str(step) for step in plan.steps],
        repr(plan.predicted),
        plan.expansions,
    )


def asked(planner, *states):
    """Ask for each state; every answer is that of a planner without memories."""
    for state in states:
        fresh = Planner(planner.domain, planner.goal, planner.settings)
        assert said(planner.plan(state)) == said(fresh.plan(state)), state


def remembered(planner, searches, *states):
    """How many of the answers needed no search, which are all as those of a new planner."""
    del searches[:]
    asked(planner, *states)
    return 2 * len(states) - len(searches)


# what needs no search


def test_a_state_whose_plan_was_looked_at_needs_no_search(searches):
    planner = Planner(home, work())
    assert remembered(planner, searches, Robot()) == 0
    assert remembered(planner, searches, Robot()) == 1


def test_who_asks_for_actions_alone_pays_for_no_memory(searches):
    planner = Planner(home, work())
    for _ in range(3):
        assert len(planner.plan(Robot()).actions) == 2
    assert len(searches) == 3


def test_find_plan_and_planner_share_no_plans_of_different_goals(searches):
    settings = Settings(horizon=1)
    for planner in (Planner(home, work()), Planner(home, work(), settings), Planner(home, go())):
        assert remembered(planner, searches, Robot(ready=True)) == 0


def test_equal_plans_share_one_tree_whatever_was_read():
    planner = Planner(home, go())
    trees = {planner.plan(Robot(ready=True, count=count)).tree for count in (1, 1, 2, 3)}
    assert len(trees) == 1


def test_what_no_search_reads_does_not_matter(searches):
    planner = Planner(home, work())
    states = [Robot(dust=dust, thing=thing) for dust in (False, True) for thing in (1, "a")]
    assert remembered(planner, searches, *states) == 3


def test_what_a_plan_only_writes_does_not_matter(searches):
    states = [Robot(), Robot(ready=True), Robot(ready=UNKNOWN)]
    assert remembered(Planner(home, start()), searches, *states) == 2


def test_a_prediction_starts_from_the_state_that_is_asked_for(searches):
    planner = Planner(home, start())
    assert remembered(planner, searches, Robot(), Robot(dust=True)) == 1
    assert planner.plan(Robot(dust=True)).predicted == Robot(dust=True, ready=True).frozen()


def test_what_is_read_next_depends_on_what_was_read_first(searches):
    planner = Planner(home, clean_up())
    states = [Robot(room=room, clean={"hall": True}) for room in ("hall", "attic", "hall")]
    assert remembered(planner, searches, *states) == 1
    assert remembered(planner, searches, Robot(room="attic", clean={"hall": False})) == 1


def test_an_amount_depends_on_what_it_is_added_to(searches):
    states = [Robot(ready=True, count=count) for count in (0, 1, 2, UNKNOWN)]
    assert remembered(Planner(home, go()), searches, *states, *states) == 4


def test_unknown_is_a_value_of_its_own(searches):
    states = [Robot(ready=ready) for ready in (True, False, UNKNOWN)]
    assert remembered(Planner(home, work()), searches, *states, *states) == 3


@pytest.mark.parametrize(
    "values",
    [
        *[(1, True, 1.0), (0.0, -0.0), ((1,), (True,), (1.0,)), ("a", None), tuple(Room)],
        (frozenset({1}), frozenset({True})),
    ],
)
def test_equal_values_of_different_kinds_are_different_values(searches, values):
    planner, states = Planner(home, show(Robot.thing)), [Robot(thing=value) for value in values]
    assert remembered(planner, searches, *states) == 0
    assert remembered(planner, searches, *states) == len(values)


class Twin:
    """A value that equals all of its kind, but is another one."""

    def __eq__(self, other):
        return isinstance(other, Twin)

    def __hash__(self):
        return 1


def test_equal_values_of_a_class_of_the_user_are_not_taken_for_one_another(searches):
    planner, twins = Planner(home, show(Robot.thing)), [Twin(), Twin(), (Twin(),)]
    for twin in twins:
        assert planner.plan(Robot(thing=twin)).steps[0].args[0] is twin
    assert len(searches) == 3


def test_a_task_inside_itself_depends_on_whether_the_state_has_changed(searches):
    # Nothing asks whether the robot is ready. But starting one that is ready changes nothing,
    # so that the recursion ends one level sooner (semantics 2.2.6).
    planner, states = Planner(home, again()), [Robot(), Robot(ready=True)]
    assert [planner.plan(state).record for state in states] == [(0, 1), (1,)]
    asked(planner, *states, *states, Robot(dust=True))


def test_what_was_written_and_taken_back_is_not_confused_with_what_was_written_instead(searches):
    # The second method of the inner call writes where the first one wrote before it failed.
    states = [Robot(ready=ready, dust=dust) for ready in (False, True) for dust in (False, True)]
    planner = Planner(home, either())
    asked(planner, *states, *states)
    assert len({planner.plan(state).expansions for state in states}) == 4


def test_what_every_alternative_writes_does_not_depend_on_what_was_there(searches):
    states = Robot(), Robot(ready=True)
    planner = Planner(home, priority(start(), sequence(idle(), start())))
    assert remembered(planner, searches, *states) == 1
    assert remembered(Planner(home, priority(start(), idle())), searches, *states) == 0


# what is searched for each time


def test_a_plain_function_is_called_each_time(searches):
    called, whims = Domain("called", Robot), iter("abcdefgh")
    act = called.primitive("act", precondition=lambda robot: next(whims) < "d")
    planner = Planner(called, act())
    found = [planner.plan(Robot()) for _ in range(4)]
    for plan in found[:3]:
        assert plan.tree
    assert found[3] is None, "a function may answer in another way the next time"


def test_a_function_that_no_plan_has_come_to_may_still_be_called(searches):
    rare = Domain("rare", Robot)
    step = rare.primitive("step")

    @rare.compound
    def walk():
        yield method(step(), when=~Robot.ready)
        yield method(lambda robot: (step(),))

    planner = Planner(rare, walk())
    assert remembered(planner, searches, Robot(), Robot()) == 0


def test_who_listens_hears_of_a_search_each_time():
    planner, heard = Planner(home, work()), []
    asked(planner, Robot())
    for number in (1, 2, 3):
        planner.plan(Robot(), heard.append)
        assert len(heard) == 4 * number
    assert heard[:4] == heard[4:8] == heard[8:]


def test_what_is_avoided_is_not_in_a_plan_that_is_remembered():
    planner = Planner(home, work())
    asked(planner, Robot(), Robot())
    avoiding = {(planner.domain.methods[work][1], ()): "it failed"}
    assert planner.plan(Robot(), avoiding=avoiding) is None
    assert planner.plan(Robot()).actions


def test_a_plan_without_what_is_avoided_is_remembered_for_whoever_avoids_the_same(searches):
    planner = Planner(home, work())
    avoided = (planner.domain.methods[work][0], ())
    for why, number in (("it failed", 1), ("it failed", 1), ("it is dark", 2)):
        assert planner.plan(Robot(ready=True), avoiding={avoided: why}).tree
        assert len(searches) == number


def test_a_plan_that_beats_a_bound_is_another_answer(searches):
    planner = Planner(home, work())
    states = Robot(ready=True), Robot()
    bounds = [planner.plan(state).record for state in states]
    for _ in range(2):
        better = planner.search(states[0], bound=bounds[1])
        better.advance()
        assert better.plan.record == (0,)
        assert better.plan.tree
        none = planner.search(states[0], bound=bounds[0])
        assert none.advance() is SearchStatus.EXHAUSTED
    assert len(searches) == 2 + 1 + 2


def test_cheapest_plans_are_searched_for(searches):
    planner = Planner(home, (start(), pause(), go()), Settings(cheapest=True))
    for _ in range(2):
        assert planner.plan(Robot()).tree
    assert len(searches) >= 2


def test_a_plan_that_was_checked_is_remembered_and_cut_for_the_state_that_it_is_asked_for(searches):
    planner = Planner(home, (start(), pause(), go()), Settings(check_rest=True))
    plans = [planner.plan(Robot(room=room)) for room in ("hall", "attic")]
    assert len({plan.tree for plan in plans}) == 2
    assert len(searches) == 1
    for plan, room in zip(plans, ("hall", "attic"), strict=True):
        (part,) = plan.suspended
        assert part.foreseen.before.get(Robot.room) == room


def test_the_parts_of_plans_have_nodes_of_their_own():
    part = Planner(home, (pause(), work())).plan(Robot()).suspended[0]
    plans = [Planner.resuming(home.freeze(), part).plan(Robot()) for _ in range(3)]
    nodes = [node for plan in plans for _, node in preorder(plan.tree)]
    assert len(set(nodes)) == len(nodes)


# whoever counts expansions sees no difference


@pytest.mark.parametrize("budget", [0, 1, 2, 3, 4, None])
def test_an_answer_takes_the_budget_that_its_search_would_take(budget):
    fresh, planner = (Planner(home, work()) for _ in "ab")
    asked(planner, Robot())
    searches = fresh.search(Robot()), planner.search(Robot())
    for _ in range(5):
        assert searches[0].advance(budget) is searches[1].advance(budget)
        assert searches[0].expansions == searches[1].expansions
        assert searches[0].reads == searches[1].reads
        assert said(searches[0].plan) == said(searches[1].plan)


def test_a_search_that_is_over_before_the_answer_is_not_answered():
    planner = Planner(home, work())
    asked(planner, Robot())
    search = planner.search(Robot())
    search.cancel()
    assert search.advance() is SearchStatus.CANCELLED
    assert search.plan is None


# how much, and by whom


def test_a_planner_remembers_so_much_and_no_more(monkeypatch):
    monkeypatch.setattr(memos, "MOST_KEPT", 20)
    planner = Planner(home, go())
    for count in range(50):
        asked(planner, Robot(ready=True, count=count))
        assert planner._memo._size <= 20
    asked(planner, Robot(ready=True, count=7), Robot(ready=True, count=49))


def test_an_answer_may_depend_on_more_fluents_than_python_can_call_deep(searches):
    palace = Domain("palace", Robot)
    seen = [palace.primitive(f"see {n}", precondition=Robot.clean[str(n)]) for n in range(3_000)]

    @palace.compound
    def rest():
        yield method(*[one() for one in seen])

    planner = Planner(palace, rest())
    states = [Robot(clean=dict.fromkeys(map(str, range(3_000)), True)) for _ in range(2)]
    assert remembered(planner, searches, *states) == 1


def test_a_domain_goes_with_its_plans():
    domain = Domain("short-lived", Robot)
    step = domain.primitive("step", precondition=~Robot.ready)
    planner = Planner(domain, (step(), step()))
    asked(planner, Robot(), Robot())
    gone = weakref.ref(planner.domain)
    del domain, step, planner
    gc.collect()
    assert gone() is None


def test_threads_share_a_planner_and_all_get_the_right_answers():
    planner, together = Planner(home, parallel(work(), show(Robot.room))), Barrier(6)
    states = [Robot(ready=count % 3 == 0, count=count) for count in range(12)]
    expected = [said(Planner(home, planner.goal).plan(state)) for state in states]
    wrong = []

    def agent(first):
        together.wait()
        for turn in range(120):
            index = (first + turn * 5) % len(states)
            if said(planner.plan(states[index])) != expected[index]:
                wrong.append((first, turn))

    threads = [Thread(target=agent, args=(first,)) for first in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
