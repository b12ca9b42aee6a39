"""Options are written as they would be typed, and help() says at once what a thing is."""

import inspect
import pydoc
from importlib import import_module

import pytest

from bthtn import Settings, seconds
from bthtn.behaviours import Replanning, RetryPolicy

PACKAGES = (
    "api",
    "behaviours",
    "events",
    "engine.planning",
    "kit",
    "kit.recording",
    "studio.watch",
    "testing",
    "studio.views",
    "errors",
)
SCREEN = 80 * 20


def test_the_text_of_options_has_only_what_differs_from_the_defaults():
    assert repr(Settings()) == "Settings()"
    assert repr(Settings(horizon=2, seed=0)) == "Settings(horizon=2)"
    assert repr(Replanning(repair=False)) == "Replanning(repair=False)"
    timed = RetryPolicy(backoff=seconds(3), longest=seconds(9))
    assert repr(timed).startswith("RetryPolicy(backoff=")
    assert repr(Replanning(retrying=RetryPolicy(backoff=1))) == (
        "Replanning(retrying=RetryPolicy(backoff=1))"
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_the_first_screen_of_help_says_what_a_public_name_is(package):
    module = import_module(f"bthtn.{package}")
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        said = (inspect.getdoc(thing) or "").partition("\n")[0]
        if isinstance(thing, type) and said:
            assert said in pydoc.plain(pydoc.render_doc(thing))[:SCREEN], name


@pytest.mark.parametrize("package", PACKAGES)
def test_no_default_in_a_public_signature_is_longer_than_a_line(package):
    module = import_module(f"bthtn.{package}")
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            try:
                taken = inspect.signature(thing).parameters.values()
            except ValueError:  # an exception, which takes what Python's own do
                continue
            assert all(len(repr(one.default)) < 80 for one in taken), name
