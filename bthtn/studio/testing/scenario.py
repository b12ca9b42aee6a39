"""Scenarios: a character in a situation, interventions, and expected events.

scenario = read_scenario("no_magazine.scenario.toml")
played = play(scenario)
assert not played.fault, played.fault
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from bthtn.behaviours import Character
from bthtn.checked import checked
from bthtn.engine.agent.events import AgentEvent, BeliefChanged, PlanAdopted, PlanRepaired
from bthtn.engine.agent.programming_errors import text_of
from bthtn.engine.text.notation import normal
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.truth import value_text
from bthtn.kit.recording import Recorder
from bthtn.kit.recording.active import active_names
from bthtn.kit.recording.event_log import line_of
from bthtn.studio.testing.cases import Case, fault_of
from bthtn.studio.testing.interventions import Intervention, Interventions, belief
from bthtn.studio.testing.invariants import Invariants
from bthtn.studio.testing.plan_pattern import is_pattern, matches
from bthtn.studio.views.timeline import Tick, lines, rows

MOST_TICKS: Final = 100
"""Ticks of a scenario that does not say how many."""
SHOWN: Final = 12
"""Rows of the timeline that a failure shows."""

_WrongBelief = tuple[str, Fluent[Any], Any, Any]
"""The name of a belief as the scenario has it, its fluent, its value, and the one expected."""


@dataclass(frozen=True, slots=True)
class Expected:
    """An event that has to be heard after those before it; at most so many ticks later.

    One that must never happen may happen once the event ``before`` was heard.
    """

    event: str
    within: int | None = None
    where: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A situation, the interventions in it, and the events that have to happen or must not.

    ``make`` makes the character. Events are texts as ``event_text`` makes them; ``*`` in an
    expected one stands for anything. ``finally_`` are beliefs at the end. ``invariants`` are made
    for the character, ``Invariants`` for instance, and have to hold at every tick.
    ``tree`` is the name of the character's tree, if it has one.
    """

    name: str
    make: Callable[[], Character]
    interventions: tuple[Intervention, ...] = ()
    expected: tuple[Expected, ...] = ()
    never: tuple[Expected, ...] = ()
    finally_: Mapping[str, Any] = field(default_factory=dict)
    ticks: int = MOST_TICKS
    invariants: Callable[[Character], Invariants] | None = None
    tree: str = ""


@dataclass(frozen=True, slots=True)
class Played:
    """The run of a scenario, tick by tick; ``fault`` is empty if nothing is wrong.

    It is true in a test if nothing is wrong. ``others`` are the beliefs at the end that were
    expected to be others, as they are.
    """

    ticks: tuple[Tick, ...]
    fault: str
    others: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return not self.fault

    @property
    def timeline(self) -> str:
        """The timeline, as ``bthtn run`` prints it."""
        return "\n".join(str(line) for row in rows(self.ticks) for line in lines(row))


def event_text(event: AgentEvent) -> str:
    """An event as scenarios have it: ``plan (a, b)``, ``start a``, ``ammo = false``."""
    match event:
        case PlanAdopted() | PlanRepaired():
            return f"plan {normal(event.plan.tree)}"
        case BeliefChanged(change):
            return f"{change.fluent} = {value_text(change.after)}"
        case _:
            return line_of(event)


@checked
def play(
    scenario: Scenario | Case,
    watch: Callable[[Character], None] = lambda _: None,
    *,
    record: Path | None = None,
) -> Played:
    """Play a scenario; ``watch`` is called with the character before its first tick.

    It is recorded in the file ``record``, if one is given. A case has no tick: a plan is made.

    Raises InputError for a world that lacks an attribute to be set. An exception of the world is a
    fault of a scenario with invariants; otherwise it propagates.
    """
    if isinstance(scenario, Case):
        return Played((), fault_of(scenario))
    return _Play(scenario, watch).run(record)


