"""App: the page of the game, the protocol of engines, and minds, for ASGI."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from bthtn.kit.engines import EngineHost
from bthtn.kit.engines.lines import answer_of
from bthtn.studio.play.minds import Minds
from bthtn.studio.watch.app import assets_in, file_routes, parts, protected

_PACKAGE: Final = "bthtn.studio.play"


def app(host: EngineHost) -> ASGIApp:
    """The application. Whoever knows the host's token plays; only this machine's own page can."""
    page = (files(_PACKAGE) / "page" / "arena.html").read_bytes()
    served = parts() | assets_in(_PACKAGE) | {"": ("text/html", page)}
    minds = Minds(host)

    async def engine(socket: WebSocket) -> None:
        await socket.accept()
        connection = host.connect()
        try:
            async for message in socket.iter_text():
                answer = json.dumps(answer_of(connection, message))
                minds.look()
                await socket.send_text(answer)
                if connection.is_closed:
                    await socket.close()
                    return
        finally:
            if not connection.is_closed:
                connection.close()

    async def mind(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in minds:
            return PlainTextResponse("there is no such character", 404)
        return StreamingResponse(_events(minds.lines(name)), media_type="text/event-stream")

    routes = [WebSocketRoute("/engine", engine), Route("/mind/{name}", mind), *file_routes(served)]
    return protected(Starlette(routes=routes))


async def _events(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """Lines as server-sent events."""
    async for text in lines:
        yield "data: " + text.replace("\n", "\ndata: ") + "\n\n"
    yield "event: end\ndata: the character was dismissed\n\n"
