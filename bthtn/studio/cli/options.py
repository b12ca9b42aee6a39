"""Options and arguments that several commands have, and those that are long."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, TypeVar

from typer import Argument, Exit, Option, echo
from typer.models import OptionInfo

from bthtn import __version__
from bthtn.errors import InputError
from bthtn.kit.formats.hddl.problem import ENDINGS

F = TypeVar("F", bound=StrEnum)
_SYNONYMS: Final = {".txt": ".tree", ".gv": ".dot"}


def kept(each: str) -> OptionInfo:
    """The option that names the file in which results are kept."""
    text = f"Keep a line of JSON for each {each}; those that are there are not run again."
    option: OptionInfo = Option("--output", "-o", metavar="FILE", help=text)
    return option


def with_problem(target: str, problem: str) -> str:
    """The text for a domain and a problem in files. Raises InputError for a problem alone."""
    if problem and not target.endswith(ENDINGS):
        message = f"{problem} is a second argument, and '{target}' takes none"
        hint = f"a problem goes with a domain that ends in {' or '.join(ENDINGS)}"
        raise InputError("BT409", message, hint=hint)
    return f"{target}:{problem}" if problem else target


def _print_version(asked: bool) -> None:  # noqa: FBT001 - typer calls it
    if asked:
        echo(f"bthtn {__version__}")
        raise Exit


def form_of(form: F | None, output: Path | None, default: F) -> F:
    """The format that is asked for, or else that of the file's ending, or else the default.

    Raises InputError for an ending of no format, as of a file that is there for something else.
    """
    ending = "" if output is None else output.suffix.lower()
    if form is not None or not ending:
        return form or default
    endings = {f".{form.value}": form for form in type(default)}
    if (known := _SYNONYMS.get(ending, ending)) not in endings:
        hint = f"let it end in {', '.join(endings)}, or give --format"
        raise InputError("BT409", f"'{output}' ends as no format does", hint=hint)
    return endings[known]


Stub = Annotated[
    bool, Option("--stub", help="Of a tree in XML: make up its nodes, and a fluent for each key.")
]


class PlanForm(StrEnum):
    """Output formats of ``bthtn plan``."""

    TREE = "tree"
    JSON = "json"
    DOT = "dot"
    SVG = "svg"
    PNG = "png"
    HTML = "html"
    XML = "xml"
    IPC = "ipc"


class PictureForm(StrEnum):
    """Output formats of ``bthtn render``."""

    DOT = "dot"
    SVG = "svg"
    PNG = "png"
    HTML = "html"
    XML = "xml"


Version = Annotated[
    bool,
    Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
]
AsJson = Annotated[bool, Option("--json", help="Print JSON.")]
Output = Annotated[
    Path | None, Option("--output", "-o", metavar="FILE", help="File to write; - is stdout.")
]
Format = Option(
    "--format", help="Output format; without it, by the file's ending.", show_default=False
)
Legend = Annotated[bool, Option(help="Explain shapes and colours.")]
CheckRest = Annotated[
    bool, Option("--check-rest", help="Suspend only parts that can be planned to the end.")
]
Replans = Annotated[
    str,
    Option(
        metavar="GOAL",
        help="With --recording: say why this goal got other plans, and why not at the tick.",
    ),
]
Cheapest = Annotated[
    bool, Option("--cheapest", help="Find the plan of least cost, not the first one.")
]
Anytime = Annotated[
    bool, Option("--anytime", help="At the limit, return a plan with suspended parts.")
]
MaxExpansions = Annotated[int, Option(help="Limit of expansions.")]
Flat = Annotated[bool, Option("--flat", help="Show only the steps, in the normal form of plans.")]
Parallelize = Annotated[bool, Option("--parallelize", help="Parallelize independent steps.")]
ShowCompiled = Annotated[
    bool, Option("--show-compiled", help="Print the generated search functions.")
]
Task = Annotated[
    str,
    Argument(
        metavar="TASK|PROBLEM",
        help="Task to plan; for a domain in HDDL or PDDL, the file of the problem.",
        show_default=False,
    ),
]
Achieve = Annotated[
    str, Option(metavar="CONDITION", help="Condition to achieve, instead of a task.")
]
Objects = Annotated[
    list[str] | None,
    Option(metavar="PARAMETER=VALUE,…", help="Values of a parameter, for --achieve."),
]
Forward = Annotated[
    bool, Option("--forward", help="With --achieve: search forward from the state.")
]
All = Annotated[
    bool,
    Option("--all", help="List all plans, best first; --set may give a fluent several values."),
]
Jobs = Annotated[int, Option(min=0, help="Processes; 0 is one per core.")]
Limit = Annotated[int, Option(min=1, help="With --all: most plans to list.")]
Given = Annotated[
    list[str] | None, Option("--set", metavar="FLUENT=VALUE", help="Value in the initial state.")
]
Args = Annotated[list[str] | None, Argument(metavar="ARG", help="Arguments of the task.")]
Problem = Annotated[
    str, Argument(metavar="[PROBLEM]", help="Of a domain in HDDL or PDDL: the file of a problem.")
]
RECORDINGS: Final = (".jsonl", ".jsonl.gz")
"""How the names of recordings end."""
TARGET: Final = (
    "A name, name:variant, a folder, a .py, .hddl or .pddl file, or package.module:attribute."
)
