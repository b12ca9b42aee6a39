"""Mistakes that no run of a character can show, since there is none: what the kit says of them."""

import pytest

from tests.studio.cli.conftest import bthtn_fixture, here_fixture, put_fixture

__all__ = ["bthtn_fixture", "here_fixture", "put_fixture"]

DOMAIN = """
from bthtn import Domain, Fluent, State, find_plan, fluent, primitive
class World(State):
    money: Fluent[int] = fluent(default=0)
class Other(State):
    stones: Fluent[int] = fluent(default=0)
def misspelt(world): world.mony = 3
def answering(world): return 3
shop = Domain("shop", World)
"""


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('shop.primitive("buy", precondition=Other.stones > 0)', ["BT102", "primitive 'buy'"]),
        ('shop.primitive("buy", precondition=[["money"]])', ["BT110", "not a condition"]),
        ('shop.primitive("buy", precondition="money > 0")', ["BT110", "not a condition, but str"]),
        ('shop.primitive("buy", effects=None)', ["BT110", "leave it out"]),
        ('shop.primitive("buy", effects=World.money == 1)', ["BT110", "write money.becomes(1)"]),
        ('shop.primitive("buy", when=World.money > 0)', ["BT126", "no argument 'when'"]),
        ('shop.primitive("buy", precondtion=World.money > 0)', ["did you mean 'precondition'?"]),
        ("find_plan(World(), shop, ())", ["BT126", "write find_plan(domain, state, goal"]),
        ("find_plan(shop, World, ())", ["BT126", "add brackets: World()"]),
        (
            "@shop.primitive\ndef go(to: str):\n"
            "    return primitive(precondition=World.money > {}.get(to, 1))",
            ["BT107", "'to' is a symbol", "primitive 'go'"],
        ),
        (
            '@shop.primitive\ndef go(to: str):\n    return primitive(doc=f"go to {to}")',
            ["BT107", "'to' is a symbol"],
        ),
    ],
)
def test_what_is_wrong_with_a_domain_is_said_when_it_is_checked(put, bthtn, written, said):
    put("domains/shop/domain.py", DOMAIN + written)
    answer = bthtn("check", "shop")
    assert answer.code == 1
    assert [words for words in said if words not in answer.out] == []
    assert "Traceback" not in answer.out + answer.err


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("effects=misspelt", "did you mean 'money'?"),
        ("effects=answering", "the effect answering answers with 3"),
        ("precondition=lambda world: None", "None"),
    ],
)
def test_what_is_wrong_with_a_function_is_said_where_a_case_asks_for_it(put, bthtn, written, said):
    put("domains/shop/domain.py", f'{DOMAIN}shop.primitive("buy", {written})')
    put("domains/shop/cases.toml", '[it_buys]\ntask = "buy"\nexpect = "buy"\n')
    answer = bthtn("test", "domains")
    assert answer.code == 1
    assert "where: " in answer.out
    assert said in answer.out


TREE = """
from bthtn.behaviours import Agent, Character, Operators, PlanGoal
from bthtn import Domain, State
shop = Domain("shop", State)
buy, pay = shop.primitive("buy"), shop.primitive("pay")
operators = Operators()
operators.bind(buy)(lambda agent: None)
def character(seed=0):
    ann = Agent("Ann", shop, State(), body=None, operators=operators)
    return Character(PlanGoal("shop", ann, (buy(), pay())), ann)
"""


def test_a_task_without_an_operator_is_said_when_the_tree_is_checked(put, bthtn):
    put("trees/shop/tree.py", TREE)
    answer = bthtn("check", "trees/shop")
    assert answer.code != 0
    assert "[BT311] 'pay' has no operator" in answer.out + answer.err
