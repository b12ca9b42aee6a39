"""``bthtn test`` runs cases and scenarios; ``bthtn run X.scenario.toml`` shows one."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from errno import ENOENT
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

from typer import Argument, Option

from bthtn.engine.text.values import shortened
from bthtn.errors import InputError
from bthtn.kit.formats.document import unreadable
from bthtn.kit.formats.project import project_in
from bthtn.studio.batch.runner import run_batch
from bthtn.studio.cli.handlers import working
from bthtn.studio.cli.options import AsJson
from bthtn.studio.cli.printing import check_name, deliver, note, say, say_json
from bthtn.studio.testing.case_files import HOW_NAMED, SCENARIO, has_tests, is_ignored

TEST_FORMAT: Final = "bthtn-test/1"
FEW: Final = 50
"""Files that are run in this process unless told otherwise: to start others takes longer."""


@dataclass(frozen=True, slots=True)
class Result:
    """The fault of a test, and how its file was updated; empty texts if there is nothing to say."""

    name: str
    fault: str
    difference: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """Calls run the tests of a file, as in a folder; those that fail may be updated."""

    folder: str
    update: bool = False

    def __call__(self, file: Path) -> list[Result]:
        with project_in(self.folder).opened():
            return list(_results(file, update=self.update))


def run_all(
    paths: Annotated[
        list[Path] | None, Argument(metavar="PATHS", help="Files, folders and names; this folder.")
    ] = None,
    *,
    jobs: Annotated[
        int | None,
        Option(min=0, help="Processes; 0 is one per core. By default 1 for few files."),
    ] = None,
    update: Annotated[
        bool, Option("--update", help="Let those that fail expect what happens now.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    return test(paths or [], update=update, as_json=as_json, jobs=jobs)


def test(paths: list[Path], *, update: bool, as_json: bool, jobs: int | None) -> int:
    """Run the cases and scenarios in files and folders, and print the failures.

    With ``update``, those that fail expect the present events from now on, and the differences are
    printed. Unless ``jobs`` is given, more files than a few run on all cores. Returns 1 if a test
    has failed. Raises BthtnError for files that cannot be read, and where there is nothing to run.
    """
    files = [file for path in paths or [Path()] for file in _files_in(path)]
    if not files:
        where = ", ".join(map(str, paths)) or "this folder"
        hint = "name a folder that has some; cases.toml counts beside a domain.py or tree.xml"
        raise InputError("BT404", f"no cases.toml and no *{SCENARIO} in {where}", hint=hint)
    if jobs is None:
        jobs = 0 if len(files) > FEW and find_spec("joblib") else 1
    with working(jobs), closing(_all_results(files, jobs, update=update)) as found:
        results = [(file, result) for file, of_file in found for result in of_file]
    failed = [result for result in results if result[1].fault]
    if as_json:
        entries = [{"file": str(file), **_entry(result, update=update)} for file, result in results]
        say_json({"format": TEST_FORMAT, "tests": entries})
    else:
        for _, result in results:
            if result.difference:
                say(f"{result.difference}\n")
        for file, result in failed:
            say(f"{file}: {result.name}\n{result.fault}\n")
        say(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return int(bool(failed))


def _entry(result: Result, *, update: bool) -> dict[str, str]:
    shown = {"name": result.name, "fault": result.fault}
    return {**shown, "difference": result.difference} if update else shown


def _all_results(
    files: list[Path], jobs: int, *, update: bool
) -> Generator[tuple[Path, Iterable[Result]]]:
    if jobs == 1:
        yield from ((file, _results(file, update=update)) for file in files)
        return
    suite = Suite(os.path.realpath(os.curdir), update)
    with closing(run_batch(suite, files, note)) as results:
        yield from zip(files, results, strict=True)


def show_scenario(file: Path, *, as_json: bool) -> int:
    """Print the timeline of a scenario, or case, and its fault. Returns 1 if it has one."""
    from bthtn.kit.recording.event_log import event_data  # noqa: PLC0415 - loads py_trees
    from bthtn.studio.testing.scenario import play  # noqa: PLC0415 - loads py_trees
    from bthtn.studio.testing.scenario_files import read_scenario  # noqa: PLC0415 - loads py_trees

    played = play(read_scenario(file))
    if as_json:
        events = [
            event_data(event, tick=tick.number) for tick in played.ticks for event in tick.events
        ]
        say_json(
            {"format": TEST_FORMAT, "file": str(file), "fault": played.fault, "events": events}
        )
    else:
        shown = [played.timeline, played.fault or "as expected"]
        say("\n\n".join(filter(None, shown)))  # a case has no timeline
    return int(bool(played.fault))


def write_scenario(
    file: Path, scenario: Path, tick: int | None, agent: str, typed: str = ""
) -> None:
    """Write the steps of a recorded agent as a scenario, of a tree that was typed if one was.

    Raises InputError, also for a tree that the scenario could not name.
    """
    from bthtn.kit.recording import Recording  # noqa: PLC0415 - loads py_trees
    from bthtn.studio.testing import recorded_scenario as recorded  # noqa: PLC0415 - likewise
    from bthtn.studio.testing.locate import TargetKind, named_in, resolve  # noqa: PLC0415 - for names
    from bthtn.studio.testing.scenario_toml import tree_entry  # noqa: PLC0415 - loads py_trees

    check_name(scenario, "scenario", (SCENARIO,))
    recording = Recording.read(file)
    entry = recorded.tree_of(recording)
    if typed:
        entry = tree_entry(resolve(typed, TargetKind.TREE), typed, scenario)
    else:
        try:
            named_in(scenario, entry, TargetKind.TREE)
        except InputError:
            tree = shortened(repr(entry))
            message = f"{file} is of the tree {tree}, which {scenario} cannot name"
            hint = f"name it as from here: bthtn replay {file} TREE --scenario {scenario}"
            raise InputError("BT461", message, hint=hint) from None
    deliver(recorded.scenario_of(recording, entry, agent=agent, tick=tick), scenario)


def _files_in(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        for folder in dict.fromkeys(_folders_called(path)):
            yield from _files_in(folder)
        return
    for file in sorted(path.rglob("*.toml")):
        is_hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
        if is_hidden:
            continue
        if has_tests(file):
            yield file
        elif is_ignored(file):
            note(f"nothing reads {file}: {HOW_NAMED}")


def _folders_called(path: Path) -> list[Path]:
    """The folders of the domain and the tree of a name.

    Raises InputError with the nearest name where there is no such file, domain or tree.
    """
    from bthtn.studio.testing.locate import TargetKind, resolve_all, shown  # noqa: PLC0415 - for names

    kinds = (TargetKind.DOMAIN, TargetKind.TREE)
    if path.suffix or str(path.parent) not in (".", *(kind.folder for kind in kinds)):
        raise unreadable(path, FileNotFoundError(ENOENT, os.strerror(ENOENT)))
    found = resolve_all(str(path), *kinds)
    return [Path(shown(target.file.parent)) for target in found if target.file is not None]


def _results(file: Path, *, update: bool) -> Iterator[Result]:
    """The results of the tests of a file, of which those that fail are updated where asked for."""
    from bthtn.studio.testing.file_tests import read_tests  # noqa: PLC0415 - loads the planners

    for test in read_tests(file):
        yield Result(test.test.name, *test.run(update=update))
