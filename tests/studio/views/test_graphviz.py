"""Pictures by Graphviz, where it is; and what is said where it is not."""

import shutil
import stat

import pytest

from bthtn.errors import InputError
from bthtn.studio.views.graphviz import picture

needs_graphviz = pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")


def program(tmp_path, monkeypatch, script):
    """A program called ``dot`` that does what the script says."""
    file = tmp_path / "dot"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")


@needs_graphviz
@pytest.mark.parametrize(("form", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_dot_becomes_a_picture(form, start):
    assert picture("digraph { a -> b }", form).startswith(start)


def test_without_graphviz_it_is_said_how_to_get_it():
    with pytest.raises(InputError) as caught:
        picture("digraph {}", "png", program="no-such-dot")
    (fault,) = caught.value.diagnostics
    assert fault.code == "BT407"
    assert "there is no program 'no-such-dot'" in fault.message
    assert "install Graphviz" in fault.hint


def test_without_graphviz_an_svg_is_drawn_by_the_extra():
    svg = picture(
        'digraph { a -> b [label="<script>"]; c [label="⇉ \udcff"] }', "svg", program="no"
    )
    assert svg.startswith(b"<?xml")
    assert "⇉ udcff".encode() in svg
    assert b"&lt;script&gt;" in svg


@pytest.mark.slow
def test_what_the_extra_cannot_draw_is_reported():
    with pytest.raises(InputError, match=r"BT407.*failed: Failed to parse"):
        picture("digraph {", "svg", program="no")


def test_without_the_extra_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setattr("bthtn.studio.views.graphviz.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"(?s)BT407.*bthtn\[svg\]"):
        picture("digraph {}", "svg", program="no")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo 'bad graph' >&2; echo more >&2; exit 3", "'dot' failed: bad graph"),
        ("exit 3", "'dot' failed: without a word"),
        ("exit 0", "'dot' failed: without a word"),
        ("exec sleep 20", "'dot' did not finish within 0.2 seconds"),
    ],
)
def test_a_graphviz_that_fails_is_reported(tmp_path, monkeypatch, script, words):
    program(tmp_path, monkeypatch, script)
    with pytest.raises(InputError, match="BT407") as caught:
        picture("digraph {}", "png", timeout=0.2 if "sleep" in script else 20)
    assert words in str(caught.value)


def test_a_graphviz_that_cannot_be_started_is_reported(tmp_path, monkeypatch):
    program(tmp_path, monkeypatch, "")
    (tmp_path / "dot").write_bytes(b"\x7fELF nonsense")
    with pytest.raises(InputError, match="cannot be started"):
        picture("digraph {}", "png")
