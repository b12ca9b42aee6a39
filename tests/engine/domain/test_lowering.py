"""Constructs become anonymous tasks, each kind by a function of its own."""

from bthtn.engine.domain.lowering import LOWERINGS
from bthtn.engine.domain.network import Construct


def test_there_is_a_lowering_for_every_kind_of_construct():
    kinds = {kind.__name__ for kind in Construct.__subclasses__()}
    assert {kind.__name__ for kind in LOWERINGS} == kinds
