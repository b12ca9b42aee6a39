"""How many instructions things take: ``make instructions``, or

    python -m benchmarks.instructions [words of rows ...] [--write-docs]

On a shared machine times are noise, but instructions repeat to a per cent. One process under
callgrind measures all rows: each is used to warm up, and then ``times`` times between two
calls of the C function ``getloadavg``, on which callgrind writes down its count and begins anew.
With words, ``--write-docs`` leaves the other rows of the manual's table as they are.
"""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import page, report
from benchmarks.counted import Row, rows

MARK = "getloadavg"
WARM_UP = 8


def use(measured: list[Row]) -> None:
    """Use all rows, with a mark before and behind each: what runs under callgrind."""
    for row in measured:
        uses = [row.make(number) for number in range(WARM_UP + row.times)]
        for one in uses[:WARM_UP]:
            one()
        gc.collect()
        gc.freeze()
        os.getloadavg()
        for one in uses[WARM_UP:]:
            one()
        os.getloadavg()


def counted(words: list[str]) -> dict[str, float]:
    """Thousands of instructions of each row that has one of the words, of all without words."""
    measured = chosen(words)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts"
        valgrind = ("valgrind", "--tool=callgrind", f"--dump-before={MARK}", "--quiet")
        again = (sys.executable, "-m", "benchmarks.instructions", "--use", *words)
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        command = (*valgrind, f"--callgrind-out-file={out}", *again)
        subprocess.run(command, check=True, env=environment)
        counts = [_total(Path(f"{out}.{2 * n + 2}")) for n in range(len(measured))]
    return {
        row.name: count / row.times / row.per / 1_000
        for row, count in zip(measured, counts, strict=True)
    }


def chosen(words: list[str]) -> list[Row]:
    """The rows whose name has one of the words, all without words."""
    return [row for row in rows() if not words or any(word in row.name for word in words)]


def _total(dump: Path) -> int:
    found = re.search(r"^(?:totals|summary): (\d+)", dump.read_text("utf-8"), re.MULTILINE)
    assert found is not None, "callgrind writes a total into every dump"
    return int(found[1])


def main(*arguments: str) -> None:
    """Print the table; with ``--write-docs``, put it into the manual."""
    words = [one for one in arguments if not one.startswith("--")]
    if "--use" in arguments:
        use(chosen(words))
        return
    counts = counted(words)
    shown = {name: report.number(count) for name, count in counts.items()}
    sys.stdout.write(report.markdown(_table(shown)) + "\n")
    if "--write-docs" in arguments:
        known = {**page.rows("instructions"), **shown}
        names = [row.name for row in rows() if row.name in known]
        page.rewrite({"instructions": _table({name: known[name] for name in names})})


def _table(shown: dict[str, str]) -> report.Table:
    return [["what", "thousands of instructions"], *map(list, shown.items())]


if __name__ == "__main__":
    main(*sys.argv[1:])
