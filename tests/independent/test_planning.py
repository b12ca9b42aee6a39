"""Random problems: what bthtn plans is what brute force finds, and it can be carried out."""

from collections import Counter

import pytest

from tests.independent.planning import check

SOME = 80


@pytest.fixture(scope="module")
def seen():
    """What was drawn while some problems were checked."""
    counted = Counter()
    for number in range(SOME):
        check(f"quick:{number}", counted)
    return counted


def test_plans_are_those_of_brute_force_and_work_in_every_order(seen):
    assert seen["problems"] == SOME
    assert seen["compared"] > SOME / 2


# Faults that are put into bthtn.
