"""The interventions that fuzzing draws: those that plain runs of a character suggest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from py_trees.common import Status

from bthtn.behaviours import Agent, Character, PlanGoal
from bthtn.engine.agent.events import BeliefChanged, LeafStarted
from bthtn.engine.world.beliefs import WriterName
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.schema import is_plain, written
from bthtn.errors import StateError
from bthtn.studio.testing.interventions import belief

MOST_TICKS: Final = 60
"""Ticks of a run, unless told otherwise."""
PLAIN_RUNS: Final = 3


@dataclass(frozen=True, slots=True)
class Material:
    """The possible interventions in a character that ``make`` makes, by its names.

    ``beliefs`` are the values of each fluent that anything but a plan has written, as a scenario
    writes them; ``steps`` are the tasks of those that were started, ``goals`` those that ran.
    """

    make: Callable[[], Character]
    beliefs: Mapping[str, tuple[Any, ...]]
    steps: tuple[str, ...]
    goals: tuple[str, ...]

    def without(self, names: Iterable[str]) -> Material:
        """The same without the fluents, steps and goals of these names."""
        left = {*names}
        return Material(
            self.make,
            {name: values for name, values in self.beliefs.items() if name not in left},
            tuple(name for name in self.steps if name not in left),
            tuple(name for name in self.goals if name not in left),
        )


def material_of(make: Callable[[int], Character], *, ticks: int = MOST_TICKS) -> Material:
    """The material that runs with a few seeds show; ``make`` makes the character of a seed.

    Values are those that were seen, and those that the types of fluents list. Scenarios that are
    made of it are of seed 0.
    """
    values: dict[str, list[Any]] = {}
    steps: set[str] = set()
    goals: set[str] = set()
    for seed in range(PLAIN_RUNS):
        character = make(seed)
        agents = list(character.agents.values())
        while character.ticks < ticks and not character.finished:
            try:
                events = character.tick()
            except Exception:  # noqa: BLE001 - the world's: the search for a failure will meet it
                break
            for event in events:
                match event:
                    case LeafStarted():
                        steps.add(event.task.partition("(")[0])
                    case BeliefChanged((_, _, _, WriterName())):
                        pass  # a plan has written it
                    case BeliefChanged((fluent, *seen, _)):
                        usable = _usable(fluent, seen, agents)
                        known = values.setdefault(str(fluent), [])
                        known.extend(fluent for fluent in usable if fluent not in known)
                    case _:
                        pass
            nodes = (node for node in character.root.iterate() if node.status is Status.RUNNING)
            goals.update(node.name for node in nodes if isinstance(node, PlanGoal))
        character.stop()
    named = {name: tuple(found) for name, found in sorted(values.items()) if found}
    return Material(lambda: make(0), named, tuple(sorted(steps)), tuple(sorted(goals)))


def _usable(
    fluent: Fluent[Any], seen: Iterable[Any], agents: Iterable[Agent[Any, Any]]
) -> Iterable[Any]:
    """The values of a fluent that a scenario can write, as it writes them."""
    owner = next(agent for agent in agents if type(agent.beliefs.now).__schema__.has(fluent))
    for value in [*fluent.values.values(), *seen]:
        plain = written(value)
        try:
            if is_plain(plain) and belief(owner, str(fluent), plain) == (fluent, value):
                yield plain
        except (StateError, ValueError, TypeError):  # nothing that TOML can say
            continue
