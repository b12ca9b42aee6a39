"""``bthtn play``: a game in the browser, whose guards think here."""

from __future__ import annotations

import os
import sys
import webbrowser
from threading import Event
from types import FrameType
from typing import Annotated, Final

from typer import Argument, Option

from bthtn.errors import InputError
from bthtn.studio.cli.handlers import handled_by
from bthtn.studio.cli.printing import say
from bthtn.studio.cli.signals import exit_code
from bthtn.studio.play import TREE, Arena
from bthtn.studio.testing.characters import character_of, loaded_once
from bthtn.studio.testing.locate import TargetKind, resolve

GAMES: Final = ("arena",)


def play(
    game: Annotated[str, Argument(help="arena: guards, an intruder, and walls to drag about.")],
    *,
    port: Annotated[int, Option(help="Port of the page; 0 is any free one.")] = 8738,
    browser: Annotated[
        bool, Option(help="Open it in the browser, where there is a screen.")
    ] = True,
) -> int:
    """Serve a game until a signal comes. Raises BthtnError.

    Returns 130 after Ctrl-C, 143 after SIGTERM.
    """
    InputError.require(game, GAMES, "BT401", f"there is no game '{game}'")
    guards = loaded_once(resolve(TREE, TargetKind.TREE))
    ended, signals = Event(), list[int]()

    def on_signal(number: int, _: FrameType | None) -> None:
        signals.append(number)
        ended.set()

    with Arena(lambda seed: character_of(guards, seed), port=port) as arena, handled_by(on_signal):
        say(f"{arena.url}\nopen it in a browser; Ctrl-C ends the game")
        sys.stdout.flush()  # whoever reads a pipe waits for the address
        if browser and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            webbrowser.open(arena.url)
        ended.wait()
    return exit_code(signals[0])
