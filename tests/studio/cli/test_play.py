"""bthtn play: a game in the browser."""

import signal
import subprocess
import sys
import webbrowser
from http.client import HTTPConnection
from threading import Event, Timer
from urllib.parse import urlsplit

import pytest

from bthtn.studio.cli import play


def test_a_game_that_there_is_not_is_refused_with_the_nearest_one(bthtn):
    answer = bthtn("play", "arnea")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "[BT401] there is no game 'arnea'\n  hint: did you mean 'arena'?\n"


def test_a_game_is_served_until_a_signal_ends_it():
    command = [sys.executable, "-m", "bthtn", "play", "arena", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        killer = Timer(60, run.kill)  # so that a fault does not hang
        killer.start()
        url = urlsplit(run.stdout.readline().strip())
        connection = HTTPConnection(url.hostname, url.port)
        connection.request("GET", "/")
        assert "arena.js" in connection.getresponse().read().decode()
        connection.close()
        run.send_signal(signal.SIGTERM)
        assert run.wait() == 143
        killer.cancel()
        assert run.stderr.read() == ""


class InterruptedAtOnce(Event):
    def wait(self):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(
    ("screen", "words", "is_opened"),
    [(":0", (), True), (":0", ("--no-browser",), False), ("", (), False)],
)
def test_the_browser_is_opened_where_there_is_a_screen(
    bthtn, monkeypatch, screen, words, is_opened
):
    opened = []
    monkeypatch.setenv("DISPLAY", screen)
    monkeypatch.setenv("WAYLAND_DISPLAY", "")
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(play, "Event", InterruptedAtOnce)
    answer = bthtn("play", "arena", "--port", "0", *words)
    assert answer.code == 130
    address = answer.out.splitlines()[0]
    assert opened == ([address] if is_opened else [])
