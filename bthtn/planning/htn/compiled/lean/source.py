"""The Python source of the search for choices: one function for every compound task.

    def c_fight(C, R, n, s_ammo, rest):         # decompose: enter the first usable method
        if s_ammo > 0:
            C.append(((c_fight_from_1, rest, len(R)), s_ammo))
            R.append(0)
            return rest, n - 2, s_ammo - 1       # the method, and the task shoot in it
        ...

``C`` holds the choices that are open, ``R`` the numbers of the methods that were entered, ``n``
how many more expansions there may be. Fluents that are written stand in variables, others are
read from ``S``; members of families that are written stand there too, and ``T`` has what they
were before. ``rest`` is what is left to do: a function, what it is to be called with, and the
rest behind it. A function answers with what is to be done next, and in which state.

Where somebody listens, all fluents stand in ``S``, which notes what is read, ``E`` has the
events, and ``d`` tells how deep a task is nested. As in the source with a log, the names are
numbered in fact.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.task import CompoundTask, Task, TaskCall
from bthtn.planning.htn.compiled.exclusion import exclude_each_other
from bthtn.planning.htn.compiled.expressions import Names
from bthtn.planning.htn.compiled.facts import Facts, Features
from bthtn.planning.htn.compiled.known import Known, needed_names
from bthtn.planning.htn.compiled.lean.body import Body, NotWritable, Part, settled
from bthtn.planning.htn.compiled.lean.circles import circles, guarded
from bthtn.planning.htn.compiled.lean.guard import KEY_AT
from bthtn.planning.htn.compiled.lean.scope import Scope, Way, scalar
from bthtn.planning.htn.compiled.lean.shape import Calls, alone, places, splices_to
from bthtn.planning.htn.compiled.lean.telling import Telling
from bthtn.planning.htn.compiled.reading import Reading, tuple_source
from bthtn.world.expression import Expression
from bthtn.world.fluent import Fluent

MOST_COMPARED: Final = 3
"""Parts of a key that are compared before all of it is."""
MOST_LOOKED_AHEAD: Final = 3
"""With more methods to come a choice is kept without asking for their conditions."""

FEATURES: Final = Features(
    unknowns=False,
    horizon=False,
    guarded=False,
    max_depth=None,
    branches=False,
    volatile=False,
    inlined=True,
)
FACTS: Final = Facts(frozenset(), branches=False, forgets=False, volatile=False)


class Source:
    """Writes the source of one scope. ``where`` tells where fluents stand."""

    def __init__(
        self, domain: FrozenDomain, scope: Scope, *, strict: bool, watched: bool = False
    ) -> None:
        self._scope = scope
        self.names = Names()
        self.features = replace(FEATURES, watched=watched, declared=scope.declared)
        self.facts = FACTS
        self.telling = Telling(self.names) if watched else None
        self.circles: Mapping[CompoundTask[Any], int] = circles(scope) if strict else {}
        self.guarded = guarded(scope, self.circles)
        self._salts = {task: number for number, task in enumerate(scope.ways)}
        self._calls = Calls(scope)
        self._alone = alone(scope, self.guarded)
        self.where: dict[Fluent[Any], str] = {}
        if not watched:
            self.where = places(domain, scope, self.names, looks=bool(self.guarded))
        self.scalars = tuple(name for name in self.where.values() if name)
        self.writes_members = any(
            scalar(effect.target) not in self.where for effect in scope.effects
        )
        tells_apart = watched or all(task.parameters for task in self.guarded)
        if self.writes_members and not tells_apart:
            raise NotWritable("circles in which nothing but members of families tells rounds apart")
        if self.guarded and domain.schema.has_volatile:
            raise NotWritable("circles that also differ in whether sensors can be relied on")
        needed = {"T": self.writes_members, "K": self.guarded, "E": watched}
        self.given = ("S", "C", "R", *(one for one in needed if watched or needed[one]))
        self._functions: dict[Task, str] = {}
        self._later: dict[tuple[Task, int], str] = {}
        self._continued: dict[Any, str] = {}
        self._entries: dict[Task, TaskCall] = {}
        self._waiting: deque[Callable[[], list[str]]] = deque()

    def text(self) -> tuple[str, dict[Task, str]]:
        """The whole source, and the names of the functions that begin with the roots.

        Raises NotWritable.
        """
        entries = {
            task: self.entry(task) for task in self._scope.tasks if task in self._scope.roots
        }
        written = [] if self.telling else ["\n".join(self._asking())]
        while self._waiting:
            written += self._waiting.popleft()()
        return "\n\n\n".join(map(needed_names, written)) + "\n", entries

    # what bodies ask

    def alone(self, task: CompoundTask[Any]) -> Way | None:
        """The only way to do the task, where that may be written in place of a call."""
        return self._alone.get(task)

    def function(self, task: CompoundTask[Any]) -> str:
        """Name of the function of a compound task."""
        if task not in self._functions:
            self._functions[task] = self.names.new("c", task.name, task)
            self._waiting.append(lambda: self._compound(task))
        return self._functions[task]

    def around(self, *, up: bool) -> list[str]:
        """Names that a function has for where it is: how deep, and inside which open call."""
        return [*(["d"] if self.telling else []), *(["up"] if up else [])]

    def entry(self, task: Task) -> str:
        """Name of the function that plans a task alone, called with all its arguments."""
        if task not in self._entries:
            self._entries[task] = TaskCall(task, task.parameters)
        names = [f"a{n}" for n in range(len(task.parameters))]
        circle = self.circles.get(task) if isinstance(task, CompoundTask) else None
        whole = Part(self._entries[task], tuple(names), circle, 0)
        return self.continued([whole], names, up=task in self.guarded)

    def continued(self, parts: Sequence[Part], names: Sequence[str], *, up: bool) -> str:
        """Name of the function that goes on with these parts; ``names`` are what they mention."""
        watched = self.telling is not None
        same = [(id(one.call), one.binding, one.circle, watched and one.deeper) for one in parts]
        key = (*same, *names, up)
        if key not in self._continued:
            name = self.names.new("q", parts[0].call.task.name, parts)
            self._continued[key] = name
            lines = partial(self._continue, name, list(parts), names, up=up)
            self._waiting.append(lambda: ["\n".join(lines())])
        return self._continued[key]

    # functions

    def _asking(self) -> Iterator[str]:
        """The function that answers from one state after the other.

        ``start`` is the cell to begin with, ``most`` how many expansions there may be. Who has
        met too few members, and who cannot answer, leaves it to ``unmet`` and ``logged``; so does
        whoever meets an exception, since those who search again tell what it means.
        """
        yield "def asking(asked, start, most, part_of, unmet, logged):"
        yield "    def plan(state):"
        yield "        if state.has_unknown:"
        yield "            return logged(state)"
        yield "        try:"
        yield from (f"            {line}" for line in self._loop())
        yield "        except KeyError:"
        yield "            return unmet(state)"
        yield "        except Exception:"
        yield "            return logged(state)"
        yield "        if cell is None:"
        yield "            return None if n > 0 else logged(state)"
        yield "        if cell or n < 0:"
        yield "            return logged(state)"
        yield "        found = new(Plan)"
        yield "        put_source(found, (part_of, asked, state, R, most - n))"
        yield "        return found"
        yield "    return plan"

    def _loop(self) -> Iterator[str]:
        """From the values of a state, until there is nothing left to do."""
        state = ", ".join(["cell", "n", *self.scalars])
        yield f"S, n = state.values{'.copy()' if self.writes_members else ''}, most"
        yield "C, R = [None], []"
        if self.writes_members:
            yield "T = []"
        if self.guarded:
            yield "K = []"
        sparse = Reading(self.features, self.names, where={})
        for fluent, name in self.where.items():
            if name:
                yield f"{name} = {sparse.stored(fluent)}"
        yield from self._first(state)
        yield "while cell and n > 0:"
        yield f"    {state} = cell[0]({', '.join(self.given)}, {state})"

    def _first(self, state: str) -> Iterator[str]:
        """Lines that begin; without the loop, where there is one task to begin with."""
        task = next(iter(self._scope.roots))
        if len(self._scope.roots) == 1 and isinstance(task, CompoundTask) and not self.alone(task):
            args = [f"a{n}" for n in range(len(task.parameters))]
            up = ["up"] if task in self.guarded else []
            yield f"{', '.join(['_', *args, *up, 'rest'])} = start"
            given = ", ".join([*self.given, "n", *self.scalars, "rest", *up, *args])
            yield f"{state} = {self.function(task)}({given})"
        else:
            yield "cell = start"

    def _continue(
        self, name: str, parts: list[Part], names: Sequence[str], *, up: bool
    ) -> Iterator[str]:
        yield f"def {name}({', '.join([*self.given, 'cell', 'n', *self.scalars])}):"
        yield f"    {', '.join(['_', *names, *self.around(up=up), 'rest'])} = cell"
        body = self._body(1, None, _always, None, Known(count().__next__))
        body.parts(parts)
        yield from body.lines

    def _compound(self, task: CompoundTask[Any]) -> list[str]:
        """The function of a compound task, and those that go on with its later methods."""
        written, start = ["\n".join(self._begun(task))], 1
        while start < len(self._scope.ways[task]):
            if (task, start) in self._later:
                written.append("\n".join(self._resumed(task, start)))
            start += 1
        return written

    def _begun(self, task: CompoundTask[Any]) -> Iterator[str]:
        """The function of a compound task."""
        ways = self._scope.ways[task]
        looks = task in self.guarded
        args = [f"a{n}" for n in range(len(task.parameters))]
        state = ["n", *self.scalars, "rest", *self.around(up=looks), *args]
        yield f"def {self.function(task)}({', '.join([*self.given, *state])}):"
        called = [call.task for way in ways for call in way.calls]
        loops = any(one is task or splices_to(self._alone, one, task) for one in called)
        if loops:
            yield "    while n > 0:"
        indent = 2 if loops else 1
        if looks:
            yield from self._guard(task, indent)
        yield from self._methods(task, 0, indent, loops=loops)
        if loops:
            cell = tuple_source([self.entry(task), *args, *self.around(up=looks), "rest"])
            yield f"    return {', '.join([cell, 'n', *self.scalars])}"

    def _resumed(self, task: CompoundTask[Any], start: int) -> Iterator[str]:
        """The function that takes back what a method did, and tries the later ones."""
        name = self._later[task, start]
        yield f"def {name}({', '.join([*self.given, 'cell', 'n', *self.scalars])}):"
        args = [f"a{n}" for n in range(len(task.parameters))]
        lengths = ["r", *(["t"] if self.writes_members else [])]
        around = self.around(up=task in self.guarded)
        yield f"    {', '.join(['_', *args, *around, 'rest', *lengths, *self.scalars])} = cell"
        yield "    del R[r:]"
        if self.writes_members:
            yield "    if len(T) > t: take_back(S, T, t)"
        yield from self._methods(task, start, 1, loops=False)

    def _methods(
        self, task: CompoundTask[Any], start: int, indent: int, *, loops: bool
    ) -> Iterator[str]:
        known = Known(count().__next__)
        ways = self._scope.ways[task]
        args = tuple(f"a{n}" for n in range(len(task.parameters)))
        near = partial(self._calls.is_near, task) if start == 0 else _always
        happened: list[str] = []
        if self.telling and start:
            happened.append(self.telling.returned(task, args))
        for way in ways[start:]:
            body = self._body(indent, task if loops else None, near, None, known.copy())
            told = body.truth(way.method.condition, args)
            question = body.question(args)
            if told not in ("True", "False"):
                known = body.sure or known
                body.write(f"if {told}:")
                body.indent += 1
            if told != "False":
                self._enter(body, task, way, args, happened)
                yield from body.lines
            if told == "True" and not body.nested:
                return
            if self.telling:
                happened.append(self.telling.unusable(task, way, args, question))
        failing = self._body(indent, None, near, None, known)
        failing.fail(*happened)
        yield from failing.lines

    def _enter(
        self,
        body: Body,
        task: CompoundTask[Any],
        way: Way,
        args: tuple[str, ...],
        happened: Sequence[str],
    ) -> None:
        """Do what a method says; ``happened`` before, and is not told yet."""
        body.keep = [*self._opened(task, way), *self._kept(task, way, args, body.known)]
        body.open = "me"
        body.made, body.entered = 1, [way.index]
        if self.telling:
            body.happened = [*happened, self.telling.entered(task, way, args, 0)]
            body.tells_of_state = bool(happened)
        circle = self.circles.get(task)
        body.parts([Part(call, args, circle, 1) for call in way.calls])

    def _body(
        self,
        indent: int,
        loops: CompoundTask[Any] | None,
        near: Callable[[CompoundTask[Any]], bool],
        keep: Sequence[str] | None,
        known: Known,
    ) -> Body:
        return Body(self, dict(self.where), indent, loops, near, keep, known.fresh, known)

    def _kept(
        self, task: CompoundTask[Any], way: Way, args: tuple[str, ...], known: Known
    ) -> list[str]:
        """Lines that keep the choice of the later methods; none where there is none."""
        later = [one.method.condition for one in self._scope.ways[task][way.index + 1 :]]
        asked = ["True" for _ in later]
        if not self.telling:  # who listens hears of those that can't be used as well
            several = [one for one in later if not exclude_each_other(way.method.condition, one)]
            asked = [told for one in several if (told := self._asked(one, known)) != "False"]
        if not asked:
            return []
        if (task, way.index + 1) not in self._later:
            text = f"{task.name}_from_{way.index + 1}"
            self._later[task, way.index + 1] = self.names.new("c", text, way)
        name = self._later[task, way.index + 1]
        lengths = ["len(R)", *(["len(T)"] if self.writes_members else [])]
        around = self.around(up=task in self.guarded)
        cell = tuple_source([name, *args, *around, "rest", *lengths, *self.scalars])
        line = f"C.append({cell})"
        if "True" in asked or len(asked) > MOST_LOOKED_AHEAD:
            return [line]
        return [f"if {' or '.join(asked)}:", f"    {line}"]

    def _guard(self, task: CompoundTask[Any], indent: int) -> Iterator[str]:
        """Lines that let a call fail that goes round in circles."""
        members = ["S", "T"] if self.writes_members else []
        failing = self._body(indent + 1, None, _always, None, Known(int))
        args = tuple(f"a{n}" for n in range(len(task.parameters)))
        failing.fail(*([self.telling.cut(task, args)] if self.telling else []))
        tab, key = "    " * indent, self._key(task)
        given = ", ".join([tuple_source(key), "up", "K", *members])
        near = f"up[1] > 1 or {_equal('up', key)} or up[1] and {_equal('up[0]', key)}"
        yield f"{tab}if up is not None and ({near}) and repeats({given}):"
        yield from failing.lines

    def _key(self, task: CompoundTask[Any]) -> list[str]:
        """Sources of what tells calls apart, as far as they are not told apart by members."""
        args = [f"a{n}" for n in range(len(task.parameters))]
        salt = [str(self._salts[task])] if len(self.guarded) > 1 or not args else []
        return [*salt, *args, *self.scalars]

    def _opened(self, task: CompoundTask[Any], way: Way) -> list[str]:
        """The line that makes a call known to those inside it, where that could be itself."""
        circle = self.circles.get(task)
        called = [call.task for call in way.calls if isinstance(call.task, CompoundTask)]
        if task not in self.guarded or all(self.circles.get(one) != circle for one in called):
            return []
        place = "len(T)" if self.writes_members else "0"
        key = ", ".join(self._key(task))
        return [f"me = up, 0 if up is None else up[1] + 1, {place}, {key}"]

    def _asked(self, condition: Expression[Any], known: Known) -> str:
        """Source of a condition that is asked besides: nothing in it is given a name."""
        known = replace(known, names_more=False)
        asked = Reading(self.features, self.names, "a", None, self.where, known).asked(
            condition, ""
        )
        if asked is None:
            raise NotWritable(str(condition))
        return settled(asked[1], self.names.strings)


def _equal(up: str, key: Sequence[str]) -> str:
    """Source that tells whether an open call is like this one, as far as it is worth asking."""
    asked = [f"{up}[{n}] == {part}" for n, part in enumerate(key[:MOST_COMPARED], KEY_AT)]
    return " and ".join(asked)


def _always(_task: Task) -> bool:
    """A function that only the loop calls may call every other."""
    return True
