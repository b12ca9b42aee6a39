"""Decorators of drawn tasks in XML, by the tags of trees and plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from sys import maxsize
from typing import Any, Final

from bthtn.engine.domain.decorate import cooldown, force_success, invert, retry, timeout
from bthtn.engine.domain.network import NetworkLike
from bthtn.engine.domain.number import seconds
from bthtn.engine.text.values import shortened, value_from
from bthtn.engine.world.expression import Parameter
from bthtn.errors import InputError

Decorate = Callable[[NetworkLike], NetworkLike]

_WITHOUT_NUMBER: Final[Mapping[str, Decorate]] = {"Inverter": invert, "ForceSuccess": force_success}
_BY_PORT: Final[Mapping[str, Mapping[str, Callable[[Any], Decorate]]]] = {
    "Timeout": {"msec": lambda number: partial(timeout, seconds(number / 1_000))},
    "TimeoutTicks": {"ticks": lambda number: partial(timeout, number)},
    "RetryUntilSuccessful": {"num_attempts": lambda number: partial(retry, number)},
    "Cooldown": {
        "ticks": lambda number: partial(cooldown, number),
        "seconds": lambda number: partial(cooldown, seconds(number)),
    },
}
DECORATORS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(_WITHOUT_NUMBER, ("name",)),
    **{tag: ("name", *ports) for tag, ports in _BY_PORT.items()},
}
"""The attributes of the decorators."""


def decorate_from(tag: str, given: Mapping[str, str]) -> Decorate:
    """The function that decorates a part, by tag and attributes. Raises InputError."""
    if tag in _WITHOUT_NUMBER:
        return _WITHOUT_NUMBER[tag]
    ports = _BY_PORT[tag]
    found = [port for port in ports if port in given]
    if len(found) != 1:
        hint = "write " + " or ".join(f'{port}="3"' for port in ports)
        raise InputError("BT420", f"<{tag}> has {len(found) or 'no'} numbers", hint=hint)
    (port,) = found
    number = value_from(given[port], Parameter(port, 0, float))
    if not 0 < number < maxsize:
        message = f"'{port}' of <{tag}> is {shortened(given[port])}"
        raise InputError("BT420", message, hint="write a number above zero")
    return ports[port](number)
