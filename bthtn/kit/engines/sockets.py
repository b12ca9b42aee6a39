"""Connections over sockets of this machine: TCP with lines, and WebSocket with messages."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from io import BufferedIOBase
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import TYPE_CHECKING, Final

from bthtn.errors import InputError
from bthtn.kit.engines.lines import Inbox, Outbox, in_thread

if TYPE_CHECKING:
    from websockets.sync.server import ServerConnection

LOOPBACK: Final = "127.0.0.1"
LONGEST: Final = 1 << 24
"""Bytes of the longest request: until its hello, a connection may be anybody's."""


def serve_tcp(inbox: Inbox, port: int) -> str:
    """Take connections at a port, 0 for a free one; the address. Raises InputError."""

    class Requests(StreamRequestHandler):
        def handle(self) -> None:
            # Not a file: one that is thrown away tries once more to write what it has left.
            def write(answer: str) -> None:
                self.connection.sendall(answer.encode() + b"\n")

            outbox = Outbox(write, partial(_shut, self.connection))
            with suppress(OSError):
                inbox.read(_lines(self.rfile), outbox.send, outbox.close)

    class Loopback(ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

        def shutdown_request(self, request: object) -> None:
            """The outbox closes the connection, when all answers are written."""

    try:
        server = Loopback((LOOPBACK, port), Requests)
    except (OSError, OverflowError) as error:
        raise _taken("--tcp", port, error) from None
    in_thread(server.serve_forever, "tcp")
    return f"tcp://{LOOPBACK}:{server.server_address[1]}"


def serve_websocket(inbox: Inbox, port: int) -> str:
    """The same for WebSockets. Raises InputError, also if their package is missing."""
    try:
        from websockets.exceptions import ConnectionClosed  # noqa: PLC0415 - an extra
        from websockets.sync.server import serve  # noqa: PLC0415 - of the same extra
    except ImportError:
        message = "WebSockets need the package websockets"
        raise InputError("BT413", message, "--websocket", "pip install 'bthtn[engines]'") from None

    def handle(connection: ServerConnection) -> None:
        outbox = Outbox(connection.send, connection.close)
        with suppress(ConnectionClosed):
            inbox.read(connection, outbox.send, outbox.close)

    try:
        server = serve(handle, LOOPBACK, port, max_size=LONGEST, compression=None)
    except (OSError, OverflowError) as error:
        raise _taken("--websocket", port, error) from None
    in_thread(server.serve_forever, "websocket")
    return f"ws://{LOOPBACK}:{server.socket.getsockname()[1]}"


def _lines(file: BufferedIOBase) -> Iterator[bytes]:
    """The lines of a connection; one that is too long ends it."""
    while (line := file.readline(LONGEST)) and (len(line) < LONGEST or line.endswith(b"\n")):
        yield line


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def _taken(option: str, port: int, error: Exception) -> InputError:
    hint = "give another port, or 0 for one that is free"
    return InputError("BT453", f"port {port} cannot be used: {error}", option, hint)
