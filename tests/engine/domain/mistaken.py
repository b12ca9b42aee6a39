"""A domain to make mistakes in, and what somebody reads who makes one."""

from textwrap import dedent

import pytest

from bthtn import Fluent, State, fluent
from bthtn.errors import DomainError


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    at: Fluent[str] = fluent(default="home")
    target: Fluent[bool] = fluent(default=False)


def complaint(act, *args, **kwargs):
    with pytest.raises(DomainError) as caught:
        act(*args, **kwargs)
    return str(caught.value)


def text(lines):
    return dedent(lines).strip()
