"""Failure: what did not work, and why. The one shape in which plans and goals report it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from bthtn.plan.nodes import Node
from bthtn.world.expression import Expression


@dataclass(frozen=True, slots=True)
class Failure:
    """What did not work, and why. Functions that may fail return one, or None on success.

    ``what`` names the step, the choice or the part of the plan, and is empty where the plan as a
    whole is meant. ``node`` is where it stands in the plan, ``reads`` what the condition that
    was false has read, ``error`` the exception behind it, each where there is one.
    """

    why: str
    what: str = ""
    node: Node | None = None
    reads: frozenset[Expression[Any]] = frozenset()
    error: BaseException | None = None

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.what else self.why

    def at(self, what: str) -> Failure:
        """The same failure, of this step, choice or part."""
        return replace(self, what=what)

    def having_read(self, reads: Iterable[Expression[Any]]) -> Failure:
        """The same failure, of something that has read this."""
        return replace(self, reads=frozenset(reads))
