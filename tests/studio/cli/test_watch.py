"""bthtn watch: a run in a browser, and pages of recordings."""

import signal
import subprocess
import sys
from http.client import HTTPConnection
from threading import Timer
from typing import ClassVar
from urllib.parse import urlsplit

import pytest

from bthtn.studio.watch import Viewer


def test_a_recording_becomes_a_page(bthtn, tmp_path):
    file, page = tmp_path / "run.jsonl", tmp_path / "run.html"
    assert bthtn("run", "squad", "--ticks", "5", "--record", str(file)).code in (0, 1)
    answer = bthtn("watch", str(file), "-o", str(page))
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == f"wrote {page}\nopen it in a browser\n"
    assert "bthtn-recording/1" in page.read_text("utf-8")


def test_a_page_does_not_replace_its_recording(bthtn, tmp_path):
    file = tmp_path / "run.jsonl"
    assert bthtn("run", "squad", "--ticks", "2", "--record", str(file)).code in (0, 1)
    before = file.read_bytes()
    answer = bthtn("watch", str(file), "-o", str(file))
    assert (answer.code, answer.out) == (2, "")
    assert "is no name of a page\n  hint: let it end in .html" in answer.err
    assert file.read_bytes() == before


def test_without_a_recording_or_a_place_for_its_page_nothing_is_made(bthtn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert bthtn("watch", "nothing.jsonl").code == 2
    assert not list(tmp_path.iterdir())
    bthtn("run", "squad", "--ticks", "2", "--record", "run.jsonl", "--json")
    (tmp_path / "out").touch()
    answer = bthtn("watch", "run.jsonl")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("[BT404] cannot write out/run.html: ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nobody",), "nobody"),
        (("missing.jsonl",), "missing.jsonl"),
        (("squad", "-o", "page.html"), "[BT409] --output says nothing about a tree"),
        (("squad", "--stub"), "[BT409] 'squad' has no stubs"),
        (("run.jsonl", "--stub"), "[BT409] --stub says nothing about a recording"),
        (("run.jsonl", "--profile"), "[BT409] --profile says nothing about a recording"),
        (("run.jsonl", "--seed", "3"), "[BT409] --seed says nothing about a recording"),
    ],
)
def test_what_cannot_be_watched_is_said(bthtn, words, said):
    answer = bthtn("watch", *words)
    assert answer.code == 2
    assert said in answer.err


class Pages(Viewer):
    """A viewer whose pages want the run again, once, and then a signal ends it."""

    profiles: ClassVar = []
    reasons: ClassVar = []

    def __init__(self, *watched, profile, **options):
        super().__init__(*watched, **options)
        self.profiles[:], self.reasons[:] = [profile], []

    def tick(self, wait=0):
        pass

    def offer_again(self, reason, *, finished):
        self.reasons.append(reason)
        if len(self.reasons) == 2:
            signal.raise_signal(signal.SIGINT)
        return len(self.reasons) < 2

    def begin(self, *watched, profile):
        self.profiles.append(profile)


def test_each_run_is_profiled_by_itself_and_none_is_unless_it_is_asked_for(bthtn, monkeypatch):
    monkeypatch.setattr("bthtn.studio.cli.watch.Viewer", Pages)
    assert bthtn("watch", "starter", "--port", "0", "--profile").code == 130
    for profile, reason in zip(Pages.profiles, Pages.reasons, strict=True):
        (ticks,) = (row.calls for row in profile.rows if row.kind == "character")
        assert reason.startswith(f"finished after {ticks} ticks")
    assert bthtn("watch", "starter", "--port", "0").code == 130
    assert Pages.profiles == [None, None]


def test_whoever_has_read_the_address_may_end_the_run(bthtn, monkeypatch):
    def say(text):
        signal.raise_signal(signal.SIGINT)
        sys.stdout.write("it ends in its own time\n")

    monkeypatch.setattr("bthtn.studio.cli.watch.say", say)
    answer = bthtn("watch", "starter", "--port", "0")
    assert (answer.code, answer.out) == (130, "it ends in its own time\n")


TERMINATED = pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), TERMINATED])
def test_a_run_is_served_until_a_signal_ends_it(number, code):
    command = [sys.executable, "-m", "bthtn", "watch", "squad", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        killer = Timer(60, run.kill)  # so that a fault does not hang
        killer.start()
        url = urlsplit(run.stdout.readline().strip())
        connection = HTTPConnection(url.hostname, url.port)
        connection.request("GET", "/")
        assert "watch.js" in connection.getresponse().read().decode()
        connection.close()
        run.send_signal(number)
        assert run.wait() == code
        killer.cancel()
        assert run.stderr.read() == ""
