"""``*.scenario.toml``: scenarios for testers who write no Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from bthtn.behaviours import Character
from bthtn.errors import BthtnError, Diagnostic, InputError, nearest
from bthtn.formats.document import lines_of, tables_in, text_of
from bthtn.testing.case_files import SCENARIO
from bthtn.testing.interventions import Intervention, belief, having
from bthtn.testing.locate import TargetKind, character_of, invariants_of, loaded_once, resolve
from bthtn.testing.plan_pattern import check_pattern, is_pattern
from bthtn.testing.scenario import MOST_TICKS, Expected, Scenario

_KINDS: Final[Mapping[type, str]] = {
    str: "a text",
    int: "a whole number",
    list: "a list",
    dict: "a table",
    bool: "true or false",
}
_KEYS: Final[Mapping[str, type]] = {
    "tree": str,
    "seed": int,
    "ticks": int,
    "given": dict,
    "when": list,
    "expect": list,
    "never": list,
    "finally": dict,
    "invariants": bool,
}
_INTERVENTION: Final[Mapping[str, type]] = {
    "tick": int,
    "event": str,
    "beliefs": dict,
    "ticks": int,
    "operators": dict,
    "interrupt": list,
    "world": dict,
    "do": list,
}
_EXPECT: Final[Mapping[str, type]] = {"event": str, "within": int}
_NEVER: Final[Mapping[str, type]] = {"event": str, "before": str}


def read_scenario(path: Path | str) -> Scenario:
    """The scenario of a file. Raises InputError with all faults of it, and as ``resolve``."""
    return _File(Path(path)).scenario()


class _File:
    """Reader of one file; collects faults, each with its line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        text = text_of(path)
        self._table = tables_in(text, path)
        self._lines = lines_of(text)
        self._faults: list[Diagnostic] = []
        self._character: Character | None = None

    def scenario(self) -> Scenario:
        """The scenario. Raises InputError."""
        table = self._checked(self._table, _KEYS)
        if "tree" not in table:
            self._add("it names no tree", 'write tree = "soldier"')
            raise InputError(self._faults)
        try:
            beside = self._path.parent / table["tree"]
            tree = str(beside) if beside.suffix and beside.exists() else table["tree"]
            target = loaded_once(resolve(tree, TargetKind.TREE))
            seed = table.get("seed", 0)
            self._character = character_of(target, seed)
        except BthtnError as error:
            where = self._where("tree")
            raise InputError([replace(one, where=where) for one in error.diagnostics]) from None
        made = Scenario(
            self._path.name.removesuffix(SCENARIO),
            lambda: character_of(target, seed),
            self._interventions(table),
            self._expected(table, "expect"),
            self._expected(table, "never"),
            self._beliefs(table.get("finally", {}), "finally"),
            table.get("ticks", MOST_TICKS),
            invariants_of(target) if table.get("invariants") else None,
            target.name,
        )
        if self._faults:
            raise InputError(self._faults)
        return made

    def _interventions(self, table: Mapping[str, Any]) -> tuple[Intervention, ...]:
        given = self._checked(table.get("given", {}), _INTERVENTION, "given")
        found = [self._intervention(given, "given")] if given else []
        for number, one in enumerate(table.get("when", ())):
            keys = ("when", str(number))
            known = self._checked(one, _INTERVENTION, *keys)
            if not {"tick", "event"} & known.keys():
                self._add("it does not say when", 'write tick = 5, or event = "start shoot"', *keys)
            found.append(self._intervention(known, *keys))
        return tuple(found)

    def _intervention(self, table: Mapping[str, Any], *keys: str) -> Intervention:
        return Intervention(
            table.get("tick"),
            table.get("event", ""),
            self._beliefs(table.get("beliefs", {}), *keys, "beliefs"),
            table.get("ticks"),
            self._scripts(table.get("operators", {}), *keys, "operators"),
            self._behaviours(table.get("interrupt", ()), *keys, "interrupt"),
            table.get("world", {}),
            tuple(map(str, table.get("do", ()))),
            self._where(*keys),
        )

    def _scripts(self, table: Mapping[str, Any], *keys: str) -> Mapping[str, str]:
        tasks = self._tasks()
        for name, script in table.items():
            if name not in tasks:
                self._add(f"there is no task '{name}'", nearest(name, sorted(tasks)), *keys, name)
            elif not isinstance(script, str) or not script.split() or script.strip("RSF!? "):
                hint = 'write a letter for each tick: R runs, S succeeds, F fails, ! raises: "RRF"'
                self._add(f"{script!r} is no script", hint, *keys, name)
        return table

    def _behaviours(self, names: Sequence[Any], *keys: str) -> tuple[str, ...]:
        known = [one.name for one in self._made.root.iterate()]
        for name in map(str, names):
            if name not in known:
                hint = nearest(name, known)
                self._add(f"there is no behaviour '{name}' in the tree", hint, *keys)
        return tuple(map(str, names))

    def _expected(self, table: Mapping[str, Any], key: str) -> tuple[Expected, ...]:
        found = []
        for number, one in enumerate(table.get(key, ())):
            keys = (key, str(number)) if isinstance(one, dict) else (key,)
            known = _EXPECT if key == "expect" else _NEVER
            entry = self._checked(one, known, *keys) if isinstance(one, dict) else {"event": one}
            if not isinstance(entry.get("event"), str):
                self._add("it has no event", 'write event = "start shoot"', *keys)
                continue
            within, before = entry.get("within"), entry.get("before", "")
            for event in (entry["event"], before):
                self._check_event(event, *keys)
            found.append(Expected(entry["event"], within, self._where(*keys), before))
        return tuple(found)

    def _check_event(self, event: str, *keys: str) -> None:
        """Note the faults of the pattern of a plan."""
        plan = event.removeprefix("plan ")
        if plan == event or not is_pattern(plan):
            return
        try:
            check_pattern(plan, self._tasks())
        except InputError as error:
            where = self._where(*keys)
            self._faults.extend(replace(one, where=where) for one in error.diagnostics)

    def _tasks(self) -> set[str]:
        agents = self._made.agents.values()
        return {name for one in agents for domain in one.domains for name in domain.tasks}

    def _beliefs(self, table: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
        agents = list(self._made.agents.values())
        for name, given in table.items():
            try:
                for agent in having(name, agents):
                    belief(agent, name, given)
            except BthtnError as error:
                where = self._where(*keys, name)
                self._faults.extend(replace(one, where=where) for one in error.diagnostics)
            except ValueError:
                self._add(f"'{name}' cannot be {given!r}", "look at its type", *keys, name)
        return table

    @property
    def _made(self) -> Character:
        assert self._character is not None, "the tree is made first"
        return self._character

    def _checked(self, table: Any, kinds: Mapping[str, type], *keys: str) -> dict[str, Any]:
        """The entries with known keys and values of the right kinds; notes the others."""
        if not isinstance(table, dict):
            self._add(f"it is no table, but {table!r}", "write [[when]], [[expect]]", *keys)
            return {}
        for key, value in table.items():
            if key not in kinds:
                self._add(f"a scenario has no '{key}' here", nearest(key, kinds), *keys, key)
            elif type(value) is not kinds[key]:
                self._add(f"'{key}' is {_KINDS[kinds[key]]}", f"not {value!r}", *keys, key)
        return {
            key: value for key, value in table.items() if key in kinds and type(value) is kinds[key]
        }

    def _add(self, message: str, hint: str, *keys: str) -> None:
        self._faults.append(Diagnostic("BT405", message, self._where(*keys), hint))

    def _where(self, *keys: str) -> str:
        line = next(
            (
                self._lines[keys[:length]]
                for length in range(len(keys), 0, -1)
                if keys[:length] in self._lines
            ),
            1,
        )
        return f"{self._path}:{line}"
