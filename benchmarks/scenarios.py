"""How long a thousand scenarios take: those of the soldier, over and over, in ``bthtn test``.

    python -m benchmarks.scenarios [--write-docs]

Each is a file of its own, which is read, checked and played; none may fail. Times are information.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks import page, report

SCENARIOS = Path(__file__).parents[1] / "trees" / "soldier" / "scenarios"
NUMBER = 1_000


def written(folder: Path) -> None:
    """Put the scenarios into a folder, each under as many names as it takes."""
    files = sorted(SCENARIOS.glob("*.scenario.toml"))
    for number in range(NUMBER):
        shutil.copy(files[number % len(files)], folder / f"{number:04}.scenario.toml")


def seconds(folder: Path, jobs: int) -> float:
    """How long ``bthtn test`` takes for a folder, from its start to its end."""
    began = perf_counter()
    command = [sys.executable, "-m", "bthtn", "test", str(folder), "--jobs", str(jobs)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{NUMBER} passed, 0 failed\n", done.stdout
    return perf_counter() - began


def table() -> report.Table:
    """How long all scenarios take in one process, and in one per core."""
    found = [["processes", "scenarios", "s", "ms each"]]
    with tempfile.TemporaryDirectory() as folder:
        written(Path(folder))
        for shown, jobs in (("one", 1), ("one per core", 0)):
            spent = seconds(Path(folder), jobs)
            times = (spent, 1e3 * spent / NUMBER)
            found.append([shown, report.exact(NUMBER), *map(report.number, times)])
    return found


if __name__ == "__main__":
    page.show({"scenarios": table()}, sys.argv[1:])
