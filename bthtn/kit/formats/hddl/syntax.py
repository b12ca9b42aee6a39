"""What a domain and a problem say, as data.

Each part has the place ``at`` which it is written, an index in the text of its file. Names are in
small letters, but for those that are declared, which are ``spelled`` as their authors wrote them.
Variables keep their ``?``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bthtn.kit.formats.hddl.source import Source
from bthtn.records import record


class Atom(NamedTuple):
    """A predicate, a function or a task with its arguments: ``(at ?truck here)``."""

    name: str
    terms: tuple[str, ...]
    at: int


@record
class Equal:
    """Whether two terms are one object."""

    left: str
    right: str
    at: int


@record
class Calculation:
    """A number computed from two others by ``+``, ``-``, ``*`` or ``/``."""

    symbol: str
    left: Value
    right: Value


Value = str | float | Atom | Calculation
"""An object, a number, or what a function is: the word of a term, a number, or what to compute."""


@record
class Compared:
    """Two values compared by ``==``, ``<`` or ``<=``: numbers, or what functions are."""

    symbol: str
    left: Value
    right: Value
    at: int


@record
class OfType:
    """Whether an object is of a type, in the constraints of a network."""

    term: str
    types: tuple[str, ...]
    at: int


@record
class Not:
    """A condition that does not hold."""

    part: Condition
    at: int


@record
class And:
    """All of its parts; without any, always true."""

    parts: tuple[Condition, ...]
    at: int


@record
class Or:
    """At least one of its parts."""

    parts: tuple[Condition, ...]
    at: int


@record
class ForAll:
    """A condition for every choice of objects."""

    variables: tuple[Declared, ...]
    part: Condition
    at: int


@record
class Exists:
    """A condition for at least one choice of objects."""

    variables: tuple[Declared, ...]
    part: Condition
    at: int


Condition = Atom | Equal | Compared | OfType | Not | And | Or | ForAll | Exists


@record
class Change:
    """An atom becomes true, or false, for all ``variables`` with which the condition holds.

    The condition is asked in the state before the action.
    """

    atom: Atom
    becomes: bool
    variables: tuple[Declared, ...]
    condition: Condition


@record
class Assign:
    """A function gets a value; otherwise as a change."""

    target: Atom
    value: Value
    variables: tuple[Declared, ...]
    condition: Condition


@record
class Increase:
    """What an action adds to a number, such as the cost of the plan; otherwise as a change."""

    target: Atom
    amount: Value
    variables: tuple[Declared, ...]
    condition: Condition


Effect = Change | Assign | Increase


@record
class Declared:
    """A type, an object, a variable or a parameter, and the types of which it is one."""

    name: str
    types: tuple[str, ...]
    spelled: str
    at: int


@record
class Signature:
    """A predicate, a function, or a task that methods decompose.

    ``values`` are the types of the objects that a function may be, none if it is a number.
    """

    name: str
    parameters: tuple[Declared, ...]
    spelled: str
    at: int
    values: tuple[str, ...] = ()


@record
class Action:
    """A task that is done as it is."""

    name: str
    parameters: tuple[Declared, ...]
    condition: Condition
    effects: tuple[Effect, ...]
    spelled: str
    at: int


@record
class Network:
    """Tasks, which of them come before which others, and constraints on their arguments.

    ``before`` has pairs of indices of ``tasks``.
    """

    tasks: tuple[Atom, ...]
    before: tuple[tuple[int, int], ...]
    constraints: Condition
    at: int


@record
class Method:
    """A way to decompose a task."""

    name: str
    parameters: tuple[Declared, ...]
    task: Atom
    condition: Condition
    network: Network
    spelled: str
    at: int


@record(eq=False)
class DomainFile:
    """A domain: what there may be, and what can be done. By name, in the order of the file.

    Names of methods need not be different.
    """

    source: Source
    name: str
    types: Mapping[str, Declared]
    constants: Mapping[str, Declared]
    predicates: Mapping[str, Signature]
    functions: Mapping[str, Signature]
    tasks: Mapping[str, Signature]
    actions: Mapping[str, Action]
    methods: tuple[Method, ...]


@record(eq=False)
class ProblemFile:
    """A problem: what there is, how it begins, and what is wanted.

    ``variables`` are those of the initial ``network``, which is None in PDDL. ``values`` are those
    of functions. ``minimizes`` is the name of the function that is to be small, "" if none is.
    """

    source: Source
    name: str
    domain: str
    objects: Mapping[str, Declared]
    facts: tuple[Atom, ...]
    values: tuple[tuple[Atom, float | str], ...]
    variables: tuple[Declared, ...]
    network: Network | None
    goal: Condition
    minimizes: str
