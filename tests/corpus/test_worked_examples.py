"""Every domain that comes with bthtn keeps what its cases.toml promises."""

from itertools import product

import pytest

from bthtn.planning.protocol import request
from bthtn.testing.case_files import domain_file_of
from bthtn.testing.cases import NO_PLAN, fault_of
from bthtn.text.notation import normal
from tests.corpus.shipped import FILES, FOLDER, cases_of
from tests.reference import Reference


def cases():
    for file in FILES:
        for case in cases_of(file):
            yield pytest.param(case, id=f"{file.parent.name}-{file.stem}-{case.name}")


CASES = list(cases())


@pytest.mark.parametrize("case", CASES)
def test_a_case_holds(case):
    fault = fault_of(case)
    assert not fault, fault


@pytest.mark.parametrize("case", CASES)
def test_a_case_holds_for_the_reference_planner_too(case):
    asked = request(case.domain, case.state, case.task, case.settings)
    plan = Reference(asked).best()
    assert (plan and normal(plan.tree)) == (case.expected and normal(case.expected))
    assert case.record is None or plan.record == case.record


def test_every_domain_has_cases():
    domains = set(FOLDER.glob("*/domain.py"))
    assert domains <= {domain_file_of(file) for file in FILES}
    assert all(domain_file_of(file).is_file() for file in FILES)


def test_the_sixteen_states_of_combat_are_all_there():  # R000-38
    names = ("target", "cover", "in_cover", "ammo")
    asked = {
        tuple(case.state.get(case.domain.schema.fluents[name]) for name in names)
        for case in cases_of(FOLDER / "combat" / "cases.toml")
        if case.record is not None and case.settings.horizon is None
    }
    assert set(product((False, True), repeat=4)) <= asked
    assert NO_PLAN == "no plan"
