"""Files that are no recordings, damaged ones, and those that were cut off."""

import gzip
import json
import os

import pytest

from bthtn.errors import InputError
from bthtn.kit.recording import Recording, recorded

HEAD = {
    "recording": "bthtn-recording/1",
    "name": "yard",
    "agents": [{"agent": "Ann", "domains": ["yard"], "beliefs": {"bones": 0}, "goals": []}],
}
CHANGE = {"fluent": "bones", "before": 0, "after": 1, "source": "dig"}
LINES = [
    HEAD,
    {"tick": 1, "active": []},
    {"event": "belief_changed", "tick": 1, "agent": "Ann", "change": CHANGE},
    {"tick": 2, "active": ["dig"], "time": 0.5, "colour": "red"},
    {"dream": "of bones", "agent": "Ann"},
    {"end": 2, "finished": True, "reason": "", "weather": "fine"},
]


def written(path, lines):
    text = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")
def test_a_device_that_never_ends_is_no_recording():
    with pytest.raises(InputError, match=r"BT404.*cannot read /dev/full: it is no file"):
        Recording.read("/dev/full")


def test_unknown_keys_and_lines_are_kept(tmp_path):
    recording = Recording.read(written(tmp_path / "run.jsonl", [HEAD | {"mood": 3}, *LINES[1:]]))
    assert recording.head["mood"] == 3
    assert recording.ticks[1] == (LINES[3], LINES[4])
    assert recording.end["weather"] == "fine"
    assert recording.at(2).beliefs == {"bones": 1}
    assert recording.at(2).tree is None


def test_a_recording_is_read_up_to_its_last_whole_line_wherever_it_was_cut(tmp_path):
    whole = written(tmp_path / "run.jsonl", LINES).read_bytes()
    first = len(whole.splitlines(keepends=True)[0])
    found = []
    for length in range(first, len(whole)):
        (tmp_path / "cut.jsonl").write_bytes(whole[:length])
        found.append(len(Recording.read(tmp_path / "cut.jsonl").ticks))
    assert found == sorted(found)
    assert set(found) == {0, 1, 2}


def test_a_compressed_one_is_too(tmp_path):
    with gzip.open(tmp_path / "run.jsonl.gz", "wb") as packed:
        for line in LINES:
            packed.write(f"{json.dumps(line)}\n".encode())
            packed.flush()
    whole = (tmp_path / "run.jsonl.gz").read_bytes()
    file, found = tmp_path / "cut.jsonl.gz", []
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        found.append(ticks_of(file))
    assert found == sorted(found)
    assert set(found) == {-1, 0, 1, 2}


def ticks_of(file):
    try:
        return len(Recording.read(file).ticks)
    except InputError as error:
        assert error.code == "BT460", error  # noqa: PT017 - its first line is missing
        return -1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "its first line is not that of a recording"),
        (b"\n", "its first line is not that of a recording"),
        (b"[]\n", "its first line is not that of a recording"),
        (b"[" * 100_000 + b"\n", "its first line is not that of a recording"),
        (b'{"recording": 1}\n', "its first line is not that of a recording"),
        (b'{"recording": "bthtn-recording/1"', "its first line is not that of a recording"),
        ("{}\u00e9\n".encode(), "it is not text in ASCII"),
        (
            b'{"recording": "bthtn-recording/2"}\n',
            "in the format bthtn-recording/2; this bthtn reads",
        ),
        (b'{"recording": "bthtn-recording/1"}\n', "it has no agents"),
        (b'{"recording": "bthtn-recording/1", "agents": [{}]}\n', "it has no 'agent'"),
        (b'{"recording": "bthtn-recording/1", "agents": ["Ann"]}\n', "an agent is no object"),
    ],
)
def test_other_files_and_newer_versions_are_refused(tmp_path, content, why):
    file = tmp_path / "run.jsonl"
    file.write_bytes(content)
    with pytest.raises(InputError, match="BT460") as caught:
        Recording.read(file)
    assert why in str(caught.value)


