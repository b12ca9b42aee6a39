"""check_rest: what is suspended was planned all the same (semantics 2.5.6 to 2.5.8)."""

import json
from dataclasses import replace

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    Settings,
    State,
    defer,
    find_plan,
    fluent,
    method,
    parallel,
    pause,
    priority,
)
from bthtn.engine.plan.nodes import SuspendedNode
from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.walk import outline, preorder
from bthtn.engine.planning import trace
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.partial import go_on
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.text.notation import normal
from bthtn.engine.text.plan_json import encoded
from bthtn.errors import PlanningError
from tests.sizes import size

MANY = size(quick=1_200, thorough=5_000, night=10_000)


class Troll(State):
    stamina: Fluent[int] = fluent(default=1)
    near: Fluent[bool] = fluent(default=False)
    angry: Fluent[bool] = fluent(default=True)
    roars: Fluent[int] = fluent(default=0)
    distance: Fluent[int] = fluent(default=9, volatile=True)


@pytest.fixture
def domain():
    return Domain("troll", Troll)


@pytest.fixture
def walk(domain):
    return domain.primitive("walk", effects=Troll.near.becomes(True), duration=2)


@pytest.fixture
def slam(domain):
    return domain.primitive(
        "slam",
        precondition=Troll.near & (Troll.stamina > 0),
        effects=Troll.stamina.decreases(1),
    )


@pytest.fixture
def roar(domain):
    return domain.primitive("roar", effects=Troll.roars.increases(1))


@pytest.fixture
def rest(domain):
    return domain.primitive("rest", effects=Troll.stamina.increases(1))


def checked(**limits):
    return Settings(check_rest=True, **limits)


def planned(domain, goal, settings, listener=None, **values):
    return find_plan(domain, Troll(**values), goal, settings, listener)


def steps(domain, goal, settings, **values):
    plan = planned(domain, goal, settings, **values)
    return "no plan" if plan is None else normal(plan.tree)


def suspended(plan):
    return [node for _, node in preorder(plan.tree) if isinstance(node, SuspendedNode)]


def gone_on(plan, settings, state=None, which=0):
    """The plan that was foreseen for a suspended part, in this state or the foreseen one."""
    node = suspended(plan)[which]
    before, written = node.foreseen.before, node.foreseen.written
    arrived = before.changed(written) if state is None else state.frozen()
    return go_on(node, arrived, plan.domain, settings)


# a partial plan exists where a whole one does


@pytest.mark.parametrize("limit", [{"horizon": 1}, {"horizon_time": 1}])
def test_a_troll_without_stamina_does_not_walk_to_a_fight_that_he_cannot_fight(
    domain, walk, slam, limit
):
    goal = (walk(), slam())
    assert steps(domain, goal, Settings(**limit), stamina=0) == "(walk, suspended(slam))"
    assert steps(domain, goal, checked(**limit), stamina=0) == "no plan"
    assert steps(domain, goal, checked(**limit), stamina=1) == "(walk, suspended(slam))"


def test_he_takes_the_way_out_that_planning_at_once_would_take(domain, walk, slam, roar):
    @domain.compound
    def attack():
        yield method(walk(), slam())
        yield method(roar())

    assert steps(domain, attack(), Settings(horizon=1), stamina=0) == "(walk, suspended(slam))"
    assert steps(domain, attack(), checked(horizon=1), stamina=0) == "roar"


@pytest.mark.parametrize("last", ["pause", "defer"])
def test_pauses_and_deferred_tasks_are_looked_behind_as_well(domain, walk, slam, last):
    goal = (walk(), pause(), slam()) if last == "pause" else (walk(), defer(slam()))
    assert steps(domain, goal, checked(), stamina=0) == "no plan"
    assert steps(domain, goal, checked(), stamina=1) == "(walk, suspended(slam))"


def test_what_is_ensured_is_not_relied_on(domain, walk, slam, roar):
    promise = defer(roar(), ensures=Troll.near.becomes(True))
    assert steps(domain, (promise, slam()), Settings()) == "(suspended(roar), slam)"
    assert steps(domain, (promise, slam()), checked()) == "no plan"


