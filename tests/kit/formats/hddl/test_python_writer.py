"""A domain in HDDL that is written in Python is the same domain, as one would write it."""

import subprocess
import sys

import pytest

from bthtn import BthtnError, find_plan
from bthtn.kit.formats.hddl import converted
from bthtn.kit.formats.hddl.lowering import planning_problem
from bthtn.studio.testing.domain_files import module_at
from tests.kit.formats.hddl.island_post import DOMAIN, PROBLEM, read

GIVEN = {
    "island": ["HQ", "north", "south", "east"],
    "boat": ["gull", "tern"],
    "raft": ["tern"],
    "parcel": ["ada", "bo"],
    "route": [("HQ", "north"), ("north", "HQ"), ("north", "south"), ("south", "north")],
    "light": ["tern"],
    "at": {("ada", "north"): True, ("bo", "east"): True, ("gull", "HQ"): True},
}

CLASS = """
(define (domain Class)
  (:requirements :typing :hierarchy :action-costs)
  (:types room - place  box ball - thing  place thing - object)
  (:constants Hall - room Red - box)
  (:predicates (holding) (in ?t - thing ?r - room) (seen ?o) (open ?r - room)
    (next ?a ?b - room) (State))
  (:functions (total-cost) (way ?a ?b - room) (fee))
  (:task bring :parameters (?t - thing ?r - room))
  (:task all :parameters ())
  (:task later :parameters (?r - room))
  (:method boxes :parameters (?t - box ?r - room ?o) :task (bring ?t ?r)
    :precondition (and (not (holding)) (not (= ?r Hall)) (seen ?o) (or (open ?r) (not (seen ?t))))
    :ordered-subtasks (and (take ?t) (drop ?t ?r)))
  (:method to-hall :parameters (?t - thing) :task (bring ?t Hall)
    :precondition (and (exists (?b - ball) (in ?b Hall)) (imply (holding) (forall (?x) (seen ?x))))
    :ordered-subtasks (and (take ?t) (drop ?t Hall)))
  (:method both :parameters (?r - room) :task (all)
    :precondition (and (open ?r) (exists (?y - thing) (and (not (= ?y Red)) (in ?y ?r))))
    :subtasks (and (look ?r) (mark Red)))
  (:method none :parameters () :task (all) :precondition (or) :ordered-subtasks ())
  (:method either :parameters (?t - (either box ball) ?r - room) :task (bring ?t ?r)
    :precondition (holding) :ordered-subtasks (drop ?t ?r)
    :constraints (not (and (sort ?t - box) (exists (?b - ball) (in ?b ?r)))))
  (:action take :parameters (?t - thing) :precondition (not (holding))
    :effect (and (holding) (increase (total-cost) (fee))))
  (:action drop :parameters (?t - thing ?r - room) :precondition (and (holding))
    :effect (and (not (holding)) (in ?t ?r) (increase (total-cost) 3)))
  (:action look :parameters (?from - room) :precondition (open ?from) :effect ())
  (:action mark :parameters (?class) :effect (seen ?class))
)
"""
CLASS_LINES = (
    'class_ = Domain("class_", Class_2)',
    'room: Relation[str] = relation(default=["Hall"])',
    'objects: Relation[str] = relation(default=["Hall", "Red"])',
    "holding: Fluent[bool] = fluent(default=False)",
    "fee: Fluent[float] = fluent(default=0.0)",
    "way: FluentFamily[tuple[str, str], float] = fluents(default=0.0)",
    "cost=Class_2.fee",
    "cost=3",
    "cost=0",
    "def mark(class__2: str) -> Primitive:",
    "def all_2() -> Methods:",
    "o = one_of(Class_2.objects)",
    'r != "Hall"',
    'r == "Hall"',
    "(Class_2.open[r] | ~Class_2.seen[t])",
    "(Class_2.box[t] | Class_2.ball[t])",
    "lambda state: not (((state.box[t]) and any(state.in_[b, r] for b in state.ball)))",
    "lambda state: (not (state.holding) or all(state.seen[x] for x in state.objects))",
    'any((not (y == "Red") and state.in_[y, r]) for y in state.thing)',
    "lambda state: False",
    'unordered(look(r), mark("Red"))',
    "@class_.extension_point",
)


def written(tmp_path, text=DOMAIN):
    """The module that the domain becomes."""
    source, place = tmp_path / "post.hddl", tmp_path / "domain.py"
    source.write_text(text, "utf-8")
    place.write_text(converted(source), "utf-8")
    return module_at(place)


