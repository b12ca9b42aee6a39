"""Pages: they do what dictionaries do, and a copy costs by what it changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn.engine.world.pages import Pages
from tests.counting import bytes_kept

CHANGES = st.lists(
    st.tuples(st.sampled_from(["set", "pop", "copy"]), st.integers(0, 9), st.integers(0, 40))
)


@given(st.integers(0, 40), CHANGES)
def test_copies_change_one_by_one_as_those_of_dictionaries_do(size, changes):
    entries = dict.fromkeys(range(size), 0)
    both = [(entries, Pages(entries))]
    for number, (what, place, key) in enumerate(changes):
        plain, pages = both[place % len(both)]
        match what:
            case "set":
                plain[key] = pages[key] = number
            case "pop":
                assert plain.pop(key, None) == pages.pop(key, None)
            case "copy":
                both.append((plain.copy(), pages.copy()))
    for plain, pages in both:
        assert dict(pages.items()) == plain
        assert pages == plain
        assert sorted(pages) == sorted(plain)
        assert len(pages) == len(plain)
        assert [pages.get(key, "none") for key in range(41)] == [
            plain.get(key, "none") for key in range(41)
        ]
        assert [pages == other for _, other in both] == [plain == other for other, _ in both]


def test_what_pages_do_not_have_is_missing():
    pages = Pages({1: "one"})
    assert pages[1] == "one"
    with pytest.raises(KeyError):
        pages[2]
    with pytest.raises(KeyError):
        del pages[2]
    with pytest.raises(TypeError, match="unhashable"):
        hash(pages)


def test_pages_become_more_as_entries_do():
    grown = Pages({})
    for number in range(10_000):
        grown[number] = number
    assert bytes_of_a_change(grown) < 3 * bytes_of_a_change(Pages(dict(grown.items())))
    assert grown == Pages(dict(grown.items())) == dict(grown.items())


def test_a_hundred_times_the_entries_cost_ten_times_as_much_to_copy_and_change():
    few, many = (Pages(dict.fromkeys(range(size), 1)) for size in (1_000, 100_000))
    assert bytes_of_a_change(many) < 12 * bytes_of_a_change(few)


def bytes_of_a_change(pages):
    """How many bytes a copy takes in which one entry is changed."""

    def changed():
        copy = pages.copy()
        copy[7] = 2
        return copy

    return bytes_kept(changed)
