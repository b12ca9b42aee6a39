"""The signals that end the command: SIGINT, which is Ctrl-C, and SIGTERM.

Where nothing has to be undone, they end the process at once. Python's own answer to Ctrl-C, an
exception, may come up in a callback of the import system or of the garbage collector, where it is
printed and lost. This module is imported first, so it imports nothing that is not loaded already:
``_signal`` is the built-in part of ``signal``, the rest of which takes longer than all that comes
before it.
"""

import _signal as signal  # type: ignore[import-not-found]  # typeshed lacks it
import os

ENDING = (signal.SIGINT, signal.SIGTERM)


def exit_code(number: int) -> int:
    """The exit code of a program that this signal ended, as shells count."""
    return 128 + number


def end_at_once() -> None:
    """From now on each of the signals ends the process, unless it is ignored."""
    for number in ENDING:
        # `nohup` and shells that start a job in the background ignore signals on its behalf.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, _: object) -> None:
    os._exit(exit_code(number))
