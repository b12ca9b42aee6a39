"""The command line: commands, arguments, and exit codes.

Exit codes: 0 success, 1 a negative answer (no plan, failed checks), 2 bad input, 130 ended by
Ctrl-C, 143 by SIGTERM, 141 because the reader of the output is gone. The module of each command is
imported only when the command is called.
"""

from __future__ import annotations

import os
import sys
import traceback
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer
from typer import Argument, Option
from typer.core import TyperGroup
from typer.main import get_command

from bthtn.cli import options
from bthtn.cli.many_runs import compare_command, fuzz_command, replay_command, run_tests_command
from bthtn.cli.new import new_command
from bthtn.errors import BthtnError, InputError

F = TypeVar("F", bound=StrEnum)

INTERRUPTED: Final = 130
READER_GONE: Final = 141
"""What shells report for a program that SIGINT and SIGPIPE ended."""


class Commands(TyperGroup):
    """All commands. None of them ends by an exception that would end the program silently."""

    def invoke(self, ctx: Any) -> Any:
        """Call the command that was typed. Raises InputError where the user's code would exit."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise typer.Exit(READER_GONE) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except Exception:
            raise
        except BaseException as error:
            from bthtn.testing.cases import unusable  # noqa: PLC0415 - see above

            place = traceback.extract_tb(error.__traceback__)[-1].filename
            raise InputError(unusable(Path(place), error)) from error


app = typer.Typer(
    name="bthtn",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def main(*, version: options.Version = False) -> None:
    """Behaviour trees on top, an HTN planner below."""


app.command("new")(new_command)


@app.command("list")
def list_command(*, as_json: options.AsJson = False) -> None:
    """List domains and trees."""
    from bthtn.cli.listing import list_all  # noqa: PLC0415 - see the docstring

    list_all(as_json=as_json)


@app.command("plan")
def plan_command(  # noqa: PLR0913 - one for each thing that can be typed
    context: typer.Context,
    domain: Annotated[str, Argument(metavar="DOMAIN", help=options.TARGET)],
    task: options.Task = "",
    args: options.Args = None,
    *,
    given: options.Given = None,
    form: Annotated[options.PlanForm | None, options.Format] = None,
    output: options.Output = None,
    horizon: Annotated[int | None, Option(help="Tasks to plan ahead.")] = None,
    horizon_time: Annotated[float | None, Option(help="Time to plan ahead.")] = None,
    check_rest: options.CheckRest = False,
    cheapest: options.Cheapest = False,
    anytime: options.Anytime = False,
    every: options.All = False,
    limit: options.Limit = 100,
    max_expansions: options.MaxExpansions = 1_000_000,
    planner: Annotated[
        options.PlannerName, Option(help="Planner to use.")
    ] = options.PlannerName.HTN,
    achieve: options.Achieve = "",
    objects: options.Objects = None,
    forward: options.Forward = False,
    flat: options.Flat = False,
    scopes: Annotated[bool, Option(help="Show the compound tasks of the steps.")] = True,
    parallelize: options.Parallelize = False,
    show_compiled: options.ShowCompiled = False,
    legend: options.Legend = False,
    as_json: options.AsJson = False,
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
    form_name = "json" if as_json else _form(form, output, options.PlanForm.TREE).value
    shown = OutputOptions(form=form_name, output=output, flat=flat, scopes=scopes, legend=legend)
    if every:
        from bthtn.cli.all_plans import list_plans  # noqa: PLC0415 - see the docstring

        raise typer.Exit(list_plans(arguments, shown, limit))
    raise typer.Exit(plan_once(arguments, shown))


def _form(form: F | None, output: Path | None, default: F) -> F:
    """The format that is asked for, or else that of the file's ending, or else the default."""
    if form is not None or output is None:
        return form or default
    endings = {f".{one.value}": one for one in type(default)}
    return endings.get(output.suffix.lower(), default)


