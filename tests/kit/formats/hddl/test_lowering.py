"""What a domain and a problem in HDDL or PDDL mean as a domain, a state and a goal."""

import pytest

from bthtn import BthtnError, Settings, find_plan
from bthtn.engine.world.relation import Relation
from bthtn.kit.formats.hddl import plan_text, truths
from bthtn.kit.formats.hddl.lowering import planning_problem
from bthtn.kit.formats.hddl.parser import domain_in, problem_in
from bthtn.kit.formats.hddl.source import Source
from tests.independent.hddl_plans import verify
from tests.kit.formats.hddl.island_post import DOMAIN, PROBLEM, read


def solved(domain=DOMAIN, problem=PROBLEM):
    """The steps of the plan, which is verified; None if there is none."""
    files = read(domain, problem)
    lowered = planning_problem(*files)
    plan = find_plan(lowered.domain, lowered.state, lowered.goal, Settings(max_expansions=20_000))
    if plan is None:
        return None
    text = plan_text(plan)
    verify(*files, text)
    return [line.partition(" ")[2] for line in text.split("root")[0].splitlines()[1:]]


def task(parameters="", body="", problem="", network=":ordered-subtasks", **actions):
    """The steps of a problem with one task and these actions on objects a, b, c."""
    written = "".join(f"(:action {name} {rest})" for name, rest in actions.items())
    domain = f"""(define (domain d) (:types t u - object) (:constants a b c - t d - u)
      (:predicates (p ?x) (q ?x) (r ?x ?y) (s))
      (:task all :parameters ())
      (:method only :parameters ({parameters}) :task (all) {body})
      {written})"""
    text = f"""(define (problem p) (:domain d)
      (:htn {network} (and (all))) {problem})"""
    return solved(domain, text)


def test_a_problem_is_planned_and_its_plan_verified():
    steps = solved()
    assert [step for step in steps if step.startswith("sign")] == ["sign ada", "sign bo"]


def test_names_of_things_are_shown_as_they_are_declared():
    assert any(step.endswith("HQ") for step in solved())


def test_predicates_that_no_action_changes_and_types_are_relations():
    state = planning_problem(*read()).state
    relations = {
        fluent.name: value for fluent, value in state.items() if isinstance(fluent, Relation)
    }
    assert ("HQ", "north") in relations["route"]
    assert list(relations["raft"]) == ["tern"]
    assert list(relations["boat"]) == ["gull", "tern"]


def test_a_goal_beside_tasks_holds_at_the_end():
    assert solved(problem=PROBLEM.replace("(delivered bo)", "(at ada hq)")) is None
    assert solved(problem=PROBLEM.replace("(delivered bo)", "(at gull south)")) is not None


def test_a_goal_alone_is_achieved_by_any_action():
    problem = PROBLEM.replace(
        "(:htn :ordered-subtasks (and (deliver ada south) (deliver bo hq)))", ""
    )
    goal = "(:goal (and (at ada south) (not (at tern east))))"
    steps = solved(problem=problem.partition("(:goal")[0] + goal + ")")
    assert "move tern east HQ" in steps
    assert steps.index("load ada gull north") < steps.index("unload ada gull south")


def test_variables_of_the_initial_network_are_chosen():
    steps = solved(
        problem=PROBLEM.replace(
            "(:htn :ordered-subtasks (and (deliver ada south) (deliver bo hq)))",
            "(:htn :parameters (?p - parcel ?i - island) :subtasks (deliver ?p ?i)"
            " :constraints (not (= ?p ada)))",
        ).partition("(:goal")[0]
        + "(:goal (at bo north)))"
    )
    assert steps[-1] == "sign bo"


def test_unordered_tasks_take_turns():
    parts = ":subtasks (and (sail gull north) (load ada gull north) (sail gull hq))"
    problem = PROBLEM.replace(":ordered-subtasks (and (deliver ada south) (deliver bo hq))", parts)
    lowered = planning_problem(*read(problem=problem.partition("(:goal")[0] + ")"))
    assert find_plan(lowered.domain, lowered.state, lowered.goal) is not None


