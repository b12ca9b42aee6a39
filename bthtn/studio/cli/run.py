"""``bthtn run``: ticks a tree with its agent in its simulated world."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress
from itertools import repeat
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Final

from py_trees.common import Status
from typer import Argument, Option

from bthtn.behaviours import Character
from bthtn.engine.agent.events import AgentEvent
from bthtn.engine.agent.programming_errors import give_up
from bthtn.engine.text.tree import ASCII, UNICODE
from bthtn.errors import InputError, exception_text, unwritable
from bthtn.kit.recording import Recorder
from bthtn.kit.recording.active import active_names
from bthtn.kit.recording.event_log import event_data
from bthtn.kit.recording.transcript import Transcript
from bthtn.studio.cli.album import Album
from bthtn.studio.cli.handlers import handled_by
from bthtn.studio.cli.options import (
    RECORDINGS,
    TARGET,
    AsJson,
    Problem,
    Stub,
    with_problem,
)
from bthtn.studio.cli.printing import (
    check_name,
    counted,
    is_unicode_screen,
    refuse,
    say,
    say_json,
    say_written,
    write,
)
from bthtn.studio.cli.reload import Reloading
from bthtn.studio.cli.scenarios import show_scenario
from bthtn.studio.cli.signals import exit_code
from bthtn.studio.profile import Profile
from bthtn.studio.testing.case_files import SCENARIO
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.domain_files import unusable
from bthtn.studio.testing.locate import Target, TargetKind, resolve, shown, stubbed
from bthtn.studio.views.timeline import HEADING, MARGIN, Line, Tick, TimelineRow, lines, rows, verbs

TICKS: Final = 200
FLAME_GRAPHS: Final = (".speedscope.json", ".json")
_IN_ASCII: Final = str.maketrans({"–": "-", "—": "-", "→": "->", "…": "...", "µ": "u"})
_STYLES: Final[Mapping[str, str]] = {
    "senses": "dim",
    "plan": "bold magenta",
    "keeps": "dim",
    "replaces": "bold yellow",
    "breaks": "bold yellow",
    "replans": "bold yellow",
    "drops": "bold red",
    "goal": "bold",
    "starts": "blue",
    "chooses": "bold blue",
    "done": "green",
    "fails": "red",
    "refuses": "yellow",
    "aborts": "red",
    "reloads": "bold yellow",
}


def play(  # noqa: PLR0913 - one for each thing that can be typed
    tree: Annotated[str, Argument(metavar="TREE", help=TARGET)],
    problem: Problem = "",
    *,
    ticks: Annotated[int | None, Option(min=1, help="Stop after so many ticks.")] = None,
    seed: Annotated[int, Option(help="Seed of the simulated world.")] = 0,
    out: Annotated[
        Path | None, Option(metavar="FOLDER", help="Draw the tree and each plan, in this folder.")
    ] = None,
    only: Annotated[
        str, Option(metavar="WORDS", help="Entries to print, such as plan,fails,goal.")
    ] = "",
    agent: Annotated[str, Option(metavar="NAME", help="Print only entries of this agent.")] = "",
    goal: Annotated[str, Option(metavar="NAME", help="Print only entries of a goal.")] = "",
    reload: Annotated[
        bool, Option("--reload", help="Take over edits of its files, ten ticks a second.")
    ] = False,
    record: Annotated[
        Path | None, Option(metavar="FILE", help="Record it; compressed if it ends in .gz.")
    ] = None,
    profiled: Annotated[
        bool, Option("--profile", help="Print where the time went: by node, operator, search, ….")
    ] = False,
    speedscope: Annotated[
        Path | None, Option(metavar="FILE", help="Write that as a flame graph, for speedscope.app.")
    ] = None,
    stub: Stub = False,
    as_json: AsJson = False,
) -> int:
    """Run a tree until its character is finished, or for at most so many ticks; or a scenario.

    Events are filtered as by ``rows``; JSON is not. With ``reload``, no run is too long.
    Returns 0 if it finished, 1 if not, 2 if its recording was given up, 130 after Ctrl-C, 143 after
    SIGTERM. Raises BthtnError.
    """
    filters = {"agent": agent, "goal": goal}
    if tree.endswith(SCENARIO):
        of_runs = {"ticks": ticks, "seed": seed, "out": out, "reload": reload, "record": record}
        of_runs |= {"profile": profiled, "speedscope": speedscope}
        hint = "write ticks and seed into its file"
        refuse({**of_runs, "only": only, **filters}, "a scenario", hint)
        return show_scenario(Path(tree), as_json=as_json)
    words = _words(only)
    tree = with_problem(tree, problem)
    if speedscope is not None:
        check_name(speedscope, "flame graph", FLAME_GRAPHS)
    target = resolve(tree, TargetKind.TREE)
    target = stubbed(target) if stub else target
    reloading = Reloading(tree, target, seed) if reload else None
    character = character_of(target, seed, *([None] if reload else []))
    _check_filters(filters, character)
    folder = None if out is None else _folder(out, target.name)
    album = None if out is None else Album(character, target.name)
    recorder = None
    if record is not None:
        check_name(record, "recording", RECORDINGS)
        typed = {"tree": tree, "ticks": ticks, "reload": reload}
        recorder = Recorder(record, character, name=target.name, seed=seed, run=typed)
    run = Run(
        target, character, ticks or (sys.maxsize if reload else TICKS), reloading, recorder, album
    )
    profile = Profile() if profiled or speedscope is not None else None
    with handled_by(run.on_signal), recorder or nullcontext(), profile or nullcontext():
        tick_values = _followed(run, words, filters, as_json=as_json)
    run.check()
    is_lost = recorder is not None and recorder.error is not None
    pictures = album.written(folder) if album is not None and folder is not None else ([], "")
    if as_json:
        head = {"format": "bthtn-run/1", "tree": target.name, "seed": seed}
        drawn = [shown(file) for file in pictures[0]]
        ended = {"finished": run.finished, **run.ending}
        times = {"profile": [row._asdict() for row in profile.rows]} if profile else {}
        say_json({**head, **ended, "ticks": tick_values, "pictures": drawn, **times})
    else:
        _say_outcome(run, None if is_lost else record, *pictures)
        if profiled:
            table = str(profile)
            say(f"\n{table if is_unicode_screen() else table.translate(_IN_ASCII)}")
    if profile is not None and speedscope is not None:
        write(json.dumps(profile.speedscope(target.name)), speedscope)
        if not as_json:
            say_written(speedscope)
    if run.signals:
        return exit_code(run.signals[0])
    return 2 if is_lost else int(not run.finished)


def _words(only: str) -> tuple[str, ...]:
    """The kinds of entries to print. Raises InputError for a slip."""
    words = tuple(filter(None, map(str.strip, only.split(","))))
    verbs(words)
    return words


def _followed(
    run: Run, only: tuple[str, ...], filters: Mapping[str, str], *, as_json: bool
) -> list[dict[str, Any]]:
    """Make the ticks of a run until Ctrl-C: they are printed, or else given as JSON."""
    tick_values: list[dict[str, Any]] = []
    try:
        with suppress(KeyboardInterrupt), closing(run.ticks()) as made:
            try:
                if as_json:
                    tick_values.extend(map(_tick_json, made))
                else:
                    _print_timeline(rows(made, only=only, **filters))
            except OSError:  # nobody reads on
                raise
            except Exception as error:  # noqa: BLE001 - a view must not end the run
                give_up("the timeline", error)
                deque(made, maxlen=0)
    finally:
        run.stop()  # if a signal came at the very moment in which the ticks were to do it
    return tick_values


def _say_outcome(run: Run, record: Path | None, files: list[Path], missing: str) -> None:
    recorded = "" if record is None else f"\nrecording: {shown(record)}"
    drawn = ""
    if files:
        plans = " to ".join(file.stem for file in (*files[1:2], *files[2:][-1:]))
        beside = f" and, beside it, {plans}" if plans else ""
        drawn = f"\npictures: {shown(files[0])}{beside}{missing}"
    say(f"\n{run.outcome()}{recorded}{drawn}")


class Run:
    """One run of a character, and its outcome; ``recorder`` records every tick."""

    def __init__(
        self,
        target: Target,
        character: Character,
        longest: int,
        reloading: Reloading | None = None,
        recorder: Recorder | Transcript | None = None,
        album: Album | None = None,
    ) -> None:
        self._album = album
        self.signals: list[int] = []
        self.finished = False
        self.ending: dict[str, str] = {}
        self._character = character
        self._longest = longest
        self._error: BaseException | None = None
        self._is_stopping = False
        self._reloading = reloading
        self._recorder = recorder
        self._edits = repeat(object=False) if reloading is None else reloading.edits()
        self._file = target.code or Path(target.name)

    def ticks(self) -> Generator[Tick]:
        """Tick until the run is over and yield every tick; then stop the character.

        The character is also stopped when the generator is closed.
        """
        character = self._character
        try:
            while (events := self._tick()) is not None:
                if self._recorder is not None:
                    self._recorder.tick()
                agent = character.agent
                time = None if agent.clock is None else agent.time()
                yield Tick(character.ticks, active_names(character.root), events, time)
        finally:
            events = self.stop()
            if self._recorder is not None:
                reason = "" if self._error is None else exception_text(self._error)
                self._recorder.end(finished=self.finished, reason=reason)
        if events:
            yield Tick(character.ticks, (), events)

    def stop(self) -> tuple[AgentEvent, ...]:
        """Stop the character once, which ends all operators; the events of that."""
        events: tuple[AgentEvent, ...] = ()
        if not self._is_stopping:
            self._is_stopping = True
            try:
                if self._album is not None:
                    self._album.close()
            except Exception as error:  # noqa: BLE001 - a view must not end the run
                give_up("the album", error)
            with self._contained():
                events = self._character.stop()
        return events

    def on_signal(self, number: int, _: FrameType | None) -> None:
        """The first signal ends the run after the current tick, and the second one ends the tick.

        The third ends the process, for an abort that hangs.
        """
        self.signals.append(number)
        match len(self.signals):
            case 1:
                pass
            case 2:
                if not self._is_stopping:
                    raise KeyboardInterrupt
            case _:
                os._exit(exit_code(self.signals[0]))

    def _tick(self) -> tuple[AgentEvent, ...] | None:
        """The events of one more tick; None if the run is over."""
        with self._contained():
            self.finished = self._character.finished
            self.ending = ending_of(self._character)  # before it is stopped
            late = self.signals or self._character.ticks >= self._longest
            if not self.finished and not late:
                if self._reloading is not None and next(self._edits):
                    self._character.reload(self._reloading.make)
                return self._character.tick()
        return None

    @contextmanager
    def _contained(self) -> Iterator[None]:
        """Keep the first exception of the user's tree and world, for ``check``."""
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - reported, once the operators have ended
            self._error = self._error or error

    def check(self) -> None:
        """Raise InputError if the tree or its world raised an exception."""
        if self._error is not None and not self.signals:
            raised = f"tick {self._character.ticks}: "
            raise unusable(self._file, self._error, raised) from self._error

    def outcome(self) -> str:
        """The outcome as text: finished, stopped or not finished."""
        ticks = counted(self._character.ticks, "tick")
        if self.finished:
            return finished_text(self._character.ticks, self.ending)
        if self.signals:
            return f"stopped after {ticks}"
        return f"not finished after {ticks}; give it more with --ticks"


