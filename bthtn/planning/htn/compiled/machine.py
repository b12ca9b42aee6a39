"""The machine: what generated functions work on, and what they leave to evaluation.

Whatever cannot be written as source is done here as the interpreter does it, through a
recording view: tasks and methods with plain functions, calls with computed arguments,
suspensions, the recursion guard.
"""

from __future__ import annotations

from typing import Any, Final

from bthtn.domain.condition import why
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import (
    Network,
)
from bthtn.domain.progress import Progress
from bthtn.domain.task import CompoundTask, call_text
from bthtn.domain.task_effects import projected
from bthtn.plan.nodes import Suspension, SuspensionKind
from bthtn.planning.htn.compiled.cells import DONE, END, Asked, linked
from bthtn.planning.htn.compiled.frames import Cell, Frame
from bthtn.planning.htn.compiled.kinds import TOLD, TaskKind
from bthtn.planning.htn.compiled.members import MembersByIndex
from bthtn.planning.htn.compiled.parts import Part
from bthtn.planning.htn.compiled.past import ABSENT, Entry, Values, undo
from bthtn.planning.htn.compiled.program import Program
from bthtn.planning.htn.compiled.reading import change
from bthtn.world.expression import Binding, Expression
from bthtn.world.fluent import Fluent, UnknownRead
from bthtn.world.footprint import RecordingView, Write, WriteKind
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN, Truth

_FORGET_AT: Final = 10_000
_START: Final = (0, 0, None)
_NOWHERE: Final = FrozenState({})


