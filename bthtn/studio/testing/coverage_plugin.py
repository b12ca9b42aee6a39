"""Coverage in a run of pytest, added up over its processes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from bthtn.behaviours import Character
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.planning.protocol import request
from bthtn.studio.testing.case_files import domain_file_of
from bthtn.studio.testing.cases import Case
from bthtn.studio.testing.coverage import DOMAIN_KINDS, KINDS, what_counts
from bthtn.studio.testing.domain_coverage import DomainCoverage, coverage_dot
from bthtn.studio.testing.locate import domain_in
from bthtn.studio.testing.run_coverage import RunCoverage
from bthtn.studio.testing.scenario_files import read_scenario
from bthtn.studio.views.graphviz import drawn

FORMAT: Final = "bthtn-coverage/2"
_KEY: Final = "bthtn_coverage"


def limit(text: str) -> tuple[str, float]:
    """A threshold as it is typed, ``80`` or ``condition=80``: the kind and the percentage."""
    kind, _, percent = text.rpartition("=")
    kind = kind or "method"
    if kind not in KINDS:
        raise ValueError(f"'{kind}' is none of {', '.join(KINDS)}")
    if not re.fullmatch(r"\d+(\.\d+)?", percent):
        raise ValueError(f"'{percent}' is no percentage: write 80, or condition=80")
    return kind, float(percent)


class CoveragePlugin:
    """Hooks of pytest that count, and at the end print the tables and apply the thresholds."""

    def __init__(
        self, limits: Mapping[str, float], file: Path | None, pictures: Path | None
    ) -> None:
        self._limits = limits
        self._folder = pictures
        self._file = file
        self._runs = RunCoverage()
        self._sources: dict[str, str] = {}
        """By the name of a domain: a file of cases, or with a scenario, which has it."""

    def watch(self, file: Path, tree: str, character: Character) -> None:
        """Count the run of a scenario, or of a character in a test in Python.

        From a file of tests in Python no domain can be had again, to be drawn.
        """
        if file.suffix != ".py":
            for agent in character.agents.values():
                for domain in agent.domains:
                    self._sources.setdefault(domain.name, str(file))
        self._runs.watch(tree, character)

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Count all of a collected case's domain as never tested so far."""
        case = getattr(item, "case", None)
        if isinstance(case, Case):
            self._counted(item, case)

    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Count the outcomes of the methods and conditions in a case."""
        case = getattr(item, "case", None)
        if isinstance(case, Case):
            asked = request(case.domain, case.state, case.task, case.settings)
            self._counted(item, case).planned(asked)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:  # noqa: ARG002 - hook
        """Add the counts of a process of pytest-xdist."""
        output = getattr(node, "workeroutput", {}).get(_KEY)
        if output is not None:
            domains, trees, pictures, sources = json.loads(output)
            self._runs.domains.merge(domains)
            self._runs.trees.merge(trees)
            self._runs.pictures.update(pictures)
            self._sources.update(sources)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand the counts to the main process; there, fail the run below a threshold."""
        runs, output = self._runs, getattr(session.config, "workeroutput", None)
        if output is not None:
            sent = (runs.domains.counts, runs.trees.counts, runs.pictures, self._sources)
            output[_KEY] = json.dumps(sent)
            return
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            for name, dot in self._pictures():
                drawn(dot, self._folder / name.replace("/", "_"))
        if self._file is not None:
            counts = {"domains": runs.domains.data(), "trees": runs.trees.data()}
            text = json.dumps({"format": FORMAT, **counts}, ensure_ascii=False)
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(f"{text}\n", "utf-8")
        if any(self._missed()) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.section("coverage of behaviour")
        both = {"domain": self._runs.domains, "tree": self._runs.trees}
        for what, coverage in both.items():
            for name in sorted(coverage.counts):
                terminalreporter.write_line(f"{what} {name}\n{coverage.table(name)}")
        for coverage in both.values():
            for line in coverage.summary():
                terminalreporter.write_line(line)
        for line in self._missed():
            terminalreporter.write_line(f"FAILED: {line}", red=True)

    def _counted(self, item: pytest.Item, case: Case) -> DomainCoverage:
        """The counts of a case's domain; those of one file share their rows."""
        main: FrozenDomain = getattr(item, "domain", case.domain)
        self._sources.setdefault(main.name, str(item.path))
        return DomainCoverage(self._runs.domains, main.name, case.domain)

    def _missed(self) -> Iterator[str]:
        for kind, percent in self._limits.items():
            coverage = self._runs.domains if kind in DOMAIN_KINDS else self._runs.trees
            if coverage.percentage(kind) < percent:
                yield f"{percent:g} % of the {what_counts(kind)} are wanted"

    def _pictures(self) -> Iterator[tuple[str, str]]:
        """The names of coloured domains and trees, and their pictures in dot."""
        for name, source in sorted(self._sources.items()):
            dot = coverage_dot(self._runs.domains, name, _domain(name, Path(source)))
            yield f"domain_{name}", dot
        for tree in sorted(self._runs.pictures):
            yield f"tree_{tree}", self._runs.dot(tree)


def _domain(name: str, source: Path) -> FrozenDomain:
    """The domain of this name that a file of cases, or with a scenario, has."""
    file = domain_file_of(source)
    if file is not None:
        return domain_in(file)
    read = read_scenario(source)
    if isinstance(read, Case):
        return read.domain
    agents = read.make().agents.values()
    return next(domain for agent in agents for domain in agent.domains if domain.name == name)
