"""Plain functions that are planned with as data, and what has to be so for that."""

import linecache
from dataclasses import replace
from functools import wraps

import pytest

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Planner,
    Primitive,
    Settings,
    State,
    find_plan,
    fluent,
    fluents,
    method,
    primitive,
)
from bthtn.engine.domain.task import call_text
from bthtn.engine.plan.walk import preorder
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import request
from bthtn.errors import BthtnError
from tests.translated import functions_called, is_translated

WANTED = "home"


class Trip(State):
    """Where somebody is, and what he has."""

    at: Fluent[str] = fluent(default="home")
    cash: Fluent[int] = fluent(default=20)
    ready: Fluent[bool] = fluent(default=False)
    visits: FluentFamily[str, int] = fluents(default=0, objects=("home", "park", "zoo"))


def asked(*ways, acts=()):
    """A domain with a task that has these methods, and a call of it; ``acts`` has a condition."""
    domain = Domain("trip", Trip)

    @domain.primitive
    def walk(to: str) -> Primitive:
        def walked(trip):
            trip.at = to
            trip.visits[to] += 1

        return primitive(precondition=lambda trip: trip.at != to, effects=walked)

    @domain.primitive
    def prepare() -> Primitive:
        return primitive(precondition=acts[0] if acts else None, effects=Trip.ready.becomes(True))

    @domain.compound
    def go(to: str):
        for way in ways:
            yield method(way(to, walk, prepare))

    return domain.freeze(), go("park")


def steps(domain, goal, **values):
    plan = find_plan(domain, Trip(**values), goal)
    return None if plan is None else [call_text(*action) for action in plan.actions]


def by_the_wanted(to, walk, prepare):
    return lambda trip: walk(to) if trip.at == WANTED else prepare()


def test_an_argument_is_what_it_was_when_the_method_was_entered():
    def there_and_back(to, walk, prepare):
        return lambda trip: (walk(to), walk(trip.at))

    domain, goal = asked(there_and_back)
    assert is_translated(domain)
    assert steps(domain, goal) == ["walk('park')", "walk('home')"]


def test_a_name_that_stands_for_something_else_later_is_believed(monkeypatch):
    domain, goal = asked(by_the_wanted)
    assert steps(domain, goal) == ["walk('park')"]
    monkeypatch.setitem(globals(), "WANTED", "zoo")
    assert steps(domain, goal) == ["prepare"]
    monkeypatch.setitem(globals(), "WANTED", "home")
    assert steps(domain, goal) == ["walk('park')"]


def test_so_is_a_variable_of_a_function_around_it():
    def set_limit(new):
        nonlocal limit
        limit = new

    limit = 5
    domain, goal = asked(
        lambda to, walk, prepare: lambda trip: (prepare(),), acts=[lambda trip: trip.cash > limit]
    )
    assert is_translated(domain)
    assert steps(domain, goal, cash=7) == ["prepare"]
    set_limit(10)
    assert steps(domain, goal, cash=7) is None


def test_so_is_code_that_a_function_got_later():
    def possible(trip):
        return trip.cash > 5

    def never(trip):
        return trip.cash > 100

    domain, goal = asked(lambda to, walk, prepare: lambda trip: [prepare()], acts=[possible])
    assert is_translated(domain)
    assert steps(domain, goal) == ["prepare"]
    possible.__code__ = never.__code__
    assert steps(domain, goal) is None


def test_two_functions_on_one_line_are_told_apart():
    conditions = (lambda trip: trip.cash > 50, lambda trip: trip.cash > 10)
    for possible, expected in zip(conditions, (None, ["prepare"]), strict=True):
        domain, goal = asked(lambda to, walk, prepare: lambda trip: prepare(), acts=[possible])
        assert is_translated(domain)
        assert steps(domain, goal) == expected


def executed(text, shown):
    """The function of a text, in a file that seems to have another text."""
    name = "<a file of a test>"
    linecache.cache[name] = (len(shown), None, shown.splitlines(keepends=True), name)
    names = {}
    exec(compile(text, name, "exec"), names)  # noqa: S102 - the text is our own
    return names["possible"]


