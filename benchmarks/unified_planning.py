"""The problems that Unified Planning comes with: what bthtn, as one of its planners, answers.

    python -m benchmarks.unified_planning --seconds 10
    python -m benchmarks.unified_planning --seconds 10 --cases FOLDER

Its package has example problems, and files in PDDL and HDDL. FOLDER is ``up_test_cases`` of a
checkout of the same version. Each plan is verified by ``tests/independent/up_plans.py``. Wrong is a
plan that is none, a proof that there is no plan where there is one, and an exception.
"""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import unified_planning
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.io import PDDLReader
from unified_planning.shortcuts import OneshotPlanner, get_environment
from unified_planning.test.examples import get_example_problems

from tests.independent.up_plans import NotAPlan, verify

FILES = Path(unified_planning.__file__).parent / "test"
ANSWERS = {
    Status.SOLVED_SATISFICING: "solved",
    Status.SOLVED_OPTIMALLY: "solved",
    Status.UNSOLVABLE_PROVEN: "unsolvable",
    Status.UNSOLVABLE_INCOMPLETELY: "no plan",
    Status.TIMEOUT: "time out",
    Status.UNSUPPORTED_PROBLEM: "refused",
}
SLACK = 3
"""So many times the limit, a problem is given up whatever it is doing."""
COLUMNS = ("problems", "solved", "unsolvable", "no plan", "time out", "refused", "wrong")
KINDS = {
    "multi-agent": {"ACTION_BASED_MULTI_AGENT"},
    "contingent": {"CONTINGENT"},
    "with motions": {"TAMP"},
    "scheduling": {"SCHEDULING"},
    "processes": {"PROCESSES", "EVENTS"},
    "with time": {"CONTINUOUS_TIME", "DISCRETE_TIME"},
    "hierarchical": {"HIERARCHICAL"},
    "other metrics": {"OVERSUBSCRIPTION", "FINAL_VALUE"},
    "numeric": {"INT_FLUENTS", "REAL_FLUENTS"},
}
"""By the features that a problem has at least one of; any other is classical."""


class Given(NamedTuple):
    """A problem, where it comes from, and whether it has a plan, None if nobody says."""

    source: str
    name: str
    problem: Any
    solvable: bool | None = None

    @property
    def kind(self) -> str:
        features = self.problem.kind.features
        return next((kind for kind, some in KINDS.items() if some & features), "classical")


def examples() -> Iterator[Given]:
    for name, case in get_example_problems().items():
        yield Given("examples", name, case.problem, case.solvable)


def files() -> Iterator[Given]:
    """The problems in PDDL and HDDL that its tests read."""
    for language in ("pddl", "hddl"):
        for domain in sorted((FILES / language).glob("*/domain.*")):
            for file in sorted(domain.parent.glob("*.?ddl")):
                if "domain" not in file.name:
                    problem = PDDLReader().parse_problem(str(domain), str(file))
                    yield Given(language, f"{domain.parent.name}/{file.stem}", problem)


def cases(folder: Path) -> Iterator[Given]:
    """The problems in modules with ``get_test_cases``, but those that this version cannot make."""
    sys.path.append(str(folder))
    seen: set[str] = set()
    for file in sorted(folder.glob("*/**/*.py")):
        if "get_test_cases" in file.read_text("utf-8"):
            parts = file.relative_to(folder).with_suffix("").parts
            name = ".".join(part for part in parts if part != "__init__")
            try:
                found = importlib.import_module(name).get_test_cases()
            except Exception as error:  # noqa: BLE001 - whatever is wrong there
                sys.stdout.write(f"{name} cannot be made: {error}\n")
                continue
            for case, given in found.items():
                full = ".".join((name, *case.split(":")))  # a package has those of its modules
                if full not in seen:
                    seen.add(full)
                    yield Given(parts[0], full, given.problem, given.solvable)


def answered(given: Given, seconds: float) -> tuple[str, str]:
    """What bthtn answers, and what it says to it."""
    signal.setitimer(signal.ITIMER_REAL, SLACK * seconds)  # grounding does not look at the clock
    try:
        result = OneshotPlanner(name="bthtn").solve(given.problem, timeout=seconds)
        signal.setitimer(signal.ITIMER_REAL, 0)
        said = " ".join(message.message for message in result.log_messages)
        if result.plan is not None:
            verify(given.problem, result.plan)
        if result.status is Status.UNSOLVABLE_PROVEN and given.solvable:
            return "wrong", "it has a plan"
        return ANSWERS[result.status], said
    except NotAPlan as fault:
        return "wrong", f"no plan: {fault}"
    except TimeoutError:
        return "time out", ""
    except Exception as error:  # noqa: BLE001 - a fault of the planner is counted, and told
        return "wrong", f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _late(*_: object) -> None:
    raise TimeoutError


def table(rows: dict[tuple[str, str], Counter[str]]) -> Iterator[str]:
    """The lines of a table in Markdown."""
    yield f"| from | kind | {' | '.join(COLUMNS)} |"
    yield "| --- | --- |" + " --: |" * len(COLUMNS)
    for (source, kind), row in sorted(rows.items()):
        yield f"| {source} | {kind} | {' | '.join(str(row[each] or '') for each in COLUMNS)} |"
    total = sum(rows.values(), Counter[str]())
    yield f"| all | | {' | '.join(str(total[each]) for each in COLUMNS)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--cases", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # that bthtn does not support a kind, and those about PDDL
    signal.signal(signal.SIGALRM, _late)
    environment = get_environment()
    environment.credits_stream = None
    environment.factory.add_engine("bthtn", "bthtn.kit.unified_planning", "BthtnPlanner")
    rows: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    refused: Counter[str] = Counter()
    for given in chain(examples(), files(), cases(asked.cases) if asked.cases else ()):
        answer, said = answered(given, asked.seconds)
        rows[given.source, given.kind].update(["problems", answer])
        sys.stdout.write(f"{given.source:10} {given.name:60} {answer:10} {said.splitlines()[:1]}\n")
        sys.stdout.flush()
        if answer == "refused":
            refused[said] += 1
    sys.stdout.write("\n".join(["", *table(rows), ""]))
    for said, count in refused.most_common():
        sys.stdout.write(f"\n{count:3} {said}")
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
