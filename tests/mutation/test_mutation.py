"""The faults that are put into bthtn are what they are called, and the tests are told of all."""

import ast

import pytest

from tests.mutation.draw import ROOT, drawn, sample
from tests.mutation.faults import faults_in
from tests.mutation.table import table
from tests.mutation.workshop import Map


@pytest.mark.parametrize(
    ("source", "faulty"),
    [
        ("a < b", ["(a <= b)"]),
        ("a is not b", ["(a is b)"]),
        ("x = 'ä', a == b", ["x = 'ä', (a != b)"]),
        ("x = a + b", ["x = (a - b)"]),
        ("a and b or c", ["((a and b) and c)", "(a or b) or c"]),
        ("not a", ["a"]),
        ("x = True, 2", ["x = False, 2", "x = True, 3"]),
        ("def f():\n    return x", ["def f():\n    return None"]),
        ("if x:\n    raise E", ["if x:\n    pass"]),
        ("x.a = y\nx = y", ["pass\nx = y"]),
        ("f(\n    x\n)\nx", ["pass\nx"]),
        ("x += y", ["pass"]),
        ("@d(1)\ndef f(a: T[1]) -> T[2]: ...", []),
        ("assert 1 < 2, 'never'", []),
        ("if TYPE_CHECKING:\n    f()", []),
        ("f'{x < 1}'", []),
        ("def f():\n    return None", []),
    ],
)
def test_a_fault_changes_one_thing(source, faulty):
    found = [fault.put_into(source).replace("(a)", "a") for fault in faults_in(source)]
    assert sorted(found) == sorted(faulty)


def test_an_edit_of_one_file_leaves_the_faults_of_the_others_as_they_were_drawn():
    number = "x = {}\n" * 5
    sources = {f"bthtn/{name}.py": number.format(*range(5)) for name in "abc"}
    before = sample(sources, 12, seed=1)
    edited = sources | {"bthtn/b.py": "y = a == b\n" + sources["bthtn/b.py"]}
    after = sample(edited, 15, seed=1)
    others = [mutant for mutant in before if mutant.file != "bthtn/b.py"]
    assert 0 < len(others) < 12
    assert [mutant for mutant in after if mutant.file != "bthtn/b.py"][: len(others)] == others


@pytest.mark.slow
def test_the_sample_is_the_same_for_a_seed_holds_every_package_and_can_be_compiled():
    mutants = drawn(200, seed=1)
    assert mutants[:100] == drawn(100, seed=1)
    assert len({mutant.key for mutant in mutants}) == 200
    assert set(mutants) != set(drawn(200, seed=2))
    packages = {f"bthtn.{path.parent.name}" for path in ROOT.glob("bthtn/*/__init__.py")}
    assert {mutant.package for mutant in mutants} == packages | {"bthtn"}
    for mutant in mutants[:20]:
        source = (ROOT / mutant.file).read_text("utf-8")
        assert ast.dump(ast.parse(mutant.fault.put_into(source))) != ast.dump(ast.parse(source))


@pytest.mark.slow
def test_the_tests_that_run_the_line_are_asked_those_of_the_package_first():
    mutant = next(one for one in drawn(200, seed=1) if one.package == "bthtn.world")
    line = mutant.fault.line
    others, own, quicker = "tests/plan/test_a.py::x", "tests/world/test_b.py::x", "docs/c.md"
    runs = {line: {others, own}, line - 1: {quicker}}
    seconds = {own: 3.0, others: 2.0, quicker: 1.0}
    assert Map(lambda file: runs, seconds).tests_for(mutant) == [own, others]
    del runs[line]
    assert Map(lambda file: runs, seconds).tests_for(mutant) == [quicker]
    runs[line] = {""}
    runs[1] = {others, own}
    assert Map(lambda file: runs, seconds).tests_for(mutant) == [own, quicker, others]


def test_the_table_tells_the_share_and_what_was_missed():
    by = [("bthtn/plan/a.py:1", "quick"), ("bthtn/plan/a.py:2", "thorough"), ("bthtn/b.py:3", "")]
    results = [
        {"where": where, "noticed by": tier, "kind": "k", "instead": "i", "test": tier and "t"}
        for where, tier in by
    ]
    lines = table(results).splitlines()
    assert lines[1].split() == ["bthtn", "1", "0", "0", "1"]
    assert lines[2].split() == ["bthtn.plan", "2", "1", "1", "0"]
    assert lines[3].split() == ["all", "3", "1", "1", "1"]
    assert "50.0 % of the 2" in lines[4]
    assert lines[5:] == ["bthtn/plan/a.py:2: k: i (t)", "bthtn/b.py:3: k: i (nobody)"]
