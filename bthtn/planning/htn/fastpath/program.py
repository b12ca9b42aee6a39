"""Program: the compiled functions that search for a plan, made once per set of root tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network
from bthtn.domain.task import Task
from bthtn.errors import BthtnError
from bthtn.plan.plan import Plan, new, put_expansions, put_source
from bthtn.planning.htn.fastpath.functions import Functions
from bthtn.planning.htn.fastpath.join import without_plan
from bthtn.planning.htn.fastpath.reachable import NotWritable, Reachable, calls_of, reachable
from bthtn.planning.htn.fastpath.repeats import Unforeseen, repeats, unforeseen
from bthtn.planning.htn.generated import executed
from bthtn.world.expression import Binding, Constant, Parameter
from bthtn.world.fluent import Fluent
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN

Cell = tuple[Any, ...]
MOST_PROGRAMS: Final = 200
"""Programs kept for one domain; when there are more, all are dropped."""
_GIVEN: Final = {
    "Plan": Plan,
    "new": new,
    "put_expansions": put_expansions,
    "put_source": put_source,
    "UNKNOWN": UNKNOWN,
    "Unforeseen": Unforeseen,
    "unforeseen": unforeseen,
    "without_plan": without_plan,
    "repeats": repeats,
}
_NOWHERE: Final = FrozenState({})


@dataclass(frozen=True, slots=True)
class Program:
    """The compiled functions that search for a plan.

    ``text`` is their source. ``starts`` has the function of each task that a goal calls,
    ``asking`` makes an accelerator. The functions of ``guarded`` tasks take one more argument:
    the open call around them, None for a goal. ``branched`` are the fluents in variables, whose
    values at the end are kept with the plan, if the goal may come to parallel or priority nodes;
    else None.
    """

    text: str
    starts: Mapping[Task, Any]
    asking: Callable[..., Any]
    guarded: frozenset[Any]
    branched: tuple[Fluent[Any], ...] | None

    def cell(self, goal: Network, binding: Binding) -> Cell | None:
        """The agenda for a goal; None if an argument is unknown, mistyped or state-dependent."""
        cell: Cell = ()
        for call in reversed(calls_of(goal) or ()):
            if not all(isinstance(one, Constant | Parameter) for one in call.args):
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
        self._asked: set[frozenset[Task]] = set()

    def is_known(self, roots: frozenset[Task]) -> bool:
        """Whether this was called with these tasks before."""
        if roots in self._asked:
            return True
        if len(self._asked) >= MOST_PROGRAMS:
            self._asked.clear()
        self._asked.add(roots)
        return False

    def program(self, roots: frozenset[Task], *, strict: bool) -> Program | None:
        """The program for goals that call these tasks; None if it cannot be written."""
        key = roots, strict
        if key not in self._made:
            if len(self._made) >= MOST_PROGRAMS:
                self._made.clear()
            try:
                made = _program(self._domain, roots, strict=strict)
            except (NotWritable, BthtnError, RecursionError):
                made = None  # the search comes to what is wrong, and says so
            self._made[key] = made
            return made
        return self._made[key]


def _program(domain: FrozenDomain, roots: frozenset[Task], *, strict: bool) -> Program:
    functions = Functions(domain, reachable(domain, roots), strict=strict)
    text, starts = functions.text()
    asks_unknown = {"asks_unknown": partial(_asks_unknown, _known_before(functions.found))}
    made = executed(text, {**_GIVEN, **asks_unknown, **functions.names.objects})
    by_task = {task: made[name] for task, name in starts.items()}
    branched = tuple(functions.where) if functions.has_branches else None
    return Program(text, by_task, made["asking"], functions.guarded, branched)


def _known_before(found: Reachable) -> frozenset[Fluent[Any]] | None:
    """The fluents that have to be known where planning begins; None if some are of families."""
    fluents = [*found.fluents]
    known = [one for one in fluents if isinstance(one, Fluent)]
    return frozenset(known) if len(known) == len(fluents) else None


def _asks_unknown(fluents: frozenset[Fluent[Any]] | None, state: FrozenState) -> bool:
    """Whether one of these fluents is unknown in the state, or may be."""
    return fluents is None or any(state.values.get(one) is UNKNOWN for one in fluents)
