"""Handlers of the signals that end the command, for a part of it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import typer

from bthtn.studio.batch.runner import on_cores
from bthtn.studio.cli.signals import ENDING, exit_code


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


@contextmanager
def working(jobs: int) -> Iterator[None]:
    """Inside, batches run in so many processes, see ``on_cores``.

    A signal ends those, and then this one; with one job it ends this one at once. Raises
    InputError.
    """
    if jobs == 1:
        yield
        return
    with interrupted(), on_cores(jobs):  # on its way out, joblib ends its processes
        yield


@contextmanager
def interrupted() -> Iterator[None]:
    """Inside, a signal raises KeyboardInterrupt, so that what is open is closed before the end.

    The second signal ends the process at once.
    """
    received: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        received.append(number)
        if len(received) > 1:
            os._exit(exit_code(number))
        raise KeyboardInterrupt

    with handled_by(interrupt):
        try:
            yield
        except KeyboardInterrupt:
            raise typer.Exit(exit_code(received[0])) from None