def test_behind_a_promise_everything_is_suspended(domain, walk, slam, roar):
    goal = (defer(walk(), ensures=Troll.near.becomes(True)), slam(), roar())
    plan = planned(domain, goal, checked())
    assert normal(plan.tree) == "(suspended(walk), suspended(slam, roar))"
    assert [str(node.cause) for node in suspended(plan)] == ["defer", "defer"]
    assert replay(plan, Troll().frozen()).ok


def test_without_any_suspension_it_changes_nothing(domain, walk, slam, roar):
    goal = (walk(), parallel(slam(), roar()), priority(roar(), walk()))
    one, other = (planned(domain, goal, settings) for settings in (Settings(), checked()))
    assert outline(one.tree) == outline(other.tree)
    assert (one.record, one.predicted) == (other.record, other.predicted)


def test_behind_an_unknown_nobody_can_look(domain, walk, slam, roar):
    plan = planned(domain, (walk(), slam(), roar()), checked(horizon=1), stamina=UNKNOWN)
    assert normal(plan.tree) == "(walk, suspended(slam), suspended(roar))"
    assert [str(node.cause) for node in suspended(plan)] == ["unknown stamina"] * 2
    assert [node.foreseen for node in suspended(plan)] == [None, None]


def test_a_cut_before_an_unknown_foresees_as_much_as_can_be_told(domain, walk, slam, roar):
    settings = checked(horizon=1)
    plan = planned(domain, (walk(), roar(), slam(), roar()), settings, stamina=UNKNOWN)
    assert normal(plan.tree) == "(walk, suspended(roar, slam, roar))"
    assert normal(gone_on(plan, settings).tree) == "(roar, suspended(slam), suspended(roar))"


def test_behind_a_pause_an_unknown_does_not_part_what_is_left(domain, slam, roar):
    plan = planned(domain, (pause(), slam(), roar()), checked(), near=True, stamina=UNKNOWN)
    assert normal(plan.tree) == "suspended(slam, roar)"
    assert normal(gone_on(plan, checked()).tree) == "(suspended(slam), suspended(roar))"


# where it is cut


def test_each_enclosing_sequence_and_each_branch_is_cut_for_itself(domain, walk, slam, roar):
    @domain.compound
    def attack():
        yield method(walk(), slam())

    goal = (attack(), parallel((roar(), roar()), walk()), walk())
    plan = planned(domain, goal, checked(horizon=1))
    assert normal(plan.tree) == (
        "(walk, suspended(slam), suspended(parallel((roar, roar), walk), walk))"
    )
    plan = planned(domain, (parallel((roar(), roar()), walk()), walk()), checked(horizon=1))
    assert normal(plan.tree) == "(parallel((roar, suspended(roar)), walk), suspended(walk))"


def test_every_alternative_is_cut_and_a_lost_one_stays_lost(domain, walk, slam, roar):
    goal = (priority((roar(), slam()), (roar(), roar()), (roar(), slam()), walk()), roar())
    plan = planned(domain, goal, checked(horizon=1))
    assert normal(plan.tree) == "(priority((roar, suspended(roar)), walk), suspended(roar))"
    unchecked = planned(domain, goal, Settings(horizon=1))
    assert list(unchecked.record) == [0, 0, 0, 0]
    assert list(plan.record) == [1, 0, 1, 0]
    assert replay(plan, Troll().frozen()).record == plan.record


def test_the_record_is_that_of_what_is_left_and_the_prediction_that_of_the_whole(
    domain, walk, slam, roar
):
    @domain.compound
    def attack():
        yield method(slam(), when=Troll.near)
        yield method(walk(), attack())

    whole = planned(domain, (attack(), roar()), Settings())
    plan = planned(domain, (attack(), roar()), checked(horizon=1))
    assert normal(plan.tree) == "(walk, suspended(attack), suspended(roar))"
    assert (list(plan.record), list(whole.record)) == ([1], [1, 0])
    assert plan.predicted == whole.predicted == Troll(near=True, stamina=0, roars=1).frozen()
    assert plan.expansions == whole.expansions


