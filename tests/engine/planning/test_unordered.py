"""``unordered``: its members are planned one after the other, or if need be in turns."""

from inspect import Signature
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from py_trees.common import Status

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Planner,
    Primitive,
    Settings,
    State,
    achieve,
    any_order,
    derive,
    find_plan,
    fluent,
    fluents,
    merge,
    method,
    null,
    one_of,
    parallel,
    pause,
    primitive,
    repeat,
    unordered,
    with_cleanup,
)
from bthtn.behaviours import PlanGoal
from bthtn.engine.agent.agent import Agent
from bthtn.engine.plan.replay import replay
from bthtn.engine.planning.exclusions import avoidable
from bthtn.engine.planning.explain import explained, explanation_text
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.text.notation import normal
from bthtn.engine.text.plan_json import decoded, encoded
from bthtn.engine.text.tree import tree_text
from bthtn.studio.analysis.checks import findings
from bthtn.studio.testing.doubles import RecordingListener
from bthtn.studio.views.domain_drawing import domain_dot
from tests.reference import Reference


class Town(State):
    """A truck that is at one place, and packages that lie at places or in the truck."""

    truck: Fluent[str] = fluent(default="depot")
    lies: FluentFamily[str, str] = fluents(default="hall")
    trips: Fluent[int] = fluent(default=2)
    road: Fluent[bool] = fluent(default=True)
    train: Fluent[bool] = fluent(default=True)


town = Domain("town", Town)
wave = town.primitive("wave")
sing = town.primitive("sing")


@town.primitive
def drive(to: str) -> Primitive:
    return primitive(
        precondition=(Town.trips > 0) & (Town.truck != to),
        effects=[Town.truck.becomes(to), Town.trips.decreases(1)],
    )


@town.primitive
def load(package: str) -> Primitive:
    return primitive(
        precondition=Town.lies[package] == Town.truck, effects=Town.lies[package].becomes("truck")
    )


@town.primitive
def drop(package: str) -> Primitive:
    return primitive(
        precondition=Town.lies[package] == "truck", effects=Town.lies[package].becomes(Town.truck)
    )


@town.compound
def go(to: str):
    yield method(when=Town.truck == to, name="there")
    yield method(drive(to), name="by road", when=Town.road)


@town.compound
def deliver(package: str):
    yield method(go("hall"), load(package), go("port"), drop(package))


@town.compound
def greet():
    yield method(wave(), name="wave", cost=5)
    yield method(sing(), name="sing", cost=2)


@town.compound
def forever():
    yield method(forever(), wave())


@town.compound
def anywhere():
    place = one_of(("mill", "hall"))
    yield method(drive(place), load("a"))


@town.compound
def computed():
    yield method(lambda state: [load("a"), wave()] if state.road else None)


@town.compound
def tidy():
    yield method(with_cleanup(wave(), finally_=sing()))


TURNS = 1
"""The method of ``unordered`` by which members take turns."""


class Shop(State):
    at: Fluent[str] = fluent(default="depot")


shop = Domain("shop", Shop)


@shop.primitive
def move(to: str) -> Primitive:
    return primitive(effects=Shop.at.becomes(to))


@shop.primitive
def note(place: str) -> Primitive:
    return primitive()


@shop.compound
def rated() -> Methods:
    yield method(note("high"), value=3)
    yield method(note("low"), value=1)


@shop.compound
def tour(place: str) -> Methods:
    yield method(unordered((move(place), note(place)), note(Shop.at)))


def plans(goal, settings=None, avoiding=None, **values):
    """The steps of all plans in order, the same from the search and from the reference."""
    asked = request(town, Town(**values), goal, settings or Settings(), avoiding=avoiding or {})
    search, found = HtnSearch.of(asked), []
    while search.advance() is SearchStatus.SOLVED:
        plan = search.plan
        assert replay(plan, asked.state).ok, str(replay(plan, asked.state))
        found.append(plan)
        search.reject()
    one, other = (
        [normal(plan.tree) for plan in each] for each in (found, Reference(asked).plans())
    )
    assert one == other
    return [normal(plan.tree) for plan in found]


