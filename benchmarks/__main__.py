"""The command: python -m benchmarks [--rows fps,blocks] [--quick] [--write-docs]."""

from __future__ import annotations

import argparse
import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

from benchmarks import page, report, suite
from benchmarks.contestants import DifferentPlans
from benchmarks.timing import QUICK, THOROUGH

RESULTS = Path("out") / "bench.json"
BUSY = 0.5
"""Programs that want a processor, on average over the last minute."""


def run(arguments: list[str]) -> int:
    """0 when everything was measured, 1 when planners disagree, 2 for bad input."""
    given = _parser().parse_args(arguments)
    problems = given.rows.split(",") if given.rows else []
    if given.write_docs and (given.quick or problems):
        return _stopped(2, "the manual shows whole runs: leave out --quick and --rows")
    if find_spec("gtpyhop") is None:
        return _stopped(2, 'GTPyhop is missing: python -m pip install -e ".[bench]"')
    if os.getloadavg()[0] > BUSY:
        _tell("on a busy machine: expect the quartiles to be far apart")
    try:
        data = suite.run(problems, QUICK if given.quick else THOROUGH, _tell)
    except ValueError as error:
        return _stopped(2, str(error))
    except DifferentPlans as difference:
        return _stopped(1, f"different plans: {difference}")
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    page.show(report.tables(data), arguments)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="How fast bthtn plans, next to GTPyhop in the same run.",
    )
    parser.add_argument("--rows", metavar="NAMES", help="only these problems: fps,blocks")
    parser.add_argument("--quick", action="store_true", help="few short batches: a look, no result")
    parser.add_argument("--write-docs", action="store_true", help="put the tables into the manual")
    parser.add_argument("--out", type=Path, default=RESULTS, help=f"results ({RESULTS})")
    return parser


def _tell(what: str) -> None:
    sys.stderr.write(f"measuring {what}\n")


def _stopped(code: int, why: str) -> int:
    sys.stderr.write(f"{why}\n")
    return code


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
