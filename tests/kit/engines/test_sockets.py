"""Engines over sockets, and characters in several processes."""

import json
import os
import socket
import sys
from functools import partial
from secrets import token_urlsafe
from signal import SIGKILL
from threading import Thread

import pytest
from websockets.sync.client import connect

from bthtn import Domain, Fluent, State, fluent
from bthtn.behaviours import Agent, Character, PlanGoal
from bthtn.errors import InputError
from bthtn.kit.engines import EngineHost
from bthtn.kit.engines.lines import Inbox
from bthtn.kit.engines.sockets import LONGEST, serve_tcp, serve_websocket
from bthtn.kit.engines.workers import WorkerHost
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.locate import TargetKind, resolve

TOKEN = token_urlsafe()
HELLO = {"hello": {"protocol": "bthtn-engine/1", "token": TOKEN}}


class Guard(State):
    lit: Fluent[bool] = fluent(default=False)


night = Domain("night", Guard)
walk = night.primitive("walk", effects=Guard.lit.becomes(True))


def guard(seed):
    hal = Agent("Hal", night, Guard(), body=None)
    return Character(PlanGoal("watch", hal, walk()), hal)


@pytest.fixture
def inbox():
    inbox = Inbox(EngineHost(guard, name="guard", token=TOKEN))
    thread = Thread(target=inbox.serve)
    thread.start()
    yield inbox
    inbox.end()
    thread.join()


class Lines:
    """An engine's end of a connection over TCP."""

    def __init__(self, address, hello=HELLO):
        port = int(address.rpartition(":")[2])
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.connection.makefile("rwb")
        self.hello = self.ask(hello)

    def write(self, request):
        self.file.write(json.dumps(request).encode() + b"\n")

    def read(self):
        return json.loads(self.file.readline())

    def ask(self, request):
        self.write(request)
        self.file.flush()
        return self.read()

    def close(self):
        self.file.close()
        self.connection.close()


def frame(*names):
    return {"frame": [{"character": name} for name in names]}


def spawn(*names):
    return {"spawn": [{"character": name} for name in names]}


def test_e3_an_engine_may_write_thousands_of_requests_before_it_reads(inbox):
    engine = Lines(serve_tcp(inbox, 0))
    engine.ask(spawn("Bob"))
    for number in range(5_000):
        engine.write({**frame("Bob"), "id": "x" * 500 + str(number)})
    engine.file.flush()
    answers = [engine.read() for _ in range(5_000)]
    assert [answer["frame"][0]["tick"] for answer in answers] == list(range(1, 5_001))
    engine.close()


def test_an_engine_that_never_reads_keeps_no_other_one_waiting(inbox):
    address = serve_tcp(inbox, 0)
    deaf, other = Lines(address), Lines(address)
    for _ in range(2_000):
        deaf.write({**frame(), "id": "x" * 5_000})
    deaf.file.flush()
    other.ask(spawn("Ann"))
    assert other.ask(frame("Ann"))["frame"][0]["tick"] == 1
    deaf.close()
    other.close()


def test_what_an_engine_leaves_behind_another_one_goes_on_with(inbox):
    address = serve_tcp(inbox, 0)
    first = Lines(address)
    first.ask(spawn("Bob"))
    first.ask(frame("Bob"))
    first.connection.shutdown(socket.SHUT_RDWR)  # as if it was killed
    assert first.file.read() == b""
    first.close()
    second = Lines(address)
    (bob,) = second.ask({"list": []})["list"]
    assert [step["task"] for step in bob["steps"]] == ["walk"]
    ended = {"frame": [{"character": "Bob", "ended": {"1": True}}]}
    assert second.ask(ended)["frame"][0]["status"] == "SUCCESS"
    second.close()


def test_once_the_last_engine_is_gone_nobody_is_served():
    inbox = Inbox(EngineHost(guard, name="guard", token=TOKEN))
    address = serve_tcp(inbox, 0)
    thread = Thread(target=inbox.serve, kwargs={"once": True})
    thread.start()
    first, second = Lines(address), Lines(address)
    first.close()
    assert second.ask(spawn("Bob"))["spawn"][0]["seed"] == 0
    second.close()
    thread.join(timeout=60)
    assert not thread.is_alive()


def test_who_does_not_know_the_token_hears_so_and_no_more(inbox):
    stranger = Lines(serve_tcp(inbox, 0), {"hello": {"protocol": "bthtn-engine/1"}})
    assert stranger.hello["error"]["code"] == "BT447"
    assert stranger.file.read() == b""
    stranger.close()


