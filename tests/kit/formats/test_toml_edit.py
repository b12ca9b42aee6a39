"""Values of a text in TOML are changed, and nothing else of it."""

import tomllib

import pytest

from bthtn.kit.formats.toml_edit import edited

TEXT = """\
# A comment.
title = "old"   # a "note"
[[row]]
size = 3

[[row]]
  'odd key' = [1, 2]# why
note = "a # b"

[last]
a.b = false
"""


def test_values_change_and_comments_and_layout_stay():
    values = {
        ("title",): '"new"',
        ("row", "0", "size"): "4",
        ("row", "1", "odd key"): "[]",
        ("row", "1", "note"): '"c"',
        ("last", "a", "b"): "true",
    }
    new, left = edited(TEXT, values)
    assert left == []
    assert (
        new
        == """\
# A comment.
title = "new"   # a "note"
[[row]]
size = 4

[[row]]
  'odd key' = []# why
note = "c"

[last]
a.b = true
"""
    )


def test_nothing_changes_where_nothing_is_asked_for():
    assert edited(TEXT, {}) == (TEXT, [])
    assert edited(TEXT.replace("\n", "\r\n"), {("title",): "1"})[0].count("\r\n") == 11


def test_lines_may_end_as_windows_ends_them():
    values = {("row", "1", "note"): '"c"', ("last", "a", "b"): "true"}
    new, left = edited(TEXT.replace("\n", "\r\n"), values)
    assert (new.replace("\r\n", "\n"), left) == edited(TEXT, values)
    assert (new.count("\r\n"), left) == (11, [])


def test_a_value_of_none_removes_its_line():
    new, _ = edited(TEXT, {("row", "0", "size"): None})
    assert new == TEXT.replace("size = 3\n", "")


def test_strings_of_a_list_change_at_their_places():
    text = 'a = 1\nwords = [  # "two"\n  "one", """two""", # "three"\n  "three"]\nlast = "four"\n'
    new, left = edited(text, {("words", "1"): '"2"', ("words", "2"): '"3"', ("a",): "5"})
    assert left == []
    assert new == 'a = 5\nwords = [  # "two"\n  "one", "2", # "three"\n  "3"]\nlast = "four"\n'


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('a = """\nlong"""', ("a",)),
        ("a = [\n1]", ("a",)),
        ("t = { a = 1 }", ("t", "a")),
        ("a = 1", ("b",)),
        ('words = ["one", { two = 2 }]', ("words", "0")),
        ('rows = [{ event = "a" }]', ("rows", "0", "event")),
        ("a = 1", ("b", "c", "d")),
    ],
)
def test_a_value_that_is_not_in_the_line_of_its_key_is_left(text, keys):
    new, left = edited(text, {keys: "3"})
    assert (new, left) == (text, [keys])
    assert tomllib.loads(new) == tomllib.loads(text)
