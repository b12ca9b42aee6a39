"""Durations in ticks or in seconds: one unit in each domain."""

from math import inf

import pytest

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Settings,
    State,
    achieve,
    derive,
    find_plan,
    fluent,
    fluents,
    merge,
    primitive,
    seconds,
    sequence,
)
from bthtn.engine.plan.replay import replay
from bthtn.engine.planning.protocol import request
from bthtn.engine.text.plan_json import decoded, encoded
from bthtn.engine.world.expression import Constant, Expression
from bthtn.errors import BthtnError, PlanningError
from bthtn.studio.analysis import makespan
from bthtn.studio.testing.strategies import World
from bthtn.studio.testing.validation import validate
from tests.reference import Reference


def one_task(name, duration):
    domain = Domain(name, World)
    domain.primitive(name, duration=duration)
    return domain


def test_the_durations_of_seconds_are_added_up_as_they_are():
    domain = Domain("yard", World)
    nap = domain.primitive("nap", duration=seconds(1.5))
    count = domain.primitive("count", duration=seconds(World.ammo))
    bark = domain.primitive("bark")
    plan = find_plan(domain, World(ammo=3), sequence(nap(), count(), bark()))
    assert makespan(plan) == 4.5
    assert [task.in_seconds for task in (nap, count, bark)] == [True, True, False]


def test_parameters_and_functions_can_be_seconds():
    domain = Domain("yard", World)

    @domain.primitive
    def wait(time: float):
        return primitive(duration=seconds(time))

    count = domain.primitive("count", duration=seconds(lambda state: state.ammo / 2))
    assert makespan(find_plan(domain, World(ammo=3), sequence(wait(0.25), count()))) == 1.75


def test_ticks_and_seconds_in_one_domain_are_refused():
    domain = one_task("bark", 1)
    domain.primitive("nap", duration=seconds(1.5))
    with pytest.raises(
        BthtnError, match=r"\[BT128\] 'nap' lasts seconds and 'bark' ticks\n  where: domain 'bark'"
    ):
        domain.freeze()
    with pytest.raises(BthtnError, match="BT128"):
        merge("both", one_task("bark", 1), one_task("nap", seconds(1.5)))


def test_what_takes_no_time_goes_with_both():
    several = (one_task("nap", seconds(1)), one_task("bark", 0), one_task("sit", seconds(0)))
    merged = merge("pets", *several)
    assert [task.takes_time for task in merged.tasks.values()] == [True, False, False]


def test_a_derived_task_has_the_unit_of_its_template():
    derived = derive(one_task("nap", seconds(2)), "long", suffix="_long")
    assert derived.tasks["nap_long"].in_seconds


@pytest.mark.parametrize("wrong", [-1, float("nan"), seconds(-0.5), seconds(float("nan"))])
def test_a_duration_is_not_below_zero(wrong):
    with pytest.raises(BthtnError, match=r"\[BT202\] the duration is [\s\S]*primitive 'nap'"):
        one_task("nap", wrong)


def lasting(duration, cost=1):
    """A domain with a task of this duration, and a call of it; a parameter has this value."""
    domain = Domain("yard", World)
    if callable(duration) or isinstance(duration, Expression):
        return domain, domain.primitive("nap", duration=duration)()

    @domain.primitive
    def nap(time):
        return primitive(duration=time)

    return domain, nap(duration)


COMPUTED = [-1, World.ammo - 3, lambda state: state.ammo - 3.5]


@pytest.mark.parametrize("options", [{}, {"horizon_time": 9}, {"cheapest": True}], ids=str)
@pytest.mark.parametrize("duration", COMPUTED, ids=["argument", "expression", "function"])
def test_a_computed_duration_below_zero_is_refused_when_the_step_is_planned(duration, options):
    domain, nap = lasting(duration)
    with pytest.raises(PlanningError, match=r"\[BT202\] the duration is -[\s\S]*where: nap"):
        find_plan(domain, World(ammo=2), nap, Settings(**options))
    asked = request(domain, World(ammo=2), nap)
    with pytest.raises(PlanningError, match="BT202"):
        Reference(asked).best()


@pytest.mark.parametrize("forward", [False, True], ids=["backward", "forward"])
@pytest.mark.parametrize("duration", COMPUTED[1:], ids=["expression", "function"])
def test_a_duration_below_zero_is_refused_on_the_way_to_a_goal_too(duration, forward):
    domain = Domain("yard", World)
    domain.primitive("open", effects=World.open.becomes(True), duration=duration)
    with pytest.raises(PlanningError, match="BT202"):
        find_plan(domain, World(ammo=2), achieve(World.open, forward=forward))


def test_a_plan_does_not_replay_where_a_duration_would_be_below_zero():
    domain, nap = lasting(World.ammo - 3)
    plan = find_plan(domain, World(ammo=4), nap)
    assert replay(plan, World(ammo=3))
    assert "the duration is -1" in replay(plan, World(ammo=2)).reason
    assert "the duration is -1" in validate(plan, World(ammo=2)).reason


@pytest.mark.parametrize("wrong", [float("nan"), True, "long", None], ids=str)
@pytest.mark.parametrize("number", ["duration", "cost"])
def test_what_is_no_number_is_refused_when_the_step_is_planned(wrong, number):
    domain = Domain("yard", World)

    @domain.primitive
    def nap(time):
        return primitive(**{number: time})

    doze = domain.primitive("doze", **{number: lambda state: wrong})
    for goal in (nap(wrong), doze()):
        with pytest.raises(PlanningError, match=r"BT110.* is .*, not a number"):
            find_plan(domain, World(), goal)


@pytest.mark.parametrize("endless", [lambda state: inf, inf], ids=["function", "argument"])
def test_a_step_may_last_for_ever_and_is_read_again(endless):
    domain, nap = lasting(endless)
    plan = find_plan(domain, World(), nap)
    read = decoded(encoded(plan, complete=True), domain.freeze(), goal=plan.goal)
    assert [step.duration for step in read.steps] == [inf]


@pytest.mark.parametrize("wrong", [seconds("3"), seconds(seconds(3)), seconds(None)])
def test_seconds_are_a_number(wrong):
    with pytest.raises(BthtnError, match=r"is not a number[\s\S]*primitive 'nap', duration"):
        one_task("nap", wrong)


class Herald(State):
    news: Fluent[str] = fluent(default="none")
    is_late: Fluent[bool] = fluent(default=False)
    of: FluentFamily[str, str] = fluents(default="none")


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (Herald.news, "str"),
        (Herald.of["x"], "str"),
        (Constant("soon"), "str"),
        (Herald.is_late, "bool"),
        (~Herald.is_late, "bool"),
        (Constant(True), "bool"),
    ],
    ids=str,
)
@pytest.mark.parametrize("number", ["duration", "cost"])
def test_a_text_or_a_truth_is_no_number_wherever_it_comes_from(wrong, kind, number):
    domain = Domain("yard", Herald)
    with pytest.raises(
        BthtnError, match=rf"BT110.* is not a number, but {kind}\n.*'bark', {number}"
    ):
        domain.primitive("bark", **{number: wrong})


def test_a_parameter_that_is_a_text_is_no_number():
    domain = Domain("yard", World)

    def wait(time: str):
        return primitive(duration=time)

    with pytest.raises(BthtnError, match=r"BT110.*time is not a number, but str"):
        domain.primitive(wait)
