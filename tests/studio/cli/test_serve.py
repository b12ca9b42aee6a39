"""``bthtn serve``: a line of JSON in, a line out, whatever the lines say."""

import io
import json
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bthtn.kit.recording import Recording
from bthtn.kit.recording.line_file import LineFile

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


UNSTEADY = (
    KEEPER
    + """
def character(seed):
    hal = Agent("Hal", night, Guard(), body=None)

    def world(where):
        if hal.beliefs.now.fault == where:
            raise OSError(f"no {where}")
        return False

    goal = PlanGoal("watch", hal, walk())
    return Character(goal, hal, sense=lambda: world("sense"), finished=lambda: world("end"))
"""
)
UNSTEADY = UNSTEADY.replace("    lit:", '    fault: Fluent[str] = fluent(default="")\n    lit:')


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


@pytest.mark.parametrize("line", ["x", b"\xff", "[" * 100_000, "{} {}", "[]", '{"over": 1}'])
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


@pytest.mark.parametrize("where", ["sense", "end"])
def test_an_exception_of_users_code_is_an_answer_and_loses_no_step(serve, tmp_path, where):
    (tmp_path / "keeper.py").write_text(UNSTEADY, "utf-8")
    faulty, mended = f'{{"beliefs": {{"fault": "{where}"}}}}', '{"beliefs": {"fault": ""}}'
    done, answers = serve(faulty, "{}", mended, "{}", '{"character": "b"}')
    assert (done.code, "Traceback" in done.err) == (0, False)
    errors = [answer["error"] for answer in answers if "error" in answer]
    assert errors
    assert all(
        text.startswith(f"[BT402] OSError: no {where}\n  where: keeper.py:") for text in errors
    )
    starts = [step["step"] for answer in answers[:4] for step in answer.get("starts", ())]
    assert starts == [1]
    assert answers[4]["tick"] == 1, "the other character is served"


def test_an_error_names_the_character_and_makes_none(serve, tmp_path):
    lines = ('{"character": "a", "over": 3}', '{"character": "b"}', '{"character": "b", "over": 1}')
    done, answers = serve(*lines, options=("--record", "run.jsonl"))
    assert [answer["character"] for answer in answers] == ["a", "b", "b"]
    assert ["error" in answer for answer in answers] == [True, False, True]
    assert done.err.split() == ["made", "with", "seed", "0"]
    assert Recording.read(tmp_path / "run.jsonl").at().tick == 1


def test_a_disk_that_is_full_ends_the_recording_and_no_character(serve, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(LineFile, "_write", full)
    done, answers = serve(*["{}"] * 5, options=("--record", "run.jsonl"))
    assert (done.code, [answer["tick"] for answer in answers]) == (0, [1, 2, 3, 4, 5])
    assert caplog.text.count("run.jsonl is given up: [BT404]") == 1


def test_one_bad_value_leaves_the_rest_of_a_request(serve):
    _, answers = serve("{}", '{"beliefs": {"lid": 1, "fault": NaN}, "ended": {"1": true}}')
    assert list(answers[1]["refused"]) == ["lid", "fault"]
    assert answers[1]["status"] == "SUCCESS"


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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_characters_and_ends_the_recording(serve, bthtn, monkeypatch, number):
    def lines():
        yield b"{}"
        signal.raise_signal(number)

    serve()  # writes the tree
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=lines()))
    done = bthtn("serve", "keeper.py", "--record", "run.jsonl")
    assert (done.code, len(done.out.splitlines())) == (128 + number, 1)
    recording = Path("run.jsonl").read_text("utf-8")
    assert '"leaf_aborted"' in recording
    assert '{"end":1,' in recording


def test_no_input_at_all_is_an_end_of_the_input(serve, bthtn, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    done = bthtn("serve", "keeper.py")
    assert (done.code, done.out) == (0, "")


def test_a_tree_that_cannot_be_loaded_is_bad_input(serve, tmp_path):
    (tmp_path / "keeper.py").write_text("character = 3", "utf-8")
    done, answers = serve("{}")
    assert (done.code, answers) == (2, [])
    assert "BT408" in done.err
