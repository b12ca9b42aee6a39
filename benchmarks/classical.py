"""Thirty problems of the planning competitions, beside pyperplan.

    python -m benchmarks.classical FOLDER [--seconds 10]

The folder is a clone of https://github.com/aibasel/downward-benchmarks. Of each of ten domains
three problems are taken by their place in order. Each planner has a process of its own for each
problem, with a limit of processor time, in which it reads the files, too. pyperplan knows no costs:
they are left out of what it is given. It knows no negative preconditions either, which the actions
of data-network have. It is asked in three modes, and the fastest counts.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

DOMAINS = (
    *("blocks", "data-network-opt18-strips", "depot", "driverlog", "elevators-sat08-strips"),
    *("gripper", "rovers", "satellite", "transport-sat08-strips", "zenotravel"),
)
PLACES = (0.1, 0.3, 0.5)
PEERS = ("greedy", "greedy, preferred", "hill climbing")
_COSTS = ("(increase", "(:functions", "(:metric", "(= (")

Found = dict[str, Any]


def problems(folder: Path) -> list[tuple[Path, Path]]:
    """The domain and the problem of each."""
    found = []
    for name in DOMAINS:
        files = sorted((folder / name).glob("*.pddl"), key=_natural)
        listed = [file for file in files if "domain" not in file.name]
        found += [(folder / name / "domain.pddl", listed[int(p * len(listed))]) for p in PLACES]
    return found


def _natural(file: Path) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", file.name)
    return [(int(part), "") if part.isdigit() else (0, part) for part in parts]


def by_bthtn(domain: Path, problem: Path) -> Found:
    """What is found, and when the process was ready to be asked."""
    from bthtn import Settings, find_plan  # noqa: PLC0415 - a peer's process does without
    from bthtn.kit.formats.hddl.reading import read_problem  # noqa: PLC0415 - as above

    start = time.process_time()
    asked = read_problem(domain, problem)
    plan = find_plan(asked.domain, asked.state, asked.goal, Settings(max_expansions=10**9))
    assert plan is not None, "all of them can be solved"
    return {"steps": len(plan.steps), "start": start}


def by_pyperplan(domain: Path, problem: Path, mode: str) -> Found:
    """As above."""
    from pyperplan import grounding, search  # noqa: PLC0415 - it may be missing
    from pyperplan.heuristics.relaxation import hFFHeuristic  # noqa: PLC0415 - as above

    from benchmarks.peers import pyperplan_planner as peer  # noqa: PLC0415 - as above

    start = time.process_time()
    task = grounding.ground(peer.parsed(*(without_costs(f.read_text()) for f in (domain, problem))))
    estimate = hFFHeuristic(task)
    if mode == "hill climbing":
        plan = search.enforced_hillclimbing_search(task, estimate)
    else:
        prefers = mode == "greedy, preferred"
        plan = search.greedy_best_first_search(task, estimate, use_relaxed_plan=prefers)
    return {"steps": len(plan), "start": start}


def without_costs(text: str) -> str:
    """The same domain or problem, in which no action costs anything in particular."""
    text = re.sub(r";[^\n]*", "", text).replace(":action-costs", "")
    for head in _COSTS:
        while (start := text.find(head)) >= 0:
            depth = 0
            for end in range(start, len(text)):
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                if not depth:
                    break
            text = text[:start] + text[end + 1 :]
    return text


def asked(planner: str, domain: Path, problem: Path, seconds: int) -> Found | None:
    """Seconds of the processor and steps of a planner in a process; None if there is no plan."""
    command = [sys.executable, "-m", "benchmarks.classical", "--one", planner, domain, problem]
    limit = (seconds, seconds + 1)
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_CPU, limit),
        check=False,
    )
    lines = done.stdout.splitlines()
    return None if done.returncode or not lines else json.loads(lines[-1])


def answer(planner: str, domain: Path, problem: Path) -> None:
    """Ask here, and print what was found."""
    is_own = planner == "bthtn"
    found = by_bthtn(domain, problem) if is_own else by_pyperplan(domain, problem, planner)
    _say(json.dumps({**found, "seconds": time.process_time()}))


def compared(folder: Path, seconds: int) -> None:
    """Print a line for each problem, and the sums."""
    peers = PEERS if find_spec("pyperplan") is not None else ()
    both: list[tuple[Found, Found]] = []
    solved = {"bthtn": 0, "pyperplan": 0}
    for domain, problem in problems(folder):
        own = asked("bthtn", domain, problem, seconds)
        others = [found for mode in peers if (found := asked(mode, domain, problem, seconds))]
        best = min(others, key=lambda found: found["seconds"], default=None)
        shortest = min((found["steps"] for found in others), default=None)
        solved["bthtn"] += own is not None
        solved["pyperplan"] += best is not None
        if own and best:
            both.append((own, {**best, "shortest": shortest}))
        names = f"{domain.parent.name}/{problem.name}"
        peer = f"{_shown(best)}, shortest {shortest}"
        _say(f"{names:45} bthtn {_shown(own)}   pyperplan {peer}")
    _say(f"solved: {solved}")
    for number, name in enumerate(("bthtn", "pyperplan")):
        took = [pair[number] for pair in both]
        whole = statistics.geometric_mean([found["seconds"] for found in took])
        without = statistics.geometric_mean([found["seconds"] - found["start"] for found in took])
        steps = sum(found["steps"] for found in took)
        times = f"{whole:.3f} s, {without:.3f} s without start"
        _say(f"{name}: of {len(both)} that both solve: {times}; {steps} steps")
    _say(f"pyperplan's shortest: {sum(pair[1]['shortest'] for pair in both)} steps")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _shown(found: Found | None) -> str:
    return f"{found['seconds']:6.2f} s {found['steps']:4} steps" if found else "   –             "


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--one", nargs=3)
    given = parser.parse_args()
    if given.one:
        answer(given.one[0], Path(given.one[1]), Path(given.one[2]))
    else:
        compared(given.folder, given.seconds)
