"""Cases: scenarios of no tick, in which a plan is made and nothing is played.

    [no_ammo_and_cover_near]
    given = { target = true, cover = true, ammo = false }
    task = "fight"
    expect = "(parallel((move_to_cover, cover), (wait(3), reload)), priority(…, shoot))"
    record = [1, 0, 1, 0, 0, 0]

A ``cases.toml`` has such tables; the ``*.scenario.toml`` of a domain is one of them. They are read
here, where nothing of py_trees is imported, and by the same function.

A case with ``expect = "no plan"`` may have ``because``, a text that occurs in the explanation.
``horizon``, ``horizon_time``, ``check_rest`` and ``cheapest`` are the planning settings. Instead
of a ``task`` a case may have a condition to ``achieve``; ``forward`` selects forward search. A
scenario names its ``domain``. The one of ``cases.toml`` is defined in ``domain.py`` beside it, that
of ``other_cases.toml`` in ``other.py``; ``variant`` names another domain of that file. In the
folder of a character of files it is the character's, and the only one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from bthtn.engine.domain.builder import Domain
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import NetworkLike, network_from
from bthtn.engine.plan.nodes import Node
from bthtn.engine.plan.plan import Plan
from bthtn.engine.planning.explain import Explanation, explanation_text
from bthtn.engine.planning.planner import find_plan
from bthtn.engine.planning.protocol import Settings, request
from bthtn.engine.planning.strips.achieve import achieve
from bthtn.engine.text.conditions import condition_from_text
from bthtn.engine.text.notation import call_from, node_from, normal
from bthtn.engine.world.state import FrozenState
from bthtn.errors import BthtnError, InputError
from bthtn.kit.formats.document import TomlFile, line_of
from bthtn.studio.testing.case_files import domain_file_of
from bthtn.studio.testing.domain_files import domain_called, domains_in
from bthtn.studio.testing.plan_pattern import check_pattern, is_pattern, matches

NO_PLAN: Final = "no plan"
_SETTINGS: Final[Mapping[str, type]] = MappingProxyType(
    {"horizon": int, "horizon_time": float, "check_rest": bool, "cheapest": bool}
)
_KEYS: Final[Mapping[str, type]] = MappingProxyType(
    {
        "given": dict,
        "task": str,
        "achieve": str,
        "forward": bool,
        "expect": str,
        "record": list,
        "because": str,
        **_SETTINGS,
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A test case: a state, a goal, and the expected plan; ``expected`` is None for no plan.

    ``task`` is a call of a task, or a condition to achieve. With a ``pattern`` the plan need only
    match that. ``keys`` lead to its table in its file, none to the whole of it.
    """

    name: str
    keys: tuple[str, ...]
    line: int
    domain: FrozenDomain
    state: FrozenState
    task: NetworkLike
    expected: Node | None
    record: tuple[int, ...] | None
    because: str
    settings: Settings
    pattern: str = ""


def fault_of(case: Case) -> str:
    """The difference between the expected and the actual plan; empty if they are equal.

    It says from which state was planned, and which methods were not chosen for which reasons.
    """
    try:
        plan = find_plan(case.domain, case.state, case.task, case.settings)
        if plan is not None:
            return _difference(case, plan)
        explanation = Explanation()
        find_plan(case.domain, case.state, case.task, case.settings, explanation.add)
    except BthtnError as error:
        return str(error)
    why = explanation_text(explanation.reasons())
    if case.expected is not None or case.pattern:
        return f"expected  {_expected_text(case)}\nactual    no plan, because\n{why}"
    if case.because not in why:
        return f"expected  no plan, because of '{case.because}'\nactual    no plan, because\n{why}"
    return ""


def _difference(case: Case, plan: Plan) -> str:
    actual, record = normal(plan.tree), list(plan.record)
    expected = _expected_text(case)
    is_other = not matches(case.pattern, actual) if case.pattern else actual != expected
    lines = []
    if is_other:
        lines += [f"expected  {expected}", f"actual    {actual}"]
    if case.record is not None and record != list(case.record):
        lines += [f"expected record  {list(case.record)}", f"actual record    {record}"]
    elif lines:
        lines += [f"actual record    {record}"]
    if not lines:
        return ""
    from bthtn.studio.testing.plan_difference import circumstances, side_by_side  # noqa: PLC0415 - if one fails

    if case.expected is not None and is_other:
        lines += ["", side_by_side(case.expected, plan.tree)]
    asked = request(case.domain, case.state, case.task, case.settings)
    return "\n".join([*lines, "", circumstances(asked)])


def _expected_text(case: Case) -> str:
    if case.pattern:
        return case.pattern
    return NO_PLAN if case.expected is None else normal(case.expected)


def read_cases(path: Path, domain: FrozenDomain) -> tuple[Case, ...]:
    """The cases of a file, for this domain and for variants defined in the same file as it.

    Raises InputError with all faults of the file.
    """
    return _CaseFile(path, domain).cases()


