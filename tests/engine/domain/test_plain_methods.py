"""Methods that are plain functions, and functions that raise."""

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    State,
    find_plan,
    fluent,
    fluents,
    method,
    primitive,
)
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import request
from bthtn.errors import DomainError, PlanningError, SymbolError


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    spare: Fluent[int] = fluent(default=2)
    fuel: Fluent[float] = fluent(default=1.0)
    target: Fluent[bool] = fluent(default=False)
    at: Fluent[str] = fluent(default="home")
    seen: FluentFamily[str, bool] = fluents(default=False)


@pytest.fixture
def domain():
    return Domain("combat", Soldier)


# methods that are functions


@pytest.fixture
def step(domain):
    @domain.primitive
    def step(to: str):
        return primitive(effects=Soldier.at.becomes(to))

    return step


def planned(domain, goal, **values):
    search = HtnSearch.of(request(domain, Soldier(**values), goal))
    search.advance()
    return search.plan and [str(leaf) for leaf in search.plan.steps]


@pytest.mark.parametrize(
    "answer",
    [
        lambda step: [step("a"), step("b")],
        lambda step: (step("a"), step("b")),
        lambda step: iter([step("a"), step("b")]),
        lambda step: [(step("a"), step("b"))],
    ],
    ids=["list", "tuple", "iterator", "list of a tuple"],
)
def test_a_plain_method_answers_with_calls_in_order(domain, step, answer):
    @domain.compound
    def travel():
        yield method(lambda soldier: answer(step))

    assert planned(domain, travel()) == ["step('a')", "step('b')"]


def test_a_method_that_has_to_be_called_has_its_cost_in_the_plan(domain, step):
    @domain.compound
    def go():
        yield method(lambda s: (step("home"),) if min(s.ammo, 9) else None, cost=3)

    assert find_plan(domain, Soldier(), go()).cost == 1 + 3


def test_a_plain_method_may_answer_with_one_call_or_with_nothing_to_do(domain, step):
    @domain.compound
    def travel():
        yield method(lambda soldier: step("a") if soldier.at == "home" else [])

    assert planned(domain, travel()) == ["step('a')"]
    assert planned(domain, travel(), at="hill") == []


def test_a_plain_method_answers_none_where_it_does_not_apply(domain, step):
    @domain.compound
    def travel(to: str):
        yield method(lambda soldier: None if soldier.at == to else step(to))
        yield method(step("nowhere"))

    assert planned(domain, travel("hill")) == ["step('hill')"]
    assert planned(domain, travel("home")) == ["step('nowhere')"]


def test_a_plain_method_that_reads_something_unknown_is_undecided(domain, step):
    @domain.compound
    def travel():
        yield method(lambda soldier: step("a") if soldier.target else None)
        yield method(step("b"))

    assert planned(domain, travel(), target=UNKNOWN) == []
    assert planned(domain, travel()) == ["step('b')"]


def test_a_plain_method_has_a_condition_like_any_other(domain, step):
    @domain.compound
    def travel():
        yield method(lambda soldier: step("a"), when=Soldier.target)
        yield method(step("b"))

    assert planned(domain, travel()) == ["step('b')"]
    assert planned(domain, travel(), target=True) == ["step('a')"]


def test_a_plain_method_that_answers_with_something_else_is_told(domain, step):
    @domain.compound
    def travel():
        yield method(lambda soldier: step)

    with pytest.raises(DomainError, match=r"\[BT110\] <primitive step> is not a task network"):
        planned(domain, travel())


def test_a_plain_method_that_answers_with_a_stranger_is_told(domain):
    swim = Domain("elsewhere", Soldier).primitive("swim")

    @domain.compound
    def travel():
        yield method(lambda soldier: [swim()])

    with pytest.raises(DomainError, match=r"\[BT109\] 'swim' belongs to another domain") as caught:
        planned(domain, travel())
    assert "where: method lambda at line" in str(caught.value)


def test_a_stranger_is_told_after_answers_with_a_task_of_the_same_name(domain):
    rest = domain.primitive("rest")
    stranger = Domain("elsewhere", Soldier).primitive("rest")

    @domain.compound
    def travel():
        yield method(lambda soldier: (rest(), stranger() if soldier.target else rest()))

    assert planned(domain, travel()) == ["rest", "rest"]
    with pytest.raises(DomainError, match=r"\[BT109\] 'rest' belongs to another domain"):
        planned(domain, travel(), target=True)


def test_a_plain_method_answers_with_other_calls_in_another_state(domain, step):
    rest = domain.primitive("rest")
    answers = [(), rest(), (rest(), rest()), (rest(), step("a")), (rest(), step("b"))]

    @domain.compound
    def travel():
        yield method(lambda soldier: answers[soldier.ammo])

    found = [planned(domain, travel(), ammo=number) for number in (*range(5), *range(5))]
    assert found[:5] == found[5:] == [[str(one) for one in sequence_of(a)] for a in answers]


def sequence_of(answer):
    return answer if isinstance(answer, tuple) else (answer,)


# functions that raise


def boom(soldier):
    raise KeyError("map")


BOOMS = {
    "a precondition": lambda domain: domain.primitive("t", precondition=boom)(),
    "an effect": lambda domain: domain.primitive("t", effects=boom)(),
    "an expected effect": lambda domain: domain.primitive("t", expected=boom)(),
    "a duration": lambda domain: domain.primitive("t", duration=boom)(),
    "a cost": lambda domain: domain.primitive("t", cost=boom)(),
    "a method": lambda domain: compound_of(domain, method(boom)),
    "a condition of a method": lambda domain: compound_of(domain, method(when=boom)),
}


def compound_of(domain, written):
    @domain.compound
    def travel():
        yield written

    return travel()


@pytest.mark.parametrize("place", BOOMS)
def test_a_function_that_raises_ends_the_search_with_the_place_where_it_stands(domain, place):
    goal = BOOMS[place](domain)
    with pytest.raises(PlanningError) as caught:
        planned(domain, goal)
    assert caught.value.code == "BT201"
    assert "boom raised KeyError: 'map'" in str(caught.value)
    assert f"where: {__file__}:{boom.__code__.co_firstlineno}" in str(caught.value)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_method_that_is_a_generator_and_raises_is_placed_as_well(domain, step):
    def wander(soldier):
        yield step("a")
        raise KeyError("map")

    with pytest.raises(PlanningError, match="wander raised KeyError") as caught:
        planned(domain, compound_of(domain, method(wander)))
    assert f"{__file__}:{wander.__code__.co_firstlineno}" in str(caught.value)


def test_a_condition_that_answers_with_a_condition_is_placed_as_well(domain):
    def ready(soldier):
        return Soldier.ammo > 0

    with pytest.raises(SymbolError, match="BT107") as caught:
        planned(domain, domain.primitive("t", precondition=ready)())
    assert f"{__file__}:{ready.__code__.co_firstlineno}" in str(caught.value)
