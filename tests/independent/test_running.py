"""Random characters in still and moving worlds: what their events say is as it has to be."""

from collections import Counter

import pytest

from tests.independent import running

SOME = 6


@pytest.fixture(scope="module")
def seen():
    """What was drawn, and heard, while some characters were checked."""
    counted = Counter()
    for number in range(SOME):
        faults = running.check(f"quick:{number}", counted)
        assert not faults, f"character quick:{number}: {faults}"
    return counted


def test_what_characters_do_is_as_it_has_to_be(seen):
    assert seen["characters"] == SOME
    assert seen["events"] > 100 * SOME


# Faults that are put into bthtn.
