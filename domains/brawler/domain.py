"""A brawler's fight: what to do next is drawn, and how it is done is planned.

Each attack has a value in the beliefs, the smaller the better, which a lottery writes there.
Waiting is worth 200, so what was not drawn, at 10,000, is never done.
"""

from __future__ import annotations

from bthtn import Domain, Fluent, FluentFamily, Methods, State, fluent, fluents, method


class Brawler(State):
    """The beliefs of a brawler, and how much he would like to do each action."""

    near: Fluent[bool] = fluent(default=True)
    balanced: Fluent[bool] = fluent(default=True)
    value: FluentFamily[str, float] = fluents(default=10_000.0)


brawler = Domain("brawler", Brawler)

jab = brawler.primitive("jab", precondition=Brawler.near)
full_swing = brawler.primitive(
    "full_swing",
    precondition=Brawler.near & Brawler.balanced,
    effects=Brawler.balanced.becomes(False),
)
tackle = brawler.primitive("tackle", precondition=~Brawler.near, effects=Brawler.near.becomes(True))
find_balance = brawler.primitive("find_balance", effects=Brawler.balanced.becomes(True))
step_closer = brawler.primitive("step_closer", effects=Brawler.near.becomes(True), duration=1)
wait = brawler.primitive("wait", duration=1)


@brawler.compound
def battle_main() -> Methods:
    """Attack in the way that is wanted most, unless waiting is wanted more."""
    yield method(attack_main())
    yield method(wait(), name="Wait", value=200)


@brawler.compound
def attack_main() -> Methods:
    """Every attack there is; its method is called as its row of the lottery."""
    yield method(approach(), jab(), name="Jab", value=Brawler.value["Jab"])
    yield method(
        approach(), full_swing(), find_balance(), name="FullSwing", value=Brawler.value["FullSwing"]
    )
    yield method(tackle(), name="Tackle", value=Brawler.value["Tackle"])


@brawler.compound
def approach() -> Methods:
    """Be near; where he is near already there is nothing to do, which is a success."""
    yield method(when=Brawler.near)
    yield method(step_closer())