def _require_goal(context: typer.Context, goal: str) -> None:
    """Raise BadParameter if neither a task nor a condition is given."""
    if not goal:
        message = "say what is to be done, or give --achieve with a condition"
        raise typer.BadParameter(message, ctx=context, param_hint="'TASK'")


@app.command("explain")
def explain_command(  # noqa: PLR0913 - one for each thing that can be typed
    context: typer.Context,
    domain: Annotated[str, Argument(metavar="DOMAIN", help=options.TARGET)],
    task: options.Task = "",
    args: options.Args = None,
    *,
    given: options.Given = None,
    step: Annotated[str, Option(metavar="STEP", help="Explain only this step.")] = "",
    method: Annotated[
        str,
        Option(
            metavar="TASK:NUMBER",
            help="Say why this method is not chosen, and what would change it.",
        ),
    ] = "",
    table: Annotated[bool, Option("--table", help="Print the decomposition as a table.")] = False,
    cheapest: options.Cheapest = False,
    max_expansions: options.MaxExpansions = 1_000_000,
    achieve: options.Achieve = "",
    recording: Annotated[
        Path | None, Option(metavar="FILE", help="Take the beliefs of an agent from a recording.")
    ] = None,
    tick: Annotated[
        int | None, Option(min=0, help="With --recording: the tick, by default the last.")
    ] = None,
    agent: Annotated[
        str, Option(metavar="NAME", help="With --recording: the agent, by default the first.")
    ] = "",
    replans: options.Replans = "",
    as_json: options.AsJson = False,
) -> None:
    """Say why a plan is as it is, and why other methods were not chosen."""
    from bthtn.cli.explain_command import beliefs_at, explain, explain_replans  # noqa: PLC0415 - see the docstring
    from bthtn.cli.plan_command import PlanArguments  # noqa: PLC0415 - see the docstring

    _require_goal(context, task or achieve)
    recorded = [] if recording is None else beliefs_at(recording, tick, agent, domain)
    arguments = PlanArguments(
        domain=domain,
        task=task,
        args=args or (),
        given=[*recorded, *(given or ())],
        cheapest=cheapest,
        max_expansions=max_expansions,
        achieve=achieve,
    )
    if replans:
        code = explain_replans(arguments, recording, tick, agent, replans, as_json=as_json)
        raise typer.Exit(code)
    raise typer.Exit(explain(arguments, step=step, method=method, table=table, as_json=as_json))


@app.command("check")
def check_command(
    target: Annotated[str, Argument(metavar="DOMAIN|TREE", help=options.TARGET)],
    *,
    as_json: options.AsJson = False,
) -> None:
    """Check a domain with its cases, or a tree."""
    from bthtn.cli.check import check  # noqa: PLC0415 - see the docstring

    raise typer.Exit(check(target, as_json=as_json))


@app.command("render")
def render_command(  # noqa: PLR0913 - one for each thing that can be typed
    target: Annotated[
        str,
        Argument(
            metavar="DOMAIN|TREE|FILE", help=f"{options.TARGET} Or a recording: a .jsonl file."
        ),
    ],
    *,
    tick: Annotated[
        int | None, Option(help="Of a recording: the tick; the last one by default.")
    ] = None,
    agent: Annotated[str, Option(help="Of a recording: whose tree.")] = "",
    form: Annotated[options.PictureForm | None, options.Format] = None,
    output: options.Output = None,
    legend: options.Legend = False,
    as_json: options.AsJson = False,
) -> None:
    """Draw a domain, a tree, or the tree of a recording as it was at a tick."""
    from bthtn.cli.render import Drawn, render  # noqa: PLC0415 - see the docstring

    drawn = Drawn(
        target, _form(form, output, options.PictureForm.DOT).value, tick, agent, legend=legend
    )
    render(drawn, output, as_json=as_json)


@app.command("palette")
def palette_command(
    domain: Annotated[str, Argument(metavar="DOMAIN", help=options.TARGET)],
    *,
    output: options.Output = None,
    as_json: options.AsJson = False,
) -> None:
    """Print a domain's tasks and conditions as a palette for Groot2."""
    from bthtn.cli.render import palette  # noqa: PLC0415 - see the docstring

    palette(domain, output, as_json=as_json)


