"""The command line: what can be typed, and what becomes of errors.

Exit codes: 0 done, 1 the answer is no, 2 bad input. Each command lies in a module of its own,
which is imported when the command is called.
"""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bthtn.errors import BthtnError

app = typer.Typer(
    name="bthtn",
    help="Behaviour trees on top, an HTN planner below.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class PlanForm(StrEnum):
    """How a plan can be shown."""

    TREE = "tree"
    JSON = "json"
    DOT = "dot"
    SVG = "svg"
    PNG = "png"


class PictureForm(StrEnum):
    """What a picture can be written as."""

    DOT = "dot"
    SVG = "svg"
    PNG = "png"


class Planner(StrEnum):
    """Who can be asked for a plan."""

    HTN = "htn"
    REFERENCE = "reference"


AsJson = Annotated[bool, typer.Option("--json", help="Print for programs.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is the screen."),
]
Legend = Annotated[bool, typer.Option(help="Explain shapes and colours.")]
CheckRest = Annotated[
    bool, typer.Option("--check-rest", help="Suspend only what can be planned to its end.")
]
Cheapest = Annotated[
    bool, typer.Option("--cheapest", help="The plan that costs least, not the first one.")
]
Anytime = Annotated[
    bool, typer.Option("--anytime", help="At the limit: what is planned, the rest left open.")
]
MaxExpansions = Annotated[int, typer.Option(help="Try no more than so much.")]
Parallelize = Annotated[bool, typer.Option("--parallelize", help="Put side by side what may be.")]
ShowCompiled = Annotated[
    bool, typer.Option("--show-compiled", help="Show the functions that do the planning.")
]
Task = Annotated[
    str, typer.Argument(metavar="TASK", help="What is to be done.", show_default=False)
]
Achieve = Annotated[
    str, typer.Option(metavar="CONDITION", help="What is to come true, in place of a task.")
]
Objects = Annotated[
    list[str] | None,
    typer.Option(metavar="PARAMETER=VALUE,…", help="What there is for --achieve to act on."),
]
Forward = Annotated[
    bool, typer.Option("--forward", help="With --achieve: from the state, not from the goal.")
]
WHAT = "A name, name:variant, a folder, a .py file, or package.module:attribute."


@app.command("list")
def list_command(*, as_json: AsJson = False) -> None:
    """Show the domains, trees and scenarios there are."""
    from bthtn.cli.listing import list_all  # noqa: PLC0415 - see above

    list_all(as_json=as_json)


@app.command("plan")
def plan_command(  # noqa: PLR0913 - one for each thing that can be typed
    called: typer.Context,
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help=WHAT)],
    task: Task = "",
    args: Annotated[
        list[str] | None, typer.Argument(metavar="ARG", help="Arguments of the task.")
    ] = None,
    *,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FLUENT=VALUE", help="What holds, beside the defaults."),
    ] = None,
    form: Annotated[PlanForm, typer.Option("--format", help="How to show it.")] = PlanForm.TREE,
    output: Output = None,
    horizon: Annotated[int | None, typer.Option(help="Plan so many tasks ahead.")] = None,
    horizon_time: Annotated[float | None, typer.Option(help="Plan so many ticks ahead.")] = None,
    check_rest: CheckRest = False,
    cheapest: Cheapest = False,
    anytime: Anytime = False,
    max_expansions: MaxExpansions = 1_000_000,
    planner: Annotated[Planner, typer.Option(help="Who plans.")] = Planner.HTN,
    achieve: Achieve = "",
    objects: Objects = None,
    forward: Forward = False,
    flat: Annotated[
        bool, typer.Option("--flat", help="Show only what is run, in the form tests compare.")
    ] = False,
    scopes: Annotated[bool, typer.Option(help="Show which task each part is for.")] = True,
    parallelize: Parallelize = False,
    show_compiled: ShowCompiled = False,
    legend: Legend = False,
    as_json: AsJson = False,
) -> None:
    """Plan once: show the plan, its record, cost and expansions, or why there is none."""
    from bthtn.cli.plan import Question, Showing, plan_once, show_source  # noqa: PLC0415 - see above

    _require_goal(called, task or achieve)
    question = Question(
        domain=domain,
        task=task,
        args=args or (),
        given=given or (),
        horizon=horizon,
        horizon_time=horizon_time,
        check_rest=check_rest,
        planner=planner.value,
        parallelize=parallelize,
        cheapest=cheapest,
        anytime=anytime,
        max_expansions=max_expansions,
        achieve=achieve,
        objects=objects or (),
        forward=forward,
    )
    if show_compiled:
        raise typer.Exit(show_source(question, output))
    shown_as = "json" if as_json else form.value
    showing = Showing(form=shown_as, target=output, flat=flat, scopes=scopes, legend=legend)
    raise typer.Exit(plan_once(question, showing))


def _require_goal(called: typer.Context, goal: str) -> None:
    """Show how the command is used when nobody says what for."""
    if not goal:
        message = "say what is to be done, or give --achieve with a condition"
        raise typer.BadParameter(message, ctx=called, param_hint="'TASK'")


@app.command("check")
def check_command(
    thing: Annotated[str, typer.Argument(metavar="DOMAIN|TREE", help=WHAT)],
    *,
    as_json: AsJson = False,
) -> None:
    """Find what is wrong with a domain, its cases, or a tree."""
    from bthtn.cli.check import check  # noqa: PLC0415 - see above

    raise typer.Exit(check(thing, as_json=as_json))


@app.command("render")
def render_command(
    thing: Annotated[str, typer.Argument(metavar="DOMAIN|TREE", help=WHAT)],
    *,
    form: Annotated[PictureForm, typer.Option("--format", help="What to write.")] = PictureForm.DOT,
    output: Output = None,
    legend: Legend = False,
    as_json: AsJson = False,
) -> None:
    """Draw a domain or a tree."""
    from bthtn.cli.render import render  # noqa: PLC0415 - see above

    render(thing, form.value, output, legend=legend, as_json=as_json)


@app.command("run")
def run_command(
    tree: Annotated[str, typer.Argument(metavar="TREE", help=WHAT)],
    *,
    ticks: Annotated[int | None, typer.Option(min=1, help="Stop after so many ticks.")] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same run.")] = 0,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where pictures go.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a tree in its simulated world, tick by tick."""
    from bthtn.cli.run import play  # noqa: PLC0415 - see above

    raise typer.Exit(play(tree, ticks=ticks, seed=seed, as_json=as_json, out=out))


def run() -> None:
    """The entry point: every mistake in the input becomes one message and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    code = _asked()
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the results has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _asked() -> int:
    try:
        app(prog_name="bthtn")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except BthtnError as error:
        from bthtn.cli.output import complain  # noqa: PLC0415 - see above

        complain(error)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0
