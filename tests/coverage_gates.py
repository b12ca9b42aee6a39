"""Is every package covered as well as pyproject.toml demands?

Usage: coverage json -q -o - | python tests/coverage_gates.py
"""

import json
import sys
import tomllib
from collections import Counter
from pathlib import Path, PurePath


def package_of(file: str) -> str:
    """The line of the table that answers for a file: its package in a ring, or ``domains``."""
    top, *folders = PurePath(file).parts[:-1]
    depth = 1 if folders[:1] == ["examples"] else 2
    return ".".join([top, *folders[:depth]]) if top == "bthtn" else top


def percentages(report: dict) -> dict[str, float]:
    """Lines and branches that were run, of those there are, in per cent for each package."""
    run: Counter[str] = Counter()
    there_are: Counter[str] = Counter()
    for file, data in report["files"].items():
        package, found = package_of(file), data["summary"]
        run[package] += found["covered_lines"] + found["covered_branches"]
        there_are[package] += found["num_statements"] + found["num_branches"]
    return {
        package: 100 * run[package] / total
        for package, total in there_are.items()
        if total  # else it is nothing but a docstring
    }


def shortfalls(report: dict, gates: dict[str, float]) -> list[str]:
    """What is wrong, a sentence for each package that misses its gate or has none."""
    reached_by = percentages(report)
    faults = [f"{package} was not measured" for package in gates if package not in reached_by]
    for package, reached in sorted(reached_by.items()):
        if package not in gates:
            faults.append(f"{package} has no gate: give it a line in [tool.bthtn.coverage]")
        elif reached < gates[package]:
            faults.append(f"{package} is covered to {reached:.1f} %, its gate is {gates[package]}")
    return faults


def main() -> int:
    """Print each package beside its gate; the exit code says whether all are kept."""
    house = Path(__file__).resolve().parent.parent / "pyproject.toml"
    gates = tomllib.loads(house.read_text("utf-8"))["tool"]["bthtn"]["coverage"]
    text = sys.stdin.read()
    if not text.startswith("{"):
        print("Nothing was measured; run `make thorough` first.", file=sys.stderr)
        return 1
    report = json.loads(text)
    for package, reached in sorted(percentages(report).items()):
        print(f"{package:20} {reached:6.1f} %   gate {gates.get(package, '-')}")
    faults = shortfalls(report, gates)
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
