"""The command line: commands, arguments, and exit codes.

Exit codes: 0 success, 1 a negative answer (no plan, failed checks), 2 bad input. The module of
each command is imported only when the command is called.
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
    """Output formats of ``bthtn plan``."""

    TREE = "tree"
    JSON = "json"
    DOT = "dot"
    SVG = "svg"
    PNG = "png"


class PictureForm(StrEnum):
    """Output formats of ``bthtn render``."""

    DOT = "dot"
    SVG = "svg"
    PNG = "png"


class PlannerName(StrEnum):
    """Planners that ``bthtn plan --planner`` accepts."""

    HTN = "htn"
    REFERENCE = "reference"


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="File to write; - is stdout."),
]
Legend = Annotated[bool, typer.Option(help="Explain shapes and colours.")]
CheckRest = Annotated[
    bool, typer.Option("--check-rest", help="Suspend only parts that can be planned to the end.")
]
Cheapest = Annotated[
    bool, typer.Option("--cheapest", help="Find the plan of least cost, not the first one.")
]
Anytime = Annotated[
    bool,
    typer.Option("--anytime", help="At the limit, return a plan with suspended parts."),
]
MaxExpansions = Annotated[int, typer.Option(help="Limit of expansions.")]
Parallelize = Annotated[bool, typer.Option("--parallelize", help="Parallelize independent steps.")]
ShowCompiled = Annotated[
    bool, typer.Option("--show-compiled", help="Print the generated search functions.")
]
Task = Annotated[str, typer.Argument(metavar="TASK", help="Task to plan.", show_default=False)]
Achieve = Annotated[
    str, typer.Option(metavar="CONDITION", help="Condition to achieve, instead of a task.")
]
Objects = Annotated[
    list[str] | None,
    typer.Option(metavar="PARAMETER=VALUE,…", help="Values of a parameter, for --achieve."),
]
Forward = Annotated[
    bool, typer.Option("--forward", help="With --achieve: search forward from the state.")
]
TARGET = "A name, name:variant, a folder, a .py file, or package.module:attribute."


@app.command("list")
def list_command(*, as_json: AsJson = False) -> None:
    """List domains, trees and scenarios."""
    from bthtn.cli.listing import list_all  # noqa: PLC0415 - see the docstring

    list_all(as_json=as_json)


@app.command("plan")
def plan_command(  # noqa: PLR0913 - one for each thing that can be typed
    context: typer.Context,
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help=TARGET)],
    task: Task = "",
    args: Annotated[
        list[str] | None, typer.Argument(metavar="ARG", help="Arguments of the task.")
    ] = None,
    *,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FLUENT=VALUE", help="Value in the initial state."),
    ] = None,
    form: Annotated[PlanForm, typer.Option("--format", help="Output format.")] = PlanForm.TREE,
    output: Output = None,
    horizon: Annotated[int | None, typer.Option(help="Tasks to plan ahead.")] = None,
    horizon_time: Annotated[float | None, typer.Option(help="Ticks to plan ahead.")] = None,
    check_rest: CheckRest = False,
    cheapest: Cheapest = False,
    anytime: Anytime = False,
    max_expansions: MaxExpansions = 1_000_000,
    planner: Annotated[PlannerName, typer.Option(help="Planner to use.")] = PlannerName.HTN,
    achieve: Achieve = "",
    objects: Objects = None,
    forward: Forward = False,
    flat: Annotated[
        bool,
        typer.Option("--flat", help="Show only the steps, in the normal form of plans."),
    ] = False,
    scopes: Annotated[bool, typer.Option(help="Show the compound tasks of the steps.")] = True,
    parallelize: Parallelize = False,
    show_compiled: ShowCompiled = False,
    legend: Legend = False,
    as_json: AsJson = False,
) -> None:
    """Plan once, and print the plan with its record and cost, or why there is none."""
    from bthtn.cli.plan_command import OutputOptions, PlanArguments, plan_once, show_source  # noqa: PLC0415 - see the docstring

    _require_goal(context, task or achieve)
    arguments = PlanArguments(
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
        raise typer.Exit(show_source(arguments, output))
    form_name = "json" if as_json else form.value
    options = OutputOptions(form=form_name, output=output, flat=flat, scopes=scopes, legend=legend)
    raise typer.Exit(plan_once(arguments, options))


def _require_goal(context: typer.Context, goal: str) -> None:
    """Raise BadParameter if neither a task nor a condition is given."""
    if not goal:
        message = "say what is to be done, or give --achieve with a condition"
        raise typer.BadParameter(message, ctx=context, param_hint="'TASK'")


@app.command("check")
def check_command(
    target: Annotated[str, typer.Argument(metavar="DOMAIN|TREE", help=TARGET)],
    *,
    as_json: AsJson = False,
) -> None:
    """Check a domain with its cases, or a tree."""
    from bthtn.cli.check import check  # noqa: PLC0415 - see the docstring

    raise typer.Exit(check(target, as_json=as_json))


@app.command("render")
def render_command(
    target: Annotated[str, typer.Argument(metavar="DOMAIN|TREE", help=TARGET)],
    *,
    form: Annotated[PictureForm, typer.Option("--format", help="Output format.")] = PictureForm.DOT,
    output: Output = None,
    legend: Legend = False,
    as_json: AsJson = False,
) -> None:
    """Draw a domain or a tree."""
    from bthtn.cli.render import render  # noqa: PLC0415 - see the docstring

    render(target, form.value, output, legend=legend, as_json=as_json)


@app.command("run")
def run_command(
    tree: Annotated[str, typer.Argument(metavar="TREE", help=TARGET)],
    *,
    ticks: Annotated[int | None, typer.Option(min=1, help="Stop after so many ticks.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the simulated world.")] = 0,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Folder for pictures.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a tree in its simulated world, tick by tick."""
    from bthtn.cli.run import play  # noqa: PLC0415 - see the docstring

    raise typer.Exit(play(tree, ticks=ticks, seed=seed, as_json=as_json, out=out))


def run() -> None:
    """The entry point; a BthtnError is printed as one message, with exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    code = _exit_code()
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the pipe is gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _exit_code() -> int:
    try:
        app(prog_name="bthtn")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except BthtnError as error:
        from bthtn.cli.printing import complain  # noqa: PLC0415 - see the docstring

        complain(error)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0
