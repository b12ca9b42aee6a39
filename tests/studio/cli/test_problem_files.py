"""bthtn run and bthtn watch of a domain and a problem in HDDL: the plan is carried out."""

from pathlib import Path

import pytest

DOMAIN = """
(define (domain ferry) (:requirements :typing :hierarchy)
  (:types bank)
  (:predicates (at ?b - bank))
  (:task go :parameters (?b - bank))
  (:method over :parameters (?a ?b - bank) :task (go ?b)
    :precondition (at ?a) :ordered-subtasks (and (row ?a ?b)))
  (:action row :parameters (?a ?b - bank) :precondition (at ?a)
    :effect (and (not (at ?a)) (at ?b))))
"""
PROBLEM = """
(define (problem crossing) (:domain ferry) (:objects left right - bank)
  (:htn :ordered-subtasks (and (go right) (go left)))
  (:init (at {start})))
"""


@pytest.fixture
def ferry(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ferry.hddl").write_text(DOMAIN)
    (tmp_path / "crossing.hddl").write_text(PROBLEM.format(start="left"))
    return "ferry.hddl", "crossing.hddl"


def test_each_step_takes_a_tick_and_has_its_effects(bthtn, ferry):
    answer = bthtn("run", *ferry, "--only", "starts,effect,goal")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines()[1:] == [
        "1       crossing       starts   row('left', 'right')",
        "2       crossing       effect   at[left] = false, at[right] = true",
        "                       starts   row('right', 'left')",
        "3       crossing       effect   at[right] = false, at[left] = true",
        "                       goal     crossing is done",
        "",
        "finished after 3 ticks: SUCCESS",
    ]


def test_a_problem_without_a_plan_fails_in_the_first_tick(bthtn, ferry, tmp_path):
    (tmp_path / "crossing.hddl").write_text(PROBLEM.replace("(at {start})", ""))
    answer = bthtn("run", *ferry)
    assert "crossing failed — there is no plan: go" in answer.out
    assert answer.out.endswith("finished after 1 tick: FAILURE\n")


def test_a_recording_names_both_files_and_is_replayed_with_them(bthtn, ferry):
    bthtn("run", *ferry, "--record", "run.jsonl")
    answer = bthtn("replay", "run.jsonl", ":".join(ferry))
    assert (answer.code, answer.out.startswith("the same: 3 ticks")) == (0, True)


def test_a_domain_alone_has_nothing_to_do(bthtn, ferry):
    for command in ("run", "watch"):
        answer = bthtn(command, "ferry.hddl")
        assert answer.code == 2
        assert "ferry.hddl is a domain, which has nothing to do yet" in answer.err
        assert "name a problem, too: ferry.hddl problem.hddl" in answer.err


def test_a_tree_takes_no_problem(bthtn):
    answer = bthtn("watch", "soldier", "crossing.hddl")
    assert answer.code == 2
    assert "crossing.hddl is a second argument, and 'soldier' takes none" in answer.err


def test_a_folder_with_a_domain_in_hddl_is_told_to_be_named_by_the_file(bthtn, ferry):
    answer = bthtn("plan", ".", "crossing.hddl")
    assert answer.code == 2
    assert "hint: a domain in HDDL or PDDL is named by its file, as crossing.hddl" in answer.err
    Path("domain.hddl").write_text(DOMAIN)
    assert "named by its file, as domain.hddl" in bthtn("plan", ".", "crossing.hddl").err


def test_an_argument_behind_a_problem_is_told_as_what_it_is(bthtn, ferry):
    answer = bthtn("explain", *ferry, "--method", "go", "0")
    assert answer.code == 2
    assert "[BT409] crossing.hddl is a problem, and '0' stands behind it" in answer.err


def test_a_problem_that_asks_for_nothing_is_told_of(bthtn, ferry):
    nothing = PROBLEM.format(start="left").replace("(and (go right) (go left))", "()")
    Path("crossing.hddl").write_text(nothing)
    answer = bthtn("plan", *ferry)
    assert answer.code == 0
    assert answer.err == "nothing has to be done for it: the plan has no steps\n"
