"""Files in HDDL and PDDL are read, and whatever is wrong in them is told with its place."""

import pytest

from bthtn import BthtnError
from bthtn.kit.formats.hddl.forms import DEEPEST
from bthtn.kit.formats.hddl.parser import domain_in, kind_of, problem_in
from bthtn.kit.formats.hddl.source import Source
from bthtn.kit.formats.hddl.syntax import Exists, OfType, Or
from tests.kit.formats.hddl.island_post import DOMAIN, PROBLEM, read

FAULTS = {
    "(:types island place - object": {
        "(:typs island place - object": "BT441 sections ':typs' are not read ':types'",
        "(:types (island) place - object": "BT440 brackets stand where a type belongs",
        "(:types raft - parcel parcel - thing island place - object": "",
        "(:types parcel - parcel island place - object": "BT440 the type 'parcel' is above itself",
    },
    "?p - parcel ?b - boat)\n    (route": {
        "?p - parcle ?b - boat)\n    (route": "BT442 there is no type 'parcle' 'parcel'",
        "?p - ?b - boat)\n    (route": "BT442 there is no type '?b'",
        "?p parcel - boat)\n    (route": "BT440 'parcel' is not a variable begin with a '?'",
    },
    ":precondition (at ?p ?to)": {
        ":precondition (att ?p ?to)": "BT442 there is no predicate 'att' 'at'",
        ":precondition (at ?q ?to)": "BT442 there is no variable '?q' here ?p",
        ":precondition (at ?p hqq)": "BT442 there is no object 'hqq' 'hq'",
        ":precondition (at ?p)": "BT440 'at' takes 2 arguments, not 1 (at ?t ?i)",
        ":precondition (not (at ?p ?to) (at ?p ?to))": "BT440 'not' takes 1 part, not 2",
        ":precondition (< 1 ?p)": "BT440 '<' does not compare objects with numbers",
        ":precondition (> ?p ?to)": "BT440 '>' does not compare objects with numbers",
        ":precondition (< 1 (+ 1 2 3))": "BT440 '+' takes 2 parts, not 3",
        ":precondition (< 1 (+ 1 ?p))": "BT440 an object stands where a number belongs",
        ":precondition at": "BT440 'at' stands where a condition in brackets belongs",
        ":precondtion (at ?p ?to)": "BT441 ':precondtion' is not read here ':precondition'",
        ":precondition (at ?p ?to) :precondition ()": "BT440 ':precondition' is given twice",
        ":effect (at ?p ?to)": "BT441 ':effect' is not read here",
    },
    ":task (sail ?b ?to)\n    :precondition (at ?b ?to)": {
        ":task (sial ?b ?to)": "BT442 there is no task with methods 'sial' 'sail'",
        ":task (move ?b ?to ?to)": "BT442 there is no task with methods 'move'",
    },
    "(< fetch load)": {
        "(< fetch laod)": "BT442 no task is labelled 'laod' 'load'",
        "(fetch load)": "BT440 this is no order of two tasks",
        "(< fetch load) (< done fetch)": "BT440 these orders go round in a circle",
    },
    ":effect (delivered ?p)": {
        ":effect (deliverd ?p)": "BT442 there is no predicate 'deliverd' 'delivered'",
        ":effect (scale-up (cost) 3)": "BT441 effects 'scale-up' are not read",
        ":effect (increase (cost) 3)": "BT442 there is no function 'cost'",
        ":effect (delivered ?p": "BT440 this bracket is never closed",
        ":effect (delivered ?p))": "BT440 this bracket closes none",
        ":effect": "BT440 nothing stands behind ':effect'",
    },
    "(:action sign": {
        "(:durative-action sign": "BT441 sections ':durative-action' are not read ':action'",
        "(:action move": "BT442 two tasks are called 'move'",
        "(:action ?sign": "BT440 '?sign' is not a name",
    },
    ":typing": {":typng": "BT441 ':typng' is not supported ':typing'"},
    "(define (domain Island-Post)": {
        "(defun (domain Island-Post)": "BT440 this defines nothing",
        "(define (problem Island-Post)": "BT440 this is a problem, and no domain",
        "(define (domain)": "BT440 this names no domain and no problem",
        "\x00(define (domain Island-Post)": "BT440 the character '\\x00' means nothing",
        "x (define (domain Island-Post)": "BT440 a file begins with a bracket",
    },
}
PROBLEM_FAULTS = {
    "(at ada north)": {
        "(at adda north)": "BT442 there is no object 'adda' 'ada'",
        "(= (at ada) 3)": "BT442 there is no function 'at'",
    },
    "(:goal (and (delivered ada) (delivered bo)))": {
        "(:goal (and (delivered ?x)))": "BT442 there is no variable '?x' here",
        "(:gaol (delivered bo))": "BT441 sections ':gaol' are not read ':goal'",
        "(:goal (delivered bo)) (:goal ())": "BT440 there are two sections ':goal'",
        "(:metric maximize (x))": "BT441 only a function alone can be minimized",
        "(:metric minimize (cost))": "BT442 there is no function 'cost'",
    },
    "(deliver ada south)": {
        "(delivre ada south)": "BT442 there is no task 'delivre' 'deliver'",
        "(deliver ada)": "BT440 'deliver' takes 2 arguments, not 1",
    },
}


