"""``bthtn serve``: acts for another program, which sends a line of JSON for each tick."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from typing import Annotated, Any

from typer import Argument, Option

from bthtn.cli.options import TARGET
from bthtn.errors import BthtnError, InputError
from bthtn.kit import EngineSession
from bthtn.testing.characters import character_of
from bthtn.testing.locate import TargetKind, resolve


def serve(
    tree: Annotated[str, Argument(metavar="TREE", help=TARGET)],
    *,
    seed: Annotated[int, Option(help="Seed of the character.")] = 0,
) -> None:
    """Answer each line of stdin by a line of stdout, until stdin ends: see ``EngineSession``.

    A request that cannot be used is answered by ``{"error": …}``. Whatever users' code prints goes
    to stderr. Raises BthtnError for a tree that cannot be loaded.
    """
    answers = sys.stdout
    with redirect_stdout(sys.stderr):
        session = EngineSession(character_of(resolve(tree, TargetKind.TREE), seed))
        try:
            for line in () if sys.stdin is None else sys.stdin.buffer:
                if line.strip():
                    print(json.dumps(_answer(session, line)), file=answers, flush=True)
        finally:
            session.close()


def _answer(session: EngineSession, line: bytes) -> dict[str, Any]:
    try:
        return session.tick(_request(line))
    except BthtnError as error:
        return {"error": str(error)}


def _request(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        hint = "write each request as one line of JSON"
        raise InputError("BT434", f"a line is no JSON: {error}", "request", hint) from None
