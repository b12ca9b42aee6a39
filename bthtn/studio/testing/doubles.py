"""Test doubles: scripted operators, a recording listener, and statuses as letters.

    shoot_code = ScriptedOperator("RRS")
    operators.bind(shoot)(shoot_code)
    listener = RecordingListener()
    agent = Agent("soldier", combat, Soldier(), body=None, operators=operators, listener=listener)

    assert ticks(PlanGoal("fight", agent, shoot()), 3) == "RRS"
    assert listener.lines() == ["start shoot", "done shoot"]
    assert shoot_code.starts == shoot_code.ends == 1

| letter | the tick                        |
| ------ | ------------------------------- |
| `R`    | returns RUNNING                 |
| `S`    | returns SUCCESS                 |
| `F`    | returns FAILURE                 |
| `!`    | raises ScriptedError            |
| `?`    | returns a value that is no status |
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final, TypeVar

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.engine.agent.events import (
    AgentEvent,
    BeliefChanged,
    LeafAborted,
    LeafAborting,
    LeafEnded,
    LeafRefused,
    LeafStarted,
)
from bthtn.engine.agent.operators import Elapsed
from bthtn.engine.world.sharing import Unpicklable
from bthtn.kit.recording.event_log import line_of

E = TypeVar("E", bound=AgentEvent)

LeafEnd = LeafEnded | LeafAborted
"""The events that end a step, after its LeafStarted."""

_LETTER: Final = MappingProxyType(
    {Status.RUNNING: "R", Status.SUCCESS: "S", Status.FAILURE: "F", Status.INVALID: "-"}
)
_STATUS: Final = MappingProxyType[str, Any]({letter: status for status, letter in _LETTER.items()})


def letter_of(status: Status) -> str:
    """``R``, ``S``, ``F``, or ``-`` for INVALID."""
    return _LETTER[status]


def ticks(root: Behaviour, count: int) -> str:
    """Tick a tree ``count`` times. Returns the root's statuses as letters: ``"RRS"``."""
    letters = []
    for _ in range(count):
        root.tick_once()
        letters.append(letter_of(root.status))
    return "".join(letters)


class ScriptedError(Exception):
    """Raised by scripted operators at ``!`` and in the calls listed in ``raises``."""


class ScriptedOperator(Unpicklable):
    """An operator that follows a script; bind the instance to a task.

    Each start of the task uses the next script, and the last script once they are used up. A
    script that is used up repeats its last letter. ``raises`` names the calls that raise
    ScriptedError: ``make``, ``start`` or ``abort``. ``at_tick`` is called before each tick
    returns, for tests in which operators change the world. ``abort_ticks`` is the number of
    ticks that an abort takes after the one in which it starts.
    """

    def __init__(
        self,
        *scripts: str,
        raises: tuple[str, ...] = (),
        at_tick: Callable[[], object] = lambda: None,
        abort_ticks: int = 0,
    ) -> None:
        self.scripts = scripts or ("S",)
        self.raises = raises
        self.at_tick = at_tick
        self.abort_ticks = abort_ticks
        self.runs: list[ScriptedRun] = []

    def __call__(self, agent: Any, *args: Any) -> ScriptedRun:  # noqa: ARG002 - how agents call it
        """Create the run for one start of the task; called by the agent."""
        self.fail_in("make")
        script = self.scripts[min(len(self.runs), len(self.scripts) - 1)]
        self.runs.append(ScriptedRun(self, script, args))
        return self.runs[-1]

    def resume(self, agent: Any, *args: Any) -> ScriptedRun:
        """Create the run of a step that was loaded, as its ``on_resume`` hook."""
        *args_of_task, elapsed = args
        run = self(agent, *args_of_task)
        run.go_on(elapsed)
        return run

    def fail_in(self, place: str) -> None:
        """Raise ScriptedError if ``raises`` lists this call."""
        if place in self.raises:
            raise ScriptedError(f"{place} was to fail")

    @property
    def starts(self) -> int:
        return sum(run.starts for run in self.runs)

    @property
    def ticks(self) -> int:
        """The number of ticks, over all runs."""
        return sum(run.ticks for run in self.runs)

    @property
    def ends(self) -> int:
        """The number of ends by itself: success, failure or exception."""
        return sum(run.ends for run in self.runs)

    @property
    def aborts(self) -> int:
        return sum(run.aborts for run in self.runs)

    @property
    def args(self) -> list[tuple[Any, ...]]:
        """The arguments of every start, in order."""
        return [run.args for run in self.runs]

    @property
    def faults(self) -> list[str]:
        """Violations of the life cycle by the caller; empty if the caller is correct."""
        return [fault for run in self.runs for fault in run.faults]


