"""The results as tables: on the screen, and between markers in docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.modes import MODES
from benchmarks.suite import REMEMBERED

Data = dict[str, Any]
Table = list[list[str]]
"""Rows of cells; the first row is the head."""

SHORT = {
    "GTPyhop recursive_dfs": "GTPyhop, recursive",
    "GTPyhop iterative_dfs_backtracking": "GTPyhop, iterative",
    "GTPyhop iterative_greedy": "GTPyhop, greedy",
}
NONE = "–"


def tables(data: Data) -> Mapping[str, Table]:
    """Every table that can be made of these results, by the name of its marker."""
    rows = data["rows"]
    every = {
        "machine": _machine(data),
        "summary": _summary(data["summary"]),
        "ratios": _ratios(rows),
        "times": _times(rows),
        "growth": _growth(data["growth"]),
        "memory": _memory(rows),
    }
    return {name: table for name, table in every.items() if len(table) > 1}


def markdown(table: Table) -> str:
    """The table as Markdown, its columns under each other; columns of numbers to the right."""
    columns = [_aligned(column) for column in zip(*table, strict=True)]
    lines = list(zip(*columns, strict=True))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _aligned(column: Sequence[str]) -> list[str]:
    """The cells of a column with the line under its head, all of one width."""
    head, *body = column
    width = max(map(len, column))
    if all(cell == NONE or cell[0].isdigit() for cell in body):
        return [cell.rjust(width) for cell in (head, "-" * (width - 1) + ":", *body)]
    return [cell.ljust(width) for cell in (head, "-" * width, *body)]


def number(value: float) -> str:
    """Three digits that count: 0.652, 12.3, 8,020."""
    if abs(value) < 99.95:  # from there on, three digits leave none behind the point
        return f"{value:#.3g}"
    return f"{round(value, 3 - len(str(int(abs(value))))):,.0f}"


def exact(value: float) -> str:
    """A count, or a mean of counts: 2,999 and 1.75."""
    return f"{int(value):,}" if value == int(value) else number(value)


def _shown(name: str) -> str:
    return SHORT.get(name, name)


def _machine(data: Data) -> Table:
    machine, pace = data["machine"], data["pace"]
    return [
        ["what", "which"],
        ["Python", f"{machine['implementation']} {machine['python']}"],
        ["system", f"{machine['system']}, {machine['architecture']}"],
        ["cores", str(machine["cores"])],
        ["programs that wanted one before", f"{machine['load']:.1f}"],
        ["bthtn", machine["bthtn"]],
        ["GTPyhop", machine["gtpyhop"]],
        ["batches of each planner", f"{pace['rounds']}, of {1000 * pace['batch']:.0f} ms or more"],
    ]


def _summary(summary: Data) -> Table:
    groups = {name: found for name, found in summary.items() if found}
    head = ["GTPyhop = 1"]
    for name, found in groups.items():
        rows = next(iter(found.values()))["rows"]
        head += [f"{name}: median of {rows} rows", "least"]
    table = [head]
    for mode in MODES if groups else ():
        summed = [found.get(mode, {}) for found in groups.values()]
        table.append([mode, *(c for one in summed for c in cells(one, ("median", "least")))])
    return table


def _ratios(rows: list[Data]) -> Table:
    """How many times as long as each mode the peer takes."""
    compared = [row for row in rows if row["ratios"]]
    return [
        ["GTPyhop = 1", *MODES],
        *([row["row"], *cells(row["ratios"], MODES)] for row in compared),
    ]


def _times(rows: list[Data]) -> Table:
    names = [*SHORT, *MODES]
    table = [["µs per plan", "cases", "steps", "expansions", *map(_shown, names)]]
    for row in rows:
        sizes = [str(row["cases"]), exact(row["steps"]), exact(row["expansions"])]
        times = row["times"]
        table.append([row["row"], *sizes, *cells(times, names)])
    return table


def _growth(growth: list[Data]) -> Table:
    names = [*SHORT, *MODES]
    head = ["exponent", "sizes", *map(_shown, names)]
    table = [head]
    for found in growth:
        sizes = f"{found['sizes'][0]:,} to {found['sizes'][-1]:,}"
        exponents = found["exponents"]
        fitted = [f"{exponents[n]:.2f}" if n in exponents else NONE for n in names]
        table.append([found["problem"], sizes, *fitted])
    return table


def _memory(rows: list[Data]) -> Table:
    table = [["KiB at most", *map(_shown, REMEMBERED)]]
    for row in filter(lambda row: row["memory"], rows):
        held = {name: found / 1024 for name, found in row["memory"].items()}
        table.append([row["row"], *cells(held, REMEMBERED)])
    return table


def cells(found: Mapping[str, float], names: Iterable[str]) -> list[str]:
    """What was found by these names, as numbers."""
    return [number(found[name]) if name in found else NONE for name in names]
