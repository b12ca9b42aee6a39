"""Coverage of behaviour: counts of the events in tests, and the rows that never happened.

A row is something that may turn out in several ways, the columns of its kind. It is covered when
it has turned out in each of the first ``needed`` ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Kind(NamedTuple):
    """How the rows of a kind may turn out, and in how many of these ways they have to."""

    columns: tuple[str, ...]
    needed: int
    plural: str


DOMAIN_KINDS: Final[Mapping[str, Kind]] = {
    "method": Kind(("chosen", "entered", "rejected"), 1, "methods"),
    "condition": Kind(("true", "false"), 2, "conditions"),
}
TREE_KINDS: Final[Mapping[str, Kind]] = {
    "branch": Kind(("succeeded", "failed", "interrupted"), 2, "branches"),
    "step": Kind(("started", "done", "failed", "refused"), 1, "steps"),
    "abort": Kind(("aborted",), 1, "steps that take time"),
    "plan": Kind(("adopted", "kept", "replaced", "broken", "repaired", "aborted"), 1, "plans"),
    "verdict": Kind(("given",), 1, "verdicts"),
    "alternative": Kind(("chosen",), 1, "alternatives"),
}
KINDS: Final[Mapping[str, Kind]] = {**DOMAIN_KINDS, **TREE_KINDS}

Counts = Mapping[str, Mapping[str, Mapping[str, list[int]]]]
"""By domain or tree, kind and name: how often it has turned out in each way."""


class Coverage:
    """Counts of domains or of trees, as of one process; those of others can be added."""

    def __init__(self) -> None:
        self.counts: dict[str, dict[str, dict[str, list[int]]]] = {}

    def row(self, subject: str, kind: str, name: str) -> list[int]:
        """The counts of a row, which is made if there is none."""
        rows = self.counts.setdefault(subject, {}).setdefault(kind, {})
        return rows.setdefault(name, [0] * len(KINDS[kind].columns))

    def add(self, subject: str, kind: str, name: str, column: str) -> None:
        self.row(subject, kind, name)[KINDS[kind].columns.index(column)] += 1

    def merge(self, counts: Counts) -> None:
        """Add the counts of another process."""
        for subject, kinds in counts.items():
            for kind, rows in kinds.items():
                for name, more in rows.items():
                    row = self.row(subject, kind, name)
                    row[:] = [number + other for number, other in zip(row, more, strict=True)]

    def never(self, kind: str) -> list[tuple[str, str, str]]:
        """The subject, name and column of all that should have happened, and has not."""
        return [
            (subject, name, column)
            for subject, kinds in sorted(self.counts.items())
            for name, row in kinds.get(kind, {}).items()
            for column in _missing(kind, row)
        ]

    def covered(self, kind: str) -> tuple[int, int]:
        """How many of the needed ways the rows of a kind have turned out in, and of how many."""
        rows = sum(len(kinds.get(kind, {})) for kinds in self.counts.values())
        total = rows * KINDS[kind].needed
        return total - len(self.never(kind)), total

    def percentage(self, kind: str) -> float:
        """The same in percent; 100 if there are no rows."""
        covered, total = self.covered(kind)
        return 100 * covered / total if total else 100.0

    def table(self, subject: str) -> str:
        """A table for each kind of a domain or tree; rows that never happened are marked."""
        lines = []
        for kind, rows in self.counts[subject].items():
            columns = KINDS[kind].columns
            lines.append(f"  {'  '.join(columns)}  {kind}")
            for name, row in rows.items():
                cells = [f"{n:{len(head)}}" for n, head in zip(row, columns, strict=True)]
                never = _missing(kind, row)
                mark = f"  <- never {', never '.join(never)}" if never else ""
                lines.append(f"  {'  '.join(cells)}  {name}{mark}")
        return "\n".join(lines)

    def data(self) -> dict[str, dict[str, dict[str, dict[str, int]]]]:
        """The counts with the names of their columns, as JSON has them."""
        return {
            subject: {
                kind: {
                    name: dict(zip(KINDS[kind].columns, row, strict=True))
                    for name, row in rows.items()
                }
                for kind, rows in kinds.items()
            }
            for subject, kinds in sorted(self.counts.items())
        }

    def summary(self) -> list[str]:
        """A line for each kind that has rows: ``3 of 4 methods chosen: 75 %``."""
        lines = []
        for kind in KINDS:
            covered, total = self.covered(kind)
            if total:
                share = f"{self.percentage(kind):.0f} %"
                lines.append(f"{covered} of {total} {what_counts(kind)}: {share}")
        return lines


def what_counts(kind: str) -> str:
    """The need of a kind: ``methods chosen``, ``conditions true and false``."""
    columns, needed, plural = KINDS[kind]
    return f"{plural} {' and '.join(columns[:needed])}"


def _missing(kind: str, row: list[int]) -> list[str]:
    """The needed columns in which a row has nothing."""
    columns, needed, _ = KINDS[kind]
    return [head for head, n in zip(columns[:needed], row, strict=False) if not n]
