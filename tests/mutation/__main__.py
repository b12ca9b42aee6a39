"""Does `make test` notice the faults that `make thorough` notices?

    python -m tests.mutation [--count 200] [--seed 1] [--jobs 2]

Draws faults by a seed from all packages of bthtn and puts one at a time into a copy of the
checkout. The quick tests that run the changed line are run there until one fails; if none does, the
thorough ones. What was found out stands in out/mutants/results.jsonl, so that a run that was
stopped goes on where it was.
"""

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue

from tests.mutation.draw import Mutant, drawn
from tests.mutation.table import table
from tests.mutation.workshop import OUT, Map, Workshop, measured_map

RESULTS = OUT / "results.jsonl"


def main() -> int:
    """Try what was not tried yet and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many faults")
    parser.add_argument("--seed", type=int, default=1, help="draws other faults")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at a time")
    wanted = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    mutants = drawn(wanted.count, wanted.seed)
    results = already_found()
    missing = [mutant for mutant in mutants if mutant.key not in results]
    if missing:
        workshops: SimpleQueue[Workshop] = SimpleQueue()
        for number in range(wanted.jobs):
            workshops.put(Workshop(number))
        lines = measured_map()
        with ThreadPoolExecutor(wanted.jobs) as threads:
            trials = [threads.submit(tried, mutant, workshops, lines) for mutant in missing]
            for trial in as_completed(trials):
                result = trial.result()
                print(told(result), flush=True)
                results[result["key"]] = result
                with RESULTS.open("a") as file:
                    file.write(json.dumps(result) + "\n")
    print(table([results[mutant.key] for mutant in mutants]))
    return 0


def already_found() -> dict[str, dict]:
    """What earlier runs wrote down."""
    if not RESULTS.exists():
        return {}
    results = map(json.loads, RESULTS.read_text("utf-8").splitlines())
    return {result["key"]: result for result in results}


def tried(mutant: Mutant, workshops: "SimpleQueue[Workshop]", lines: Map) -> dict:
    """Who notices a mutant: "quick", "thorough" or nobody (""), and the test that does."""
    shop = workshops.get()
    try:
        with shop.changed(mutant):
            for tier in ("quick", "thorough"):
                test, seconds = shop.failing_test(tier, lines.files_for(mutant))
                if test:
                    break
            else:
                tier = ""
    finally:
        workshops.put(shop)
    where = f"{mutant.file}:{mutant.fault.line}"
    found = {"key": mutant.key, "where": where, "kind": mutant.fault.kind, "noticed by": tier}
    return found | {"instead": mutant.fault.instead, "test": test, "seconds": round(seconds)}


def told(result: dict) -> str:
    return (
        f"{result['noticed by'] or 'nobody':8} {result['seconds']:4} s  {result['where']}  "
        f"{result['kind']}: {result['instead']}  {result['test']}"
    )


if __name__ == "__main__":
    sys.exit(main())
