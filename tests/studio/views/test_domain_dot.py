"""Domains as pictures."""

from hypothesis import given

from bthtn.engine.domain.builder import Domain, Primitive, primitive
from bthtn.engine.domain.method import Methods, method
from bthtn.engine.domain.network import defer
from bthtn.engine.planning.protocol import PlanRequest
from bthtn.engine.world.declarations import fluent
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import State
from bthtn.examples.domains.combat.domain import combat
from bthtn.studio.testing.strategies import problems
from bthtn.studio.views.domain_drawing import domain_dot


class World(State):
    lit: Fluent[bool] = fluent(default=False)


def test_tasks_lead_to_their_methods_and_those_to_what_they_call(read_dot, accepted):
    text = domain_dot(combat.freeze(), legend=True)
    picture = read_dot(text)
    assert picture.children("fight") == [
        "0: when not target\nsearch_enemy",
        "1: when cover\nfight_from_cover",
        "2: always\nfight_at_distance",
    ]
    assert picture.children("1: when cover\nfight_from_cover") == ["fight_from_cover"]
    accepted(text)


def test_primitive_tasks_questions_and_compound_tasks_look_different(read_dot):
    nodes = read_dot(domain_dot(combat.freeze())).nodes.values()
    looks = {node["label"]: (node["shape"], node["fillcolor"]) for node in nodes}
    assert looks["shoot"] == looks["wait(time)"]
    assert len({looks[label] for label in ("shoot", "no_line_of_fire", "fight")}) == 3


def test_names_of_methods_plain_functions_and_deferred_tasks_are_shown(read_dot):
    draft = Domain("house", World)

    @draft.primitive
    def wait(ticks: int) -> Primitive:
        return primitive(duration=ticks)

    @draft.compound
    def patrol() -> Methods:
        yield method(wait(1), defer(patrol()), when=World.lit, name="by lamplight")
        yield method(wait(2), patrol(), defer(patrol()))
        yield method(lambda state: [wait(3)])

    picture = read_dot(domain_dot(draft.freeze()))
    first, second, third = picture.children("patrol")
    assert first == "0 'by lamplight': when lit\n(wait(1), defer(patrol))"
    assert third.startswith("2: always\nlambda at line")
    styles = {(above, below): edge.get("style") for above, below, edge in picture.edges}
    name_of = {node["label"]: name for name, node in picture.nodes.items()}
    assert styles[name_of[first], name_of["patrol"]] == "dotted"
    assert styles[name_of[second], name_of["patrol"]] is None


@given(problems())
def test_any_domain_can_be_drawn(read_dot, problem: PlanRequest):
    picture = read_dot(domain_dot(problem.domain))
    methods = sum(map(len, problem.domain.methods.values()))
    assert len(picture.nodes) == len(problem.domain.tasks) + methods
