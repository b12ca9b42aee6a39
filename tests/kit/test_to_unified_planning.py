"""Domains of bthtn as problems of Unified Planning, and what is refused."""

from enum import Enum

import pytest
from unified_planning.engines import PlanGenerationResultStatus as Status

from bthtn import (
    UNKNOWN,
    BthtnError,
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    Relation,
    State,
    achieve,
    any_order,
    find_plan,
    first_of,
    fluent,
    fluents,
    method,
    one_of,
    parallel,
    primitive,
    relation,
    repeat,
    retry,
    unordered,
    until,
)
from bthtn.examples.domains.blocks import strips as blocks
from bthtn.examples.domains.fps.strips import Shooter, shooter
from bthtn.examples.domains.logistics.domain import Logistics, deliver_orders, logistics
from bthtn.examples.domains.ore.domain import Miner, deliver_ore, ore
from bthtn.kit.unified_planning import BthtnPlanner, to_unified_planning
from tests.independent.up_plans import verify


class Mood(Enum):
    CALM = 1
    ALERT = 2
    FURIOUS = 3


class Camp(State):
    path: Relation[tuple[str, str]] = relation(default=[("tent", "lake"), ("lake", "wood")])
    spot: Relation[str] = relation(default=["tent", "lake", "wood"])
    at: FluentFamily[str, str] = fluents(default="tent")
    home: FluentFamily[str, str] = fluents(default="wood")
    food: FluentFamily[tuple[str, str], int] = fluents(default=2)
    people: Fluent[tuple[str, ...]] = fluent(default=("ida", "bo"))
    mood: Fluent[Mood] = fluent(default=Mood.CALM)
    friend: Fluent[str | None] = fluent(default=None)
    hour: Fluent[float] = fluent(default=0.5)
    rested: Fluent[bool] = fluent(default=False)
    dark: Fluent[bool] = fluent(default=UNKNOWN)
    floor: FluentFamily[int, bool] = fluents(default=False)
    fee: Fluent[int | None] = fluent(default=None)
    far: Fluent[tuple[int, int]] = fluent(default=(1, 2))


camp = Domain("camp", Camp)


@camp.primitive
def go(who: str, start: str, to: str) -> Primitive:
    return primitive(
        precondition=(Camp.at[who] == start) & Camp.path[start, to],
        effects=[Camp.at[who].becomes(to), Camp.hour.increases(0.25)],
        cost=3,
    )


@camp.primitive
def eat(who: str) -> Primitive:
    return primitive(
        precondition=Camp.food[who, "tent"] > 0, effects=Camp.food[who, "tent"].decreases(1)
    )


calm_down = camp.primitive("calm down", effects=Camp.mood.becomes(Mood.CALM))
rouse = camp.primitive(
    "rouse",
    precondition=(Camp.mood != Mood.FURIOUS) & (Camp.friend == None),  # noqa: E711 - data
    effects=[Camp.mood.becomes(Mood.FURIOUS), Camp.friend.becomes("bo")],
)
rest = camp.primitive(
    "rest",
    precondition=(2 * Camp.hour - 1 <= 0.5) & (Camp.rested == False),  # noqa: E712 - data
    effects=Camp.rested.becomes(True),
)


@camp.compound
def walk(who: str, to: str) -> Methods:
    yield method(when=Camp.at[who] == to, name="there")
    start, by = one_of(Camp.path)
    yield method(go(who, start, by), walk(who, to), when=Camp.at[who] == start, name="further")


@camp.compound
def all_home() -> Methods:
    who = one_of(Camp.people)
    yield method(walk(who, Camp.home[who]), all_home(), when=Camp.at[who] != Camp.home[who])
    yield method()


def both(goal, domain=camp, state=None):
    """The steps of bthtn, the answer through Unified Planning, and the problem there."""
    given = Camp() if state is None else state
    own = find_plan(domain, given, goal)
    problem = to_unified_planning(domain, given, goal)
    result = BthtnPlanner().solve(problem)
    if result.plan is not None:
        verify(problem, result.plan)
    return own, result, problem


def steps(plan):
    found = getattr(plan, "action_plan", plan)
    return [step.action.name for step in found.actions]


def is_same(goal, domain=camp, state=None):
    """Whether there is a plan with as many steps on both ways."""
    own, result, _ = both(goal, domain, state)
    if own is None:
        return result.status is Status.UNSOLVABLE_PROVEN
    return [step.task.name for step in own.steps] == steps(result.plan)


# goals


def test_a_goal_is_reached_with_as_many_steps_and_the_same_cost():
    start = blocks.Blocks(on={"a": "b"}, is_top={"b": False})
    goal = (blocks.Blocks.on["b"] == "a") & (blocks.Blocks.on["c"] == "b")
    assert is_same(achieve(goal), blocks.strips, start)
    assert is_same(achieve(~Shooter.has_target), shooter(melee_cost=5), Shooter(has_target=True))
    problem = to_unified_planning(shooter(melee_cost=5), Shooter(), achieve(~Shooter.has_target))
    (metric,) = problem.quality_metrics
    assert {action.name: str(cost) for action, cost in metric.costs.items()}["melee"] == "5"


def test_values_that_a_goal_lists_are_those_of_a_parameter():
    goal = achieve(Camp.at["ida"] == "wood", objects={"who": ("ida",)}, actions=[go], forward=True)
    own, result, problem = both(goal)
    assert steps(result.plan) == ["go", "go"] == [step.task.name for step in own.steps]
    assert "values of who" in {fluent.name for fluent in problem.fluents}


