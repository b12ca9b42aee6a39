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

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from py_trees.behaviour import Behaviour

from bthtn.agent.agent import Agent
from bthtn.agent.operators import Operators, keys_of
from bthtn.agent.sensors import Sensors
from bthtn.behaviours import NO_BACKOFF, Character, PlanGoal, Replanning
from bthtn.domain.builder import Domain, frozen
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.merging import merge
from bthtn.domain.task import PrimitiveTask
from bthtn.errors import BthtnError, Diagnostic, ExecutionError, InputError, nearest
from bthtn.formats import tree_from_xml
from bthtn.formats.beliefs_table import state_class_from
from bthtn.formats.document import TomlFile
from bthtn.formats.drawn_tasks import read_tasks
from bthtn.formats.sheet import Kind, kind_of, sheets_in
from bthtn.formats.unread import unread_files, unread_findings
from bthtn.kit.drawn_goal import DrawnGoal
from bthtn.kit.goals_file import GoalTable, read_goals
from bthtn.kit.lottery import Lottery, LotteryTable
from bthtn.kit.lottery_file import read_lottery
from bthtn.kit.skills_file import read_skill_table, read_skills
from bthtn.plan.notation import call_from
from bthtn.world.condition_parser import condition_from_text
from bthtn.world.expression import ALWAYS, Condition
from bthtn.world.fluent import FluentFamily
from bthtn.world.sharing import Unpicklable
from bthtn.world.state import State

T = TypeVar("T")

TREE: Final = "tree.xml"
SETTINGS: Final = "character.toml"
_SETTINGS: Final[Mapping[str, tuple[type, str]]] = {
    "domain": (str, 'write domain = "combat"'),
    "kind": (str, 'write kind = "ogre"'),
    "finished": (str, 'write finished = "health <= 0"'),
    "simulate": (list, 'write simulate = ["wait"]'),
    "beliefs": (dict, "write [beliefs], and a line for each fluent"),
}
"""The class of each setting, and how it is written."""


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

        def drawn_goal(  # a node of the tree, and its ports
            name: str,
            agent: Agent[Any, Any],
            goal: str,
            values: str = "value",
            lottery: str = "lottery",
            on: Literal["start", "success"] = "start",
        ) -> Behaviour:
            table = self._named(self.lotteries, lottery, "lottery", "lottery")
            family = agent.domain.schema.named(values)
            if not isinstance(family, FluentFamily):
                hint = 'write value = { index = "str", default = 10000.0 }'
                raise InputError("BT421", f"'{values}' has no index", hint=hint)
            planned = PlanGoal(
                goal,
                agent,
                call_from(goal, agent.domain),
                max_replans=0,
                replanning=Replanning(retrying=NO_BACKOFF),
            )
            return DrawnGoal(name, planned, Lottery(table, seed=seed), family, on=on)

        def goals(
            name: str, agent: Agent[Any, Any], sheet: str, period: int = 10, inertia: float = 0
        ) -> Behaviour:
            table = self._named(self.goals, sheet, "list of goals", "goals")
            return table.behaviour(name, agent, period=period, inertia=inertia)

        nodes: dict[str, Callable[..., Behaviour]] = {"DrawnGoal": drawn_goal, "Goals": goals}
        return tree_from_xml(self.folder / TREE, agent, nodes={**nodes, **self.nodes})

    def character(self, seed: int = 0, running: Character | None = None) -> Character:
        """A character in a world of its own, or with the agent of a running one, reloaded.

        Raises BthtnError.
        """
        body = self.body(seed) if running is None else running.agent.body
        agent = self.agent(body)
        if running is not None:
            agent = running.agent.reload(agent)
        step = getattr(body, "step", lambda: None)
        return Character(
            self.tree(agent, seed),
            agent,
            sense=step,
            finished=lambda: self.finished.evaluate(agent.beliefs) is True,
            world=body,
        )

    def _named(self, known: Mapping[str, T], name: str, what: str, kind: Kind) -> T:
        """The sheet of this name. Raises InputError."""
        if name not in known:
            file = f"{name}.csv" if name == kind else f"{name}.{kind}.csv"
            hint = nearest(name, known) or f"write it into {file} beside tree.xml"
            for misnamed, wanted in unread_files(self.folder):
                hint = f"rename {misnamed} to {file}" if wanted == file else hint
            raise InputError("BT421", f"there is no {what} '{name}'", hint=hint)
        return known[name]


