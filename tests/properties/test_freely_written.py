"""Functions in which anything may be plan as the specification does, however often one asks."""

import ast
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.asked_often import asked, questions, written
from tests.properties.freely_written import HAS_NUMPY
from tests.sizes import seeds, size

TABLES = ("FARE", "NEXT", "ROUTE", "GRID", "FIRST", "SEEN", "KNOWN", *["WEIGHTS"] * HAS_NUMPY)
HELPERS = ("doubled", "beside", "busy")
KINDS = {
    ast.Slice: "slice",
    ast.In: "in",
    ast.ListComp: "comprehension",
    ast.SetComp: "comprehension",
    ast.DictComp: "comprehension",
    ast.GeneratorExp: "comprehension",
    ast.For: "for",
    ast.While: "while",
    ast.JoinedStr: "f-string",
    ast.Try: "try",
    ast.NamedExpr: "walrus",
    ast.List: "list",
    ast.Set: "set",
    ast.Dict: "dict",
    ast.Lambda: "lambda",
    ast.Starred: "star",
    ast.Assert: "assert",
    ast.Raise: "raise",
    ast.With: "with",
    ast.Match: "match",
    ast.Import: "import",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
}
NAMES = {
    **dict.fromkeys(HELPERS, "helper"),
    **dict.fromkeys(("AT", "COUNT", "WEIGHT"), "fluent by name"),
    **dict.fromkeys(("NOWHERE", "EVERYTHING"), "odd number"),
    "limit": "variable around",
}


def constructs(text):
    """The kinds of what the functions of a written module have in them."""
    module = ast.parse(text)
    tasks = [part for part in module.body if getattr(part, "decorator_list", ())]
    for node in (node for task in tasks for node in ast.walk(task)):
        if type(node) in KINDS:
            yield KINDS[type(node)]
        match node:
            case ast.Subscript(value=ast.Name(id=name)) if name in TABLES:
                yield f"{name}[]"
            case ast.Call(func=ast.Attribute(value=ast.Name(id="s"))):
                pass
            case ast.Call(func=ast.Attribute()):
                yield "method of a value"
            case ast.Attribute(value=ast.Name(id="TOWN" | "Town")):
                yield "attribute"
            case ast.Name(id=name) if name in NAMES:
                yield NAMES[name]
            case ast.FunctionDef(args=ast.arguments(defaults=[_, *_])):
                yield "default"


EACH = {*KINDS.values(), *NAMES.values(), *(f"{name}[]" for name in TABLES)}
EACH |= {"method of a value", "attribute", "default"}


@pytest.mark.slow
def test_every_construct_is_drawn():
    seen = Counter()
    for seed in range(400):
        with written(Random(seed).choice) as (_, author):  # noqa: S311 - the same everywhere
            seen.update(set(constructs(author.text)))
    assert {kind for kind in EACH if seen[kind] < 3} == set()


def test_all_ways_to_ask_thrice_find_what_the_specification_finds():
    seen = Counter()
    for seed in seeds(quick=12, thorough=400):
        seen += questions(seed)
    assert seen["solved"] >= size(quick=18, thorough=800)
    assert seen["exhausted"] >= size(quick=9, thorough=400)
    assert seen["raises"] >= size(quick=2, thorough=100)


@given(st.data())
def test_so_they_do_for_whatever_is_written(data):
    asked(lambda among: among[data.draw(st.integers(0, len(among) - 1))])