def test_a_request_that_is_too_long_ends_the_connection(inbox):
    engine = Lines(serve_tcp(inbox, 0))
    engine.file.write(b" " * (LONGEST + 1))
    engine.file.flush()
    assert engine.file.read() == b""
    engine.close()


def test_over_a_websocket_each_message_is_a_request(inbox):
    with connect(serve_websocket(inbox, 0), compression=None) as engine:
        for request in (HELLO, spawn("Bob"), frame("Bob")):
            engine.send(json.dumps(request))
        answers = [json.loads(engine.recv()) for _ in range(3)]
    assert answers[2]["frame"][0]["starts"][0]["task"] == "walk"


@pytest.mark.parametrize("listen", [serve_tcp, serve_websocket])
def test_a_port_that_somebody_has_is_bad_input(inbox, listen):
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(InputError, match="BT453"):
        listen(inbox, other.getsockname()[1])


def test_without_the_package_a_websocket_is_bad_input(inbox, monkeypatch):
    monkeypatch.setitem(sys.modules, "websockets.sync.server", None)
    with pytest.raises(InputError, match=r"BT413.*\n.*\n.*bthtn\[engines\]"):
        serve_websocket(inbox, 0)


KEEPER = """
from bthtn import Domain, Fluent, State, fluent
from bthtn.behaviours import Agent, Character, PlanGoal

class Guard(State):
    lit: Fluent[bool] = fluent(default=False)

night = Domain("night", Guard)
walk = night.primitive("walk", effects=Guard.lit.becomes(True))

def character(seed):
    hal = Agent(f"Hal {seed}", night, Guard(), body=None)
    return Character(PlanGoal("watch", hal, walk()), hal)
"""


@pytest.fixture
def workers(tmp_path):
    """Makes hosts of so many processes, which end with the test."""
    (tmp_path / "keeper.py").write_text(KEEPER, "utf-8")
    hosts = []

    def made(count, tree="keeper.py"):
        command = [sys.executable, "-m", "bthtn", "serve", str(tmp_path / tree), "--tcp", "0"]
        hosts.append(WorkerHost(command, count, token=TOKEN))
        return hosts[-1]

    yield made
    for host in hosts:
        host.close()


CONVERSATION = [
    *(
        frame("Bob"),
        {"hello": {"protocol": "bthtn-engine/1"}},
        {"hello": 1},
        HELLO,
        {"spawn": 3},
        [],
        {"frames": []},
        {"list": []},
    ),
    *(spawn("Ann", "Bob", "Bob", "", "Cid"), frame("Bob", "Dan", "Cid", "Bob"), {"list": []}),
    {**frame(), "due": True, "seconds": 1.5, "id": 3},
    {"frame": [{"character": "Ann", "beliefs": {"lid": 1}}, 3], "seconds": 0.5},
    {"frame": [], "seconds": -1},
    {"subscribe": {"events": ["leaf_ended"], "text": True}},
    {"frame": [{"character": name, "ended": {"1": True}} for name in ("Cid", "Ann")]},
    *({"pause": ["Ann", "Bob", 7]}, {"dismiss": ["Dan", "Ann"]}, spawn("Ann"), {"list": ["Ann"]}),
]


def test_e27_how_many_workers_there_are_changes_nothing(workers, tmp_path):
    made = partial(character_of, resolve(str(tmp_path / "keeper.py"), TargetKind.TREE))
    local = EngineHost(made, name="keeper", token=TOKEN).connect()
    several = workers(3).connect()
    for request in CONVERSATION:
        told = [
            connection.answer(json.loads(json.dumps(request))) for connection in (local, several)
        ]
        assert told[0] == told[1], request
    (saved,) = local.answer({"save": ["Bob"]})["save"]
    assert several.answer({"save": ["Bob"]})["save"] == [saved]
    load = {"load": [{"character": name, "saved": saved["saved"]} for name in ("Bob", "Eve")]}
    assert local.answer(load) == several.answer(load)
    several.close()


def test_a_worker_that_is_killed_loses_its_characters_and_no_others(workers):
    host = workers(2)
    engine = host.connect()
    for request in (HELLO, spawn("Ann", "Bob")):
        engine.answer(request)
    os.kill(host.processes[0], SIGKILL)
    lost, kept = engine.answer(frame("Ann", "Bob"))["frame"]
    assert (lost["character"], lost["error"]["code"]) == ("Ann", "BT449")
    assert kept["tick"] == 1
    assert engine.answer({"list": ["Bob"]})["list"][0]["tick"] == 1
    engine.close()


def test_workers_that_cannot_load_the_tree_are_bad_input(workers, capfd):
    with pytest.raises(InputError, match="BT449"):
        workers(2, "no.py")
    assert "BT404" in capfd.readouterr().err