def test_conditions_and_effects_of_each_kind_are_written():
    for condition in (
        (Camp.mood == Mood.FURIOUS) & ~Camp.rested,
        (Camp.mood > Mood.ALERT) | Camp.rested,
        (Camp.mood > Mood.ALERT) & (Camp.friend == "bo"),
        Camp.rested & (Camp.hour < 1),
        Camp.food["bo", "tent"] == 0,
    ):
        goal = achieve(
            condition, objects={"who": ("bo",)}, actions=[rouse, rest, eat], forward=True
        )
        assert is_same(goal), condition


def test_a_fluent_that_nothing_asks_for_is_left_out():
    problem = to_unified_planning(camp, Camp(), (calm_down(), rest()))
    assert {fluent.name for fluent in problem.fluents} == {"mood", "hour", "rested"}


# tasks


@pytest.mark.parametrize(
    "goal",
    [
        walk("ida", "wood"),
        walk("bo", "moon"),
        all_home(),
        (rouse(), calm_down(), first_of(walk("ida", "sea"), rest())),
        unordered((go("ida", "tent", "lake"), go("ida", "lake", "wood")), rest()),
        (eat("bo"), until(Camp.food["bo", "tent"] == 0, eat("bo"))),
        (rest(), Camp.rested),
        (rest(), ~Camp.rested),
        repeat(2, eat("ida")),
    ],
    ids=str,
)
def test_tasks_and_constructs_are_written(goal):
    own, result, _ = both(goal)
    if own is None:
        assert result.plan is None
    else:
        assert sorted(step.task.name for step in own.steps) == sorted(steps(result.plan))


def test_methods_are_written_with_their_names_and_variables():
    problem = to_unified_planning(camp, Camp(), walk("ida", "wood"))
    names = {method.name for method in problem.methods}
    assert {"walk: there", "walk: further"} < names
    assert {str(p) for p in problem.method("walk: there").parameters} == {"Name who", "Name to"}


def test_shipped_domains_are_written():
    assert is_same(deliver_ore(), ore, Miner())
    given = Logistics(
        at={"p": "a", "t": "b"}, city={"a": "c", "b": "c"}, trucks=("t",), orders=("p",),
        destination={"p": "b"},
    )  # fmt: skip
    assert is_same(deliver_orders(), logistics, given)


# what has no form


def odd(**primitives):
    """A domain with one primitive task ``odd``."""
    domain = Domain("odd", Camp)
    domain.primitive("odd", **primitives)
    return domain, domain.freeze().task("odd")()


def task(define):
    """A domain with this task beside the primitive one, and a call of it."""
    domain = Domain("odd", Camp)
    domain.primitive("wait", effects=Camp.rested.becomes(True))
    return domain, domain.compound(define)()


def priced():
    def all_of() -> Methods:
        yield method(cost=2, name="dear")

    return task(all_of)


def whole():
    def all_of() -> Methods:
        pair = one_of((("a", "b"), ("c", "d")), name="pair")
        first, _ = pair
        yield method(when=(first == "a") & (pair == ("a", "b")))

    return task(all_of)


def computed():
    def all_of() -> Methods:
        yield method(lambda state: None)

    return task(all_of)


def changing():
    def all_of() -> Methods:
        spot = one_of(lambda state: ("tent",), name="spot")
        yield method(when=Camp.at["ida"] == spot)

    return task(all_of)


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (lambda: odd(effects=lambda state: None), "the effect 'lambda"),
        (lambda: odd(precondition=lambda state: True), "'lambda"),
        (lambda: odd(precondition=Camp.dark), "'dark', which is unknown"),
        (lambda: odd(precondition=Camp.far == (1, 2)), "'far', which is tuple"),
        (
            lambda: odd(precondition=Camp.at["a"] < Camp.at["b"]),
            "the order 'at\\[a\\] < at\\[b\\]'",
        ),
        (lambda: odd(precondition=Camp.hour % 2 == 1), "'hour % 2'"),
        (lambda: odd(precondition=Camp.at["a"] == Camp.at["b"] + "s"), "which computes no number"),
        (lambda: odd(precondition=Camp.floor[3]), "the index of 'floor', which is int"),
        (lambda: odd(precondition=Camp.fee == 3), "the value None"),
        (
            lambda: odd(effects=Camp.food[Camp.at["ida"], "x"].becomes(1)),
            "whose index reads the state",
        ),
        (priced, "the cost of the method 'dear'"),
        (whole, "a tuple as the value of 'pair'"),
        (computed, "the method 'lambda.*, a function"),
        (changing, "the values 'lambda.*, which depend on the state"),
        (lambda: (camp, parallel(rest(), rouse())), "'parallel"),
        (lambda: (camp, retry(2, rest())), "'retry"),
        (lambda: (camp, any_order(rest(), rouse())), "'any_order"),
        (lambda: (camp, walk("ida", Camp.home["ida"])), "the argument 'home\\[ida\\]'"),
        (lambda: (camp, (rest(), achieve(Camp.rested, actions=[rest]))), "'achieve"),
    ],
)
def test_what_has_no_form_is_told_with_its_task(made, what):
    domain, goal = made()
    with pytest.raises(BthtnError, match=f"BT443.*{what}"):
        to_unified_planning(domain, Camp(), goal)
