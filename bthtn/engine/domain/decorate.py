"""Decorated parts of a network, as authors write them.

    network ::= … | timeout(time, network, …) | retry(tries, network, …)
              | cooldown(time, network, …) | invert(task(…)) | force_success(network, …)

They are planned as the part that they decorate. When the plan is run, the decorator is a
behaviour around the part. The last one is an alternative to nothing.
"""

from __future__ import annotations

from math import inf

from bthtn.engine.domain.decorator import (
    CooldownDecorator,
    Decorator,
    InvertDecorator,
    RetryDecorator,
    TimeoutDecorator,
    opening_text,
)
from bthtn.engine.domain.network import (
    NULL,
    Construct,
    Network,
    NetworkLike,
    network_from,
    network_text,
    priority,
    sequence,
    some_parts,
)
from bthtn.engine.domain.number import Seconds
from bthtn.engine.domain.task import PrimitiveTask, TaskCall
from bthtn.engine.world.expression import Binding
from bthtn.errors import DomainError
from bthtn.records import record


@record(eq=False)
class DecoratedPart(Construct):
    """A part that is planned as it is, and run with a decorator."""

    decorator: Decorator
    parts: tuple[Network, ...]
    word: str

    def text(self, binding: Binding | None = None) -> str:
        return f"{opening_text(self.decorator)}{network_text(self.parts[0], binding)})"


def timeout(time: int | Seconds, *parts: NetworkLike) -> Construct:
    """The networks in order; when they have run for so many ticks they are aborted, and fail.

    With 3 they are ticked three times at most; with ``seconds(3)`` until so much time of the
    agent's clock has passed. Planning does not compare the time with durations, which are
    estimates. Raises DomainError for anything but a whole number of ticks above zero, or seconds.
    """
    return _decorated(TimeoutDecorator(_time(TimeoutDecorator.word, time)), parts)


def retry(tries: int, *parts: NetworkLike) -> Construct:
    """The networks in order; when a step has failed they begin again, so many tries in all.

    A try begins in the tick after that in which the one before has failed, with the first step of
    the same plan. With a ``defer`` in it, that task is planned anew for every try. Raises
    DomainError for anything but a whole number above zero.
    """
    return _decorated(RetryDecorator(_whole(RetryDecorator.word, tries, "tries")), parts)


def cooldown(time: int | Seconds, *parts: NetworkLike) -> Construct:
    """The networks in order; for so many ticks after a success, the goal does without them.

    Plans of the goal avoid the part until then, for the arguments of the task that it is written
    in. The time may be given in ``seconds(…)``. Raises DomainError for anything but a whole number
    of ticks above zero, or seconds.
    """
    return _decorated(CooldownDecorator(_time(CooldownDecorator.word, time)), parts)


def force_success(*parts: NetworkLike) -> Network:
    """The networks in order; if they fail, the plan goes on all the same.

    It is ``priority((…), null())``: all that the networks would write is unknown behind them.
    """
    return priority(sequence(*some_parts("force_success", parts)), NULL)


def invert(call: NetworkLike) -> Construct:
    """A primitive task that is expected to fail: the plan goes on when it does, else it fails.

    Raises DomainError for anything but a call of a primitive task without effects: it has none
    when it fails.
    """
    part = network_from(call)
    if not (isinstance(part, TaskCall) and isinstance(part.task, PrimitiveTask)):
        message = f"invert cannot stand around {network_text(part)}, which could end in many places"
        hint = "write invert around one primitive task: invert(sees_player())"
        raise DomainError("BT131", message, hint=hint)
    written = (*part.task.effects, *part.task.expected)
    if written:
        message = f"'{part.task.name}' is to fail, and would do {written[0]}"
        hint = "leave out invert, or the effects; actual=… and on_failure=… are not planned with"
        raise DomainError("BT131", message, where="invert", hint=hint)
    return _decorated(InvertDecorator(), (part,))


def _time(word: str, time: object) -> int | Seconds:
    length = time.length if isinstance(time, Seconds) else None
    if isinstance(time, Seconds) and isinstance(length, int | float) and 0 < length < inf:
        return time
    return _whole(word, time, "ticks")


def _whole(word: str, number: object, unit: str) -> int:
    if isinstance(number, int) and not isinstance(number, bool) and number > 0:
        return number
    given = str(number) if isinstance(number, TaskCall) else repr(number)
    message = f"{word} is given {given} instead of a number of {unit}"
    other = f" or {word}(seconds(2.5), …)" if unit == "ticks" else ""
    hint = f"write a whole number above zero first: {word}(3, …){other}"
    raise DomainError("BT130", message, hint=hint)


def _decorated(decorator: Decorator, parts: tuple[NetworkLike, ...]) -> Construct:
    part = sequence(*some_parts(decorator.word, parts))
    return DecoratedPart(decorator, (part,), decorator.word)
