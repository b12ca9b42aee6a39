"""The latest lines of a run, for readers that each go at their own pace."""

import asyncio

from bthtn.studio.watch.history import BEHIND, History, Reader


def read(reader, times=1):
    async def several():
        return [entry for _ in range(times) for entry in await reader.entries()]

    return asyncio.run(several())


def test_a_reader_gets_what_was_there_before_it():
    history = History()
    history.append("one", stands_alone=True)
    history.append("two")
    assert read(Reader(history)) == ["one", "two"]


def test_a_reader_waits_for_what_comes():
    async def scene():
        history = History()
        with Reader(history) as reader:
            waiting = asyncio.create_task(reader.entries())
            await asyncio.sleep(0)
            assert not waiting.done()
            history.append("news")
            return await waiting

    assert asyncio.run(scene()) == ["news"]


def test_a_closed_history_is_read_to_its_end():
    history = History()
    history.append("last")
    history.close()
    reader = Reader(history)
    assert read(reader) == ["last"]
    assert read(reader) == []


def test_the_oldest_entries_are_dropped_as_far_as_one_that_stands_alone():
    history = History(size=10)
    for number in range(8):
        history.append(f"{number}{number}", stands_alone=number % 3 == 0)
    assert read(Reader(history)) == ["33", "44", "55", "66", "77"]


def test_nothing_is_dropped_before_a_second_entry_stands_alone():
    history = History(size=4)
    history.append("first", stands_alone=True)
    history.append("second")
    assert read(Reader(history)) == ["first", "second"]


def test_a_slow_reader_goes_on_with_the_latest_entry_that_stands_alone():
    history = History()
    history.append("0", stands_alone=True)
    reader = Reader(history)
    assert read(reader) == ["0"]
    for number in range(1, BEHIND + 100):
        history.append(str(number), stands_alone=number % 100 == 0)
    assert read(reader)[0] == str(BEHIND)
    assert reader.skipped == BEHIND - 1


def test_a_reader_that_is_new_skips_nothing_of_a_long_history():
    history = History()
    for number in range(3 * BEHIND):
        history.append(str(number), stands_alone=number % 100 == 0)
    reader = Reader(history)
    assert read(reader, times=2) == [str(number) for number in range(3 * BEHIND)]
    assert reader.skipped == 0


def test_a_reader_whose_place_was_dropped_goes_on_with_an_entry_that_stands_alone():
    history = History(size=100)
    history.append("first", stands_alone=True)
    reader = Reader(history)
    read(reader)
    for number in range(100):
        history.append(f"{number:03}", stands_alone=number % 10 == 0)
    assert read(reader)[0].endswith("0")
    assert reader.skipped > 0
