"""Server: runs an application on the loopback interface, in a thread of its own."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from threading import Event, Thread
from typing import Any

from bthtn.errors import InputError

LOOPBACK = "127.0.0.1"


class Server:
    """A server and its thread; ``port`` 0 takes any free port.

    It speaks WebSocket if ``has_sockets``; that needs the package websockets.
    """

    def __init__(self, port: int, *, has_sockets: bool = False) -> None:
        """Raises InputError for a port that cannot be used."""
        self._socket = _bound(port)
        self.port: int = self._socket.getsockname()[1]
        self._has_sockets = has_sockets
        self._loop: asyncio.AbstractEventLoop | None = None
        self._started = Event()
        self._server: Any = None
        self._thread: Thread | None = None

    def start(self, app: Callable[..., Awaitable[None]]) -> None:
        """Serve from now on; returns when the server's thread runs."""
        import uvicorn  # noqa: PLC0415 - an extra

        config = uvicorn.Config(
            app,
            log_config=None,
            lifespan="off",
            access_log=False,
            ws="websockets-sansio" if self._has_sockets else "none",
            loop="asyncio",
            timeout_graceful_shutdown=1,
            server_header=False,
        )
        config.load()  # here, before the loop begins: its thread would do it beside the first ticks
        self._server = uvicorn.Server(config)
        serve = partial(asyncio.run, self._main())
        self._thread = Thread(target=serve, name="bthtn viewer", daemon=True)
        self._thread.start()
        self._started.wait()

    def call(self, function: Callable[[], None]) -> None:
        """Call a function in the server's thread, soon. May be called in any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(function)

    def stop(self) -> None:
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(timeout=5)
        self._socket.close()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._started.set()
        await self._server.serve(sockets=[self._socket])


def check_installed(name: str, *packages: str) -> None:
    """Raise InputError if packages of the extra ``watch`` are missing that something needs."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        message = f"{name} needs {' and '.join(missing)}, not installed"
        hint = 'install them with the extra: pip install "bthtn[watch]"'
        raise InputError("BT450", message, hint=hint)


def _bound(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((LOOPBACK, port))
        found.listen()  # so that a page which is opened at once waits
    except (OSError, OverflowError) as error:
        found.close()
        hint = "choose another one, or 0 for any that is free"
        raise InputError("BT453", f"port {port} cannot be used: {error}", hint=hint) from None
    return found
