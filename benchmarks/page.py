"""docs/benchmarks.md: its tables are written by the tool, between markers, and checked."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

from benchmarks.report import Table, markdown

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
TABLES = (
    *("felt", "crowd", "summary", "ratios", "features", "modes", "branching", "tasks", "running"),
    *("cold", "times", "growth", "memory", "writes", "large", "groups", "kept", "seeing"),
    *("served", "scenarios", "instructions", "goals", "machine"),
)
"""The tables that the page has to have."""

MARKED = re.compile(r"<!-- table: (\w+) -->\n(.*?)<!-- end of \1 -->", re.DOTALL)
TELLTALE = re.compile(r"[/\\@]|\b\d+\.\d+\.\d+\.\d+\b")
"""What paths, addresses and names of users look like; no number needs any of it."""


def written(page: str, tables: Mapping[str, Table]) -> str:
    """The page with these tables between its markers; tables of other commands stay."""

    def block(match: re.Match[str]) -> str:
        name = match[1]
        if name not in tables:
            return match[0]
        return f"<!-- table: {name} -->\n{markdown(tables[name])}\n<!-- end of {name} -->"

    return MARKED.sub(block, page)


def show(tables: Mapping[str, Table], arguments: Collection[str]) -> None:
    """Print these tables; with ``--write-docs`` among the arguments, put them into the manual."""
    for table in tables.values():
        sys.stdout.write(f"{markdown(table)}\n\n")
    if "--write-docs" in arguments:
        rewrite(tables)


def rewrite(tables: Mapping[str, Table]) -> None:
    """Put these tables into the manual."""
    PAGE.write_text(written(PAGE.read_text("utf-8"), tables), "utf-8")


def rows(name: str) -> dict[str, str]:
    """The rows of a table of two columns, as the manual has it."""
    tables = {match[1]: match[2] for match in MARKED.finditer(PAGE.read_text("utf-8"))}
    cells = [line.strip("|").split("|") for line in tables[name].splitlines()[2:]]
    return {first.strip(): second.strip() for first, second in cells}


def faults(page: str) -> list[str]:
    """What is wrong with the tables of a page, in words."""
    marked = {match[1]: match[2] for match in MARKED.finditer(page)}
    found = [f"there is no table '{name}'" for name in TABLES if name not in marked]
    found += [f"nobody writes the table '{name}'" for name in marked if name not in TABLES]
    for name, text in marked.items():
        found += [f"{name}: {fault}" for fault in _table_faults(text.splitlines())]
    return found


def _table_faults(lines: list[str]) -> list[str]:
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    if len(cells) < 3 or not all(re.fullmatch(r"-+:?", cell) for cell in cells[1]):
        return ["no head, or no rows"]
    found = [
        f"{len(line)} cells under a head of {len(cells[0])}: {line[0]}"
        for line in cells
        if len(line) != len(cells[0])
    ]
    body = [cell for line in (cells[0], *cells[2:]) for cell in line]
    found += ["an empty cell"] if not all(body) else []
    found += [f"what belongs to one machine: {c}" for c in body if TELLTALE.search(c)]
    return found + [f"the name of a machine: {c}" for c in body if c == platform.node()]
