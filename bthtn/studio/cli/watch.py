"""``bthtn watch``: runs a tree and shows it in a browser, or makes a page of a recording."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Annotated

from typer import Argument, Option

from bthtn.behaviours import Character
from bthtn.errors import unwritable
from bthtn.studio.cli.handlers import handled_by
from bthtn.studio.cli.options import RECORDINGS, TARGET, Output, Problem, Stub, with_problem
from bthtn.studio.cli.printing import SCREEN, check_name, deliver, refuse, say
from bthtn.studio.cli.run import ending_of, finished_text
from bthtn.studio.cli.signals import exit_code
from bthtn.studio.profile import Profile
from bthtn.studio.testing.characters import character_of, loaded_once
from bthtn.studio.testing.domain_files import unusable
from bthtn.studio.testing.locate import Target, TargetKind, resolve, stubbed
from bthtn.studio.watch import Viewer, recording_page


def watch(  # noqa: PLR0913 - one for each thing that can be typed
    what: Annotated[
        str, Argument(metavar="TREE|FILE", help=f"{TARGET} Or a recording: a .jsonl file.")
    ],
    problem: Problem = "",
    *,
    port: Annotated[int, Option(help="Port of the page; 0 is any free one.")] = 8737,
    seed: Annotated[int, Option(help="Seed of the simulated world.")] = 0,
    rate: Annotated[
        float, Option("--ticks-per-second", min=0.01, max=10_000, help="How fast it runs.")
    ] = 4,
    paused: Annotated[
        bool, Option("--paused", help="Begin paused, until a page lets it go on.")
    ] = False,
    profiled: Annotated[
        bool, Option("--profile", help="Show where the time goes: by node, operator, search, ….")
    ] = False,
    stub: Stub = False,
    output: Output = None,
) -> int:
    """Watch a tree, or make a page of a recording. Raises BthtnError.

    Returns 0 for a page, 130 after Ctrl-C, 143 after SIGTERM.
    """
    if what.endswith(RECORDINGS):
        of_runs = {"seed": seed, "paused": paused, "profile": profiled, "stub": stub}
        refuse(of_runs, "a recording", "it goes with a tree")
        if output is not None and output != SCREEN:
            check_name(output, "page", (".html", ".htm"))
        page = recording_page(Path(what))
        deliver(page, output or _page_in_out(Path(what)))
        say("open it in a browser")
        return 0
    hint = "make a recording, bthtn run TREE --record FILE, and name that"
    refuse({"output": output}, "a tree that is watched", hint)
    found = resolve(with_problem(what, problem), TargetKind.TREE)
    target = loaded_once(stubbed(found) if stub else found)
    character = character_of(target, seed)
    profile = Profile() if profiled else None
    with Viewer(character, port=port, name=target.name, paused=paused, profile=profile) as viewer:
        return exit_code(_watched(character, target, seed, viewer, 1 / rate, profile))


def _page_in_out(recording: Path) -> Path:
    """Where the page of a recording is written by default; makes the folder. Raises InputError."""
    page = Path("out") / f"{recording.name.partition('.')[0]}.html"
    try:
        page.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise unwritable(page, error) from None
    return page


def _watched(
    character: Character,
    target: Target,
    seed: int,
    viewer: Viewer,
    pause: float,
    profile: Profile | None,
) -> int:
    """Say the address, and tick until a signal comes; again, when a page wants that.

    Each run is profiled by itself, if one is. Returns the number of the signal.
    """
    ended, signals = Event(), list[int]()

    def on_signal(number: int, _: FrameType | None) -> None:
        """The first signal ends the run after the current tick, and the second one the process."""
        signals.append(number)
        if len(signals) > 1:
            os._exit(exit_code(number))
        ended.set()
        viewer.release()

    with handled_by(on_signal):  # before the address is said: whoever reads it may send a signal
        say(f"{viewer.url}\nopen it in a browser; Ctrl-C ends the run")
        sys.stdout.flush()  # whoever reads a pipe waits for it
        try:
            viewer.wait()
            with profile or nullcontext():
                _tick(character, target, viewer, pause, ended)
            while viewer.offer_again(
                finished_text(character.ticks, ending_of(character)), finished=character.finished
            ):
                character.stop()
                character, profile = character_of(target, seed), profile and Profile()
                viewer.begin(character, profile=profile)
                with profile or nullcontext():
                    _tick(character, target, viewer, pause, ended)
        finally:
            character.stop()
    return signals[0]


def _tick(character: Character, target: Target, viewer: Viewer, pause: float, ended: Event) -> None:
    """Tick after every pause until the run is over, or was ended."""
    while not ended.is_set() and not character.finished:
        try:
            character.tick()
        except Exception as error:
            raise unusable(target.code or Path(target.name), error) from error
        viewer.tick(pause)
