"""Nothing is imported or compiled in a tick: all that was done when the character was set up."""

import subprocess
import sys
from pathlib import Path

import pytest

from bthtn.studio.testing.locate import TargetKind, all_of

ROOT = Path(__file__).resolve().parents[3]
EXTRA = ("explorer", "crafter")
"""Whose worlds come with an extra."""
TREES = [found.name for found in all_of(TargetKind.TREE) if found.name not in EXTRA]


def loaded(*arguments):
    """What is loaded in the ticks of a program of its own."""
    command = [sys.executable, "-m", "tests.engine.behaviours.loaded", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_tick_loads_anything_whatever_the_form_of_the_operators():
    assert loaded("forms") == ""


def test_no_tick_loads_anything_while_it_is_recorded_and_watched():
    assert loaded("watched") == ""


def test_no_tick_for_an_engine_or_in_a_crowd_loads_anything():
    assert loaded("served") == ""


def test_no_tick_of_a_shipped_tree_loads_anything():
    assert len(TREES) > 12
    assert loaded("trees", *TREES) == ""


@pytest.mark.slow  # `test_no_tick_of_a_shipped_tree_loads_anything` runs all in one process
@pytest.mark.parametrize("tree", TREES)
def test_no_tick_of_a_tree_loads_what_another_tree_may_have_loaded(tree):
    assert loaded("trees", tree) == ""
