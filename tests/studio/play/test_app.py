"""The arena's server: the page, engines over WebSocket, and minds, for this machine's own page."""

import asyncio
import json
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from bthtn.errors import InputError
from bthtn.examples.trees import sentinel
from bthtn.kit import read_character
from bthtn.kit.engines import EngineHost
from bthtn.studio.play import Arena
from bthtn.studio.play.app import app
from bthtn.studio.play.minds import Minds

TOKEN = "secret"  # noqa: S105 - of the test alone
HERE = "http://127.0.0.1:8738"
HELLO = {"hello": {"protocol": "bthtn-engine/1", "token": TOKEN}}


@pytest.fixture(scope="module")
def make():
    files = read_character(Path(sentinel.__file__).parent)
    return files.character


@pytest.fixture
def host(make):
    return EngineHost(make, name="sentinel", token=TOKEN)


@pytest.fixture
def client(host):
    return TestClient(app(host), base_url=HERE, headers={"host": "127.0.0.1:8738"})


def ask(socket, request):
    socket.send_text(json.dumps(request))
    return json.loads(socket.receive_text())


def test_the_page_and_all_that_it_needs_are_served(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    wanted = ["arena.js", "arena.css", "tree.css", "d3-hierarchy.min.js"]
    assert all(f'"{name}"' in page.text for name in wanted)
    modules = ["game.js", "guard.js", "engine.js", "mind.js", "tree.js", "looks.json"]
    assert {client.get(f"/{name}").status_code for name in [*wanted, *modules]} == {200}
    assert client.get("/app.py").status_code == 404


def test_an_engine_plays_over_a_websocket(client):
    with client.websocket_connect("/engine") as socket:
        assert ask(socket, HELLO)["hello"]["tree"] == "sentinel"
        assert ask(socket, {"spawn": [{"character": "Ada"}]})["spawn"][0]["character"] == "Ada"
        [ada] = ask(socket, {"frame": [{"character": "Ada"}], "seconds": 0.04})["frame"]
        assert [step["task"] for step in ada["starts"]] == ["walk"]
        socket.send_text("no json")
        assert "BT434" in socket.receive_text()


def test_without_the_token_the_connection_is_closed_after_the_error(client):
    with client.websocket_connect("/engine") as socket:
        assert "token" in ask(socket, {"hello": {"protocol": "bthtn-engine/1"}})["error"]["message"]
        with pytest.raises(WebSocketDisconnect):
            socket.receive_text()


def test_characters_of_a_page_that_is_gone_are_free(client):
    with client.websocket_connect("/engine") as socket:
        ask(socket, HELLO)
        ask(socket, {"spawn": [{"character": "Ada"}]})
    with client.websocket_connect("/engine") as socket:
        ask(socket, HELLO)
        assert [one["character"] for one in ask(socket, {"list": []})["list"]] == ["Ada"]
        assert ask(socket, {"dismiss": ["Ada"]})["dismiss"][0]["character"] == "Ada"


@pytest.mark.parametrize(
    "headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}, {"origin": "null"}]
)
def test_a_page_of_another_site_cannot_play(client, headers):
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/engine", headers=headers):
        pass
    assert client.get("/mind/Ada", headers=headers).status_code == 403


def test_the_lines_of_a_mind_go_from_the_whole_tree_to_what_is_new(host):
    connection, minds = host.connect(), Minds(host)

    def play(request):
        answer = connection.answer(request)
        minds.look()
        return answer

    async def scene():
        play(HELLO)
        play({"spawn": [{"character": "Ada"}]})
        assert "Ada" in minds
        lines = minds.lines("Ada")
        whole = await anext(lines)
        play({"frame": [{"character": "Ada", "beliefs": {"knows_where": True}}]})
        news = await anext(lines)
        play({"dismiss": ["Ada"]})
        return whole, news, [line async for line in lines]

    whole, news, rest = asyncio.run(asyncio.wait_for(scene(), 30))
    head, _, view = map(json.loads, whole.splitlines())
    assert head["agents"][0]["beliefs"]["rounds"] == 6
    assert view["tree"]["name"] == "sentinel"
    told = list(map(json.loads, news.splitlines()))
    assert [line["goal"] for line in told if line.get("event") == "plan_adopted"] == ["fight"]
    assert "Ada" not in minds
    assert all("tree" not in json.loads(line) for text in rest for line in text.splitlines())


def test_nobody_has_no_mind(client):
    assert client.get("/mind/Nobody").status_code == 404


def test_an_arena_is_served_until_it_is_left(make):
    with Arena(make) as arena:
        url = urlsplit(arena.url)
        assert len(url.fragment) >= 32
        connection = HTTPConnection(url.hostname, url.port, timeout=10)
        connection.request("GET", "/")
        assert "arena.js" in connection.getresponse().read().decode()
        connection.close()
        with pytest.raises(InputError, match=f"BT453.*port {url.port}"):
            Arena(make, port=url.port)


def test_without_the_extra_the_error_names_it(make, monkeypatch):
    monkeypatch.setattr("bthtn.studio.watch.server.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"BT450.*starlette and uvicorn and websockets"):
        Arena(make)