class CaseReader(TomlFile):
    """Reads tables of cases. The keys in front of an entry's own lead to its table."""

    def case(
        self, name: str, entries: Mapping[str, Any], domain: FrozenDomain, *keys: str
    ) -> Case | None:
        """The case of usable entries, or None; a fault in one does not hide faults in others."""
        state = self._state(entries.get("given", {}), domain, *keys)
        task: NetworkLike | None = None
        settings, whole = Settings(), domain
        expected: Node | None = None
        with self.at(*keys, "task"):
            task = call_from(entries["task"], domain) if "task" in entries else None
        with self.at(*keys, "achieve"):
            if "achieve" in entries:
                goal = condition_from_text(entries["achieve"], domain.schema)
                task = achieve(goal, forward=entries.get("forward", False))
                whole, _ = domain.with_goal(network_from(task))
        plan = entries.get("expect", NO_PLAN)
        with self.at(*keys, "expect"):
            expected = _plan_from(plan, whole)
        how = {key: entries[key] for key in _SETTINGS if key in entries}
        with self.at(*keys, *list(how)[:1]):
            settings = Settings(**how)
        if task is None:
            return None
        return Case(
            name,
            keys,
            line_of(self.lines, *keys),
            domain,
            state,
            task,
            expected,
            tuple(entries["record"]) if "record" in entries else None,
            entries.get("because", ""),
            settings,
            plan if is_pattern(plan) else "",
        )

    def entries(self, table: Mapping[str, Any], domain: str, *keys: str) -> dict[str, Any]:
        """The usable entries of a case; notes those that are wrong, or do not go together.

        ``domain`` is the key that says which domain it is about.
        """
        kinds = {domain: str, **_KEYS}
        usable = self.usable(table, kinds, "a case has no '{}'", *keys)
        if not all(type(entry) is int for entry in usable.get("record", ())):
            self.add("'record' is a list of whole numbers", "such as [1, 0, 1]", *keys, "record")
        goals = [key for key in ("task", "achieve") if key in table]
        if not goals:
            self.add("the case has no 'task'", "add task = …", *keys)
        if len(goals) > 1:
            self.add("the case has a 'task' and something to 'achieve'", "remove one", *keys)
        if "expect" not in table:
            self.add("the case has no 'expect'", "add expect = …", *keys)
        misplaced = "record" if table.get("expect") == NO_PLAN else "because"
        if misplaced in table:
            hint = f"remove '{misplaced}', or change 'expect'"
            kind = "without" if misplaced == "record" else "with"
            message = f"'{misplaced}' says nothing of a case {kind} a plan"
            self.add(message, hint, *keys, misplaced)
        return usable

    def _state(self, table: Mapping[str, Any], domain: FrozenDomain, *keys: str) -> FrozenState:
        values = {}
        for key, given in table.items():
            with self.at(*keys, "given", key):
                fluent, value = domain.schema.entry(key, given)
                values[fluent] = value
        return FrozenState(values)


class _CaseFile(CaseReader):
    def __init__(self, path: Path, domain: FrozenDomain) -> None:
        super().__init__(path)
        self._domain = domain
        self._domains: dict[str, Domain[Any] | FrozenDomain] | None = None  # once it is needed

    def cases(self) -> tuple[Case, ...]:
        """All cases of the file. Raises InputError."""
        cases = [self._case(name, table) for name, table in self.tables.items()]
        InputError.raise_for(self.faults)
        return tuple(case for case in cases if case is not None)

    def _case(self, name: str, table: Any) -> Case | None:
        if not isinstance(table, dict):
            self.add(f"'{name}' stands outside of any case", "begin a case with [its_name]", name)
            return None
        entries = self.entries(table, "variant", name)
        faults = len(self.faults)
        with self.at(name, "variant"):
            domain = self._variant(entries.get("variant", ""))
        return None if len(self.faults) > faults else self.case(name, entries, domain, name)

    def _variant(self, name: str) -> FrozenDomain:
        if not name:
            return self._domain
        file = domain_file_of(self.path) or self.path
        if file.suffix != ".py":
            message = f"a character of files has one domain, and no '{name}'"
            raise InputError("BT408", message, hint="leave 'variant' out")
        if self._domains is None:
            self._domains = domains_in(file)
        return domain_called(name, self._domains, f"{file} defines no domain '{name}'")

    def where(self, *keys: str) -> str:
        name, *below = keys
        return ", ".join((super().where(*keys), f"case '{name}'", *below))


def _plan_from(text: str, domain: FrozenDomain) -> Node | None:
    """The plan that a text denotes; None for a pattern, and for no plan. Raises InputError."""
    if is_pattern(text):
        check_pattern(text, domain.tasks.keys())
        return None
    return None if text == NO_PLAN else node_from(text, domain)
