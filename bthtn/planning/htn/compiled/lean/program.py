"""A program: the functions that search for choices, made for the tasks that goals call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network
from bthtn.domain.task import CompoundTask, Task
from bthtn.plan.plan import Plan, new, put_source
from bthtn.planning.htn.compiled import generated
from bthtn.planning.htn.compiled.calls import is_ground
from bthtn.planning.htn.compiled.cells import Asked
from bthtn.planning.htn.compiled.lean import seen
from bthtn.planning.htn.compiled.lean.body import NotWritable
from bthtn.planning.htn.compiled.lean.guard import Unforeseen, repeats, take_back
from bthtn.planning.htn.compiled.lean.scope import NOWHERE, calls_of, scope_of
from bthtn.planning.htn.compiled.lean.seen import ABSENT
from bthtn.planning.htn.compiled.lean.source import Source
from bthtn.planning.htn.compiled.lean.telling import KINDS
from bthtn.planning.htn.compiled.lean.watch import Others, Watch
from bthtn.planning.htn.compiled.members import Members, members_of
from bthtn.world.expression import Binding
from bthtn.world.state import FrozenState

Answer = Callable[[FrozenState], Plan | None]
Cell = tuple[Any, ...]
_SURE: Final = (int, str)
"""Types that functions rely on where a parameter declares them."""


@dataclass(frozen=True, slots=True)
class Program:
    """Functions that raise KeyError for members that were never met, and those that meet them.

    ``text`` is their source for people, with what its names stand for.
    ``entries`` are the functions of both kinds that begin with a task that a goal calls.
    ``asking`` makes functions that answer; there is none where somebody watches. ``looks`` are
    the tasks that are called with what is open around them, which is nothing.
    """

    text: str
    entries: tuple[Mapping[Task, Any], ...]
    asking: tuple[Callable[..., Answer], ...]
    looks: frozenset[CompoundTask[Any]]

    def cell(self, entries: Mapping[Task, Any], goal: Network, binding: Binding) -> Cell | None:
        """What there is to do for a goal; None where its arguments depend on the state."""
        depth = () if self.asking else (0,)
        cell: Cell = ()
        for call in reversed(calls_of(goal) or ()):
            if not is_ground(call):
                return None
            args = [argument.evaluate(NOWHERE, binding) for argument in call.args]
            declared = zip(call.task.parameters, args, strict=True)
            if any(one.type in _SURE and type(value) is not one.type for one, value in declared):
                return None
            up = (None,) if call.task in self.looks else ()
            cell = (entries[call.task], *args, *depth, *up, cell)
        return cell


@dataclass(frozen=True, slots=True)
class Beginning:
    """A program for one goal, and the cells with which its functions begin."""

    program: Program
    cells: tuple[Cell, ...]

    def asking(
        self, asked: Asked, most: int, part_of: Callable[..., Any], logged: Answer
    ) -> Answer:
        """A function that answers from one state after the other, in so many expansions.

        ``part_of`` makes the parts of its plans. What it cannot answer ``logged`` does.
        """
        (quickly, carefully), (quick, careful) = self.program.asking, self.cells
        unmet = carefully(asked, careful, most, part_of, logged, logged)
        return quickly(asked, quick, most, part_of, unmet, logged)

    def watching(
        self, asked: Asked, most: int, part_of: Callable[..., Any], others: Others
    ) -> Watch:
        """What answers and tells how; what it cannot answer the others do."""
        return Watch(asked, self.cells, most, part_of, others)


class Programs:
    """The programs of one domain."""

    def __init__(self, domain: FrozenDomain) -> None:  # noqa: ARG002 - as what is derived is made
        self._by_roots: dict[Any, Program | None] = {}

    def program(
        self, domain: FrozenDomain, roots: frozenset[Task], *, strict: bool, watched: bool
    ) -> Program | None:
        """The program for goals that call these tasks; None where there can be none."""
        key = roots, strict, watched
        if key not in self._by_roots:
            self._by_roots[key] = _program(domain, roots, strict=strict, watched=watched)
        return self._by_roots[key]


def beginning(
    domain: FrozenDomain, goal: Network, binding: Binding, *, strict: bool, watched: bool = False
) -> Beginning | None:
    """How to search for the goal's choices; None where something asks for other functions.

    With ``watched``, so that somebody hears what is done and knows what is read.
    """
    calls = calls_of(goal)
    if not calls:
        return None
    roots = frozenset(call.task for call in calls)
    program = domain.derived(Programs).program(domain, roots, strict=strict, watched=watched)
    if program is None:
        return None
    quick, careful = (program.cell(entries, goal, binding) for entries in program.entries)
    return None if quick is None or careful is None else Beginning(program, (quick, careful))


def _program(
    domain: FrozenDomain, roots: frozenset[Task], *, strict: bool, watched: bool
) -> Program | None:
    scope = scope_of(domain, roots)
    if scope is None or not scope.is_known:
        return None
    try:
        source = Source(domain, scope, strict=strict, watched=watched)
        text, entries = source.text()
    except NotWritable:
        return None
    code = generated.executable(text)
    names = {name: members_of(thing) for name, thing in source.names.objects.items()}
    names |= {"Unforeseen": Unforeseen, "repeats": repeats}
    if watched:
        names |= {**KINDS, "event": tuple.__new__, "ABSENT": ABSENT, "take_back": seen.take_back}
    else:
        names |= {"Plan": Plan, "new": new, "put_source": put_source, "take_back": take_back}
    met = {name: thing.met for name, thing in names.items() if isinstance(thing, Members)}
    both = [generated.executed(code, {**names, **met}), generated.executed(code, names)]
    starts = tuple({task: made[name] for task, name in entries.items()} for made in both)
    asking = () if watched else tuple(made["asking"] for made in both)
    return Program(source.names.explained(text), starts, asking, source.guarded)
