"""bthtn run and bthtn watch of a domain and a problem in HDDL: the plan is carried out."""

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
