"""What the cases of the domains say is right; pytest itself asks the planner each of them."""

from itertools import product

import pytest

from bthtn.engine.planning.protocol import request
from bthtn.engine.text.notation import normal
from bthtn.studio.testing.case_files import domain_file_of
from bthtn.studio.testing.cases import NO_PLAN
from tests.corpus.shipped import FILES, FOLDER, cases_of
from tests.reference import Reference


@pytest.mark.parametrize("file", FILES, ids=[f"{one.parent.name}-{one.stem}" for one in FILES])
def test_the_reference_planner_finds_what_the_cases_say(file):
    for case in cases_of(file):
        asked = request(case.domain, case.state, case.task, case.settings)
        plan = Reference(asked).best()
        found = plan and normal(plan.tree)
        assert found == (case.expected and normal(case.expected)), case.name
        assert case.record is None or plan.record == case.record, case.name


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
