"""Program: the compiled functions that search for a plan, made once per set of root tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network
from bthtn.domain.task import CompoundTask, Task, TaskCall
from bthtn.errors import BthtnError
from bthtn.plan.nodes import Suspension, cause_of
from bthtn.plan.plan import OpenPlan, Plan
from bthtn.planning.htn.fastpath.bound import limits
from bthtn.planning.htn.fastpath.functions import ALONE, Functions, Place
from bthtn.planning.htn.fastpath.items import SearchKind
from bthtn.planning.htn.fastpath.join import without_plan
from bthtn.planning.htn.fastpath.reachable import (
    NotWritable,
    Reachable,
    goal_items,
    reachable,
)
from bthtn.planning.htn.fastpath.record_entries import Note
from bthtn.planning.htn.fastpath.repeats import Unforeseen, repeats, unforeseen
from bthtn.planning.htn.fastpath.suspending import (
    STOPPED,
    STOPPED_BEHIND,
    begins_alternative,
    branch_end,
    cause_in,
    stop_goal,
)
from bthtn.planning.htn.fastpath.tree_entries import TreeEntries
from bthtn.planning.htn.generated import executed
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.least_cost import least_sums
from bthtn.planning.protocol import Settings
from bthtn.world.expression import Binding, Constant, Parameter
from bthtn.world.fluent import Fluent
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN

Cell = tuple[Any, ...]
MOST_PROGRAMS: Final = 200
"""Programs kept for one domain; when there are more, all are dropped."""
_GIVEN: Final = {
    "Note": Note,
    "OpenPlan": OpenPlan,
    "Plan": Plan,
    "UNKNOWN": UNKNOWN,
    "inf": inf,
    "limits": limits,
    "Unforeseen": Unforeseen,
    "unforeseen": unforeseen,
    "repeats": repeats,
    "Suspension": Suspension,
    "begins_alternative": begins_alternative,
    "branch_end": branch_end,
    "cause_in": cause_in,
    "stopped": STOPPED,
    "stopped_behind": STOPPED_BEHIND,
}
_NOT_WRITABLE: Final = (NotWritable, BthtnError, RecursionError)
"""Why there are no functions: the search comes to what is wrong, and says so."""
_NOWHERE: Final = FrozenState({})


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The compiled functions that search for a plan.

    ``starts`` has the function of each task that a goal calls, ``asking`` makes an accelerator. The
    functions of ``guarded`` tasks take one more argument: the open call around them, None for a
    goal. ``branched`` are the fluents in variables, whose values at the end are kept with the plan,
    if the goal may come to parallel or priority nodes; else None. ``end`` is the cell behind every
    goal, ``stop`` the function of a cell that suspends the rest of one. ``entries`` makes those
    of trees.
    """

    starts: Mapping[Task, Any]
    asking: Callable[..., Any]
    guarded: frozenset[Any]
    branched: tuple[Fluent[Any], ...] | None
    end: Cell
    stop: Callable[..., Any]
    entries: TreeEntries

    def cell(self, goal: Network, binding: Binding) -> Cell | None:
        """The agenda for a goal; None if an argument is unknown, mistyped or state-dependent."""
        cell = self.end
        for call in reversed(goal_items(goal) or ()):
            if not isinstance(call, TaskCall):
                if cell:
                    return None  # what is suspended costs, too
                cell = (self.stop, cause_of(call), cell)
                continue
            if not all(isinstance(arg, Constant | Parameter) for arg in call.args):
                return None
            args = [argument.evaluate(_NOWHERE, binding) for argument in call.args]
            declared = zip(call.task.parameters, args, strict=True)
            if UNKNOWN in args or any(p.type is int and type(v) is not int for p, v in declared):
                return None
            up = (None,) if call.task in self.guarded else ()
            cell = (self.starts[call.task], *args, *up, cell)
        return cell


