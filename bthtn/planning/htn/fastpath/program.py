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
from bthtn.planning.htn.fastpath.functions import Functions
from bthtn.planning.htn.fastpath.reachable import Compound, NotWritable, calls_of, reachable
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
            starts[task] = compiled.function(task, alone=True)
    return Program(starts, made["asking"], compiled.functions.guarded)


class Compiled:
    """The functions of tasks, each compiled when it is called for the first time.

    Threads that come to a task at the same time compile it each, and use the same.
    """

    def __init__(self, functions: Functions) -> None:
        self.functions = functions
        self._made: dict[Compound, tuple[Any, Any] | None] = {}
        """The two functions of each task; None if they cannot be written."""

    def function(self, task: Compound, *, alone: bool) -> Any:
        """The function that plans a task in a body, or ``alone``. Raises NotWritable."""
        if task not in self._made:
            try:
                functions = self.functions.of(task)
                text, *names = functions.planning()
                made = self.made(text, functions)
                self._made.setdefault(task, (made[names[0]], made[names[1]]))
            except _NOT_WRITABLE:
                self._made[task] = None
        known = self._made[task]
        if known is None:
            raise NotWritable
        return known[alone]

    def made(self, text: str, functions: Functions) -> dict[str, Any]:
        """The executed source, in which functions of other tasks are compiled when called."""
        made = executed(text, {**_GIVEN, **functions.names.objects})
        for name, (task, alone) in functions.elsewhere.items():
            made[name] = partial(self._first, made, name, task, alone)
        return made

    def _first(
        self,
        made: dict[str, Any],
        name: str,
        task: Compound,
        alone: bool,  # noqa: FBT001 - bound by position, before the arguments of the function
        *given: Any,
    ) -> Any:
        function = made[name] = self.function(task, alone=alone)
        return function(*given)
