"""The two sides of a comparison: where they come from, how a seed is observed.

soldier             a tree, or with a task a domain, as for all commands
soldier@../older    the same as if the command had been started in another folder, such as
                    another version of the project
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from bthtn.engine.planning.protocol import Settings
from bthtn.engine.text.notation import call_from
from bthtn.engine.world.fluent import Fluent
from bthtn.errors import InputError
from bthtn.kit.formats.project import project_in
from bthtn.studio.compare.differences import row_of
from bthtn.studio.compare.measure import OF_PLANS, OF_RUNS, measures_from
from bthtn.studio.compare.observe import Observation, drawn_state, plan_seed, run_seed
from bthtn.studio.testing.characters import character_of, loaded_once
from bthtn.studio.testing.locate import TargetKind, domain_of, resolve

Observe = Callable[[int], Observation]


@dataclass(frozen=True, slots=True)
class Experiment:
    """The run or plan to make for a seed on either side, and its measures.

    A tree runs for at most so many ticks. With a ``task``, a domain plans it from a state in
    which fluents have one of the ``given`` values.
    """

    measures: tuple[str, ...]
    ticks: int
    task: str
    given: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One side: the text that names it, its folder, and settings of the search."""

    text: str
    folder: str
    settings: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, argument: str, settings: Iterable[str]) -> Side:
        """The side that an argument describes. Raises InputError without such a folder."""
        text, at, folder = argument.rpartition("@")
        if at and not os.path.isdir(folder):
            message = f"'{argument}': there is no folder '{folder}'"
            raise InputError("BT401", message, hint="write NAME@FOLDER")
        place = os.path.realpath(folder if at else os.curdir)
        return cls(text if at else argument, place, tuple(map(_setting, settings)))

    def prepared(self, experiment: Experiment) -> str:
        """Load the side, and try a tick or a plan. Returns a digest of its files."""
        project = project_in(self.folder)
        with project.opened():
            _observer(self, replace(experiment, ticks=1))(0)
        return project.digest()

    def observe(self, experiment: Experiment, seed: int) -> Observation:
        with project_in(self.folder).opened():
            return _observer(self, experiment)(seed)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides and an experiment; calling it with a seed makes it on both, and returns a row."""

    a: Side
    b: Side
    experiment: Experiment

    @classmethod
    def of(  # noqa: PLR0913 - what can be typed after `bthtn compare`
        cls,
        a: str,
        b: str,
        *,
        measures: Sequence[str] = (),
        ticks: int = 200,
        task: str = "",
        given: Iterable[str] = (),
        settings_a: Iterable[str] = (),
        settings_b: Iterable[str] = (),
    ) -> Comparison:
        """A comparison of what two texts name; the rest is as for ``bthtn compare``.

        Raises InputError.
        """
        measures = tuple(measures) or (OF_PLANS if task else OF_RUNS)
        experiment = Experiment(measures, ticks, task, tuple(given))
        return cls(Side.of(a, settings_a), Side.of(b, settings_b), experiment)

    def prepared(self) -> list[str]:
        """Load both sides, and try a tick or a plan. Returns the digests of their files.

        Raises BthtnError for one that is unusable.
        """
        return [side.prepared(self.experiment) for side in (self.a, self.b)]

    def __call__(self, seed: int) -> dict[str, Any]:
        one, other = (side.observe(self.experiment, seed) for side in (self.a, self.b))
        return row_of(seed, one, other)


def _setting(text: str) -> tuple[str, Any]:
    """A setting of a search, written as in TOML: ``horizon=3``. Raises InputError."""
    name, _, value = map(str.strip, text.partition("="))
    known = [field.name for field in fields(Settings)]
    InputError.require(name, known, "BT409", f"a search has no setting '{name}'")
    try:
        found = tomllib.loads(f"value = {value}")["value"]
    except (tomllib.TOMLDecodeError, KeyError):
        found = None
    if type(found) not in (bool, int, float):
        message = f"'{text}' is no setting"
        raise InputError("BT409", message, hint="write horizon=3 or cheapest=true")
    return name, found


@cache
def _observer(side: Side, experiment: Experiment) -> Observe:
    """The function that observes a side in its open project; once for each process."""
    return _planner(side, experiment) if experiment.task else _runner(side, experiment)


def _runner(side: Side, experiment: Experiment) -> Observe:
    found = resolve(side.text, TargetKind.TREE)
    if side.settings:
        message = "settings of a search go with a task; the goals of a tree have their own"
        raise InputError("BT409", message, hint="compare two functions: package.module:function")
    target = loaded_once(found)

    def observe(seed: int) -> Observation:
        character = character_of(target, seed)
        schema = type(character.agent.beliefs.now).__schema__
        measures = measures_from(experiment.measures, schema, OF_RUNS)
        return run_seed(character, experiment.ticks, measures)

    return observe


def _planner(side: Side, experiment: Experiment) -> Observe:
    domain = domain_of(side.text)
    goal = call_from(experiment.task, domain)
    settings = Settings(**dict(side.settings))
    measures = measures_from(experiment.measures, domain.schema, OF_PLANS)
    given: dict[Fluent[Any], list[Any]] = {}
    for fluent, value in map(domain.schema.setting, experiment.given):
        given.setdefault(fluent, []).append(value)

    def observe(seed: int) -> Observation:
        return plan_seed(domain, goal, drawn_state(domain, seed, given), settings, measures)

    return observe
