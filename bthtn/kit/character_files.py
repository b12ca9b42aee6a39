"""Characters made of files: a folder with a tree, drawn tasks, beliefs and sheets.

    tree.xml             the tree                 character.toml   beliefs and settings
    tasks.xml            the tasks                *.skills.csv …   sheets, named by their kinds
    melee.template.xml   templates of skills      operators.py     operators, sensors and the body

Python is needed for operators, sensors and the body that they act with, which belong to tasks and
fluents by name. Settings stand before ``[beliefs]`` in ``character.toml``:

    domain = "combat"          a domain that is written in Python, instead of beliefs and tasks
    kind = "ogre"              the kind of agent whose skills it has, from ``*.kinds.csv``
    finished = "health <= 0"   the condition that ends a run
    simulate = ["wait"]        tasks that need no operator
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from py_trees.behaviour import Behaviour

from bthtn.behaviours import NO_BACKOFF, Character, PlanGoal, Replanning
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.operators import Operators
from bthtn.engine.agent.sensors import Sensors
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.text.notation import call_from
from bthtn.engine.world.expression import Condition
from bthtn.engine.world.fluent import FluentFamily
from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import InputError, StateError, nearest
from bthtn.kit.drawn_goal import DrawnGoal
from bthtn.kit.formats import tree_from_xml
from bthtn.kit.formats.mistakes import Mistakes
from bthtn.kit.formats.sheet import Kind
from bthtn.kit.formats.unread import unread_files
from bthtn.kit.goals_file import GoalTable
from bthtn.kit.lottery import Lottery, LotteryTable

T = TypeVar("T")

TREE: Final = "tree.xml"


@dataclass(frozen=True, eq=False)
class CharacterFiles(Unpicklable):
    """The contents of a folder of files, for any number of characters.

    ``domain`` is ``base`` with the skills that were derived from ``templates``.
    """

    folder: Path
    domain: FrozenDomain
    base: FrozenDomain
    templates: Mapping[str, FrozenDomain]
    operators: Operators[Any]
    sensors: Sensors[Any]
    body: Callable[[int], Any]
    nodes: Mapping[str, Callable[..., Behaviour]]
    lotteries: Mapping[str, LotteryTable]
    goals: Mapping[str, GoalTable]
    finished: Condition

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    def agent(self, body: Any, name: str = "") -> Agent[Any, Any]:
        """An agent with the beliefs of the defaults. Raises ExecutionError."""
        return Agent(
            name or self.name,
            self.domain,
            self.domain.state_class(),
            body=body,
            operators=self.operators,
            sensors=self.sensors,
            clock=getattr(body, "clock", None),
        )

    def tree(self, agent: Agent[Any, Any], seed: int = 0) -> Behaviour:
        """The behaviours of ``tree.xml`` for an agent. Raises InputError."""
        nodes = goal_nodes(self.folder, self.lotteries, self.goals, seed)
        return tree_from_xml(self.folder / TREE, agent, nodes={**nodes, **self.nodes})

    def character(self, seed: int = 0, running: Character | None = None) -> Character:
        """A character in a world of its own, or with the agent of a running one, reloaded.

        Raises BthtnError.
        """
        body = self.body(seed) if running is None else running.agent.body
        agent = self.agent(body)
        if running is not None:
            agent = running.agent.reload(agent)
        return Character(
            self.tree(agent, seed),
            agent,
            sense=getattr(body, "step", None),
            finished=lambda: self.finished.evaluate(agent.beliefs) is True,
            world=body,
        )


def goal_nodes(
    folder: Path,
    lotteries: Mapping[str, LotteryTable],
    tables: Mapping[str, GoalTable],
    seed: int = 0,
) -> dict[str, Callable[..., Behaviour]]:
    """The nodes whose goals stand in the sheets of a folder, by their names in XML."""

    def drawn_goal(  # a node of the tree, and its ports
        name: str,
        agent: Agent[Any, Any],
        goal: str,
        values: str = "value",
        lottery: str = "lottery",
        on: Literal["start", "success"] = "start",
    ) -> Behaviour:
        mistakes = Mistakes()
        table = mistakes.read(_named, folder, lotteries, lottery, "lottery", "lottery")
        family = mistakes.read(_family, values, agent)
        call = mistakes.read(call_from, goal, agent.domain)
        mistakes.raise_all()
        policy = Replanning(retrying=NO_BACKOFF)
        planned = PlanGoal(goal, agent, call, max_replans=0, replanning=policy)
        return DrawnGoal(name, planned, Lottery(table, seed=seed), family, on=on)

    def goals(
        name: str, agent: Agent[Any, Any], sheet: str, period: int = 10, inertia: float = 0
    ) -> Behaviour:
        table = _named(folder, tables, sheet, "list of goals", "goals")
        return table.behaviour(name, agent, period=period, inertia=inertia)

    return {"DrawnGoal": drawn_goal, "Goals": goals}


def _named(folder: Path, known: Mapping[str, T], name: str, what: str, kind: Kind) -> T:
    """The sheet of this name. Raises InputError."""
    if name not in known:
        file = f"{name}.csv" if name == kind else f"{name}.{kind}.csv"
        hint = nearest(name, known) or f"write it into {file} beside tree.xml"
        for misnamed, wanted in unread_files(folder):
            is_it = Path(wanted).stem == Path(file).stem
            hint = f"rename {misnamed} to {wanted}" if is_it else hint
        raise InputError("BT421", f"there is no {what} '{name}'", hint=hint)
    return known[name]


def _family(name: str, agent: Agent[Any, Any]) -> FluentFamily[Any, Any]:
    """The family of this name. Raises BthtnError."""
    family = agent.domain.schema.named(name)
    if not isinstance(family, FluentFamily):
        hint = 'write value = { index = "str", default = 10000.0 }'
        raise InputError("BT421", f"'{name}' has no index", hint=hint)
    try:
        family.prototype.check(0.0)
    except StateError:
        message = f"the values of a lottery are fractions, and '{name}[…]' takes none"
        raise InputError("BT421", message, hint="write default = 10000.0, with a point") from None
    return family
