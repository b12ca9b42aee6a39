"""Sensors: the code that refreshes beliefs, bound to the fluents that it owns.

    sensors = Sensors()

    @sensors.sensor(Soldier.target, Soldier.distance, every=3)
    def eyes(agent):
        return {Soldier.target: agent.body.sees_enemy, Soldier.distance: agent.body.distance}

``agent.sense()`` reads the sensors that are due; call it at the beginning of every tick.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from inspect import isgeneratorfunction
from typing import Any, Generic, Literal, Protocol, overload

from bthtn.checked import checked
from bthtn.engine.agent.callables import misfit, suspends
from bthtn.engine.agent.code_types import AnyBody, B, B_contra, SensorCode
from bthtn.engine.agent.events import AgentEvent, SensorFailed
from bthtn.engine.agent.programming_errors import text_of
from bthtn.engine.domain.chance import phase_of
from bthtn.engine.world.beliefs import Beliefs
from bthtn.engine.world.expression import Expression
from bthtn.engine.world.fluent import Fluent, FluentFamily
from bthtn.engine.world.relation import Relation, fixed
from bthtn.engine.world.schema import StateSchema
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import ExecutionError, StateError

Code = Callable[..., Any]
Owned = Fluent[Any] | FluentFamily[Any, Any]
Named = Owned | str
"""A fluent or family, or the name of one in the State class of the agent."""
OnFailure = Literal["keep", "unknown"]


class Perceiver(Protocol):
    """**Protocol:** the attributes of agents that sensors use."""

    name: str
    beliefs: Beliefs[Any]

    def emit(self, event: AgentEvent) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Sensor:
    """Code that refreshes some fluents, and how often.

    ``every`` is the interval in ticks, None for a sensor that is only triggered. ``slot`` numbers
    the sensors of the same interval, so that they are read in different ticks.
    """

    name: str
    owned: tuple[Named, ...]
    every: int | None
    on_failure: OnFailure
    code: Code
    slot: int = 0

    def owned_in(self, schema: StateSchema) -> tuple[Owned, ...]:
        """The fluents and families that it owns. Raises StateError for those of other classes."""
        where = f"sensor '{self.name}'"
        try:
            owned = [
                schema.named(named) if isinstance(named, str) else named for named in self.owned
            ]
        except StateError as error:
            raise error.placed(where) from None
        for fluent in owned:
            schema.own(fluent, where)
            if isinstance(fluent, Relation):
                raise fixed(f"'{fluent}'").placed(where)
        return tuple(owned)

    def is_due(self, tick: int, phase: int) -> bool:
        """Whether an agent of this phase reads it in this tick."""
        return self.every is not None and (tick + self.slot + phase) % self.every == 0

    def __repr__(self) -> str:
        return f"<sensor {self.name}>"


class SensorBinding(Protocol[B]):
    """**Protocol:** a decorator of code that reads a sensor."""

    @overload
    def __call__(self: SensorBinding[AnyBody], code: Code, /) -> Sensor: ...

    @overload
    def __call__(self, code: SensorCode[B], /) -> Sensor: ...


class Sensors(Unpicklable, Generic[B_contra]):
    """The sensors of agents; a fluent has at most one.

    A sensor is called with the agent and may be

    - a function: it returns values by fluent, ``{Soldier.health: 40}``, or the value itself
      if it owns a single fluent; None when there is nothing new;
    - a generator function: it yields one reading after the other, in the same form;
    - a class: one object is made for each agent, whose method ``sense`` returns the reading.

    Readings are spread over the ticks of an interval: those of one agent's sensors by their order,
    those of several agents by the agents' names.
    """

    def __init__(self) -> None:
        self._sensors: list[Sensor] = []

    @checked
    def sensor(
        self,
        *owned: Expression[Any] | FluentFamily[Any, Any] | str,
        every: int | None = 1,
        on_failure: OnFailure = "keep",
        name: str = "",
    ) -> SensorBinding[B_contra]:
        """Decorator: refresh these fluents with this code, every so many ticks.

        Fluents may be given by name, in readings as well. With ``every=None`` it is read only when
        triggered. When it raises, its fluents keep their values or, with ``on_failure="unknown"``,
        become unknown. ``name`` is the source of the changes, by default the name of the function.
        Raises ExecutionError for a fluent that has a sensor already, and for code that cannot be
        called with the agent.
        """
        if every is not None and every < 1:
            hint = "give a number of ticks above zero, or None for a sensor that is triggered"
            raise ExecutionError("BT202", f"a sensor is to be read every {every} ticks", hint=hint)
        if on_failure not in ("keep", "unknown"):
            message = f"on_failure is {on_failure!r}"
            raise ExecutionError("BT110", message, hint="write 'keep' or 'unknown'")
        fluents = tuple(self._free(fluent) for fluent in owned)
        if not fluents:
            hint = "name what it refreshes: @sensors.sensor(Soldier.health)"
            raise ExecutionError("BT308", "a sensor owns no fluent", hint=hint)

        def bound(code: Code, /) -> Sensor:
            called = name or getattr(code, "__name__", type(code).__name__)
            fault, hint = _fault_of(code)
            if fault:
                raise ExecutionError("BT308", f"sensor '{called}' {fault}", hint=hint)
            slot = sum(sensor.every == every for sensor in self._sensors)
            made = Sensor(called, fluents, every, on_failure, code, slot)
            self._sensors.append(made)
            return made

        return bound

    def __iter__(self) -> Iterator[Sensor]:
        return iter(self._sensors)

    def for_agent(self, agent: Perceiver) -> Sensing:
        return Sensing(agent, tuple(self._sensors))

    def _free(self, named: Expression[Any] | FluentFamily[Any, Any] | str) -> Named:
        """The fluent or family, if no other sensor owns it. Raises ExecutionError."""
        if not isinstance(named, Fluent | FluentFamily | str):
            message = f"'{named!s}' is no fluent that a sensor could own"
            hint = "name a fluent of the State class: @sensors.sensor(Soldier.health)"
            raise ExecutionError("BT110", message, hint=hint)
        for sensor in self._sensors:
            if any(_overlap(named, other) for other in sensor.owned):
                name = named.name if isinstance(named, FluentFamily) else str(named)
                message = f"'{name}' has a sensor already: '{sensor.name}'"
                hint = "let one sensor refresh it, and the others fluents of their own"
                raise ExecutionError("BT308", message, hint=hint)
        return named


class Sensing:
    """The sensors of one agent: when each is due, and the reader made of its code."""

    __slots__ = (
        *("_agent", "_owned", "_phase", "_read", "_schema", "_sensors", "_tick", "_triggered"),
        *("_written",),
    )

    def __init__(self, agent: Perceiver, sensors: tuple[Sensor, ...]) -> None:
        self._agent = agent
        self._phase = phase_of(agent.name)
        self._tick = 0
        self._read: dict[Sensor, Callable[[], Any]] = {}
        self._sensors = sensors
        self._schema: StateSchema = type(agent.beliefs.now).__schema__
        self._owned = {sensor: sensor.owned_in(self._schema) for sensor in sensors}
        self._written: dict[Sensor, dict[Fluent[Any], None]] = {
            sensor: {fluent: None for fluent in owned if isinstance(fluent, Fluent)}
            for sensor, owned in self._owned.items()
        }
        self._triggered = dict.fromkeys(sensors, True)  # nothing is known before the first tick

    def for_agent(self, agent: Perceiver) -> Sensing:
        """The same sensors for another agent; none was read yet."""
        return Sensing(agent, self._sensors)

    @property
    def has_sensors(self) -> bool:
        return bool(self._sensors)

    @property
    def is_polling(self) -> bool:
        """Whether a sensor is read every so many ticks, or in the next one."""
        return any(sensor.every is not None or self._triggered[sensor] for sensor in self._sensors)

    def trigger(self, sensor: Sensor) -> None:
        """Read the sensor in the next tick, whatever its interval. Raises ExecutionError."""
        if sensor not in self._triggered:
            message = f"agent '{self._agent.name}' has no sensor '{sensor.name}'"
            raise ExecutionError("BT308", message, hint="give it those sensors")
        self._triggered[sensor] = True

    def refresh(self) -> None:
        """Read the sensors that are due, in order, and write their values. The first time, all."""
        for sensor in self._sensors:
            if self._triggered[sensor] or sensor.is_due(self._tick, self._phase):
                self._triggered[sensor] = False
                self.read(sensor)
        self._tick += 1

    def close(self) -> None:
        """Close generators. The next ``refresh`` reads all sensors, as the first one did."""
        for sensor, read in self._read.items():
            try:
                if isinstance(read, _Stepped):
                    read.close()
            except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
                self._agent.emit(SensorFailed(sensor.name, text_of(error), error))
        self._read.clear()
        self._triggered = dict.fromkeys(self._sensors, True)

    def read(self, sensor: Sensor) -> None:
        """Read a sensor and write all of its values, or none if one is bad."""
        beliefs = self._agent.beliefs
        try:
            reading = self._values(sensor, self._reader(sensor)())
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self._read.pop(sensor, None)
            self._agent.emit(SensorFailed(sensor.name, text_of(error), error))
            lost = self._written[sensor] if sensor.on_failure == "unknown" else ()
            reading = dict.fromkeys(lost, UNKNOWN)
        for fluent, value in reading.items():
            self._written[sensor][fluent] = None
            beliefs.write(fluent, value, sensor.name)

    def _values(self, sensor: Sensor, reading: Any) -> Mapping[Fluent[Any], Any]:
        """The values of a reading by fluent. Raises BthtnError for bad ones."""
        owned = self._owned[sensor]
        single = owned[0] if len(owned) == 1 else None
        if reading is None and not (isinstance(single, Fluent) and single.accepts(None)):
            return {}
        if not isinstance(reading, Mapping):
            if not isinstance(single, Fluent):
                kind = type(reading).__name__
                message = f"'{sensor.name}' answered with {kind}, not with fluents"
                hint = "return a dictionary of values by fluent"
                raise ExecutionError("BT309", message, hint=hint)
            reading = {single: reading}
        values: dict[Fluent[Any], Any] = {}
        for key, value in reading.items():
            fluent = self._schema.variable(key) if isinstance(key, str) else key
            if not isinstance(fluent, Fluent) or not any(_covers(named, fluent) for named in owned):
                message = f"'{sensor.name}' wrote '{fluent!s}', which it does not own"
                hint = f"add it to the fluents of @sensors.sensor(…) above '{sensor.name}'"
                raise ExecutionError("BT309", message, hint=hint)
            fluent.check(value)
            values[fluent] = value
        return values

    def _reader(self, sensor: Sensor) -> Callable[[], Any]:
        """The function that reads the sensor; made at the first reading, and after a failure."""
        if sensor not in self._read:
            agent, code = self._agent, sensor.code
            if isgeneratorfunction(code):
                self._read[sensor] = _Stepped(code, agent)
            elif isinstance(code, type):
                self._read[sensor] = code(agent).sense
            else:
                self._read[sensor] = lambda: code(agent)
        return self._read[sensor]


class _Stepped:
    """A generator that gives one reading at a time and is started again at its end."""

    def __init__(self, code: Code, agent: Perceiver) -> None:
        self._code = code
        self._agent = agent
        self._steps: Generator[Any, None, None] = (_ for _ in ())

    def __call__(self) -> Any:
        for reading in self._steps:
            return reading
        self._steps = self._code(self._agent)
        return next(self._steps, None)

    def close(self) -> None:
        self._steps.close()


def _fault_of(code: Code) -> tuple[str, str]:
    """Why no agent could read a sensor with this code, and what to write; empty if it can."""
    is_class = isinstance(code, type)
    read = getattr(code, "sense", None) if is_class else code
    if read is None:
        return (
            "is a class without a method 'sense'",
            "write def sense(self), which returns a reading",
        )
    if not callable(code):
        hint = "write a function of the agent, or a class with a method 'sense'"
        if callable(getattr(code, "sense", None)):
            hint = "give it a function: lambda agent: camera.sense()"
        return f"is {code!r}, which cannot be called", hint
    form = suspends(read)
    if form and (is_class or not isgeneratorfunction(read)):
        return form, "let it return what was received last, or call agent.believe_soon"
    return misfit(code, "agent"), "write a function or a class that takes the agent"


def _covers(owned: Owned, fluent: Fluent[Any]) -> bool:
    """Whether the fluent is the owned one, or a member of the owned family."""
    if isinstance(owned, Fluent) or fluent.index is None or fluent.name != owned.name:
        return owned is fluent
    return owned.member(fluent.index) is fluent


def _overlap(one: Named, other: Named) -> bool:
    """Whether these have a fluent in common."""
    if isinstance(one, str) or isinstance(other, str):
        return _name_of(one) == _name_of(other)
    return (
        one is other
        or (isinstance(one, Fluent) and _covers(other, one))
        or (isinstance(other, Fluent) and _covers(one, other))
    )


def _name_of(named: Named) -> str:
    return named if isinstance(named, str) else named.name