def test_a_plan_in_turns_is_written_with_its_decomposition():
    domain = """(define (domain d) (:types t) (:constants u v - t)
      (:predicates (p ?x - t) (q ?x - t))
      (:task both :parameters (?x - t)) (:task rest :parameters (?x - t)) (:task all)
      (:method m :parameters (?x - t) :task (both ?x) :ordered-subtasks (and (one ?x) (rest ?x)))
      (:method r :parameters (?x - t) :task (rest ?x) :ordered-subtasks (two ?x))
      (:method n :parameters (?x - t) :task (rest ?x) :precondition (q ?x) :ordered-subtasks ())
      (:method a :parameters () :task (all) :subtasks (and (both u) (both v)))
      (:action one :parameters (?x - t) :precondition (forall (?y - t) (not (q ?y)))
        :effect (p ?x))
      (:action two :parameters (?x - t) :precondition (p ?x) :effect (q ?x)))"""
    steps = ["one u", "one v", "two u", "two v"]
    for network in ("(:htn :subtasks (and (both u) (both v)))", "(:htn :subtasks (and (all)))"):
        assert solved(domain, f"(define (problem p) (:domain d) {network})") == steps
    given = "(:htn :subtasks (and (all) (rest u) (rest v)))"
    more = solved(domain, f"(define (problem p) (:domain d) (:init (p u)) {given})")
    assert more.count("two v") >= 1


@pytest.mark.parametrize("network", ["(and (x) (y))", "(and (y) (x))"])
@pytest.mark.parametrize("needs", ["r", "p"])
def test_a_last_turn_that_comes_to_nothing_is_written(network, needs):
    tasks = "(two) (end)" if needs == "r" else "(end) (two)"
    domain = f"""(define (domain d) (:predicates (p) (q) (r)) (:task x) (:task y) (:task end)
      (:method mx :parameters () :task (x) :ordered-subtasks (and (one) (three)))
      (:method my :parameters () :task (y) :ordered-subtasks (and {tasks}))
      (:method me :parameters () :task (end) :precondition ({needs}) :ordered-subtasks ())
      (:action one :precondition (not (q)) :effect (p))
      (:action two :precondition (and (p) (not (r))) :effect (q))
      (:action three :precondition (q) :effect (r)))"""
    problem = f"(define (problem p) (:domain d) (:htn :subtasks {network}))"
    assert solved(domain, problem) == ["one", "two", "three"]


def test_a_variable_gets_a_value_with_which_every_step_can_be_done():
    steps = task(
        "?x ?y - t",
        ":precondition (not (= ?x ?y)) :ordered-subtasks (and (one ?x) (two ?x ?y))",
        "(:init (p a) (p b) (p c) (r b b) (r b c))",
        one=":parameters (?x - t) :precondition (p ?x) :effect (not (p ?x))",
        two=":parameters (?x ?y - t) :precondition (r ?x ?y)",
    )
    assert steps == ["one b", "two b c"]


def test_a_variable_that_is_only_in_a_condition_has_some_value():
    given = {"one": ":effect (s)"}
    body = ":precondition (p ?x) :ordered-subtasks (and (one))"
    assert task("?x - t", body, "(:init (p b))", **given) == ["one"]
    assert task("?x - t", body, "(:init)", **given) is None


def test_an_argument_of_a_wider_type_is_asked_for_its_type():
    given = {"one": ":parameters (?x - u) :effect (s)"}
    body = ":ordered-subtasks (and (one ?x))"
    assert task("?x - object", body, "(:init)", **given) == ["one d"]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("(forall (?y - t) (p ?y))", True),
        ("(forall (?y) (p ?y))", False),
        ("(exists (?y - u) (p ?y))", False),
        ("(exists (?y - (either t u)) (r ?y ?x))", True),
        ("(imply (s) (p d))", True),
        ("(imply (p a) (p d))", False),
        ("(or (p d) (= ?x a))", True),
        ("(not (or (p d) (not (= ?x a))))", True),
    ],
)
def test_conditions_mean_what_pddl_says(condition, holds):
    steps = task(
        "",
        ":ordered-subtasks (and (one a))",
        "(:init (p a) (p b) (p c) (r b a))",
        one=f":parameters (?x - t) :precondition {condition} :effect (p ?x)",
    )
    assert (steps is not None) is holds


