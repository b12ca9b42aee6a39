"""The pytest plugin: collects cases and scenarios as tests.

It collects ``cases.toml`` next to a ``domain.py`` or the ``tree.xml`` of a character of files, and
``other_cases.toml`` next to an ``other.py``. Every ``*.scenario.toml`` is one test. It warns of
files beside them that are called nearly so.

pytest loads the plugin in every run wherever bthtn is installed, so the rest of bthtn is
imported only once such a file is found.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from bthtn.studio.testing.case_files import HOW_NAMED, has_tests, is_ignored

if TYPE_CHECKING:
    from bthtn.behaviours import Character, ManualClock
    from bthtn.studio.testing.doubles import RecordingListener
    from bthtn.studio.testing.file_tests import FileTest, Watch
    from bthtn.studio.testing.scenario import Played, Scenario


_UPDATED: Final = pytest.StashKey[list[str]]()
"""The differences of the files that were updated."""
WATCH: Final[pytest.StashKey[Watch]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bthtn")
    text = "show what cases and scenarios made happen in domains and trees, and what not"
    group.addoption("--bthtn-coverage", action="store_true", help=text)
    text = "fail if fewer percent happened, of methods, or of another kind: condition=80"
    option = "--bthtn-coverage-fail-under"
    group.addoption(option, action="append", default=[], metavar="[KIND=]PERCENT", help=text)
    text = "write the coverage into a file, as JSON"
    group.addoption("--bthtn-coverage-json", type=Path, metavar="FILE", help=text)
    text = "draw the domains and trees, coloured by their coverage"
    group.addoption("--bthtn-coverage-pictures", type=Path, metavar="FOLDER", help=text)
    text = "let cases and scenarios that fail expect what happens now, and show the differences"
    group.addoption("--bthtn-update", action="store_true", help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Pytest's hook before collection: counts where that was asked for."""
    if config.getoption("--bthtn-update") and hasattr(config, "workerinput"):
        raise pytest.UsageError("--bthtn-update writes files, in one process: leave -n out")
    limits = config.getoption("--bthtn-coverage-fail-under")
    file = config.getoption("--bthtn-coverage-json")
    pictures = config.getoption("--bthtn-coverage-pictures")
    if config.getoption("--bthtn-coverage") or limits or file is not None or pictures is not None:
        from bthtn.studio.testing.coverage_plugin import CoveragePlugin, limit  # noqa: PLC0415 - see the docstring

        try:
            plugin = CoveragePlugin(dict(map(limit, limits)), file, pictures)
        except ValueError as error:
            raise pytest.UsageError(f"--bthtn-coverage-fail-under: {error}") from None
        config.stash[WATCH] = plugin.watch
        config.pluginmanager.register(plugin)


@pytest.fixture
def bthtn_clock() -> ManualClock:
    """A clock for agents, which the test advances."""
    from bthtn.behaviours import ManualClock  # noqa: PLC0415 - see the docstring

    return ManualClock()


@pytest.fixture
def bthtn_listener() -> RecordingListener:
    """A listener for an agent, which keeps all events."""
    from bthtn.studio.testing.doubles import RecordingListener  # noqa: PLC0415 - see the docstring

    return RecordingListener()


@pytest.fixture
def bthtn_counted(request: pytest.FixtureRequest) -> Callable[[Character], Character]:
    """A function that returns a new character, whose run counts for the coverage, if that is on."""
    watch = request.config.stash.get(WATCH, None)

    def counted(character: Character) -> Character:
        if watch is not None:
            watch(request.path, character.root.name, character)
        return character

    return counted