class _Play:
    def __init__(self, scenario: Scenario, watch: Callable[[Character], None]) -> None:
        self._scenario = scenario
        self._character = scenario.make()
        self._interventions = Interventions(self._character)
        self._ticks: list[Tick] = []
        self._due = list(scenario.interventions)
        self._never = list(scenario.never)
        self._met = 0
        self._met_in = 0
        made = scenario.invariants
        self._invariants = None if made is None else made(self._character)
        watch(self._character)

    def run(self, record: Path | None) -> Played:
        if record is None:
            return self._run(lambda: None)
        with Recorder(record, self._character, name=self._scenario.name) as recorder:
            return self._run(recorder.tick)

    def _run(self, ticked: Callable[[], None]) -> Played:
        fault = ""
        for tick in range(1, self._scenario.ticks + 1):
            self._bring_about(tick)
            try:
                events = self._character.tick()
            except Exception as error:
                if self._invariants is None:
                    raise
                fault = f"the world raised: {text_of(error)}, in tick {tick}"
                break
            active = tuple(active_names(self._character.root))
            self._ticks.append(Tick(tick, active, events))
            ticked()
            fault = self._broken() or self._heard(tick, [event_text(event) for event in events])
            if fault or self._character.finished:
                break
        wrong = list(self._wrong_beliefs())
        fault = fault or self._missing(wrong)
        if self._invariants is not None:
            fault = fault or "; ".join(self._invariants.stop())
        self._character.stop()
        others = {name: actual for name, _, actual, _ in wrong}
        return Played(tuple(self._ticks), fault and self._report(fault), others)

    def _bring_about(self, tick: int) -> None:
        """Intervene as is due at a tick, or after an event of the tick before."""
        self._interventions.before(tick)
        before = [event_text(event) for event in self._ticks[-1].events] if self._ticks else []
        for intervention in tuple(self._due):
            is_heard = any(fits(line, intervention.event) for line in before)
            first = 1 if intervention.tick is None else intervention.tick
            if is_heard if intervention.event else tick >= first:
                self._due.remove(intervention)
                self._interventions.make(intervention, tick)

    def _broken(self) -> str:
        """The invariants that the tick has broken, if they are to hold."""
        if self._invariants is None:
            return ""
        faults = self._invariants.after_tick()
        return f"{'; '.join(faults)}, in tick {self._character.ticks}" if faults else ""

    def _heard(self, tick: int, heard: list[str]) -> str:
        """Take note of the events of a tick. Returns the faults among them."""
        scenario = self._scenario
        for line in heard:
            for unwanted in tuple(self._never):
                if unwanted.before and fits(line, unwanted.before):
                    self._never.remove(unwanted)
                elif fits(line, unwanted.event):
                    until = f" before '{unwanted.before}'" if unwanted.before else ""
                    fault = f"'{line}' in tick {tick}, which is never to happen{until}"
                    return f"{fault} ({unwanted.where})"
            if any(
                fits(line, expected.event)
                for expected in scenario.expected[self._met : self._met + 1]
            ):
                self._met, self._met_in = self._met + 1, tick
        if self._met < len(scenario.expected):
            wanted = scenario.expected[self._met]
            if wanted.within is not None and tick >= self._met_in + wanted.within:
                return f"no '{wanted.event}' within {wanted.within} ticks ({wanted.where})"
        return ""

    def _wrong_beliefs(self) -> Iterator[_WrongBelief]:
        """The beliefs that are others than they should be at the end."""
        agent = self._character.agent
        for name, given in self._scenario.finally_.items():
            fluent, wanted = belief(agent, name, given)
            actual = agent.beliefs.get(fluent)
            if actual != wanted:
                yield name, fluent, actual, wanted

    def _missing(self, wrong: list[_WrongBelief]) -> str:
        """The events that have not happened at the end, and the beliefs that differ."""
        scenario = self._scenario
        if self._met < len(scenario.expected):
            wanted = scenario.expected[self._met]
            return f"no '{wanted.event}' in {len(self._ticks)} ticks ({wanted.where})"
        texts = [
            f"{fluent} = {value_text(now)}, not {value_text(then)}"
            for _, fluent, now, then in wrong
        ]
        return f"at the end {', '.join(texts)}" if texts else ""

    def _report(self, fault: str) -> str:
        """The fault, with the expectations before and after it, and the end of the timeline."""
        met = self._met
        marks = [
            f"  {'✓' if number < met else '✗' if number == met else ' '} {expected.event}"
            for number, expected in enumerate(self._scenario.expected)
        ]
        text = Played(tuple(self._ticks), "").timeline.split("\n")
        beliefs = repr(self._character.agent.beliefs.now)
        return "\n".join([fault, *marks, "", *text[-SHOWN:], "", f"believed: {beliefs}"])


def fits(line: str, pattern: str) -> bool:
    """Whether an event is the expected one; its reason is compared only if the pattern has one."""
    if not pattern:
        return False
    if pattern.startswith("plan ") and is_pattern(pattern):
        return line.startswith("plan ") and matches(pattern[5:], line[5:])
    short = line if " — " in pattern else line.partition(" — ")[0]
    return fnmatchcase(short, pattern.replace("[", "[[]"))
