"""``bthtn compare``: two trees or domains over the same seeds, in pairs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

from rich.console import Console
from rich.table import Table
from typer import Argument, Option

from bthtn.errors import InputError
from bthtn.studio.batch.resume import Kept, Row, resumed
from bthtn.studio.cli import options
from bthtn.studio.cli.handlers import working
from bthtn.studio.cli.printing import WIDTH, note, say_json, with_progress
from bthtn.studio.compare import Comparison
from bthtn.studio.compare.differences import OtherPlan, means, most_different, other_plans

MOST_SEEDS: Final = 10_000_000
MOST_PLANS: Final = 5


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
    output: Annotated[Path | None, options.kept("seed")] = None,
    most: Annotated[int, Option(min=0, help="How many seeds to list.")] = 10,
    as_json: Annotated[bool, Option("--json", help="Print a line of JSON for each seed.")] = False,
) -> int:
    """Compare over the seeds, and print tables, or the row of each seed as JSON.

    The rows are kept in the file ``output``. Returns 0 if both sides do the same with every seed,
    else 1. Raises BthtnError.
    """
    comparison = Comparison.of(
        a,
        b,
        measures=measure or (),
        ticks=ticks,
        task=task,
        given=given or (),
        settings_a=settings_a or (),
        settings_b=settings_b or (),
    )
    numbers = seeds_from(seeds)
    about = {**asdict(comparison), "files": comparison.prepared()}
    kept = None if output is None else Kept(output, about, "seed")
    with working(jobs), closing(resumed(comparison, numbers, kept, note)) as results:
        rows = []
        for row in with_progress(results, "seeds", len(numbers)):
            rows.append(row)
            if as_json:
                say_json(row)
    if not as_json:
        screen = Console(width=None if sys.stdout.isatty() else WIDTH)
        with screen.capture() as shown:  # Rich has an answer of its own to a reader who leaves
            screen.print(f"a: {a}\nb: {b}", highlight=False)
            for table in _tables(rows, comparison.experiment.measures, most):
                screen.print(table, highlight=False)
        print(shown.get(), end="")
    return int(any(not row["same"] for row in rows))


def seeds_from(text: str) -> range:
    """The seeds that are written as ``17`` or ``0-999``. Raises InputError."""
    found = re.fullmatch(r"(\d{1,18})(?:-(\d{1,18}))?", text, re.ASCII)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if not first <= last < first + MOST_SEEDS:
        message = f"--seeds {text}: no seeds, or more than {MOST_SEEDS:,}"
        raise InputError("BT409", message, hint="write 0-999, or 17")
    return range(first, last + 1)


def _tables(rows: Sequence[Row], measures: Sequence[str], most: int) -> Iterator[str | Table]:
    """What the rows have in common: a sentence, and tables."""
    same = sum(row["same"] for row in rows)
    yield f"{len(rows)} seeds, {same} of them the same"
    yield _measure_table(rows, measures)
    if plans := other_plans(rows):
        yield _plan_table(plans)
    if different := most_different(rows, measures, most):
        yield _seed_table(different, measures)


def _measure_table(rows: Sequence[Row], measures: Sequence[str]) -> Table:
    table = Table(title="means, and shares of conditions", title_justify="left")
    for head in ("measure", "a", "b", "b - a", "seeds", "differ"):
        table.add_column(head, justify="left" if head == "measure" else "right")
    for measure in measures:
        of = means(rows, measure)
        if of.a is None or of.b is None:
            shown = ["?"] * 3
        else:
            shown = [f"{of.a:.4g}", f"{of.b:.4g}", f"{of.b - of.a:+.3g}"]
        table.add_row(measure, *shown, str(of.seeds), str(of.differ))
    return table


def _plan_table(plans: Sequence[OtherPlan]) -> Table:
    table = Table(title="states that lead to other plans", title_justify="left", show_lines=True)
    for head in ("seeds", "first", "plans", "state of the first"):
        table.add_column(head, justify="right" if head in ("seeds", "first") else "left")
    for differing in plans[:MOST_PLANS]:
        state = ", ".join(f"{name} = {_text(value)}" for name, value in differing.example.items())
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
