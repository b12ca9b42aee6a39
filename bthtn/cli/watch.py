"""``bthtn watch``: runs a tree and shows it in a browser, or makes a page of a recording."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import Event
from types import FrameType

from bthtn.behaviours import Character
from bthtn.cli.handlers import handled_by
from bthtn.cli.printing import counted, say, write
from bthtn.cli.signals import exit_code
from bthtn.errors import InputError
from bthtn.testing.cases import unusable
from bthtn.testing.locate import Target, TargetKind, character_of, resolve
from bthtn.watch import Viewer, recording_page


def watch(
    what: str, *, port: int, seed: int, rate: float, paused: bool, output: Path | None
) -> int:
    """Watch a tree, or make a page of a recording. Raises BthtnError.

    Returns 0 for a page, 130 after Ctrl-C, 143 after SIGTERM.
    """
    if what.endswith((".jsonl", ".jsonl.gz")):
        file = output or Path("out") / f"{Path(what).name.partition('.')[0]}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        write(recording_page(Path(what)), file)
        say(f"{file}\nopen it in a browser")
        return 0
    target = resolve(what, TargetKind.TREE)
    character = character_of(target, seed)
    with Viewer(character, port=port, name=target.name, paused=paused) as viewer:
        say(f"{viewer.url}\nopen it in a browser; Ctrl-C ends the run")
        sys.stdout.flush()  # whoever reads a pipe waits for the address
        return exit_code(_Loop(character, target, viewer).run(1 / rate))


class _Loop:
    """Ticks a character for a viewer until a signal comes; when it is finished, waits for one."""

    def __init__(self, character: Character, target: Target, viewer: Viewer) -> None:
        self._character = character
        self._target = target
        self._viewer = viewer
        self._ended = Event()
        self._signals: list[int] = []

    def run(self, pause: float) -> int:
        """Tick after every pause. Returns the number of the signal."""
        with handled_by(self._on_signal):
            try:
                self._viewer.wait()
                while not self._ended.is_set() and not self._character.finished:
                    self._tick(pause)
                ticks = counted(self._character.ticks, "tick")
                self._viewer.end(f"finished after {ticks}", finished=self._character.finished)
                self._ended.wait()
            finally:
                self._character.stop()
        return self._signals[0]

    def _tick(self, pause: float) -> None:
        try:
            self._character.tick()
        except Exception as error:
            file = self._target.code or Path(self._target.name)
            raise InputError(unusable(file, error)) from error
        self._viewer.tick(pause)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        """The first signal ends the run after the current tick, and the second one the process."""
        self._signals.append(number)
        if len(self._signals) > 1:
            os._exit(exit_code(number))
        self._ended.set()
        self._viewer.release()
