"""Batches that are kept in a file, and go on where they stopped."""

import json

import pytest

from bthtn.errors import InputError
from bthtn.studio.batch.resume import Kept, resumed
from bthtn.studio.batch.runner import on_cores


@pytest.fixture(name="kept")
def kept_fixture(tmp_path):
    return Kept(tmp_path / "out.jsonl", {"tree": "dog"}, "seed")


class Square:
    """Notes what it was called with."""

    def __init__(self):
        self.called = []

    def __call__(self, number):
        self.called.append(number)
        return {"seed": number, "square": number * number}


def whole(kept, items=range(6)):
    return list(resumed(Square(), items, kept, print))


def test_every_result_is_a_line_with_its_item_and_batch(kept):
    rows = whole(kept)
    assert rows[2] == {"seed": 2, "square": 4, "batch": kept.batch}
    assert [json.loads(line) for line in kept.file.read_text().splitlines()] == rows


@pytest.mark.slow
def test_any_number_of_workers_makes_the_same_bytes(kept):
    whole(kept)
    alone = kept.file.read_bytes()
    kept.file.unlink()
    with on_cores(2):
        whole(kept)
    assert kept.file.read_bytes() == alone


@pytest.mark.parametrize("cut", range(0, 200, 7))
def test_a_file_that_was_cut_off_anywhere_is_completed(kept, cut):
    rows = whole(kept)
    data = kept.file.read_bytes()
    assert len(data) > 200
    lines = data[:cut].count(b"\n")
    kept.file.write_bytes(data[:cut] if lines or not cut else b"")
    square = Square()
    assert list(resumed(square, range(6), kept, print)) == rows
    assert square.called == [0, 1, 2, 3, 4, 5][lines:]
    assert kept.file.read_bytes() == data


def test_an_interrupted_batch_goes_on_and_one_of_more_items_too(kept):
    results = resumed(Square(), range(6), kept, print)
    assert [next(results)["seed"], next(results)["seed"]] == [0, 1]
    results.close()
    square = Square()
    assert len(list(resumed(square, range(9), kept, print))) == 9
    assert square.called == [2, 3, 4, 5, 6, 7, 8]


def test_a_batch_of_fewer_items_leaves_the_file_alone(kept):
    rows, data = whole(kept), kept.file.read_bytes()
    assert list(resumed(Square(), range(3), kept, print)) == rows[:3]
    assert kept.file.read_bytes() == data


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("not json\n", "it is no result"),
        ("[1]\n", "it is no result"),
        ("something precious", "it is no result"),
        ('{"seed": 0, "batch": "else"}\n', "something else was asked"),
    ],
)
def test_another_file_is_not_touched(kept, text, why):
    kept.file.write_text(text)
    with pytest.raises(InputError, match=rf"BT493\] .*{why}") as found:
        whole(kept)
    assert f"{kept.file}:1" in str(found.value)
    assert kept.file.read_text() == text


def test_other_items_are_added_and_those_that_are_there_not_run_again(kept):
    first = whole(kept, range(2, 4))
    square = Square()
    rows = list(resumed(square, range(6), kept, print))
    assert [row["square"] for row in rows] == [0, 1, 4, 9, 16, 25]
    assert rows[2:4] == first
    assert square.called == [0, 1, 4, 5]


def test_a_place_without_a_folder_is_an_error(kept, tmp_path):
    for file in (tmp_path / "none" / "out.jsonl", tmp_path):
        with pytest.raises(InputError, match=r"BT404\] cannot keep results"):
            whole(Kept(file, {}, "seed"))
