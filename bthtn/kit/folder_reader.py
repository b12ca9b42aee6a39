"""Reads a folder of files as a character, each file as far as the others allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector

from bthtn.behaviours import Character
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.operators import Operators, keys_of
from bthtn.engine.agent.sensors import Sensors
from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.merging import merge
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.text.conditions import condition_from_text
from bthtn.engine.world.expression import ALWAYS, Condition
from bthtn.engine.world.state import State
from bthtn.errors import BthtnError, Diagnostic, ExecutionError, InputError, nearest
from bthtn.kit.character_files import TREE, CharacterFiles
from bthtn.kit.formats.beliefs_table import state_class_from
from bthtn.kit.formats.document import TomlFile
from bthtn.kit.formats.drawn_tasks import outline_tasks, read_tasks
from bthtn.kit.formats.mistakes import Mistakes
from bthtn.kit.formats.sheet import kind_of, sheets_in
from bthtn.kit.formats.unread import unread_findings
from bthtn.kit.formats.xml_document import Element, element_in
from bthtn.kit.goals_file import read_goals
from bthtn.kit.lottery_file import read_lottery
from bthtn.kit.skills_file import read_skill_table, read_skills

T = TypeVar("T")

SETTINGS: Final = "character.toml"
_SETTINGS: Final[Mapping[str, tuple[type, str]]] = {
    "domain": (str, 'write domain = "combat"'),
    "kind": (str, 'write kind = "ogre"'),
    "finished": (str, 'write finished = "health <= 0"'),
    "simulate": (list, 'write simulate = ["wait"]'),
    "beliefs": (dict, "write [beliefs], and a line for each fluent"),
}
"""The class of each setting, and how it is written."""


def read_character(
    folder: Path | str, code: object = None, domain: Domain[Any] | FrozenDomain | None = None
) -> CharacterFiles:
    """Read the files of a folder.

    ``code`` is the module with ``operators``, ``sensors``, ``body``, a function of the seed that
    makes what operators act with, and ``nodes`` for the tree, as far as it has them. If the body
    has a method ``step``, a run calls it at every tick; if it has a ``clock``, seconds are read
    from that. ``domain`` is the one that the settings name. Raises InputError for the mistakes
    in a file, DomainError for the domain, and ExecutionError for tasks without an operator that
    are not declared to be simulated: one error with the mistakes of all files, and of ``tree.xml``
    if there are others. Where there are none, that is read for an agent.
    """
    mistakes = Mistakes()
    files = read_folder(Path(folder), code, domain, mistakes)
    if mistakes:
        sketched(files, mistakes)
    mistakes.raise_all()
    assert files is not None, "there is no mistake in them"
    return files


def read_folder(
    folder: Path, code: object, domain: Domain[Any] | FrozenDomain | None, mistakes: Mistakes
) -> CharacterFiles | None:
    """What can be read of the files of a folder, as far as it goes, and their mistakes.

    None where a file that the others need cannot be read at all.
    """
    files = _FolderReader(folder, code, mistakes).read(domain)
    if mistakes:
        mistakes.note(unread_findings(folder))
    return files


def sketched(files: CharacterFiles | None, mistakes: Mistakes) -> Character | None:
    """A character of files with mistakes, to look at other files; its steps need no operators.

    None if there can be none.
    """
    is_loaded = all(fault.code != "BT402" for fault in mistakes.found)
    if files is None or not is_loaded:  # its nodes may be in the module that was not loaded
        return None
    operators = Operators()
    steps = (task for task in files.domain.tasks.values() if isinstance(task, PrimitiveTask))
    operators.simulate(*steps)
    agent: Agent[Any, Any] = Agent(
        files.name, files.domain, files.domain.state_class(), body=None, operators=operators
    )
    root = mistakes.read(files.tree, agent)
    try:
        return Character(_outline(element_in(files.folder / TREE)) if root is None else root, agent)
    except BthtnError:  # noted before
        return None


def _outline(element: Element) -> Behaviour:
    """Behaviours with the names that stand in a tree."""
    children = [_outline(child) for child in element.children]
    name = element.attributes.get("name", element.attributes.get("ID", element.tag))
    return Selector(name, memory=False, children=children)


class _FolderReader:
    def __init__(self, folder: Path, code: object, mistakes: Mistakes) -> None:
        self._folder = folder
        self._mistakes = mistakes
        self._is_unloaded = bool(mistakes) and code is None  # its module has a mistake
        self._operators = mistakes.read(_part_of, code, "operators", Operators, default=Operators())
        self._sensors = mistakes.read(_part_of, code, "sensors", Sensors, default=Sensors())
        self._body = getattr(code, "body", lambda _: None)
        self._nodes = getattr(code, "nodes", {})
        self._file: TomlFile
        self._settings: dict[str, Any] = {}

    def read(self, domain: Domain[Any] | FrozenDomain | None) -> CharacterFiles | None:
        """The contents of all files, as far as they can be read."""
        mistakes = self._mistakes
        mistakes.read(self._check_sheets)
        base, state = self._base(domain)
        if state is None:
            self._check_alone(*self._drawn())
            return None
        templates = {
            path.name.partition(".")[0]: self._tasks_in(path, state) for path in self._drawn()[1:]
        }
        lotteries = self._tables("lottery", read_lottery, state)
        finished = mistakes.read(self._finished, state, default=~ALWAYS)
        if base is None or None in templates.values():
            return None
        known: Any = templates
        whole = self._with_skills(base, known)
        mistakes.read(self._bind, whole, known)
        goals = self._tables("goals", read_goals, whole)
        return CharacterFiles(
            self._folder,
            whole,
            base,
            known,
            self._operators,
            self._sensors,
            self._body,
            self._nodes,
            lotteries,
            goals,
            finished,
        )

    def _base(
        self, domain: Domain[Any] | FrozenDomain | None
    ) -> tuple[FrozenDomain | None, type[State] | None]:
        """The domain without skills and the State class, None for what cannot be read."""
        mistakes = self._mistakes
        file = mistakes.read(lambda: TomlFile(self._folder / SETTINGS, is_needed=False))
        if file is None:
            return None, None
        self._file = file
        self._settings = self._checked_settings()
        if domain is not None:
            base = mistakes.read(frozen, domain)
            return base, base and base.state_class
        state = mistakes.read(self._state)
        base = None if state is None else self._tasks_in(self._folder / "tasks.xml", state)
        if mistakes and not file.path.exists():
            hint = "write one, with [beliefs] and a line for each fluent"
            fault = Diagnostic("BT421", f"there is no {SETTINGS}", str(file.path), hint)
            mistakes.add(InputError.of(fault))
        return base, state

    def _state(self) -> type[State]:
        """The State class of the beliefs, without those that have a mistake. Raises InputError."""
        if "domain" in self._settings:
            message = f"the domain '{self._settings['domain']}' was not given"
            raise InputError("BT421", message, self._file.where("domain"), "give it")
        name, beliefs = self._folder.resolve().name, self._settings.get("beliefs", {})

        def declared(entries: Mapping[str, Any]) -> type[State]:
            return state_class_from(name, entries, lambda entry: self._file.where("beliefs", entry))

        right = {}
        for entry, written in beliefs.items():
            self._mistakes.declared[entry] = self._file.where("beliefs", entry)
            if self._mistakes.read(declared, {entry: written}) is not None:
                right[entry] = written
                continue
            self._mistakes.unsure.add(entry)
            default = written.get("default") if isinstance(written, dict) else None
            with suppress(BthtnError):  # of the type of its default, if that is right
                declared({entry: default})
                right[entry] = default
        return declared(right)

    def _finished(self, state: type[State]) -> Condition:
        condition = self._settings.get("finished", "")
        with self._at("finished"):
            return condition_from_text(condition, state.__schema__) if condition else ~ALWAYS

    def _drawn(self) -> list[Path]:
        return [self._folder / "tasks.xml", *sorted(self._folder.glob("*.template.xml"))]

    def _check_alone(self, *files: Path) -> None:
        """Note what is wrong with files of which only the form can be checked."""
        for file in files:
            self._mistakes.read(element_in, file)

    def _tasks_in(self, path: Path, state: type[State]) -> FrozenDomain | None:
        """The tasks of a file, in outline if it has mistakes; None if it cannot be read."""
        mistakes = self._mistakes
        stem = path.name.partition(".")[0]
        name = stem if stem != "tasks" else self._folder.resolve().name
        root: Element | None = mistakes.read(element_in, path)
        if root is None:
            return None
        domain = Domain(name, state)
        read = mistakes.read(read_tasks, path, domain, self._operators)
        for tree in root.children if read is None else ():
            if not _is_defined(domain, tree.attributes.get("ID", "")):
                mistakes.unsure.add(tree.attributes.get("ID", ""))
        whole: FrozenDomain | None = mistakes.read(domain.freeze)
        if whole is not None and read is not None:
            return whole
        outline = Domain(name, state)
        mistakes.unsure |= outline_tasks(path, outline)
        return outline.freeze()

    def _tables(self, kind: str, read: Callable[..., T], known: object) -> dict[str, T]:
        """The sheets of a kind that can be read, by their names in ``tree.xml``."""
        tables = {stem: self._mistakes.read(read, path, known) for stem, path in self._sheets(kind)}
        right = {stem: table for stem, table in tables.items() if table is not None}
        self._mistakes.unsure |= tables.keys() - right.keys()
        return right

    def _with_skills(
        self, base: FrozenDomain, templates: Mapping[str, FrozenDomain]
    ) -> FrozenDomain:
        """The domain with the skills of its kind, or with all if there are no kinds."""
        mistakes = self._mistakes
        skills: dict[str, FrozenDomain] = {}
        for _, path in self._sheets("skills"):
            skills |= mistakes.rows(read_skills, path, base, *templates.values())
        kinds = [path for _, path in self._sheets("kinds")]
        whole: FrozenDomain | None = None
        if kinds:
            whole = mistakes.read(self._of_kind, kinds[0], base, skills)
        if whole is None and skills:
            whole = mistakes.read(merge, base.name, base, *skills.values())
        return base if whole is None else whole

    def _of_kind(
        self, sheet: Path, base: FrozenDomain, skills: Mapping[str, FrozenDomain]
    ) -> FrozenDomain:
        """The domain with the skills of the kind that the settings name. Raises BthtnError."""
        table = read_skill_table(sheet, base, skills)
        with self._at("kind"):
            return table.domain(self._settings.get("kind", self._folder.resolve().name))

    def _bind(self, domain: FrozenDomain, templates: Mapping[str, FrozenDomain]) -> None:
        """Declare the simulated steps. Raises ExecutionError for steps without an operator."""
        named = [domain, *(templates.values() if self._mistakes else ())]
        tasks = [task for whole in named for task in whole.tasks.values()]
        steps = (task for task in tasks if isinstance(task, PrimitiveTask))
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
        missing = self._operators.missing(domain.tasks.values(), where)
        for fault in [] if self._is_unloaded else missing:
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

    def _checked_settings(self) -> dict[str, Any]:
        """The settings that are usable; notes the others."""
        faults: list[Diagnostic] = []
        right = {}
        for key, value in self._file.tables.items():
            if key not in _SETTINGS:
                faults.append(self._fault(f"there is no '{key}'", nearest(key, _SETTINGS), key))
            elif not isinstance(value, _SETTINGS[key][0]) or (
                isinstance(value, list) and not all(isinstance(item, str) for item in value)
            ):
                faults.append(self._fault(f"'{key}' is {value!r}", _SETTINGS[key][1], key))
            else:
                right[key] = value
        if "domain" in right and "beliefs" in right:
            hint = "the domain has its own State class: leave one out"
            faults.append(self._fault("there are a domain and beliefs", hint, "beliefs"))
        self._mistakes.read(InputError.raise_for, faults)
        return right

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


def _is_defined(domain: Domain[Any], name: str) -> bool:
    try:
        domain.task(name)
    except BthtnError:
        return False
    return True


def _part_of(code: object, name: str, kind: type[T]) -> T:
    """The object called ``name`` in a module, else an empty one. Raises InputError."""
    found = getattr(code, name, None)
    if found is None:
        return kind()
    if not isinstance(found, kind):
        message, hint = f"'{name}' is {type(found).__name__}", f"write {name} = {kind.__name__}()"
        raise InputError("BT422", message, str(getattr(code, "__file__", "")), hint)
    return found
