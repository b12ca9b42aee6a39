"""Every row of `make instructions` has its plan, and its gate says where it takes too much."""

from dataclasses import replace

import pytest

from benchmarks import by_hand, counted, gate, instructions, lives, page
from benchmarks.domains import combat
from bthtn.behaviours import Agent, ManualClock, PlanGoal

TEXT = """# Kept as it is.
[instructions]
python = "3.10"  # also this
margin = 0.05

[instructions.thousands]
"plain Python" = 100.0
"fps: plan" = 20.0

[other]
"fps: plan" = 7
"""


def test_every_row_of_single_plans_features_and_what_is_felt_does_what_it_says():
    for row in (*counted.single_plans(), *counted.features(), *lives.felt()):
        row.make(0)()


def test_the_manual_has_the_rows_that_are_counted():
    assert list(page.rows("instructions")) == instructions.chosen([])


def test_the_soldier_by_hand_has_the_nodes_of_his_plan():
    question = combat.question(combat.CASES[0])
    agent = Agent("a", question.domain, question.state, body=None, clock=ManualClock())
    goal = PlanGoal("goal", agent, question.goal)
    agent.sense()
    goal.tick_once()
    (mounted,) = goal.children
    by_plan = [node.name for node in mounted.iterate()]
    assert by_plan == [node.name for node in by_hand.fight(by_hand.Soldier()).iterate()]


def test_every_gate_belongs_to_a_row():
    known = gate.read(gate.COUNTS.read_text("utf-8"))
    assert list(known.thousands) == [
        name for name in instructions.chosen([]) if name in known.thousands
    ]


@pytest.mark.parametrize(
    ("plain", "plan", "above", "below"),
    [
        (100, 20.9, False, False),
        (100, 21.1, True, False),
        (200, 41, False, False),
        (200, 43, True, False),
        (100, 18.9, False, True),
    ],
)
def test_a_row_is_above_its_gate_beside_plain_python(plain, plan, above, below):
    known = gate.read(TEXT)
    counts = {"plain Python": plain, "fps: plan": plan}
    assert bool(known.above(counts)) is above
    assert known.below(counts) == ["fps: plan"] * below


def test_new_counts_are_written_and_all_else_is_kept():
    written = gate.updated(TEXT, {"plain Python": 101.26, "fps: plan": 19})
    assert written == TEXT.replace("3.10", gate.VERSION).replace("100.0", "101.3").replace(
        "20.0", "19.0"
    )


@pytest.fixture
def counting(monkeypatch):
    """Let the check find a row that takes some per cent more than its gate."""

    def found(more):
        known = gate.read(gate.COUNTS.read_text("utf-8"))
        counts = {**known.thousands, "fps: tree": known.thousands["fps: tree"] * (1 + more)}
        ours = replace(known, python=gate.VERSION)
        monkeypatch.setattr(gate, "read", lambda text: ours)
        monkeypatch.setattr(instructions, "counted", lambda names: counts)
        monkeypatch.setattr("shutil.which", lambda name: name)

    return found


def test_the_check_names_the_row_that_takes_too_much(counting, capsys):
    counting(0.5)
    assert instructions.run(["--check"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("instructions: fps: tree: ")
    assert said.endswith("50% above its gate\n")


def test_the_check_says_which_gate_can_be_tightened(counting, capsys):
    counting(-0.5)
    assert instructions.run(["--check"]) == 0
    assert capsys.readouterr().out.endswith("--update tightens: fps: tree\n")


def test_without_valgrind_nothing_is_checked_and_that_is_said(counting, monkeypatch, capsys):
    counting(0.5)
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert instructions.run(["--check"]) == 0
    assert "not checked: there is no valgrind" in capsys.readouterr().out
    assert instructions.run([]) == 2
    assert "apt-get install valgrind" in capsys.readouterr().err


def test_counts_of_another_python_are_no_gate(counting, monkeypatch, capsys):
    counting(0.5)
    monkeypatch.setattr(gate, "VERSION", "2.7")
    assert instructions.run(["--check"]) == 0
    assert "not 2.7" in capsys.readouterr().out