def first(goal, **values):
    """The first plan's steps."""
    return plans(goal, **values)[0]


def in_turns(goal, **values):
    """The steps of the plans whose members take turns, in order, for a goal that is one task."""
    asked = request(town, Town(**values), goal)
    return [normal(plan.tree) for plan in Reference(asked).plans() if plan.record[0] == TURNS]


def in_shop(goal, domain=shop):
    """The steps of all plans in order, by the reference; the search finds the same first one."""
    found = [normal(one.tree) for one in Reference(request(domain, Shop(), goal)).plans()]
    assert normal(Planner(domain, goal).plan(Shop()).tree) == found[0]
    return found


def turns_in_shop(goal):
    """The steps of the plans whose members take turns, in order, for a goal that is one task."""
    every = Reference(request(shop, Shop(), goal)).plans()
    return [normal(plan.tree) for plan in every if plan.record[0] == TURNS]


@pytest.mark.slow
def test_steps_of_one_member_come_between_those_of_another_where_blocks_have_no_plan():
    both = deliver("a"), deliver("b")
    assert plans(any_order(*both)) == []
    expected = "(drive('hall'), load('a'), load('b'), drive('port'), drop('a'), drop('b'))"
    assert first(unordered(*both)) == expected


def test_the_first_plan_is_that_of_the_sequence():
    parts = go("hall"), greet(), (load("a"), go("port"))
    assert first(unordered(*parts)) == first(parts)


def test_each_turn_says_why_it_did_not_work():
    def why_not(goal, **values):
        events = []
        ListenedSearch(request(town, Town(road=False, **values), goal), events.append).advance()
        return explanation_text(explained(events))

    assert "by road'\": road is false: road = false" in why_not(unordered(go("hall"), wave()))
    assert "computed, method 0': lambda" in why_not(unordered(load("a"), computed()), truck="hall")


def test_a_turn_is_drawn_with_the_condition_it_takes_over():
    assert "when the condition of the turn: the next turn" in domain_dot(shop.freeze())


def test_members_stay_together_where_they_can_and_their_tasks_are_parts_of_the_plan():
    plan = Planner(town, unordered(greet(), (load("a"), go("port")))).plan(Town(truck="hall"))
    assert tree_text(plan.tree, plan.domain).splitlines() == [
        "unordered: one after the other",
        "└─ any_order: greet, load, …",
        "   └─ sequence",
        "      ├─ greet, method 0 'wave'",
        "      │  └─ wave",
        "      ├─ load('a')",
        "      └─ go('port'), method 1 'by road'",
        "         └─ drive('port')",
    ]


def test_turns_are_tried_in_the_order_of_the_members():
    assert in_turns(unordered((wave(), sing()), load("a")), truck="hall") == [
        "(wave, sing, load('a'))",
        "(wave, load('a'), sing)",
        "(load('a'), wave, sing)",
    ]


def test_methods_are_tried_in_order_before_the_next_member():
    assert in_turns(unordered(greet(), load("a")), truck="hall") == [
        "(wave, load('a'))",
        "(load('a'), wave)",
        "(sing, load('a'))",
        "(load('a'), sing)",
        "(load('a'), wave)",
        "(load('a'), sing)",
    ]


def test_a_compound_task_is_decomposed_in_the_state_of_its_turn():
    assert in_turns(unordered(drive("hall"), go("hall"))) == ["drive('hall')"]


def test_arguments_are_evaluated_when_the_turn_comes():
    assert turns_in_shop(unordered((move("hall"), move("mill")), note(Shop.at))) == [
        "(move('hall'), move('mill'), note('mill'))",
        "(move('hall'), note('hall'), move('mill'))",
        "(note('depot'), move('hall'), move('mill'))",
    ]


def test_parameters_keep_their_values_within_each_member():
    assert in_shop(tour("hall"))[0] == "(move('hall'), note('hall'), note('hall'))"
    assert in_shop(unordered(tour("hall"), move("mill")))[0] == (
        "(move('hall'), note('hall'), note('hall'), move('mill'))"
    )