class Machine:
    """One search, run by generated functions.

    ``at`` is where the path being planned has come to: steps, elapsed, innermost frame; ``h``
    is the fingerprint of the state. Both are kept up only where the program needs them.
    ``calls`` counts calls of functions, ``free`` those that were no expansions.
    """

    __slots__ = (
        "C",
        "L",
        "S",
        "_forget_at",
        "_prints",
        "asked",
        "at",
        "base",
        "calls",
        "cause",
        "cell",
        "domain",
        "free",
        "h",
        "program",
        "reason",
        "seen",
        "settings",
        "view",
    )

    def __init__(self, asked: Asked, program: Program, state: FrozenState) -> None:
        self.program = program
        self.base = state
        self.asked = asked
        self.domain = asked.domain
        self.settings = asked.settings
        self.S: Values = program.start(state.values)
        if program.features.volatile:
            for fluent in state.values:
                if fluent.volatile:
                    del self.S[fluent]
        self.L: list[Entry] = []
        self.C: list[Any] = []
        self.at: Any = _START
        self.h = 0
        self.calls = 0
        self.free = 0
        self.seen: set[Any] = set()
        self.cause: Suspension | None = None
        self.reason = ""
        self.cell: Cell | None = asked.first(program)
        self._forget_at = _FORGET_AT
        self._prints = program.features.guarded and bool(program.facts.recursive)

    # reading

    @property
    def foreseeable(self) -> bool:
        """Whether a volatile fluent still has the value that was sensed."""
        steps, _, frame = self.at
        return bool(steps == 0 and (frame is None or frame.guard is None))

    def get(self, fluent: Any, /) -> Any:
        """Value of the fluent as projected: the machine is a view of the state."""
        if fluent.volatile:
            return self.sensed(fluent)
        return self.S.get(fluent, fluent.default)

    def sensed(self, fluent: Fluent[Any]) -> Any:
        """Value of a volatile fluent: as written, or as sensed where that can be relied on."""
        value = self.S.get(fluent, ABSENT)
        if value is not ABSENT:
            return value
        return self.base.get(fluent) if self.foreseeable else UNKNOWN

    def member(self, members: MembersByIndex, index: Any) -> Any:
        """Value of a member; UNKNOWN also where there can be no such member."""
        fluent = members.get(index)
        if fluent is None:
            if not isinstance(index, members.family.index_type):
                return UNKNOWN
            fluent = members[index]
        return self.sensed(fluent) if members.volatile else self.S.get(fluent, members.default)

    def asks(self, condition: Expression[Any], args: tuple[Any, ...]) -> Truth:
        """The condition's truth by evaluation; ``view`` then knows what was read."""
        self.view = RecordingView(self)
        truth = condition.evaluate(self.view, args)
        return truth if truth is UNKNOWN else bool(truth)

    def body(self, method: Method, args: tuple[Any, ...]) -> Any:
        """What a plain method answers: a network, None, or UNKNOWN with the cause in ``cause``."""
        self.view = RecordingView(self)
        try:
            return self.domain.network(method, self.view, args)
        except UnknownRead as signal:
            self.view.readings.clear()
            self.view.readings[signal.fluent] = UNKNOWN  # type: ignore[index]  # never None here
            return UNKNOWN

    # planning by evaluation

    def primitive(self, kind: TaskKind, cell: Cell) -> Cell | None:
        """Plan a primitive task; its cell is a call of its function."""
        sc, args = cell[1], cell[2:-1]
        step = projected(kind.task, args, RecordingView(self))
        if step.possible is False:
            self.no_task(kind, args)
            return None
        steps, elapsed, frame = at = self.at
        guard = None if frame is None else frame.guard
        if step.writes is None or (step.possible is UNKNOWN and guard != steps):
            return self.suspend(sc, Suspension(SuspensionKind.UNKNOWN, step.unknown))
        self.at = (steps + 1, elapsed + step.duration, frame)
        undone = self.written(step.writes)
        self.L.append((kind, sc, args, undone, at, step))
        rest: Cell = cell[-1]
        return rest

    def written(self, writes: Any) -> tuple[Any, ...]:
        """Carry out writes; what they overwrote."""
        undone: list[Any] = []
        for fluent, write in writes.items():
            self.put(fluent, self.after(fluent, write), undone)
        return tuple(undone)

    def put(self, fluent: Fluent[Any], value: Any, undone: list[Any]) -> None:
        """Write a value, and add to ``undone`` what it overwrote."""
        absent = ABSENT if fluent.volatile else fluent.default
        before = self.S.get(fluent, absent)
        undone += (fluent, before)
        self.replace(fluent, before, value)

    def replace(self, fluent: Fluent[Any], before: Any, value: Any) -> None:
        """Store a value in place of another, and keep the fingerprint true."""
        if value is ABSENT:
            self.S.pop(fluent, None)
        else:
            self.S[fluent] = value
        if self._prints:
            self.h += change(fluent, before, value)

    def unforeseen(self, fluent: Fluent[Any]) -> Any:
        """Value of the fluent as far as it was written, or cannot change by itself."""
        return self.S.get(fluent, UNKNOWN if fluent.volatile else fluent.default)

    def after(self, fluent: Fluent[Any], write: Write) -> Any:
        """Value of the fluent when the write has happened."""
        if write.kind is not WriteKind.INCREASE:
            return write.value
        before = self.get(fluent)
        return UNKNOWN if before is UNKNOWN else before + write.value

    def suspend(self, sc: Entry, cause: Suspension) -> Cell:
        """Stop planning on this path."""
        self.L.append((TOLD, sc, (), (), self.at, Part(cause=cause)))
        return self.stop(cause)

    def stop(self, cause: Suspension) -> Cell:
        """Nothing more is planned on this path: go on where it ends."""
        self.cause = cause
        frame: Frame | None = self.at[2]
        return END if frame is None else frame.end

    def undecided(self, sc: Entry) -> Cell:
        """Suspend a call because of what ``view`` found unknown."""
        return self.unknown(sc, self.view.unknown)

    def unknown(self, sc: Entry, fluent: Expression[Any] | None) -> Cell:
        """Suspend a call because a fluent is unknown; that is no expansion."""
        self.free += 1
        return self.suspend(sc, Suspension(SuspensionKind.UNKNOWN, str(fluent)))

    def back(self) -> Cell | None:
        """Return to the latest choice, and take its alternative if it has one."""
        function, cell, place, at, self.h = self.C.pop()
        if at is not None:
            self.at = at
        self.cause = None
        values, log = self.S, self.L
        while len(log) > place:
            entry = log.pop()
            if entry[3]:
                undo(entry, values)
        if len(self.seen) > self._forget_at:
            self._forget(cell[1])
        answer: Cell | None = function(values, log, self.C, self, cell)
        return answer

    def go_on(self) -> None:
        """Look for another plan; what was found keeps its log and its values."""
        self.S, self.L = self.S.copy(), self.L.copy()
        self.cell = None

    def run(self, stop: int) -> bool:
        """Go on while fewer than ``stop`` expansions were made; False when all was tried."""
        values, log, choices, free = self.S, self.L, self.C, self.program.planning.free
        cell = self.cell
        while cell is not DONE:
            budget = stop - self.calls + self.free
            if budget <= 0 and (cell is None or cell[0] not in free):
                break
            left = budget = max(budget, 1)
            try:
                while left:
                    left -= 1
                    if cell is not None:
                        cell = cell[0](values, log, choices, self, cell)
                        if cell is DONE:
                            break
                    elif choices:
                        cell = self.back()
                    else:
                        self.free += 1
                        return False
            finally:
                self.calls += budget - left
                self.cell = cell
        return True

    def link(self, network: Network, sc: Entry, rest: Cell) -> Cell:
        """The cell that plans a network in front of another cell."""
        return linked(self.program, network, sc, rest)

    # failures

    def repeats(self, task: CompoundTask[Any], args: tuple[Any, ...], sc: Entry, key: Any) -> bool:
        """Whether the call is its own ancestor in an unchanged state; ``key`` was seen before."""
        scope: Entry | None = sc
        while scope is not None:
            if (
                scope[7] == key
                and scope[0].call(scope) == (task, args)
                and self._same_since(scope[8])
            ):
                reason = "entered again inside itself, with nothing changed"
                self._cut(task, args, reason)
                return True
            scope = scope[1]
        return False

    def too_deep(self, task: CompoundTask[Any], args: tuple[Any, ...]) -> None:
        """The call is nested deeper than is allowed."""
        self._cut(task, args, f"nested deeper than {self.settings.max_depth}")

    def _cut(self, task: CompoundTask[Any], args: tuple[Any, ...], reason: str) -> None:
        self.free += 1
        self.reason = f"{call_text(task, args)}: {reason}"

    def no_task(self, kind: TaskKind, args: tuple[Any, ...]) -> None:
        """Note why a primitive task cannot be done, where somebody will ask."""
        if self.at[2] is not None:
            task = kind.task
            self.reason = f"{call_text(task, args)}: {why(task.precondition, self, args)}"

    def no_method(self, task: CompoundTask[Any], index: int, args: tuple[Any, ...]) -> None:
        """Note why a method cannot be used, where somebody will ask."""
        self.no_way(task, args, self.domain.methods[task][index], args)

    def no_way(
        self, task: CompoundTask[Any], args: tuple[Any, ...], method: Method, binding: Binding
    ) -> None:
        """Note why a method cannot be used with these values, where somebody will ask."""
        if self.at[2] is None or isinstance(method.condition, Progress):
            return
        reason = why(method.condition, self, binding)
        if isinstance(method.body, PlainBody) and method.condition.evaluate(self, binding) is True:
            reason = method.body.why_not(self, binding)
        self.reason = f"{call_text(task, args)}: {reason}"

    def _same_since(self, place: int) -> bool:
        first: dict[Any, Any] = {}
        for entry in self.L[place:]:
            undone = entry[3]
            for index in range(0, len(undone), 2):
                first.setdefault(undone[index], undone[index + 1])
        return all(
            before == self.S.get(fluent, ABSENT) if before is not ABSENT else fluent not in self.S
            for fluent, before in first.items()
        )

    def _forget(self, sc: Entry) -> None:
        """Keep the keys of open scopes only, so that memory follows depth, not time."""
        self.seen.clear()
        scope: Entry | None = sc
        while scope is not None:
            self.seen.add(scope[7])
            scope = scope[1]
        self._forget_at = 2 * len(self.seen) + _FORGET_AT
