"""Joins the branches of a parallel node, for the generated functions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from bthtn.domain.network import ParallelNetwork
from bthtn.plan.merge import after_parallel, conflict
from bthtn.plan.walk import footprint
from bthtn.planning.htn.by_arguments import MOST_REMEMBERED
from bthtn.planning.htn.fastpath.layout import FORESEEABLE
from bthtn.planning.htn.fastpath.reachable import Reachable
from bthtn.planning.htn.fastpath.record_entries import entries
from bthtn.planning.htn.fastpath.repeats import Unforeseen
from bthtn.planning.htn.fastpath.tree_entries import TreeEntries, in_any_state
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.htn.values import canonical
from bthtn.world.expression import Binding
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import WriteKind
from bthtn.world.truth import UNKNOWN

Moment = tuple[Any, ...]
"""The length of the plan so far, and the values of all variables of fluents."""
Change = tuple[int, int | None, Any]
"""The place of a variable, and the branch at whose end it has its value. Without a branch: the
amount by which it grows, or UNKNOWN."""

_NOT_KNOWN: Final[Any] = object()


class Join:
    """Joins the branches of one node; ``fluents`` are those in variables, in order.

    The footprints of branches depend on their tasks and arguments alone, so how parallel ones are
    joined is worked out once for each way to plan them.
    """

    __slots__ = ("_entries", "_known", "_network", "_places", "_table")

    def __init__(
        self,
        network: ParallelNetwork,
        table: TaskTable,
        found: Reachable,
        fluents: Sequence[Fluent[Any]],
    ) -> None:
        self._network = network
        self._table = table
        self._entries = TreeEntries(table, found)
        self._places = {fluent: place for place, fluent in enumerate(fluents)}
        self._known: dict[Any, tuple[Change, ...] | None] = {}

    def __call__(
        self, moments: Sequence[Moment], record: list[Any], binding: Binding
    ) -> Sequence[Any] | None:
        """The variables behind the node, None if branches interfere.

        ``moments`` are where the node begins, and the end of each branch; ``binding`` are the
        arguments of the task in whose body the node is.
        """
        # The marks between the branches are in the record, too.
        planned = record[moments[0][0] :]
        key = (binding, *map(type, binding), *planned)
        for entry in planned:
            if len(entry) > 1:
                key = (*key, *map(type, entry))
        changes = self._known.get(key, _NOT_KNOWN)
        if changes is _NOT_KNOWN:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            changes = self._known[key] = self._changes(moments, record, binding)
        if changes is None:
            return None
        values = list(moments[0][1:])
        for place, branch, amount in changes:
            if branch is not None:
                values[place] = moments[branch + 1][place + 1]
            elif amount is UNKNOWN or values[place] is UNKNOWN:
                values[place] = UNKNOWN
            else:
                values[place] = canonical(values[place] + amount)
        seen = self._places.get(FORESEEABLE)
        if seen is not None:
            values[seen] = all(moment[seen + 1] for moment in moments)
        return values

    def _changes(
        self,
        moments: Sequence[Moment],
        record: list[Any],
        binding: Binding,
    ) -> tuple[Change, ...] | None:
        """How the variables change when all branches are through; None if branches interfere."""
        # At the first moment the mark before the branch is in the record already.
        planned = [
            record[moment[0] + (number > 0) : other[0]]
            for number, (moment, other) in enumerate(pairwise(moments))
        ]
        bodies = [self._table.body(part) for part in self._network.parts]
        trees = [
            self._entries.tree(
                body, binding, self._entries.of(entries_of_branch, in_any_state), in_any_state
            )
            for body, entries_of_branch in zip(bodies, map(entries, planned), strict=True)
        ]
        footprints = [footprint(tree) for tree in trees]
        if conflict(footprints) is not None:
            return None
        changes: list[Change] = []
        writes = after_parallel(footprints, self._network.policy, lambda branch, _: branch)
        for fluent, write in writes.items():
            place, value = self._places[fluent], write.value
            grows = write.kind is WriteKind.INCREASE or value is UNKNOWN
            changes.append((place, None, value) if grows else (place, value, None))
        return tuple(changes)


def without_plan(given: int, *state: Any) -> Any:
    """Go back behind an alternative: all plans of it were tried, or it has none at all.

    The state has the arguments of all generated functions: ``given`` lists, and the moment. The
    cell has a list that is not empty once there is a plan, and with a bound, whether a record in
    which the alternative is dropped cannot beat it.
    """
    if not any(state[given][1:]):
        raise Unforeseen  # it is dropped, for a reason that the search finds
    return state[1].pop(), *state[given + 1 :]
