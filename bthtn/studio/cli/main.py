"""The command line: the commands that there are, and exit codes.

Exit codes: 0 success, 1 a negative answer (no plan, failed checks), 2 bad input, 130 ended by
Ctrl-C, 143 by SIGTERM, 141 because the reader of the output is gone. The module of each command is
imported only when the command is called.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from bthtn.errors import BthtnError, unwritable
from bthtn.studio.cli import options
from bthtn.studio.cli.printing import complain

INTERRUPTED: Final = 130
READER_GONE: Final = 141
"""The exit codes that shells report for a program ended by SIGINT and SIGPIPE."""

COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "new": (
        "new:new",
        "Write a small character to begin with: a domain, a tree, and tests that pass.",
    ),
    "list": ("listing:list_all", "List domains and trees."),
    "plan": (
        "plan_command:plan",
        "Plan once, and print the plan with its record and cost, or why there is none.",
    ),
    "explain": (
        "explain_command:explain",
        "Say why a plan is as it is, and why other methods were not chosen.",
    ),
    "check": ("check:check", "Check a domain with its cases, or a tree."),
    "render": (
        "render:render",
        "Draw a domain, a tree, or the tree of a recording as it was at a tick.",
    ),
    "convert": ("convert:convert", "Write a domain in HDDL or PDDL as one in Python."),
    "palette": ("render:palette", "Print a domain's tasks and conditions as a palette for Groot2."),
    "run": (
        "run:play",
        "Run a tree in its simulated world, tick by tick; or a scenario, a .scenario.toml file.",
    ),
    "replay": (
        "replay_command:replay",
        "Run again what was recorded, and say whether the same happens.",
    ),
    "test": ("scenarios:run_all", "Run the cases and scenarios in files and folders."),
    "compare": (
        "compare:compare",
        "Say what differs between two trees, domains or versions, over many seeds.",
    ),
    "fuzz": (
        "fuzz:fuzz",
        "Search for the shortest scenario in which a character breaks an invariant.",
    ),
    "serve": (
        "serve:serve",
        "Act for another program, such as a game engine: a line of JSON for each tick, and back.",
    ),
    "bindings": (
        "bindings:bindings",
        "Write a tree's beliefs and tasks in the language of an engine, with a client.",
    ),
    "watch": ("watch:watch", "Run a tree and show it in a browser, or make a page of a recording."),
    "play": ("play:play", "Play a game in the browser, whose guards think here."),
}
"""The function of each command, and what it does. A function returns the exit code, None for 0."""


class Switches(TyperCommand):
    """A command in whose help switches are shown as switches, ``--json`` and not with a value."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options and arguments; those that take no value have no name for one."""
        return _without_values(super().get_params(ctx))


def _without_values(params: list[Any]) -> list[Any]:
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


@cache
def _loaded(name: str) -> Any:
    """The command of this name with its arguments, which are those of its function."""
    place, what = COMMANDS[name]
    module, _, function = place.partition(":")
    alone = typer.Typer(add_completion=False)
    alone.command(name, cls=Switches, help=what)(
        getattr(import_module(f"bthtn.studio.cli.{module}"), function)
    )
    return get_command(alone)


class LateCommand(TyperCommand):
    """A command whose module is imported when it is called."""

    def make_context(self, *args: Any, **more: Any) -> Any:
        """Parse the arguments behind the name of the command."""
        return _loaded(str(self.name)).make_context(*args, **more)


class Commands(TyperGroup):
    """All commands. None of them ends by an exception that would end the program silently."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        for name, (_, what) in COMMANDS.items():
            self.add_command(LateCommand(name, help=what))

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, as ``Switches`` has them."""
        return _without_values(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Call the command that was typed. Raises InputError where the user's code would exit."""
        try:
            code = super().invoke(ctx)
        except BrokenPipeError:
            raise typer.Exit(READER_GONE) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except Exception:
            raise
        except BaseException as error:
            from bthtn.studio.testing.domain_files import unusable  # noqa: PLC0415 - takes time

            place = traceback.extract_tb(error.__traceback__)[-1].filename
            raise unusable(Path(place), error) from error
        raise typer.Exit(code or 0)


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
