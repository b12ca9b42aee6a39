"""Checks see into choices, orders, repetitions, draws and variables."""

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    Primitive,
    State,
    any_order,
    defer,
    first_of,
    fluent,
    method,
    null,
    one_of,
    optional,
    partial_order,
    pause,
    random_of,
    repeat,
)
from bthtn.studio.analysis.checks import findings
from bthtn.studio.analysis.endings import endless


class House(State):
    rooms: Fluent[tuple] = fluent(default=("hall", "attic"))
    lamps: Fluent[int] = fluent(default=2)
    at: Fluent[str] = fluent(default="hall")


class Doubt(State):
    lamps: Fluent[int] = fluent(default=UNKNOWN, type=int)


def house(*bodies, state=House):
    """A domain with ``go``, ``step`` and ``rest``, and ``work`` with these methods."""
    domain = Domain("house", state)

    @domain.primitive
    def go(to: str) -> Primitive:
        return Primitive(effects=House.at.becomes(to))

    step, rest = domain.primitive("step"), domain.primitive("rest")

    @domain.compound
    def work():
        yield from (method(body(work, step, rest, go)) for body in bodies)

    return domain.freeze()


def codes(domain):
    return [(finding.code, finding.where) for finding in findings(domain)]


@pytest.mark.parametrize(
    ("ends", "body"),
    [
        (True, lambda work, step, *_: first_of(work(), step())),
        (False, lambda work, step, *_: first_of(work(), (step(), work()))),
        (True, lambda work, step, *_: optional(work())),
        (False, lambda work, step, *_: any_order(step(), work())),
        (True, lambda work, step, *_: any_order(step(), defer(work()))),
        (True, lambda work, step, *_: any_order(work(), pause())),
        (False, lambda work, step, *_: partial_order("a < b", a=work(), b=pause())),
        (True, lambda work, step, *_: partial_order("b < a", a=work(), b=pause())),
        (False, lambda work, step, *_: repeat(2, work())),
        (True, lambda work, step, *_: repeat(0, work())),
        (True, lambda work, step, *_: repeat(House.lamps, work())),
        (False, lambda work, step, *_: random_of((1, work()), (1, (step(), work())))),
        (True, lambda work, step, *_: random_of((1, work()), (1, step()))),
    ],
)
def test_what_never_ends_is_known(ends, body):
    names = [task.name for task in endless(house(body))]
    assert ("work" not in names) is ends


def test_a_draw_may_be_suspended_where_its_weight_may_be_unknown():
    domain = Domain("doubt", Doubt)

    @domain.compound
    def work():
        yield method(random_of((Doubt.lamps, work())))

    assert endless(domain.freeze()) == []


def test_a_circle_through_a_construct_is_told_with_its_tasks():
    (finding, *_) = findings(
        house(lambda work, step, rest, go: (step(), any_order(work(), rest())))
    )
    assert (finding.code, finding.where) == ("BT151", "compound 'work'")
    assert finding.message.endswith("(work → work.any_order_1 → work)")


def test_a_task_that_only_a_construct_calls_is_used():
    def body(work, step, rest, go):
        return first_of(any_order(step(), go("hall")), optional(rest()))

    assert [code for code, _ in codes(house(body)) if code == "BT153"] == []


def test_an_alternative_behind_nothing_is_told_and_a_draw_is_not():
    told = codes(house(lambda work, step, rest, go: first_of(null(), step())))
    assert ("BT152", "compound 'work.first_of_1', method 0") in told
    drawn = codes(house(lambda work, step, rest, go: random_of((1, null()), (1, step()))))
    assert "BT152" not in dict(drawn)


def test_a_fluent_that_only_says_which_values_there_are_is_mentioned():
    domain = Domain("house", House)
    enter = domain.primitive("enter", effects=House.at.becomes("hall"))

    @domain.compound
    def work():
        room = one_of(House.rooms)
        yield method(first_of(repeat(House.lamps, enter())), when=House.at != room)

    assert codes(domain.freeze()) == []


def test_a_key_is_a_function_that_nobody_can_look_into():
    domain = Domain("house", House)

    @domain.primitive
    def enter(room: str) -> Primitive:
        return Primitive(effects=House.at.becomes(room))

    @domain.compound
    def work():
        room = one_of(House.rooms, key=lambda state, room: state.lamps)
        yield method(enter(room))

    assert codes(domain.freeze()) == []
