"""A call that failed is not tried again in the same state with the same tasks behind it."""

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    Settings,
    State,
    fluent,
    fluents,
    method,
    one_of,
    primitive,
)
from bthtn.engine.planning.htn import dead_ends, search
from bthtn.engine.planning.planner import search_for
from bthtn.engine.planning.protocol import SearchStatus, request

ERRANDS = ("bank", "baker", "florist", "library", "post", "school", "tailor", "zoo")


class Town(State):
    done: FluentFamily[str, bool] = fluents(default=False, objects=ERRANDS)
    left: Fluent[int] = fluent(default=0)
    open: Fluent[bool] = fluent(default=False)


def searched(errands=ERRANDS, listener=None):
    """The answer, and how long it took, where a door stays closed whatever is done before."""
    town = Domain("town", Town)
    knock = town.primitive("knock", precondition=Town.open)

    @town.primitive
    def visit(place: str) -> Primitive:
        return primitive(
            precondition=~Town.done[place],
            effects=[Town.done[place].becomes(True), Town.left.decreases(1)],
        )

    @town.compound
    def visit_all() -> Methods:
        yield method(knock(), when=Town.left == 0)
        place = one_of(errands)
        yield method(visit(place), visit_all(), when=~Town.done[place])

    state = Town(left=len(errands))
    asked = search_for(request(town, state, visit_all(), Settings()), listener)
    return asked.advance(), asked.expansions


def test_orders_that_come_to_the_same_are_tried_once():
    """Of eight errands there are 40,320 orders, and 256 sets that are done."""
    status, expansions = searched()
    assert status is SearchStatus.EXHAUSTED
    assert expansions < 10_000


def test_who_listens_hears_why_and_changes_nothing():
    heard = []
    assert searched(ERRANDS[:7], heard.append) == searched(ERRANDS[:7])
    assert any("failed before, in the same state" in str(event) for event in heard)


def test_a_search_that_hardly_meets_any_again_stops_looking(monkeypatch):
    """Of six errands there are 720 orders, and all of them are tried."""
    monkeypatch.setattr(search, "MANY", 10)
    _, with_dead_ends = searched(ERRANDS[:6])
    monkeypatch.setattr(dead_ends, "_TRIAL", 10)
    monkeypatch.setattr(dead_ends, "_RARE", 100)
    status, without = searched(ERRANDS[:6])
    assert status is SearchStatus.EXHAUSTED
    assert without > 5 * with_dead_ends


class Debt(State):
    owed: Fluent[int] = fluent(default=0)
    asked: Fluent[bool] = fluent(default=False)


def test_states_are_compared_and_not_only_their_hashes(monkeypatch):
    """In Python -1 and -2 have the same hash."""
    monkeypatch.setattr(search, "MANY", 0)
    monkeypatch.setattr(dead_ends, "_WORTH", 0)
    bank = Domain("bank", Debt)
    settle = bank.primitive("settle", precondition=Debt.owed == -2)

    @bank.primitive
    def owe(much: int) -> Primitive:
        return primitive(effects=Debt.owed.becomes(much))

    @bank.compound
    def pay() -> Methods:
        yield method(settle())
        yield method(settle(), pay())

    @bank.compound
    def borrow() -> Methods:
        much = one_of([-1, -2])
        yield method(owe(much), pay())

    asked = search_for(request(bank, Debt(), borrow(), Settings()))
    assert asked.advance() is SearchStatus.SOLVED
    assert [str(step) for step in asked.plan.steps] == ["owe(-2)", "settle"]
