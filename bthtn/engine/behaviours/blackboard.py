"""Beliefs beside py_trees' blackboard: a sensor reads keys, a mirror writes them.

The blackboard is one for the whole process; agents keep apart by keys like ``/robot_1/battery``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from py_trees.blackboard import Blackboard, Client  # noqa: TID251 - the one bridge to it
from py_trees.common import Access

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.programming_errors import code_failed
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.agent.sensors import OnFailure, Perceiver, Sensor, Sensors
from bthtn.engine.world.beliefs import Watch
from bthtn.engine.world.diff import Change
from bthtn.engine.world.expression import Expression
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import ExecutionError, nearest

Keys = Mapping[str, Expression[Any]]


@checked
def read_blackboard(
    sensors: Sensors[Any],
    keys: Keys,
    *,
    every: int | None = 1,
    on_failure: OnFailure = "keep",
    name: str = "blackboard",
) -> Sensor:
    """Add a sensor that reads keys of py_trees' blackboard: ``{"battery": Robot.battery}``.

    A key may name an attribute of a stored object, ``"pose.x"``. While a key is not set, its fluent
    keeps its value or, with ``on_failure="unknown"``, is unknown. A reading fails if a key is not
    set that no client may write. Other arguments, and errors, are those of ``Sensors.sensor``.
    """
    fluents = _fluents_by_key(keys)

    def reading(agent: Perceiver) -> Iterator[dict[Fluent[Any], Any]]:
        client = Client(name=f"{agent.name}: {name}")
        try:
            for key in fluents:
                client.register_key(key.partition(".")[0], Access.READ)
            while True:
                values = ((fluent, read(client, key)) for key, fluent in fluents.items())
                yield {fluent: value for fluent, found in values for value in found}
        finally:
            client.unregister(clear=False)

    def read(client: Client, key: str) -> tuple[Any, ...]:
        """The value of a key, or none to keep the belief."""
        try:
            return (client.get(key),)
        except KeyError:
            _check_is_written(key)
            return () if on_failure == "keep" else (UNKNOWN,)

    return sensors.sensor(*fluents.values(), every=every, on_failure=on_failure, name=name)(reading)


@checked
def show_on_blackboard(agent: Agent[Any, Any], keys: Keys) -> Callable[[], None]:
    """Keep keys of py_trees' blackboard equal to beliefs, ``{"goal": Robot.goal}``.

    The keys are written now and whenever one of the beliefs changes; the key of an unknown fluent
    is not set. No other client may write them. Returns a function that unsets the keys and ends
    this, as ``agent.close()`` does. Raises ExecutionError for a key that another client writes.
    """
    mirror = _Mirror(agent, _fluents_by_key(keys))
    runtime_of(agent).closing.callback(mirror.close)
    return mirror.close


class _Mirror(Watch):
    """A watch that writes each change to the blackboard at once."""

    __slots__ = ("_agent", "_client", "_keys")

    def __init__(self, agent: Agent[Any, Any], keys: Mapping[str, Fluent[Any]]) -> None:
        super().__init__(agent.beliefs, "")
        for fluent in keys.values():
            agent.beliefs.check(fluent, UNKNOWN)
        self._agent = agent
        self._client: Client | None = None
        self._keys = {fluent: key for key, fluent in keys.items()}
        client = Client(name=f"{agent.name}: beliefs")
        for key in keys:
            try:
                client.register_key(key, Access.EXCLUSIVE_WRITE)
            except AttributeError as error:
                client.unregister(clear=False)
                message = f"the blackboard key '{key}' has another client that writes it"
                hint = "use a key of the agent's own, such as '/robot_1/goal'"
                raise ExecutionError("BT315", message, str(error), hint) from None
        self._client = client
        self.over(keys.values())
        for fluent in keys.values():
            self._show(fluent, agent.beliefs.get(fluent))

    def note(
        self,
        fluent: Fluent[Any],
        source: str,  # noqa: ARG002 - every watch is called with it; all sources are shown
        change: Change,
    ) -> None:
        """Called by the beliefs when a watched fluent changes, from any source."""
        try:
            self._show(fluent, change[2])
        except Exception as error:  # noqa: BLE001 - a view must not disturb the agent
            super().close()
            self._agent.emit(code_failed("show_on_blackboard", error))

    def close(self) -> None:
        """Unset the keys, and end. Has no effect the second time."""
        super().close()
        client, self._client = self._client, None
        if client is not None:
            for key in self._keys.values():
                client.unset(key)
            client.unregister(clear=False)

    def _show(self, fluent: Fluent[Any], value: object) -> None:
        assert self._client is not None, "a mirror that was closed watches nothing"
        if value is UNKNOWN:
            self._client.unset(self._keys[fluent])
        else:
            self._client.set(self._keys[fluent], value)


def _fluents_by_key(keys: Mapping[Any, Any]) -> Mapping[str, Fluent[Any]]:
    """The same, if it is such a mapping. Raises ExecutionError."""
    for key, fluent in keys.items():
        if not (isinstance(key, str) and key.strip("/") and isinstance(fluent, Fluent)):
            message = f"{key!r}: {fluent!s} is no key of the blackboard with its fluent"
            raise ExecutionError("BT315", message, hint='write {"battery": Robot.battery}')
    return MappingProxyType(dict(keys))


def _check_is_written(key: str) -> None:
    """Raise ExecutionError for a key that is not set and that no client may write."""
    path = Blackboard.absolute_name("/", key.partition(".")[0])
    written = {
        known
        for known, access in Blackboard.metadata.items()
        if access.write or access.exclusive or known in Blackboard.storage
    }
    if path not in written:
        hint = nearest(path, written) or "register it for writing, or set it once"
        raise ExecutionError("BT315", f"no client writes the blackboard key '{path}'", hint=hint)
