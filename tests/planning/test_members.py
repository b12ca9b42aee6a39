"""Caches of members: each finds the member itself, and none grows without end."""

from bthtn import FluentFamily, State, fluents
from bthtn.planning.htn import members
from bthtn.planning.htn.members import MembersByIndex, MembersByParts


class Field(State):
    paved: FluentFamily[tuple[int, int], bool] = fluents(default=False)


def test_a_member_is_found_by_its_index_whole_or_in_parts():
    whole, parts = MembersByIndex(Field.paved), MembersByParts(Field.paved, 2)
    for _ in range(2):
        assert parts[1][2] is whole[1, 2] is Field.paved.member((1, 2))
        assert parts[2][1] is Field.paved.member((2, 1))


def test_a_cache_that_is_full_is_emptied(monkeypatch):
    monkeypatch.setattr(members, "MOST_MEMBERS", 10)
    whole, parts = MembersByIndex(Field.paved), MembersByParts(Field.paved, 2)
    most = 0
    for x in range(6):
        for y in range(6):
            assert parts[x][y] is whole[x, y]
            most = max(most, len(parts) + sum(map(len, parts.values())))
            assert len(whole) <= 10
    assert 5 < most <= 10
