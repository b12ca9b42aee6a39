"""Why there is no plan: the events of a search, folded."""

from hypothesis import given

from bthtn.engine.domain.builder import Domain
from bthtn.engine.domain.method import Methods, method
from bthtn.engine.domain.network import parallel, priority
from bthtn.engine.planning.explain import Reason, explained, explanation_text, main_reasons
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.planner import find_plan
from bthtn.engine.planning.protocol import PlanRequest, Settings
from bthtn.engine.planning.trace import (
    Backtracked,
    MethodEntered,
    MethodRejected,
    PlanningSuspended,
    TaskPlanned,
    TaskRejected,
)
from bthtn.engine.world.declarations import fluent
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import State
from bthtn.studio.testing.strategies import problems


class World(State):
    key: Fluent[bool] = fluent(default=False)
    doors: Fluent[int] = fluent(default=0)


draft = Domain("house", World)
knock = draft.primitive("knock", effects=World.doors.increases(1))
enter = draft.primitive("enter", precondition=World.key)
leave = draft.primitive("leave", precondition=World.doors > 5)
shout = draft.primitive("shout", uses="voice")
sing = draft.primitive("sing", uses="voice")


@draft.compound
def prepare() -> Methods:
    yield method(knock(), name="politely")
    yield method(knock(), knock())


@draft.compound
def visit() -> Methods:
    yield method(prepare(), enter())
    yield method(again(), when=World.doors == 0)


@draft.compound
def again() -> Methods:
    yield method(again())
    yield method(prepare(), leave())


@draft.compound
def welcome() -> Methods:
    yield method(parallel(shout(), sing()))
    yield method(priority(enter(), leave()))


@draft.compound
def twice() -> Methods:
    yield method(prepare(), visit())


def why_not(goal) -> list[str]:
    events = []
    assert find_plan(draft, World(), goal, listener=events.append) is None
    return explanation_text(explained(events)).splitlines()


def test_every_method_that_was_tried_has_its_first_failing_condition_once():
    assert why_not(visit()) == [
        "visit, method 0",
        "  enter: key is false: key = false",
        "visit, method 1",
        "  again, method 0",
        "    again: entered again inside itself, with nothing changed",
        "  again, method 1",
        "    leave: doors > 5 is false: doors = 1",
        "    leave: doors > 5 is false: doors = 2",
    ]


def test_the_main_reason_is_where_the_search_got_furthest():
    draft = Domain("cellar", World)
    fetch = draft.primitive("fetch")
    unlock = draft.primitive("unlock", precondition=World.key)

    @draft.compound
    def wait() -> Methods:
        yield method(when=World.doors > 0)
        yield method(fetch())
        yield method(unlock())

    @draft.compound
    def descend() -> Methods:
        yield method(when=World.doors > 1)
        yield method(wait(), unlock())
        yield method(fetch(), when=World.doors > 2)

    events = []
    assert find_plan(draft, World(), descend(), listener=events.append) is None
    assert main_reasons(explained(events)) == ("unlock: key is false: key = false",)


def test_steps_that_were_taken_back_do_not_make_a_later_reason_the_main_one():
    events = [
        MethodEntered("a", 0, "", 0),
        TaskPlanned("x", 1),
        TaskPlanned("x", 1),
        TaskRejected("y", "after two steps", 1),
        Backtracked("a"),
        MethodEntered("a", 1, "", 0),
        TaskPlanned("x", 1),
        TaskRejected("y", "after one", 1),
    ]
    assert main_reasons(explained(events)) == ("y: after two steps",)


def test_methods_tried_after_going_back_stand_where_they_belong():
    assert why_not(twice()) == [
        "twice, method 0",
        "  visit, method 0",
        "    enter: key is false: key = false",
        "  visit, method 1: doors == 0 is false: doors = 1",
        "  visit, method 1: doors == 0 is false: doors = 2",
    ]


def test_branches_that_disturb_each_other_and_lost_alternatives_are_told():
    assert why_not(welcome()) == [
        "welcome, method 0",
        "  branches 0 and 1 both touch voice",
        "welcome, method 1",
        "  enter: key is false: key = false",
        "  alternative 0, enter: dropped",
        "  leave: doors > 5 is false: doors = 0",
        "  alternative 1, leave: dropped",
    ]


def test_a_goal_that_is_a_primitive_task_has_one_line():
    assert why_not(enter()) == ["enter: key is false: key = false"]


def test_names_of_methods_are_told():
    events = [
        MethodEntered("a", 0, "first", 0),
        MethodRejected("b", 0, "", "no", 1),
        MethodRejected("a", 1, "second", "no", 0),
    ]
    assert explained(events) == (
        Reason(0, "a, method 0 'first'"),
        Reason(1, "b, method 0: no"),
        Reason(0, "a, method 1 'second': no"),
    )


def test_a_task_of_the_same_name_further_inside_is_not_mistaken_for_the_choice():
    events = [
        MethodEntered("a", 0, "", 0),
        MethodEntered("a", 1, "", 1),
        TaskRejected("x", "no", 2),
        Backtracked("a"),
        MethodRejected("a", 1, "", "no", 0),
    ]
    assert [reason.depth for reason in explained(events)] == [0, 1, 2, 0]


def test_a_choice_that_is_left_undecided_ends_there():
    events = [
        MethodEntered("a", 0, "", 0),
        MethodEntered("b", 0, "", 1),
        TaskRejected("x", "no", 2),
        Backtracked("a"),
        PlanningSuspended("a", "unknown key", 0),
        TaskRejected("y", "no", 0),
    ]
    assert [reason.text for reason in explained(events)][-1:] == ["y: no"]
    assert explained(events)[-1].depth == 0


def test_where_nothing_failed_there_is_nothing_to_tell():
    assert explained([MethodEntered("a", 0, "", 0), TaskPlanned("x", 1)]) == ()
    assert explanation_text(()) == ""


@given(problems())
def test_an_explanation_says_nothing_twice_and_is_nested(problem: PlanRequest):
    events = []
    search = ListenedSearch(problem, events.append)
    search.advance()
    reasons = explained(events)
    path: list[str] = []
    seen = set()
    for reason in reasons:
        assert reason.depth <= len(path)
        path[reason.depth :] = [reason.text]
        assert tuple(path) not in seen
        seen.add(tuple(path))
    if search.plan is None and any(not isinstance(event, MethodEntered) for event in events):
        assert reasons


def test_a_nesting_of_thousands_is_explained():
    deep = Domain("deep", World)
    step = deep.primitive("step", effects=World.doors.increases(1))
    stop = deep.primitive("stop", precondition=World.key)

    @deep.compound
    def climb() -> Methods:
        yield method(step(), climb(), when=World.doors < 5_000)
        yield method(stop(), when=World.doors >= 5_000)

    events = []
    settings = Settings()
    assert find_plan(deep, World(), climb(), settings, events.append) is None
    reasons = explained(events)
    assert reasons[-1].depth == 0
    assert max(reason.depth for reason in reasons) == 5_001