class Programs:
    """The programs of one domain, by the tasks that goals call."""

    def __init__(self, domain: FrozenDomain) -> None:
        self._domain = domain
        self._made: dict[Any, Program | None] = {}
        self._asked: set[Any] = set()

    def is_known(self, roots: frozenset[Task], settings: Settings, kind: SearchKind) -> bool:
        """Whether this was called before with these tasks, and for such searches."""
        key = _key(roots, settings, kind)
        if key in self._asked:
            return True
        if len(self._asked) >= MOST_PROGRAMS:
            self._asked.clear()
        self._asked.add(key)
        return False

    def program(
        self, roots: frozenset[Task], settings: Settings, kind: SearchKind
    ) -> Program | None:
        """The program for goals that call these tasks; None if it cannot be written."""
        key = _key(roots, settings, kind)
        if key not in self._made:
            if len(self._made) >= MOST_PROGRAMS:
                self._made.clear()
            try:
                made = _program(self._domain, roots, settings, kind)
            except _NOT_WRITABLE:
                made = None
            self._made[key] = made
            return made
        return self._made[key]


def _key(roots: frozenset[Task], settings: Settings, kind: SearchKind) -> tuple[Any, ...]:
    return roots, settings.strict_recursion, settings.cheapest, kind


def _program(
    domain: FrozenDomain, roots: frozenset[Task], settings: Settings, kind: SearchKind
) -> Program:
    least = least_sums(domain, cheapest=settings.cheapest)
    if kind.bounded and least is not None:
        raise NotWritable  # sums are not compared by their records
    found = reachable(domain, roots)
    strict = settings.strict_recursion
    compiled = Compiled(Functions(domain, found, kind, strict=strict, least=least))
    functions = compiled.functions.of(None)
    text, names = functions.asking()
    made = compiled.made(text, functions)
    made["asks_unknown"] = partial(_asks_unknown, _known_before(functions.found))
    starts = {task: made[name] for task, name in names.items()}
    for task in starts:
        if isinstance(task, CompoundTask):
            starts[task] = compiled.function((task, ALONE))
    branched = tuple(functions.where) if functions.has_branches else None
    end = () if least is None else (made["solved"], ())
    entries = TreeEntries(domain.derived(TaskTable), functions.found)
    stop = partial(stop_goal, len(functions.given))
    return Program(starts, made["asking"], functions.guarded, branched, end, stop, entries)


def _known_before(found: Reachable) -> frozenset[Fluent[Any]] | None:
    """The fluents that have to be known where planning begins; None if some are of families."""
    if found.assumed:
        return None  # functions may read more than their translations
    fluents = [*found.fluents]
    known = [fluent for fluent in fluents if isinstance(fluent, Fluent)]
    return frozenset(known) if len(known) == len(fluents) else None


def _asks_unknown(fluents: frozenset[Fluent[Any]] | None, state: FrozenState) -> bool:
    """Whether one of these fluents is unknown in the state, or may be."""
    return fluents is None or any(state.values.get(fluent) is UNKNOWN for fluent in fluents)


class Compiled:
    """The functions of tasks, each compiled when it is called for the first time.

    Threads that come to a place at the same time compile it each, and use the same function.
    """

    def __init__(self, functions: Functions) -> None:
        self.functions = functions
        self._made: dict[Place, Any] = {}
        """The function at each place; None if it cannot be written."""

    def function(self, place: Place) -> Any:
        """The function that begins at a place. Raises NotWritable."""
        if place not in self._made:
            try:
                functions = self.functions.of(place)
                text, name = functions.planning()
                self._made.setdefault(place, self.made(text, functions)[name])
            except _NOT_WRITABLE:
                self._made[place] = None
        if self._made[place] is None:
            raise NotWritable
        return self._made[place]

    def made(self, text: str, functions: Functions) -> dict[str, Any]:
        """The executed source, in which functions of other places are compiled when called."""
        dropping = partial(without_plan, len(functions.given))
        given = {**_GIVEN, "without_plan": dropping, **functions.names.objects}
        made = executed(text, given)
        for name, place in functions.elsewhere.items():
            made[name] = partial(self._first, made, name, place)
        return made

    def _first(self, made: dict[str, Any], name: str, place: Place, *given: Any) -> Any:
        function = made[name] = self.function(place)
        return function(*given)
