"""A pursuer in an alley that forks: each left turn is a dead end, found out by going there.

Planning is a little backtracking at each fork, a pause when out of breath, and in the end an
expected effect, since nobody can promise that the thief is still there.
"""

from __future__ import annotations

from benchmarks.modes import Question
from bthtn import Domain, Fluent, Methods, Primitive, State, fluent, method, primitive

BREATH = 4


class Pursuer(State):
    """What a pursuer believes; forks are counted from the entrance of the alley."""

    fork: Fluent[int] = fluent(default=0)
    thief_at: Fluent[int] = fluent(default=0)
    in_dead_end: Fluent[bool] = fluent(default=False)
    breath: Fluent[int] = fluent(default=BREATH)
    sees_thief: Fluent[bool] = fluent(default=False)
    caught: Fluent[bool] = fluent(default=False)


chase = Domain("chase", Pursuer)


@chase.compound
def catch_thief() -> Methods:
    """Run until there, look round, grab."""
    yield method(
        look_round(),
        grab(),
        when=(Pursuer.fork == Pursuer.thief_at) & ~Pursuer.in_dead_end,
    )
    yield method(take_fork(), catch_thief(), when=~Pursuer.in_dead_end)


@chase.compound
def take_fork() -> Methods:
    """Left, or else right; out of breath, stand still first."""
    yield method(get_breath(), take_fork(), when=Pursuer.breath == 0)
    yield method(turn_left(Pursuer.fork + 1))
    yield method(turn_right(Pursuer.fork + 1))


@chase.primitive
def turn_left(to: int) -> Primitive:
    """Into a dead end."""
    return primitive(
        precondition=Pursuer.breath > 0,
        effects=[
            Pursuer.fork.becomes(to),
            Pursuer.in_dead_end.becomes(True),
            Pursuer.breath.decreases(1),
        ],
    )


@chase.primitive
def turn_right(to: int) -> Primitive:
    """On to the next fork."""
    return primitive(
        precondition=Pursuer.breath > 0,
        effects=[Pursuer.fork.becomes(to), Pursuer.breath.decreases(1)],
    )


get_breath = chase.primitive("get_breath", effects=Pursuer.breath.becomes(BREATH))
look_round = chase.primitive("look_round", expected=Pursuer.sees_thief.becomes(True))
grab = chase.primitive(
    "grab", precondition=Pursuer.sees_thief, effects=Pursuer.caught.becomes(True)
)

Case = int
"""How many forks lie between the pursuer and the thief."""


def question(case: Case, number: int = 0) -> Question:
    """To a thief behind so many forks; each alley begins at another one."""
    return Question(chase, Pursuer(fork=number, thief_at=number + case), catch_thief())