@pytest.mark.parametrize(
    ("effect", "goal"),
    [
        ("(and (not (p a)) (p a))", "(p a)"),
        ("(and (p b) (not (p b)))", "(p b)"),
        ("(when (p a) (p b))", "(and (p a) (p b))"),
        ("(when (p b) (p c))", "(not (p c))"),
        ("(and (when (p a) (not (p a))) (when (p a) (p b)))", "(and (not (p a)) (p b))"),
        ("(forall (?y - t) (when (not (p ?y)) (p ?y)))", "(and (p a) (p b) (p c))"),
        ("(forall (?y - t) (when (p ?y) (and (not (p ?y)) (q ?y))))", "(and (not (p a)) (q a))"),
        ("(and (not (p ?x)) (when (q a) (p ?x)))", "(not (p a))"),
        ("(and (not (p ?x)) (when (p a) (p a)))", "(p a)"),
    ],
)
def test_effects_mean_what_pddl_says(effect, goal):
    steps = task(
        "",
        ":ordered-subtasks (and (one a))",
        f"(:init (p a)) (:goal {goal})",
        one=f":parameters (?x - t) :effect {effect}",
    )
    assert steps == ["one a"]


def test_costs_are_those_of_the_function_that_is_minimized():
    text = """(define (domain d) (:functions (total-cost) (far ?x)) (:predicates (p) (q))
      (:action near :parameters (?x) :effect (and (p) (increase (total-cost) (far ?x))))
      (:action free :effect (q)))"""
    problem = """(define (problem p) (:domain d) (:objects a b) (:goal (and (p) (q)))
      (:init (= (far a) 7) (= (far b) 2.5)) (:metric minimize (total-cost)))"""
    domain = domain_in(Source("d.pddl", text))
    lowered = planning_problem(domain, problem_in(Source("p.pddl", problem), domain))
    settings = Settings(cheapest=True)
    plan = find_plan(lowered.domain, lowered.state, lowered.goal, settings)
    assert min(map(str, plan.steps)) == "free"
    costs = {step.task.name: step.cost for step in plan.steps}
    assert costs["free"] == 0
    assert costs["near"] in (7, 2.5)


def test_costs_under_a_condition_are_refused_where_they_count():
    domain = """(define (domain d) (:functions (total-cost)) (:predicates (p))
      (:action go :effect (and (p) (increase (total-cost) 3))))"""
    problem = """(define (problem p) (:domain d) (:goal (p))
      (:metric minimize (total-cost)))"""
    lowered = planning_problem(*read(domain, problem))
    (step,) = find_plan(lowered.domain, lowered.state, lowered.goal).steps
    assert step.cost == 3
    domain = domain.replace("(increase (total-cost) 3)", "(when (p) (increase (total-cost) 3))")
    with pytest.raises(BthtnError, match=r"BT441.*costs under a condition"):
        planning_problem(*read(domain, problem))


METHODS = """(define (domain d) (:types t u - object n - t e) (:constants a b - t c - n)
  (:predicates (p ?x)) (:task all :parameters (?x ?y - t))
  (:method m :parameters (METHOD)
  (:action one :parameters (?x) :effect (p ?x)))"""


@pytest.mark.parametrize(
    ("method", "call", "steps"),
    [
        ("?x - t) :task (all ?x ?x) :subtasks (one ?x))", "(all a a)", ["one('a')"]),
        ("?x - t) :task (all ?x ?x) :subtasks (one ?x))", "(all a b)", None),
        ("?x - t) :task (all ?x b) :subtasks (one ?x))", "(all a b)", ["one('a')"]),
        ("?x - t) :task (all ?x b) :subtasks (one ?x))", "(all b a)", None),
        ("?x - n ?y - t) :task (all ?x ?y) :subtasks (one ?x))", "(all c a)", ["one('c')"]),
        ("?x - n ?y - t) :task (all ?x ?y) :subtasks (one ?x))", "(all a a)", None),
        ("?x ?y - t ?z - e) :task (all ?x ?y) :subtasks (one ?x))", "(all a a)", None),
        (
            "?x ?y ?z - t) :task (all ?x ?y) :subtasks (one ?z) :constraints (sortof ?z - n))",
            "(all a a)",
            ["one('c')"],
        ),
    ],
)
def test_a_method_is_for_the_arguments_that_it_names(method, call, steps):
    problem = f"(define (problem p) (:domain d) (:htn :subtasks {call}))"
    lowered = planning_problem(*read(METHODS.replace("METHOD)", method), problem))
    plan = find_plan(lowered.domain, lowered.state, lowered.goal)
    assert (None if plan is None else list(map(str, plan.steps))) == steps


