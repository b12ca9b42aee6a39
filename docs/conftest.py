"""The manual runs: code in docs/**/*.md is a test.

- python blocks are executed, all of a document in one namespace; `>>>` lines are compared;
- console blocks: lines `$ bthtn ...` are executed and compared with what is printed below
  them (`...` stands for anything), `$ echo $?` shows the exit code, other commands are not run;
- any other block is only read by people.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
import traceback
from unittest import mock

import pytest
from sybil import Sybil
from sybil.integration.pytest import SybilItem
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

from bthtn.studio.cli.main import run

# A command reaches to the end of its line, or further where the line ends in a backslash.
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n?", re.MULTILINE)
SCREEN = {"COLUMNS": "100", "LINES": "50", "NO_COLOR": "1"}


def shell(command):
    """What ``bthtn ...`` prints on a screen, and its exit code, without the cost of a process."""
    screen, code = io.StringIO(), None
    with (
        mock.patch.object(sys, "argv", shlex.split(command)),
        mock.patch.dict(os.environ, SCREEN),
        contextlib.redirect_stdout(screen),
        contextlib.redirect_stderr(screen),
    ):
        try:
            code = run()
        except SystemExit as end:
            code = end.code
        except Exception:  # noqa: BLE001 - what the reader would see is a traceback, so show it
            traceback.print_exc()
            code = 1
    return screen.getvalue(), code or 0


def console(text):
    """Execute a console block; the differences between what it shows and what happened."""
    checker = doctest.OutputChecker()
    _, *parts = COMMAND.split(text)
    last_code, differences = 0, []
    for command, shown in zip(parts[::2], parts[1::2], strict=True):
        if command == "echo $?":
            printed = str(last_code)
        elif command.split()[0] == "bthtn":
            printed, last_code = shell(command.replace("\\\n", " "))
        else:
            continue
        want, got = (
            "".join(f"{line.rstrip()}\n" for line in lines.strip("\n").splitlines())
            for lines in (shown, printed)
        )
        if not checker.check_output(want, got, doctest.ELLIPSIS):
            example = doctest.Example(command, want)
            difference = checker.output_difference(example, got, doctest.REPORT_NDIFF)
            differences.append(f"$ {command}\n{difference}")
    return "\n".join(differences)


def enter(namespace):
    """Each document starts in an empty folder of its own: what it writes does not stay."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(contextlib.chdir(folder))
        namespace.update(__name__="__main__", _leave=stack.pop_all().close)


def leave(namespace):
    namespace["_leave"]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Undo the shuffling of documents: a later block of a document builds on the earlier ones."""
    pages = [item for item in items if isinstance(item, SybilItem)]
    pages.sort(key=lambda item: (item.path, item.example.start))
    items[:] = [item for item in items if not isinstance(item, SybilItem)] + pages


pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(doctest_optionflags=doctest.ELLIPSIS),
        CodeBlockParser("console", lambda example: console(example.parsed)),
        SkipParser(),
    ],
    patterns=["*.md"],
    setup=enter,
    teardown=leave,
).pytest()