@app.command("run")
def run_command(  # noqa: PLR0913 - one for each thing that can be typed
    tree: Annotated[str, Argument(metavar="TREE", help=options.TARGET)],
    *,
    ticks: Annotated[int | None, Option(min=1, help="Stop after so many ticks.")] = None,
    seed: Annotated[int, Option(help="Seed of the simulated world.")] = 0,
    out: Annotated[Path | None, Option(metavar="FOLDER", help="Folder for pictures.")] = None,
    only: Annotated[
        str, Option(metavar="WORDS", help="Entries to print, such as plan,fails,goal.")
    ] = "",
    agent: Annotated[str, Option(metavar="NAME", help="Print only entries of this agent.")] = "",
    goal: Annotated[str, Option(metavar="NAME", help="Print only entries of a goal.")] = "",
    reload: Annotated[
        bool, Option("--reload", help="Take over edits of its files, ten ticks a second.")
    ] = False,
    record: Annotated[
        Path | None, Option(metavar="FILE", help="Record it; compressed if it ends in .gz.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Run a tree in its simulated world, tick by tick; or a scenario, a .scenario.toml file."""
    filters = {"only": only, "agent": agent, "goal": goal}
    if tree.endswith(".scenario.toml"):
        from bthtn.cli.printing import refuse  # noqa: PLC0415 - see the docstring
        from bthtn.cli.scenarios import show_scenario  # noqa: PLC0415 - see the docstring

        of_runs = {"ticks": ticks, "seed": seed, "out": out, "reload": reload, "record": record}
        refuse({**of_runs, **filters}, "a scenario", "write ticks and seed into its file")
        raise typer.Exit(show_scenario(Path(tree), as_json=as_json))
    from bthtn.cli.run import play  # noqa: PLC0415 - see the docstring

    code = play(
        tree,
        ticks=ticks,
        seed=seed,
        as_json=as_json,
        out=out,
        filters=filters,
        reload=reload,
        record=record,
    )
    raise typer.Exit(code)


app.command("replay")(replay_command)
app.command("test")(run_tests_command)
app.command("compare")(compare_command)
app.command("fuzz")(fuzz_command)


@app.command("watch")
def watch_command(
    what: Annotated[
        str, Argument(metavar="TREE|FILE", help=f"{options.TARGET} Or a recording: a .jsonl file.")
    ],
    *,
    port: Annotated[int, Option(help="Port of the page; 0 is any free one.")] = 8737,
    seed: Annotated[int, Option(help="Seed of the simulated world.")] = 0,
    rate: Annotated[
        float, Option("--ticks-per-second", min=0.01, max=10_000, help="How fast it runs.")
    ] = 4,
    paused: Annotated[
        bool, Option("--paused", help="Begin paused, until a page lets it go on.")
    ] = False,
    output: options.Output = None,
) -> None:
    """Run a tree and show it in a browser, or make a page of a recording."""
    from bthtn.cli.watch import watch  # noqa: PLC0415 - see the docstring

    served = watch(what, port=port, seed=seed, rate=rate, paused=paused, output=output)
    raise typer.Exit(served)


@cache
def _program() -> Any:
    """The parser of command lines, made once: that reads the signatures of all commands."""
    return get_command(app)


def run() -> None:
    """Call the command that was typed, print an error as one message, and exit with its code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the one who started the program
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - to the end
        if hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="backslashreplace")
    code = _exit_code()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # told already; at exit Python would try again
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


def _exit_code() -> int:
    from bthtn.cli.printing import complain, unwritable  # noqa: PLC0415 - see the docstring

    try:
        try:
            _program()(prog_name="bthtn")
        except SystemExit as end:
            sys.stdout.flush()
            return end.code if isinstance(end.code, int) else 0
    except BthtnError as error:
        complain(error)
        return 2
    except BrokenPipeError:
        return READER_GONE
    except OSError as error:
        complain(unwritable("to stdout", error))
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0
