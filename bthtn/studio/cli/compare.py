"""``bthtn compare``: two trees or domains over the same seeds, in pairs."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from rich.console import Console
from rich.table import Table
from typer import Argument, Option

from bthtn.errors import InputError
from bthtn.studio.batch.resume import Kept, resumed
from bthtn.studio.batch.runner import Deaths
from bthtn.studio.batch.workers import Workers
from bthtn.studio.cli import options
from bthtn.studio.cli.handlers import ending
from bthtn.studio.cli.printing import WIDTH, note, say_json, with_progress
from bthtn.studio.cli.sides import Experiment, Pair, Side
from bthtn.studio.compare.pair import OtherPlan, most_different, other_plans
from bthtn.studio.compare.statistics import Finding, findings

FORMAT: Final = "bthtn-compare/1"
MOST_SEEDS: Final = 10_000_000
MOST_PLANS: Final = 5
Row = dict[str, Any]


def compare(  # noqa: PLR0913 - one for each thing that can be typed
    a: Annotated[str, Argument(metavar="A", help=f"{options.TARGET} Or one of these, @FOLDER.")],
    b: Annotated[str, Argument(metavar="B", help="The same.")],
    *,
    seeds: Annotated[str, Option(metavar="FIRST-LAST", help="Seeds.")] = "0-99",
    measure: Annotated[
        list[str] | None,
        Option(help="finished, ticks, count EVENT, or a value of the last beliefs."),
    ] = None,
    ticks: Annotated[int, Option(min=1, help="Stop a run after so many ticks.")] = 200,
    task: Annotated[str, Option(help="Compare domains: plan this task.")] = "",
    given: options.Given = None,
    settings_a: Annotated[
        list[str] | None, Option("--a", metavar="SETTING=VALUE", help="Setting of A's plans.")
    ] = None,
    settings_b: Annotated[
        list[str] | None, Option("--b", metavar="SETTING=VALUE", help="Setting of B's plans.")
    ] = None,
    jobs: options.Jobs = 0,
    backend: options.OnBackend = options.Backend.LOKY,
    address: options.Address = "",
    output: Annotated[Path | None, options.kept("seed")] = None,
    most: Annotated[int, Option(min=0, help="How many seeds to list.")] = 10,
    as_json: options.AsJson = False,
) -> int:
    """Compare over the seeds, and print the findings and the most different seeds.

    The results are kept in the file ``output``. Returns 0 if both sides do the same with every
    seed, else 1. Raises BthtnError.
    """
    experiment = Experiment(tuple(measure or ()), ticks, task, tuple(given or ()))
    pair = Pair(Side.of(a, settings_a or ()), Side.of(b, settings_b or ()), experiment)
    workers = Workers(jobs or -1, backend.value, address)
    numbers = seeds_from(seeds)
    digests = [side.prepared(experiment) for side in (pair.a, pair.b)]
    findings([], experiment.registered())  # what is missing is to be known before
    deaths = Deaths(note)
    sides = [[side.text, *side.settings] for side in (pair.a, pair.b)]
    about = {"experiment": asdict(experiment), "sides": sides, "files": digests}
    kept = None if output is None else Kept(output, about, "seed")
    with ending(workers), closing(resumed(pair, numbers, kept, workers, deaths)) as results:
        shown = with_progress(results, "seeds", len(numbers))
        rows = [{"seed": seed, **row} for seed, row in zip(numbers, shown, strict=True)]
        summary = _Summary(pair, rows, deaths.number, most)
        if as_json:
            say_json(summary.data())
        else:
            summary.show(Console(width=None if sys.stdout.isatty() else WIDTH))
    return int(any(not row["same"] for row in rows))


def seeds_from(text: str) -> range:
    """The seeds that are written as ``17`` or ``0-999``. Raises InputError."""
    found = re.fullmatch(r"(\d{1,18})(?:-(\d{1,18}))?", text, re.ASCII)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if not first <= last < first + MOST_SEEDS:
        message = f"--seeds {text}: no seeds, or more than {MOST_SEEDS:,}"
        raise InputError("BT409", message, hint="write 0-999, or 17")
    return range(first, last + 1)


@dataclass(frozen=True, slots=True)
class _Summary:
    """The rows summed up, for people and for programs."""

    pair: Pair
    rows: Sequence[Row]
    deaths: int
    most: int

    @property
    def _measures(self) -> tuple[str, ...]:
        return self.pair.experiment.registered()

    def _different(self) -> list[Row]:
        values = [f"{side}.{text}" for text in self._measures for side in "ab"]
        found = most_different(self.rows, self._measures, self.most)
        return [{key: row[key] for key in ("seed", *values, "difference")} for row in found]

    def data(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "a": self.pair.a.typed,
            "b": self.pair.b.typed,
            "seeds": len(self.rows),
            "same": sum(row["same"] for row in self.rows),
            "deaths": self.deaths,
            "measures": [asdict(finding) for finding in findings(self.rows, self._measures)],
            "plans": [asdict(plan) for plan in other_plans(self.rows)],
            "different": self._different(),
        }

    def show(self, screen: Console) -> None:
        a, b = (side.typed for side in (self.pair.a, self.pair.b))
        same = sum(row["same"] for row in self.rows)
        screen.print(
            f"a: {a}\nb: {b}\n{len(self.rows)} seeds, {same} of them the same", highlight=False
        )
        if self.deaths:
            screen.print(f"workers that died: {self.deaths}; all results are there")
        screen.print(_measure_table(findings(self.rows, self._measures)))
        if same == len(self.rows):
            return
        if plans := other_plans(self.rows):
            screen.print(_plan_table(plans))
        screen.print(_seed_table(self._different(), self._measures))


def _measure_table(found: Sequence[Finding]) -> Table:
    table = Table(title="measures that were registered", title_justify="left")
    for head in ("measure", "a", "b", "b - a, 95 %", "a more", "b more", "p (Holm)"):
        table.add_column(head, justify="left" if head == "measure" else "right")
    for finding in found:
        interval = f"{finding.low:+.3g} to {finding.high:+.3g}"
        p = f"{finding.p:.2g}{' *' if finding.is_significant else ''}"
        means = (f"{value:.4g}" for value in (finding.a, finding.b))
        table.add_row(
            finding.measure, *means, interval, str(finding.only_a), str(finding.only_b), p
        )
    return table


def _plan_table(plans: Sequence[OtherPlan]) -> Table:
    table = Table(title="states that lead to other plans", title_justify="left", show_lines=True)
    for head in ("seeds", "first", "plans", "state of the first"):
        table.add_column(head, justify="right" if head in ("seeds", "first") else "left")
    for differing in plans[:MOST_PLANS]:
        state = ", ".join(
            f"{name} = {str(value).lower()}" for name, value in differing.example.items()
        )
        both = f"a  {differing.a or 'no plan'}\nb  {differing.b or 'no plan'}"
        table.add_row(str(len(differing.seeds)), str(differing.seeds[0]), both, state)
    if len(plans) > MOST_PLANS:
        table.caption = f"and {len(plans) - MOST_PLANS} more kinds: --json has all"
    return table


def _seed_table(rows: Sequence[Row], measures: Sequence[str]) -> Table:
    heads = ("seed", *measures, "first difference")
    table = Table(*heads, title="seeds that differ most", title_justify="left")
    for row in rows:
        values = [
            f"{_text(row[f'a.{measure}'])} → {_text(row[f'b.{measure}'])}" for measure in measures
        ]
        first = row["difference"]
        table.add_row(str(row["seed"]), *values, f"tick {first['tick']}")
    return table


def _text(value: Any) -> str:
    return "?" if value is None else str(value).lower()