def test_a_damaged_line_is_named(tmp_path):
    file = written(tmp_path / "run.jsonl", LINES)
    file.write_bytes(file.read_bytes().replace(b'{"tick": 2', b'{"tick" 2'))
    with pytest.raises(InputError, match=r"(?s)BT460.*damaged.*run.jsonl:4"):
        Recording.read(file)


ANN = HEAD["agents"][0]
VIEW = {"view": 1, "agent": "Ann"}


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([HEAD | {"agents": [ANN | {"since": ["leaf_started"]}]}], "something else than events"),
        ([HEAD | {"agents": [ANN | {"since": [{"event": "plan_adopted"}]}]}], "it has no 'goal'"),
        ([HEAD, LINES[1], VIEW | {"tree": ["root"]}], "a node of the tree is no object"),
        ([HEAD, LINES[1], VIEW | {"status": []}], "'status' no object"),
        ([HEAD, LINES[1], VIEW | {"graft": [{"id": "1"}]}], "a graft has no 'id'"),
        ([HEAD, LINES[1], VIEW | {"status": {"1": ["RUNNING"]}}], "a status is no pair of texts"),
        ([HEAD, LINES[1], VIEW | {"status": {}}], "its tree was not there as a whole"),
        ([HEAD, LINES[1], {"stop": 1}, LINES[3]], "it goes on after its stop"),
    ],
)
def test_a_line_of_another_shape_is_refused_where_it_is_read(tmp_path, lines, why):
    with pytest.raises(InputError, match=rf"BT460.*{why}"):
        Recording.read(written(tmp_path / "run.jsonl", lines))


@pytest.mark.parametrize(
    ("limit", "why"),
    [("MOST_BYTES", "it is larger than 300 bytes"), ("LONGEST_LINE", "a line is longer than 300")],
)
def test_a_file_or_a_line_that_is_too_large_is_refused(tmp_path, monkeypatch, limit, why):
    file = written(tmp_path / "run.jsonl", [HEAD, {"tick": 1, "active": ["x" * 400]}])
    assert len(Recording.read(file).ticks) == 1
    monkeypatch.setattr(recorded, limit, 300)
    with pytest.raises(InputError, match=rf"BT460.*no recording: {why}"):
        Recording.read(file)


def test_a_file_that_only_looks_like_a_further_part_is_not_read(tmp_path):
    whole = Recording.read(written(tmp_path / "run.jsonl", LINES))
    written(tmp_path / "run.2.jsonl", [{"another": "file"}, {"tick": 3, "active": []}])
    assert Recording.read(tmp_path / "run.jsonl") == whole
    written(tmp_path / "run.2.jsonl", [{"part": 2}, {"tick": 3, "active": []}])
    assert len(Recording.read(tmp_path / "run.jsonl").ticks) == 3


def test_a_file_that_is_not_there_or_not_compressed_is_refused(tmp_path):
    with pytest.raises(InputError, match="BT404"):
        Recording.read(tmp_path / "no.jsonl")
    (tmp_path / "run.jsonl.gz").write_bytes(b"{}\n")
    with pytest.raises(InputError, match=r"BT460.*it is not compressed"):
        Recording.read(tmp_path / "run.jsonl.gz")


def test_ticks_and_agents_that_it_does_not_have_are_refused(tmp_path):
    recording = Recording.read(written(tmp_path / "run.jsonl", LINES))
    with pytest.raises(InputError, match=r"(?s)BT461.*no tick 3.*it has 1 to 2"):
        recording.at(3)
    with pytest.raises(InputError, match=r"(?s)BT461.*called 'Anna'.*did you mean 'Ann'"):
        recording.at(1, "Anna")
    empty = Recording.read(written(tmp_path / "empty.jsonl", LINES[:1]))
    with pytest.raises(InputError, match=r"(?s)BT461.*ends before the first tick"):
        empty.at(1)