def test_sequences_thousands_deep_are_cut_at_every_level(domain, roar):
    @domain.compound
    def countdown(left: int):
        yield method(roar(), pause(), when=left == 0)
        yield method(countdown(left - 1), roar())

    plan = planned(domain, countdown(MANY), checked())
    assert (len(plan.steps), len(suspended(plan))) == (1, MANY)
    assert gone_on(plan, checked(), which=0).predicted == Troll(roars=2).frozen()
    assert gone_on(plan, checked(), which=MANY - 1).predicted == Troll(roars=MANY + 1).frozen()


def test_what_is_foreseen_may_be_thousands_deep(domain, roar):
    @domain.compound
    def countdown(left: int):
        yield method(roar(), when=left == 0)
        yield method(roar(), countdown(left - 1))

    plan = planned(domain, countdown(MANY), checked(horizon=1))
    assert (len(plan.steps), len(suspended(plan))) == (1, 1)
    assert len(gone_on(plan, checked()).steps) == MANY


def test_the_listener_hears_the_search_that_was_made(domain, walk, slam, roar):
    told = []
    planned(domain, (walk(), slam(), roar()), checked(horizon=1), told.append)
    assert [event.task for event in told if isinstance(event, trace.TaskPlanned)] == [
        "walk",
        "slam",
        "roar",
    ]


def test_every_plan_of_a_search_is_cut(domain, walk, slam, roar):
    @domain.compound
    def attack():
        yield method(walk(), slam())
        yield method(roar(), walk())

    search = HtnSearch.of(request(domain, Troll(), attack(), checked(horizon=1)))
    found = []
    while search.advance() is SearchStatus.SOLVED:
        found.append(normal(search.plan.tree))
        search.reject()
    assert found == ["(walk, suspended(slam))", "(roar, suspended(walk))"]


def test_a_plan_in_json_says_what_is_foreseen(domain, walk, slam):
    settings = Settings(horizon=1)
    plan, checked = (
        json.loads(encoded(planned(domain, (walk(), slam()), one)))
        for one in (settings, replace(settings, check_rest=True))
    )
    foreseen = checked["nodes"][-1].pop("foreseen")
    assert [node["name"] for node in foreseen["nodes"]] == ["slam"]
    assert checked["nodes"] == plan["nodes"]


def test_a_method_that_answers_as_it_likes_is_reported(domain, walk, roar):
    answers = [[walk(), roar()], [roar()]]

    @domain.compound
    def whim():
        yield method(lambda _: answers.pop(0))

    with pytest.raises(PlanningError, match="was planned, and does not come from") as caught:
        planned(domain, whim(), checked(horizon=1))
    assert "BT201" in str(caught.value)


def test_a_method_that_no_longer_applies_is_reported_too(domain, walk, roar):
    answers = [[walk(), roar()], None]

    @domain.compound
    def whim():
        yield method(lambda _: answers.pop(0))

    with pytest.raises(PlanningError, match="BT201"):
        planned(domain, whim(), checked(horizon=1))


# going on


def test_on_arrival_the_rest_is_there_and_is_cut_again(domain, walk, slam, roar):
    settings = checked(horizon=1)
    plan = planned(domain, (walk(), slam(), roar()), settings)
    again = gone_on(plan, settings)
    assert (normal(again.tree), again.expansions) == ("(slam, suspended(roar))", 0)
    assert normal(gone_on(again, settings).tree) == "roar"
    assert again.predicted == plan.predicted


def test_it_is_the_choice_of_planning_at_once_where_planning_now_would_choose_otherwise(
    domain, walk, slam, roar, rest
):
    # At once nobody knew whether he would be near, so the slam was left open and not ruled out.
    @domain.compound
    def finish():
        yield method(rest(), slam())
        yield method(roar())

    settings = checked(horizon=1)
    plan = planned(domain, (priority(roar(), walk()), finish()), settings)
    arrived = Troll(roars=1)
    assert normal(gone_on(plan, checked(), arrived).tree) == "(rest, suspended(slam))"
    assert normal(find_plan(domain, arrived, finish(), settings).tree) == "roar"