class ScriptedRun:
    """One run of a scripted operator, with counts of the calls that it received."""

    def __init__(self, owner: ScriptedOperator, script: str, args: tuple[Any, ...]) -> None:
        self.script = script
        self.args = args
        self.starts = self.ticks = self.ends = self.aborts = self.abort_ticks = 0
        self.faults: list[str] = []
        self._owner = owner

    def start(self) -> None:
        """Called once, before the first tick."""
        self._expect(self.starts == 0, "started twice")
        self.starts += 1
        self._raise_if_scripted("start")

    def tick(self) -> Status:
        """Return the status of the script's next letter, or of an abort that is under way."""
        if self.aborts == 1 and self.abort_ticks < self._owner.abort_ticks:
            self.abort_ticks += 1
            return self._aborting()
        self._expect(self.starts == 1, "ticked before it was started")
        self._expect(not self.over, "ticked after its end")
        letter = self.script[min(self.ticks, len(self.script) - 1)]
        self.ticks += 1
        self.ends += letter != "R"
        self._owner.at_tick()
        if letter == "!":
            raise ScriptedError(f"tick {self.ticks} was to fail")
        status: Status = _STATUS.get(letter, "no status")  # "?" returns no status
        return status

    def abort(self) -> Status:
        """Abort the run; called at most once. Returns RUNNING if the abort takes more ticks."""
        self._expect(self.starts == 1, "aborted before it was started")
        self._expect(not self.over, "aborted after its end")
        self.aborts += 1
        self._raise_if_scripted("abort")
        return self._aborting()

    def go_on(self, elapsed: Elapsed) -> None:
        """Be where a run was that was saved."""
        self.ticks = elapsed.ticks
        if elapsed.abort_ticks is not None:
            self.starts = self.aborts = 1
            self.abort_ticks = elapsed.abort_ticks

    @property
    def over(self) -> bool:
        """Whether the run has ended or was aborted."""
        return self.ends + self.aborts > 0

    @property
    def aborting(self) -> bool:
        """Whether an abort is under way."""
        unfinished = self.abort_ticks < self._owner.abort_ticks
        return self.aborts == 1 and unfinished and "abort" not in self._owner.raises

    def _aborting(self) -> Status:
        return Status.RUNNING if self.aborting else Status.SUCCESS

    def _raise_if_scripted(self, place: str) -> None:
        if place == "start" and place in self._owner.raises:
            self.ends += 1
        self._owner.fail_in(place)

    def _expect(self, holds: bool, fault: str) -> None:  # noqa: FBT001 - reads as a sentence
        if not holds:
            self.faults.append(f"run {self._owner.runs.index(self)}: {fault}")


class ScriptedSensor(Unpicklable):
    """A sensor that reports one reading after the other, and then the last one again.

    A reading that is an exception is raised. Register it as any sensor:
    ``sensors.sensor(Soldier.health)(ScriptedSensor(100, 40, ScriptedError()))``.
    """

    def __init__(self, *readings: Any) -> None:
        self.readings = readings
        self.reads = 0

    def __call__(self, agent: Any) -> Any:  # noqa: ARG002 - how agents call it
        """The next reading; called by the agent. Raises one that is an exception."""
        reading = self.readings[min(self.reads, len(self.readings) - 1)]
        self.reads += 1
        if isinstance(reading, Exception):
            raise reading
        return reading


class RecordingListener(Unpicklable):
    """An agent's listener that records all events."""

    def __init__(self) -> None:
        self.events: list[AgentEvent] = []

    def __call__(self, event: AgentEvent) -> None:
        self.events.append(event)

    def clear(self) -> None:
        self.events.clear()

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def lines(self) -> list[str]:
        """The events of steps as text: ``start a``, ``done a``, ``failed a``, ``aborted a``."""
        return [
            line_of(event, reasons=False)
            for event in self.events
            if isinstance(event, _STEP_EVENTS)
        ]

    def story(self) -> list[str]:
        """All events but changes of beliefs, as text."""
        events = (event for event in self.events if not isinstance(event, BeliefChanged))
        return [line_of(event, reasons=False) for event in events]

    def changes(self) -> list[str]:
        """The changes of beliefs with their sources: ``ammo: 1 → 0 (by fight)``."""
        return [str(event.change) for event in self.of(BeliefChanged)]

    def running(self) -> list[str]:
        """The tasks of the steps that were started and have not ended."""
        ended = {event.leaf for event in self.events if isinstance(event, LeafEnd)}
        return [event.task for event in self.of(LeafStarted) if event.leaf not in ended]

    def faults(self) -> list[str]:
        """Violations of the rule that every start is followed by exactly one end."""
        faults: list[str] = []
        started: dict[int, str] = {}
        ended: set[int] = set()
        for event in self.events:
            if isinstance(event, LeafStarted):
                if event.leaf in started:
                    faults.append(f"{event.task} #{event.leaf} started twice")
                started[event.leaf] = event.task
            elif isinstance(event, LeafEnd):
                if event.leaf not in started:
                    faults.append(f"{event.task} #{event.leaf} ended and was never started")
                if event.leaf in ended:
                    faults.append(f"{event.task} #{event.leaf} ended twice")
                ended.add(event.leaf)
        return faults


_STEP_EVENTS: Final = (LeafStarted, LeafEnded, LeafAborting, LeafAborted, LeafRefused)
