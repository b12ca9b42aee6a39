"""Values of an older State class for a newer one, by name and type."""

from typing import Literal

from bthtn import Fluent, FluentFamily, State, fluent, fluents
from bthtn.engine.world.beliefs import Beliefs
from bthtn.engine.world.succession import keep_fluents
from bthtn.engine.world.truth import UNKNOWN


class Old(State):
    at: Fluent[str] = fluent(default="hall")
    speed: Fluent[int] = fluent(default=1)
    seen: FluentFamily[str, bool] = fluents(default=False)
    dust: FluentFamily[Literal["hall", "attic"], int] = fluents(default=0)


class New(State):
    at: Fluent[str] = fluent(default="hall")
    speed: Fluent[float] = fluent(default=1.5)
    seen: FluentFamily[str, bool] = fluents(default=False)
    dust: FluentFamily[Literal["hall"], int] = fluents(default=0)
    heard: FluentFamily[str, bool] = fluents(default=True)


def carried(initial=None, **values):
    beliefs = Beliefs(Old(**values))
    found = beliefs.succeed(New() if initial is None else initial)
    assert beliefs.frozen() == found.values
    return beliefs, found


def test_members_of_a_family_are_carried_over_unless_their_index_is_gone():
    beliefs, found = carried(seen={"cat": True}, dust={"hall": 3, "attic": 4})
    assert beliefs.get(New.seen["cat"]) is True
    assert beliefs.get(New.dust["hall"]) == 3
    assert found.lost == ("dust[attic] = 4",)


def test_a_value_that_the_newer_type_has_is_kept():
    beliefs, found = carried(speed=4)
    assert beliefs.get(New.speed) == 4
    assert found.lost == ()


def test_new_families_and_fluents_of_another_default_are_named():
    _, found = carried()
    assert found.defaulted == ("dust[…] = 0", "heard[…] = true", "speed = 1.5")


def test_what_is_unknown_stays_unknown():
    beliefs, _ = carried(at=UNKNOWN)
    assert beliefs.get(New.at) is UNKNOWN


def test_what_the_newer_state_says_counts_only_where_nothing_is_carried_over():
    beliefs, _ = carried(New(at="cellar", speed=9, heard={"cat": False}), at="attic")
    assert beliefs.get(New.at) == "attic"
    assert beliefs.get(New.speed) == 9
    assert beliefs.get(New.heard["cat"]) is False


def test_a_default_that_was_never_written_is_not_overwritten():
    beliefs, _ = carried(New(at="cellar"))
    assert beliefs.get(New.at) == "hall"


def test_a_write_after_it_is_one_of_the_newer_class():
    beliefs, _ = carried()
    before = beliefs.version
    beliefs.write(New.speed, 2.5)
    assert beliefs.now == New(speed=2.5)
    assert beliefs.version == before + 1


def test_kept_fluents_serve_both_classes():
    class Newer(State):
        at: Fluent[str] = fluent(default="hall")
        speed: Fluent[int] = fluent(default=2)

    keep_fluents(Newer, New)
    assert Newer.at is New.at
    assert Newer.speed is not New.speed
    assert Newer(at="attic").at == "attic"
    assert New(at="attic").at == "attic"
