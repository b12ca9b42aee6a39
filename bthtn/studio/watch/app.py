"""App: the page, its assets, the stream of lines and the requests of pages, for ASGI."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from importlib.resources import files
from pathlib import PurePath
from typing import Any, Final

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bthtn.errors import BthtnError, exception_text
from bthtn.studio.views.html import asset, looks
from bthtn.studio.watch import access
from bthtn.studio.watch.history import History, Reader

LONGEST: Final = 100_000
"""Bytes of a request."""
_TYPES: Final[Mapping[str, str]] = {".js": "text/javascript", ".css": "text/css"}
_PAGE: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>bthtn</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="tree.css">
<link rel="stylesheet" href="timeline.css">
<link rel="stylesheet" href="watch.css">
<script src="d3-hierarchy.min.js"></script>
<script type="module" src="watch.js"></script>
</head>
<body>
{body}</body>
</html>
"""

Answer = Callable[[dict[str, Any]], Awaitable[Any]]
"""Does what a page asks for. Raises BthtnError."""


def assets() -> Mapping[str, tuple[str, bytes]]:
    """Media type and content of every file that is served, by its name."""
    folder = files("bthtn.studio.views") / "page"
    names = (file.name for file in folder.iterdir())
    served = {
        name: (_TYPES[kind], (folder / name).read_bytes())
        for name in names
        if (kind := PurePath(name).suffix) in _TYPES
    }
    made = {
        "": ("text/html", _PAGE.format(body=asset("watch.html")).encode()),
        "looks.json": ("application/json", json.dumps(looks()).encode()),
    }
    return served | made


def app(
    history: History,
    *,
    token: str,
    ask: Answer,
    do: Answer,
    on_readers: Callable[[int], None] = lambda _: None,
) -> ASGIApp:
    """The application. ``ask`` answers questions, ``do`` obeys commands, which need the token.

    ``on_readers`` is called with the number of pages that read the stream, when it changes.
    """
    served = assets()

    async def page(request: Request) -> Response:
        name = request.path_params.get("name", "")
        if name not in served:
            return PlainTextResponse("there is no such file", 404)
        kind, content = served[name]
        return Response(content, media_type=kind)

    async def lines(_: Request) -> Response:
        return StreamingResponse(_stream(history, on_readers), media_type="text/event-stream")

    async def question(request: Request) -> Response:
        return await _answered(request, ask)

    async def command(request: Request) -> Response:
        if not access.may_write(request.headers, token):
            return _refused("open the address that the program printed: its token is missing", 403)
        return await _answered(request, do)

    routes = [
        Route("/", page),
        Route("/lines", lines),
        Route("/ask", question, methods=["POST"]),
        Route("/do", command, methods=["POST"]),
        Route("/{name}", page),
    ]
    return _protected(Starlette(routes=routes))


async def _stream(history: History, on_readers: Callable[[int], None]) -> AsyncIterator[str]:
    """Server-sent events, each of several lines."""
    with Reader(history) as reader:
        on_readers(len(history.readers))
        try:
            while entries := await reader.entries():
                text = "\n".join(entries).replace("\n", "\ndata: ")
                yield f"data: {text}\n\n"
            yield "event: end\ndata: the run is over\n\n"
        finally:
            history.readers.discard(reader)
            on_readers(len(history.readers))


async def _answered(request: Request, answer: Answer) -> Response:
    try:
        asked = json.loads(await _body(request))
    except (ValueError, RecursionError):
        return _refused("the request is not JSON, or too long", 400)
    except ClientDisconnect:
        return _refused("gone", 400)
    if not isinstance(asked, dict):
        return _refused("the request is no object", 400)
    try:
        return _json({"answer": await answer(asked)})
    except BthtnError as error:
        return _refused("\n".join(map(str, error.diagnostics)), 400)
    except (TimeoutError, asyncio.CancelledError):
        return _refused("the loop has not ticked yet; it will be done in its next tick", 504)
    except Exception as error:  # noqa: BLE001 - whatever a page asks, the others are answered
        return _refused(f"it cannot be answered: {exception_text(error)}", 500)


async def _body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST:
            raise ValueError("too long")
    return body


def _refused(why: str, status: int) -> Response:
    return _json({"refused": why}, status)


def _json(content: Any, status: int = 200) -> Response:
    """Content as JSON in ASCII, which has half of a surrogate pair, too: a page may send one."""
    return Response(json.dumps(content), status, media_type="application/json")


def _protected(inner: ASGIApp) -> ASGIApp:
    """The application behind ``access.refusal``, with the headers of all answers."""

    async def protected(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await inner(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(access.HEADERS)
            await send(message)

        if why := access.refusal(Headers(scope=scope)):
            await _refused(why, 403)(scope, receive, with_headers)
            return
        await inner(scope, receive, with_headers)

    return protected
