"""CompiledSearch: HTN planning by functions generated for the domain.

It makes the choices of ``reference`` in the same order and counts the same expansions, so
one implementation can take the place of another in the middle of a game. What it found is
kept as a log; the plan tree is made when somebody looks at it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network
from bthtn.plan.nodes import Node
from bthtn.plan.plan import Plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.htn.compiled.cells import DONE, Asked
from bthtn.planning.htn.compiled.facts import Features, has_branches, may_forget
from bthtn.planning.htn.compiled.kinds import actions, record, tree
from bthtn.planning.htn.compiled.lean.program import Beginning, beginning
from bthtn.planning.htn.compiled.lean.retrace import Retraced
from bthtn.planning.htn.compiled.lean.watch import Others, Watch
from bthtn.planning.htn.compiled.machine import Machine
from bthtn.planning.htn.compiled.networks import PLANNING
from bthtn.planning.htn.compiled.past import Entry, Past, Values
from bthtn.planning.htn.compiled.program import Program, programs
from bthtn.planning.protocol import (
    PlanRequest,
    SearchStatus,
    Settings,
    no_answer,
    raise_for_user,
    seeded,
)
from bthtn.world.expression import Binding
from bthtn.world.state import FrozenState


def is_compiled(domain: FrozenDomain, settings: Settings) -> bool:
    """Whether the compiled search can do what is asked for; the interpreter can do all of it."""
    rarely = settings.check_rest or settings.cheapest or settings.anytime
    return not rarely and not domain.prunes_duplicates and not domain.has_values


class CompiledQuestion:
    """A question compiled once, to be asked from many states."""

    def __init__(
        self, domain: FrozenDomain, goal: Network, binding: Binding, settings: Settings
    ) -> None:
        self.asked = Asked(domain, goal, binding, settings)
        self._programs = programs(domain)
        self._is_partial = settings.horizon is not None or settings.horizon_time is not None
        # Who makes no more expansions than that cannot be nested deeper either.
        self.most = min(settings.max_expansions, settings.max_depth)

    @cached_property
    def _features(self) -> Features:
        """What functions that keep a log have to be ready for."""
        asked, facts = self.asked, self._programs.facts
        most = asked.settings.max_depth
        deep = bool(facts.recursive) or len(asked.domain.methods) >= most
        return Features(
            unknowns=facts.forgets or may_forget(asked.goal),
            horizon=self._is_partial,
            guarded=asked.settings.strict_recursion,
            max_depth=most if deep else None,
            branches=facts.branches or has_branches(asked.goal),
            volatile=facts.volatile,
        )

    @classmethod
    def of(cls, request: PlanRequest) -> Self:
        """The question of a request."""
        return cls(request.domain, request.goal, request.binding, request.settings)

    def source(self, state: FrozenState) -> str:
        """The Python source that ``plan`` runs first from this state."""
        if self.beginning is not None and not state.has_unknown:
            return self.beginning.program.text
        return self.quickest(state).text

    def quickest(self, state: FrozenState) -> Program:
        """The functions that ``plan`` runs first from this state."""
        light = None if state.has_unknown else self._light
        return light or self.program(state)

    def plan(self, state: FrozenState) -> Plan | None:
        """The first plan from this state, found in one go; None when there is none.

        Raises what ``CompiledSearch.advance`` raises, and PlanningError at the limit of
        expansions.
        """
        return self.asking()(state)

    def asking(self) -> Callable[[FrozenState], Plan | None]:
        """A function that answers as ``plan`` does, for those who ask again and again."""
        begin = self.beginning
        if begin is None:
            return self._logged
        return begin.asking(self.asked, self.most, part_of, self._logged)

    def _logged(self, state: FrozenState) -> Plan | None:
        """The first plan, found by functions that keep a log."""
        state = seeded(state, self.asked.settings.seed)
        try:
            machine = self._run_lightly(state) or self._run(state)
        except Exception as error:  # noqa: BLE001 - raised to the caller as what it is
            raise_for_user(error)
        return None if machine.cell is None else Plan.found((Found(self.asked, machine),))

    @cached_property
    def beginning(self) -> Beginning | None:
        """How to search for the choices alone; None where that cannot be."""
        return None if self._is_partial else self._beginning(watched=False)

    def watching(self, others: Others) -> Watch | None:
        """What answers as ``plan`` does and tells how; None where only others can."""
        begin = None if self._is_partial else self._beginning(watched=True)
        return None if begin is None else begin.watching(self.asked, self.most, part_of, others)

    def _beginning(self, *, watched: bool) -> Beginning | None:
        asked, strict = self.asked, self.asked.settings.strict_recursion
        return beginning(asked.domain, asked.goal, asked.binding, strict=strict, watched=watched)

    def _run(self, state: FrozenState) -> Machine:
        """A machine that came to an end."""
        machine = Machine(self.asked, self.program(state), state)
        if machine.run(self.asked.settings.max_expansions) and machine.cell is not DONE:
            raise no_answer(machine.calls - machine.free)
        return machine

    def _run_lightly(self, state: FrozenState) -> Machine | None:
        """A machine that came to an end without a stop; None where it has to be stopped.

        Its functions plan several tasks at a time, so it may be over the limit when it notices.
        Where nothing is left at the limit itself, those who look at each task stop before they
        know.
        """
        light, most = self._light, self.asked.settings.max_expansions
        if light is None or state.has_unknown:
            return None
        machine = Machine(self.asked, light, state)
        more = machine.run(most)
        left = most - (machine.calls - machine.free)
        is_over = left >= 0 if machine.cell is DONE else not more and left > 0
        return machine if is_over else None

    def program(self, state: FrozenState) -> Program:
        """The generated functions that answer the question from this state."""
        if state.has_unknown and not self._features.unknowns:
            return self._compiled(replace(self._features, unknowns=True))
        return self._compiled(self._features)

    @property
    def is_light(self) -> bool:
        """Whether it can be planned with functions that plan several tasks at a time."""
        return self._light is not None

    @cached_property
    def _light(self) -> Program | None:
        """Functions that plan several tasks at a time, None where each has to be looked at."""
        if self._features.unknowns or self._features.paths:
            return None
        return self._compiled(replace(self._features, inlined=True))

    def _compiled(self, features: Features) -> Program:
        return self._programs.program(self.asked.domain, features, PLANNING)

    def search(self, state: FrozenState) -> CompiledSearch:
        """A search from this state."""
        return CompiledSearch(self.asked, Machine(self.asked, self.program(state), state))


class CompiledSearch:
    """One search for a plan, advanced by its caller. The same input gives the same steps."""

    __slots__ = ("_asked", "_machine", "_plan", "_status")

    def __init__(self, asked: Asked, machine: Machine) -> None:
        self._asked = asked
        self._machine = machine
        self._status = SearchStatus.RUNNING
        self._plan: Plan | None = None

    @property
    def status(self) -> SearchStatus:
        """Where the search stands."""
        return self._status

    @property
    def plan(self) -> Plan | None:
        """The plan, once solved."""
        return self._plan

    @property
    def expansions(self) -> int:
        """Primitive tasks examined and methods entered so far."""
        return self._machine.calls - self._machine.free

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Go on for at most so many expansions, to the end without a number.

        Raises PlanningError when a user's function raises; then the search is over.
        """
        if self._status is not SearchStatus.RUNNING:
            return self._status
        machine = self._machine
        limit = self._asked.settings.max_expansions
        stop = limit if expansions is None else min(limit, self.expansions + expansions)
        try:
            more = machine.run(stop)
        except Exception as error:  # noqa: BLE001 - raised to the caller as what it is
            self._status = SearchStatus.ERROR
            raise_for_user(error)
        if machine.cell is DONE:
            self._plan = Plan.found((Found(self._asked, machine),))
            self._status = SearchStatus.SOLVED
        elif not more:
            self._status = SearchStatus.EXHAUSTED
        elif self.expansions >= limit:
            self._status = SearchStatus.LIMIT
        return self._status

    def reject(self) -> None:
        """Give up the plan that was found and make ready to look for the next one."""
        assert self._status is SearchStatus.SOLVED, "there is no plan to reject"
        self._plan = None
        self._machine.go_on()
        self._status = SearchStatus.RUNNING