def told(error):
    fault = error.value.diagnostics[0]
    return f"{fault.code} {fault.message}", fault.where, fault.hint


def checked(before, after, text, wanted, is_problem):
    assert before in text
    changed = text.replace(before, after, 1)
    if not wanted:
        read(changed)
        return
    with pytest.raises(BthtnError) as error:
        read(problem=changed) if is_problem else read(changed)
    said, where, hint = told(error)
    assert wanted.startswith(said), said
    assert wanted[len(said) :].strip() in hint
    line = int(where.split(":")[1])
    first = text[: text.index(before)].count("\n") + 1
    assert line in range(1 if "bracket" in said else first, first + 3)


@pytest.mark.parametrize(
    ("before", "after"), [(b, a) for b, others in FAULTS.items() for a in others]
)
def test_a_fault_in_a_domain_is_told_at_its_line(before, after):
    checked(before, after, DOMAIN, FAULTS[before][after], is_problem=False)


@pytest.mark.parametrize(
    ("before", "after"), [(b, a) for b, others in PROBLEM_FAULTS.items() for a in others]
)
def test_a_fault_in_a_problem_is_told_at_its_line(before, after):
    checked(before, after, PROBLEM, PROBLEM_FAULTS[before][after], is_problem=True)


SMALL = """(define (domain d) (:predicates (p ?x)) (:functions (total-cost))
  (:task all :parameters ())
  (:method m :parameters () :task (all) :ordered-subtasks ())
  (:action a :parameters (?x) :effect (p ?x)))"""


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ("(?x) :effect", "(?x ?x) :effect", "BT442 the variable '?x' is declared twice"),
        (
            ":ordered-subtasks ()",
            ":subtasks () :tasks ()",
            "BT440 ':subtasks' and ':tasks' are both given",
        ),
        (
            ":ordered-subtasks ()",
            ":subtasks (and (t (all)) (t (all)))",
            "BT442 two tasks are labelled 't'",
        ),
        ("(p ?x))", "(when ?x))", "BT440 a predicate cannot be called 'when'"),
        ("(p ?x))", "(p ?x) (p ?y))", "BT442 two predicates are called 'p'"),
        (
            "(total-cost)",
            "(total-cost) - objet",
            "BT442 there is no type 'objet'",
        ),
        (
            ":effect (p ?x)",
            ":effect (forall (?x) (p ?x))",
            "BT441 there is a variable '?x' around it",
        ),
        (
            ":effect (p ?x)",
            ":effect (increase (total-cost) ?x)",
            "BT440 a number is missing for 'total-cost'",
        ),
        (
            ":effect (p ?x)",
            ":effect (increase (total-cost))",
            "BT440 'increase' takes 2 parts, not 1",
        ),
        ("(total-cost)", "(total-cost) -", "BT440 a type is missing behind '-'"),
        (":task (all) ", "", "BT440 the method 'm' says no :task"),
    ],
)
def test_what_a_small_domain_may_not_say_is_told(before, after, wanted):
    assert before in SMALL
    with pytest.raises(BthtnError) as error:
        domain_in(Source("d.hddl", SMALL.replace(before, after, 1)))
    assert told(error)[0] == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(define (domain p))", "BT440 this is a domain, and no problem"),
        ("(define (problem p) (:init))", "BT440 there is neither a :goal nor an :htn"),
        (
            "(define (problem p) (:init (= (total-cost) p)) (:goal ()))",
            "BT440 a number is missing here",
        ),
        ("(define (problem p) (:requirements :odd) (:goal ()))", "BT441 ':odd' is not supported"),
    ],
)
def test_what_a_problem_may_not_say_is_told(text, wanted):
    with pytest.raises(BthtnError) as error:
        problem_in(Source("p.hddl", text), domain_in(Source("d.hddl", SMALL)))
    assert told(error)[0] == wanted


