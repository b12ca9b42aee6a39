"""``bthtn run`` in the levels of MiniGrid itself: no view of the many events ends a game."""

import sys

import pytest

from bthtn.kit.recording import Recording
from bthtn.studio.cli import album
from bthtn.studio.cli.main import run

TREE = "bthtn.examples.trees.explorer.tree"
LEVELS = (
    *("character", "unlock", "unlock_pickup", "blocked_unlock_pickup", "large_key_corridor"),
    *("obstructed_maze", "full_obstructed_maze", "dynamic_obstacles"),
)
SEEDS = range(20)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(album, "picture", lambda dot, _: dot)  # Graphviz is not the subject


def played(monkeypatch, capsys, level, seed):
    """Play a game to its end with all views of it; its timeline and its recording."""
    line = ["run", f"{TREE}:{level}", "--seed", str(seed), "--ticks", "5000"]
    monkeypatch.setattr(sys, "argv", ["bthtn", *line, "--record", "game.jsonl", "--out", "out"])
    with pytest.raises(SystemExit) as end:
        run()
    told, complaints = capsys.readouterr()
    assert (end.value.code, complaints) == (0, "")
    return told, Recording.read("game.jsonl")


def test_the_game_of_the_manual_is_shown_to_its_end(monkeypatch, capsys):
    told, recording = played(monkeypatch, capsys, "character", 5)
    assert "finished after 56 ticks" in told
    assert "mission is done" in told
    assert recording.end["finished"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", LEVELS)
def test_every_game_is_shown_to_its_end(level, seed, monkeypatch, capsys):
    told, recording = played(monkeypatch, capsys, level, seed)
    assert "finished after " in told
    assert recording.end["finished"]
