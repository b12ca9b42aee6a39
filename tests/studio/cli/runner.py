"""Runs command lines in a process that has imported everything, each in a fork of its own.

A fork has streams, a working folder and a limit of memory of its own. Called as a program, this
file is the process that ``Runner`` asks.
"""

import gc
import io
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from bthtn.studio.cli.main import run
from bthtn.studio.cli.signals import end_at_once
from tests.studio.cli.hostile import Line

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 60
MOST_MEMORY = 2_000_000_000


@dataclass(frozen=True)
class Result:
    """The exit code, and what was printed; ``code`` is None when it took too long."""

    code: int | None
    out: str
    err: str

    def fault(self, line: Line) -> str:
        """What is wrong with the answer to a command line, or nothing."""
        if self.code is None:
            return f"no end after {SECONDS} seconds"
        if "Traceback" in self.err or "Exception ignored" in self.err:
            return self.err
        if self.code == 2:
            told = self.err.startswith(("[BT", "Usage:")) and self.err.count("Usage:") < 2
            return "" if told else f"2 without a message: {self.err}"
        if self.code == 141:
            return "" if line.stdout == "gone" else "141, and somebody reads"
        if self.code not in (0, 1):
            return f"exit code {self.code}"
        if self.out == "" and line.stdout == "pipe":
            written = {"-o", "--output"} & set(line.arguments)
            return "" if written else "no output"
        return "" if line.stdout != "full" or "-o" in line.arguments else "nobody heard the answer"


def left_over(folder: Path) -> list[str]:
    """What a command line left half written; it is cleaned up."""
    files = [path for path in folder.rglob(".*") if path.is_file()]
    names = [str(path) for path in files]
    for path in files:
        path.unlink()
    old = folder / "old.json"
    text = old.read_text()
    if text != "before":
        if not text.endswith("\n") and not text.endswith("}"):
            names.append(f"old.json: {text[-80:]}")
        old.write_text("before")
    return names


WARM_UP = [
    ["plan", "combat", "fight", "--format", "dot", "--parallelize"],
    ["plan", "combat", "fight", "--all"],
    ["check", "soldier"],
    ["render", "combat"],
    ["render", "soldier"],
    ["run", "soldier", "--ticks", "1", "--json"],
    ["list", "--no-such-option"],
]
"""What imports everything."""


class Runner:
    """Runs command lines in forks of a process that has imported everything."""

    def __init__(self, environment: dict[str, str] | None = None, warm_up=WARM_UP) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, json.dumps(warm_up)],
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self._process.communicate()

    def run(self, line: Line, folder: Path) -> Result:
        """Run one command line in this folder."""
        self._process.stdin.write(json.dumps({"folder": str(folder), **asdict(line)}) + "\n")
        self._process.stdin.flush()
        return Result(**json.loads(self._process.stdout.readline()))


def serve() -> None:
    """Read command lines from stdin, and print what became of them."""
    for words in json.loads(sys.argv[1]):
        sys.argv = ["bthtn", *words]
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SystemExit):
            run()
    gc.freeze()  # collecting garbage would copy everything into each fork
    for text in sys.stdin:
        asked = json.loads(text)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = os.fork()
            if child == 0:
                _run(asked, out.fileno(), err.fileno())
            code = _end_of(child)
            found = [_text(file) for file in (out, err)]
        print(json.dumps({"code": code, "out": found[0], "err": found[1]}), flush=True)  # noqa: T201 - the answer


def _text(file) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "surrogateescape")


def _end_of(child: int) -> int | None:
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(SECONDS)
    _, status = os.waitpid(child, 0)
    signal.alarm(0)
    code = os.waitstatus_to_exitcode(status)
    return None if code == -signal.SIGKILL else code


def _run(asked: dict, out: int, err: int) -> None:
    """In the child: be the program."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.chdir(asked["folder"])
    sys.stdin = sys.stdout = sys.stderr = None
    os.close(0)
    os.open(os.devnull, os.O_RDONLY)
    sys.stdout = _stream(1, asked["stdout"], out, asked["encoding"], "strict")
    sys.stderr = _stream(2, asked["stderr"], err, "utf-8", "backslashreplace")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    end_at_once()  # as __main__ does
    # As the interpreter decodes the bytes of a command line in its locale.
    words = [word.encode("utf-8", "surrogateescape") for word in asked["arguments"]]
    sys.argv = ["bthtn", *map(os.fsdecode, words)]
    code = 1
    try:
        run()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - a fault, whatever it is
        os.write(err, traceback.format_exc().encode("utf-8", "backslashreplace"))
    # As at the end of a process: what is left in stdout is written, and a failure is told.
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.write(err, b"Exception ignored in: Traceback\n")
        code = 120
    os._exit(code & 0xFF)


def _stream(number: int, kind: str, file: int, encoding: str, errors: str):
    os.close(number)
    if kind == "closed":
        return None
    if kind == "full":
        os.open("/dev/full", os.O_WRONLY)
    elif kind == "gone":
        read, write = os.pipe()
        os.close(read)
        os.dup2(write, number)
        if write != number:
            os.close(write)
    else:
        os.dup2(file, number)
    raw = io.FileIO(number, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors, line_buffering=number == 2)


if __name__ == "__main__":
    serve()
