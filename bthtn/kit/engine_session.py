"""EngineSession: a character whose steps another program does, such as a game engine.

Each tick is a request of the engine and an answer to it, both JSON:

    {"beliefs": {"distance": 4.0}, "ended": {"3": true, "4": "it is locked"}}
    {"tick": 7, "status": "RUNNING", "starts": [{"step": 5, "task": "strike", …}], "aborts": [], …}

The engine does the steps of all tasks that have no operator in Python.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import isfinite
from sys import float_info
from typing import Any, Final

from bthtn.behaviours import Agent, Character, Completion, ManualClock, attach
from bthtn.engine.agent.events import AgentEvent
from bthtn.engine.agent.hearing import hear_too
from bthtn.engine.agent.operators import Operators
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.schema import is_plain, written
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.truth import value_text
from bthtn.engine.world.value_type import ValueType
from bthtn.errors import BthtnError, InputError, nearest
from bthtn.kit.recording.event_log import line_of

SOURCE: Final = "engine"
"""The source of the beliefs that an engine writes."""

_ENTRIES: Final[Mapping[str, str]] = {
    "beliefs": "an object",
    "ended": "an object",
    "seconds": "a number: those since the last request, 0 or more",
}
"""What a request may have."""


class EngineSession(Unpicklable):
    """Ticks a character for a program that sends its sensors' values, and does its steps.

    A request may have ``beliefs``, values by the names of fluents, as in scenarios: for all agents
    that have the fluent, or for one, below its name. ``ended`` has the outcomes of steps by their
    numbers: true for success, false or a reason for a failure. ``seconds`` have passed since the
    request before; they advance the ManualClock ``clock`` of the character's world.

    An answer has the number of the ``tick``, the ``status`` of the tree, whether the character is
    ``finished``, the steps that it ``starts``, the numbers of those that it ``aborts``, and a
    ``log`` of its events. What cannot be used of a request is ``refused``: the mistakes, by the
    names that the request has; all else of it counts. An engine may forget a step that was
    aborted, or end it all the same.
    All agents of the tree are attached to it: the character's ``sense`` is not to sense them.
    """

    def __init__(self, character: Character) -> None:
        self._character = character
        self._open: dict[int, Completion] = {}
        self._starts: dict[int, dict[str, Any]] = {}
        self._aborts: list[int] = []
        self._latest = 0
        self._agents = character.agents  # for which the whole tree is gone through
        for agent in self._agents.values():
            agent.operators = _EngineOperators(agent.operators, self._start)
            if not runtime_of(agent).is_attached:
                attach(character.tree, agent)
            if agent is not character.agent and agent.listener != character.agent.emit:
                hear_too(agent, character.agent.emit)
        self._names_agents = len(self._agents) > 1

    @property
    def ticks(self) -> int:
        return self._character.ticks

    def tick(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Tick once. Raises InputError, with nothing changed, for what is no dictionary."""
        if not isinstance(request, dict):
            raise _unusable(f"a request is {type(request).__name__}", 'write {"beliefs": {}}')
        refused: dict[str, str] = {}
        for name, take in self._entries(request):
            try:
                take()
            except InputError as error:
                refused[name] = str(error)
        events = self._character.tick()
        finished = self._character.finished  # if users' code raises, the next answer has the starts
        starts, self._starts = self._starts, {}
        answer = {
            "tick": self._character.ticks,
            "status": self._character.root.status.name,
            "finished": finished,
            "starts": list(starts.values()),
            "aborts": self._taken_aborts(),
            "log": list(map(self._line, events)),
        }
        return {**answer, "refused": refused} if refused else answer

    def close(self) -> list[int]:
        """Stop the character; the numbers of the steps that are aborted."""
        self._character.stop()
        return self._taken_aborts()

    def _line(self, event: AgentEvent) -> str:
        """An event in words; with the agent's name, if there are several."""
        return f"{event.agent}: {line_of(event)}" if self._names_agents else line_of(event)

    def _taken_aborts(self) -> list[int]:
        """The numbers of the steps that were aborted since they were last taken."""
        aborts, self._aborts = self._aborts, []
        return aborts

    def _start(self, task: PrimitiveTask[...], agent: Agent[Any, Any], *args: Any) -> Completion:
        """The operator of a task: hands a step to the engine."""
        self._latest += 1
        number, root = self._latest, task
        while root.template is not None:
            root = root.template
        names = (parameter.name for parameter in task.parameters)
        self._starts[number] = {
            "step": number,
            "agent": agent.name,
            "task": task.name,
            "template": root.name,
            "args": dict(zip(names, map(_plain, args), strict=True)),
        }
        self._open[number] = Completion(on_abort=partial(self._abort, number))
        return self._open[number]

    def _abort(self, number: int) -> None:
        """Tell the engine to give a step up, unless it has not heard of it."""
        if self._open.pop(number, None) is not None and self._starts.pop(number, None) is None:
            self._aborts.append(number)

    def _entries(self, request: dict[str, Any]) -> Iterator[tuple[str, Callable[[], None]]]:
        """What a request says, by its names in it, as functions that raise InputError."""
        for name, value in request.items():
            match name, value:
                case "beliefs", dict():
                    for about, given in value.items():
                        yield from self._beliefs(str(about), given)
                case "ended", dict():
                    for number, outcome in value.items():
                        yield str(number), partial(self._end, str(number), outcome)
                case "seconds", int() | float() if not isinstance(value, bool):
                    yield name, partial(self._advance_clock, value)
                case _:
                    yield name, partial(_refuse, name, value)

    def _beliefs(self, name: str, given: Any) -> Iterator[tuple[str, Callable[[], None]]]:
        """The beliefs of an entry: for all agents that have a fluent, or for the one it names."""
        if not isinstance(given, dict):
            having = [agent for agent in self._agents.values() if _has(agent, name)]
            having = having or [self._character.agent]  # whose error says which fluents there are
            yield name, partial(_believe, having, name, given)
        elif name in self._agents:
            for fluent, value in given.items():
                yield (
                    f"{name}: {fluent}",
                    partial(_believe, [self._agents[name]], str(fluent), value),
                )
        else:
            yield name, partial(_no_agent, name, self._agents)

    def _end(self, text: str, outcome: object) -> None:
        """End a step. Raises InputError."""
        number = self._number(text)
        failure = _failure(outcome)
        completion = self._open.pop(number, None)
        if completion is None:
            return  # it was aborted while the engine was about to end it
        if failure is None:
            completion.succeed()
        else:
            completion.fail(failure)

    def _number(self, text: str) -> int:
        """The number of a step that has started. Raises InputError."""
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(self._latest))
        number = int(text) if is_number else 0
        if not 0 < number <= self._latest:
            raise _unusable(f"no step has the number '{text}'", 'write {"ended": {"3": true}}')
        return number

    def _advance_clock(self, seconds: float) -> None:
        if not seconds:
            return
        clock = getattr(self._character.world, "clock", None)
        now = clock() if isinstance(clock, ManualClock) else 0
        if not 0 <= seconds < float_info.max - now:
            raise _unusable(f"'seconds' are {seconds}", f"give it {_ENTRIES['seconds']}")
        if not isinstance(clock, ManualClock):
            hint = "let body(seed), in operators.py, return an object with clock, a ManualClock()"
            raise _unusable("the character's world has no clock for seconds", hint)
        clock.advance(float(seconds))


