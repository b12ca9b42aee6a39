"""How generated source reads fluents and asks conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bthtn.domain.task import Task
from bthtn.planning.htn.compiled.expressions import (
    Names,
    Read,
    condition_source,
    literal,
    references,
    value_source,
)
from bthtn.planning.htn.compiled.facts import Features
from bthtn.planning.htn.compiled.known import Known, named
from bthtn.planning.htn.compiled.members import Pattern
from bthtn.planning.htn.compiled.texts import texts
from bthtn.world.assignment import Reference
from bthtn.world.expression import Constant, Expression, Parameter
from bthtn.world.fluent import Fluent, MemberOf


class Reading:
    """Source for questions to the state, for one set of features.

    ``prefix`` begins the names of the variables that hold the arguments of a task;
    ``arguments`` are their sources where they are no such variables. ``where`` tells of fluents
    that stand in local variables, or whose values are constants there; nothing is told for one
    that nobody asks for. With it, ``S`` need not have a value for every other fluent. ``known``
    gives what is read a name, under which it is known further on.
    """

    def __init__(
        self,
        features: Features,
        names: Names,
        prefix: str = "a",
        arguments: Sequence[str] | None = None,
        where: Mapping[Fluent[Any], str] | None = None,
        known: Known | None = None,
    ) -> None:
        self.names = names
        self._prefix = prefix
        self._arguments = arguments
        self.is_sparse = where is not None
        self._where = where or {}
        self._known = known
        self._unknowns = features.unknowns
        self._watched = features.watched

    def argument(self, position: int) -> str:
        """Source of the argument at a position."""
        return f"{self._prefix}{position}" if self._arguments is None else self._arguments[position]

    def is_kept(self, fluent: Fluent[Any]) -> bool:
        """Whether ``S`` has the fluent, or each member of the family it is the prototype of."""
        return fluent not in self._where

    def is_asked_for(self, fluent: Fluent[Any]) -> bool:
        """Whether anybody ever reads the fluent."""
        return self._where.get(fluent) != ""

    def value(self, expression: Expression[Any]) -> str | None:
        """Source of the value where all fluents are known; None where it has to be evaluated."""
        return value_source(expression, self.names, self.stored)

    def asked(self, condition: Expression[Any], generic: str) -> tuple[list[str], str] | None:
        """Lines that prepare the answer to a condition, and the source that tells it.

        Where something unknown may be read the answer is ``ok``, which may be UNKNOWN; then
        ``generic`` is the source of the same by evaluation. None when the condition cannot
        be written as source.
        """
        if not self._unknowns:
            told = condition_source(condition, self.names, self.stored)
            return None if told is None else ([], told)
        known = self.prepared(condition, "r")
        if known is None:
            return None
        told = condition_source(condition, self.names, self._local(known))
        if told is None or not known:
            return None if told is None else ([], told)
        lines = [f"    {name} = {source}" for source, name in known.items()]
        lines.append(f"    ok = {generic} if {unsure(known)} else {told}")
        return lines, "ok"

    def computed(self, expression: Expression[Any], name: str) -> list[str] | None:
        """Lines that put the value into a local variable: UNKNOWN if anything read is."""
        known = self.prepared(expression, f"{name}_")
        if known is None:
            return None
        told = value_source(expression, self.names, self._local(known))
        if told is None:
            return None
        lines = [f"    {local} = {source}" for source, local in known.items()]
        when = f"UNKNOWN if {unsure(known)} else " if known else ""
        return [*lines, f"    {name} = {when}{told}"]

    def prepared(self, expression: Expression[Any], prefix: str) -> dict[str, str] | None:
        """Names of local variables for everything that is read, by the source that reads it."""
        mentioned = references(expression)
        if mentioned is None:
            return None
        known: dict[str, str] = {}
        for reference in mentioned:
            known.setdefault(self._sensed(reference), f"{prefix}{len(known)}")
        return known

    def _local(self, known: dict[str, str]) -> Read:
        """Reads fluents from the local variables that hold them."""

        def read(one: Reference[Any] | Parameter[Any]) -> str:
            if isinstance(one, Parameter):
                return self.argument(one.position)
            return known[self._sensed(one)]

        return read

    def stored(self, reference: Reference[Any] | Parameter[Any]) -> str | None:
        """Source that reads a parameter, or a fluent of which the value is known."""
        if isinstance(reference, Parameter):
            return self.argument(reference.position)
        if isinstance(reference, MemberOf) and not isinstance(reference.index, Constant):
            member = self._member(reference)
            return None if member is None else self.kept(member, reference.family.prototype)
        fluent = fixed(reference)
        local = self._where.get(fluent)
        if local is not None:
            return local
        if fluent.index is None and not self.is_sparse:
            return f"S[{self.fluent(fluent)}]"
        return self.kept(self.fluent(fluent), fluent)

    def kept(self, place: str, fluent: Fluent[Any]) -> str:
        """Source of a value that ``S`` has where it is not the default.

        ``place`` is the source of the fluent; ``fluent`` may be the prototype of its family.
        """
        source = self.looked_up(place, fluent)
        return source if self._known is None else self._known.value(source, fluent)

    def looked_up(self, place: str, fluent: Fluent[Any]) -> str:
        """Source of the same that stands for itself; where somebody watches ``S`` notes it."""
        return f"S[{place}]" if self._watched else f"S.get({place}, {self.default(fluent)})"

    def overwritten(self, place: str, fluent: Fluent[Any], *, grows: bool) -> str:
        """Source of a value that is about to be overwritten, and read where it grows."""
        source = self.looked_up(place, fluent)
        known = source if self._known is None else self._known.names.get(source, source)
        if known != source or grows or not self._watched:
            return known
        return f"S.get({place}, ABSENT)"

    def placed(self, member: MemberOf[Any], name: str) -> tuple[list[str], str] | None:
        """Lines that put a member of a family into a variable, and its name, known or given.

        None where its index has to be evaluated.
        """
        source = self._member(member)
        if source is None:
            return None
        if self._known is None:
            return [f"    {name} = {source}"], name
        naming = named(source)
        return ([f"    {naming[0]} = {naming[1]}"], naming[0]) if naming else ([], source)

    def _sensed(self, reference: Reference[Any]) -> str:
        """Source that reads a fluent, gives UNKNOWN for an unknown one, and never raises."""
        if isinstance(reference, MemberOf) and isinstance(reference.index, Parameter):
            return f"m.member({self.family(reference)}, {self.argument(reference.index.position)})"
        fluent = fixed(reference)
        if fluent.volatile:
            return f"m.sensed({self.fluent(fluent)})"
        return self.stored(fluent) or ""

    def named(self, condition: Expression[Any]) -> str:
        """Name of a condition that is evaluated."""
        if isinstance(condition, Fluent):
            return self.fluent(condition)
        return self.names.of("when", "", condition)

    def _member(self, member: MemberOf[Any]) -> str | None:
        """Source of a member; None where its index has to be evaluated."""
        parts = texts(member.index)
        if parts is None:
            asked, name = [self.value(member.index)], self.family(member)
        else:
            asked = [self.value(part) for part in parts if not isinstance(part, Constant)]
            told = [part.value if isinstance(part, Constant) else None for part in parts]
            pattern = Pattern(member.family, tuple(told))
            name = self.names.of_equal("i", member.family.name, pattern)
        if not all(asked):
            return None
        source = f"{name}{''.join(f'[{one}]' for one in asked)}"
        return source if self._known is None else self._known.member(source)

    def fluent(self, fluent: Fluent[Any]) -> str:
        """Name of a fluent."""
        return self.names.of("f", str(fluent), fluent)

    def weight(self, fluent: Fluent[Any]) -> str:
        """Name of the number by which changes of a fluent count in the fingerprint."""
        name = f"w{self.fluent(fluent)[1:]}"
        self.names.objects[name] = weight(fluent)
        return name

    def family(self, member: MemberOf[Any]) -> str:
        """Name of what gives the members of the reference's family by index."""
        return self.names.of("m", member.family.name, member.family)

    def default(self, fluent: Fluent[Any]) -> str:
        """Source of a fluent's default."""
        return literal(fluent.default, self.names)