def test_a_deferred_task_goes_on_with_the_scopes_it_was_planned_with(domain, walk, slam):
    @domain.compound
    def attack(times: int):
        yield method(walk(), slam(), when=Troll.stamina >= times)

    plan = planned(domain, defer(attack(1)), checked())
    assert outline(gone_on(plan, checked()).tree)[0] == ("attack(1) m0", 1)


@pytest.mark.parametrize("different", [{"angry": False}, {"near": False}, {"stamina": 2}])
def test_in_a_world_that_has_changed_it_is_thrown_away(domain, walk, slam, different):
    settings = checked(horizon=1)
    plan = planned(domain, (walk(), slam()), settings)
    assert gone_on(plan, settings, Troll(near=True)) is not None
    assert gone_on(plan, settings, Troll(**{"near": True} | different)) is None


def test_what_was_unknown_may_have_become_anything(domain, walk, slam, roar):
    settings = checked(horizon=1)
    plan = planned(domain, (walk(), roar(), slam()), settings, angry=UNKNOWN)
    for angry in (True, False, UNKNOWN):
        assert gone_on(plan, settings, Troll(near=True, angry=angry)) is not None


def test_behind_a_choice_any_of_its_outcomes_is_as_foreseen(domain, walk, slam, roar):
    settings = checked(horizon=1)
    plan = planned(domain, (priority(roar(), walk()), roar()), settings)
    assert normal(plan.tree) == "(priority(roar, walk), suspended(roar))"
    assert gone_on(plan, settings, Troll(near=True)) is not None
    assert gone_on(plan, settings, Troll(roars=1)) is not None
    assert gone_on(plan, settings, Troll(angry=False)) is None


def test_sensed_values_count_only_where_they_could_be_relied_on(domain, roar):
    later = planned(domain, (roar(), roar()), checked(horizon=1))
    assert gone_on(later, checked(), Troll(roars=1, distance=3)) is not None
    assert gone_on(later, checked(), Troll(roars=1, distance=UNKNOWN)) is not None
    first = planned(domain, defer(roar()), checked())
    assert gone_on(first, checked(), Troll()) is not None
    assert gone_on(first, checked(), Troll(distance=3)) is None


def test_a_volatile_fluent_that_the_plan_writes_is_expected_to_have_that_value(domain, roar):
    jump = domain.primitive("jump", effects=Troll.distance.becomes(2))
    plan = planned(domain, (jump(), roar()), checked(horizon=1))
    assert gone_on(plan, checked(), Troll(distance=2)) is not None
    assert gone_on(plan, checked(), Troll(distance=3)) is None


def test_in_an_alternative_nothing_sensed_is_relied_on(domain, roar):
    plan = planned(domain, priority(defer(roar())), checked())
    assert gone_on(plan, checked(), Troll(distance=3)) is not None


def test_what_branches_beside_it_write_may_have_happened_or_not(domain, walk, slam, roar):
    settings = checked(horizon=1)
    goal = parallel((roar(), roar()), (roar(), walk()))
    plan = planned(domain, goal, settings)
    assert normal(plan.tree) == "parallel((roar, suspended(roar)), (roar, suspended(walk)))"
    for roars in (1, 2, 3):
        assert gone_on(plan, settings, Troll(roars=roars, near=True)) is not None
        assert gone_on(plan, settings, Troll(roars=roars), which=1) is not None
    assert gone_on(plan, settings, Troll(roars=1, angry=False)) is None
    assert gone_on(plan, settings, Troll(roars=1, near=True), which=1) is None


