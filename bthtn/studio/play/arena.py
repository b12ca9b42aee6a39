"""Arena: a game in the browser whose guards are characters of a tree.

with Arena(make) as arena:      # make(seed) makes a character
    print(arena.url)            # the address to open
    …
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final, Self

from bthtn.behaviours import Character
from bthtn.engine.world.sharing import Unpicklable
from bthtn.kit.engines import EngineHost
from bthtn.studio.watch.server import LOOPBACK, Server, check_installed

TREE: Final = "sentinel"
"""The tree of the guards."""


class Arena(Unpicklable):
    """Serves the arena on this machine only, in a thread of its own; ``port`` 0 is any free one.

    ``make`` makes a guard of a seed, in that thread.
    """

    def __init__(self, make: Callable[[int], Character], *, port: int = 0) -> None:
        """Raises InputError for a port that cannot be used, and if the extra is missing."""
        check_installed("the arena", "starlette", "uvicorn", "websockets")
        self._host = EngineHost(make, name=TREE, token=secrets.token_urlsafe(24))
        self._server = Server(port, has_sockets=True)

    @property
    def url(self) -> str:
        """The address of the page; the token behind the # lets it play."""
        return f"http://{LOOPBACK}:{self._server.port}/#{self._host.token}"

    def __enter__(self) -> Self:
        from bthtn.studio.play.app import app  # noqa: PLC0415 - needs the extra

        self._server.start(app(self._host))
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()
        self._host.close()
