"""Does the kit find every seeded fault? Writes what found it into found.md, beside this file.

Each fault is put into a copy of the checkout alone. There the kit is run as its users run it, until
something fails: the cases of the domains, the scenarios of the trees, and ``bthtn fuzz`` on each
tree. 1 if a fault is not found, or if anything is found without one.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import Queue

from tests.mutation.workshop import Workshop
from tests.seeded.faults import Seeded, mended, seeded

TABLE = Path(__file__).with_name("found.md")
TREES = (
    *("guard", "arms_and_legs", "soldier", "squad", "brawler", "miner", "fencer", "comrade"),
    *("archer", "sentry", "swordsman", "thumper", "warrior"),
)
"""Not ammunition, in which an ally who is hurt for ever is found without any fault."""
ROVER = "tests/seeded/rover/tree.py"
"""It has what the shipped trees have not: goals that want the same resource, and leases. The domain
beside it, ``survey``, has the constructs that the shipped domains do without."""
LONGEST = 900
ROW = re.compile(r"(?m)^\| (.*?) \| `(.*?)` \| (.*) \|$")
CLEAN = (0, 1)


def commands() -> Iterator[tuple[str, list[str]]]:
    """The commands of the kit, each with its name."""
    yield "cases", ["test", "domains", "tests/seeded/survey"]
    yield "scenarios", ["test", "trees", "tests/seeded/rover", "tests/seeded/hauler"]
    for tree in (ROVER, *TREES):
        yield f"fuzz {tree}", ["fuzz", tree, "--jobs", "1"]


def found_in(shop: Workshop) -> str:
    """The first command that fails in a copy, and what it says; "" if none does."""
    for name, arguments in commands():
        try:
            done = shop.run("-m", "bthtn", *arguments, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            return f"{name}: it does not come back"
        if done.returncode:
            return f"{name}: {what_failed(name, done)}"
    return ""


def what_failed(name: str, done: subprocess.CompletedProcess[str]) -> str:
    """One line of what a command prints when it fails."""
    if done.returncode not in CLEAN:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        return next((line for line in said if line.startswith("[BT")), said[-1])
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    if not lines:  # Python has said why, and ends with 1 as well
        return (done.stderr.strip() or "nothing").splitlines()[-1]
    if name.startswith("fuzz"):
        return lines[0]
    failed = lines[-1].partition(", ")[2]
    return f"{lines[0].partition(': ')[2]} ({failed})"


def main() -> int:
    parser = argparse.ArgumentParser(prog="make seeded", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        help="only faults whose names have this in them: their rows are written anew",
    )
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    faults = [
        one
        for one in seeded()
        if not chosen.names or any(name in one.name for name in chosen.names)
    ]
    shops: Queue[Workshop] = Queue()
    for number in range(chosen.jobs):
        shops.put(Workshop(number))

    def tried(one: Seeded | None) -> str:
        shop = shops.get()
        try:
            if one is None:
                return found_in(shop)
            with ExitStack() as edits:
                for edit in one.edits:
                    edits.enter_context(shop.changed(edit))
                found = found_in(shop)
            print(f"{one.name}: {found or 'NOT FOUND'}", flush=True)
            return found
        finally:
            shops.put(shop)

    with ThreadPoolExecutor(chosen.jobs) as pool:
        sound = "" if chosen.names else tried(None)
        results = list(pool.map(tried, faults))
    if sound:
        print(f"Without any fault: {sound}")
        return 1
    found = rows() | {one.name: result for one, result in zip(faults, results, strict=True)}
    TABLE.write_text(table(seeded(), [found.get(one.name, "") for one in seeded()]), "utf-8")
    print(f"{sum(map(bool, results))} of {len(faults)} found")
    return int(not all(results))


def rows() -> dict[str, str]:
    """What the table says now, by the names of faults."""
    text = TABLE.read_text("utf-8") if TABLE.exists() else ""
    return {name: found.replace("\\|", "|") for name, _, found in ROW.findall(text)}


def table(faults: list[Seeded], results: list[str]) -> str:
    """What found which fault, as Markdown."""
    lines = ["# Seeded faults, and what finds them", ""]
    lines += [
        "`make seeded` writes this table. Each fault alone; the first command that fails.",
        "",
    ]
    lines += ["| fault | in | found by |", "| ----- | -- | -------- |"]
    for one, found in zip(faults, results, strict=True):
        shown = found.replace("|", "\\|") or "**nothing**"
        files = ", ".join(f"`{file}`" for file in one.files)
        lines.append(f"| {one.name} | {files} | {shown} |")
    return "\n".join([*lines, "", *mended_table(), ""])


def mended_table() -> list[str]:
    """Which faults stand for the defects that were mended, as Markdown."""
    lines = ["## Defects that this engine had", ""]
    lines += ["Each is among the faults, or no run of a character can show it.", ""]
    lines += ["| defect | faults above, or why there is none |", "| ------ | ------ |"]
    for one in mended():
        lines.append(f"| {one.defect} | {'; '.join(one.faults) or one.why} |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
