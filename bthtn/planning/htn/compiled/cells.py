"""Cells: what is left to do, as a linked list of calls."""

from __future__ import annotations

from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, NullNetwork, SequenceNetwork
from bthtn.domain.task import TaskCall
from bthtn.planning.htn.compiled.calls import is_ground
from bthtn.planning.htn.compiled.frames import Cell
from bthtn.planning.htn.compiled.kinds import ROOT
from bthtn.planning.htn.compiled.past import Entry
from bthtn.planning.htn.compiled.program import Program
from bthtn.planning.protocol import Settings
from bthtn.world.expression import Binding
from bthtn.world.state import FrozenState

_NOWHERE: Final = FrozenState({})


def end(_values: Any, _log: Any, _choices: Any, m: Any, _cell: Cell) -> Cell:
    """Nothing is left to do."""
    m.free += 1
    return DONE


END: Final[Cell] = (end,)
DONE: Final[Cell] = (end, None)


def linked(program: Program, network: Network, sc: Entry, rest: Cell) -> Cell:
    """The cell that plans a network in front of another cell."""
    if not isinstance(network, SequenceNetwork):
        return _linked(program, network, sc, rest)
    parts, horizon = network.parts, program.features.horizon
    for place in range(len(parts) - 1, -1, -1):
        rest = _linked(program, parts[place], sc, rest)
        if horizon and place:
            rest = (program.planning.at_place, sc, place, rest)
    return rest


def _linked(program: Program, network: Network, sc: Entry, rest: Cell) -> Cell:
    if isinstance(network, NullNetwork):
        return rest
    if isinstance(network, TaskCall) and is_ground(network):
        args = (argument.evaluate(_NOWHERE, sc[2]) for argument in network.args)
        return (program.functions[network.task], sc, *args, rest)
    return (program.planning.expand, sc, network, rest)


class Asked:
    """A question apart from the state: what searches for it share."""

    def __init__(
        self, domain: FrozenDomain, goal: Network, binding: Binding, settings: Settings
    ) -> None:
        self.domain = domain
        self.goal = goal
        self.binding = binding
        self.settings = settings
        self.root: Entry = (ROOT, None, binding, (), None, goal, 0, None, 0)
        self._first: dict[int, Cell] = {}

    def first(self, program: Program) -> Cell:
        """The cell that plans the goal; it is the same for every search."""
        found = self._first.get(id(program))
        if found is None:
            found = self._first[id(program)] = linked(program, self.goal, self.root, END)
        return found
