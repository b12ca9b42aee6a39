"""``bthtn serve``: acts for another program, which sends a line of JSON for each tick."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from bthtn.errors import InputError
from bthtn.kit import EngineSession
from bthtn.kit.recording import Recorder
from bthtn.studio.cli.handlers import interrupted
from bthtn.studio.cli.options import RECORDINGS, TARGET
from bthtn.studio.cli.printing import check_name
from bthtn.studio.testing.characters import character_of, loaded_once
from bthtn.studio.testing.domain_files import unusable
from bthtn.studio.testing.locate import Target, TargetKind, resolve


def serve(
    tree: Annotated[str, Argument(metavar="TREE", help=TARGET)],
    *,
    seed: Annotated[int, Option(help="Seed of the first character; the next has the next.")] = 0,
    record: Annotated[
        Path | None, Option(metavar="FILE", help="Record the first character, for bthtn watch.")
    ] = None,
) -> None:
    """Answer each line of stdin by a line of stdout, until stdin ends: see ``EngineSession``.

    A request that cannot be used, or in whose tick users' code raises an exception, is answered by
    ``{"error": …}``. Whatever users' code prints goes to stderr. Ctrl-C and SIGTERM stop the
    characters, as the end of stdin does. A recording that cannot go on, as when the disk is full,
    is given up, and the characters act on. Raises BthtnError for a tree that cannot be loaded, and
    InputError for a recording that cannot be begun.
    """
    if record is not None:
        check_name(record, "recording", RECORDINGS)
    answers = sys.stdout
    with interrupted(), redirect_stdout(sys.stderr):
        characters = _Characters(resolve(tree, TargetKind.TREE), seed, record)
        try:
            for line in () if sys.stdin is None else sys.stdin.buffer:
                if line.strip():
                    print(json.dumps(characters.answer(line)), file=answers, flush=True)
                    characters.record()  # the other program need not wait for that
        finally:
            characters.close()


class _Characters:
    """The characters of one tree, by the names that requests give them.

    The first request for a name makes a character, and one with ``"over": true`` stops it.
    """

    def __init__(self, target: Target, seed: int, record: Path | None) -> None:
        self._target = loaded_once(target)
        self._next_seed = seed + 1
        self._first = character_of(self._target, seed)  # at once, so that a faulty tree is known
        self._spare: EngineSession | None = EngineSession(self._first)
        self._recorder = (
            None if record is None else Recorder(record, self._first, name=target.name, seed=seed)
        )
        self._recorded = 0
        self._sessions: dict[str, EngineSession] = {}

    def answer(self, line: bytes) -> dict[str, Any]:
        """The answer to a request, or the error in it, or in users' code."""
        named: dict[str, Any] = {}
        try:
            request = _request(line)
            name = _name(request)
            named = {"character": name} if name else {}
            return {**named, **self._tick(name, request)}
        except InputError as error:
            fault = error
        except Exception as error:  # noqa: BLE001 - users' code: contained and reported
            fault = unusable(self._target.code or Path(self._target.name), error)
        return {**named, "error": str(fault)}

    def _tick(self, name: str, request: dict[str, Any]) -> dict[str, Any]:
        """Tick a character, or end it. Raises InputError, and exceptions of users' code."""
        is_over = request.pop("over", False)
        if not isinstance(is_over, bool):
            raise InputError("BT434", f"'over' is {is_over!r}", "request", _NAME_HINT)
        if is_over:
            session = self._sessions.pop(name, None)
            return {"aborts": [] if session is None else session.close()}
        return self._session(name).tick(request)

    def record(self) -> None:
        """Record the first character, if it was ticked."""
        if self._recorder is not None and self._first.ticks > self._recorded:
            self._recorded = self._first.ticks
            self._recorder.tick()

    def close(self) -> None:
        self.record()  # a signal may come between an answer and its record
        for session in self._sessions.values():
            session.close()
        if self._recorder is not None:
            self._recorder.end(finished=True)

    def _session(self, name: str) -> EngineSession:
        if name not in self._sessions:
            self._sessions[name], self._spare = self._spare or self._new(), None
        return self._sessions[name]

    def _new(self) -> EngineSession:
        session = EngineSession(character_of(self._target, self._next_seed))
        self._next_seed += 1
        return session


_NAME_HINT = 'write {"character": "goblin 3"}, and "over": true to end it'


def _name(request: dict[str, Any]) -> str:
    """Take the name of the character out of a request. Raises InputError."""
    name = request.pop("character", "")
    if not isinstance(name, str):
        raise InputError("BT434", f"there is no character {name!r}", "request", _NAME_HINT)
    return name


def _request(line: bytes) -> dict[str, Any]:
    hint = "write each request as one line of JSON, such as {}"
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError("BT434", f"a line is no JSON: {error}", "request", hint) from None
    if not isinstance(request, dict):
        raise InputError("BT434", f"a request is {type(request).__name__}", "request", hint)
    return request
