"""Observation: the run or plan of one side for a seed, as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from bthtn.behaviours import Character
from bthtn.engine.agent.events import AgentEvent
from bthtn.engine.agent.hearing import hear_too
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import NetworkLike
from bthtn.engine.plan.plan import Plan
from bthtn.engine.planning.planner import find_plan
from bthtn.engine.planning.protocol import Settings
from bthtn.engine.text.notation import normal
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState
from bthtn.errors import exception_text
from bthtn.kit.recording.event_log import kind_of, line_of
from bthtn.kit.recording.watched import beliefs_data, state_data
from bthtn.studio.compare.measure import Measure

Beliefs = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BegunPlan:
    """A plan that was begun: when, for which goal, and from which beliefs; "" is no plan."""

    tick: int
    goal: str
    beliefs: Beliefs
    plan: str


@dataclass(slots=True)
class Observation:
    """The facts of a run or plan, and for the first difference its lines and begun plans.

    ``lines`` are the events, each with its tick.
    """

    facts: dict[str, Any]
    measures: dict[str, Any] = field(default_factory=dict)
    lines: list[tuple[int, str]] = field(default_factory=list)
    begun: list[BegunPlan] = field(default_factory=list)


def run_seed(character: Character, ticks: int, measures: Sequence[Measure]) -> Observation:
    """Run a character until it is finished, or for so many ticks.

    An exception of its world ends the run and is one of its facts.
    """
    log = _Log(character)
    error, finished = "", False
    try:
        while not (finished := character.finished) and character.ticks < ticks:
            character.tick()
    except Exception as raised:  # noqa: BLE001 - users' code: a result like any other
        error = exception_text(raised)
    ended = character.ticks
    try:
        character.stop()
    except Exception as raised:  # noqa: BLE001 - likewise
        error = error or exception_text(raised)
    beliefs = character.agent.beliefs.frozen()
    facts = {
        "finished": finished,
        "ticks": ended,
        "error": error,
        "events": dict(sorted(log.events.items())),
        "beliefs": {
            f"{name}.{fluent}" if agent is not character.agent else fluent: value
            for name, agent in character.agents.items()
            for fluent, value in beliefs_data(agent).items()
        },
    }
    read = {measure.text: measure.read(facts, beliefs) for measure in measures}
    return Observation(facts, read, log.lines, log.begun)


class _Log:
    """Hears the events of a character."""

    def __init__(self, character: Character) -> None:
        self.lines: list[tuple[int, str]] = []
        self.begun: list[BegunPlan] = []
        self.events: Counter[str] = Counter()
        self._agents = character.agents
        hear_too(character.agent, self._hear)

    def _hear(self, event: AgentEvent) -> None:
        kind = kind_of(event)
        task = str(getattr(event, "task", "")).partition("(")[0]
        self.events[f"{kind} {task}" if task else kind] += 1
        plan = getattr(event, "plan", None)
        text = f"{event.agent}: {line_of(event)}"
        if isinstance(plan, Plan):
            shown = normal(plan.tree)
            text = f"{text}: {shown}"
            goal = f"{event.agent}: {getattr(event, 'goal', '')}"
            beliefs = beliefs_data(self._agents[event.agent]) if event.agent in self._agents else {}
            self.begun.append(BegunPlan(event.tick, goal, beliefs, shown))
        self.lines.append((event.tick, text))


def plan_seed(
    domain: FrozenDomain,
    goal: NetworkLike,
    state: FrozenState,
    settings: Settings,
    measures: Sequence[Measure],
) -> Observation:
    """Plan once, from a state."""
    plan = find_plan(domain, state, goal, settings)
    facts = {
        "planned": plan is not None,
        "cost": None if plan is None else plan.cost,
        "steps": None if plan is None else len(plan.steps),
    }
    read = {measure.text: measure.read(facts, state) for measure in measures}
    beliefs = state_data(state, domain.schema)
    shown = "" if plan is None else normal(plan.tree)
    return Observation(facts, read, [(0, shown or "no plan")], [BegunPlan(0, "", beliefs, shown)])


def drawn_state(
    domain: FrozenDomain, seed: int, given: Mapping[Fluent[Any], Sequence[Any]]
) -> FrozenState:
    """A state drawn by a seed: of each fluent, one of its values.

    These are the given ones, else all there are; a fluent of which they are not known has its
    default.
    """
    dice = Random(seed)  # noqa: S311 - dice, not secrets
    known = {fluent: fluent.values.values() for fluent in domain.schema.fluents.values()}
    choices = {**known, **given}
    return FrozenState(
        {fluent: dice.choice(values) for fluent, values in choices.items() if values}
    )
