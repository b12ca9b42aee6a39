"""Failure: the report of a step, a choice or a plan that did not work, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from typing import Any

from bthtn.engine.plan.nodes import Node
from bthtn.engine.world.expression import Expression
from bthtn.records import record


@record
class Failure:
    """The reason of a failure. Functions that can fail return one, or None on success.

    ``what`` names the step, choice or part that failed, "" for the whole plan.
    ``node`` is its node in the plan, ``reads`` are the fluents that the false condition has read,
    ``error`` is the exception, as far as there are any.
    """

    why: str
    what: str = ""
    node: Node | None = None
    reads: frozenset[Expression[Any]] = frozenset()
    error: BaseException | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.what else self.why

    def at(self, what: str) -> Failure:
        """The same failure with another name of the step, choice or part."""
        return replace(self, what=what)

    def having_read(self, reads: Iterable[Expression[Any]]) -> Failure:
        """The same failure with other ``reads``."""
        return replace(self, reads=frozenset(reads))
