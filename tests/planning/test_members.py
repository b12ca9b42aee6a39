"""The cache of members finds the member itself, and does not grow without end."""

from bthtn import FluentFamily, State, fluents
from bthtn.planning.htn import source
from bthtn.planning.htn.source import MembersByIndex


class Field(State):
    paved: FluentFamily[tuple[int, int], bool] = fluents(default=False)


def test_a_member_is_found_by_its_index():
    found = MembersByIndex(Field.paved)
    for _ in range(2):
        assert found[1, 2] is Field.paved.member((1, 2))


def test_a_cache_that_is_full_is_emptied(monkeypatch):
    monkeypatch.setattr(source, "MOST_MEMBERS", 10)
    found = MembersByIndex(Field.paved)
    for index in range(36):
        assert found[index, 0] is Field.paved.member((index, 0))
        assert len(found) <= 10
