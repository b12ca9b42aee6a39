"""What a search has come to: a log, from which the parts of a plan are made when wanted."""

from __future__ import annotations

from typing import Any

from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.htn.log import OVERWRITTEN, Past
from bthtn.planning.htn.state import SearchState
from bthtn.planning.htn.tree import actions_of, tree_of
from bthtn.world.fluent import Fluent


class Found:
    """The source of a plan: with ``copied``, of a search that goes on behind it."""

    __slots__ = ("_expansions", "_log", "_record", "_request", "_root", "_values")

    def __init__(self, search: SearchState, *, copied: bool) -> None:
        self._request = search.request
        self._root = search.root
        self._log = search.log.copy() if copied else search.log
        self._values = search.values.copied() if copied else search.values
        self._record = MethodTraversalRecord(search.record)
        self._expansions = search.expansions

    def __call__(self, part: str) -> Any:
        """One part of the plan, made anew."""
        match part:
            case "tree":
                return tree_of(self._log, self._root, Past(self._values)).node
            case "record":
                return self._record
            case "predicted":
                return self._request.state.changed(self.written())
            case "actions":
                return actions_of(self._log)
            case "expansions":
                return self._expansions
            case _:
                return getattr(self._request, part)

    def written(self) -> dict[Fluent[Any], Any]:
        """Every fluent that the plan writes, with its value in the end."""
        values = self._values
        return {
            overwritten[place]: values[overwritten[place]]
            for overwritten in (entry[OVERWRITTEN] for entry in self._log)
            for place in range(0, len(overwritten), 2)
            if overwritten[place] in values
        }
