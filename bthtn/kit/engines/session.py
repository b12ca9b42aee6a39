"""EngineSession: a character whose steps another program does, such as a game engine.

In each tick the engine says what it sees and which steps have ended, and hears which steps to
start and which to give up; both are JSON, an item of a frame in docs/engine-protocol.md:

    {"beliefs": {"distance": 4.0}, "ended": {"3": true, "4": "it is locked"}}
    {"tick": 7, "status": "RUNNING", "starts": [{"step": 5, "task": "strike", …}], "aborts": [], …}

The engine does the steps of all tasks that have no operator in Python.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, partial
from math import inf, isfinite
from typing import Any, Final, TypeGuard

from py_trees.common import Status

from bthtn.behaviours import Agent, Character, Elapsed, ManualClock, OperatorFailed, attach
from bthtn.engine.agent.events import AgentEvent
from bthtn.engine.agent.hearing import hear_too
from bthtn.engine.agent.operators import Operators
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.schema import is_plain, value_for, written
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.truth import value_text
from bthtn.engine.world.value_type import ValueType
from bthtn.errors import BthtnError, Diagnostic, InputError, nearest
from bthtn.kit.recording.event_log import event_data, kind_of, line_of

SOURCE: Final = "engine"
"""The source of the beliefs that an engine writes."""
SAVE_FORMAT: Final = "bthtn-engine-save/1"

_Target = tuple[Agent[Any, Any], Fluent[Any]]


class EngineSession(Unpicklable):
    """Ticks a character for a program that sends its sensors' values, and does its steps.

    ``aborts`` are the names of tasks whose aborts take time in the engine: an aborted step of such
    a task holds its resources until the engine says that it has ended. ``events`` are the kinds of
    events that ``tick`` tells of; with ``texts``, in English too. All agents of the tree are
    attached to it: the character's ``sense`` is not to sense them.
    """

    def __init__(self, character: Character, *, aborts: Collection[str] = ()) -> None:
        self.character = character
        self.aborts = frozenset(aborts)
        self.events: frozenset[str] = frozenset()
        self.texts = False
        self.agents = character.agents  # for which the whole tree is gone through
        self._steps: dict[int, EngineStep] = {}
        self._starts: list[EngineStep] = []
        self._aborted: list[int] = []
        self._latest = 0
        self._refused: list[dict[str, str]] = []
        self._takers = {"beliefs": self._believe, "ended": self._end, "progress": self._note}
        self._targets = lru_cache(1_000)(self._having)
        self._resumed: list[EngineStep] = []
        for agent in self.agents.values():
            agent.operators = _EngineOperators(agent.operators, self)
            if not runtime_of(agent).is_attached:
                attach(character.tree, agent)
            if agent is not character.agent and agent.listener != character.agent.emit:
                hear_too(agent, character.agent.emit)

    def tick(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """Tick once. Raises InputError, with nothing changed, for what is no dictionary.

        ``told`` may have ``beliefs``, ``ended`` and ``progress``. The answer has the ``tick``, the
        ``status`` of the tree, whether the character is ``finished``, the steps that it
        ``starts``, and the numbers of those that it ``aborts``. What cannot be used of what was
        told is ``refused``; all else of it counts.
        """
        refused = self._take_in(told)
        events = self.character.tick()
        finished = self.character.finished  # if users' code raises, the next answer has the starts
        starts, self._starts = self._starts, []
        answer = {
            "tick": self.character.ticks,
            "status": self.character.root.status.name,
            "finished": finished,
            "starts": [step.told for step in starts],
            "aborts": self._taken_aborts(),
        }
        if self.events:
            answer["events"] = [
                self._event(event) for event in events if kind_of(event) in self.events
            ]
        return {**answer, "refused": refused} if refused else answer

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps that are open, or whose abort is not over, as the protocol has them."""
        return [step.as_open() for step in self._steps.values()]

    def advance(self, seconds: float) -> None:
        """Let seconds pass on the ManualClock ``clock`` of the character's world, if it has one."""
        clock = self.clock
        if clock is not None:
            clock.advance(seconds)

    @property
    def clock(self) -> ManualClock | None:
        clock = getattr(self.character.world, "clock", None)
        return clock if isinstance(clock, ManualClock) else None

    def save(self) -> dict[str, Any]:
        """The character and the steps that are open, as JSON. Raises InputError."""
        return {
            "format": SAVE_FORMAT,
            "character": self.character.save(),
            "latest": self._latest,
            "steps": self.steps,
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Go on where a saved session was; this one was made anew. Raises InputError."""
        if not isinstance(saved, dict) or saved.get("format") != SAVE_FORMAT:
            raise _unusable("this is no saved character", f"give what 'save' gave: {SAVE_FORMAT}")
        try:
            self._latest = saved["latest"]
            self._resumed = [EngineStep.from_open(self, told) for told in saved["steps"]]
            character = saved["character"]
        except (KeyError, TypeError) as error:
            raise _unusable(f"a saved character has no {error}", "give what 'save' gave") from None
        self.character.load(character)
        self._resumed = []

    def close(self) -> list[int]:
        """Stop the character; the numbers of the steps that are aborted.

        Nobody waits until the engine has given them up.
        """
        self.aborts = frozenset()
        for step in self._steps.values():
            if step.is_aborting:
                step.outcome = ""
        for agent in self.agents.values():
            agent.aborts.begin_tick()
        self.character.stop()
        return self._taken_aborts()

    # what the operators of its tasks call

    def start(self, task: PrimitiveTask[...], agent: Agent[Any, Any], *args: Any) -> EngineStep:
        """The operator of a task: hands a step to the engine."""
        self._latest += 1
        step = EngineStep(self, self._latest, _told(task, agent, args))
        self._starts.append(step)
        self._steps[step.number] = step
        return step

    def resume(self, task: PrimitiveTask[...], agent: Agent[Any, Any], *args: Any) -> EngineStep:
        """The operator of a step that is loaded: the one of its number goes on."""
        *given, elapsed = args
        told, is_aborting = _told(task, agent, given), isinstance(elapsed, Elapsed)
        is_aborting = is_aborting and elapsed.abort_ticks is not None
        for step in self._resumed:
            if step.told | {"step": 0} == told | {"step": 0} and step.is_aborting == is_aborting:
                self._resumed.remove(step)
                self._steps[step.number] = step
                return step
        return self.start(task, agent, *given)

    def give_up(self, step: EngineStep) -> Status | None:
        """Tell the engine to give a step up, unless it has not heard of it, or has ended it.

        RUNNING if the engine will say when it has.
        """
        if step in self._starts:
            self._starts.remove(step)
            del self._steps[step.number]
            return None
        if step.outcome is not None:
            return None
        self._aborted.append(step.number)
        step.is_aborting = step.told["task"] in self.aborts
        if step.is_aborting:
            return Status.RUNNING
        self._steps.pop(step.number, None)
        return None

    # what the engine tells

    def _take_in(self, told: object) -> list[dict[str, str]]:
        """Take in what the engine tells; the errors of what cannot be used of it."""
        if not isinstance(told, dict):
            raise _unusable(f"a character is told {type(told).__name__}", 'write {"beliefs": {}}')
        self._refused = refused = []
        for name, value in told.items():
            take = self._takers.get(name)
            if take is None:
                error = _unusable(f"nothing is told by '{name}'", nearest(name, self._takers))
                refused.append(as_error(error, name))
            elif isinstance(value, dict):
                self._each(name, value, take)
            else:
                error = _unusable(f"'{name}' is {reprlib.repr(value)}", "give it an object")
                refused.append(as_error(error, name))
        return refused

    def _each(self, place: str, told: dict[str, Any], take: Callable[[str, Any], None]) -> None:
        """Take in each entry of an object; one that cannot be used is refused."""
        for name, value in told.items():
            try:
                take(str(name), value)
            except InputError as error:
                self._refused.append(as_error(error, f"{place}.{name}"))

    def _believe(self, name: str, given: Any) -> None:
        """Let all agents that have a fluent believe a value. Raises InputError."""
        if isinstance(given, dict):
            if name not in self.agents:
                raise _unusable(f"there is no agent '{name}'", nearest(name, self.agents))
            believe = partial(self._one_believes, self.agents[name])
            self._each(f"beliefs.{name}", given, believe)
            return
        targets = self._targets(name)
        if len(targets) == 1:  # as it is nearly always
            [(agent, fluent)] = targets
            agent.believe_soon(fluent, _value(fluent, name, given), SOURCE)
            return
        values = [_value(fluent, name, given) for _, fluent in targets]
        for (agent, fluent), value in zip(targets, values, strict=True):
            agent.believe_soon(fluent, value, SOURCE)

    def _one_believes(self, agent: Agent[Any, Any], name: str, given: Any) -> None:
        fluent = _fluent(agent, name)
        agent.believe_soon(fluent, _value(fluent, name, given), SOURCE)

    def _having(self, name: str) -> list[_Target]:
        """The agents that have a fluent. Raises InputError if there is none."""
        having = [agent for agent in self.agents.values() if _has(agent, name)]
        having = having or [self.character.agent]  # whose error says which fluents there are
        return [(agent, _fluent(agent, name)) for agent in having]

    def _end(self, text: str, outcome: object) -> None:
        """End a step. Raises InputError."""
        number = self._number(text)
        failure = _failure(outcome)
        step = self._steps.pop(number, None)
        if step is not None:  # else it was aborted while the engine was about to end it
            step.outcome = failure

    def _note(self, text: str, progress: object) -> None:
        """Note how far a step is. Raises InputError."""
        number = self._number(text)
        if not _is_progress(progress):
            message = f"the progress of a step is {reprlib.repr(progress)}"
            raise _unusable(message, "give a number from 0 to 1, or a text")
        if number in self._steps:
            self._steps[number].progress = progress

    def _number(self, text: str) -> int:
        """The number of a step that has started. Raises InputError."""
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(self._latest))
        number = int(text) if is_number else 0
        if not 0 < number <= self._latest:
            raise _unusable(f"no step has the number '{text}'", 'write {"ended": {"3": true}}')
        return number

    # what the engine hears

    def _taken_aborts(self) -> list[int]:
        """The numbers of the steps that were aborted since they were last taken."""
        aborts, self._aborted = self._aborted, []
        return aborts

    def _event(self, event: AgentEvent) -> dict[str, Any]:
        data = event_data(event)
        return {**data, "text": line_of(event)} if self.texts else data


class EngineStep:
    """A step that the engine does: an operator that waits for what the engine says.

    ``told`` is the step as the engine hears of it. ``outcome`` is None until it has ended, then
    the reason of its failure, empty for a success.
    """

    def __init__(self, session: EngineSession, number: int, told: dict[str, Any]) -> None:
        self.number = number
        self.told = {"step": number, **told}
        self.outcome: str | None = None
        self.progress: float | str | None = None
        self.is_aborting = False
        self._session = session

    @classmethod
    def from_open(cls, session: EngineSession, saved: dict[str, Any]) -> EngineStep:
        """The step that ``as_open`` has described. Raises KeyError and TypeError."""
        told = {name: value for name, value in saved.items() if name not in _OF_OPEN}
        step = cls(session, told.pop("step"), told)
        step.progress, step.is_aborting = saved.get("progress"), saved["aborting"]
        return step

    def as_open(self) -> dict[str, Any]:
        told = {**self.told, "aborting": self.is_aborting}
        return told if self.progress is None else {**told, "progress": self.progress}

    def start(self) -> None:
        """The engine hears of it at the end of the tick."""

    def tick(self) -> Status:
        """RUNNING until the engine says that it has ended. Raises OperatorFailed."""
        if self.outcome is None:
            return Status.RUNNING
        if self.outcome and not self.is_aborting:
            raise OperatorFailed(self.outcome)
        return Status.SUCCESS

    def waits(self) -> Wait:
        """For the engine to say that it has ended."""
        return Wait() if self.outcome is None else AT_ONCE

    def abort(self) -> Status | None:
        """Tell the engine; RUNNING if the engine will say when the abort is done."""
        return self._session.give_up(self)


_OF_OPEN: Final = ("progress", "aborting")
"""What is said of a step only while it is open."""


class _EngineOperators(Operators):
    """Operators of which an engine does the steps of tasks that have none."""

    def __init__(self, operators: Operators[Any], session: EngineSession) -> None:
        super().__init__()
        vars(self).update(vars(operators))
        self._session = session

    def find(self, task: PrimitiveTask[...]) -> Callable[..., Any] | None:
        """The operator of the task, or the function that hands its step to the engine."""
        return super().find(task) or partial(self._session.start, task)

    def find_resume(self, task: PrimitiveTask[...]) -> Callable[..., Any] | None:
        found = super().find_resume(task)
        if found is None and super().find(task) is None:
            return partial(self._session.resume, task)
        return found


def is_done_by_engine(agent: Agent[Any, Any], task: PrimitiveTask[...]) -> bool:
    """Whether the engine does the steps of a task of an agent of a session."""
    return Operators.find(agent.operators, task) is None


def as_error(error: BthtnError, where: str = "") -> dict[str, str]:
    """A mistake as the protocol has it, at a place."""
    fault = error.diagnostics[0]
    return error_of(fault, ".".join(filter(None, (where, fault.where))))


def error_of(fault: Diagnostic, where: str) -> dict[str, str]:
    return {"code": fault.code, "message": fault.message, "where": where, "hint": fault.hint}


def _told(task: PrimitiveTask[...], agent: Agent[Any, Any], args: Sequence[Any]) -> dict[str, Any]:
    """A step of a task as the engine hears of it, without its number."""
    root = task
    while root.template is not None:
        root = root.template
    names = (parameter.name for parameter in task.parameters)
    told = {
        "agent": agent.name,
        "task": task.name,
        "template": root.name,
        "args": dict(zip(names, map(as_json, args), strict=True)),
    }
    if task.takes_time:
        told |= duration(task, task.duration.evaluate(agent.beliefs.now, tuple(args)))
    return told


def duration(task: PrimitiveTask[...], length: object) -> dict[str, Any]:
    """How long a step of a task is expected to take, if that is a number above 0."""
    is_known = isinstance(length, int | float) and 0 < length < inf
    return {"seconds" if task.in_seconds else "ticks": length} if is_known else {}


def _is_progress(progress: object) -> TypeGuard[float | str]:
    if isinstance(progress, bool):
        return False
    return isinstance(progress, str) or (isinstance(progress, int | float) and 0 <= progress <= 1)


def _failure(outcome: object) -> str:
    """Why a step has failed, empty for a success. Raises InputError."""
    if not isinstance(outcome, bool | str):
        hint = "write true, false, or the reason of a failure"
        raise _unusable(f"a step has ended with {reprlib.repr(outcome)}", hint)
    return "" if outcome is True else (outcome or "the engine reports a failure")


def _has(agent: Agent[Any, Any], name: str) -> bool:
    try:
        agent.domain.schema.variable(name)
    except BthtnError:
        return False
    return True


def _fluent(agent: Agent[Any, Any], name: str) -> Fluent[Any]:
    """The fluent of a name. Raises InputError."""
    try:
        return agent.domain.schema.variable(name)
    except InputError:
        raise
    except BthtnError as error:
        fault = error.diagnostics[0]
        raise _unusable(fault.message, fault.hint) from None


def _value(fluent: Fluent[Any], name: str, given: Any) -> Any:
    """The value of a fluent for one of JSON. Raises InputError."""
    kind = type(given)
    if kind is fluent.plain_type and (kind in (bool, int) or (kind is float and isfinite(given))):
        return given  # as it is nearly always
    try:
        if not _is_finite(given):
            hint = 'JSON has no NaN and no infinity; null or "unknown" may be meant'
            raise _unusable(f"'{name}' cannot be {reprlib.repr(given)}", hint)
        return value_for(fluent, _whole(given, fluent.values))
    except InputError:
        raise
    except BthtnError as error:
        fault = error.diagnostics[0]
        raise _unusable(fault.message, fault.hint) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise _unusable(f"'{name}' cannot be {reprlib.repr(given)}: {error}", "") from None


def _is_finite(given: Any) -> bool:
    if isinstance(given, list):
        return all(map(_is_finite, given))
    return not isinstance(given, float) or isfinite(given)


def _whole(given: Any, values: ValueType) -> Any:
    """The value with ints for floats where only these fit: JSON has only one kind of number."""
    if isinstance(given, list) and len(given) == len(values.parts):
        return [_whole(item, part) for item, part in zip(given, values.parts, strict=True)]
    is_whole = isinstance(given, float) and given.is_integer()
    return int(given) if is_whole and int in values.kinds and float not in values.kinds else given


def as_json(value: Any) -> Any:
    """A value as JSON has it; one that it cannot have, as a text."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return list(map(as_json, value))
    plain = written(value)
    return plain if is_plain(plain) else value_text(value)


def _unusable(message: str, hint: str) -> InputError:
    return InputError("BT434", message, hint=hint)
