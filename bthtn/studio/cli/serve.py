"""``bthtn serve``: characters for other programs, such as a game engine."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from pathlib import Path
from secrets import token_urlsafe
from typing import Annotated, TextIO

from typer import Argument, Option

from bthtn.errors import unwritable
from bthtn.kit.engines import EngineHost
from bthtn.kit.engines.lines import Inbox, in_thread, lines_of
from bthtn.kit.engines.sockets import serve_tcp, serve_websocket
from bthtn.kit.engines.workers import WorkerHost
from bthtn.studio.cli.handlers import interrupted
from bthtn.studio.cli.options import TARGET
from bthtn.studio.testing.characters import character_of, loaded_once
from bthtn.studio.testing.domain_files import unusable
from bthtn.studio.testing.locate import TargetKind, resolve


def serve(  # noqa: PLR0913 - options of the command
    tree: Annotated[str, Argument(metavar="TREE", help=TARGET)],
    *,
    seed: Annotated[int, Option(help="Seed of the first character; the next has the next.")] = 0,
    tcp: Annotated[
        int | None, Option(metavar="PORT", help="Listen here; 0 is a free port.")
    ] = None,
    websocket: Annotated[
        int | None, Option(metavar="PORT", help="Listen here for WebSockets; 0 is a free port.")
    ] = None,
    announce: Annotated[
        Path | None, Option(metavar="FILE", help="Write into it, too, where bthtn listens.")
    ] = None,
    once: Annotated[bool, Option("--once", help="End with the last connection.")] = False,
    workers: Annotated[int, Option(min=1, help="Spread the characters over processes.")] = 1,
    record: Annotated[
        Path | None, Option(metavar="FOLDER", help="Record each character, for bthtn watch.")
    ] = None,
) -> None:
    """Answer engines, as docs/engine-protocol.md says: each line of stdin by a line of stdout.

    With a port, engines connect to that instead, and stdout has one line that says where: the
    addresses, and a token. It ends with stdin, without ports, ``once`` with the last connection,
    or by Ctrl-C or SIGTERM, and so do all characters. Whatever users' code prints goes to stderr.
    A recording that cannot go on, as when the disk is full, is given up, and the characters act
    on. Raises BthtnError for a tree that cannot be loaded, and InputError for a port or file that
    cannot be had.
    """
    token = "" if tcp is None and websocket is None else token_urlsafe()
    answers = sys.stdout
    with (
        interrupted(),
        redirect_stdout(sys.stderr),
        _host(tree, seed, token, workers, record) as host,
    ):
        inbox = Inbox(host)
        listening = {}
        if tcp is not None:
            listening["tcp"] = serve_tcp(inbox, tcp)
        if websocket is not None:
            listening["websocket"] = serve_websocket(inbox, websocket)
        if listening:
            line = json.dumps({**listening, "token": token})
            if announce is not None:
                _write_announcement(announce, line)
            print(line, file=answers, flush=True)  # who reads it finds the file as well
        else:
            send = partial(_write_line, answers)
            lines = () if sys.stdin is None else lines_of(sys.stdin.fileno())
            in_thread(partial(inbox.read, lines, send, inbox.end), "stdin")
        gc.freeze()  # modules are never garbage: to look through them takes a frame's time
        inbox.serve(once=once)


@contextmanager
def _host(
    tree: str, seed: int, token: str, workers: int, record: Path | None
) -> Iterator[EngineHost | WorkerHost]:
    """The host of the characters, which end with it."""
    if record is not None:
        try:
            record.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(record, error) from None
    host: EngineHost | WorkerHost
    if workers > 1:
        recording = [] if record is None else ["--record", str(record)]
        command = [sys.executable, "-m", "bthtn", "serve", tree, "--tcp", "0", *recording]
        host = WorkerHost(command, workers, seed=seed, token=token)
    else:
        target = loaded_once(resolve(tree, TargetKind.TREE))
        make = partial(character_of, target)
        fault = partial(unusable, target.code or Path(target.name))
        host = EngineHost(
            make, name=target.name, seed=seed, token=token, record=record, fault=fault
        )
    try:
        yield host
    finally:
        host.close()


def _write_line(file: TextIO, line: str) -> None:
    """Write a line at once: of two parts, an unbuffered stdout would wake the engine twice."""
    file.write(f"{line}\n")
    file.flush()


def _write_announcement(file: Path, line: str) -> None:
    """Write the line into a file that only its owner can read. Raises InputError."""
    try:
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as opened:
            opened.write(line + "\n")
    except OSError as error:
        raise unwritable(file, error) from None