@pytest.mark.parametrize(
    ("shown", "translated"),
    [
        ("possible = lambda trip: trip.cash > 50", True),
        ("possible = lambda trip: trip.cash > 10", False),
        ("possible = lambda trip: trip.cash < 50", False),
        ("possible = lambda trip: trip.ready > 50", False),
        ("possible = lambda trip: (trip.cash > 50", False),
        ("", False),
    ],
)
def test_a_source_that_is_not_that_of_the_function_is_not_believed(shown, translated):
    possible = executed("possible = lambda trip: trip.cash > 50", shown)
    try:
        domain, goal = asked(lambda to, walk, prepare: lambda trip: prepare(), acts=[possible])
        assert is_translated(domain) is translated
    finally:
        linecache.clearcache()
    assert steps(domain, goal, cash=20) is None
    assert steps(domain, goal, cash=60) == ["prepare"]


def test_a_decorated_function_is_what_the_decorator_makes_of_it():
    def opposite(function):
        @wraps(function)
        def called(trip):
            return not function(trip)

        return called

    @opposite
    def possible(trip):
        return trip.cash > 50

    domain, goal = asked(lambda to, walk, prepare: lambda trip: prepare(), acts=[possible])
    assert not is_translated(domain)
    assert steps(domain, goal) == ["prepare"]


def unused(to, walk, prepare):
    def way(trip):
        half = 10 // trip.cash
        if trip.ready:
            return (walk(to),)
        return (prepare(),) if trip.visits["park"] >= half else ()

    return way


def undeclared(to, walk, prepare):
    return lambda trip: walk("zoo") if trip.visits[trip.at] else walk(to)


@pytest.mark.parametrize(
    ("way", "values", "message"),
    [
        (unused, {"cash": 0, "ready": True}, "ZeroDivisionError"),
        (undeclared, {"at": "moon"}, "moon"),
    ],
)
def test_what_a_function_raises_is_raised(way, values, message):
    domain, goal = asked(way)
    assert is_translated(domain)
    assert steps(domain, goal)
    with pytest.raises(BthtnError, match=message):
        steps(domain, goal, **values)


def _of_the_state(trip, least=5):
    return trip.cash > least


def _asks_python(trip):
    return abs(trip.cash) > 5


def _by_list(trip, places=["home"]):  # noqa: B006 - a default that could change
    return trip.at in places


def _by_attribute(trip):
    return trip.at == find_plan.__name__


def _by_module(trip):
    return trip.at == linecache.__name__ or trip.cash > 5


def _loops(trip):
    return any(trip.at == place for place in ("home",))


def _by_name(trip):
    return trip.at == nothing_of_this_name  # noqa: F821 - that is what it is about


@pytest.mark.parametrize(
    ("possible", "translated"),
    [(_of_the_state, True), (_asks_python, False), (_by_list, False), (_loops, False)],
)
def test_what_a_source_cannot_say_for_certain_is_called(possible, translated):
    domain, goal = asked(lambda to, walk, prepare: lambda trip: prepare(), acts=[possible])
    assert is_translated(domain) is translated
    assert steps(domain, goal) == ["prepare"]


@pytest.mark.parametrize(("possible", "found"), [(_by_attribute, None), (_by_module, ["prepare"])])
def test_an_attribute_has_its_value_whoever_looks_it_up(possible, found):
    domain, goal = asked(lambda to, walk, prepare: lambda trip: prepare(), acts=[possible])
    assert steps(domain, goal) == found


def test_a_name_that_stands_for_nothing_is_an_error_of_the_function():
    domain, goal = asked(lambda to, walk, prepare: lambda trip: prepare(), acts=[_by_name])
    with pytest.raises(BthtnError, match="nothing_of_this_name"):
        steps(domain, goal)


def _repeats(trip):
    for _ in range(1):
        trip.ready = True


def _passes(trip):
    """It says what it does."""
    pass  # noqa: PIE790 - that is what it is about
    amount = trip.cash - 5
    trip.cash = amount
    return None  # noqa: PLR1711, RET501 - as above


@pytest.mark.parametrize(
    ("effect", "cash", "translated"),
    [
        (_passes, 15, True),
        (_repeats, 20, False),
        (lambda trip: setattr(trip, "ready", True), 20, False),
    ],
)
def test_effects_are_read_from_plain_assignments_alone(effect, cash, translated):
    domain = Domain("trip", Trip)
    act = domain.primitive("act", effects=effect)

    @domain.compound
    def go():
        yield method(act(), when=Trip.cash > 0)

    frozen = domain.freeze()
    assert is_translated(frozen) is translated
    plan = find_plan(frozen, Trip(), go())
    assert plan.predicted.get(Trip.cash) == cash


