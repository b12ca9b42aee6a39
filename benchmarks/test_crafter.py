"""The experiment in Crafter: the same code and seed are the same line, to the byte."""

import json
import os
import subprocess
import sys

import pytest

from benchmarks.crafter import ROOT, cause_of, run, seeds_of

pytest.importorskip("crafter", reason="the world comes with the extra `crafter`")


SHORT = ("--seeds", "3", "--longest", "30", "--jobs", "1", "--file")


def test_a_line_is_the_same_bytes_in_any_order_in_any_process_under_any_hash_seed(tmp_path, capsys):
    file, other = tmp_path / "games.jsonl", tmp_path / "other.jsonl"
    assert run([*SHORT, str(file), "--arms", "scripted", "hybrid"]) == 0
    subprocess.run(
        [sys.executable, "-m", "benchmarks.crafter", *SHORT, str(other), "--arms", "hybrid"],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "17"},
        check=True,
        capture_output=True,
    )
    hybrid, scripted = file.with_suffix(".games.jsonl").read_text("utf-8").splitlines()
    assert other.with_suffix(".games.jsonl").read_text("utf-8").splitlines() == [hybrid]
    games = [json.loads(hybrid), json.loads(scripted)]
    assert [game["game"] for game in games] == ["hybrid 3", "scripted 3"]
    assert all(game["achievements"] and game["steps"] == 30 for game in games)
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    timed = [sum(sum(kind["took"].values()) for kind in row["times"].values()) for row in rows]
    assert timed == [31, 31]  # the first tick only decides

    kept = file.read_bytes()  # is not played again: it would have other times
    assert run([*SHORT, str(file), "--arms", "hybrid", "scripted"]) == 0
    assert file.read_bytes() == kept
    assert "2 games, sha256 " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("ground", "beside", "needs", "before", "cause"),
    [
        ("lava", "zombie", 5, 9, "lava"),
        ("grass", "zombie", 5, 2, "zombie"),
        ("path", "", 5, 2, "arrow"),
        ("path", "zombie", 0, 2, "zombie"),
        ("grass", "zombie", 0, 1, "thirst"),
        ("grass", "zombie", 5, 1, "zombie"),
    ],
)
def test_the_cause_of_a_death_is_read_off_the_last_picture(ground, beside, needs, before, cause):
    view = dict.fromkeys([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1)], (ground, ""))
    view[0, 1] = (ground, beside)
    has = {"health": 0, "food": 5, "drink": needs, "energy": 5}
    assert cause_of(view, has, before) == cause
    assert cause_of(view, has | {"health": 1}, before) == ""


def test_seeds_are_named_by_the_first_and_the_last_or_by_one():
    assert (seeds_of("0-19"), seeds_of("8")) == (range(20), range(8, 9))
