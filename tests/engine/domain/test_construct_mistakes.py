"""What can be written wrong in choices, orders, repetitions, draws and variables."""

import pytest

from bthtn import (
    Domain,
    Fluent,
    Primitive,
    State,
    any_order,
    defer,
    find_plan,
    first_of,
    fluent,
    method,
    one_of,
    optional,
    parallel,
    partial_order,
    primitive,
    random_of,
    repeat,
)
from tests.engine.domain.mistaken import complaint, text


class House(State):
    walls: Fluent[int] = fluent(default=0)
    at: Fluent[str] = fluent(default="gate")


@pytest.fixture
def domain():
    return Domain("house", House)


@pytest.fixture
def step(domain):
    return domain.primitive("step")


@pytest.fixture
def go(domain):
    @domain.primitive
    def go(to: str) -> Primitive:
        return primitive(effects=House.at.becomes(to))

    return go


# BT105, BT110: nothing in it, or something that is no network


@pytest.mark.parametrize("make", [first_of, optional, any_order, partial_order, random_of])
def test_what_holds_nothing_means_nothing(make):
    assert complaint(make).startswith(f"[BT105] {make.__name__}() has nothing in it")
    assert complaint(repeat, 2).startswith("[BT105] repeat() has nothing in it")
    assert complaint(one_of, ()).startswith("[BT105] one_of() has nothing in it")


def test_a_part_that_is_no_network_is_refused(step):
    assert complaint(first_of, step) == text("""
        [BT110] <primitive step> is not a task network
          hint: call the task: add brackets, and its arguments
    """)
    assert "BT110" in complaint(random_of, (3, "step"))
    assert "BT110" in complaint(partial_order, a=step)
    assert "'call' of defer(…) is TaskCall" in complaint(defer, first_of(step()))


# BT113, BT114: orders


def test_a_constraint_names_parts_that_there_are(step):
    said = complaint(partial_order, "wals < roof", "roof < walls2", walls=step(), roof=step())
    assert said == text("""
        [BT113] no part is called 'wals'
          where: partial_order, 'wals < roof'
          hint: did you mean 'walls'?
    """)


@pytest.mark.parametrize("constraint", ["walls", "walls > roof", "walls <", "", 3, "a b < c"])
def test_a_constraint_says_what_comes_before_what(step, constraint):
    said = complaint(partial_order, constraint, walls=step(), roof=step())
    assert said == text(f"""
        [BT113] {constraint!r} is not an order
          where: partial_order, {constraint!r}
          hint: write "walls < roof", or a chain: "walls < roof < paint"
    """)


def test_constraints_that_form_a_circle_are_told_with_the_circle(step):
    said = complaint(
        partial_order, "a < b < c < b", "a < d", a=step(), b=step(), c=step(), d=step()
    )
    assert said == text("""
        [BT114] nothing in this circle can come first: b < c < b
          where: partial_order
          hint: leave out one of its constraints
    """)
    assert "a < a" in complaint(partial_order, "a < a", a=step())


# BT115: numbers that mean nothing here


@pytest.mark.parametrize("times", [1.5, True, "twice", None])
def test_a_number_of_times_is_whole(step, times):
    assert complaint(repeat, times, step()) == text(f"""
        [BT115] repeat cannot do something {times!r} times
          hint: write a whole number, or a fluent
    """)


@pytest.mark.parametrize("weight", [0, -1, True, "much", float("nan"), float("inf")])
def test_a_weight_is_a_number_above_zero(step, weight):
    assert complaint(random_of, (weight, step())) == text(f"""
        [BT115] {weight!r} is not a weight
          where: random_of
          hint: a weight is a number above zero; an expression may also come to zero
    """)


def test_a_draw_takes_pairs(step):
    assert "is not a weight and a network" in complaint(random_of, step())
    assert "is not a weight and a network" in complaint(random_of, (1, step(), step()))


# BT116: plain functions


def test_a_plain_function_cannot_answer_with_a_construct(domain, step):
    @domain.compound
    def work():
        yield method(lambda state: [parallel(step(), first_of(step(), step()))])

    assert complaint(find_plan, domain, House(), work()).startswith("[BT116] lambda at line")


# BT117: what a variable can stand for


def test_values_are_several_and_cannot_change():
    assert complaint(one_of, 3) == text("""
        [BT117] 3 holds no values
          where: one_of
          hint: give it the values there are: one_of(('a', 'b')), one_of(Soldier.spots)
    """)
    assert "'abc' holds no values" in complaint(one_of, "abc")
    assert complaint(one_of, [House.at]) == text("""
        [BT117] at is an expression, and no value
          where: one_of
          hint: use it as the argument itself, or give a function: one_of(lambda state: ...)
    """)
    assert complaint(one_of, [["a"]]) == text("""
        [BT117] ['a'] is list, which can change
          where: one_of
          hint: values are hashable: use a tuple instead of a list
    """)


# BT118: variables that have no value


def test_a_variable_is_for_the_methods_of_one_compound_task(domain, step, go):
    shared = one_of(("a", "b"), name="shared")

    @domain.compound
    def one():
        yield method(go(shared))

    @domain.compound
    def two():
        yield method(go(shared))

    assert complaint(domain.freeze) == text("""
        [BT118] the variable 'shared' belongs to another compound task
          where: compound 'two', method 0
          hint: call one_of inside the function whose methods use it
    """)


def test_a_primitive_task_or_a_goal_cannot_choose(domain, go):
    said = text("""
        [BT118] the variable 'value' has no value here
          where: {}
          hint: one_of is for the methods of a compound task: call it in the task's function
    """)
    wrong = {"effects": [House.at.becomes(one_of(("a", "b")))]}
    assert complaint(domain.primitive, "jump", **wrong) == said.format("primitive 'jump'")
    goal = first_of(go(one_of(("a", "b"))))
    assert complaint(find_plan, domain, House(), goal) == said.format("goal")
    lost = House.at == one_of(("a", "b"))
    assert complaint(lost.evaluate, House().frozen()).startswith("[BT118]")


# everything else is found as in networks without constructs


def test_mistakes_inside_a_construct_are_found_when_the_domain_is_read(domain, step):
    other = Domain("other", House)
    strange = other.primitive("strange")

    @domain.compound
    def work():
        yield method(first_of(step(), any_order(strange(), step())))
        yield method(repeat(2, undefined()))  # noqa: F821 - found when the domain is read

    assert complaint(domain.freeze).startswith("[BT101] no task is called 'undefined'")


def test_a_task_of_another_domain_is_found_inside_a_construct(domain, step):
    strange = Domain("other", House).primitive("strange")

    @domain.compound
    def work():
        yield method(first_of(step(), any_order(strange(), step())))

    assert complaint(domain.freeze).startswith("[BT109] 'strange' belongs to another domain")
    assert complaint(find_plan, Domain("d", House), House(), optional(strange())).startswith(
        "[BT109] 'strange' belongs to another domain"
    )


def test_a_value_of_a_wrong_type_is_found_at_once(go):
    assert complaint(go, one_of((1, 2), name="n")).startswith(
        "[BT103] argument 'to' of 'go' is str; parameter 'n' is int"
    )
