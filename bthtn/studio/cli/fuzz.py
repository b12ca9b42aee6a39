"""``bthtn fuzz``: searches for a scenario in which a character breaks an invariant."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from errno import ENOENT
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Argument, Option

from bthtn.errors import InputError, unwritable
from bthtn.kit.formats.project import project_in
from bthtn.studio.batch.resume import Kept, resumed
from bthtn.studio.batch.runner import package_of
from bthtn.studio.cli import options
from bthtn.studio.cli.handlers import working
from bthtn.studio.cli.printing import check_name, counted, note, say, say_json, with_progress, write
from bthtn.studio.testing.case_files import SCENARIO
from bthtn.studio.testing.characters import character_of, invariants_of, loaded_once
from bthtn.studio.testing.locate import Target, TargetKind, resolve
from bthtn.studio.testing.scenario_toml import scenario_text, tree_entry

if TYPE_CHECKING:  # it needs Hypothesis
    from bthtn.studio.fuzzing import Material

FORMAT: Final = "bthtn-fuzz/1"
RUNS: Final = 25
"""Runs of a round, which has a seed of its own."""
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rounds:
    """Calls make a round: runs of a tree in a folder, with beliefs and others left alone.

    ``entry`` is what a scenario calls the tree.
    """

    tree: str
    entry: str
    folder: str
    ticks: int
    fixed: tuple[str, ...] = ()

    def __call__(self, number: int) -> Row:
        """The fault that a round has found, and the scenario that shows it; both empty if none."""
        from bthtn.studio.fuzzing import find_failure, scenarios  # noqa: PLC0415 - needs Hypothesis
        from bthtn.studio.fuzzing.rounds import nothing_kept  # noqa: PLC0415 - needs Hypothesis

        with project_in(self.folder).opened():
            target, material = _material(self)
            drawn = scenarios(material, ticks=self.ticks, invariants=invariants_of(target))
            with nothing_kept():
                found = find_failure(drawn, runs=RUNS, seed=number)
        if found is None:
            return {"round": number, "fault": "", "scenario": ""}
        shown = scenario_text(found.scenario, self.entry)
        return {"round": number, "fault": found.fault, "scenario": shown}

    def prepared(self) -> str:
        """Find the material to draw of. Returns a digest of the files. Raises BthtnError."""
        project = project_in(self.folder)
        with project.opened():
            _material(self)
        return project.digest()


def fuzz(  # noqa: PLR0913 - one for each thing that can be typed
    tree: Annotated[str, Argument(metavar="TREE", help=options.TARGET)],
    *,
    runs: Annotated[int, Option(min=1, help="Stop after so many runs.")] = 1000,
    seconds: Annotated[
        float | None, Option(min=0, help="Stop after so many seconds, at the end of a round.")
    ] = None,
    seed: Annotated[int, Option(min=0, help="The first round.")] = 0,
    ticks: Annotated[int, Option(min=1, help="Stop a run after so many ticks.")] = 60,
    fixed: Annotated[
        list[str] | None, Option(metavar="NAME", help="Leave a fluent, step or goal alone.")
    ] = None,
    scenario: Annotated[
        Path | None, Option(metavar="FILE", help="The scenario that is written at a failure.")
    ] = None,
    jobs: options.Jobs = 0,
    output: Annotated[Path | None, options.kept("round")] = None,
    as_json: options.AsJson = False,
) -> int:
    """Make rounds until one fails, and write its scenario. Returns 1 if one does, else 0.

    Raises BthtnError for a tree that cannot be used, or that the scenario could not name, and for
    files that cannot be written.
    """
    package_of("hypothesis", "pip install 'bthtn[fuzz]'")
    found = resolve(tree, TargetKind.TREE)
    file = scenario or Path(f"{found.name}_fuzz{SCENARIO}")
    check_name(file, "scenario", (SCENARIO,))
    if not file.parent.is_dir():
        raise unwritable(file, FileNotFoundError(ENOENT, os.strerror(ENOENT)))
    entry = tree_entry(found, tree, file)
    rounds = Rounds(tree, entry, os.path.realpath(os.curdir), ticks, tuple(fixed or ()))
    numbers = range(seed, seed - (-runs // RUNS))
    about = {"rounds": asdict(rounds), "files": rounds.prepared()}
    kept = None if output is None else Kept(output, about, "round")
    made, failed = 0, None
    until = None if seconds is None else perf_counter() + seconds
    with working(jobs), closing(resumed(rounds, numbers, kept, note)) as results:
        for row in with_progress(results, "rounds", len(numbers)):
            made += 1
            failed = row if row["fault"] else None
            if failed or (until is not None and perf_counter() > until):
                break
    if failed is not None:
        write(failed["scenario"], file)
    _say(failed, made, file, as_json=as_json)
    return int(failed is not None)


def _say(failed: Row | None, made: int, file: Path, *, as_json: bool) -> None:
    runs = made * RUNS
    if as_json:
        fault, written = ("", None) if failed is None else (failed["fault"], str(file))
        say_json({"format": FORMAT, "runs": runs, "fault": fault, "scenario": written})
    elif failed is None:
        say(f"{counted(runs, 'run')}, nothing found")
    else:
        say(f"{failed['fault']}\n\nfound in at most {runs} runs\nwrote {file}: bthtn test {file}")


@cache
def _material(rounds: Rounds) -> tuple[Target, Material]:
    """The tree, loaded once in each process, and the material to draw scenarios of."""
    from bthtn.studio.fuzzing import material_of  # noqa: PLC0415 - needs Hypothesis

    target = loaded_once(resolve(rounds.tree, TargetKind.TREE))
    material = material_of(partial(character_of, target), ticks=rounds.ticks)
    known = [*material.beliefs, *material.steps, *material.goals]
    for name in rounds.fixed:
        InputError.require(name, known, "BT409", f"nothing is drawn for '{name}' anyway")
    return target, material.without(rounds.fixed)
