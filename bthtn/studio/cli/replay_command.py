"""``bthtn replay``: repeats a recorded run, and compares line by line."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

from typer import Argument, Option

from bthtn.engine.text.values import shortened
from bthtn.errors import InputError
from bthtn.kit.recording.comparison import LineComparison
from bthtn.kit.recording.recorded import line_of, whole_lines
from bthtn.kit.recording.transcript import Transcript
from bthtn.studio.cli.handlers import handled_by
from bthtn.studio.cli.options import AsJson
from bthtn.studio.cli.printing import counted, refuse, say, say_json
from bthtn.studio.cli.run import TICKS, Run
from bthtn.studio.cli.scenarios import write_scenario
from bthtn.studio.cli.signals import exit_code
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.locate import TargetKind, listed, resolve

WIDTH: Final = 300
"""Characters of a line that are printed."""


def replay(
    file: Annotated[Path, Argument(metavar="FILE", help="A recording.")],
    tree: Annotated[
        str, Argument(metavar="TREE", help="Its tree, where bthtn list does not show it.")
    ] = "",
    *,
    scenario: Annotated[
        Path | None, Option(metavar="FILE", help="Write it as a scenario instead.")
    ] = None,
    tick: Annotated[int | None, Option(help="Of the scenario: the last tick.")] = None,
    agent: Annotated[str, Option(help="Of the scenario: whose plans and steps.")] = "",
    as_json: AsJson = False,
) -> int:
    """Run the recorded tree again, with its seed, for as many ticks, and compare every line.

    A recording may come from somebody else: of the trees that it can name, only those that
    ``bthtn list`` shows are loaded, any other one only if it is typed, too.

    Or write it as a scenario. Returns 0 if all lines are the same, 1 at the first difference, 130
    after Ctrl-C, 143 after SIGTERM. Raises InputError for a file that is no recording, or not one
    of ``bthtn run``.
    """
    if scenario is not None:
        write_scenario(file, scenario, tick, agent, tree)
        return 0
    refuse({"tick": tick, "agent": agent}, "a replay", "it goes with --scenario FILE")
    head, last = _ends(file)
    recorded, seed, ticks = _inputs(file, head, last)
    target = resolve(tree, TargetKind.TREE) if tree else listed(recorded, TargetKind.TREE)
    if target is None:
        message = (
            f"{file} is of the tree {shortened(repr(recorded))}, which bthtn list does not show"
        )
        hint = f"if you trust that tree's code, name it: bthtn replay {file} TREE"
        raise InputError("BT461", message, hint=hint)
    character = character_of(target, seed)
    about = {key: value for key, value in head.items() if key not in ("recording", "agents")}
    comparison = LineComparison(whole_lines(file))
    transcript = Transcript([character], about)
    transcript.begin(comparison.take)
    run = Run(target, character, ticks, recorder=transcript)
    with handled_by(run.on_signal), closing(run.ticks()) as made:
        while not comparison.is_over and next(made, None) is not None:
            pass
    if run.signals:
        return exit_code(run.signals[0])
    comparison.close()
    _say(comparison, as_json=as_json, is_whole="end" in last)
    return int(comparison.difference is not None)


def _ends(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first and the last line of a recording."""
    lines = enumerate(whole_lines(file), 1)
    first = next(lines)
    ends = (first, *(deque(lines, maxlen=1) or [first]))
    head, last = (line_of(text, f"{file}:{number}") for number, text in ends)
    return head, last


def _inputs(file: Path, head: dict[str, Any], last: dict[str, Any]) -> tuple[str, int, int]:
    """Tree, seed and number of ticks of a recorded run. Raises InputError if it has none."""
    match head:
        case {"run": {"tree": str(tree), "reload": False, "ticks": None | int() as most}}:
            pass
        case {"run": {"reload": True}}:
            raise _no_run(file, "files were edited while it ran")
        case _:
            raise _no_run(file, "'bthtn run' has not made it")
    seed = head.get("seed")
    if not isinstance(seed, int):
        raise _no_run(file, "it has no seed")
    end = last.get("end", most or TICKS)
    if not isinstance(end, int) or end < 0:
        raise _no_run(file, f"its end is {shortened(repr(end))}")
    return tree, seed, end + bool(last.get("reason"))  # a tick that raised is not counted


def _no_run(file: Path, why: str) -> InputError:
    hint = "Recording.read(file) reads it; what 'bthtn run TREE --record FILE' writes can be run"
    return InputError("BT461", f"{file} cannot be run again: {why}", hint=hint)


def _say(comparison: LineComparison, *, as_json: bool, is_whole: bool) -> None:
    found = comparison.difference
    if as_json:
        say_json(
            {
                "format": "bthtn-replay/1",
                "same": found is None,
                "whole": is_whole,
                "ticks": comparison.ticks,
                "events": comparison.events,
                "difference": found and asdict(found),
            }
        )
        return
    same = f"{counted(comparison.ticks, 'tick')}, {counted(comparison.events, 'event')}"
    if found is None:
        far = "" if is_whole else " as far as the recording goes"
        say(f"the same{far}: {same}")
        return
    say(f"the first difference is in tick {found.tick}: {found.cause}")
    for name, line in (("recorded", found.recorded), ("replayed", found.replayed)):
        shown = line if len(line) <= WIDTH else f"{line[:WIDTH]}…"
        say(f"  {name}  {shown or 'nothing'}")
