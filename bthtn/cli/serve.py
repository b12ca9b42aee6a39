"""``bthtn serve``: acts for another program, which sends a line of JSON for each tick."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from bthtn.cli.options import RECORDINGS, TARGET
from bthtn.cli.printing import check_name
from bthtn.errors import BthtnError, InputError
from bthtn.kit import EngineSession
from bthtn.recording import Recorder
from bthtn.testing.characters import character_of, loaded_once
from bthtn.testing.locate import Target, TargetKind, resolve


def serve(
    tree: Annotated[str, Argument(metavar="TREE", help=TARGET)],
    *,
    seed: Annotated[int, Option(help="Seed of the first character; the next has the next.")] = 0,
    record: Annotated[
        Path | None, Option(metavar="FILE", help="Record the first character, for bthtn watch.")
    ] = None,
) -> None:
    """Answer each line of stdin by a line of stdout, until stdin ends: see ``EngineSession``.

    A request that cannot be used is answered by ``{"error": …}``. Whatever users' code prints goes
    to stderr. Raises BthtnError for a tree that cannot be loaded.
    """
    if record is not None:
        check_name(record, "recording", RECORDINGS)
    answers = sys.stdout
    with redirect_stdout(sys.stderr):
        characters = _Characters(resolve(tree, TargetKind.TREE), seed, record)
        try:
            for line in () if sys.stdin is None else sys.stdin.buffer:
                if line.strip():
                    print(json.dumps(characters.answer(line)), file=answers, flush=True)
        finally:
            characters.close()


class _Characters:
    """The characters of one tree, by the names that requests give them.

    The first request for a name makes a character, and one with ``"over": true`` stops it.
    """

    def __init__(self, target: Target, seed: int, record: Path | None) -> None:
        self._target = loaded_once(target)
        self._next_seed = seed + 1
        first = character_of(self._target, seed)  # at once, so that a faulty tree is known
        self._spare: EngineSession | None = EngineSession(first)
        self._recorded = self._spare
        self._recorder = (
            None if record is None else Recorder(record, first, name=target.name, seed=seed)
        )
        self._sessions: dict[str, EngineSession] = {}

    def answer(self, line: bytes) -> dict[str, Any]:
        """The answer to a request, or the error in it."""
        try:
            return self._tick(_request(line))
        except BthtnError as error:
            return {"error": str(error)}

    def _tick(self, request: dict[str, Any]) -> dict[str, Any]:
        """Tick a character, or end it. Raises BthtnError."""
        name, is_over = request.pop("character", ""), request.pop("over", False)
        if not isinstance(name, str) or not isinstance(is_over, bool):
            hint = 'write {"character": "goblin 3"}, and "over": true to end it'
            raise InputError("BT434", f"there is no character {name!r}", "request", hint)
        named = {"character": name} if name else {}
        if is_over:
            session = self._sessions.pop(name, None)
            return {**named, "aborts": [] if session is None else session.close()}
        session = self._session(name)
        answer = session.tick(request)
        if self._recorder is not None and session is self._recorded:
            self._recorder.tick()
        return {**named, **answer}

    def close(self) -> None:
        """Stop all characters."""
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


def _request(line: bytes) -> dict[str, Any]:
    hint = "write each request as one line of JSON, such as {}"
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError("BT434", f"a line is no JSON: {error}", "request", hint) from None
    if not isinstance(request, dict):
        raise InputError("BT434", f"a request is {type(request).__name__}", "request", hint)
    return request
