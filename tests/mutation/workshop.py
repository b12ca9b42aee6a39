"""Copies of the checkout in which faults are tried, and which tests run which lines."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from coverage import CoverageData

from tests.mutation.draw import ROOT, Mutant

OUT = ROOT / "out" / "mutants"
COPIED = ("bthtn", "domains", "trees", "tests", "docs", "benchmarks")
FILES = ("pyproject.toml", "README.md", "Makefile", "CHANGELOG.md", "LICENSE")
OPTIONS = {
    "quick": ["--hypothesis-profile", "quick", "-m", "not slow"],
    "thorough": ["--hypothesis-profile", "thorough"],
}
# A fault may make a loop endless, or wait for what never comes.
LONGEST = ["-o", "faulthandler_timeout=300", "-o", "faulthandler_exit_on_timeout=true"]
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Map:
    """Which test files run which lines of which files; "" stands for what is run by importing."""

    runs: dict[str, dict[int, set[str]]]
    everywhere: list[str]

    def files_for(self, mutant: Mutant) -> list[str]:
        """The test files that can notice a mutant, those of its own package first."""
        lines = self.runs.get(mutant.file, {})
        span = range(mutant.fault.line, mutant.fault.end_line + 1)
        found = set().union(*(lines.get(line, set()) for line in span))
        able = self.everywhere if "" in found or not found else sorted(found)
        own = "/".join(["tests", *mutant.file.split("/")[1:-1][:1], ""])
        return sorted(able, key=lambda file: (not file.startswith(own), "properties" in file, file))


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
        shutil.rmtree(self.folder, ignore_errors=True)
        skipped = shutil.ignore_patterns("__pycache__", "copy*")
        for name in COPIED:
            # Links stay links: files of the examples are not to be found twice, once below bthtn.
            shutil.copytree(ROOT / name, self.folder / name, symlinks=True, ignore=skipped)
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

    def failing_test(self, tier: str, files: list[str]) -> tuple[str, float]:
        """The first test of a tier that fails, "" if none does, and how many seconds it took."""
        started = time.perf_counter()
        command = ["-m", "pytest", "-x", "-q", "--tb=no", *LONGEST, *OPTIONS[tier], *files]
        done = self.run(*command)
        seconds = time.perf_counter() - started
        if done.returncode in (0, 5):  # 5: there is no such test
            return "", seconds
        if "file or directory not found" in done.stderr:  # no fault does that
            sys.exit(done.stderr[-5_000:])
        found = FAILED.search(done.stdout)
        return found[1] if found else f"exit code {done.returncode}", seconds

    def run(
        self, *arguments: str, timeout: float | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run Python in the copy, with the copy's bthtn, also in processes of its own."""
        plugins = "-p no:randomly -p no:cacheprovider -p tests.mutation.plugin"
        environment = {
            "PYTHONPATH": str(self.folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_ADDOPTS": plugins,
            "CI": "true",
        }
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=os.environ | environment,
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
        command = ["-m", "coverage", "run", "--data-file", str(data), "-m", "pytest"]
        done = shop.run(
            *command, "-q", "--numprocesses=auto", "--dist=loadscope", *OPTIONS["quick"]
        )
        if done.returncode:
            sys.exit("Without any fault there are tests that fail:\n" + done.stdout[-5_000:])
        shop.run("-m", "coverage", "combine", "--data-file", str(data), str(OUT))
    return read_map(data, OUT / "copy0")


def read_map(path: Path, folder: Path) -> Map:
    data = CoverageData(str(path))
    data.read()
    runs = {
        Path(file).relative_to(folder).as_posix(): {
            line: set(contexts) for line, contexts in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
        if Path(file).is_relative_to(folder)
    }
    return Map(runs, sorted(data.measured_contexts() - {""}))
