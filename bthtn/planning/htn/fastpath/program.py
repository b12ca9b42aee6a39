"""Program: the compiled functions that search for a plan, made once per set of root tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network
from bthtn.domain.task import CompoundTask, Task
from bthtn.errors import BthtnError
from bthtn.plan.plan import Plan, new, put_source
from bthtn.planning.htn.fastpath.functions import ALONE, Functions, Place
from bthtn.planning.htn.fastpath.reachable import NotWritable, calls_of, reachable
from bthtn.planning.htn.fastpath.repeats import Unforeseen, repeats
from bthtn.planning.htn.generated import executed
from bthtn.world.expression import Binding, Constant, Parameter
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN

Cell = tuple[Any, ...]
MOST_PROGRAMS: Final = 200
"""Programs kept for one domain; when there are more, all are dropped."""
_GIVEN: Final = {
    "Plan": Plan,
    "new": new,
    "put_source": put_source,
    "Unforeseen": Unforeseen,
    "repeats": repeats,
}
_NOT_WRITABLE: Final = (NotWritable, BthtnError, RecursionError)
"""Why there are no functions: the search comes to what is wrong, and says so."""
_NOWHERE: Final = FrozenState({})


@dataclass(frozen=True, slots=True)
class Program:
    """The compiled functions that search for a plan.

    ``starts`` has the function of each task that a goal calls, ``asking`` makes an accelerator. The
    functions of ``guarded`` tasks take one more argument: the open call around them, None for a
    goal.
    """

    starts: Mapping[Task, Any]
    asking: Callable[..., Any]
    guarded: frozenset[Any]

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

    def program(self, roots: frozenset[Task], *, strict: bool) -> Program | None:
        """The program for goals that call these tasks; None if it cannot be written."""
        key = roots, strict
        if key not in self._made:
            if len(self._made) >= MOST_PROGRAMS:
                self._made.clear()
            try:
                made = _program(self._domain, roots, strict=strict)
            except _NOT_WRITABLE:
                made = None
            self._made[key] = made
            return made
        return self._made[key]


def _program(domain: FrozenDomain, roots: frozenset[Task], *, strict: bool) -> Program:
    compiled = Compiled(Functions(domain, reachable(domain, roots), strict=strict))
    functions = compiled.functions.of(None)
    text, names = functions.asking()
    made = compiled.made(text, functions)
    starts = {task: made[name] for task, name in names.items()}
    for task in starts:
        if isinstance(task, CompoundTask):
            starts[task] = compiled.function((task, ALONE))
            compiled.function((task, 0))
    return Program(starts, made["asking"], compiled.functions.guarded)


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
        made = executed(text, {**_GIVEN, **functions.names.objects})
        for name, place in functions.elsewhere.items():
            made[name] = partial(self._first, made, name, place)
        return made

    def _first(self, made: dict[str, Any], name: str, place: Place, *given: Any) -> Any:
        function = made[name] = self.function(place)
        return function(*given)
