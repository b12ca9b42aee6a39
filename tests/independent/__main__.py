"""Look for faults in bthtn from outside, at length.

    python -m tests.independent [--problems 100000] [--events 1000000] [--seed 1]
    python -m tests.independent --problem 1:241
    python -m tests.independent --character 1:817

Random problems against brute force, then random characters against what has to be true of every
run; goes on after a finding. The last two forms repeat one problem, or one character with all of
its events.
"""

import argparse
import time
import traceback
from collections import Counter

from tests.independent import planning, running


def main() -> int:
    """Check problems and characters; 1 when something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.independent", description=__doc__)
    parser.add_argument("--problems", type=int, default=100_000, help="how many problems")
    parser.add_argument("--events", type=int, default=1_000_000, help="how many events")
    parser.add_argument("--seed", default="1", help="draws others")
    parser.add_argument("--problem", metavar="SEED", help="repeats this one")
    parser.add_argument("--character", metavar="SEED", help="repeats this one")
    asked = parser.parse_args()
    seen: Counter[str] = Counter()
    if asked.problem:
        planning.check(asked.problem, seen)
    elif asked.character:
        return _report("character", asked.character, running.check(asked.character, seen, print))
    else:
        found = _problems(asked.problems, asked.seed, seen)
        found += _characters(asked.events, asked.seed, seen)
        print(*(f"{count:9} {what}" for what, count in sorted(seen.items())), sep="\n")
        print(f"{found} findings in {seen['problems']} problems and {seen['events']} events")
        return int(found > 0)
    return 0


def _problems(wanted: int, seed: str, seen: Counter[str]) -> int:
    found, since = 0, time.perf_counter()
    for number in range(wanted):
        one = f"{seed}:{number}"
        try:
            planning.check(one, seen)
        except Exception:  # noqa: BLE001 - the search for faults goes on
            found += _report("problem", one, [traceback.format_exc(limit=-2)])
        if number % 5_000 == 4_999:
            print(f"{number + 1} problems, {time.perf_counter() - since:.0f} s", flush=True)
    return found


def _characters(wanted: int, seed: str, seen: Counter[str]) -> int:
    found, number, since = 0, 0, time.perf_counter()
    while seen["events"] < wanted:
        one = f"{seed}:{number}"
        found += _report("character", one, running.check(one, seen))
        number += 1
        if number % 200 == 0:
            spent = time.perf_counter() - since
            print(f"{number} characters, {seen['events']} events, {spent:.0f} s", flush=True)
    return found


def _report(kind: str, seed: str, faults: list[str]) -> int:
    if faults:
        print(
            f"{kind} {seed}: {faults[0]}",
            f"  python -m tests.independent --{kind} {seed}",
            sep="\n",
            flush=True,
        )
    return int(bool(faults))


if __name__ == "__main__":
    raise SystemExit(main())
