"""Instructions of what a program marks, counted by valgrind's callgrind.

The mark is the C function ``getloadavg``: on each call of it callgrind writes down its count and
begins anew, so that every second count is of what happened between two marks.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count, takewhile
from pathlib import Path

INSTALL = "apt-get install valgrind"


def is_missing() -> bool:
    """Whether there is no valgrind on this machine."""
    return shutil.which("valgrind") is None


@contextmanager
def marked() -> Iterator[None]:
    """Count what is done inside."""
    os.getloadavg()
    yield
    os.getloadavg()


def counts(module: str, arguments: Iterable[str]) -> list[int]:
    """Run a module with these arguments; the instructions of all that it marks, in order."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts"
        valgrind = ("valgrind", "--tool=callgrind", "--dump-before=getloadavg", "--quiet")
        again = (sys.executable, "-m", module, *arguments)
        # Without bytecode, compiling all modules would take as long as what is counted.
        environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": ""}
        command = (*valgrind, f"--callgrind-out-file={out}", *again)
        subprocess.run(command, check=True, env=environment)
        dumps = (Path(f"{out}.{number}") for number in count(2, 2))
        return [_total(dump) for dump in takewhile(Path.exists, dumps)]


def _total(dump: Path) -> int:
    found = re.search(r"^(?:totals|summary): (\d+)", dump.read_text("utf-8"), re.MULTILINE)
    assert found is not None, "callgrind writes a total into every dump"
    return int(found[1])
