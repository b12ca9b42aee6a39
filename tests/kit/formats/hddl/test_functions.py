"""Functions in HDDL and PDDL: numbers that change, and functions that are objects."""

import pytest

from bthtn import BthtnError, Settings, find_plan
from bthtn.kit.formats.hddl import converted
from bthtn.kit.formats.hddl.lowering import planning_problem
from bthtn.kit.formats.hddl.parser import domain_in, problem_in
from bthtn.kit.formats.hddl.source import Source
from bthtn.studio.testing.domain_files import module_at

LORRY = """(define (domain lorry)
  (:requirements :typing :numeric-fluents :object-fluents)
  (:types place driver)
  (:constants Home - place)
  (:predicates (road ?a ?b - place) (tired))
  (:functions (fuel) - number (miles ?a ?b - place) (trips) - number
    (here) - place (home-of ?d - driver) - place)
  (:action go
    :parameters (?from ?to - place)
    :precondition (and (road ?from ?to) (= (here) ?from) (<= (miles ?from ?to) (fuel)))
    :effect (and (assign (here) ?to) (decrease (fuel) (miles ?from ?to)) (increase (trips) 1)))
  (:action fill
    :precondition (and (= (here) Home) (not (= (fuel) 5)))
    :effect (assign (fuel) 5)))"""
TOWN = """(define (problem town) (:domain lorry)
  (:objects Mill Ford - place Ida - driver)
  (:init (road Home Mill) (road Mill Home) (road Mill Ford) (= (miles Home Mill) 2)
    (= (miles Mill Home) 2) (= (miles Mill Ford) 3.5) (= (fuel) 4) (= (here) Home)
    (= (home-of Ida) Ford))
  (:goal GOAL))"""


def files(goal, domain=LORRY):
    read = domain_in(Source("lorry.pddl", domain))
    return read, problem_in(Source("town.pddl", TOWN.replace("GOAL", goal)), read)


def steps(goal, domain=LORRY, **settings):
    asked = planning_problem(*files(goal, domain))
    plan = find_plan(asked.domain, asked.state, asked.goal, Settings(**settings))
    return None if plan is None else [str(step) for step in plan.steps]


def test_an_action_is_done_while_a_number_suffices_and_uses_it_up():
    assert steps("(= (here) Mill)") == ["go('Home', 'Mill')"]
    assert steps("(and (= (here) Home) (= (fuel) 0))") == [
        "go('Home', 'Mill')",
        "go('Mill', 'Home')",
    ]


def test_a_number_can_be_assigned_and_compared_with_what_is_computed():
    assert steps("(= (fuel) (* 2.5 2))") == ["fill"]
    assert steps("(> (- (fuel) 1) (/ 7 2))") == ["fill"]
    assert steps("(< (- (fuel)) (- 4))") == ["fill"]


def test_what_compares_no_function_is_known_beforehand():
    assert steps("(< 1 2)") == []
    assert steps("(or (< 2 1) (= (here) Mill))") == ["go('Home', 'Mill')"]


def test_a_function_may_be_compared_with_another_that_is_an_object():
    near = LORRY.replace("(assign (fuel) 5)", "(assign (fuel) 7)")
    assert steps("(= (here) (home-of Ida))", near)[-1] == "go('Mill', 'Ford')"


def test_without_numbers_that_grow_the_search_goes_back_from_the_goal():
    plain = LORRY.replace("(decrease (fuel) (miles ?from ?to))", "")
    plain = plain.replace("(<= (miles ?from ?to) (fuel))", "(< 2 (fuel))")
    asked = planning_problem(*files("(= (here) Ford)", plain))
    plan = find_plan(asked.domain, asked.state, asked.goal)
    assert [str(step) for step in plan.steps] == ["go('Home', 'Mill')", "go('Mill', 'Ford')"]
    assert asked.goal.manner.forward is False
    assert planning_problem(*files("(= (here) Ford)")).goal.manner.forward is True


def test_a_number_that_nothing_reads_is_not_planned_with():
    asked = planning_problem(*files("(= (here) Mill)"))
    assert len(asked.domain.task("go").effects) == 2
    asked = planning_problem(*files("(and (= (here) Mill) (> (trips) 2))"))
    assert len(asked.domain.task("go").effects) == 3


def test_a_number_that_grows_may_be_the_cost_and_in_a_condition():
    read, _ = files("(tired)")
    text = TOWN.replace("GOAL", "(and (= (here) Home) (>= (trips) 2))")
    text = text[:-1] + "(:metric minimize (trips)))"
    asked = planning_problem(read, problem_in(Source("town.pddl", text), read))
    plan = find_plan(asked.domain, asked.state, asked.goal, Settings(cheapest=True))
    assert (len(plan.steps), plan.cost) == (2, 2)


