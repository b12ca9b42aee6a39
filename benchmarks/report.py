"""The results as tables: on the screen, and between markers in docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.features import FEATURES
from benchmarks.modes import MODES

Data = dict[str, Any]
Table = list[list[str]]
"""Rows of cells; the first row is the head."""

PEERS = ("GTPyhop recursive_dfs", "GTPyhop iterative_dfs_backtracking", "GTPyhop iterative_greedy")
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
        "times": _times(rows),
        "ratios": _ratios(rows),
        "slower": _slower(rows),
        "work": _work(rows),
        "growth": _growth(data["growth"]),
        "memory": _memory(rows),
        "features": _features(data["features"]),
        "feature_ratios": _feature_ratios(data["features"]),
        "limits": _limits(data["limits"]),
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


def _spread(spread: Data) -> str:
    """The median, and half the distance of the quartiles in per cent of it."""
    share = (spread["upper"] - spread["lower"]) / 2 / spread["median"]
    return f"{number(spread['median'])} ± {share:.0%}".replace("%", " %")


def _machine(data: Data) -> Table:
    machine, pace = data["machine"], data["pace"]
    return [
        ["what", "which"],
        ["Python", f"{machine['implementation']} {machine['python']}"],
        ["system", f"{machine['system']}, {machine['architecture']}"],
        ["cores", str(machine["cores"])],
        ["bthtn", machine["bthtn"]],
        ["GTPyhop", machine["gtpyhop"]],
        ["batches of each planner", f"{pace['rounds']}, of {1000 * pace['batch']:.0f} ms or more"],
    ]


def _summary(summary: Data) -> Table:
    head = ["mode", "rows", "median ratio", "least ratio"]
    return [
        head,
        *(
            [mode, str(found["rows"]), number(found["median"]), number(found["least"])]
            for mode, found in summary.items()
        ),
    ]


def _times(rows: list[Data]) -> Table:
    names = [*PEERS, *MODES]
    head = ["µs per plan", "cases", "steps", *map(_shown, names)]
    return [
        head,
        *(
            [
                row["row"],
                str(row["cases"]),
                exact(row["steps"]),
                *(_spread(row["times"][n]) if n in row["times"] else NONE for n in names),
            ]
            for row in rows
        ),
    ]


def _ratios(rows: list[Data]) -> Table:
    head = ["fastest GTPyhop = 1", "fastest", *MODES]
    return [
        head,
        *(
            [
                row["row"],
                _shown(_fastest(row)).removeprefix("GTPyhop, "),
                *(_spread(row["ratios"][mode]) for mode in MODES),
            ]
            for row in rows
            if row["ratios"]
        ),
    ]


def _fastest(row: Data) -> str:
    return min((name for name in PEERS if name in row["times"]), key=lambda n: _median(row, n))


def _median(row: Data, name: str) -> float:
    return float(row["times"][name]["median"])


def _slower(rows: list[Data]) -> Table:
    """Where a mode takes longer than a peer, and how many times as long."""
    table = [["problem", "slower than", *MODES]]
    for row in rows:
        for peer in PEERS:
            if peer not in row["times"]:
                continue
            times_as_long = [_median(row, mode) / _median(row, peer) for mode in MODES]
            if max(times_as_long) > 1:
                cells = [number(factor) if factor > 1 else NONE for factor in times_as_long]
                table.append([row["row"], _shown(peer), *cells])
    return table if len(table) > 1 else [table[0], ["none", "nobody", *(NONE for _ in MODES)]]


def _work(rows: list[Data]) -> Table:
    head = ["problem", "expansions per plan"]
    for mode in MODES:
        head += [f"{mode}: expansions per second", f"{mode}: µs per step"]
    table = [head]
    for row in rows:
        line = [row["row"], exact(row["expansions"])]
        for mode in MODES:
            took = _median(row, mode)
            per_step = took / row["steps"] if row["plans"] == row["cases"] else None
            line += [number(row["expansions"] / took * 1e6)]
            line += [NONE if per_step is None else number(per_step)]
        table.append(line)
    return table


def _growth(growth: list[Data]) -> Table:
    names = [*PEERS, *MODES]
    head = ["exponent", "sizes", *map(_shown, names)]
    table = [head]
    for found in growth:
        sizes = f"{found['sizes'][0]:,} to {found['sizes'][-1]:,}"
        exponents = found["exponents"]
        cells = [f"{exponents[n]:.2f}" if n in exponents else NONE for n in names]
        table.append([found["problem"], sizes, *cells])
    return table


def _memory(rows: list[Data]) -> Table:
    names = [*PEERS, *MODES]
    table = [["KiB at most", *map(_shown, names)]]
    for row in rows:
        held = row["memory"]
        table.append([row["row"], *(number(held[n] / 1024) if n in held else NONE for n in names)])
    return table


def _features(featured: list[Data]) -> Table:
    """Microseconds in every mode."""
    table = [["µs per plan", "asked for besides the plan", *MODES]]
    for row in featured:
        for feature in FEATURES:
            cells = [_spread(row["times"][f"{mode}: {feature}"]) for mode in MODES]
            table.append([row["row"], feature, *cells])
    return table


def _feature_ratios(featured: list[Data]) -> Table:
    """How many times as long the fastest peer takes, which has none of the features."""
    table = [["fastest GTPyhop = 1", "asked for besides the plan", *MODES]]
    for row in featured:
        if row["peer"] is None:
            continue
        took = _median(row, row["peer"])
        for feature in (name for name, feature in FEATURES.items() if feature.whole):
            cells = [number(took / _median(row, f"{mode}: {feature}")) for mode in MODES]
            table.append([row["row"], feature, *cells])
    return table


def _limits(limits: Data) -> Table:
    return [["planner", "steps"], *([_shown(name), f"{n:,}"] for name, n in limits.items())]
