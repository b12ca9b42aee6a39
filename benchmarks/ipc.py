"""Problems of the International Planning Competition: what bthtn solves of a sample of them.

    python -m benchmarks.ipc FOLDER --seconds 10
    python -m benchmarks.ipc FOLDER --seconds 10 --hypertension FOLDER-OF-HYPERTENSION

FOLDER holds a folder for each domain, as https://github.com/panda-planner-dev/ipc2020-domains has
them in total-order and partial-order. The sample is drawn by a fixed seed. Each problem is given to
a process of its own, as a user types it, with a limit of processor time, start-up included. Each
plan of bthtn is verified with its decomposition by ``tests/independent/hddl_plans.py``; those of
HyperTensioN are counted as they are, since it changes names.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bthtn.errors import BthtnError
from bthtn.kit.formats.hddl.parser import domain_in, problem_in
from bthtn.kit.formats.hddl.problem import ENDINGS
from bthtn.kit.formats.hddl.source import Source
from tests.independent.hddl_plans import NotAPlan, verify

SEED = 16
BYTES = 4 << 30
MOST = "1000000000"
RUBY = ("ruby", "--disable=all", "-s", "Hype.rb", "-IPC")
STAGES = ("typredicate", "pullup", "dejavu", "run")
STACK = {"RUBY_THREAD_VM_STACK_SIZE": str(1 << 30), "PATH": "/usr/local/bin:/usr/bin:/bin"}


@dataclass(frozen=True)
class Instance:
    """A problem and its domain."""

    domain: Path
    problem: Path

    @property
    def name(self) -> str:
        return f"{self.problem.parent.name}/{self.problem.stem}"


@dataclass(frozen=True)
class Answer:
    """What came of an instance: the length of its plan, or why there is none, and the seconds."""

    steps: int | None
    seconds: float
    why: str = ""

    def __str__(self) -> str:
        return f"{self.why if self.steps is None else self.steps:>12} {self.seconds:6.2f} s"


def instances(folder: Path) -> dict[str, list[Instance]]:
    """The problems in each of the folders, with their domains."""
    found: dict[str, list[Instance]] = {}
    for file in sorted(folder.glob("*/*")):
        if file.suffix in ENDINGS and "domain" not in file.name.lower():
            own = file.with_name(f"{file.stem}-domain{file.suffix}")
            domain = own if own.exists() else file.with_name(f"domain{file.suffix}")
            found.setdefault(file.parent.name, []).append(Instance(domain, file))
    return found


def sample(folder: Path, each: int, seed: int) -> Iterator[Instance]:
    """So many problems of each domain."""
    drawn = random.Random(seed)  # noqa: S311 - a sample that is the same each time
    for _, of_domain in sorted(instances(folder).items()):
        chosen = drawn.sample(of_domain, min(each, len(of_domain)))
        yield from sorted(chosen, key=lambda instance: instance.problem)


def answered(instance: Instance, command: list[str], seconds: int, **how: object) -> Answer:
    """What a program answers, verified."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))

    before = _children()
    done = subprocess.run(
        command, preexec_fn=limited, capture_output=True, text=True, check=False, **how
    )
    taken = _children() - before
    if "<==" not in done.stdout:
        return Answer(None, taken, "no plan" if done.returncode == 1 else "–")
    if how:
        steps = done.stdout.partition("==>")[2].partition("root")[0]
        return Answer(len(steps.strip().splitlines()), taken)
    try:
        domain = domain_in(Source.of(instance.domain))
        problem = problem_in(Source.of(instance.problem), domain)
        return Answer(verify(domain, problem, done.stdout), taken)
    except (NotAPlan, BthtnError) as fault:
        return Answer(None, taken, f"WRONG: {fault}")


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--hypertension", type=Path)
    given = parser.parse_args()
    sys.setrecursionlimit(1_000_000)  # a verifier goes as deep as a decomposition
    solved: dict[str, list[Answer]] = {}
    for instance in sample(given.folder, given.each, given.seed):
        files = [str(instance.domain.resolve()), str(instance.problem.resolve())]
        ask = [sys.executable, "-m", "bthtn", "plan", *files, "--format", "ipc"]
        own = answered(instance, [*ask, "--max-expansions", MOST], given.seconds)
        answers = {"bthtn": own}
        if given.hypertension:
            how = {"cwd": given.hypertension, "env": STACK}
            command = [*RUBY, *files, *STAGES]
            answers["HyperTensioN"] = answered(instance, command, given.seconds, **how)
        for name, answer in answers.items():
            solved.setdefault(name, []).append(answer)
        shown = "  ".join(f"{name} {answer}" for name, answer in answers.items())
        sys.stdout.write(f"{instance.name:60} {shown}\n")
        sys.stdout.flush()
    for name, found in solved.items():
        good = [answer for answer in found if answer.steps is not None]
        solves = f"{len(good)} of {len(found)} solved in {given.seconds} s of CPU"
        sys.stdout.write(f"{name}: {solves}\n")


if __name__ == "__main__":
    main()
