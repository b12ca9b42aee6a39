"""LineWriter: writes lines of a function, and how planning stops or fails in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from keyword import iskeyword
from typing import Any, Final

from bthtn.domain.effect import Effect
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.task import PrimitiveTask, TaskCall
from bthtn.plan.nodes import Suspension, SuspensionKind
from bthtn.planning.htn.by_arguments import reads_all
from bthtn.planning.htn.expressions import fits, mentioned
from bthtn.planning.htn.fastpath.items import Callees, Entry
from bthtn.planning.htn.fastpath.known_reads import KnownReads
from bthtn.planning.htn.fastpath.reachable import NotWritable
from bthtn.planning.htn.fastpath.reading import MAY_RAISE, Reading
from bthtn.planning.htn.fastpath.repeats import KEY_AT
from bthtn.planning.htn.fastpath.suspending import three_valued
from bthtn.world.assignment import Assignment
from bthtn.world.expression import Condition, Expression, Parameter
from bthtn.world.fluent import Fluent

MOST_COMPARED: Final = 3
"""Parts of a key that the generated code compares before it calls ``repeats``."""

About = Method | PrimitiveTask[...]
"""Whose condition may depend on something unknown."""


def _read_in_turn(about: About) -> list[Fluent[Any]] | None:
    """The fluents that every evaluation of the condition reads, in order, if those decide.

    Then it is unknown where one of them is. None if there is more to it: connectives, members by
    arguments, functions, or effects that may fail.
    """
    if isinstance(about, PrimitiveTask):
        condition = about.precondition
        is_sure = all(map(_never_fails, (*about.effects, *about.expected)))
    else:
        condition, is_sure = about.condition, not isinstance(about.body, PlainBody)
    if not is_sure or not reads_all(condition):
        return None
    fluents = [part for part in mentioned(condition) if not isinstance(part, Parameter)]
    known = [fluent for fluent in fluents if isinstance(fluent, Fluent)]
    return known if len(known) == len(fluents) else None


def _never_fails(effect: Effect) -> bool:
    """Whether the value that the effect writes is known, and of the right type."""
    return (
        isinstance(effect, Assignment)
        and isinstance(effect.target, Fluent)
        and fits(effect.value, effect.target)
    )


Known = tuple[set[str], KnownReads]
"""The variables that may be UNKNOWN, and those of members and of values in ``S``."""


@dataclass(slots=True)
class LineWriter:
    """Writes lines; follows the values of local variables through them.

    ``where`` has the variables of fluents, of which those in ``unsure`` may be UNKNOWN, ``reads``
    those of members and of values in ``S``. ``made`` counts expansions; ``entries`` are the plan's
    methods and primitive tasks that are not recorded yet, with the sources of their arguments.
    """

    of: Callees
    where: dict[Fluent[Any], str]
    indent: int
    unsure: set[str]
    reads: KnownReads = field(default_factory=KnownReads)
    made: int = 0
    entries: list[Entry] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    def write(self, *lines: str) -> None:
        """Append lines, indented."""
        self.lines += [f"{'    ' * self.indent}{line}" for line in lines]

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Write a line, and below it what is written inside as its block."""
        self.write(head)
        self.indent += 1
        yield
        self.indent -= 1

    def truth(
        self, condition: Expression[Any], binding: Sequence[str], *, sure: bool = False
    ) -> str:
        """Source of a condition; with ``sure``, of one whose variables are known.

        Raises NotWritable.
        """
        source = self.reading(binding, sure=sure).truth(condition)
        if source is None:
            raise NotWritable
        return source

    def reading(self, binding: Sequence[str], *, sure: bool = False) -> Reading:
        """Writes expressions in which parameters have these values."""
        unsure = () if sure else self.unsure
        return Reading(self.of.names, binding, self.where, unsure, self._member, self.reads)

    def _member(self, source: str) -> str:
        """The variable of a family's member, which is looked up once, or a source that sets it."""
        named = self.reads.of(source, None)
        if named == source:
            named = self.reads.member(source)
            self.write(f"{named} = {source}")
        return named

    def known_otherwise(self, source: str) -> Known:
        """The knowledge where the source of the latest condition does not hold."""
        return self.unsure.copy(), self.reads.otherwise(source)

    # recording

    def leave(self) -> None:
        """Write the line that records the entries, before planning continues elsewhere."""
        noted = self._noted()
        if noted:
            self.write(noted)
        self.entries = []

    def _noted(self) -> str:
        """The line that records the entries; "" if there are none."""
        if not self.entries:
            return ""
        given = dict.fromkeys(name for _, binding in self.entries for name in binding)
        names = [name for name in given if is_name(name) and name not in self.of.names.constants]
        return f"R.append({self.of.noted(self.entries, names)})"

    @property
    def moment(self) -> str:
        """Source of the length of the plan and the values of all variables of fluents."""
        return tuple_source(["len(R)", *self.scalars])

    @property
    def expansions(self) -> str:
        """Source of the number of expansions so far."""
        return f"n + {self.made}" if self.made else "n"

    @property
    def scalars(self) -> list[str]:
        """Sources of the values of all variables of fluents."""
        return [source for source in self.where.values() if source]

    def state(self, cell: str) -> str:
        """Source of the tuple that a function returns, to go on with this cell."""
        return ", ".join([cell, self.expansions, *self.scalars])

    # stopping

    def fail(self) -> None:
        """Write the return to the latest choice."""
        self.write(f"return {', '.join(['C.pop()', self.expansions, *self.of.scalars])}")

    def decided(
        self, condition: Condition, about: About, binding: tuple[str, ...], rest: str
    ) -> str:
        """Source of a truth that is known; where it is not, the call is suspended.

        The condition is that of the method or task, with its functions as data. The search for the
        cheapest plan is left to others there, since suspended parts cost, too. Raises NotWritable.
        """
        source = self.reads.condition(condition, partial(self.truth, binding=binding))
        if MAY_RAISE not in source or self.of.excess is not None:
            return source
        self.reads.revert()
        fluents = _read_in_turn(about)
        unsure = [fluent for fluent in fluents or () if self.where.get(fluent) in self.unsure]
        sure = self.truth(condition, binding, sure=True)
        if fluents is not None and MAY_RAISE not in sure:
            return self._known(about, unsure, sure, rest)
        known = f"u{next(self.numbers)}"
        with self.block("try:"):
            self.write(f"{known} = {source}")
        with self.block("except Unforeseen:"):
            self.write(f"{known} = {self.answer(about, binding, rest)}")
            self.stop_if(f"type({known}) is Suspension", known, rest)
        return known

    def _known(self, about: About, unsure: list[Fluent[Any]], sure: str, rest: str) -> str:
        """Source of a truth that is unknown if one of these fluents is; it is suspended then."""
        unknown = " or ".join(f"{self.where[fluent]} is UNKNOWN" for fluent in unsure)
        causes = [
            self.of.names.of(Suspension(SuspensionKind.UNKNOWN, str(fluent))) for fluent in unsure
        ]
        cause = causes.pop()
        for fluent, other in zip(reversed(unsure[:-1]), reversed(causes), strict=True):
            cause = f"({other} if {self.where[fluent]} is UNKNOWN else {cause})"
        if isinstance(about, PrimitiveTask) and self.of.has_choices and self.moved == "False":
            first = f"begins_alternative(R, {rest}, False)"
            self.stop_if(f"({unknown}) and not {first}", cause, rest)
            return f"({unknown} or {sure})"
        self.stop_if(unknown, cause, rest)
        self.unsure -= {self.where[fluent] for fluent in unsure}
        return sure

    @property
    def moved(self) -> str:
        """Source of whether there is a step that is not recorded yet."""
        return repr(any(isinstance(what, PrimitiveTask) for what, _ in self.entries))

    def answer(self, about: About | TaskCall, binding: tuple[str, ...], rest: str) -> str:
        """Source of the answer to what can only be decided by evaluation."""
        fluents = [fluent for fluent, source in self.where.items() if source]
        question = self.of.names.of(three_valued(about, fluents))
        given = (tuple_source(binding) if binding else "()", tuple_source(self.scalars))
        return f"{question}({', '.join([*given, 'S', 'R', rest, self.moved])})"

    def stop_if(self, condition: str, cause: str, rest: str, function: str = "stopped") -> None:
        """Write a test that suspends the rest of the branch if the condition holds."""
        with self.block(f"if {condition}:"):
            self.stop(cause, rest, function)

    def stop(self, cause: str, rest: str, function: str = "stopped") -> None:
        """Write the lines that suspend the rest of the branch, and return to its end."""
        noted = self._noted()
        if noted:
            self.write(noted)
        self.write(f"R.append(({function}, {cause}))")
        if "Z" in self.of.given:
            self.write("Z.append(True)")
        self.write(f"return {self.state(f'branch_end({rest})')}")


