"""Names fit into a line; values are any strings, and shown in one line whatever they are."""

from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn import FluentFamily, State, fluents
from bthtn.engine.world.names import in_one_line, name_faults
from bthtn.engine.world.truth import value_text
from bthtn.errors import StateError

Odd = Enum("Odd", {"a\nb": 1, "戦う": 2})


class Blot:
    def __repr__(self):
        return "blot\non two lines"


class Yard(State):
    seen: FluentFamily[str, bool] = fluents(default=False)


@pytest.mark.parametrize(
    "name", ["a", "戦う", "two words", "it's", '"', "#", "{}", "%s", "\\n", "\u200d", "\u00a0"]
)
def test_anything_that_fits_into_a_line_can_be_a_name(name):
    assert not list(name_faults("a task", name))


@pytest.mark.parametrize(
    "name", [*map(chr, range(32)), "\x7f", "\x85", "\u2028", "\u2029", "\ud800"]
)
def test_what_breaks_a_line_is_named_in_the_error(name):
    (fault,) = name_faults("a task", f"a{name}b", "domain 'yard'")
    assert (fault.code, fault.where) == ("BT125", "domain 'yard'")
    assert fault.message == f"a task cannot be called {f'a{name}b'!r}"


def test_a_class_with_several_such_fluents_says_all():
    with pytest.raises(StateError) as caught:
        type("Yard", (State,), {"a\n": fluents(default=0), "b\r": fluents(default=0)})
    assert [one.message[:24] for one in caught.value.diagnostics] == [
        "a fluent cannot be calle"
    ] * 2


@given(st.text(st.characters()))
def test_any_text_is_shown_in_one_line(text):
    shown = in_one_line(text), value_text(text), str(Yard.seen[text])
    assert all(len(one.splitlines()) <= 1 for one in shown)
    assert all(one.encode() is not None for one in shown)
    assert text.isprintable() is False or in_one_line(text) == text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Odd["a\nb"], r"a\nb"),
        (Odd["戦う"], "戦う"),
        (Blot(), r"blot\non two lines"),
        ("\ud800\u2028", r"'\ud800\u2028'"),
    ],
)
def test_values_are_shown_in_one_line(value, shown):
    assert value_text(value) == shown


def test_a_number_with_more_digits_than_python_writes_is_shown_in_base_16():
    assert value_text(-(16**5_000)) == "-0x1" + "0" * 5_000
