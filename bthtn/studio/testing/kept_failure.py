"""Files that are kept of a scenario that fails: recording, page, last tree."""

from __future__ import annotations

from pathlib import Path

from bthtn.kit.recording import Recording
from bthtn.studio.testing.scenario import Scenario, play
from bthtn.studio.views.behaviour_drawing import snapshot_dot
from bthtn.studio.views.graphviz import drawn
from bthtn.studio.watch import recording_page


def keep(scenario: Scenario, folder: Path) -> str:
    """Play a scenario once more, and keep it in a folder. Returns the fault with the files' names.

    The tree is that of the last tick, as svg, or as dot where nothing can draw it.
    """
    recording, page = folder / "run.jsonl", folder / "run.html"
    played = play(scenario, record=recording)
    page.write_text(recording_page(recording), "utf-8")
    last = Recording.read(recording).at()
    assert last.tree is not None, "a scenario's character has a tree"
    dot = snapshot_dot(last.tree, title=f"{scenario.name}, tick {last.tick}")
    tree = drawn(dot, folder / "tree")
    shown = [f"recording: {recording}", f"in a browser: {page}", f"its last tree: {tree}"]
    return "\n".join([f"{played.fault}\n", *shown])