def test_an_argument_of_a_wrong_type_is_refused_as_by_the_call():
    domain = Domain("types", Trip)
    note = domain.primitive("note", effects=Trip.ready.becomes(True))

    @domain.compound
    def count(n: int):
        yield method(lambda trip: note() if n == 0 else None)

    @domain.compound
    def begin(whom):
        yield method(lambda trip: count(whom))

    frozen = domain.freeze()
    assert is_translated(frozen)
    assert steps(frozen, begin(0)) == ["note"]
    with pytest.raises(BthtnError, match="argument 'n' of 'count' is int; 'many' is str"):
        steps(frozen, begin("many"))


def test_a_plan_of_functions_is_made_of_what_the_functions_read_and_write():
    domain, goal = asked(by_the_wanted)
    assert is_translated(domain)
    plan = find_plan(domain, Trip(), goal)
    (step,) = plan.steps
    assert {str(one) for one in step.footprint.reads} == {"at", "visits[park]"}
    assert {str(one): write.value for one, write in step.footprint.writes.items()} == {
        "at": "park",
        "visits[park]": 1,
    }
    assert plan.tree.footprint.reads >= {Trip.at}


def touched(plan):
    """What each part of the tree of a plan says, reads and writes."""
    nodes = [node for _, node in preorder(plan.tree)]
    return [
        (str(node), getattr(node, "footprint", None), getattr(node, "body", None)) for node in nodes
    ]


def searched(domain, goal, start):
    search = HtnSearch.of(request(domain, start, goal))
    search.advance()
    return search


def compare_trees(domain, goal, *states):
    """Hold the trees from each state against those of a search that calls the functions."""
    planner, copy = Planner(domain, goal), replace(domain)
    for values in states * 3:
        start = Trip(**values)
        with functions_called():
            search = searched(copy, goal, start)
        assert touched(planner.plan(start)) == touched(search.plan)
        assert searched(domain, goal, start).reads == search.reads


def reads_one_or_two(to, walk, prepare):
    return lambda trip: prepare() if trip.ready or trip.cash > 5 else None


def reads_one_or_two_where_it_does_not_hold(to, walk, prepare):
    return lambda trip: None if trip.ready and trip.cash > 5 else prepare()


def reads_one_or_two_for_a_variable(to, walk, prepare):
    def way(trip):
        _unused = trip.ready or trip.cash > 50
        return prepare()

    return way


def always_reads_the_same(to, walk, prepare):
    def way(trip):
        if trip.cash < 10:
            return None
        return walk(to) if trip.at in ("home", "zoo") and trip.visits[to] < 9 else prepare()

    return way


def passes_on_what_it_read(to, walk, prepare):
    return lambda trip: (walk("zoo"), prepare(), walk(trip.at))


@pytest.mark.parametrize(
    "way",
    [
        reads_one_or_two,
        reads_one_or_two_where_it_does_not_hold,
        reads_one_or_two_for_a_variable,
        always_reads_the_same,
        passes_on_what_it_read,
    ],
)
def test_a_tree_says_what_the_functions_would_read_if_they_were_called(way):
    domain, goal = asked(way, by_the_wanted)
    assert is_translated(domain)
    compare_trees(
        domain,
        goal,
        {"ready": True},
        {"ready": False},
        {"ready": True, "cash": 3},
        {"ready": True, "cash": 100},
        {"at": "zoo", "visits": {"park": 4}},
    )


@pytest.mark.parametrize(
    "possible", [lambda trip: trip.ready or trip.cash > 5, lambda trip: trip.cash in (7, 9)]
)
def test_so_it_does_for_the_condition_of_a_step(possible):
    domain, goal = asked(lambda to, walk, prepare: lambda trip: prepare(), acts=[possible])
    assert is_translated(domain)
    compare_trees(domain, goal, {"cash": 7, "ready": True}, {"cash": 9}, {"cash": 7})


def test_so_it_does_for_sums():
    def earned(trip):
        trip.cash += 5

    domain = Domain("trip", Trip)
    earn = domain.primitive("earn", effects=earned)
    assert is_translated(domain.freeze())
    compare_trees(domain.freeze(), earn(), {"cash": 6}, {"cash": 7})


