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
from starlette.websockets import WebSocketClose

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


Assets = dict[str, tuple[str, bytes]]
"""Media type and content of files that are served, by their names; that of the page is ""."""


def assets() -> Assets:
    """Every file that is served."""
    made = {"": ("text/html", _PAGE.format(body=asset("watch.html")).encode())}
    return parts() | made


def parts() -> Assets:
    """The scripts and styles of the viewer, and what its drawings look like."""
    made = {"looks.json": ("application/json", json.dumps(looks()).encode())}
    return assets_in("bthtn.studio.views") | made


def assets_in(package: str) -> Assets:
    """The scripts and styles in the folder ``page`` of a package."""
    folder = files(package) / "page"
    names = (file.name for file in folder.iterdir())
    return {
        name: (_TYPES[kind], (folder / name).read_bytes())
        for name in names
        if (kind := PurePath(name).suffix) in _TYPES
    }


def file_routes(served: Assets) -> list[Route]:
    """The routes of files; to be the last ones, since they take every name."""

    async def file(request: Request) -> Response:
        name = request.path_params.get("name", "")
        if name not in served:
            return PlainTextResponse("there is no such file", 404)
        kind, content = served[name]
        return Response(content, media_type=kind)

    return [Route("/", file), Route("/{name}", file)]


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

    async def lines(_: Request) -> Response:
        return StreamingResponse(_stream(history, on_readers), media_type="text/event-stream")

    async def question(request: Request) -> Response:
        return await _answered(request, ask)

    async def command(request: Request) -> Response:
        if not access.may_write(request.headers, token):
            return _refused("open the address that the program printed: its token is missing", 403)
        return await _answered(request, do)

    routes = [
        Route("/lines", lines),
        Route("/ask", question, methods=["POST"]),
        Route("/do", command, methods=["POST"]),
        *file_routes(assets()),
    ]
    return protected(Starlette(routes=routes))


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


def protected(inner: ASGIApp) -> ASGIApp:
    """The application behind ``access.refusal``, with the headers of all answers."""

    async def behind(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(access.HEADERS)
            await send(message)

        is_asked = scope["type"] in ("http", "websocket")
        if is_asked and (why := access.refusal(Headers(scope=scope))):
            refused = _refused(why, 403) if scope["type"] == "http" else WebSocketClose()
            await refused(scope, receive, with_headers)
            return
        await inner(scope, receive, with_headers)

    return behind
