"""Copies of the checkout in which faults are tried, and which tests run which lines."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from coverage import CoverageData

from tests.mutation.draw import ROOT, Mutant

OUT = ROOT / "out" / "mutants"
COPIED = ("bthtn", "domains", "trees", "tests", "docs", "benchmarks", ".github", ".ci")
FILES = (
    *("pyproject.toml", "hatch_build.py", "Makefile", "mkdocs.yml", "LICENSE"),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"),
)
OPTIONS = {
    "quick": ["-m", "not slow and not browser"],
    "thorough": ["-m", "(slow or sized) and not long and not browser"],
}
# A fault may wait for what never comes.
LONGEST = ["-o", "faulthandler_timeout=600", "-o", "faulthandler_exit_on_timeout=true"]
PROFILES = "tests/test_conftest.py"
"""Documents and cases alone would not load the profiles of Hypothesis, which lie beside it."""
MOST_SECONDS = "60"
"""After so much computing on a mutant no other test is begun, in each tier."""
MEASURED = """
[run]
parallel = true
patch = subprocess
source = bthtn
"""
"""Lines and not branches: of these, thousands of tests would fill gigabytes."""
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Map:
    """Which quick tests run which lines of which files, and how many seconds each takes.

    "" stands for what is run by importing, or in another process.
    """

    runs: Callable[[str], dict[int, set[str]]]
    seconds: dict[str, float]

    def tests_for(self, mutant: Mutant) -> list[str]:
        """The tests that can notice a mutant: those of its own package first, then the quickest."""
        lines, fault = self.runs(mutant.file), mutant.fault
        found = set().union(*(lines.get(at, ()) for at in range(fault.line, fault.end_line + 1)))
        if not found:  # of an expression over several lines, not each is run by itself
            found |= lines.get(max((at for at in lines if at < fault.line), default=0), set())
        if "" in found:
            found |= set().union(*lines.values())
        own = own_folder(mutant)
        return sorted(
            found - {""}, key=lambda one: (not one.startswith(own), self.seconds.get(one, 0), one)
        )


def own_folder(mutant: Mutant) -> str:
    """Where the tests of a mutant's package lie."""
    return "/".join(["tests", *mutant.file.split("/")[1:-1][:2], ""])


class Source(Protocol):
    """Something that can be put into source text."""

    def put_into(self, source: str) -> str: ...


class Change(Protocol):
    """A fault in a file."""

    @property
    def file(self) -> str: ...

    @property
    def fault(self) -> Source: ...


class Workshop:
    """A copy of the checkout, for one fault at a time."""

    def __init__(self, number: int) -> None:
        self.folder = OUT / f"copy{number}"
        self._temporary = TemporaryDirectory()  # others clean up where pytest keeps its folders
        shutil.rmtree(self.folder, ignore_errors=True)
        skipped = shutil.ignore_patterns("__pycache__", "copy*")
        for name in COPIED:
            shutil.copytree(ROOT / name, self.folder / name, ignore=skipped)
        for name in FILES:
            shutil.copy(ROOT / name, self.folder)

    @contextlib.contextmanager
    def changed(self, mutant: Change) -> Iterator[None]:
        """The fault is in the copy as long as this lasts."""
        file = self.folder / mutant.file
        before = file.read_text("utf-8")
        file.write_text(mutant.fault.put_into(before), "utf-8")
        try:
            yield
        finally:
            file.write_text(before, "utf-8")
            # Bytecode is known to be old by the second in which its source was written.
            Path(cache_from_source(str(file))).unlink(missing_ok=True)

    def files_in(self, folder: str) -> set[str]:
        """The files of tests in a folder of the copy."""
        found = (self.folder / folder).glob("test_*.py")
        return {path.relative_to(self.folder).as_posix() for path in found}

    def failing_test(self, tier: str, tests: list[str], files: list[str]) -> tuple[str, float]:
        """The first of these tests, and of the slow ones in these files, that fails in a tier.

        "" if none does, with how many seconds it took.
        """
        started = time.perf_counter()
        (chosen := self.folder / "chosen.txt").write_text("\n".join(tests), "utf-8")
        command = ["-m", "pytest", "-x", "-q", "--tb=no", "--hypothesis-profile", tier]
        if not any(file.startswith("tests/") for file in files):
            files = [*files, PROFILES]
        command += [*LONGEST, *OPTIONS[tier], *files]
        done = self.run(*command, MUTANT_TESTS=str(chosen), MUTANT_SECONDS=MOST_SECONDS)
        seconds = time.perf_counter() - started
        if done.returncode in (0, 5):  # 5: there is no such test
            return "", seconds
        if "file or directory not found" in done.stderr:  # no fault does that
            sys.exit(done.stderr[-5_000:])
        found = FAILED.search(done.stdout)
        return found[1] if found else f"exit code {done.returncode}", seconds

    def run(
        self, *arguments: str, timeout: float | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run Python in the copy, with the copy's bthtn, also in processes of its own."""
        plugins = "-p no:randomly -p no:cacheprovider -p tests.mutation.plugin"
        environment = {
            "PYTHONPATH": str(self.folder),
            "PYTEST_ADDOPTS": plugins,
            "PYTEST_DEBUG_TEMPROOT": self._temporary.name,
            "CI": "true",
        }
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=os.environ | environment | variables,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )


def measured_map() -> Map:
    """Run all quick tests once, without a fault, and note who runs what. Kept in out/."""
    data = OUT / "map.coverage"
    if not data.exists():
        shop = Workshop(0)
        print("Measuring which tests run which lines; this takes some minutes.", flush=True)
        (settings := OUT / "map.ini").write_text(MEASURED, "utf-8")
        command = ["-m", "coverage", "run", "--rcfile", str(settings), "--data-file", str(data)]
        command += ["-m", "pytest", "-q", "--numprocesses=auto", "--dist=loadscope"]
        done = shop.run(*command, *OPTIONS["quick"], MUTANT_MAP=str(OUT))
        if done.returncode:
            sys.exit("Without any fault there are tests that fail:\n" + done.stdout[-5_000:])
        shop.run("-m", "coverage", "combine", "--data-file", str(data), str(OUT))
    return read_map(data, OUT / "copy0")


def read_map(path: Path, folder: Path) -> Map:
    data = CoverageData(str(path))
    data.read()

    @cache
    def runs(file: str) -> dict[int, set[str]]:
        lines = data.contexts_by_lineno(str(folder / file))
        return {line: set(contexts) for line, contexts in lines.items()}

    seconds: Counter[str] = Counter()
    for file in path.parent.glob("seconds.*.json"):
        seconds.update(json.loads(file.read_text("utf-8")))
    return Map(runs, seconds)
