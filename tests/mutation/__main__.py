"""Does `make test` notice the faults that `make thorough` notices?

    python -m tests.mutation [--count 200] [--seed 1] [--jobs 2]

Draws faults by a seed from all packages of bthtn and puts one at a time into a copy of the
checkout. The quick tests that run the changed line are run there until one fails; if none does,
those of them that are larger in the thorough tier, and the slow tests beside them, for a minute of
computing in each tier. What was found out stands in out/mutants/results.jsonl, so that a run
that was stopped goes on where it was.
"""

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue

from tests.mutation.draw import Mutant, drawn
from tests.mutation.table import table
from tests.mutation.workshop import OUT, Map, Workshop, measured_map, own_folder

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
            tier, test, seconds = noticed(shop, mutant, lines.tests_for(mutant))
    finally:
        workshops.put(shop)
    where = f"{mutant.file}:{mutant.fault.line}"
    found = {"key": mutant.key, "where": where, "kind": mutant.fault.kind, "noticed by": tier}
    return found | {"instead": mutant.fault.instead, "test": test, "seconds": round(seconds)}


def noticed(shop: Workshop, mutant: Mutant, tests: list[str]) -> tuple[str, str, float]:
    """The tier, its test that fails, and the seconds that it took.

    The tests of the mutant's own package are run without collecting those of others.
    """
    folder, total = own_folder(mutant), 0.0
    own = [test for test in tests if test.startswith(folder)]
    for tier, asked in (("quick", own), ("quick", tests[len(own) :]), ("thorough", tests)):
        files = {test.partition("::")[0] for test in asked}
        if tier == "thorough":
            files |= shop.files_in(folder)
        if not files:
            continue
        test, seconds = shop.failing_test(tier, asked, sorted(files))
        total += seconds
        if test:
            return tier, test, total
    return "", "", total


def told(result: dict) -> str:
    return (
        f"{result['noticed by'] or 'nobody':8} {result['seconds']:4} s  {result['where']}  "
        f"{result['kind']}: {result['instead']}  {result['test']}"
    )


if __name__ == "__main__":
    sys.exit(main())