def part_of(asked: Asked, base: FrozenState, choices: list[int], expansions: int, part: str) -> Any:
    """One part of a plan of which the choices are known, made anew."""
    match part:
        case "record":
            return MethodTraversalRecord(choices)
        case "expansions":
            return expansions
        case "tree" | "predicted" | "actions":
            start = seeded(base, asked.settings.seed)
            return Found(asked, Retraced(asked, start, choices))(part)
        case _:
            return getattr(asked, part)


class Found:
    """What a search has come to: a log, from which the parts of a plan are made."""

    __slots__ = ("_asked", "_base", "_expansions", "_log", "_values")

    def __init__(self, asked: Asked, machine: Machine) -> None:
        self._asked = asked
        self._base: FrozenState = machine.base
        self._expansions = machine.calls - machine.free
        self._log: list[Entry] = machine.L
        self._values: Values = machine.S

    def __call__(self, part: str) -> Any:
        """One part of the plan, made anew."""
        match part:
            case "tree":
                return self._tree()
            case "record":
                return MethodTraversalRecord(record(self._log))
            case "predicted":
                return self._predicted()
            case "actions":
                return tuple(actions(self._log))
            case "expansions":
                return self._expansions
            case _:
                return getattr(self._asked, part)

    def _tree(self) -> Node:
        past = Past(self._base, self._values.copy())
        node = tree(reversed(self._log), self._asked.root, past).node
        assert node is not None, "a plan has a tree"
        return node

    def _predicted(self) -> FrozenState:
        written: Values = {}
        for entry in self._log:
            undone = entry[3]
            for number in range(0, len(undone), 2):
                fluent = undone[number]
                if fluent in self._values:
                    written[fluent] = self._values[fluent]
        return self._base.changed(written)
