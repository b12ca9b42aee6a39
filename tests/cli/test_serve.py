"""``bthtn serve``: a line of JSON in, a line out, whatever the lines say."""

import io
import json
import sys
from types import SimpleNamespace

import pytest

from bthtn.recording import Recording

KEEPER = """
from bthtn import Domain, Fluent, State, fluent
from bthtn.behaviours import Agent, Character, PlanGoal

class Guard(State):
    lit: Fluent[bool] = fluent(default=False)

night = Domain("night", Guard)
walk = night.primitive("walk", effects=Guard.lit.becomes(True))

def character(seed):
    print("made with seed", seed)
    hal = Agent("Hal", night, Guard(), body=None)
    return Character(PlanGoal("watch", hal, walk()), hal)
"""


@pytest.fixture(name="serve")
def serve_fixture(bthtn, tmp_path, monkeypatch):
    """Sends lines to ``bthtn serve``, and gives what it answers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keeper.py").write_text(KEEPER, "utf-8")

    def serve(*lines: bytes | str, seed=0, options=()):
        sent = b"".join(
            (line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines
        )
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(sent)))
        done = bthtn("serve", "keeper.py", "--seed", seed, *options)
        return done, list(map(json.loads, done.out.splitlines()))

    return serve


def test_each_line_is_a_tick_until_the_input_ends(serve):
    done, (first, second) = serve("{}", "", '{"ended": {"1": true}}')
    assert (done.code, first["tick"], second["tick"]) == (0, 1, 2)
    assert [step["task"] for step in first["starts"]] == ["walk"]
    assert second["status"] == "SUCCESS"


def test_what_users_code_prints_is_no_answer(serve):
    done, answers = serve("{}", seed=7)
    assert len(answers) == 1
    assert "made with seed 7" in done.err


@pytest.mark.parametrize(
    "line", ["x", b"\xff", "[" * 100_000, "{} {}", "[]", '{"beliefs": {"lid": 1}}']
)
def test_a_line_that_cannot_be_used_is_answered_by_an_error_and_the_next_one_counts(serve, line):
    done, (error, answer) = serve(line, "{}")
    assert done.code == 0
    assert error["error"].startswith("[BT434]")
    assert answer["tick"] == 1


def test_one_process_serves_many_characters(serve):
    done, answers = serve(
        '{"character": "a"}',
        '{"character": "b"}',
        '{"character": "a", "ended": {"1": true}}',
        '{"character": "b", "over": true}',
        '{"character": "b", "over": true}',
        '{"character": "b"}',
        '{"character": 3}',
        '{"over": 3}',
    )
    names = [answer.get("character") for answer in answers]
    assert names == ["a", "b", "a", "b", "b", "b", None, None]
    assert [answer["status"] for answer in (*answers[:3], answers[5])] == [
        *("RUNNING", "RUNNING", "SUCCESS", "RUNNING")
    ]
    assert (answers[3]["aborts"], answers[4]["aborts"]) == ([1], [])
    assert all(answer["error"].startswith("[BT434]") for answer in answers[6:])
    assert [line[-1] for line in done.err.splitlines()] == ["0", "1", "2"], "the seeds"


def test_the_first_character_is_recorded(serve, tmp_path):
    lines = ("{}", '{"character": "b"}', '{"ended": {"1": true}}')
    serve(*lines, options=("--record", "run.jsonl"))
    recording = Recording.read(tmp_path / "run.jsonl")
    assert recording.at(1).beliefs["lit"] is False
    assert recording.at(2).beliefs["lit"] is True
    assert recording.at().tick == 2


def test_a_recording_has_the_ending_of_one(serve):
    done, answers = serve("{}", options=("--record", "keeper.py"))
    assert (done.code, answers) == (2, [])
    assert "BT409" in done.err


def test_no_input_at_all_is_an_end_of_the_input(serve, bthtn, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    done = bthtn("serve", "keeper.py")
    assert (done.code, done.out) == (0, "")


def test_a_tree_that_cannot_be_loaded_is_bad_input(serve, tmp_path):
    (tmp_path / "keeper.py").write_text("character = 3", "utf-8")
    done, answers = serve("{}")
    assert (done.code, answers) == (2, [])
    assert "BT408" in done.err
