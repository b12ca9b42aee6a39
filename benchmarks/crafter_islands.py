"""New games of Crafter: to make an island takes as long as to play there, so it is made once."""

from copy import deepcopy
from functools import lru_cache
from typing import Any


def new_level(seed: int) -> Any:
    """A game that nobody has played. Raises ModuleNotFoundError without the extra ``crafter``."""
    return deepcopy(_made(seed))


@lru_cache(maxsize=2)  # the arms play the same seeds one after the other
def _made(seed: int) -> Any:
    from bthtn.examples.trees.crafter.level import level  # noqa: PLC0415 - it needs the extra

    return level(seed)