def test_unordered_parts_come_after_each_other_where_all_of_them_are_ordered():
    calls = "(a (sign ada)) (b (sail gull north)) (c (sail tern hq)) (d (sign bo))"
    orders = "(< a c) (< a d) (< b c) (< b d)"
    network = f":subtasks (and {calls}) :ordering (and {orders})"
    problem = PROBLEM.replace(
        ":ordered-subtasks (and (deliver ada south) (deliver bo hq))", network
    )
    steps = solved(problem=problem.partition("(:goal")[0] + ")")
    assert {*steps[:2]} == {"sign ada", "move gull HQ north"}
    assert {*steps[2:]} == {"move tern east HQ", "sign bo"}


def test_names_that_begin_with_a_digit_are_names():
    steps = task(
        "?1 - t",
        ":precondition (exists (?2 - t) (r ?1 ?2)) :ordered-subtasks (and (1st ?1))",
        "(:init (r b a))",
        **{"1st": ":parameters (?1 - t) :effect (s)"},
    )
    assert steps == ["1st b"]


def test_names_that_python_or_a_state_has_are_no_hindrance():
    domain = (
        DOMAIN.replace("delivered", "frozen")
        .replace("(light", "(__class__")
        .replace("?from", "?class")
        .replace("raft", "at")
        .replace("?b", "?my-boat")
    )
    problem = PROBLEM.replace("delivered", "frozen").replace("light", "__class__")
    assert solved(domain, problem.replace("- raft", "- at")) is not None


def test_quantifiers_that_stand_for_too_much_are_refused_with_their_line(monkeypatch):
    monkeypatch.setattr(truths, "MOST_INSTANCES", 10_000)
    many = " ".join(f"o{number}" for number in range(10))
    domain = DOMAIN.replace(
        ":precondition (in ?p ?b)", ":precondition (forall (?x ?y ?z ?w - parcel) (in ?x ?b))"
    ).replace("(and (in ?p ?b) (at ?b ?i))", "(forall (?x ?y ?z ?w - parcel) (in ?x ?b))")
    with pytest.raises(BthtnError, match=r"BT441.*quantifiers"):
        planning_problem(*read(domain, PROBLEM.replace("ada bo", f"ada bo {many}")))


def test_orders_that_are_no_sequence_of_unordered_parts_are_kept():
    calls = "(a (sign ada)) (b (sail gull hq)) (c (sail gull north)) (d (sign bo))"
    network = f":subtasks (and {calls}) :ordering (and (< c a) (< c b) (< d b))"
    problem = PROBLEM.replace(
        ":ordered-subtasks (and (deliver ada south) (deliver bo hq))", network
    )
    steps = solved(problem=problem.partition("(:goal")[0] + ")")
    assert steps.index("move gull HQ north") < steps.index("sign ada")
    assert steps.index("sign bo") < steps.index("move gull north HQ")


def test_what_others_may_do_in_between_is_not_needed_at_the_beginning():
    domain = """(define (domain d) (:predicates (p) (q))
      (:task whole :parameters ()) (:task half :parameters ())
      (:method m :parameters () :task (whole) :ordered-subtasks (and (first) (half)))
      (:method n :parameters () :task (half) :ordered-subtasks (and (second)))
      (:action first :effect (q))
      (:action second :precondition (p))
      (:action between :precondition (q) :effect (p)))"""
    problem = """(define (problem p) (:domain d)
      (:htn :subtasks (and (whole) (between))))"""
    lowered = planning_problem(*read(domain, problem))
    plan = find_plan(lowered.domain, lowered.state, lowered.goal)
    assert list(map(str, plan.steps)) == ["first", "between", "second"]
