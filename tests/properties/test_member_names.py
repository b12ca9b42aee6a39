"""The name of a member of a family says which one it is: its text is read as this member again."""

from enum import Enum
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bthtn import Fluent, FluentFamily, State, fluent, fluents
from bthtn.engine.text.conditions import condition_from_text

Odd = Enum("Odd", {"a, b": 1, "PLAIN": 2})


class Atlas(State):
    here: Fluent[bool] = fluent(default=False)
    word: FluentFamily[str, bool] = fluents(default=False)
    pair: FluentFamily[tuple[str, str], bool] = fluents(default=False)
    mixed: FluentFamily[tuple[str, int, Odd], bool] = fluents(default=False)
    nested: FluentFamily[tuple[tuple[str, str], str], bool] = fluents(default=False)
    either: FluentFamily[str | int, bool] = fluents(default=False)
    free: FluentFamily[tuple[object, ...], bool] = fluents(default=False, index=tuple)
    listed: FluentFamily[Literal["1", 1, "a, b", "a]"], bool] = fluents(default=False)
    odd: FluentFamily[Odd, bool] = fluents(default=False)


words = st.text(st.sampled_from("ab1 ,;=]['\"\\()\n“”’é&")) | st.text(max_size=4)
numbers = st.integers(-3, 3)
odds = st.sampled_from(Odd)
members = st.one_of(
    words.map(Atlas.word.member),
    st.tuples(words, words).map(Atlas.pair.member),
    st.tuples(words, numbers, odds).map(Atlas.mixed.member),
    st.tuples(st.tuples(words, words), words).map(Atlas.nested.member),
    (words | numbers).map(Atlas.either.member),
    st.lists(words | numbers | st.tuples(words)).map(tuple).map(Atlas.free.member),
    st.sampled_from(["1", 1, "a, b", "a]"]).map(Atlas.listed.member),
    odds.map(Atlas.odd.member),
)


@given(members)
@example(Atlas.pair.member(("a, b", "c")))
@example(Atlas.pair.member(("a", "b, c")))
@example(Atlas.word.member("x] = false"))
def test_the_text_of_a_member_is_read_as_this_member(member):
    text = str(member)
    assert "\n" not in text
    assert Atlas.__schema__.variable(text) is member
    assert Atlas.__schema__.setting(f"{text}=true") == (member, True)
    assert condition_from_text(f"not here and {text}", Atlas.__schema__).parts[1] is member


@given(members, members)
def test_two_members_have_two_texts(one, other):
    assert (one is other) == (str(one) == str(other))


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (("a", "b"), "pair[a, b]"),
        (("a, b", "c"), 'pair["a, b", c]'),
        (("a", "b, c"), 'pair[a, "b, c"]'),
        (("", "the lake"), 'pair["", the lake]'),
        (('"', "a\n"), r'pair["\"", "a\u000a"]'),
    ],
)
def test_names_stand_in_quotes_where_they_would_be_read_otherwise(index, text):
    assert str(Atlas.pair[index]) == text
