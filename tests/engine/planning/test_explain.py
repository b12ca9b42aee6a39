"""Why there is no plan: what was tried, where, and the first thing that failed, with values."""

from textwrap import dedent

import pytest
from hypothesis import given

from bthtn import Domain, Fluent, Settings, State, fluent, method, parallel, priority
from bthtn.engine.planning.explain import explained, explanation_text
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.studio.testing.strategies import problems


class Soldier(State):
    ammo: Fluent[int] = fluent(default=0)
    magazine: Fluent[bool] = fluent(default=False)
    cover: Fluent[bool] = fluent(default=False)
    target: Fluent[bool] = fluent(default=True)


@pytest.fixture
def domain():
    return Domain("war", Soldier)


@pytest.fixture
def shoot(domain):
    return domain.primitive("shoot", precondition=Soldier.target & (Soldier.ammo > 0))


@pytest.fixture
def idle(domain):
    return domain.primitive("idle")


def why_not(domain, goal, settings=None, **values):
    events = []
    asked = request(domain, Soldier(**values), goal, settings or Settings())
    ListenedSearch(asked, events.append).advance()
    return explanation_text(explained(events))


def text(lines):
    return dedent(lines).strip()


def test_a_task_that_cannot_be_done_says_what_it_lacks(domain, shoot):
    assert why_not(domain, shoot()) == (
        "shoot: target and ammo > 0 is false: target = true, ammo = 0"
    )


def test_every_method_says_why_it_did_not_work_under_the_one_it_was_tried_for(domain, shoot, idle):
    reload = domain.primitive("reload", precondition=Soldier.magazine)

    @domain.compound
    def fight():
        yield method(from_cover(), when=Soldier.cover)
        yield method(prepare(), shoot(), name="in the open")

    @domain.compound
    def from_cover():
        yield method(idle())

    @domain.compound
    def prepare():
        yield method(reload(), when=Soldier.ammo == 0)
        yield method(idle())

    assert why_not(domain, fight()) == text("""
        fight, method 0: cover is false: cover = false
        fight, method 1 'in the open'
          prepare, method 0
            reload: magazine is false: magazine = false
          shoot: target and ammo > 0 is false: target = true, ammo = 0
    """)


def test_what_fails_twice_for_the_same_reason_is_said_once(domain, shoot, idle):
    @domain.compound
    def dither():
        yield method(idle())
        yield method(idle(), idle())
        yield method(idle(), idle(), idle())

    assert why_not(domain, (dither(), shoot())).count("shoot:") == 1


def test_what_is_tried_after_going_back_stands_where_the_choice_was(domain, shoot, idle):
    reload = domain.primitive("reload", precondition=Soldier.magazine)

    @domain.compound
    def prepare():
        yield method(load())

    @domain.compound
    def load():
        yield method(idle())
        yield method(reload())

    @domain.compound
    def attack():
        yield method(shoot())

    assert why_not(domain, (prepare(), attack())) == text("""
        prepare, method 0
          load, method 1
            reload: magazine is false: magazine = false
        attack, method 0
          shoot: target and ammo > 0 is false: target = true, ammo = 0
    """)


def test_branches_alternatives_and_circles_are_reasons_too(domain, shoot, idle):
    use = domain.primitive("use", uses="arms")

    @domain.compound
    def circle():
        yield method(circle())

    @domain.compound
    def fight():
        yield method(parallel(use(), idle(), use()))
        yield method(priority(shoot(), (idle(), shoot())))
        yield method(circle())

    explanation = why_not(domain, fight())
    assert "branches 0 and 2 both touch arms" in explanation
    assert "alternative 0, shoot: dropped" in explanation
    assert "circle: entered again inside itself, with nothing changed" in explanation


def test_where_nothing_failed_nothing_is_said(domain, idle):
    assert why_not(domain, idle()) == ""


@given(problems())
def test_whatever_has_no_plan_has_a_reason(problem):
    events = []
    search = ListenedSearch(problem, events.append)
    status = search.advance()
    reasons = explained(events)
    assert reasons or status is not SearchStatus.EXHAUSTED
    assert all(reason.text for reason in reasons)
    assert [reason.depth for reason in reasons[:1]] in ([], [0])
