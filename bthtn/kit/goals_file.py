"""Lists of goals in files, by priority or by utility.

Name,Goal,When,Utility
revive,"help(""Al"")",ally_down,100
kill,fight,enemy_seen,80 - 10 * distance
idle,rest,,1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.behaviours.goals import DEFAULT_BUDGET, Budget, PriorityGoals, UtilityGoals
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import network_text
from bthtn.engine.domain.task import TaskCall
from bthtn.engine.text.notation import call_from
from bthtn.engine.world.expression import ALWAYS, Condition, Expression
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.errors import InputError
from bthtn.kit.formats.columns import Column, condition_column, number_column
from bthtn.kit.formats.sheet import NO_MAPPING, SheetRow, read_sheet


@dataclass(frozen=True, slots=True, eq=False)
class GoalRow(Shared, Unpicklable):
    """A goal that is pursued while ``when`` holds; ``utility`` is None in a list by priority."""

    name: str
    goal: TaskCall
    when: Condition = ALWAYS
    utility: Expression[Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GoalTable(Shared, Unpicklable):
    """A list of goals, shared by agents: in order of priority, or each with a utility."""

    rows: tuple[GoalRow, ...]

    def behaviour(
        self,
        name: str,
        agent: Agent[Any, Any],
        *,
        period: int = 10,
        inertia: float = 0,
        budget: Budget = DEFAULT_BUDGET,
    ) -> PriorityGoals | UtilityGoals:
        """The composite of these goals: by utility if they have one, else by priority.

        ``period`` is for the one by priority, ``inertia`` for the one by utility.
        """
        goals = [PlanGoal(row.name, agent, row.goal, budget=budget) for row in self.rows]
        when = [row.when for row in self.rows]
        valued = [
            (goal, row.utility)
            for goal, row in zip(goals, self.rows, strict=True)
            if row.utility is not None
        ]
        if valued:
            return UtilityGoals(name, agent, valued, when=when, inertia=inertia)
        return PriorityGoals(name, agent, goals, when=when, period=period)


@checked
def read_goals(
    path: Path | str, domain: Domain[Any] | FrozenDomain, *, columns: Mapping[str, str] = NO_MAPPING
) -> GoalTable:
    """Read a list of goals from a ``.csv``, ``.xlsx`` or ``.toml`` file.

    They are tasks of this domain. Either every row has a utility or none. Raises InputError with
    all faults of the file and their places.
    """
    whole = frozen(domain)
    rows = read_sheet(
        path,
        (
            Column("Name", "name"),
            Column("Goal", "goal", lambda text: call_from(text, whole), "a task", is_required=True),
            condition_column("When", whole.state_class),
            number_column("Utility", whole.state_class),
        ),
        _row,
        mapping=columns,
    )
    bare = [name for name, row in rows.items() if row.utility is None]
    if 0 < len(bare) < len(rows):
        message = f"goals without a utility beside goals with one: {', '.join(bare)}"
        raise InputError("BT410", message, str(path), "give all of them one, or none")
    return GoalTable(tuple(rows.values()))


def _row(row: SheetRow) -> tuple[str, GoalRow]:
    name = row.values.get("name") or network_text(row.values["goal"])
    return name, GoalRow(**{**row.values, "name": name})