def ending_of(character: Character) -> dict[str, str]:
    """The status with which the tree has ended the run, and the innermost node that has failed.

    Empty if something else ends the run.
    """
    if character.outcome is None:
        return {}
    node = character.root
    while failed := [child for child in node.children if child.status is Status.FAILURE]:
        node = failed[-1]
    is_below = character.outcome is Status.FAILURE and node is not character.root
    return {"status": character.outcome.name, **({"failed": node.name} if is_below else {})}


def finished_text(ticks: int, ending: Mapping[str, str]) -> str:
    """That a run is finished, and how its tree has ended, as text."""
    status = f": {ending['status']}" if ending else ""
    failed = f", as '{ending['failed']}' failed" if "failed" in ending else ""
    return f"finished after {counted(ticks, 'tick')}{status}{failed}"


def _folder(out: Path, name: str) -> Path:
    """Create the folder for pictures, or empty it of older ones. Raises InputError."""
    folder = out / re.sub(r"\W+", "-", name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            if re.fullmatch(r"plan-\d+\.(dot|svg)", old.name):
                old.unlink()
    except OSError as error:
        raise unwritable(f"to {folder}", error) from None
    return folder


def _check_filters(filters: Mapping[str, str], character: Character) -> None:
    """Raise InputError unless the agent and the goal, where they are named, are there."""
    goals = [node.name for node in character.root.iterate()]
    for what, known in (("agent", [*character.agents]), ("goal", goals)):
        name = filters[what]
        if name:
            message = f"--{what} {name}: no {what} is called {name!r}"
            InputError.require(name, known, "BT409", message)


def _print_timeline(timeline: Iterator[TimelineRow]) -> None:
    unicode = is_unicode_screen()
    print_line = (
        _colour_printer() if sys.stdout.isatty() and "NO_COLOR" not in os.environ else print
    )
    print_line(HEADING)
    for row in timeline:
        for line in lines(row, strokes=UNICODE if unicode else ASCII):
            print_line(line if unicode else str(line).translate(_IN_ASCII))


def _colour_printer() -> Callable[[Line | str], None]:
    from rich.console import Console  # noqa: PLC0415 - only on a screen
    from rich.text import Text  # noqa: PLC0415 - only for the screen

    def print_line(line: Line | str) -> None:
        text = Text(str(line))
        text.stylize(_STYLES.get(getattr(line, "verb", ""), ""), MARGIN)
        text.stylize("cyan", 0, MARGIN)
        console.print(text, soft_wrap=True)

    console = Console()
    return print_line


def _tick_json(tick: Tick) -> dict[str, Any]:
    events = [event_data(event) for event in tick.events]
    time = {} if tick.time is None else {"time": tick.time}
    return {"tick": tick.number, **time, "active": list(tick.active), "events": events}