def test_a_derived_domain_takes_turns_with_its_own_tasks():
    derived = derive(shop, "derived", suffix="_2", given={"place": "hall"})
    assert in_shop(derived.task("tour_2")(), derived)[0] == (
        "(move_2('hall'), note_2('hall'), note_2('hall'))"
    )


def test_merged_domains_take_turns_in_both_methods_of_an_extension_point():
    def one_with(name, precondition):
        domain = Domain(name, Town)
        step = domain.primitive(f"{name}_step", precondition=precondition)

        @domain.extension_point
        def call() -> Methods:
            yield method(unordered(step(), step()))

        return domain

    merged = merge("both", one_with("one", precondition=False), one_with("other", Town.road))
    plan = Planner(merged, merged.task("call")()).plan(Town())
    assert normal(plan.tree) == "(other_step, other_step)"


def test_the_check_of_a_domain_sees_what_members_call():
    domain = Domain("small", Shop)
    used, unused = domain.primitive("used", precondition=Shop.at == "a"), domain.primitive("unused")

    @domain.compound
    def work() -> Methods:
        yield method(unordered(used(), used()))

    assert [one.where for one in findings(domain.freeze())] == [f"primitive '{unused.name}'"]


def test_a_variable_of_a_method_takes_its_turns():
    every = in_turns(unordered(anywhere(), sing()))
    assert every[:2] == ["(drive('hall'), load('a'), sing)", "(drive('hall'), sing, load('a'))"]


def test_what_a_plain_function_returns_takes_its_turns():
    goal = unordered(computed(), sing())
    assert "(load('a'), sing, wave)" in plans(goal, truck="hall")
    assert plans(goal, truck="hall", road=False) == []


def test_other_networks_and_constructs_in_a_member_are_blocks():
    assert in_turns(unordered(parallel((wave(), sing()), load("a")), wave()), truck="hall") == [
        "(parallel((wave, sing), load('a')), wave)",
        "(wave, parallel((wave, sing), load('a')))",
    ]
    assert in_turns(unordered(repeat(Town.trips, wave()), sing())) == [
        "(wave, wave, sing)",
        "(sing, wave, wave)",
    ]
    assert set(in_turns(unordered(tidy(), load("a")), truck="hall")) == {
        "(wave, sing, load('a'))",
        "(load('a'), wave, sing)",
    }
    south = achieve(Shop.at == "south", objects={"to": ("south",), "place": ("x",)})
    assert turns_in_shop(unordered(south, note(Shop.at)))[1] == "(note('depot'), move('south'))"


def test_a_member_with_nothing_to_do_vanishes():
    assert in_turns(unordered(null(), null())) == ["null"]
    assert first(unordered(null(), go("depot"), sing())) == "sing"


def test_planning_is_suspended_where_a_turn_depends_on_something_unknown():
    waiting = "suspended(goal.turns_1(none))"
    rest = "suspended(goal.turns_1(go('hall')))"
    assert in_turns(unordered(sing(), go("hall")), road=UNKNOWN)[0] == f"(sing, {rest})"
    assert in_turns(unordered(go("hall"), sing()), road=UNKNOWN) == [waiting]
    assert in_turns(unordered(go(Town.truck), sing()), truck=UNKNOWN) == [waiting]


def test_a_pause_in_a_member_leaves_the_other_turns_for_later():
    rest = "suspended(goal.turns_1(sing; load('a')))"
    assert in_turns(unordered((wave(), pause(), sing()), load("a")))[0] == f"(wave, {rest})"


def test_recursion_without_end_is_given_up():
    assert plans(unordered(forever(), sing()), Settings(max_depth=9)) == []


def test_costs_of_methods_count_although_their_tasks_have_no_scope():
    cheapest = Planner(town, unordered(greet(), wave()), settings=Settings(cheapest=True)).plan(
        Town()
    )
    assert (normal(cheapest.tree), cheapest.cost) == ("(sing, wave)", 4)


def test_values_of_methods_come_before_their_order():
    best = Planner(shop, unordered(rated(), note("x"))).plan(Shop())
    assert (normal(best.tree), best.value) == ("(note('low'), note('x'))", 1)


