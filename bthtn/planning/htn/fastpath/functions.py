"""The Python source of a search in plain data: one function for every compound task.

    def f_fight(S, C, R, n, s_ammo, rest):      # decompose: enter the first usable method
        if s_ammo > 0:
            C.append((g_fight_from_1, rest, len(R), s_ammo))
            R.append(e_with_ammo_and_shoot)
            return rest, n - 2, s_ammo - 1       # the method, and the task shoot in it
        ...

``C`` holds the choices that are open, ``n`` is how many more expansions there may be. ``R`` has
functions that make the entries of the plan, each with the values that it is to be called with.
Fluents that are written stand in
variables, others are read from ``S``; members of families that are written stand there too, and
``T`` has what they were before. ``rest`` is what is left to do: a function, what it is to be
called with, and the rest behind it. A function answers with what is to be done next, and in which
state. All names are numbered in fact: nothing of a domain reaches the text.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.task import CompoundTask, Task, TaskCall
from bthtn.planning.htn.expressions import Names
from bthtn.planning.htn.fastpath.body import Body, Entry, Part, tuple_source
from bthtn.planning.htn.fastpath.cycles import cycles, guarded
from bthtn.planning.htn.fastpath.guard import KEY_AT
from bthtn.planning.htn.fastpath.known import Known, needed_names
from bthtn.planning.htn.fastpath.layout import CallOrder, inlined, variables
from bthtn.planning.htn.fastpath.reachable import (
    Compound,
    NotWritable,
    PlainMethod,
    Reachable,
    scalar,
)
from bthtn.planning.htn.fastpath.reading import Reading

MOST_COMPARED: Final = 3
"""Parts of a key that are compared before all of it is."""
MOST_METHODS: Final = 4
"""Methods in one function; those behind them have functions of their own."""

ASKING: Final = """\
def asking(start, question, part_of):
    def ask(state, most):
        if state.has_unknown:
            return None
        try:
            n, C, R{0} = most, [None], []{1}
            S = state.values{2}
            cell = start
{3}
            while cell and n > 0:
                {4} = cell[0]({5}, {4})
        except Exception:
            return None
        if cell is None:
            return most - n if n > 0 else None
        if cell or n < 0:
            return None
        plan = new(Plan)
        put_source(plan, (part_of, question, state, R, most - n))
        return plan
    return ask"""
"""The function that makes one that answers a question from one state after the other."""


class Functions:
    """Writes the functions for what is reachable. ``where`` tells where fluents stand."""

    def __init__(self, domain: FrozenDomain, found: Reachable, *, strict: bool) -> None:
        self._found = found
        self.names = Names()
        self.cycles: Mapping[Compound, int] = cycles(found) if strict else {}
        self.guarded = guarded(found, self.cycles)
        self.inlined: Mapping[Compound, PlainMethod] = inlined(found, self.guarded)
        self._order = CallOrder(found)
        self._salts = {task: number for number, task in enumerate(found.methods)}
        self.where = variables(domain, found, self.names, looks=bool(self.guarded))
        self.scalars = tuple(name for name in self.where.values() if name)
        self._writes_members = any(
            scalar(effect.target) not in self.where for effect in found.effects
        )
        if self._writes_members and not all(task.parameters for task in self.guarded):
            raise NotWritable  # nothing but members of families tells the rounds of a cycle apart
        if self.guarded and domain.schema.has_volatile:
            raise NotWritable  # rounds also differ in whether sensors can be relied on
        needed = {"T": self._writes_members, "K": self.guarded}
        self.given = ("S", "C", "R", *(one for one in needed if needed[one]))
        self._functions: dict[Task, str] = {}
        self._resuming: dict[tuple[Task, int], str] = {}
        self._continued: dict[Any, str] = {}
        self._alone: dict[Task, str] = {}
        self._noting: dict[str, str] = {}
        self._calls: dict[Task, TaskCall] = {}
        self._waiting: deque[Callable[[], Iterator[str]]] = deque()

    def text(self) -> tuple[str, dict[Task, str]]:
        """The whole source, and the names of the functions that begin with the roots.

        Raises NotWritable.
        """
        starts = {task: self.alone(task) for task in self._found.tasks if task in self._found.roots}
        written = [self._asking()]
        while self._waiting:
            written.append("\n".join(self._waiting.popleft()()))
        written = [*map(needed_names, written)]
        written += (f"def {name}{line}" for line, name in self._noting.items())
        return "\n\n\n".join(written) + "\n", starts

    # what bodies ask

    def function(self, task: Compound) -> str:
        """Name of the function of a compound task."""
        if task not in self._functions:
            self._functions[task] = self._new("f", partial(self._begun, task))
        return self._functions[task]

    def alone(self, task: Task) -> str:
        """Name of the function that plans a task alone, called with all its arguments."""
        if task not in self._alone:
            call = self._calls[task] = TaskCall(task, task.parameters)
            names = [f"a{n}" for n in range(len(task.parameters))]
            cycle = self.cycles.get(task) if isinstance(task, CompoundTask) else None
            whole = Part(call, tuple(names), cycle)
            self._alone[task] = self.continued([whole], names, up=task in self.guarded)
        return self._alone[task]

    def continued(self, parts: Sequence[Part], names: Sequence[str], *, up: bool) -> str:
        """Name of the function that goes on with these parts; ``names`` are what they mention."""
        key = (*((id(one.call), one.binding, one.cycle) for one in parts), *names, up)
        if key not in self._continued:
            lines = partial(self._continue, list(parts), names, up=up)
            self._continued[key] = self._new("h", lines)
        return self._continued[key]

    def noting(self, entries: Sequence[Entry], names: Sequence[str]) -> str:
        """Name of the function that makes the entries of a plan, given the values of names."""
        called = {name: f"a{n}" for n, name in enumerate(names)}
        args = [tuple_source([called.get(one, one) for one in given]) for _, given in entries]
        made = [f"({self.names.of(what)}, {args[n]})" for n, (what, _) in enumerate(entries)]
        line = f"({', '.join(called.values())}): return {tuple_source(made)}"
        if line not in self._noting:
            self._noting[line] = self.names.new("e")
        return self._noting[line]

    # functions

    def _new(self, letter: str, lines: Callable[[str], Iterator[str]]) -> str:
        """Name of a function that will be written."""
        name = self.names.new(letter)
        self._waiting.append(partial(lines, name))
        return name

    def _asking(self) -> str:
        """The function that makes one that answers."""
        reading = Reading(self.names, (), self.where, Known(int))
        first = [
            f"{name} = {reading.stored(self.names.of(fluent), fluent)}"
            for fluent, name in self.where.items()
            if name
        ]
        return ASKING.format(
            "".join(f", {one}" for one in self.given[3:]),
            "".join(", []" for _ in self.given[3:]),
            ".copy()" if self._writes_members else "",
            "\n".join(f"            {line}" for line in first),
            ", ".join(["cell", "n", *self.scalars]),
            ", ".join(self.given),
        )

    def _continue(
        self, parts: list[Part], names: Sequence[str], name: str, *, up: bool
    ) -> Iterator[str]:
        yield f"def {name}({', '.join([*self.given, 'cell', 'n', *self.scalars])}):"
        yield f"    {', '.join(['_', *names, *(['up'] if up else []), 'rest'])} = cell"
        body = self._body(_always, Known(count().__next__))
        body.parts(parts)
        yield from body.lines

    def _begun(self, task: Compound, name: str) -> Iterator[str]:
        """The function of a compound task."""
        looks = ["up"] if task in self.guarded else []
        args = self._args(task)
        state = ["n", *self.scalars, "rest", *looks, *args]
        yield f"def {name}({', '.join([*self.given, *state])}):"
        if looks:
            yield from self._guard(task)
        yield from self._methods(task, 0)

    def _resumed(self, task: Compound, start: int, name: str) -> Iterator[str]:
        """The function that takes back what a method did, and tries the later ones."""
        yield f"def {name}({', '.join([*self.given, 'cell', 'n', *self.scalars])}):"
        yield f"    {', '.join(['_', *self._choice(task, lengths=('r', 't'))])} = cell"
        yield "    del R[r:]"
        if self._writes_members:
            yield "    while len(T) > t:"
            yield "        x, o = T.pop()"
            yield "        S[x] = o"
        yield from self._methods(task, start)

    def _choice(self, task: Compound, *, lengths: tuple[str, str]) -> list[str]:
        """What a choice of the later methods of a task has to keep."""
        up = ["up"] if task in self.guarded else []
        kept = lengths if self._writes_members else lengths[:1]
        return [*self._args(task), *up, "rest", *kept, *self.scalars]

    def _methods(self, task: Compound, start: int) -> Iterator[str]:
        """Lines that enter the first usable method from ``start`` on."""
        known = Known(count().__next__)
        methods, args = self._found.methods[task], self._args(task)
        may_call = partial(self._order.may_call, task) if start == 0 else _always
        stop = (start // MOST_METHODS + 1) * MOST_METHODS
        for method in methods[start:stop]:
            body = self._body(may_call, known.copy())
            told = body.truth(method.method.condition, args)
            if told == "False":
                continue
            if told != "True":
                known = body.sure or known
                body.write(f"if {told}:")
                body.indent += 1
            body.write(*self._opened(method), *self._kept(method))
            body.open = "me"
            body.enter(method, args)
            body.parts([Part(call, args, self.cycles.get(task)) for call in method.calls])
            yield from body.lines
            if told == "True":
                return
        if stop < len(methods):
            yield f"    return {', '.join([self._later(task, stop), 'n', *self.scalars])}"
        else:
            failing = self._body(may_call, known)
            failing.fail()
            yield from failing.lines

    def _body(self, may_call: Callable[[Compound], bool], known: Known) -> Body:
        return Body(self, dict(self.where), 1, may_call, known)

    def _kept(self, method: PlainMethod) -> list[str]:
        """The line that keeps the choice of the later methods; none where none is of use."""
        if method.excludes_later:
            return []
        return [f"C.append({self._later(method.task, method.index + 1)})"]

    def _later(self, task: Compound, start: int) -> str:
        """Source of the cell that goes on with the methods of a task from one on."""
        return tuple_source(
            [self._from(task, start), *self._choice(task, lengths=("len(R)", "len(T)"))]
        )

    def _from(self, task: Compound, start: int) -> str:
        """Name of the function that tries the methods from one on."""
        if (task, start) not in self._resuming:
            self._resuming[task, start] = self._new("g", partial(self._resumed, task, start))
        return self._resuming[task, start]

    def _args(self, task: Task) -> tuple[str, ...]:
        """Names of the arguments of a task."""
        return tuple(f"a{n}" for n in range(len(task.parameters)))

    # cycles

    def _guard(self, task: Compound) -> Iterator[str]:
        """Lines that let a call fail that repeats an open one."""
        members = ["S", "T"] if self._writes_members else []
        failing = self._body(_always, Known(int))
        failing.indent = 2
        failing.fail()
        key = self._key(task)
        given = ", ".join([tuple_source(key), "up", "K", *members])
        near = f"up[1] > 1 or {_equal('up', key)} or up[1] and {_equal('up[0]', key)}"
        yield f"    if up is not None and ({near}) and repeats({given}):"
        yield from failing.lines

    def _key(self, task: Compound) -> list[str]:
        """Sources of what tells calls apart, as far as they are not told apart by members."""
        args = self._args(task)
        salt = [str(self._salts[task])] if len(self.guarded) > 1 or not args else []
        return [*salt, *args, *self.scalars]

    def _opened(self, method: PlainMethod) -> list[str]:
        """The line that makes a call known to those inside it, where that could be itself."""
        task = method.task
        cycle = self.cycles.get(task)
        if task not in self.guarded or all(self.cycles.get(one) != cycle for one in method.called):
            return []
        place = "len(T)" if self._writes_members else "0"
        return [f"me = up, 0 if up is None else up[1] + 1, {place}, {', '.join(self._key(task))}"]


def _equal(up: str, key: Sequence[str]) -> str:
    """Source that tells whether an open call is like this one, as far as it is worth asking."""
    asked = [f"{up}[{n}] == {part}" for n, part in enumerate(key[:MOST_COMPARED], KEY_AT)]
    return " and ".join(asked)


def _always(_task: Task) -> bool:
    """A function that only the loop calls may call every other."""
    return True
