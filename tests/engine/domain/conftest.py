"""A soldier's domain to make mistakes in, for the tests without one of their own."""

import pytest

from bthtn import Domain, Primitive, primitive
from tests.engine.domain.mistaken import Soldier


@pytest.fixture
def domain():
    return Domain("combat", Soldier)


@pytest.fixture
def shoot(domain):
    return domain.primitive("shoot")


@pytest.fixture
def move(domain):
    @domain.primitive
    def move(place: str, hurry: bool) -> Primitive:
        return primitive(effects=Soldier.at.becomes(place))

    return move
