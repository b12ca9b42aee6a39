"""``bthtn bindings``: one language, on stdout or in a file."""

import pytest


def test_bindings_are_printed(bthtn, here):
    answer = bthtn("bindings", "sentry", "--typescript")
    assert answer.code == 0
    assert "export abstract class Sentry extends Agent {" in answer.out
    assert "abstract onTakeSpear(step: Step): void;" in answer.out


def test_bindings_are_written_into_a_file_that_may_be_there(bthtn, here):
    for option in ("--csharp", "--cpp"):
        answer = bthtn("bindings", "sentry", option, "-o", "sentry.txt")
        assert (answer.code, answer.out) == (0, "wrote sentry.txt\n")
    text = (here / "sentry.txt").read_text("utf-8")
    assert text == bthtn("bindings", "sentry", "--cpp").out


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ((), "[BT409] bindings are for one language, and none is named\n"),
        (("--cpp", "--csharp"), "[BT409] bindings are for one language, and 2 are named\n"),
    ],
)
def test_one_language_has_to_be_named(bthtn, here, options, fault):
    answer = bthtn("bindings", "sentry", *options)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(fault)
    assert answer.err.endswith(
        "hint: give one of --csharp, --cpp, --gdscript, --gdscript3, --typescript\n"
    )


def test_a_tree_that_is_not_there_is_told(bthtn, here):
    answer = bthtn("bindings", "sentri", "--cpp")
    assert (answer.code, answer.out) == (2, "")
    assert "sentry" in answer.err


def test_a_tree_that_leaves_nothing_to_an_engine_is_told(bthtn, here):
    answer = bthtn("bindings", "soldier", "--cpp")
    assert answer.code == 0
    expected = "no task of soldier is left to an engine: all have operators in Python\n"
    assert answer.err == expected
    assert bthtn("bindings", "sentry", "--cpp").err == ""
