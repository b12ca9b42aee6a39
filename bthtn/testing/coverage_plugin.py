"""Coverage of methods and runs in a run of pytest, added up over its processes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from bthtn.errors import InputError
from bthtn.testing.case_files import domain_file_of
from bthtn.testing.cases import Case, domain_at, name_of
from bthtn.testing.method_coverage import MethodCoverage
from bthtn.testing.run_coverage import RunCoverage
from bthtn.views.graphviz import picture

FORMAT: Final = "bthtn-coverage/1"
_KEY: Final = "bthtn_method_coverage"


def _draw(file: Path, dot: str) -> None:
    """Write a picture as svg, or as dot where nothing can draw it."""
    try:
        file.with_name(f"{file.name}.svg").write_bytes(picture(dot, "svg"))
    except InputError:
        file.with_name(f"{file.name}.dot").write_text(dot, "utf-8")


class CoveragePlugin:
    """Hooks of pytest that count, and at the end print the table and apply the threshold."""

    def __init__(self, fail_under: float, file: Path | None, pictures: Path | None) -> None:
        self._fail_under = fail_under
        self._folder = pictures
        self._file = file
        self._coverage = MethodCoverage()
        self._runs = RunCoverage()
        self.watch = self._runs.watch

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Count the methods of a collected case's domain as never chosen so far."""
        case = getattr(item, "case", None)
        if isinstance(case, Case):
            self._coverage.expect(str(item.path), case.domain)

    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Count what becomes of the methods in a case."""
        case = getattr(item, "case", None)
        if isinstance(case, Case):
            self._coverage.add(str(item.path), case.domain, case.state, case.task, case.settings)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:  # noqa: ARG002 - hook
        """Add the counts of a process of pytest-xdist."""
        methods, runs = getattr(node, "workeroutput", {}).get(_KEY, ({}, {}))
        self._coverage.merge(methods)
        self._runs.merge(runs)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand the counts to the main process; there, fail the run below the threshold."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_KEY] = self._coverage.counts, self._runs.counts
            return
        for name, dot in self._pictures():
            _draw(name, dot)
        if self._file is not None:
            counts = {"methods": self._coverage.counts, "runs": self._runs.counts}
            text = json.dumps({"format": FORMAT, **counts}, ensure_ascii=False)
            self._file.write_text(f"{text}\n", "utf-8")
        if self._is_below and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table."""
        terminalreporter.section("coverage of methods")
        terminalreporter.write_line(self._coverage.table())
        if self._runs.counts:
            terminalreporter.section("coverage of runs")
            terminalreporter.write_line(self._runs.table())
        if self._is_below:
            wanted = f"{self._fail_under:g} % of the methods should be chosen"
            terminalreporter.write_line(f"FAILED: {wanted}", red=True)

    def _pictures(self) -> Iterator[tuple[Path, str]]:
        """Files without a suffix, and the coloured domain in dot that belongs there."""
        for file in self._coverage.counts if self._folder is not None else ():
            source = domain_file_of(Path(file))
            if source is not None and self._folder is not None:
                domain = domain_at(source, name_of(source))
                self._folder.mkdir(parents=True, exist_ok=True)
                yield self._folder / domain.name, self._coverage.picture(file, domain)

    @property
    def _is_below(self) -> bool:
        return self._coverage.percentage() < self._fail_under
