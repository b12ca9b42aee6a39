"""Writes the Python source of a depth-first search, one function for each compound task.

    def f_fight(S, C, R, n, s_ammo, rest):      # decompose: enter the first usable method
        if s_ammo > 0:
            C.append((g_fight_from_1, rest, len(R), s_ammo))
            R.append(e_with_ammo_and_shoot)
            return rest, n + 2, s_ammo - 1       # the method, and the task shoot in it
        ...

``C`` is the stack of open choices, ``n`` the number of expansions. ``R`` records functions
that make the entries of the plan, each with its arguments. Fluents that effects write are local
variables, all others are read from ``S``. Members of families are written in ``S``, and the trail
``T`` keeps their earlier values. ``rest`` is a cell of the agenda: a function, its arguments and
the next cell. Each function returns the next cell and the state to continue in. The real names
are numbered: no text of a domain gets into the source.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import ParallelNetwork
from bthtn.domain.task import CompoundTask, Task, TaskCall
from bthtn.planning.htn.expressions import Names
from bthtn.planning.htn.fastpath.asking import asking, changed, solved
from bthtn.planning.htn.fastpath.body import BodyWriter
from bthtn.planning.htn.fastpath.bound import EQUAL
from bthtn.planning.htn.fastpath.branch_end import end_branch
from bthtn.planning.htn.fastpath.cycles import cycles, guarded, has_ints
from bthtn.planning.htn.fastpath.excess import EXCESS, Excess
from bthtn.planning.htn.fastpath.items import BranchMark, Entry, Node, Part, SearchKind
from bthtn.planning.htn.fastpath.join import Join
from bthtn.planning.htn.fastpath.known_reads import KnownReads
from bthtn.planning.htn.fastpath.layout import (
    call_order,
    inlined,
    variables,
    written_in_branches,
)
from bthtn.planning.htn.fastpath.lines import Known, is_near, tuple_source
from bthtn.planning.htn.fastpath.notes import Notes
from bthtn.planning.htn.fastpath.reachable import (
    Branches,
    Compound,
    NotWritable,
    PlainMethod,
    Reachable,
    scalar,
)
from bthtn.planning.htn.fastpath.reading import Reading
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.least_cost import LeastCosts

_WITH_NAN: Final = (float, object, None)
"""Types, or None where there is no single one, whose values may be NaN."""
MOST_METHODS: Final = 4
"""Methods in one function; later methods go into functions of their own."""

Place = tuple[Compound, int]
"""Where a function begins: at one of the methods of a task, or ``ALONE`` in front of the task."""
ALONE: Final = -1


class Functions:
    """Writes the functions of reachable tasks; ``where`` has the variables of fluents.

    Each has a source of its own, so that functions that no search comes to are never written.
    ``elsewhere`` has the names under which a source mentions functions of other sources.
    """

    def __init__(
        self,
        domain: FrozenDomain,
        found: Reachable,
        kind: SearchKind,
        *,
        strict: bool,
        least: LeastCosts | None,
    ) -> None:
        """Write functions that search for the plan with the ``least`` sum, if that is given.

        They look for recursion that changes nothing if they are ``strict``.
        """
        self.found = found
        self.kind = kind
        self.excess = None if least is None else Excess(found, least)
        self.names = Names()
        self.cycles: Mapping[Compound, int] = cycles(found) if strict else {}
        self.guarded = guarded(found, self.cycles)
        self.inlined: Mapping[Compound, PlainMethod] = inlined(found, self.guarded)
        self.steps = found.steps
        self._may_call = call_order(found)
        self._salts = {task: number for number, task in enumerate(found.methods)}
        self.has_branches = any(found.branches)
        self.has_choices = any(branch.is_choice for branch in found.branches)
        looks = bool(self.guarded) or self.has_branches
        own = [EXCESS] if least is not None else [EQUAL] if kind.bounded else []
        self.where = variables(domain, found, self.names, own, looks=looks)
        self._equal = self.where.get(EQUAL)
        self.scalars = tuple(name for name in self.where.values() if name)
        self.unsure = frozenset(
            self.where[fluent] for fluent in written_in_branches(found) if fluent in self.where
        )
        self._writes_members = any(
            scalar(effect.target) not in self.where for effect in found.effects
        )
        self._demand(has_volatile=domain.schema.has_volatile)
        self._table = domain.derived(TaskTable)
        needed = {"T": self._writes_members, "K": self.guarded, "B": least, "Z": self.has_branches}
        needed |= {"X": kind.avoids, "Y": kind.bounded}
        self.given = ("S", "C", "R", *(name for name in needed if needed[name]))
        self._begin(None)

    def of(self, place: Place | None) -> Functions:
        """Functions that write the source of this place; None for that of ``asking``."""
        functions = copy(self)
        functions.names = Names()
        functions._begin(place)
        return functions

    def _begin(self, place: Place | None) -> None:
        self._own = place
        self.elsewhere: dict[str, Place] = {}
        self._places: dict[Place, str] = {}
        self._continued: dict[Any, str] = {}
        self._ended: dict[Any, str] = {}
        self._marks: dict[tuple[Branches, int], BranchMark] = {}
        self._notes = Notes(self.names)
        self._calls: dict[Task, TaskCall] = {}
        self._waiting: deque[Callable[[], Iterator[str]]] = deque()

    def _demand(self, *, has_volatile: bool) -> None:
        """Raise NotWritable for combinations that the functions do not cover."""
        if self._writes_members and not all(task.parameters for task in self.guarded):
            raise NotWritable  # nothing but members of families tells the rounds of a cycle apart
        if self._writes_members and self.has_branches:
            raise NotWritable  # what a branch has written is not in variables alone
        if self.found.relies_on_ints and not has_ints(self.found):
            raise NotWritable
        if self.guarded and has_volatile:
            raise NotWritable  # rounds also differ in whether sensors can be relied on

    def asking(self) -> tuple[str, dict[Task, str]]:
        """The source of ``asking``, and the names of the functions that plan the roots alone.

        Raises NotWritable.
        """
        roots = [task for task in self.found.tasks if task in self.found.roots]
        starts = {task: self.alone(task) for task in roots}
        reading = Reading(self.names, (), self.where, (), str, KnownReads())
        first = {
            name: reading.stored(self.names.of(fluent), fluent)
            for fluent, name in self.where.items()
            if name
        }
        unlike = [changed(assumption, self.names) for assumption in self.found.assumed]
        texts = [asking(self.given, first, unlike, self._equal, keeps_end=self.has_branches)]
        if self.excess is not None:
            texts.append(solved(self.given, [*first], self.where[EXCESS]))
        return self._written(texts), starts

    def planning(self) -> tuple[str, str]:
        """The source of its place, and the name of the function there. Raises NotWritable."""
        assert self._own is not None, "it is the source of a place"
        task, start = self._own
        if start == ALONE:
            name = self.alone(task)
        else:
            name = self._from(task, start) if start else self.function(task)
        return self._written([]), name

    def _written(self, written: list[str]) -> str:
        while self._waiting:
            written.append("\n".join(self._waiting.popleft()()))
        written += self._notes.lines()
        return "\n\n\n".join(written) + "\n"

    def _at(self, place: Place, made: Callable[[], str]) -> str:
        """Name of the function at a place: ``made`` if it is written here."""
        if place not in self._places:
            is_own = place == self._own
            name = self._places[place] = made() if is_own else self.names.new("f")
            if not is_own:
                self.elsewhere[name] = place
        return self._places[place]

    # what bodies ask

    def function(self, task: Compound) -> str:
        """Name of the function of a compound task."""
        return self._at((task, 0), lambda: self._new("f", partial(self._begun, task)))

    def alone(self, task: Task) -> str:
        """Name of the function whose cell plans one task, given all its arguments."""
        if isinstance(task, CompoundTask):
            return self._at((task, ALONE), lambda: self._whole(task))
        return self._whole(task)

    def _whole(self, task: Task) -> str:
        if isinstance(task, CompoundTask):
            return self._new("h", partial(self._begun, task, alone=True))
        names = [f"a{n}" for n in range(len(task.parameters))]
        call = self._calls.setdefault(task, TaskCall(task, task.parameters))
        return self.continued([Part(call, tuple(names), None)], names, up=False)

    def continued(self, parts: Sequence[Part], names: Sequence[str], *, up: bool) -> str:
        """Name of the function that plans these parts, given the values of ``names``."""
        key = (*((id(part.item), part.binding, part.cycle) for part in parts), *names, up)
        if key not in self._continued:
            lines = partial(self._continue, list(parts), names, up=up)
            self._continued[key] = self._new("h", lines)
        return self._continued[key]

    def ended(self, node: Node, number: int) -> str:
        """Name of the function that ends a branch of a node and goes on behind it."""
        behind = ((id(part.item), part.binding) for part in node.behind)
        key = (number, node.node, node.binding, node.names, *behind)
        if key not in self._ended:
            self._ended[key] = self._new("j", partial(self._end, node, number))
        return self._ended[key]

    def mark(self, node: Branches, number: int) -> BranchMark:
        """The mark before a branch of a node, or behind the last one."""
        mark = BranchMark(node, number, number == len(node.branches))
        return self._marks.setdefault((node, number), mark)

    def noted(self, entries: Sequence[Entry], names: Sequence[str]) -> str:
        """Source of the item that records these plan entries, given the values of ``names``."""
        return self._notes.item(entries, names)

    # functions

    def _new(self, letter: str, lines: Callable[[str], Iterator[str]]) -> str:
        """Name of a new function, whose lines are written later."""
        name = self.names.new(letter)
        self._waiting.append(partial(lines, name))
        return name

    def _continue(
        self, parts: list[Part], names: Sequence[str], name: str, *, up: bool
    ) -> Iterator[str]:
        yield f"def {name}({', '.join([*self.given, 'cell', 'n', *self.scalars])}):"
        yield f"    {', '.join(['_', *names, *(['up'] if up else []), 'rest'])} = cell"
        body = self._body(_always)
        body.parts(parts)
        yield from body.lines

    def _end(self, node: Node, number: int, name: str) -> Iterator[str]:
        """Lines of the function that ends a branch, and plans the next one or the parts behind."""
        body, network = self._body(_always), node.node.network
        yield f"def {name}({', '.join([*self.given, 'cell', 'n', *self.scalars])}):"
        if isinstance(network, ParallelNetwork) and number + 1 == len(node.node.branches):
            end_branch(
                body, node, number, Join(network, self._table, self.found, tuple(self.where))
            )
        else:
            end_branch(body, node, number)
        yield from body.lines

    def _begun(self, task: Compound, name: str, *, alone: bool = False) -> Iterator[str]:
        """Lines of the function of a compound task; if it is ``alone``, of one for a cell."""
        up, args = self._up(task), self._args(task)
        own = ["cell", "n", *self.scalars] if alone else ["n", *self.scalars, "rest", *up, *args]
        yield f"def {name}({', '.join([*self.given, *own])}):"
        if alone:
            yield f"    {', '.join(['_', *args, *up, 'rest'])} = cell"
        if up:
            yield from self._guard(task)
        # Nothing but the loop calls one that is alone.
        yield from self._methods(task, 0, _always if alone else partial(self._may_call, task))

    def _resumed(self, task: Compound, start: int, name: str) -> Iterator[str]:
        """Lines of the function that undoes a method and tries the later ones."""
        yield f"def {name}({', '.join([*self.given, 'cell', 'n', *self.scalars])}):"
        yield f"    {', '.join(['_', *self._choice(task, lengths=('r', 't'))])} = cell"
        yield "    del R[r:]"
        if self._writes_members:
            yield "    while len(T) > t:"
            yield "        x, o = T.pop()"
            yield "        S[x] = o"
        yield from self._methods(task, start, _always)

    def _choice(self, task: Compound, *, lengths: tuple[str, str]) -> list[str]:
        """Sources of the values that an open choice of a task's later methods keeps."""
        kept = lengths if self._writes_members else lengths[:1]
        return [*self._args(task), *self._up(task), "rest", *kept, *self.scalars]

    def _up(self, task: Compound) -> list[str]:
        """The variable with the open call around a task that may recur."""
        return ["up"] if task in self.guarded else []

    def _methods(
        self, task: Compound, start: int, may_call: Callable[[Compound], bool]
    ) -> Iterator[str]:
        """Lines that enter the first usable method from ``start`` on."""
        methods, args = self.found.methods[task], self._args(task)
        stop = (start // MOST_METHODS + 1) * MOST_METHODS
        known: Known | None = None
        # Inside a branch a later method may be undecided, whatever the bound says of this one.
        goes_on = self._equal is not None and self.has_branches
        for method in methods[start:stop]:
            body = self._body(may_call, known)
            condition = body.usable(method, args)
            if condition == "False":
                continue
            if not self.kind.avoids:
                known = body.known_otherwise(condition)
            if condition != "True":
                body.write(f"if {condition}:")
                body.indent += 1
            body.choose(method.index, goes_on=goes_on)
            body.write(*self._opened(method), *self._kept(method))
            body.open = "me"
            body.parts(body.enter(method, args, again=start > 0))
            yield from body.lines
            if condition == "True" and not (self.kind.avoids or goes_on):
                return
        if stop < len(methods):
            yield f"    return {', '.join([self._later(task, stop), 'n', *self.scalars])}"
        else:
            failing = self._body(may_call)
            failing.fail()
            yield from failing.lines

    def _body(self, may_call: Callable[[Compound], bool], known: Known | None = None) -> BodyWriter:
        unsure, reads = known or (self.unsure, KnownReads())
        return BodyWriter(self, dict(self.where), 1, {*unsure}, reads.copy(), may_call=may_call)

    def _kept(self, method: PlainMethod) -> list[str]:
        """The line that opens a choice of the later methods; none if they are excluded."""
        if method.excludes_later:
            return []
        is_cut = self._equal is not None and not self.has_branches
        when = f"if {method.index + 1} <= Y[{self._equal}]: " if is_cut else ""
        return [f"{when}C.append({self._later(method.task, method.later)})"]

    def _later(self, task: Compound, start: int) -> str:
        """Source of the cell that tries the methods of a task from ``start`` on."""
        return tuple_source(
            [self._from(task, start), *self._choice(task, lengths=("len(R)", "len(T)"))]
        )

    def _from(self, task: Compound, start: int) -> str:
        """Name of the function that tries the methods of a task from ``start`` on."""
        resumed = partial(self._resumed, task, start)
        return self._at((task, start), lambda: self._new("g", resumed))

    def _args(self, task: Task) -> tuple[str, ...]:
        """Names of the arguments of a task."""
        return tuple(f"a{n}" for n in range(len(task.parameters)))

    # cycles

    def _guard(self, task: Compound) -> Iterator[str]:
        """Lines of the recursion check: a call that repeats an open one fails."""
        members = ["S", "T"] if self._writes_members else []
        failing = self._body(_always)
        failing.indent = 2
        failing.fail()
        key = self._key(task)
        given = ", ".join([tuple_source(key), "up", "K", *members])
        args = zip(self._args(task), task.parameters, strict=True)
        kinds: dict[str, Any] = {name: parameter.type for name, parameter in args}
        kinds |= {name: fluent.plain_type for fluent, name in self.where.items()}
        near = is_near(key, [part for part in key if kinds.get(part, int) in _WITH_NAN])
        yield f"    if up is not None and ({near}) and repeats({given}):"
        yield from failing.lines

    def _key(self, task: Compound) -> list[str]:
        """Sources of a call's key: its task, arguments and fluents in variables, not members."""
        args = self._args(task)
        salt = [str(self._salts[task])] if len(self.guarded) > 1 or not args else []
        own = self.where.get(EXCESS), self._equal
        return [*salt, *args, *(scalar for scalar in self.scalars if scalar not in own)]

    def _opened(self, method: PlainMethod) -> list[str]:
        """The line that makes the open call ``me``; none if the method cannot recur."""
        task = method.task
        cycle = self.cycles.get(task)
        if task not in self.guarded or all(
            self.cycles.get(called) != cycle for called in method.called
        ):
            return []
        place = "len(T)" if self._writes_members else "0"
        return [f"me = up, 0 if up is None else up[1] + 1, {place}, {', '.join(self._key(task))}"]


def _always(_task: Task) -> bool:
    """Allow every call: a function that only the loop calls cannot be reached again."""
    return True