def switched(effect, goal):
    """The names of the steps to a goal with a lamp that is off and 4 units of oil."""
    text = f"""(define (domain lamp) (:types lamp) (:constants red - lamp)
      (:predicates (on) (lit)) (:functions (oil) - number (used) - lamp)
      (:action switch :effect (on))
      (:action change :precondition (< (oil) 9) :effect {effect}))"""
    domain = domain_in(Source("lamp.pddl", text))
    problem = f"(define (problem p) (:domain lamp) (:init (= (oil) 4)) (:goal {goal}))"
    asked = planning_problem(domain, problem_in(Source("p.pddl", problem), domain))
    plan = find_plan(asked.domain, asked.state, asked.goal, Settings(cheapest=True))
    return [step.task.name for step in plan.steps]


@pytest.mark.parametrize(
    ("effect", "goal", "wanted"),
    [
        ("(when (on) (assign (oil) 9))", "(= (oil) 9)", ["switch", "change"]),
        ("(when (not (on)) (assign (oil) 9))", "(and (on) (= (oil) 9))", ["change", "switch"]),
        ("(when (on) (increase (oil) 2))", "(= (oil) 6)", ["switch", "change"]),
        ("(when (on) (decrease (oil) (/ (oil) 2)))", "(= (oil) 2)", ["switch", "change"]),
        ("(when (on) (lit))", "(lit)", ["switch", "change"]),
        ("(when (= red red) (assign (oil) 9))", "(= (oil) 9)", ["change"]),
        ("(and (on) (when (not (= red red)) (assign (oil) 9)))", "(on)", ["switch"]),
    ],
)
def test_what_changes_under_a_condition_changes_if_it_holds(effect, goal, wanted):
    assert switched(effect, goal) == wanted


@pytest.mark.parametrize(
    ("effect", "wanted"),
    [
        ("(when (on) (assign (used) red))", "objects that a function becomes under a condition"),
        (
            "(and (assign (oil) 3) (when (on) (assign (oil) 5)))",
            "'oil' gets several values, one under a condition",
        ),
    ],
)
def test_other_changes_of_functions_under_a_condition_are_refused(effect, wanted):
    with pytest.raises(BthtnError, match=rf"BT441.*{wanted}"):
        switched(effect, "(and (= (used) red) (= (oil) 5))")


def test_costs_below_zero_are_refused():
    text = TOWN.replace("GOAL", "(tired)")[:-1] + "(:metric minimize (trips)))"
    domain = domain_in(Source("lorry.pddl", LORRY.replace("(trips) 1", "(trips) -1")))
    with pytest.raises(BthtnError, match=r"BT441.*costs below zero"):
        planning_problem(domain, problem_in(Source("town.pddl", text), domain))


def test_what_is_minimized_is_a_number():
    domain = domain_in(Source("lorry.pddl", LORRY))
    text = TOWN.replace("GOAL", "(tired)")[:-1] + "(:metric minimize (here)))"
    with pytest.raises(BthtnError, match="'here' is no number"):
        problem_in(Source("town.pddl", text), domain)


@pytest.mark.parametrize(
    ("fact", "wanted"),
    [
        ("(= (here) 3)", "there is no object '3'"),
        ("(= (here) (fuel))", "brackets stand where an object belongs"),
        ("(= (here) Mil)", "there is no object 'mil'"),
    ],
)
def test_a_function_with_objects_begins_as_one(fact, wanted):
    domain = domain_in(Source("lorry.pddl", LORRY))
    with pytest.raises(BthtnError, match=wanted):
        problem_in(Source("town.pddl", TOWN.replace("(= (here) Home)", fact)), domain)


def test_functions_are_written_in_python(tmp_path):
    (tmp_path / "lorry.pddl").write_text(LORRY, "utf-8")
    text = converted(tmp_path / "lorry.pddl")
    assert 'here: Fluent[str] = fluent(default="")' in text
    assert "Lorry.here.becomes(to)" in text
    assert "Lorry.fuel.increases((0 - Lorry.miles[from_, to]))" in text
    assert "Lorry.miles[from_, to] <= Lorry.fuel" in text
    (tmp_path / "domain.py").write_text(text, "utf-8")
    module = module_at(tmp_path / "domain.py")
    given = module.Lorry(here="a", road=[("a", "b")], fuel=3.0)
    plan = find_plan(module.lorry, given, module.go("a", "b"))
    assert plan.predicted.get(module.Lorry.here) == "b"


def test_functions_are_written_in_what_quantifies(tmp_path):
    asked = "(forall (?p - place) (< (/ (miles Home ?p) 2) (fuel)))"
    (tmp_path / "lorry.pddl").write_text(LORRY.replace("(not (= (fuel) 5))", asked), "utf-8")
    text = converted(tmp_path / "lorry.pddl")
    assert 'all((state.miles["Home", p] / 2) < state.fuel for p in state.place)' in text


def test_divisions_are_not_written_in_data(tmp_path):
    (tmp_path / "lorry.pddl").write_text(LORRY.replace("(= (fuel) 5)", "(= (/ (fuel) 2) 5)"))
    with pytest.raises(BthtnError, match=r"BT441.*divisions are not written"):
        converted(tmp_path / "lorry.pddl")
