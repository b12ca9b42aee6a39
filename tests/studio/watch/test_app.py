"""Only a page of this server gets an answer, and only one with the token acts."""

import json

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from bthtn.errors import InputError
from bthtn.studio.watch.app import LONGEST, app, assets
from bthtn.studio.watch.history import History
from bthtn.studio.watch.updates import text_of

TOKEN = "secret"  # noqa: S105 - of the test alone
HERE = "http://127.0.0.1:8737"


class Page:
    """What a page asks of an application whose questions and commands are echoed."""

    def __init__(self):
        self.history = History()
        self.readers = []
        made = app(
            self.history, token=TOKEN, ask=self.echo, do=self.echo, on_readers=self.readers.append
        )
        self.client = TestClient(made, base_url=HERE)

    async def echo(self, request):
        if request.get("fails"):
            raise InputError("BT451", "no such agent", hint="did you mean 'Ann'?")
        if request.get("waits"):
            raise TimeoutError
        if request.get("bug"):
            raise KeyError("bug")
        return {"asked": request}

    def post(self, path, content, **headers):
        return self.client.post(path, content=content, headers=headers)


@pytest.fixture
def page():
    return Page()


def test_the_page_and_all_that_it_needs_are_served(page):
    answer = page.client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    wanted = {"tree.css", "timeline.css", "watch.css", "watch.js", "d3-hierarchy.min.js"}
    for name in wanted:
        assert f'"{name}"' in answer.text
        assert page.client.get(f"/{name}").status_code == 200
    looks = page.client.get("/looks.json").json()
    assert looks


def test_nothing_else_is_served(page):
    for path in (
        "/app.py",
        "/../app.py",
        "/%2e%2e/app.py",
        "/page/",
        "/d3-hierarchy.LICENSE",
        "/x",
    ):
        assert page.client.get(path).status_code == 404, path
    assert all(kind != "text/x-python" for kind, _ in assets().values())


def test_a_page_loads_nothing_from_elsewhere(page):
    policy = page.client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "127.0.0.1.evil.example:8737"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        *({"host": host} for host in ("[", "[::1", "]:80", "[x]", "", "a@b:c")),
    ],
)
def test_a_page_of_another_site_gets_no_answer(page, headers):
    for ask in (page.client.get, page.client.post):
        answer = ask("/ask", headers=headers)
        assert answer.status_code == 403
        assert "refused" in answer.json()


def test_questions_need_no_token_and_commands_do(page):
    assert page.post("/ask", '{"ask": "why"}').json() == {"answer": {"asked": {"ask": "why"}}}
    for given in ({}, {"authorization": "Bearer wrong"}, {"authorization": TOKEN}):
        answer = page.post("/do", '{"do": "pause"}', **given)
        assert answer.status_code == 403
        assert "token is missing" in answer.json()["refused"]
    done = page.post("/do", '{"do": "pause"}', authorization=f"Bearer {TOKEN}")
    assert done.json() == {"answer": {"asked": {"do": "pause"}}}


@pytest.mark.parametrize(
    "content", ["", "no json", "[1]", "[" * 90_000, " " * (LONGEST + 1), b"\xff"]
)
def test_a_request_that_is_no_object_is_refused(page, content):
    answer = page.post("/ask", content)
    assert answer.status_code == 400
    assert answer.json()["refused"]


def test_an_error_is_answered_with_its_hint(page):
    answer = page.post("/ask", '{"fails": true}')
    assert answer.status_code == 400
    assert "did you mean 'Ann'?" in answer.json()["refused"]


def test_a_question_that_raises_is_answered_without_a_traceback(page, caplog):
    answer = page.post("/ask", '{"bug": true}')
    assert answer.status_code == 500
    assert "KeyError: 'bug'" in answer.json()["refused"]
    assert caplog.text == ""


def test_half_of_a_surrogate_pair_is_no_trouble(page):
    answer = page.post("/ask", '{"text": "\\ud800"}')
    assert answer.json() == {"answer": {"asked": {"text": "\ud800"}}}
    page.history.append(text_of([{"text": "\ud800"}]), stands_alone=True)
    page.history.close()
    assert '"\\ud800"' in page.client.get("/lines").text


def test_a_loop_that_does_not_tick_is_said_to_be_that(page):
    answer = page.post("/ask", '{"waits": true}')
    assert answer.status_code == 504
    assert "not ticked yet" in answer.json()["refused"]


def test_the_stream_has_all_lines_and_ends_with_the_run(page):
    page.history.append('{"tick":1}\n{"event":"x"}', stands_alone=True)
    page.history.append('{"tick":2}')
    page.history.close()
    answer = page.client.get("/lines")
    assert answer.headers["content-type"].startswith("text/event-stream")
    data = [line.removeprefix("data: ") for line in answer.text.splitlines() if "{" in line]
    assert [json.loads(one) for one in data] == [{"tick": 1}, {"event": "x"}, {"tick": 2}]
    assert "event: end" in answer.text
    assert page.readers == [1, 0]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:8737"])
def test_the_viewer_speaks_no_websocket(page, host):
    with (
        pytest.raises(WebSocketDisconnect),
        page.client.websocket_connect("/lines", headers={"host": host}),
    ):
        pass
