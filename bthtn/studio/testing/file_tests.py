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

Watch = Callable[[Path, str, "Character"], None]
"""A function that counts the runs of scenarios, called with file, tree and character."""


@dataclass(frozen=True, slots=True)
class FileTest:
    """A case or a scenario of a file; ``domain`` is the main one of a file of cases."""

    file: Path
    test: Case | Scenario
    domain: FrozenDomain | None = None
    watch: Watch | None = None

    @property
    def case(self) -> Case | None:
        return self.test if isinstance(self.test, Case) else None

    @property
    def scenario(self) -> Scenario | None:
        return None if isinstance(self.test, Case) else self.test

    def run(self, *, update: bool) -> tuple[str, str]:
        """The fault, and the difference that an update of the file has made."""
        fault = self._fault()
        if not fault or not update:
            return fault, ""
        from bthtn.studio.testing import updating  # noqa: PLC0415 - see the docstring

        return updating.update(self.file, self.test)

    def _fault(self) -> str:
        if isinstance(self.test, Case):
            return fault_of(self.test)
        from bthtn.studio.testing.scenario import play  # noqa: PLC0415 - see the docstring

        watched = () if self.watch is None else (partial(self.watch, self.file, self.test.tree),)
        return play(self.test, *watched).fault


def read_tests(file: Path, watch: Watch | None = None) -> Iterator[FileTest]:
    """The tests of a file. Raises InputError with all faults of it, and DomainError."""
    if file.name.endswith(SCENARIO):
        from bthtn.studio.testing.scenario_files import read_scenario  # noqa: PLC0415 - see the docstring

        test = read_scenario(file)
        yield FileTest(file, test, test.domain if isinstance(test, Case) else None, watch)
        return
    domain_file = domain_file_of(file)
    if domain_file is None:
        hint = f"its name is to be cases.toml, *_cases.toml or *{SCENARIO}"
        raise InputError("BT404", f"{file} has neither cases nor a scenario", hint=hint)
    domain = domain_in(domain_file)
    for case in read_cases(file, domain):
        yield FileTest(file, case, domain)
