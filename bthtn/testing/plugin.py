"""The pytest plugin: ``cases.toml`` beside a ``domain.py`` is a file of tests.

So is ``other_cases.toml`` beside an ``other.py``.

pytest starts it in every run of everybody who has bthtn installed, so nothing but pytest is
imported before there is such a file. A ``cases.toml`` without a domain belongs to somebody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from bthtn.testing.beside import domain_beside


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Called by pytest for every file it looks at."""
    domain = domain_beside(file_path)
    if domain is not None and domain.is_file():
        return CasesFile.from_parent(parent, path=file_path)
    return None


def name_of(domain: Path) -> str:
    """What the domain in a file is called where the file defines several."""
    return domain.parent.name if domain.name == "domain.py" else domain.stem


class CaseFailed(Exception):  # noqa: N818 - what pytest reports, not what went wrong in the code
    """A case does not hold; the message shows what was expected and what came."""


class CasesFile(pytest.File):
    """A ``cases.toml``, with the domain that stands beside it."""

    def collect(self) -> Iterable[pytest.Item]:
        """The cases, or one error that says everything that is wrong with the file."""
        from bthtn.errors import BthtnError  # noqa: PLC0415 - see above
        from bthtn.testing.cases import domain_at, fault_of, read_cases  # noqa: PLC0415 - see above

        file = domain_beside(self.path)
        assert file is not None, "pytest_collect_file has seen to that"
        try:
            domain = domain_at(file, name_of(file))
            cases = read_cases(self.path, domain)
        except BthtnError as error:
            raise self.CollectError(str(error)) from None
        for case in cases:
            yield CaseItem.from_parent(
                self, name=case.name, line=case.line, ask=lambda one=case: fault_of(one)
            )


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, line: int, ask: Callable[[], str], **rest: Any) -> None:
        super().__init__(**rest)
        self._line = line
        self._ask = ask

    def runtest(self) -> None:
        """Plan it. Raises CaseFailed."""
        fault = self._ask()
        if fault:
            raise CaseFailed(fault)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The difference, without a traceback through bthtn."""
        if isinstance(excinfo.value, CaseFailed):
            return f"{self.path}:{self._line}: case '{self.name}'\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the case stands."""
        return self.path, self._line - 1, f"case '{self.name}'"
