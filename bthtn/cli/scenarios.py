"""``bthtn test`` runs cases and scenarios; ``bthtn run X.scenario.toml`` shows one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from bthtn.batch import Deaths, Workers, run_batch
from bthtn.cli.printing import note, say, say_json, write
from bthtn.errors import BthtnError, Diagnostic, InputError
from bthtn.formats.project import project_in
from bthtn.testing.case_files import SCENARIO, domain_file_of

TEST_FORMAT: Final = "bthtn-test/1"
FEW: Final = 50
"""Files that are run in this process unless told otherwise: to start others takes longer."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Calls run the tests of a file, as in a folder."""

    folder: str

    def __call__(self, file: Path) -> list[tuple[str, str]]:
        """The names of the tests, each with its fault: empty if it passes."""
        with project_in(self.folder).opened():
            return list(_results(file))


def test(paths: list[Path], *, as_json: bool, workers: Workers | None) -> int:
    """Run the cases and scenarios in files and folders, and print the failures.

    Without workers, those of this machine run more files than a few. Returns 1 if a test has
    failed. Raises BthtnError for files that cannot be read, and where there is nothing to run.
    """
    files = [file for path in paths or [Path()] for file in _files_in(path)]
    if not files:
        message = (
            f"no cases.toml and no *{SCENARIO} in {', '.join(map(str, paths)) or 'this folder'}"
        )
        raise InputError(Diagnostic("BT404", message, hint="name a folder that has some"))
    if workers is None:
        workers = Workers(-1 if len(files) > FEW and find_spec("joblib") else 1)
    results = [(file, *one) for file, found in _all_results(files, workers) for one in found]
    failed = [one for one in results if one[2]]
    if as_json:
        entries = [
            {"file": str(file), "name": name, "fault": fault} for file, name, fault in results
        ]
        say_json({"format": TEST_FORMAT, "tests": entries})
    else:
        for file, name, fault in failed:
            say(f"{file}: {name}\n{fault}\n")
        say(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return int(bool(failed))


def _all_results(
    files: list[Path], workers: Workers
) -> Iterator[tuple[Path, Iterable[tuple[str, str]]]]:
    """The files, each with the names of its tests and their faults."""
    if workers == Workers(1):
        yield from ((file, _results(file)) for file in files)
        return
    suite = Suite(os.path.realpath(os.curdir))
    yield from zip(files, run_batch(suite, files, workers, Deaths(note)), strict=True)


def show_scenario(file: Path, *, as_json: bool) -> int:
    """Print the timeline of a scenario, and its fault. Returns 1 if it has one."""
    from bthtn.testing.scenario import play  # noqa: PLC0415 - loads py_trees
    from bthtn.testing.scenario_files import read_scenario  # noqa: PLC0415 - as above
    from bthtn.views.event_log import event_data  # noqa: PLC0415 - as above

    played = play(read_scenario(file))
    if as_json:
        events = [event_data(one, tick=tick.number) for tick in played.ticks for one in tick.events]
        say_json(
            {"format": TEST_FORMAT, "file": str(file), "fault": played.fault, "events": events}
        )
    else:
        say(f"{played.timeline}\n\n{played.fault or 'as expected'}")
    return int(bool(played.fault))


def write_scenario(file: Path, scenario: Path, tick: int | None, agent: str) -> None:
    """Write the steps of a recorded agent as a scenario. Raises InputError."""
    from bthtn.recording import Recording  # noqa: PLC0415 - loads py_trees
    from bthtn.testing.recorded_scenario import scenario_of  # noqa: PLC0415 - as above

    if not scenario.name.endswith(SCENARIO):
        message = f"{scenario} is no name of a scenario"
        raise InputError(Diagnostic("BT409", message, hint=f"let it end in {SCENARIO}"))
    write(scenario_of(Recording.read(file), agent=agent, tick=tick), scenario)
    say(f"wrote {scenario}")


def _files_in(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        message = f"there is no file or folder {path}"
        raise InputError(Diagnostic("BT404", message, hint="is the path right?"))
    for file in sorted(path.rglob("*.toml")):
        is_hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
        domain = domain_file_of(file)
        is_cases = domain is not None and domain.is_file()
        if not is_hidden and (is_cases or file.name.endswith(SCENARIO)):
            yield file


def _results(file: Path) -> Iterator[tuple[str, str]]:
    """The names of the tests of a file, each with its fault: empty if it passes."""
    if file.name.endswith(SCENARIO):
        from bthtn.testing.scenario import play  # noqa: PLC0415 - loads py_trees
        from bthtn.testing.scenario_files import read_scenario  # noqa: PLC0415 - as above

        scenario = read_scenario(file)
        yield scenario.name, play(scenario).fault
        return
    from bthtn.testing.cases import domain_at, fault_of, name_of, read_cases  # noqa: PLC0415 - as above

    domain = domain_file_of(file)
    if domain is None:
        message = f"{file} has neither cases nor a scenario"
        hint = f"its name is to be cases.toml, *_cases.toml or *{SCENARIO}"
        raise InputError(Diagnostic("BT404", message, hint=hint))
    for case in read_cases(file, domain_at(domain, name_of(domain))):
        try:
            fault = fault_of(case)
        except BthtnError as error:
            fault = str(error)
        yield case.name, fault
