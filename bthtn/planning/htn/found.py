"""The lazy source of a plan: builds its parts from the search log on demand."""

from __future__ import annotations

from typing import Any

from bthtn.domain.goal import Action
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.htn.log import OVERWRITTEN, Past
from bthtn.planning.htn.search_state import SearchState
from bthtn.planning.htn.tree import actions_of, tree_of
from bthtn.world.fluent import Fluent


class Found:
    """Builds the parts of a plan; ``copied`` takes a snapshot of a search that goes on."""

    __slots__ = ("_expansions", "_log", "_record", "_request", "_root", "_values")

    def __init__(self, search: SearchState, *, copied: bool) -> None:
        self._request = search.request
        self._root = search.root
        self._log = search.log.copy() if copied else search.log
        self._values = search.values.copied() if copied else search.values
        self._record = MethodTraversalRecord(search.record)
        self._expansions = search.expansions

    def __call__(self, _source: object, part: str) -> Any:
        """Build and return the named part of the plan."""
        match part:
            case "tree":
                return tree_of(self._log, self._root, Past(self._values))
            case "record":
                return self._record
            case "predicted":
                return self._request.state.changed(self.written())
            case "expansions":
                return self._expansions
            case _:
                return getattr(self._request, part)

    def actions(self, _source: object) -> tuple[Action, ...] | None:
        """Return the actions of the plan; None if it has alternatives."""
        return actions_of(self._log)

    def written(self) -> dict[Fluent[Any], Any]:
        """Return every fluent that the plan writes, with its value at the end."""
        values = self._values
        return {
            overwritten[place]: values[overwritten[place]]
            for overwritten in (entry[OVERWRITTEN] for entry in self._log)
            for place in range(0, len(overwritten), 2)
            if overwritten[place] in values
        }
