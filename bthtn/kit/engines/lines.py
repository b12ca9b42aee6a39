"""Lines and messages: how the requests of engines come to a host, and its answers go back.

An engine may write as many requests as it likes before it reads an answer. So each connection has
a thread that only reads, and puts what it has read into the inbox, which has no limit, and over a
socket another one that only writes, so that no engine waits for one that does not read. One
thread answers: that of ``serve``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol

from bthtn.errors import InputError
from bthtn.kit.engines.session import as_error

Send = Callable[[str], object]
Close = Callable[[], object]


class Connection(Protocol):
    """**Protocol:** what answers the requests of one engine."""

    is_closed: bool

    def answer(self, request: object) -> dict[str, Any]: ...

    def close(self) -> None: ...


class Host(Protocol):
    """**Protocol:** what has the characters: in this process, or in others."""

    def connect(self) -> Connection: ...


class Inbox:
    """The requests of all connections, in the order in which they came."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._news: SimpleQueue[tuple[_Engine, str | bytes | None] | None] = SimpleQueue()

    def read(self, messages: Iterable[str | bytes], send: Send, close: Close) -> None:
        """Put all messages of a connection into the inbox, until they end.

        Called in a thread of the connection. In the thread of ``serve``, ``send`` is called with
        the answers, and ``close`` when the connection is over.
        """
        engine = _Engine(self._host, send, close)
        try:
            for message in messages:
                self._news.put((engine, message))
        finally:
            self._news.put((engine, None))

    def end(self) -> None:
        """Let ``serve`` return when it has answered what came before. May be called anywhere."""
        self._news.put(None)

    def serve(self, *, once: bool = False) -> None:
        """Answer requests until ``end`` is called, or ``once`` until the last engine is gone."""
        engines: set[_Engine] = set()
        while (news := self._next()) is not None:
            engine, message = news
            engine.take(message)
            if message is not None:
                engines.add(engine)
            elif engine in engines:
                engines.remove(engine)
                if once and not engines:
                    return

    def _next(self) -> tuple[_Engine, str | bytes | None] | None:
        while True:  # a signal that came at the very beginning of a wait would not end it
            with suppress(Empty):
                return self._news.get(timeout=1)


class _Engine:
    """A connection, made with its first request, and where its answers go."""

    def __init__(self, host: Host, send: Send, close: Close) -> None:
        self._host = host
        self._send = send
        self._close = close
        self._connection: Connection | None = None

    def take(self, message: str | bytes | None) -> None:
        """Answer a request; None is the end of the connection."""
        connection = self._connection = self._connection or self._host.connect()
        if connection.is_closed:
            return
        if message is None:
            connection.close()
        elif message.strip():
            self._send(json.dumps(answer_of(connection, message)))
        if connection.is_closed:
            self._close()


class Outbox:
    """The answers of one connection, which a thread of their own writes."""

    def __init__(self, write: Send, close: Close) -> None:
        self._write = write
        self._close = close
        self._answers: SimpleQueue[str | None] = SimpleQueue()
        in_thread(self._run, "answers")

    def send(self, answer: str) -> None:
        self._answers.put(answer)

    def close(self) -> None:
        """Close the connection when all answers are written."""
        self._answers.put(None)

    def _run(self) -> None:
        with suppress(Exception):  # the engine is gone, whatever says so
            while (answer := self._answers.get()) is not None:
                self._write(answer)
        self._close()


def answer_of(connection: Connection, message: str | bytes) -> dict[str, Any]:
    """The answer to a request in JSON, or the error of what is none."""
    try:
        request = json.loads(message)
    except (ValueError, RecursionError) as error:
        hint = 'write each request as one line of JSON, such as {"frame": []}'
        fault = InputError("BT434", f"a request is no JSON: {error}", hint=hint)
        return {"error": as_error(fault)}
    return connection.answer(request)


def lines_of(file: int) -> Iterator[bytes]:
    """The lines of an open file, by its number.

    A thread that waits in a file object of Python keeps the process from ending.
    """
    rest = b""
    while chunk := os.read(file, 1 << 16):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    yield rest


def in_thread(run: Callable[[], object], name: str) -> None:
    """Run a function in a thread that does not keep the process from ending."""
    Thread(target=run, name=name, daemon=True).start()