def test_excluded_methods_and_tasks_are_skipped():
    whole = town.freeze()
    failed = {avoidable(whole, greet, (), 0): "it failed"}
    assert set(plans(unordered(greet(), load("a")), avoiding=failed, truck="hall")) == {
        "(sing, load('a'))",
        "(load('a'), sing)",
    }
    failed = {avoidable(whole, sing): "it failed"}
    assert set(plans(unordered(greet(), wave()), avoiding=failed)) == {"(wave, wave)"}


def test_a_complete_plan_with_pending_members_is_read_again():
    plan = Planner(town, unordered(wave(), sing())).plan(Town())
    read = decoded(encoded(plan, complete=True), town, goal=unordered(wave(), sing()))
    assert tree_text(read.tree, read.domain) == tree_text(plan.tree, plan.domain)


def test_turns_are_shown_as_one_list():
    tasks, domain = lock_tasks()
    plan = find_plan(domain, Lock(), unordered(tasks["visit"], tasks["unlock"]))
    assert tree_text(plan.tree, plan.domain).splitlines() == [
        "unordered: in turns",
        "└─ turns: 0: visit, method 0, 0.0: fetch, 1: unlock, 0.0: enter",
        "   └─ sequence",
        "      ├─ fetch",
        "      ├─ unlock",
        "      └─ enter",
    ]


@pytest.mark.parametrize("horizon", [None, 1, 2])
def test_it_runs_to_its_end_also_when_something_changes_in_the_middle(horizon):
    heard = RecordingListener()
    agent = Agent("driver", town, Town(trips=9), body=None, listener=heard)
    both = unordered(deliver("a"), deliver("b"))
    goal = PlanGoal("work", agent, both, settings=Settings(horizon=horizon))
    for tick in range(40):
        goal.tick_once()
        if tick == 1:
            agent.believe(Town.truck, "mill", "sensor")
        if goal.status is not Status.RUNNING:
            break
    assert goal.status is Status.SUCCESS, heard.story()
    assert [agent.beliefs.get(Town.lies[one]) for one in ("a", "b")] == ["port", "port"]


# Against an interleaver that knows nothing of networks

NAMES = "abcd"


class Counter(State):
    count: Fluent[int] = fluent(default=0)


steps = st.tuples(st.none() | st.integers(0, 2), st.none() | st.integers(0, 2))
"""What the counter has to be before a step, and what it is after it."""


def bodies(called):
    return st.lists(st.sampled_from(called), max_size=3)


def several_methods(called):
    return st.lists(st.tuples(st.none() | st.integers(0, 2), bodies(called)), max_size=2)


@st.composite
def problems(draw):
    """Steps by name, methods of compound tasks by name, and members."""
    primitive_tasks = {f"step_{name}": draw(steps) for name in NAMES}
    compound_tasks = {}
    for name in "xy":
        called = [*primitive_tasks, *compound_tasks]
        last = (None, draw(bodies(called)))
        compound_tasks[f"task_{name}"] = [*draw(several_methods(called)), last]
    members = st.lists(bodies([*primitive_tasks, *compound_tasks]), min_size=1, max_size=3)
    return primitive_tasks, compound_tasks, draw(members)


def interleaved(problem, members, count=0):
    """Every plan as a list of names, in order."""
    primitive_tasks, compound_tasks, _ = problem
    members = [one for one in members if one]
    if not members:
        yield []
    for place, (name, *rest) in enumerate(members):
        before, after = members[:place], members[place + 1 :]
        if name in primitive_tasks:
            needed, now = primitive_tasks[name]
            if needed in (None, count):
                then = count if now is None else now
                for others in interleaved(problem, [*before, rest, *after], then):
                    yield [name, *others]
            continue
        for when, body in compound_tasks[name]:
            if when in (None, count):
                yield from interleaved(problem, [*before, [*body, *rest], *after], count)