class _EngineOperators(Operators):
    """Operators of which an engine does the steps of tasks that have none."""

    def __init__(self, operators: Operators[Any], start: Callable[..., Completion]) -> None:
        super().__init__()
        vars(self).update(vars(operators))
        self._start = start

    def find(self, task: PrimitiveTask[...]) -> Callable[..., Any] | None:
        """The operator of the task, or the function that hands its step to the engine."""
        return super().find(task) or partial(self._start, task)


def _refuse(name: str, value: object) -> None:
    if name not in _ENTRIES:
        raise _unusable(f"a request has no '{name}'", nearest(name, _ENTRIES))
    raise _unusable(f"'{name}' is {reprlib.repr(value)}", f"give it {_ENTRIES[name]}")


def _no_agent(name: str, agents: Iterable[str]) -> None:
    raise _unusable(f"there is no agent '{name}'", nearest(name, agents))


def _believe(agents: Iterable[Agent[Any, Any]], name: str, given: Any) -> None:
    """Let agents believe a value of JSON. Raises InputError, with nothing changed."""
    for agent, belief in [(agent, _entry(agent, name, given)) for agent in agents]:
        agent.believe_soon(*belief, SOURCE)


def _failure(outcome: object) -> str | None:
    """Why a step has failed, None for a success. Raises InputError."""
    if not isinstance(outcome, bool | str):
        hint = "write true, false, or the reason of a failure"
        raise _unusable(f"a step has ended with {reprlib.repr(outcome)}", hint)
    return None if outcome is True else (outcome or "the engine reports a failure")


def _has(agent: Agent[Any, Any], name: str) -> bool:
    try:
        agent.domain.schema.variable(name)
    except BthtnError:
        return False
    return True


def _entry(agent: Agent[Any, Any], name: str, given: Any) -> tuple[Fluent[Any], Any]:
    """A fluent and its value for one of JSON. Raises InputError."""
    schema = agent.domain.schema
    try:
        if not _is_finite(given):
            hint = 'JSON has no NaN and no infinity; null or "unknown" may be meant'
            raise _unusable(f"'{name}' cannot be {reprlib.repr(given)}", hint)
        return schema.entry(name, _whole(given, schema.variable(name).values))
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


def _plain(value: Any) -> Any:
    """An argument as JSON has it; one that it cannot have, as a text."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return list(map(_plain, value))
    plain = written(value)
    return plain if is_plain(plain) else value_text(value)


def _unusable(message: str, hint: str) -> InputError:
    return InputError("BT434", message, "request", hint)