@pytest.mark.parametrize("settings", [Settings(), Settings(horizon=1)])
def test_steps_and_what_is_left_are_the_calls_that_the_function_has_returned(settings):
    domain, goal = asked(lambda to, walk, prepare: lambda trip: (walk("park"), walk(trip.at)))
    assert is_translated(domain)
    for place in ("home", "zoo", "home"):
        planner = Planner(domain, goal, settings)
        plan = planner.plan(Trip(at=place))
        walk = plan.steps[0].task
        calls = [step.call for step in plan.steps] + [part.rest[0] for part in plan.suspended]
        bindings = [part.binding for part in (*plan.steps, *plan.suspended)]
        assert calls == [walk("park"), walk(place)]
        assert bindings == [plan.tree.args] * 2


def test_so_it_does_for_arguments():
    domain = Domain("trip", Trip)

    @domain.primitive
    def tell(_more: bool) -> Primitive:
        return primitive()

    @domain.compound
    def answer():
        yield method(lambda trip: tell(trip.ready or trip.cash > 5))

    assert is_translated(domain.freeze())
    compare_trees(domain.freeze(), answer(), {"ready": True}, {"cash": 6}, {"cash": 7})


def test_so_it_does_for_equal_arguments_that_are_read_elsewhere():
    domain = Domain("trip", Trip)

    @domain.primitive
    def tell(_visits: int) -> Primitive:
        return primitive()

    @domain.compound
    def answer():
        yield method(tell(Trip.visits[Trip.at]))

    compare_trees(domain.freeze(), answer(), {"at": "home"}, {"at": "park"}, {"at": "zoo"})


def test_what_a_function_writes_meanwhile_is_not_kept(monkeypatch):
    domain = Domain("trip", Trip)

    @domain.primitive
    def settle() -> Primitive:
        def settled(trip):
            trip.at = WANTED

        return primitive(effects=settled)

    planner = Planner(domain, settle())
    plans = [planner.plan(Trip()) for _ in range(2)]
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "WANTED", "zoo")
        assert [write.value for write in plans[0].footprint.writes.values()] == ["home"]
        assert plans[0].predicted.get(Trip.at) == "home"
    assert [write.value for write in plans[1].footprint.writes.values()] == ["home"]


def zoo_or_park(to, walk, prepare):
    def way(trip):
        if trip.ready:
            return None
        if trip.at == WANTED and trip.cash > 5:
            return walk("zoo"), prepare(), walk(trip.at)
        return [walk(to)]

    return way


def only_from_the_wanted(to, walk, prepare):
    return lambda trip: walk(to) if trip.at == WANTED else None


@pytest.mark.parametrize("way", [by_the_wanted, zoo_or_park, only_from_the_wanted])
def test_a_tree_is_that_of_the_plan_whatever_a_name_means_meanwhile(way, monkeypatch):
    domain, goal = asked(way, acts=[lambda trip: trip.cash > 5 and trip.at != WANTED])
    plan = find_plan(domain, Trip(), goal)
    expected = find_plan(domain, Trip(), goal)
    expected = touched(expected), expected.predicted
    monkeypatch.setitem(globals(), "WANTED", "park")
    assert (touched(plan), plan.predicted) == expected


class Watched(State):
    """What a guard sees of a door."""

    open: Fluent[bool] = fluent(default=True, volatile=True)
    inside: Fluent[bool] = fluent(default=False)


def test_what_a_sensor_drives_is_read_by_a_translation_as_by_a_call():
    domain = Domain("door", Watched)
    look = domain.primitive("look")
    enter = domain.primitive(
        "enter", precondition=lambda door: door.open, effects=Watched.inside.becomes(True)
    )

    @domain.compound
    def go():
        yield method(lambda door: (enter(), look(), enter()) if door.open else None)

    frozen = domain.freeze()
    assert is_translated(frozen)
    copy = replace(frozen)
    with functions_called():
        expected = find_plan(copy, Watched(), go())
    plan = find_plan(frozen, Watched(), go())
    assert [task.name for task, _ in plan.actions] == ["enter", "look"]
    assert touched(plan) == touched(expected)
    assert find_plan(frozen, Watched(open=False), go()) is None
