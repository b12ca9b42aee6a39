"""How many instructions things take: ``make instructions``, or

    python -m benchmarks.instructions [words of rows ...] [--write-docs]
    python -m benchmarks.instructions --check       1 when a row takes more than counts.toml says
    python -m benchmarks.instructions --update      writes into counts.toml what its rows take now

On a shared machine times are noise, but instructions repeat to a per cent. One process under
callgrind measures all rows: each is used to warm up, and then counted ``times`` times.
With words, ``--write-docs`` leaves the other rows of the manual's table as they are.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Collection

from benchmarks import callgrind, gate, page, report
from benchmarks.counted import samples
from benchmarks.sample import Sample

WARM_UP = 8


def use(measured: list[Sample]) -> None:
    """Use all rows, and mark each: what runs under callgrind."""
    for row in measured:
        uses = [row.make(number) for number in range(WARM_UP + row.times)]
        for one in uses[:WARM_UP]:
            one()
        gc.collect()
        gc.freeze()
        with callgrind.marked():
            for one in uses[WARM_UP:]:
                one()


def counted(names: Collection[str]) -> dict[str, float]:
    """Thousands of instructions of each of these rows, in their order."""
    counts = callgrind.counts("benchmarks.instructions", ["--use", *names])
    return {
        row.name: count / row.times / row.per / 1_000
        for row, count in zip(named(names), counts, strict=True)
    }


def named(names: Collection[str]) -> list[Sample]:
    """The rows with these names."""
    return [row for row in samples() if row.name in names]


def chosen(words: list[str]) -> list[str]:
    """The names of the rows that have one of the words, of all without words."""
    names = [row.name for row in samples()]
    return [name for name in names if not words or any(word in name for word in words)]


def show(words: list[str], *, write_docs: bool) -> None:
    """Print the table, and put it into the manual if that is asked for."""
    counts = counted(chosen(words))
    shown = {name: report.number(count) for name, count in counts.items()}
    sys.stdout.write(report.markdown(_table(shown)) + "\n")
    if write_docs:
        known = {**page.rows("instructions"), **shown}
        page.rewrite({"instructions": _table({n: known[n] for n in chosen([]) if n in known})})


def _table(shown: dict[str, str]) -> report.Table:
    return [["what", "thousands of instructions"], *map(list, shown.items())]


def check() -> int:
    """Print what takes more than it may; 1 when something does."""
    known = gate.read(gate.COUNTS.read_text("utf-8"))
    if known.python != gate.VERSION:
        _tell(f"not checked: the counts are those of Python {known.python}, not {gate.VERSION}")
        return 0
    if callgrind.is_missing():
        _tell(f"not checked: there is no valgrind here ({callgrind.INSTALL})")
        return 0
    counts = counted(known.thousands)
    above, below = known.above(counts), known.below(counts)
    for line in above:
        _tell(line)
    if below:
        update = "python -m benchmarks.instructions --update"
        _tell(f"below the gate, which {update} tightens: {'; '.join(below)}")
    return int(bool(above))


def update() -> None:
    """Write into ``counts.toml`` what its rows take now."""
    text = gate.COUNTS.read_text("utf-8")
    gate.COUNTS.write_text(gate.updated(text, counted(gate.read(text).thousands)), "utf-8")


def _tell(line: str) -> None:
    sys.stdout.write(f"instructions: {line}\n")


def run(arguments: list[str]) -> int:
    """0 when all is well, 1 when a row is above its gate, 2 when valgrind is missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions")
    parser.add_argument("words", nargs="*", help="only rows that have one of these words")
    parser.add_argument("--write-docs", action="store_true", help="put the table into the manual")
    parser.add_argument("--check", action="store_true", help="is a row above its gate?")
    parser.add_argument("--update", action="store_true", help="write the gates anew")
    parser.add_argument("--use", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.use:
        use(named(given.words))
        return 0
    if given.check:
        return check()
    if callgrind.is_missing():
        sys.stderr.write(f"It needs valgrind: {callgrind.INSTALL}\n")
        return 2
    if given.update:
        update()
    else:
        show(given.words, write_docs=given.write_docs)
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
