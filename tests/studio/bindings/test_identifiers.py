"""Identifiers: valid in every language, and the same for the same names."""

import pytest

from bthtn.studio.bindings.identifiers import Scope, camel, constant, pascal, snake


@pytest.mark.parametrize("name", ["open gate", "open_gate", "openGate", "Open-Gate", "OPEN_GATE"])
def test_a_name_is_joined_in_the_form_of_its_language(name):
    forms = (snake(name), camel(name), pascal(name), constant(name))
    assert forms == ("open_gate", "openGate", "OpenGate", "OPEN_GATE")


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("HTTPServer2x", "http_server2x"),
        ("3d", "_3d"),
        ("naïve", "naive"),
        ("日本", "u65e5_u672c"),
        ('x"); evil(', "x_evil"),
        ("", "nameless"),
        ("???", "nameless"),
    ],
)
def test_whatever_is_no_letter_of_ascii_divides_words_or_is_written_as_some(name, identifier):
    assert snake(name) == identifier


def test_names_that_become_the_same_are_numbered_in_their_order():
    scope = Scope(pascal)
    assert [scope.add(name) for name in ("walk", "Walk", "walk!")] == ["Walk", "Walk2", "Walk3"]


def test_a_number_is_not_given_twice():
    scope = Scope(snake)
    assert [scope.add(name) for name in ("a2", "a", "a ", "a2 ")] == ["a2", "a", "a3", "a22"]


def test_a_word_that_means_something_gets_an_underscore():
    scope = Scope(camel, "class new", "step")
    assert [scope.add(name) for name in ("class", "step", "Class")] == [
        "class_",
        "step_",
        "class_2",
    ]