def test_a_written_domain_plans_what_the_read_one_plans(tmp_path):
    module = written(tmp_path)
    state = module.IslandPost(
        **GIVEN,
    ).frozen()
    plan = find_plan(module.island_post, state, module.deliver("ada", "south"))
    short = PROBLEM.replace(" (deliver bo hq)", "").partition("(:goal")[0] + ")"
    files = planning_problem(*read(problem=short))
    other = find_plan(files.domain, files.state, files.goal)
    assert list(map(str, plan.steps)) == list(map(str, other.steps))


def test_conditions_of_all_objects_are_functions_that_hold_as_they_should(tmp_path):
    module = written(tmp_path)
    given = {**GIVEN, "at": {("ada", "HQ"): True, ("gull", "HQ"): True}}
    full = module.IslandPost(**given, in_={("bo", "gull"): True})
    goal = module.load("ada", "gull", "HQ")
    assert find_plan(module.island_post, full, goal) is None
    assert find_plan(module.island_post, module.IslandPost(**given), goal) is not None


def test_written_code_is_formatted_and_says_what_types_there_are(tmp_path):
    text = converted(_file(tmp_path, DOMAIN))
    assert max(map(len, text.splitlines())) <= 105
    assert '"""p: parcel; to: island."""' in text
    assert "from_, b = one_of(IslandPost.island, IslandPost.boat)" in text


def test_names_that_python_has_are_changed(tmp_path):
    text = DOMAIN.replace("(:action sign", "(:action method").replace("(sign ?p)", "(method ?p)")
    module = written(tmp_path, text.replace("?from", "?class").replace("move", "one_of"))
    assert module.island_post.freeze().task("method_2")


def test_each_construct_is_written_as_one_would_write_it(tmp_path):
    text = converted(_file(tmp_path, CLASS))
    assert [line for line in CLASS_LINES if line not in text] == []


def test_what_is_written_with_all_constructs_plans(tmp_path):
    module = written(tmp_path, CLASS)
    given = {"ball": ["b"], "thing": ["Red", "b"], "open": ["Hall"], "fee": 2.0}
    state = module.Class_2(**given, in_={("b", "Hall"): True}).frozen()

    def steps(task):
        plan = find_plan(module.class_, state, task)
        return None if plan is None else sorted(map(str, plan.steps))

    assert steps(module.bring("Red", "Hall")) == ["drop('Red', 'Hall')", "take('Red')"]
    assert steps(module.all_2()) == ["look('Hall')", "mark('Red')"]
    assert steps(module.bring("Red", "den")) is None


FETCH, LOAD = "sail(b, from_)", "load(p, b, from_)"
GO, DROP, DONE = "sail(b, to)", "unload(p, b, to)", "sign(p)"


@pytest.mark.parametrize(
    ("ordering", "written_so"),
    [
        (
            "(< fetch load) (< go drop) (< drop done)",
            f"unordered(sequence({FETCH}, {LOAD}), sequence({GO}, {DROP}, {DONE})),",
        ),
        (
            "(< fetch load) (< fetch go) (< load drop) (< go drop) (< drop done)",
            f"{FETCH},\n        unordered({LOAD}, {GO}),\n        {DROP},\n        {DONE},",
        ),
        (
            "(< fetch go) (< load go) (< load drop) (< go done) (< drop done)",
            'partial_order("t0 < t2", "t1 < t2", "t1 < t3", '
            f"t0={FETCH}, t1={LOAD}, t2={GO}, t3={DROP}),\n        {DONE},",
        ),
    ],
)
def test_a_partial_order_is_written_by_its_parts(ordering, written_so, tmp_path):
    text = DOMAIN.replace("(< fetch load) (< load go) (< go drop) (< drop done)", ordering)
    assert f"    yield method(\n        {written_so}\n" in converted(_file(tmp_path, text))
    module = written(tmp_path, text)
    assert module.island_post.freeze().task("deliver")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            ":effect (delivered ?p)",
            ":effect (when (at ?p hq) (delivered ?p))",
            "effects under conditions",
        ),
        ("?b - boat ?by ?to", "?b - boat ?by - (either island place) ?to", "one of several types"),
    ],
)
def test_what_is_not_written_is_refused_with_its_line(before, after, message, tmp_path):
    text = DOMAIN.replace(before, after)
    with pytest.raises(BthtnError, match=message) as error:
        converted(_file(tmp_path, text))
    assert error.value.diagnostics[0].code == "BT441"


def test_the_same_is_written_in_every_process(tmp_path):
    file = _file(tmp_path, DOMAIN)
    ask = f"from pathlib import Path; print(converted(Path({str(file)!r})))"
    ask = f"from bthtn.kit.formats.hddl import converted; {ask}"
    seen = {
        subprocess.run(
            [sys.executable, "-c", ask],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(seen) == 1


def _file(tmp_path, text):
    file = tmp_path / "post.hddl"
    file.write_text(text, "utf-8")
    return file