@given(problems())
def test_the_plans_are_those_of_an_interleaver(problem):
    primitive_tasks, compound_tasks, members = problem
    domain = Domain("drawn", Counter)
    tasks = {}
    for name, (needed, now) in primitive_tasks.items():
        tasks[name] = domain.primitive(
            name,
            precondition=True if needed is None else Counter.count == needed,
            effects=() if now is None else Counter.count.becomes(now),
        )
    for name, several in compound_tasks.items():

        def define(several=several):
            for when, body in several:
                held = True if when is None else Counter.count == when
                yield method(*(tasks[one]() for one in body), when=held)

        define.__name__ = name
        define.__signature__ = Signature()
        tasks[name] = domain.compound(define)
    goal = unordered(*(tuple(tasks[one]() for one in member) for member in members))
    asked = request(domain, Counter(), goal)
    search, start, found = HtnSearch.of(asked), asked.state, []
    while len(found) < 40 and search.advance() is SearchStatus.SOLVED:
        assert replay(search.plan, start).ok
        if search.plan.record[0] == TURNS:
            found.append([step.task.name for step in search.plan.steps])
        search.reject()
    assert found == list(islice(interleaved(problem, members), 40))


class Lock(State):
    has_key: Fluent[bool] = fluent(default=False)
    is_open: Fluent[bool] = fluent(default=False)


def lock_tasks():
    domain = Domain("lock", Lock)
    domain.primitive("fetch", effects=Lock.has_key.becomes(True))
    domain.primitive("unlock", precondition=Lock.has_key, effects=Lock.is_open.becomes(True))
    domain.primitive("enter", precondition=Lock.is_open)

    @domain.compound
    def visit():
        yield method(unordered(*(domain.task(name)() for name in ("fetch", "enter"))))

    return {name: domain.task(name)() for name in ("fetch", "unlock", "enter", "visit")}, domain


def test_a_step_may_come_between_the_unordered_parts_of_a_task_that_is_taken_apart():
    tasks, domain = lock_tasks()
    found = find_plan(domain, Lock(), unordered(tasks["visit"], tasks["unlock"]))
    assert found is not None
    assert normal(found.tree) == "(fetch, unlock, enter)"


def test_a_step_may_come_between_the_members_of_an_unordered_member():
    tasks, domain = lock_tasks()
    inner = unordered(tasks["fetch"], tasks["enter"])
    found = find_plan(domain, Lock(), unordered(inner, tasks["unlock"]))
    assert found is not None
    assert normal(found.tree) == "(fetch, unlock, enter)"


def orders(parts):
    """Every order of the steps of nested members: a list is a sequence, a tuple in any order."""
    if isinstance(parts, str):
        return {(parts,)}
    known = {()}
    for part in parts:
        inside = orders(part)
        shuffled = isinstance(parts, tuple)
        known = {
            both
            for before in known
            for after in inside
            for both in (shuffles(before, after) if shuffled else [before + after])
        }
    return known


def shuffles(one, other):
    if not one or not other:
        return {one + other}
    first = {(one[0], *rest) for rest in shuffles(one[1:], other)}
    return first | {(other[0], *rest) for rest in shuffles(one, other[1:])}


def nested(draw, names, depth):
    """Members of members; each of the names stands once."""
    parts, rest = [], list(names)
    while rest:
        count = draw(st.integers(1, len(rest)))
        taken, rest = rest[:count], rest[count:]
        parts.append(taken[0] if count == 1 or depth == 0 else nested(draw, taken, depth - 1))
        parts += taken[1:] if depth == 0 else []
    return tuple(parts) if draw(st.booleans()) else parts


def network_of(parts, tasks):
    if isinstance(parts, str):
        return tasks[parts]()
    inside = [network_of(part, tasks) for part in parts]
    return unordered(*inside) if isinstance(parts, tuple) else tuple(inside)


@given(st.data())
def test_nested_members_take_turns_in_every_order_that_they_allow(data):
    parts = tuple(nested(data.draw, NAMES, 2))
    domain = Domain("nested", Counter)
    tasks = {name: domain.primitive(name) for name in NAMES}
    search = HtnSearch.of(request(domain, Counter(), network_of(parts, tasks)))
    found = []
    while search.advance() is SearchStatus.SOLVED:
        if search.plan.record[0] == TURNS:
            found.append(tuple(step.task.name for step in search.plan.steps))
        search.reject()
    assert sorted(found) == sorted(orders(parts))
