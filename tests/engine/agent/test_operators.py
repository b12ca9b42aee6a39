"""Operators: which code runs which task."""

import pytest

from bthtn import Domain, Primitive, derive, method, primitive
from bthtn.engine.agent.operators import Operators
from bthtn.engine.agent.sensors import Sensors
from bthtn.errors import ExecutionError
from bthtn.studio.testing.strategies import World


@pytest.fixture
def domain():
    return Domain("house", World)


def test_the_code_of_a_task_is_found_and_still_a_function(domain):
    knock, operators = domain.primitive("knock"), Operators(simulates_others=True)

    @operators.bind(knock)
    def knocking(agent):
        return None

    assert operators.find(knock) is knocking
    assert knocking("somebody") is None


def test_code_can_be_bound_and_steps_be_simulated_by_name(domain):
    knock, ring = domain.primitive("knock"), domain.primitive("ring")
    operators = Operators()
    operators.bind("knock")(print)
    operators.simulate("ring")
    assert (operators.find(knock), operators.find(ring)) == (print, None)
    derived = derive(domain, "twice", suffix="_twice")
    assert operators.find(derived.task("knock_twice")) is print
    assert operators.simulates(derived.task("ring_twice"))
    assert list(operators.faults([domain.freeze(), derived], "bob")) == []
    operators.bind(knock)(repr)
    assert operators.find(knock) is repr


def test_names_of_no_task_are_reported_where_no_name_fits(domain):
    domain.primitive("knock")
    operators = Operators(simulates_others=True)
    operators.bind("nock")(print)
    (fault,) = operators.faults([domain.freeze()], "bob")
    assert (fault.code, "'nock'" in fault.message) == ("BT303", True)


def test_a_task_without_code_has_none(domain):
    assert Operators(simulates_others=True).find(domain.primitive("knock")) is None


def test_tasks_are_listed_in_the_order_they_were_bound(domain):
    tasks, operators = [domain.primitive(name) for name in "cab"], Operators(simulates_others=True)
    for task in tasks:
        operators.bind(task)(print)
    assert operators.tasks() == tuple(tasks)


def test_a_task_has_one_operator(domain):
    knock, operators = domain.primitive("knock"), Operators(simulates_others=True)
    operators.bind(knock)(print)
    with pytest.raises(ExecutionError, match="'knock' has an operator already") as info:
        operators.bind(knock)
    assert info.value.code == "BT302"
    assert operators.find(knock) is print


def test_a_compound_task_has_none(domain):
    @domain.compound
    def visit():
        yield method()

    with pytest.raises(ExecutionError, match="only planned") as info:
        Operators(simulates_others=True).bind(visit)
    assert info.value.code == "BT301"


@pytest.mark.parametrize("wrong", [None, 3])
def test_nor_has_what_is_no_task(wrong):
    with pytest.raises(ExecutionError, match="BT301"):
        Operators(simulates_others=True).bind(wrong)


def test_one_domain_can_be_run_by_different_operators(domain):  # R001-04
    knock, one, other = (
        domain.primitive("knock"),
        Operators(simulates_others=True),
        Operators(simulates_others=True),
    )
    one.bind(knock)(print)
    other.bind(knock)(repr)
    assert (one.find(knock), other.find(knock)) == (print, repr)


def test_a_step_that_is_loaded_has_a_hook_of_its_own(domain):
    knock, operators = domain.primitive("knock"), Operators()
    operators.bind(knock)(print)
    assert operators.find_resume(knock) is None

    @operators.on_resume("knock")
    async def knocking_on(agent, elapsed):
        return None

    assert operators.find_resume(knock) is knocking_on
    with pytest.raises(ExecutionError, match=r"BT302.*knock. has an on_resume hook already"):
        operators.on_resume("knock")


def waits(agent, to):
    yield


async def answers(agent, to): ...


@pytest.fixture
def go(domain):
    @domain.primitive
    def go(to: str) -> Primitive:
        return primitive()

    return go


@pytest.mark.parametrize("form", ["bind", "on_plan_start", "on_plan_end", "on_resume"])
def test_code_that_does_not_take_the_tasks_arguments_is_refused(go, form):
    bind = getattr(Operators(), form)(go)
    with pytest.raises(ExecutionError, match=r"is called with \(agent, to") as info:
        bind(lambda agent: None)
    assert info.value.code == "BT304"
    assert "(agent, to" in info.value.diagnostics[0].hint
    bind(lambda *everything: None)


def test_code_whose_arguments_are_not_known_is_bound(go):
    operators = Operators()
    operators.bind(go)(print)
    operators.bind("fly")(lambda: None)
    assert operators.find(go) is print


@pytest.mark.parametrize("code", [waits, answers])
def test_a_hook_that_a_call_would_not_run_is_refused(go, code):
    operators = Operators()
    for hook in (operators.on_plan_start, operators.on_plan_end):
        with pytest.raises(ExecutionError, match=r"BT304.* which is never"):
            hook(go)(code)
    assert operators.bind(go)(code) is code
    assert operators.on_resume("go")(code) is code


def test_operators_and_sensors_may_name_the_class_of_the_body_they_act_with(go):
    operators, sensors = Operators[World](simulates_others=True), Sensors[World]()
    operators.bind(go)(print)
    assert operators.find(go) is print
    assert isinstance(operators, Operators)
    assert list(sensors) == []