def is_name(source: str) -> bool:
    """Whether the source is a name, and no keyword."""
    return source.isidentifier() and not iskeyword(source)


def is_literal(source: str) -> bool:
    """Whether the source is a number or a keyword such as ``True``."""
    return iskeyword(source) or source.strip("()-").replace(".", "").isdigit()


def tuple_source(sources: Sequence[str]) -> str:
    """Source of a tuple."""
    return f"({sources[0]},)" if len(sources) == 1 else f"({', '.join(sources)})"


def is_near(key: Sequence[str], may_be_nan: Sequence[str]) -> str:
    """Source of a test whether ``repeats`` has to look for a call with this key.

    It has where one of the nearest open calls may have it, and where there are more than those.
    Where a part is a NaN the source raises Unforeseen: the search takes it for equal to itself.
    """

    def equal(up: str) -> str:
        parts = enumerate(key[:MOST_COMPARED], KEY_AT)
        return " and ".join(f"{up}[{place}] == {part}" for place, part in parts)

    further = f"{equal('up[0]')} or up[1] > 1 and {equal('up[0][0]')}"
    near = f"up[1] > 2 or {equal('up')} or up[1] and ({further})"
    return " or ".join([*(f"{part} != {part} and unforeseen()" for part in may_be_nan), near])
