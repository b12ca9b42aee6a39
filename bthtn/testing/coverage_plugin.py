"""Coverage of methods in a run of pytest, added up over its processes."""

from __future__ import annotations

from typing import Any, Final

import pytest

from bthtn.testing.cases import Case
from bthtn.testing.method_coverage import MethodCoverage

_KEY: Final = "bthtn_method_coverage"


class CoveragePlugin:
    """Hooks of pytest that count, and at the end print the table and apply the threshold."""

    def __init__(self, fail_under: float) -> None:
        self._fail_under = fail_under
        self._coverage = MethodCoverage()

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
        self._coverage.merge(getattr(node, "workeroutput", {}).get(_KEY, {}))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand the counts to the main process; there, fail the run below the threshold."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_KEY] = self._coverage.counts
        elif self._is_below and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table."""
        terminalreporter.section("coverage of methods")
        terminalreporter.write_line(self._coverage.table())
        if self._is_below:
            wanted = f"{self._fail_under:g} % of the methods should be chosen"
            terminalreporter.write_line(f"FAILED: {wanted}", red=True)

    @property
    def _is_below(self) -> bool:
        return self._coverage.percentage() < self._fail_under