def test_branches_further_out_count_too_and_those_further_in_do_not(domain, walk, roar, rest):
    settings = checked(horizon=1)
    goal = parallel((parallel((roar(), roar()), rest()), roar()), (walk(), walk()))
    plan = planned(domain, goal, settings)
    assert normal(plan.tree) == (
        "parallel((parallel((roar, suspended(roar)), rest), suspended(roar)),"
        " (walk, suspended(walk)))"
    )
    inner, behind, _ = suspended(plan)
    assert sorted(map(str, inner.foreseen.concurrent)) == ["near", "stamina"]
    assert sorted(map(str, behind.foreseen.concurrent)) == ["near"]


def test_beside_a_branch_that_is_unknown_what_the_rest_reads_decides(domain, walk, slam, roar):
    settings = checked(horizon=1)
    check = domain.primitive("check", precondition=Troll.angry)
    charge = domain.primitive("charge", precondition=Troll.stamina > 0)
    plan = planned(domain, parallel((roar(), charge()), check()), settings, angry=UNKNOWN)
    assert normal(plan.tree) == "parallel((roar, suspended(charge)), suspended(check))"
    assert gone_on(plan, settings, Troll(roars=5, near=True)) is not None
    assert gone_on(plan, settings, Troll(roars=1, stamina=2)) is None


def test_a_method_that_asks_what_is_known_answers_as_it_did(domain, walk, roar):
    @domain.compound
    def look():
        yield method(lambda state: [walk()] if state.is_known(Troll.distance) else [roar()])

    settings = checked(horizon=1)
    plan = planned(domain, (roar(), look()), settings)
    assert normal(gone_on(plan, settings).tree) == "roar"
    assert steps(domain, look(), settings) == "walk"


# replay


def test_replay_looks_behind_the_cut(domain, walk, slam):
    plan = planned(domain, (walk(), slam()), checked(horizon=1))
    assert replay(plan, Troll().frozen()).final == plan.predicted
    seen = replay(plan, Troll(stamina=0).frozen())
    assert (seen.ok, seen.where) == (False, "slam")
    assert "stamina = 0" in seen.reason
    blind = planned(domain, (walk(), slam()), Settings(horizon=1))
    assert replay(blind, Troll(stamina=0).frozen()).ok


def test_replay_rejects_that_something_else_was_foreseen(domain, walk, slam, roar):
    plan = planned(domain, (walk(), slam()), checked(horizon=1))
    other = planned(domain, (walk(), roar()), checked(horizon=1))
    cut, foreign = suspended(plan)[0], suspended(other)[0]
    tree = replace(
        plan.tree, children=(plan.tree.children[0], replace(cut, foreseen=foreign.foreseen))
    )
    seen = replay(replace(plan, tree=tree), Troll().frozen())
    assert (seen.ok, seen.where) == (False, "roar")


def test_replay_rejects_a_deferred_task_that_is_not_suspended(domain, walk):
    whole = planned(domain, walk(), Settings())
    seen = replay(replace(whole, goal=defer(walk())), Troll().frozen())
    assert (seen.ok, seen.reason) == (False, "it does not come from defer(walk)")


def test_replay_rejects_that_anything_was_foreseen_behind_an_unknown(domain, walk, slam, roar):
    plan = planned(domain, (walk(), slam(), roar()), checked(), stamina=UNKNOWN)
    foreseen = suspended(planned(domain, (walk(), roar()), checked(horizon=1)))[0].foreseen
    first, middle, last = plan.tree.children
    tree = replace(plan.tree, children=(first, middle, replace(last, foreseen=foreseen)))
    seen = replay(replace(plan, tree=tree), Troll(stamina=UNKNOWN).frozen())
    assert (seen.ok, seen.reason) == (
        False,
        "it was planned ahead although what comes before it is not known",
    )


def test_the_footprint_counts_what_is_foreseen(domain, walk, slam):
    plan = planned(domain, (walk(), slam()), checked(horizon=1))
    assert set(plan.footprint.writes) == {Troll.near, Troll.stamina}
    blind = planned(domain, (walk(), slam()), Settings(horizon=1))
    assert set(blind.footprint.writes) == {Troll.near}
