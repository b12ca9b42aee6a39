"""A program: the functions of a domain, made once for every set of features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.task import Task
from bthtn.planning.htn.compiled import generated
from bthtn.planning.htn.compiled.facts import Facts, Features, facts_about
from bthtn.planning.htn.compiled.members import members_of
from bthtn.planning.htn.compiled.reading import change, weight
from bthtn.planning.htn.compiled.source import Source
from bthtn.world.fluent import Fluent
from bthtn.world.truth import UNKNOWN


@dataclass(frozen=True, slots=True)
class Planning:
    """The functions for networks that are not written as source.

    ``expand`` plans any of them, ``choose`` decomposes a task in ways that only the state
    tells, ``at_place`` stands before the parts of a sequence behind the first where there is
    a horizon. ``free`` are those that need no budget.
    """

    expand: Callable[..., Any]
    choose: Callable[..., Any]
    at_place: Callable[..., Any]
    free: frozenset[Any]


@dataclass(frozen=True, slots=True)
class Program:
    """Generated functions by task, and what a machine has to know to run them.

    ``text`` is their source for people, with what its names stand for.
    """

    text: str
    features: Features
    facts: Facts
    functions: Mapping[Task, Any]
    defaults: dict[Fluent[Any], Any]
    planning: Planning

    def start(self, values: dict[Fluent[Any], Any]) -> dict[Fluent[Any], Any]:
        """A search's own values of all fluents that a function may ask for without a default."""
        if len(values) < 2 * len(self.defaults):
            return {**self.defaults, **values}
        whole = values.copy()
        for fluent, default in self.defaults.items():
            whole.setdefault(fluent, default)
        return whole


class Programs:
    """The programs of one domain."""

    def __init__(self, domain: FrozenDomain) -> None:
        self.facts = facts_about(domain)
        self._by_features: dict[Features, Program] = {}

    def program(self, domain: FrozenDomain, features: Features, planning: Planning) -> Program:
        """The program for these features, generated when first asked for."""
        found = self._by_features.get(features)
        if found is None:
            found = _program(domain, self.facts, features, planning)
            self._by_features[features] = found
        return found


def programs(domain: FrozenDomain) -> Programs:
    """The programs of a domain, the same at every call."""
    return domain.derived(Programs)


def defaults_of(domain: FrozenDomain) -> dict[Fluent[Any], Any]:
    """The defaults of all fluents that are no members of families, as far as they are foreseen."""
    return {
        fluent: fluent.default for fluent in domain.schema.fluents.values() if not fluent.volatile
    }


def _program(domain: FrozenDomain, facts: Facts, features: Features, planning: Planning) -> Program:
    source = Source(domain, facts, features)
    text = source.text()
    given = {name: members_of(thing) for name, thing in source.names.objects.items()} | {
        "UNKNOWN": UNKNOWN,
        "weight": weight,
        "change": change,
        "expand": planning.expand,
        "choose": planning.choose,
    }
    names = generated.executed(generated.executable(text), given)
    functions = {task: names[name] for task, name in source.functions.items()}
    return Program(
        source.names.explained(text), features, facts, functions, defaults_of(domain), planning
    )
