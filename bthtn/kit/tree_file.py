"""A character that is a single file: a tree in XML, with stubs or not."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bthtn.behaviours import Character, ManualClock
from bthtn.engine.world.state import State
from bthtn.kit.formats import Stubs, stubs_of, tree_from_xml

_SECONDS: Final = 0.1
"""Of a tick: as long as with BehaviorTree.CPP, where the leaves do not say it."""


class Nothing(State):
    """The keys of a tree without keys."""


def tree_file_character(path: Path, seed: int, *, tree: str = "", stub: bool = False) -> Character:
    """A character that runs a tree of a file until it has ended.

    With ``stub`` it has the stubs of the file, else it has neither nodes nor keys. Raises
    InputError with all mistakes of the tree.
    """
    clock = ManualClock()
    stubs = stubs_of(path, seed=seed) if stub else Stubs({}, Nothing)
    agent = stubs.agent(path.stem, clock)
    root = tree_from_xml(path, agent, nodes=stubs.nodes, tree=tree)
    return Character(root, agent, sense=lambda: clock.advance(_SECONDS), once=True)
