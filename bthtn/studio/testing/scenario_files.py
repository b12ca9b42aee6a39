"""``*.scenario.toml``: scenarios for testers who write no Python.

One that names a tree is played; one that names a domain is a case, and planned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, get_args

from bthtn.behaviours import Character
from bthtn.engine.agent.events import AgentEvent
from bthtn.errors import InputError, nearest
from bthtn.studio.testing.case_files import SCENARIO
from bthtn.studio.testing.cases import Case, CaseReader
from bthtn.studio.testing.characters import character_of, invariants_of, loaded_once
from bthtn.studio.testing.interventions import Intervention, belief, having
from bthtn.studio.testing.locate import Target, TargetKind, domain_named_in, named_in
from bthtn.studio.testing.plan_pattern import check_pattern, is_pattern
from bthtn.studio.testing.scenario import MOST_TICKS, Expected, Scenario, fits

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
_OF_A_CASE: Final = frozenset({"domain", "task", "achieve"})
"""Keys of which a scenario that is planned, and not played, has one."""
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
_STEPS: Final = ("start", "done", "failed", "aborting", "aborted", "refused", "waiting")
_KINDS: Final = [kind.__name__ for kind in get_args(AgentEvent)]
_STEP: Final = re.compile(rf"(?:{'|'.join(_STEPS)}) ([^(]+)(?:\(.*)?", re.DOTALL)
_GOAL: Final = re.compile(r"(.+) (?:succeeded|failed)", re.DOTALL)
_BELIEF: Final = re.compile(r"([^=[]+?)(?:\[.*)? = .*", re.DOTALL)
_OF_A_GOAL: Final = re.compile(rf"(?:{'|'.join(_KINDS)}) (.+)", re.DOTALL)
"""Events that name a task, a goal or a fluent."""
_OTHER: Final = re.compile(
    r"plan .*|.+ failed: .*|.+ (?:has|gave back|reloaded) .*|.+ of .+ raised|reload failed"
    r"|(?:clean|cleaned|did not clean) up .*|the clock went back .*",
    re.DOTALL,
)
"""All other events."""
_WORDS: Final = {*_STEPS, "plan", *_KINDS}
_EXPECT: Final[Mapping[str, type]] = {"event": str, "within": int}
_NEVER: Final[Mapping[str, type]] = {"event": str, "before": str}


def read_scenario(path: Path | str) -> Scenario | Case:
    """The scenario of a file, or the case if it names a domain, and no tree.

    Raises InputError with all faults of it, and as ``resolve``.
    """
    return _File(Path(path)).read()


def check_scenario(path: Path, tree: Path, made: Character | None) -> None:
    """Raise InputError with all faults of a scenario, as ``read_scenario`` does.

    One of this tree is looked at with the character that is made of it; without any, what its form
    says is all.
    """
    _File(path).check(tree, made)


class _File(CaseReader):
    """Reader of one file, which makes the character to look at its parts."""

    _made: Character

    def read(self) -> Scenario | Case:
        table, target = self._whole()
        found: Scenario | Case | None
        if target.kind is TargetKind.DOMAIN:
            with self._needed("domain"):
                domain = target.load()
            found = self.case(self._name, table, domain)
        else:
            seed = table.get("seed", 0)
            with self._needed("tree"):
                target = loaded_once(target)
                self._made = character_of(target, seed)
            found = self._scenario(table, target, seed)
        InputError.raise_for(self.faults)
        assert found is not None, "a case without faults is one"
        return found

    def check(self, tree: Path, made: Character | None) -> None:
        """Look at everything without making the character of this tree. Raises InputError."""
        table, target = self._whole()
        if target.file is None or not target.file.samefile(tree):
            read_scenario(self.path)
        elif made is not None and target.kind is TargetKind.DOMAIN:
            self.case(self._name, table, made.agent.domain)
        elif made is not None:
            self._made = made
            self._scenario(table, target, 0)
        InputError.raise_for(self.faults)

    @property
    def _name(self) -> str:
        return self.path.name.removesuffix(SCENARIO)

    def _whole(self) -> tuple[dict[str, Any], Target]:
        """The usable entries, and the tree or domain they name. Raises InputError without one."""
        if _OF_A_CASE & self.tables.keys():
            table, kind = self.entries(self.tables, "domain"), TargetKind.DOMAIN
            hint = 'write domain = "combat"'
        else:
            table, kind = self._checked(self.tables, _KEYS), TargetKind.TREE
            hint = 'write tree = "soldier", or domain = "combat" where it is about a plan'
        key = kind.value
        if key not in table:
            self.add(f"it names no {key}", hint)
            InputError.raise_for(self.faults)
        if (ticks := table.get("ticks", MOST_TICKS)) < 1:
            message = f"it lasts {ticks} ticks, in which nothing happens"
            self.add(message, "write ticks = 20", "ticks")
        with self._needed(key):
            if kind is TargetKind.DOMAIN:
                target = domain_named_in(self.path, table[key])
            else:
                target = named_in(self.path, table[key], kind)
        return table, target

    @contextmanager
    def _needed(self, key: str) -> Iterator[None]:
        """Raise all faults so far if one is raised inside: the others need what this key names."""
        faults = len(self.faults)
        with self.at(key):
            yield
        if len(self.faults) > faults:
            InputError.raise_for(self.faults)

    def _scenario(self, table: Mapping[str, Any], target: Target, seed: int) -> Scenario:
        """The scenario of entries that name things of the character; notes those it lacks."""
        return Scenario(
            self._name,
            lambda: character_of(target, seed),
            self._interventions(table),
            self._expected(table, "expect"),
            self._expected(table, "never"),
            self._beliefs(table.get("finally", {}), "finally"),
            table.get("ticks", MOST_TICKS),
            invariants_of(target) if table.get("invariants") else None,
            target.name,
        )

    def _interventions(self, table: Mapping[str, Any]) -> tuple[Intervention, ...]:
        given = self._checked(table.get("given", {}), _INTERVENTION, "given")
        found = [self._intervention(given, "given")] if given else []
        for number, written in enumerate(table.get("when", ())):
            keys = ("when", str(number))
            known = self._checked(written, _INTERVENTION, *keys)
            if not {"tick", "event"} & known.keys():
                self.add("it does not say when", 'write tick = 5, or event = "start shoot"', *keys)
            found.append(self._intervention(known, *keys))
        return tuple(found)

    def _intervention(self, table: Mapping[str, Any], *keys: str) -> Intervention:
        self._check_names(table.get("event", ""), *keys)
        return Intervention(
            table.get("tick"),
            table.get("event", ""),
            self._beliefs(table.get("beliefs", {}), *keys, "beliefs"),
            table.get("ticks"),
            self._scripts(table.get("operators", {}), *keys, "operators"),
            self._behaviours(table.get("interrupt", ()), *keys, "interrupt"),
            table.get("world", {}),
            tuple(map(str, table.get("do", ()))),
            self.where(*keys),
        )

    def _scripts(self, table: Mapping[str, Any], *keys: str) -> Mapping[str, str]:
        tasks = self._tasks()
        for name, script in table.items():
            if name not in tasks:
                self.add(f"there is no task '{name}'", nearest(name, sorted(tasks)), *keys, name)
            elif not isinstance(script, str) or not script.split() or script.strip("RSF!? "):
                hint = 'write a letter for each tick: R runs, S succeeds, F fails, ! raises: "RRF"'
                self.add(f"{script!r} is no script", hint, *keys, name)
        return table

    def _behaviours(self, names: Sequence[Any], *keys: str) -> tuple[str, ...]:
        known = self._goals()
        for name in map(str, names):
            if name not in known:
                hint = nearest(name, known)
                self.add(f"there is no behaviour '{name}' in the tree", hint, *keys)
        return tuple(map(str, names))

    def _expected(self, table: Mapping[str, Any], key: str) -> tuple[Expected, ...]:
        found = []
        for number, written in enumerate(table.get(key, ())):
            keys = (key, str(number)) if isinstance(written, dict) else (key,)
            known = _EXPECT if key == "expect" else _NEVER
            entry = (
                self._checked(written, known, *keys)
                if isinstance(written, dict)
                else {"event": written}
            )
            if not isinstance(entry.get("event"), str):
                self.add("it has no event", 'write event = "start shoot"', *keys)
                continue
            within, before = entry.get("within"), entry.get("before", "")
            for event in (entry["event"], before):
                self._check_event(event, *keys)
                if key == "never":
                    self._check_names(event, *keys)
            found.append(Expected(entry["event"], within, self.where(*keys), before))
        return tuple(found)

    def _check_event(self, event: str, *keys: str) -> None:
        """Note the faults of the pattern of a plan, and a misspelt word before a step."""
        word, _, step = event.partition(" — ")[0].partition(" ")
        if word not in _WORDS and step.partition("(")[0] in self._tasks():
            self.add(f"no event begins with '{word}'", nearest(word, _WORDS), *keys)
        plan = event.removeprefix("plan ")
        if plan != event and is_pattern(plan):
            with self.at(*keys):
                check_pattern(plan, self._tasks())

    def _check_names(self, event: str, *keys: str) -> None:
        """Note names that no event can have, where the event would not be missed."""
        text, tasks = event.partition(" — ")[0], self._tasks()
        forms = (
            (_STEP, "task", tasks),
            (_GOAL, "goal", self._goals()),
            (_BELIEF, "fluent", self._fluents()),
            (_OF_A_GOAL, "goal", self._goals()),
        )
        if text.startswith("plan "):
            with self.at(*keys):
                check_pattern(text.removeprefix("plan "), tasks)
        about = [(f[1], what, known) for form, what, known in forms if (f := form.fullmatch(text))]
        if about and not any(fits(pattern, name) for name, _, known in about for pattern in known):
            name, what, known = about[0]
            self.add(f"there is no {what} '{name}'", nearest(name, known), *keys)
        elif not about and text and "*" not in text and not _OTHER.fullmatch(text):
            hint = "write 'start TASK', 'GOAL succeeded', 'FLUENT = value' or 'plan (…)'"
            self.add(f"there is no event like '{text}'", hint, *keys)

    def _goals(self) -> set[str]:
        return {node.name for node in self._made.root.iterate()}

    def _fluents(self) -> set[str]:
        agents = self._made.agents.values()
        schemas = [type(agent.beliefs.now).__schema__ for agent in agents]
        return {name for schema in schemas for name in (*schema.fluents, *schema.families)}

    def _tasks(self) -> set[str]:
        agents = self._made.agents.values()
        return {name for agent in agents for domain in agent.domains for name in domain.tasks}

    def _beliefs(self, table: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
        agents = list(self._made.agents.values())
        for name, given in table.items():
            with self.at(*keys, name):
                try:
                    for agent in having(name, agents):
                        belief(agent, name, given)
                except ValueError:
                    self.add(f"'{name}' cannot be {given!r}", "look at its type", *keys, name)
        return table

    def _checked(self, table: Any, kinds: Mapping[str, type], *keys: str) -> dict[str, Any]:
        """The entries with known keys and values of the right kinds; notes the others."""
        if isinstance(table, dict):
            return self.usable(table, kinds, "a scenario has no '{}' here", *keys)
        self.add(f"it is no table, but {table!r}", "write [[when]], [[expect]]", *keys)
        return {}
