"""What is no condition, effect, network or method is refused with advice (BT110, BT111)."""

from functools import partial

import pytest

from bthtn import (
    BthtnError,
    defer,
    method,
    parallel,
    primitive,
    priority,
)
from bthtn.engine.domain.network import sequence
from tests.engine.domain.mistaken import Soldier, complaint, text

ONCE = (
    "the function is called once, with symbols that have no value yet: what needs the value is a"
    " function of the state, lambda state: ..."
)

# BT110: things of the wrong kind


def test_a_task_without_brackets_is_no_call(domain, shoot):
    @domain.compound
    def fight():
        yield method(shoot)

    assert complaint(domain.freeze) == text("""
        [BT110] <primitive shoot> is not a task network
          where: compound 'fight', method 0
          hint: call the task: add brackets, and its arguments
    """)


class Callable:
    def __call__(self): ...


@pytest.mark.parametrize("form", ["primitive", "compound", "extension_point"])
@pytest.mark.parametrize("code", [partial(lambda: None), Callable(), Callable])
def test_what_has_no_name_for_the_task_is_no_function_of_one(domain, form, code):
    said = complaint(getattr(domain, form), code)
    assert "[BT110]" in said
    assert "over a function" in said
    assert not domain.freeze().tasks


def test_what_is_no_network_is_refused_everywhere(shoot):
    for construct in (parallel, priority, sequence):
        assert "[BT110] 3 is not a task network" in complaint(construct, shoot(), 3)
    assert "'call' of defer(…) is TaskCall" in complaint(defer, (shoot(), shoot()))


def test_a_fluent_that_is_no_truth_is_no_condition(domain):
    assert complaint(domain.primitive, "shoot", precondition=Soldier.ammo) == text("""
        [BT110] 'ammo' is int, not a condition
          where: primitive 'shoot', precondition
          hint: compare it: ammo > 0, ammo == ...
    """)
    assert "[BT110] 'yes' is not a condition, but str" in complaint(
        domain.primitive, "shoot", exec_only="yes"
    )


@pytest.mark.parametrize(
    "calculation",
    [
        lambda: Soldier.ammo + 1,
        lambda: ~Soldier.ammo,
        lambda: Soldier.target & Soldier.ammo,
        lambda: Soldier.target | 1,
    ],
    ids=["ammo + 1", "~ammo", "target & ammo", "target | 1"],
)
def test_a_calculation_is_no_condition(domain, calculation):
    with pytest.raises((BthtnError, TypeError), match=r"\[BT1(07|10)\]"):
        domain.primitive("shoot", precondition=calculation())


def test_what_is_no_effect_is_refused(domain):
    assert complaint(domain.primitive, "shoot", effects=[Soldier.ammo > 3]) == text("""
        [BT110] <ammo > 3> is not an effect, but Comparison
          where: primitive 'shoot', effects
          hint: write Soldier.ammo.becomes(6), Soldier.ammo.decreases(by=1), or a function
    """)


def test_what_a_deferred_task_ensures_is_an_effect(shoot):
    assert "[BT110]" in complaint(lambda: defer(shoot(), ensures=(Soldier.ammo > 3,)))


def test_the_function_of_a_primitive_returns_its_description(domain):
    def wait(time: int):
        return None

    assert complaint(domain.primitive, wait) == text("""
        [BT110] 'wait' returned None
          where: primitive 'wait'
          hint: end the function with: return primitive(effects=...)
    """)


def test_a_compound_task_yields_methods(domain, shoot):
    @domain.compound
    def fight():
        yield shoot()

    assert complaint(domain.freeze) == text("""
        [BT110] TaskCall(task=<primitive shoot>, args=()) is not a method
          where: compound 'fight', method 0
          hint: yield method(...)
    """)


@pytest.mark.parametrize("returned", [None, method()], ids=["nothing", "a method"])
def test_a_compound_task_that_returns_instead_of_yielding_is_told_what_to_write(domain, returned):
    @domain.compound
    def fight():
        return returned

    assert "[BT110]" in complaint(domain.freeze)
    assert "compound 'fight'" in complaint(domain.freeze)
    assert "yield method(...)" in complaint(domain.freeze)


def test_an_exception_in_the_function_of_a_compound_task_is_told_with_its_place(domain):
    @domain.compound
    def fight():
        yield method(1 // 0)

    assert complaint(domain.freeze) == text(f"""
        [BT110] ZeroDivisionError: integer division or modulo by zero
          where: compound 'fight': {__file__}:{fight.define.__code__.co_firstlineno + 2}
          hint: {ONCE}
    """)


def test_so_is_one_in_that_of_a_primitive_task(domain):
    def fall():
        return primitive(duration=int("long"))

    said = complaint(domain.primitive, fall)
    assert f"where: primitive 'fall': {__file__}:{fall.__code__.co_firstlineno + 1}" in said
    assert ONCE in said


def test_a_plain_function_is_the_whole_body_of_a_method_or_none_of_it(domain, shoot):
    @domain.compound
    def fight():
        yield method(shoot(), lambda state: [shoot()])

    assert "stands beside other parts of a method" in complaint(domain.freeze)
    assert "a plain function is the whole body of a method" in complaint(domain.freeze)


# BT111


def test_a_parallel_has_one_of_three_policies(shoot):
    assert complaint(lambda: parallel(shoot(), policy="some")) == text("""
        [BT111] no parallel policy is called 'some'
          hint: one of: all, any, primary
    """)