def test_a_fact_that_does_not_hold_at_first_is_checked_and_adds_nothing():
    text = "(define (problem p) (:objects o) (:init (not (p o))) (:goal ()))"
    domain = domain_in(Source("d.hddl", SMALL))
    assert problem_in(Source("p.hddl", text), domain).facts == ()
    with pytest.raises(BthtnError, match="there is no object 'oo'"):
        problem_in(Source("p.hddl", text.replace("(p o)", "(p oo)")), domain)


def test_an_effect_may_be_empty_and_a_cost_a_number():
    text = SMALL.replace(":effect (p ?x)", ":effect (and () (increase (total-cost) 3))")
    (effect,) = domain_in(Source("d.hddl", text)).actions["a"].effects
    assert effect.amount == 3


def test_a_file_says_whether_it_is_a_domain_or_a_problem(tmp_path):
    for kind in ("domain", "problem"):
        file = tmp_path / f"{kind}.hddl"
        file.write_text(f"(define ({kind} x))", "utf-8")
        assert kind_of(file) == kind


def test_the_place_of_a_fault_is_its_line_and_column():
    with pytest.raises(BthtnError) as error:
        domain_in(
            Source("d.hddl", "(define (domain d)\n  (:predicates (p))\n (:action a :effect (q)))")
        )
    assert told(error)[1] == "d.hddl:3:21"


def test_case_has_no_meaning_and_names_are_shown_as_they_are_declared():
    domain, problem = read(DOMAIN, PROBLEM.replace("gull", "Gull"))
    assert [task.spelled for task in domain.tasks.values()] == ["deliver", "sail"]
    assert problem.objects["hq"].spelled == "HQ"
    assert problem.objects["gull"].spelled == "Gull"
    assert read(DOMAIN.upper())[0].methods[0].name == "is-there"


def test_sections_may_stand_in_any_order():
    declared = "(:constants HQ - island)"
    domain, _ = read(DOMAIN.replace(declared, "").rstrip()[:-1] + declared + ")")
    assert "hq" in domain.constants


@pytest.mark.parametrize("word", [":subtasks", ":tasks", ":ordered-subtasks", ":ordered-tasks"])
def test_networks_are_ordered_where_they_say_so(word):
    given = ":ordered-subtasks (and (sail ?b ?by) (move ?b ?by ?to))"
    domain, _ = read(DOMAIN.replace(given, f"{word} (and (sail ?b ?by) (move ?b ?by ?to))"))
    network = next(each for each in domain.methods if each.name == "over").network
    assert network.before == (((0, 1),) if "ordered" in word else ())


def test_constraints_may_be_about_types():
    constraint = ":constraints (and (not (= ?by ?to)) (not (sortof ?b - raft)))"
    domain, _ = read(DOMAIN.replace(":constraints (not (= ?by ?to))", constraint))
    network = next(each for each in domain.methods if each.name == "over").network
    wanted = network.constraints.parts[1].part
    assert wanted == OfType("?b", ("raft",), wanted.at)