def read_character(
    folder: Path | str, code: object = None, domain: Domain[Any] | FrozenDomain | None = None
) -> CharacterFiles:
    """Read the files of a folder.

    ``code`` is the module with ``operators``, ``sensors``, ``body``, a function of the seed that
    makes what operators act with, and ``nodes`` for the tree, as far as it has them. If the body
    has a method ``step``, a run calls it at every tick; if it has a ``clock``, seconds are read
    from that. ``domain`` is the one that the settings name. Raises InputError for the mistakes
    in a file, DomainError for the domain, and ExecutionError for tasks without an operator that
    are not declared to be simulated: one error with the mistakes of all files, except ``tree.xml``,
    which is read for an agent. Nothing is checked that needs a file with a mistake.
    """
    return _FolderReader(Path(folder), code).read(domain)


class _FolderReader:
    """Reader of one folder."""

    def __init__(self, folder: Path, code: object) -> None:
        self._folder = folder
        self._file = TomlFile(folder / SETTINGS, is_needed=False)
        self._settings = self._file.tables
        self._check_settings()
        self._errors: list[BthtnError] = []
        self._operators = _part_of(code, "operators", Operators)
        self._sensors = _part_of(code, "sensors", Sensors)
        self._body = getattr(code, "body", lambda _: None)
        self._nodes = getattr(code, "nodes", {})

    def read(self, domain: Domain[Any] | FrozenDomain | None) -> CharacterFiles:
        """The contents of all files. Raises BthtnError, with the mistakes of all."""
        noted = self._noted
        noted(self._check_sheets)
        base: Any = None if domain is None else frozen(domain)
        state = self._state() if base is None else base.state_class
        if base is None:
            base = noted(self._tasks_in, self._folder / "tasks.xml", state)
        templates = {
            path.name.partition(".")[0]: noted(self._tasks_in, path, state)
            for path in sorted(self._folder.glob("*.template.xml"))
        }
        lotteries = {
            stem: noted(read_lottery, path, state) for stem, path in self._sheets("lottery")
        }
        finished = noted(self._finished, state)
        is_whole = None not in (base, *templates.values())
        whole: Any = noted(self._with_skills, base, templates) if is_whole else None
        goals: dict[str, GoalTable] = {}
        if whole is not None:
            noted(self._bind, whole)
            goals = {stem: noted(read_goals, path, whole) for stem, path in self._sheets("goals")}
        if self._errors and domain is None and not self._file.path.exists():
            hint = "write one, with [beliefs] and a line for each fluent"
            fault = Diagnostic("BT421", f"there is no {SETTINGS}", str(self._file.path), hint)
            self._errors.append(InputError.of(fault))
        if self._errors:
            faults = [fault for error in self._errors for fault in error.diagnostics]
            faults += unread_findings(self._folder)
            raise type(self._errors[0]).of(faults)
        return CharacterFiles(
            self._folder,
            whole,
            base,
            templates,
            self._operators,
            self._sensors,
            self._body,
            self._nodes,
            lotteries,
            goals,
            finished,
        )

    def _noted(self, read: Callable[..., Any], *args: Any) -> Any:
        """The result of a function; None if it raises a BthtnError, which is noted."""
        try:
            return read(*args)
        except BthtnError as error:
            self._errors.append(error)
            return None

    def _state(self) -> type[State]:
        if "domain" in self._settings:
            message = f"the domain '{self._settings['domain']}' was not given"
            raise InputError("BT421", message, self._file.where("domain"), "give it")
        return state_class_from(
            self._folder.resolve().name,
            self._settings.get("beliefs", {}),
            lambda entry: self._file.where("beliefs", entry),
        )

    def _finished(self, state: type[State]) -> Condition:
        condition = self._settings.get("finished", "")
        with self._at("finished"):
            return condition_from_text(condition, state.__schema__) if condition else ~ALWAYS

    def _tasks_in(self, path: Path, state: type[State]) -> FrozenDomain:
        stem = path.name.partition(".")[0]
        domain = Domain(stem if stem != "tasks" else self._folder.resolve().name, state)
        read_tasks(path, domain, self._operators)
        return domain.freeze()

    def _with_skills(
        self, base: FrozenDomain, templates: Mapping[str, FrozenDomain]
    ) -> FrozenDomain:
        """The domain with the skills of its kind, or with all if there are no kinds."""
        skills: dict[str, FrozenDomain] = {}
        for _, path in self._sheets("skills"):
            skills |= read_skills(path, base, *templates.values())
        kinds = [path for _, path in self._sheets("kinds")]
        if kinds:
            table = read_skill_table(kinds[0], base, skills)
            with self._at("kind"):
                return table.domain(self._settings.get("kind", self._folder.resolve().name))
        return merge(base.name, base, *skills.values()) if skills else base

    def _bind(self, domain: FrozenDomain) -> None:
        """Declare the simulated steps. Raises ExecutionError for steps without an operator."""
        steps = (task for task in domain.tasks.values() if isinstance(task, PrimitiveTask))
        known = {key for task in steps for key in keys_of(task) if isinstance(key, str)}
        faults: list[Diagnostic] = []
        simulated = self._settings.get("simulate", ())
        for name in simulated:
            if name not in known:
                hint = nearest(name, known)
                faults.append(self._fault(f"no step is called '{name}'", hint, "simulate"))
        code = self._folder / "operators.py"
        where = str(code) if code.exists() else f"{code}, which is not there"
        for bound in self._operators.tasks():
            name = bound if isinstance(bound, str) else bound.name
            if name not in known:
                message, hint = f"'{name}' has an operator and is no step", nearest(name, known)
                faults.append(Diagnostic("BT422", message, str(code), hint))
        self._operators.simulate(*simulated)
        for fault in self._operators.missing(domain.tasks.values(), where):
            hint = 'bind one by its name, or declare in character.toml: simulate = ["…"]'
            faults.append(replace(fault, hint=hint))
        faults += self._operators.misfits(domain.tasks.values())
        ExecutionError.raise_for(faults)

    def _sheets(self, kind: str) -> Iterator[tuple[str, Path]]:
        """The sheets of a kind, with their names in ``tree.xml``."""
        for path in sheets_in(self._folder):
            if kind_of(path) == kind:
                yield path.name.partition(".")[0], path

    def _check_sheets(self) -> None:
        """Raise InputError for sheets of which only one could be read."""
        first: dict[tuple[str, str], Path] = {}
        for path in sheets_in(self._folder):
            kind = kind_of(path) or ""
            name = "" if kind == "kinds" else path.name.partition(".")[0]
            if kind == "skills" or (other := first.setdefault((kind, name), path)) is path:
                continue
            message = f"{other.name} and {path.name} stand for each other"
            hint = "leave one in the folder, with the rows of both"
            raise InputError("BT421", message, str(path), hint)

    def _check_settings(self) -> None:
        faults: list[Diagnostic] = []
        for key, value in self._settings.items():
            if key not in _SETTINGS:
                faults.append(self._fault(f"there is no '{key}'", nearest(key, _SETTINGS), key))
            elif not isinstance(value, _SETTINGS[key][0]) or (
                isinstance(value, list) and not all(isinstance(item, str) for item in value)
            ):
                faults.append(self._fault(f"'{key}' is {value!r}", _SETTINGS[key][1], key))
        if "domain" in self._settings and "beliefs" in self._settings:
            hint = "the domain has its own State class: leave one out"
            faults.append(self._fault("there are a domain and beliefs", hint, "beliefs"))
        InputError.raise_for(faults)

    def _fault(self, message: str, hint: str, *keys: str) -> Diagnostic:
        return Diagnostic("BT421", message, self._file.where(*keys), hint)

    @contextmanager
    def _at(self, key: str) -> Iterator[None]:
        """Place the diagnostics of errors raised inside at a setting."""
        try:
            yield
        except BthtnError as error:
            raise InputError.of(error.within(self._file.where(key))) from None


def domain_named_in(folder: Path) -> str:
    """The domain that the settings of a folder name, "" if they name none. Raises InputError."""
    named = TomlFile(folder / SETTINGS, is_needed=False).tables.get("domain", "")
    return named if isinstance(named, str) else ""


def _part_of(code: object, name: str, kind: type[T]) -> T:
    """The object called ``name`` in a module, else an empty one. Raises InputError."""
    found = getattr(code, name, None)
    if found is None:
        return kind()
    if not isinstance(found, kind):
        message, hint = f"'{name}' is {type(found).__name__}", f"write {name} = {kind.__name__}()"
        raise InputError("BT422", message, str(getattr(code, "__file__", "")), hint)
    return found
