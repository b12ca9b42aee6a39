"""Designs: domains that are written as classes and derived from each other."""

import pytest

from bthtn import Fluent, State, find_plan, fluent, method, primitive
from bthtn.engine.text.notation import normal
from bthtn.errors import DomainError
from bthtn.examples.domains.design import Design


class Cook(State):
    eggs: Fluent[int] = fluent(default=0)


class Breakfast(Design, state=Cook):
    def eat(self):
        """Have an egg."""
        yield method(self.fetch(2), self.boil())

    def fetch(self, eggs: int):
        return primitive(effects=Cook.eggs.increases(eggs))

    def boil(self):
        return primitive(precondition=Cook.eggs > 0, effects=Cook.eggs.decreases(1))

    def _unseen(self):
        raise AssertionError("a private function is no task")


class Hungry(Breakfast):
    def eat(self):
        yield from super().eat()
        yield method(self.starve())

    def boil(self):
        yield method(self.fry(), when=Cook.eggs > 2)

    def fry(self):
        return primitive()

    def starve(self):
        return primitive()


class Rich(Cook):
    gold: Fluent[int] = fluent(default=9)


class Buying(Breakfast, state=Rich):
    def fetch(self, eggs: int):
        return primitive(effects=[Cook.eggs.increases(eggs), Rich.gold.decreases(eggs)])


def planned(domain, state, goal):
    return normal(find_plan(domain, state, goal).tree)


def test_the_public_functions_of_the_class_are_its_tasks():
    breakfast = Breakfast("breakfast")
    assert list(breakfast.freeze().tasks) == ["eat", "fetch", "boil"]
    assert breakfast.freeze().task("eat").doc == "Have an egg."
    assert planned(breakfast, Cook(), breakfast.eat()) == "(fetch(2), boil)"


def test_a_derived_class_replaces_tasks_wherever_they_are_called():
    hungry = Hungry("hungry")
    assert list(hungry.freeze().tasks) == ["eat", "fetch", "boil", "fry", "starve"]
    assert planned(hungry, Cook(eggs=1), hungry.eat()) == "(fetch(2), fry)"
    assert planned(hungry, Cook(), hungry.eat()) == "starve"


def test_what_it_is_derived_from_stays_as_it_was():
    Hungry("hungry").freeze()
    breakfast = Breakfast("breakfast")
    assert planned(breakfast, Cook(), breakfast.eat()) == "(fetch(2), boil)"


def test_a_derived_class_may_know_more_of_the_world():
    buying = Buying("buying")
    plan = find_plan(buying, Rich(), buying.eat())
    assert (plan.predicted.get(Rich.gold), plan.predicted.get(Cook.eggs)) == (7, 1)
    assert Breakfast("breakfast").state_class is Cook


def test_two_of_one_class_are_two_domains():
    one, other = Breakfast("one"), Breakfast("other")
    assert one.eat() is not other.eat()
    with pytest.raises(DomainError, match="BT109"):
        find_plan(one, Cook(), other.eat())
