"""Coordination in files: the rights of groups, and the roles in them.

Group,Right,Attackers,Term,Reach        Role,Count,When,Fitness
squad,may_attack,2,20,12.5              front,2,health > 30,health
                                        healer,1,medkit,100 - health
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bthtn.checked import checked
from bthtn.engine.world.expression import ALWAYS, Condition, Constant, Expression
from bthtn.engine.world.fluent import FluentFamily
from bthtn.engine.world.schema import StateSchema
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import InputError, nearest
from bthtn.kit.coordinator import NEAR, CombatCoordinator, Member
from bthtn.kit.formats.columns import Column, condition_column, number, number_column, whole
from bthtn.kit.formats.sheet import NO_MAPPING, read_sheet

_EQUAL: Final = Constant(0)
"""The fitness of all members for a role without one."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupRow(Shared, Unpicklable):
    """The rights in one kind of group; ``reach`` is how near its members are to each other."""

    group: str
    right: FluentFamily[Any, bool]
    attackers: int = 2
    term: int | None = None
    reach: float = NEAR

    def coordinator(self, name: str = "") -> CombatCoordinator:
        """A coordinator of such a group, called like the row unless ``name`` is given."""
        attackers, term = self.attackers, self.term
        return CombatCoordinator(
            name or self.group, self.right.__getitem__, attackers=attackers, term=term
        )


@dataclass(frozen=True, slots=True, eq=False)
class RoleRow(Shared, Unpicklable):
    """How many members have a role. Members for whom ``when`` does not hold cannot have it."""

    role: str
    count: int
    when: Condition = ALWAYS
    fitness: Expression[Any] = _EQUAL


@dataclass(frozen=True, slots=True, eq=False)
class RoleTable(Shared, Unpicklable):
    """Roles, in the order in which they are filled."""

    rows: Mapping[str, RoleRow]

    def assign(self, coordinator: CombatCoordinator) -> Mapping[Member, str]:
        """The role of each member that gets one, by the beliefs of the members."""
        counts = {row.role: row.count for row in self.rows.values()}
        return coordinator.assign(counts, self.fitness)

    def fitness(self, member: Member, role: str) -> float:
        """How fit a member is for a role; below zero if it cannot have it, or that is unknown."""
        row = self.rows[role]
        if row.when.evaluate(member.beliefs) is not True:
            return -1
        try:
            value = row.fitness.evaluate(member.beliefs)
        except ArithmeticError:  # divided by zero
            return -1
        return -1 if value is UNKNOWN else float(value)


@checked
def read_groups(
    path: Path | str, state: type[State], *, columns: Mapping[str, str] = NO_MAPPING
) -> dict[str, GroupRow]:
    """Read the rights of groups from a ``.csv``, ``.xlsx`` or ``.toml`` file.

    ``Right`` is a family of fluents of this class of states, in which members believe whom they
    may attack. Raises InputError with all faults of the file and their places.
    """

    def right(text: str) -> FluentFamily[Any, bool]:
        return _right(text, state.__schema__)

    return read_sheet(
        path,
        (
            Column("Group", "group", wanted="the name of the group", is_required=True),
            Column("Right", "right", right, "a family of fluents", is_required=True),
            Column("Attackers", "attackers", whole, "a whole number above zero"),
            Column("Term", "term", whole, "a number of ticks above zero"),
            Column("Reach", "reach", number, "a distance"),
        ),
        lambda row: (row.values["group"], GroupRow(**row.values)),
        mapping=columns,
    )


@checked
def read_roles(
    path: Path | str, state: type[State], *, columns: Mapping[str, str] = NO_MAPPING
) -> RoleTable:
    """Read roles from a ``.csv``, ``.xlsx`` or ``.toml`` file.

    ``state`` is the class of states of the members. Raises InputError with all faults of the file
    and their places.
    """
    rows = read_sheet(
        path,
        (
            Column("Role", "role", wanted="the name of the role", is_required=True),
            Column("Count", "count", whole, "a whole number above zero", is_required=True),
            condition_column("When", state),
            number_column("Fitness", state),
        ),
        lambda row: (row.values["role"], RoleRow(**row.values)),
        mapping=columns,
    )
    return RoleTable(rows)


def _right(text: str, schema: StateSchema) -> FluentFamily[Any, bool]:
    found = schema.families.get(text)
    if found is None or found.prototype.value_type is not bool:
        families = [
            name for name, family in schema.families.items() if family.prototype.value_type is bool
        ]
        message = f"{schema.name} has no family of true and false called '{text}'"
        raise InputError("BT410", message, hint=nearest(text, families))
    return found
