"""EngineSession: a character whose steps another program does, such as a game engine.

Each tick is a request of the engine and an answer to it, both JSON:

    {"beliefs": {"distance": 4.0}, "ended": {"3": true, "4": "it is locked"}}
    {"tick": 7, "status": "RUNNING", "starts": [{"step": 5, "task": "strike", …}], "aborts": [], …}

The engine does the steps of all tasks that have no operator in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from sys import float_info
from typing import Any, Final

from bthtn.agent.events import AgentEvent
from bthtn.agent.hearing import hear_too
from bthtn.agent.operators import Operators
from bthtn.agent.runtime import runtime_of
from bthtn.behaviours import Agent, Character, Completion, ManualClock, attach
from bthtn.domain.task import PrimitiveTask
from bthtn.errors import BthtnError, InputError, nearest
from bthtn.views.event_log import line_of
from bthtn.world.fluent import Fluent
from bthtn.world.schema import is_plain, written
from bthtn.world.sharing import Unpicklable
from bthtn.world.truth import value_text

SOURCE: Final = "engine"
"""The source of the beliefs that an engine writes."""

_ENTRIES: Final[Mapping[str, tuple[type, ...]]] = {
    "beliefs": (dict,),
    "ended": (dict,),
    "seconds": (int, float),
}
"""The classes of the values of a request."""


class EngineSession(Unpicklable):
    """Ticks a character for a program that sends its sensors' values, and does its steps.

    A request may have ``beliefs``, values by the names of fluents, as in scenarios: for all agents
    that have the fluent, or for one, below its name. ``ended`` has the outcomes of steps by their
    numbers: true for success, false or a reason for a failure. ``seconds`` have passed since the
    request before; they advance the ManualClock ``clock`` of the character's world.

    An answer has the number of the ``tick``, the ``status`` of the tree, whether the character is
    ``finished``, the steps that it ``starts``, the numbers of those that it ``aborts``, and a
    ``log`` of its events. An engine may forget a step that was aborted, or end it all the same.
    All agents of the tree are attached to it: the character's ``sense`` is not to sense them.
    """

    def __init__(self, character: Character) -> None:
        self._character = character
        self._open: dict[int, Completion] = {}
        self._starts: dict[int, dict[str, Any]] = {}
        self._aborts: list[int] = []
        self._latest = 0
        agents = character.agents.values()
        for agent in agents:
            agent.operators = _EngineOperators(agent.operators, self._start)
            if not runtime_of(agent).is_attached:
                attach(character.tree, agent)
            if agent is not character.agent and agent.listener != character.agent.emit:
                hear_too(agent, character.agent.emit)
        self._names_agents = len(agents) > 1

    @property
    def ticks(self) -> int:
        """How many ticks there were."""
        return self._character.ticks

    def tick(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Tick once. Raises InputError for a request that cannot be used, with nothing changed."""
        _check_entries(request)
        beliefs = [
            belief for entry in request.get("beliefs", {}).items() for belief in self._read(*entry)
        ]
        ended = request.get("ended", {}).items()
        failures = {self._number(text): _failure(outcome) for text, outcome in ended}
        self._advance_clock(request.get("seconds", 0))
        for agent, fluent, value in beliefs:
            agent.believe_soon(fluent, value, SOURCE)
        for number, failure in failures.items():
            self._end(number, failure)
        events = self._character.tick()
        finished = self._character.finished  # if users' code raises, the next answer has the starts
        starts, self._starts = self._starts, {}
        return {
            "tick": self._character.ticks,
            "status": self._character.root.status.name,
            "finished": finished,
            "starts": list(starts.values()),
            "aborts": self._taken_aborts(),
            "log": list(map(self._line, events)),
        }

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

    def _end(self, number: int, failure: str | None) -> None:
        completion = self._open.pop(number, None)
        if completion is None:
            return  # it was aborted while the engine was about to end it
        if failure is None:
            completion.succeed()
        else:
            completion.fail(failure)

    def _read(self, name: str, given: Any) -> list[tuple[Agent[Any, Any], Fluent[Any], Any]]:
        """Who believes what after an entry of a request. Raises InputError."""
        agents = self._character.agents
        if isinstance(given, dict):
            if name not in agents:
                raise _unusable(f"there is no agent '{name}'", nearest(name, agents))
            return [
                (agents[name], *_entry(agents[name], fluent, value))
                for fluent, value in given.items()
            ]
        having = [agent for agent in agents.values() if _has(agent, name)]
        having = having or [self._character.agent]  # whose error says which fluents there are
        return [(agent, *_entry(agent, name, given)) for agent in having]

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


def _check_entries(request: object) -> None:
    if not isinstance(request, dict):
        raise _unusable(f"a request is {type(request).__name__}", 'write {"beliefs": {}}')
    for name, value in request.items():
        if name not in _ENTRIES:
            raise _unusable(f"a request has no '{name}'", nearest(name, _ENTRIES))
        if not isinstance(value, _ENTRIES[name]) or isinstance(value, bool):
            wanted = "an object" if _ENTRIES[name] == (dict,) else "a number"
            raise _unusable(f"'{name}' is {value!r}", f"give it {wanted}")
    if not 0 <= request.get("seconds", 0) < float_info.max:
        hint = "give it those since the last request: 0 or more"
        raise _unusable(f"'seconds' are {request['seconds']}", hint)


def _failure(outcome: object) -> str | None:
    """Why a step has failed, None for a success. Raises InputError."""
    if not isinstance(outcome, bool | str):
        hint = "write true, false, or the reason of a failure"
        raise _unusable(f"a step has ended with {outcome!r}", hint)
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
        if isinstance(given, float) and schema.variable(name).value_type is int:
            given = int(given) if given.is_integer() else given  # JSON has only one kind of number
        return schema.entry(name, given)
    except BthtnError as error:
        fault = error.diagnostics[0]
        raise _unusable(fault.message, fault.hint) from None
    except (TypeError, ValueError) as error:
        raise _unusable(f"'{name}' cannot be {given!r}: {error}", "") from None


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