def test_all_of_the_conditions_are_read():
    condition = "(or (imply (at ?p ?i) (in ?p ?b)) (exists (?x - (either boat island)) (= ?x ?b)))"
    domain, _ = read(DOMAIN.replace("(and (in ?p ?b) (at ?b ?i))", condition))
    found = domain.actions["unload"].condition
    assert isinstance(found, Or)
    assert isinstance(found.parts[1], Exists)
    assert found.parts[1].variables[0].types == ("boat", "island")


def test_an_object_and_a_type_a_task_and_a_predicate_may_share_a_name():
    twice = DOMAIN.replace("(delivered ?p - parcel)", "(deliver ?p - parcel)").replace(
        "(delivered ?p)", "(deliver ?p)"
    )
    problem = PROBLEM.replace("delivered", "deliver").replace("gull", "boat")
    assert read(twice, problem)[1].objects["boat"].types == ("boat",)


def test_methods_may_have_the_same_name():
    domain, _ = read(DOMAIN.replace("(:method over", "(:method direct"))
    assert [each.name for each in domain.methods].count("direct") == 2


def test_nesting_has_a_limit_and_no_limit_of_python():
    deep = "(" * (DEEPEST * 100) + ")" * (DEEPEST * 100)
    with pytest.raises(BthtnError, match=f"nested deeper than {DEEPEST}"):
        domain_in(Source("d.hddl", deep))


def test_costs_are_numbers_of_functions():
    text = """(define (domain d) (:requirements :action-costs)
      (:functions (total-cost) - number (far ?a ?b - object) - number)
      (:action go :parameters (?a ?b) :effect (increase (total-cost) (far ?a ?b))))"""
    domain = domain_in(Source("d.pddl", text))
    problem = """(define (problem p) (:domain d) (:objects a b)
      (:init (= (far a b) 2.5) (= (total-cost) 0)) (:goal ()) (:metric minimize (total-cost)))"""
    found = problem_in(Source("p.pddl", problem), domain)
    assert [number for _, number in found.values] == [2.5, 0]
    assert found.minimizes == "total-cost"


@pytest.mark.parametrize(
    ("before", "after", "message", "hint"),
    [
        ("(deliver ada south)", "(deliver south ada)", "'south' is of type island", "?p"),
        (
            "(at ada north)",
            "(at north ada)",
            "'north' is of type island",
            "'at' takes thing for its ?t",
        ),
        ("(load ?p ?b ?from)", "(load ?b ?p ?from)", "'?b' is of type boat", "?p"),
        ("(in ?other ?b)", "(in ?b ?other)", "'?b' is of type boat", "parcel"),
    ],
)
def test_what_can_never_be_of_the_type_is_refused_where_it_stands(before, after, message, hint):
    with pytest.raises(BthtnError) as raised:
        read(DOMAIN.replace(before, after), PROBLEM.replace(before, after))
    (fault,) = raised.value.diagnostics
    assert (fault.code, fault.message) == ("BT442", message)
    assert hint in fault.hint


def test_a_variable_of_a_wider_type_may_be_of_the_wanted_one():
    read(
        DOMAIN.replace(
            "?b - boat ?from ?to - island)\n    :task (sail",
            "?b - thing ?from ?to - island)\n    :task (sail",
        ),
        PROBLEM,
    )


def test_a_bracket_that_is_missing_is_told_where_the_next_section_begins_too_deep():
    text = DOMAIN.replace("(sail ?b ?by) (move ?b ?by ?to))\n", "(sail ?b ?by) (move ?b ?by ?to)\n")
    with pytest.raises(BthtnError, match="never closed") as raised:
        read(text, PROBLEM)
    line = int(raised.value.diagnostics[0].where.split(":")[1])
    assert text.splitlines()[line - 1].strip().startswith("(:method over")