def weight(fluent: Fluent[Any]) -> int:
    """The number by which changes of a fluent count in the fingerprint of a state.

    Equal states have equal fingerprints; that unequal ones seldom do makes it fast.
    """
    return hash(fluent) & 0xFFFFF


def counts_by_value(fluent: Fluent[Any]) -> bool:
    """Whether the fingerprint takes the fluent's values themselves, and not their hashes."""
    return fluent.value_type in (bool, int) and fluent.default is not None


def change(fluent: Fluent[Any], before: Any, after: Any) -> int:
    """What a change of a fluent adds to the fingerprint of the state."""
    counted = int if counts_by_value(fluent) else ()
    was, becomes = (one if isinstance(one, counted) else hash(one) for one in (before, after))
    return weight(fluent) * int(becomes - was)


def unsure(known: dict[str, str]) -> str:
    """Source that tells whether one of the local variables is unknown."""
    return " or ".join(f"{name} is UNKNOWN" for name in known.values())


def fixed(reference: Reference[Any]) -> Fluent[Any]:
    """The fluent that a reference without a parameter names."""
    if isinstance(reference, MemberOf):
        assert isinstance(reference.index, Constant), "other indices are computed"
        return reference.family.member(reference.index.value)
    assert isinstance(reference, Fluent), "there are no other references"
    return reference


def args_source(task: Task, prefix: str = "a") -> str:
    """Source of the tuple of a task's arguments."""
    return tuple_source([f"{prefix}{position}" for position in range(len(task.parameters))])


def tuple_source(sources: list[str]) -> str:
    """Source of a tuple."""
    return f"({sources[0]},)" if len(sources) == 1 else f"({', '.join(sources)})"
