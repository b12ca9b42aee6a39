"""``bthtn serve``: engines write lines of JSON, and read lines of JSON, whatever they say."""

import json
import signal
import socket
import sys
from pathlib import Path
from subprocess import PIPE, Popen

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
HELLO = {"hello": {"protocol": "bthtn-engine/1"}}
SPAWN = {"spawn": [{"character": "Bob"}]}
FRAME = {"frame": [{"character": "Bob"}]}


UNSTEADY = f"""{KEEPER}
import signal

def character(seed):
    hal = Agent("Hal", night, Guard(), body=None)

    def finished():
        if character.ticks == 2:
            FAULT
        return False

    character = Character(PlanGoal("watch", hal, walk()), hal, finished=finished)
    return character
"""


@pytest.fixture(name="serve")
def serve_fixture(bthtn, tmp_path, monkeypatch):
    """Writes requests to ``bthtn serve``, and gives what it answers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keeper.py").write_text(KEEPER, "utf-8")

    def serve(*requests, options=()):
        lines = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in requests)
        (tmp_path / "requests").write_bytes(b"\n".join(lines))
        with (tmp_path / "requests").open("rb") as file:
            monkeypatch.setattr(sys, "stdin", file)
            done = bthtn("serve", "keeper.py", *options)
        return done, list(map(json.loads, done.out.splitlines()))

    return serve


def test_e1_each_line_is_answered_until_the_input_ends(serve):
    done, (hello, _, first, second) = serve(HELLO, SPAWN, FRAME, b"", FRAME)
    assert (done.code, hello["hello"]["tree"]) == (0, "keeper")
    assert [answer["frame"][0]["tick"] for answer in (first, second)] == [1, 2]


def test_a_line_is_written_at_once_also_where_stdout_is_unbuffered(serve, monkeypatch):
    written = []
    monkeypatch.setattr(sys.stdout, "write", written.append)
    serve(HELLO, SPAWN, FRAME)
    assert [line[-1:] for line in written] == 3 * ["\n"]


def test_what_users_code_prints_is_no_answer(serve):
    done, answers = serve(HELLO, options=("--seed", 7))
    assert len(answers) == 1
    assert "made with seed 7" in done.err


@pytest.mark.parametrize("line", [b"x", b"\xff", b"[" * 100_000, b"{} {}", b"[]", b"{}"])
def test_a_line_that_cannot_be_used_is_answered_by_an_error_and_the_next_one_counts(serve, line):
    done, (_, error, spawned) = serve(HELLO, line, SPAWN)
    assert (done.code, error["error"]["code"]) == (0, "BT434")
    assert spawned["spawn"][0]["character"] == "Bob"


def test_an_exception_of_users_code_has_its_place(serve, tmp_path):
    (tmp_path / "keeper.py").write_text(UNSTEADY.replace("FAULT", "1 / 0"), "utf-8")
    _, answers = serve(HELLO, SPAWN, FRAME, FRAME)
    error = answers[-1]["frame"][0]["error"]
    assert (error["code"], error["message"]) == ("BT402", "ZeroDivisionError: division by zero")


def test_each_character_is_recorded(serve, tmp_path):
    serve(HELLO, SPAWN, FRAME, FRAME, options=("--record", "runs"))
    assert Recording.read(tmp_path / "runs" / "Bob.jsonl").at().tick == 2


def test_a_disk_that_is_full_ends_the_recording_and_no_character(serve, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(LineFile, "_write", full)
    _, answers = serve(HELLO, SPAWN, *[FRAME] * 3, options=("--record", "runs"))
    assert [answer["frame"][0]["tick"] for answer in answers[2:]] == [1, 2, 3]
    assert caplog.text.count("Bob.jsonl is given up: [BT404]") == 1


def test_a_folder_for_recordings_that_cannot_be_made_is_bad_input(serve):
    done, answers = serve(HELLO, options=("--record", "keeper.py"))
    assert (done.code, answers) == (2, [])
    assert "BT404" in done.err


def test_a_file_that_cannot_be_written_is_bad_input_before_anything_is_served(serve):
    options = ("--tcp", 0, "--websocket", 0, "--announce", "nowhere/where.json")
    done, answers = serve(HELLO, options=options)
    assert (done.code, answers) == (2, [])
    assert "BT404" in done.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_characters_and_ends_the_recordings(serve, tmp_path, number):
    text = UNSTEADY.replace("FAULT", f"signal.raise_signal({int(number)})")
    (tmp_path / "keeper.py").write_text(text, "utf-8")
    done, answers = serve(HELLO, SPAWN, FRAME, FRAME, options=("--record", "runs"))
    assert (done.code, len(answers)) == (128 + number, 3)
    recording = Path("runs/Bob.jsonl").read_text("utf-8")
    assert '"leaf_aborted"' in recording
    assert '{"end":1,' in recording


def test_no_input_at_all_is_an_end_of_the_input(serve, bthtn, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    done = bthtn("serve", "keeper.py")
    assert (done.code, done.out) == (0, "")


def test_a_tree_that_cannot_be_loaded_is_bad_input(serve, tmp_path):
    (tmp_path / "keeper.py").write_text("character = 3", "utf-8")
    done, answers = serve(HELLO)
    assert (done.code, answers) == (2, [])
    assert "BT408" in done.err


def test_with_a_port_engines_connect_to_it_and_a_signal_ends_it(serve, tmp_path):
    command = [sys.executable, "-m", "bthtn", "serve", "keeper.py", "--tcp", "0", "--workers", "2"]
    command += ["--announce", "where.json"]
    serve()  # writes the tree
    with Popen(command, cwd=tmp_path, stdin=PIPE, stdout=PIPE, text=True) as child:
        try:
            told = json.loads(child.stdout.readline())
            assert json.loads((tmp_path / "where.json").read_text("utf-8")) == told
            assert (tmp_path / "where.json").stat().st_mode & 0o777 == 0o600
            assert starts_of_a_frame(told) == ["walk"]
        finally:
            child.terminate()
        assert child.wait(timeout=60) == 128 + signal.SIGTERM


def starts_of_a_frame(told):
    """What Bob starts in his first frame, where bthtn listens."""
    port = int(told["tcp"].rpartition(":")[2])
    hello = {"hello": {"protocol": "bthtn-engine/1", "token": told["token"]}}
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        lines = connection.makefile("rw", encoding="utf-8")
        for request in (hello, SPAWN, FRAME):
            lines.write(json.dumps(request) + "\n")
        lines.flush()
        answers = [json.loads(lines.readline()) for _ in range(3)]
    return [step["task"] for step in answers[2]["frame"][0]["starts"]]
