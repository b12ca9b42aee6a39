"""How long a thousand scenarios take: those of the soldier, over and over, in ``bthtn test``.

    python -m benchmarks.bench_scenarios [--write-docs]

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


def main(*arguments: str) -> None:
    """Print the table, and put it into the manual if that is asked for."""
    table = [["processes", "scenarios", "s", "ms each"]]
    with tempfile.TemporaryDirectory() as folder:
        written(Path(folder))
        for shown, jobs in (("one", 1), ("one per core", 0)):
            spent = seconds(Path(folder), jobs)
            table.append(
                [
                    shown,
                    report.exact(NUMBER),
                    report.number(spent),
                    report.number(1e3 * spent / NUMBER),
                ]
            )
    sys.stdout.write(report.markdown(table) + "\n")
    if "--write-docs" in arguments:
        page.rewrite({"scenarios": table})


if __name__ == "__main__":
    main(*sys.argv[1:])
