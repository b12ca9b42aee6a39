"""Handlers of the signals that end the command, for a part of it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from bthtn.cli.signals import ENDING


@contextmanager
def handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Inside, the signals call this function."""
    before = {number: signal.signal(number, handler) for number in ENDING}
    try:
        yield
    finally:
        for number, handler_before in before.items():
            signal.signal(number, handler_before)


@contextmanager
def postponed() -> Iterator[None]:
    """A signal that comes inside has its effect afterwards."""
    received: list[int] = []
    with handled_by(lambda number, _: received.append(number)):
        yield
    if received:
        signal.raise_signal(received[0])
