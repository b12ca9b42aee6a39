"""The tests in files of cases and of scenarios, as pytest and ``bthtn test`` run them.

Cases need no behaviours: the modules for scenarios are imported once there is one, or a file to
update.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.errors import InputError
from bthtn.studio.testing.case_files import SCENARIO, domain_file_of
from bthtn.studio.testing.cases import Case, fault_of, read_cases
from bthtn.studio.testing.locate import domain_in

if TYPE_CHECKING:
    from bthtn.behaviours import Character
    from bthtn.studio.testing.scenario import Scenario
    from bthtn.studio.testing.updating import Updated

Watch = Callable[[Path, str, "Character"], None]
"""A function that counts the runs of scenarios, called with file, tree and character."""


@dataclass(frozen=True, slots=True)
class FileTest:
    """A case, with the main domain of its file, or a scenario.

    ``fault`` plans or plays: what is wrong, or an empty text. ``update`` lets the file expect what
    happens now.
    """

    name: str
    fault: Callable[[], str]
    update: Callable[[], Updated]
    line: int = 1
    case: Case | None = None
    domain: FrozenDomain | None = None
    scenario: Scenario | None = None

    def run(self, *, update: bool) -> tuple[str, str]:
        """The fault, and the difference that an update of the file has made."""
        fault = self.fault()
        return self.update() if fault and update else (fault, "")


def read_tests(file: Path, watch: Watch | None = None) -> Iterator[FileTest]:
    """The tests of a file. Raises InputError with all faults of it, and DomainError."""
    if file.name.endswith(SCENARIO):
        yield _scenario(file, watch)
        return
    domain_file = domain_file_of(file)
    if domain_file is None:
        hint = f"its name is to be cases.toml, *_cases.toml or *{SCENARIO}"
        raise InputError("BT404", f"{file} has neither cases nor a scenario", hint=hint)
    domain = domain_in(domain_file)
    for case in read_cases(file, domain):
        fault, update = partial(fault_of, case), partial(_updated, file, case)
        yield FileTest(case.name, fault, update, case.line, case, domain)


def _updated(file: Path, case: Case) -> Updated:
    from bthtn.studio.testing.updating import update_case  # noqa: PLC0415 - see the docstring

    return update_case(file, case)


def _scenario(file: Path, watch: Watch | None) -> FileTest:
    from bthtn.studio.testing.scenario import play  # noqa: PLC0415 - see the docstring
    from bthtn.studio.testing.scenario_files import read_scenario  # noqa: PLC0415 - see the docstring
    from bthtn.studio.testing.updating import update_scenario  # noqa: PLC0415 - see the docstring

    scenario = read_scenario(file)
    watched = () if watch is None else (partial(watch, file, scenario.tree),)
    return FileTest(
        scenario.name,
        lambda: play(scenario, *watched).fault,
        partial(update_scenario, file, scenario),
        scenario=scenario,
    )