@pytest.fixture
def bthtn_play(
    tmp_path: Path, request: pytest.FixtureRequest
) -> Callable[[Scenario | Path | str], Played]:
    """A function that plays a scenario, or that of a file, and fails the test as its item would."""
    from bthtn.studio.testing.kept_failure import keep  # noqa: PLC0415 - see the docstring
    from bthtn.studio.testing.scenario import Scenario, play  # noqa: PLC0415 - see the docstring
    from bthtn.studio.testing.scenario_files import read_scenario  # noqa: PLC0415 - see the docstring

    watch = request.config.stash.get(WATCH, None)

    def played(scenario: Scenario | Path | str) -> Played:
        found = read_scenario(scenario) if isinstance(scenario, Path | str) else scenario
        watched = []
        if watch is not None and isinstance(found, Scenario):
            watched.append(partial(watch, request.path, found.tree))
        result = play(found, *watched)
        if result.fault:
            shown = keep(found, tmp_path) if isinstance(found, Scenario) else result.fault
            pytest.fail(shown, pytrace=False)
        return result

    return played


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Pytest's hook for comparisons that fail: how two states or plans differ."""
    if op != "==" or "bthtn.engine.world.state" not in sys.modules:
        return None
    from bthtn.studio.testing.assertrepr import comparison  # noqa: PLC0415 - see the docstring

    return comparison(left, right)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Pytest's hook at the end: shows the tests that were updated, with the differences."""
    for shown in terminalreporter.config.stash.get(_UPDATED, []):
        terminalreporter.section("updated", sep="-")
        terminalreporter.write_line(shown)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Pytest's hook for every file: collects scenarios, and cases that have a domain."""
    if is_ignored(file_path):
        parent.warn(pytest.PytestCollectionWarning(f"nothing reads {file_path}: {HOW_NAMED}"))
    return BehaviourFile.from_parent(parent, path=file_path) if has_tests(file_path) else None


class TestFailed(Exception):  # noqa: N818 - a failed test, not an error
    """A case or scenario failed; the message shows the expected and the actual result."""


class BehaviourFile(pytest.File):
    """A file of cases, or with a scenario."""

    def collect(self) -> Iterable[pytest.Item]:
        """Yield the tests. Raises CollectError with all faults of the file."""
        from bthtn.errors import BthtnError  # noqa: PLC0415 - see the docstring
        from bthtn.studio.testing.file_tests import read_tests  # noqa: PLC0415 - see the docstring

        try:
            tests = list(read_tests(self.path, self.config.stash.get(WATCH, None)))
        except BthtnError as error:
            raise self.CollectError(str(error)) from None
        for test in tests:
            yield BehaviourItem.from_parent(self, name=test.test.name, test=test)


class BehaviourItem(pytest.Item):
    """One case or scenario as a test; the ``domain`` of a case is the main one of its file."""

    def __init__(self, *, test: FileTest, **rest: Any) -> None:
        super().__init__(**rest)
        self.case, self.domain = test.case, test.domain
        self._test = test

    def runtest(self) -> None:
        """Plan or play, and compare the result. Raises TestFailed.

        A scenario that fails is played once more, to be recorded.
        """
        scenario, update = self._test.scenario, self.config.getoption("--bthtn-update")
        fault, difference = self._test.run(update=update)
        if difference:
            self.config.stash.setdefault(_UPDATED, []).append(difference)
        if fault and scenario is not None and not update:
            from bthtn.studio.testing.kept_failure import keep  # noqa: PLC0415 - see the docstring

            folder: Path = self.config._tmp_path_factory.mktemp(self.name)  # type: ignore[attr-defined]  # pytest has no other way for items without fixtures
            fault = keep(scenario, folder)
        if fault:
            raise TestFailed(fault)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The difference from the expectation, without a traceback."""
        if isinstance(excinfo.value, TestFailed):
            return f"{self.path}:{self._line}: {self._title}\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The file, line and name that pytest shows."""
        return self.path, self._line - 1, self._title

    @property
    def _line(self) -> int:
        return 1 if self.case is None else self.case.line

    @property
    def _title(self) -> str:
        return f"{'scenario' if self.case is None else 'case'} '{self.name}'"
