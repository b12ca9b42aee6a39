"""Only the smallest part of a plan in which something is wrong is planned anew."""

import pytest

from bthtn import Domain, Fluent, Settings, State, fluent, method, parallel, pause
from bthtn.engine.plan.nodes import ScopeNode
from bthtn.engine.plan.walk import leaves, preorder
from bthtn.engine.planning.exclusions import avoidable
from bthtn.engine.planning.planner import Planner
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.engine.replanning.improvement import Start
from bthtn.engine.replanning.repair import Repair
from bthtn.engine.replanning.validity import validity_of
from tests.rests import FAILURE, INVALID, RUNNING, SUCCESS, rest_of


class Soldier(State):
    at_target: Fluent[bool] = fluent(default=False)
    ammo: Fluent[int] = fluent(default=3)
    magazines: Fluent[int] = fluent(default=1)
    knife: Fluent[bool] = fluent(default=True)
    loud: Fluent[bool] = fluent(default=False)
    cover: Fluent[bool] = fluent(default=True)
    seen: Fluent[bool] = fluent(default=True)


WAR = Domain("war", Soldier)
walk = WAR.primitive("walk", effects=Soldier.at_target.becomes(True))
crouch = WAR.primitive("crouch", precondition=Soldier.cover)
reload = WAR.primitive(
    "reload",
    precondition=Soldier.magazines > 0,
    effects=[Soldier.ammo.becomes(6), Soldier.magazines.decreases(1)],
)
shoot = WAR.primitive(
    "shoot",
    precondition=Soldier.ammo > 0,
    effects=[Soldier.ammo.decreases(1), Soldier.loud.becomes(True)],
)
stab = WAR.primitive("stab", precondition=Soldier.knife & Soldier.at_target)
shout = WAR.primitive("shout", effects=Soldier.loud.becomes(True))
sneak_off = WAR.primitive("sneak_off", precondition=~Soldier.loud)
report = WAR.primitive("report")


@WAR.compound
def attack():
    yield method(shoot(), when=Soldier.ammo > 0, name="loaded")
    yield method(reload(), shoot(), when=Soldier.magazines > 0, name="reloading")
    yield method(stab(), name="silent")


@WAR.compound
def wait_for_orders():
    yield method(shoot())
    yield method(pause(), name="wait")


@WAR.compound
def hide():
    yield method(crouch(), attack(), name="in cover")
    yield method(attack())


@WAR.compound
def raid():
    yield method(walk(), attack(), report(), name="raid")
    yield method(report(), name="give up")


@WAR.compound
def quiet_raid():
    yield method(walk(), attack(), sneak_off(), name="quiet")
    yield method(walk(), report(), name="loud")


@WAR.compound
def together():
    yield method(parallel(walk(), attack()), report())


@WAR.compound
def from_cover():
    yield method(walk(), hide(), report())


@WAR.compound
def waiting():
    yield method(wait_for_orders(), report())


def steps(plan):
    return [str(step) for step in plan.steps]


class Running:
    """A plan that has come so far, in a world that somebody else has changed."""

    def __init__(self, goal, *, over=(), running=(), failed=(), settings=None, **before):
        settings = settings or Settings()
        self.settings = settings
        self.plan = Planner(WAR, goal, settings).plan(Soldier(**before))
        statuses = {SUCCESS: over, RUNNING: running, FAILURE: failed}
        named = {name: status for status, names in statuses.items() for name in names}
        self.nodes = {str(node): node for node in leaves(self.plan.tree)}
        now = {node: named.get(name, INVALID) for name, node in self.nodes.items()}
        self.rest = rest_of(self.plan.tree, now)

    def broken(self, now):
        return validity_of(self.rest, self.plan.domain, now).failure

    def repair(self, avoiding=None, at=None, **values):
        now = Soldier(**values).frozen()
        node = self.nodes[at] if at else self.broken(now).node
        return Repair(self.plan, self.rest, node, Start(now, avoiding or {}), self.settings)


def repaired(repair):
    repair.advance()
    return steps(repair.plan), str(repair.plan.record), str(repair.path[-1])


def test_a_part_that_has_not_begun_is_planned_for_the_state_in_which_it_will_begin():
    running = Running(raid(), running=["walk"])
    assert repaired(running.repair(ammo=0, magazines=0)) == (
        ["walk", "stab", "report"],
        "[0,2]",
        "attack m0",
    )


def test_what_the_plan_needs_least_change_for_is_tried_first():
    running = Running(raid(), running=["walk"])
    assert repaired(running.repair(ammo=0))[0] == ["walk", "reload", "shoot", "report"]


def test_all_other_steps_are_the_very_same():
    running = Running(raid(), running=["walk"])
    repair = running.repair(ammo=0)
    repair.advance()
    kept = [node for node in repair.plan.steps if node in running.plan.steps]
    assert [str(node) for node in kept] == ["walk", "report"]


def test_the_shooting_is_planned_anew_without_stopping_the_movement():
    running = Running(together(), running=["walk", "shoot"])
    repair = running.repair(at="shoot", ammo=0)
    assert repaired(repair)[0] == ["walk", "reload", "shoot", "report"]
    assert running.nodes["walk"] in repair.plan.steps
    assert running.nodes["shoot"] not in repair.plan.steps


def test_a_part_that_has_begun_is_planned_from_the_world_as_it_is():
    running = Running(together(), running=["walk"], over=["reload"], ammo=0)
    assert steps(running.plan) == ["walk", "reload", "shoot", "report"]
    assert repaired(running.repair(ammo=0, magazines=1))[0] == ["walk", "reload", "shoot", "report"]


def test_where_the_smallest_part_has_no_plan_a_larger_one_is_planned_anew():
    running = Running(from_cover(), running=["walk"])
    assert steps(running.plan) == ["walk", "crouch", "shoot", "report"]
    assert repaired(running.repair(cover=False)) == (
        ["walk", "shoot", "report"],
        "[0,1,0]",
        "hide m0",
    )


def test_a_repair_with_which_the_rest_would_not_work_is_none():
    running = Running(quiet_raid(), ammo=0, magazines=0)
    assert steps(running.plan) == ["walk", "stab", "sneak_off"]
    repair = running.repair(ammo=5, knife=False)
    assert repair.advance() is SearchStatus.EXHAUSTED
    assert repair.plan is None


def test_where_no_part_can_be_mended_the_root_is_left_to_others():
    running = Running(raid(), running=["walk"])
    repair = running.repair(ammo=0, magazines=0, knife=False)
    assert repair.advance() is SearchStatus.EXHAUSTED
    root = Planner(WAR, raid()).plan(Soldier(ammo=0, magazines=0, knife=False))
    assert steps(root) == ["report"]


def test_what_is_avoided_is_no_part_of_a_repair():
    running = Running(raid(), over=["walk"], failed=["shoot"])
    values = {"at_target": True, "magazines": 0}
    assert repaired(running.repair(at="shoot", **values))[0] == ["walk", "shoot", "report"]
    avoiding = {avoidable(WAR.freeze(), shoot): "it misses"}
    assert repaired(running.repair(avoiding, at="shoot", **values))[0] == ["walk", "stab", "report"]


def test_nothing_is_done_behind_a_part_in_which_planning_stops():
    running = Running(waiting())
    assert steps(running.plan) == ["shoot", "report"]
    assert running.repair(ammo=0).advance() is SearchStatus.EXHAUSTED


@pytest.mark.parametrize(("horizon", "mended"), [(1, False), (2, True)])
def test_a_horizon_may_end_with_a_part_but_not_in_it(horizon, mended):
    running = Running(raid(), running=["walk"])
    running.settings = Settings(horizon=horizon)
    repair = running.repair(ammo=0)
    assert (repair.advance() is SearchStatus.SOLVED) is mended


@pytest.mark.parametrize("budget", [1, 2, 3])
def test_a_repair_can_be_looked_for_a_little_at_a_time(budget):
    running = Running(from_cover(), running=["walk"])
    whole, sliced = running.repair(cover=False, ammo=0), running.repair(cover=False, ammo=0)
    whole.advance()
    ticks = 1
    while sliced.advance(budget) is SearchStatus.RUNNING:
        ticks += 1
    assert steps(sliced.plan) == steps(whole.plan)
    assert sliced.expansions == whole.expansions
    assert ticks == -(-whole.expansions // budget)


def test_a_repaired_plan_predicts_what_it_leads_to_from_now():
    repair = Running(raid(), running=["walk"]).repair(ammo=0)
    repair.advance()
    end = repair.plan.predicted
    assert (end.get(Soldier.ammo), end.get(Soldier.magazines)) == (5, 0)
    assert end.get(Soldier.at_target) is True


def test_the_decomposition_that_was_replaced_is_gone_from_the_tree():
    running = Running(raid(), running=["walk"])
    repair = running.repair(ammo=0)
    repair.advance()
    scopes = [node for _, node in preorder(repair.plan.tree) if isinstance(node, ScopeNode)]
    assert [str(scope) for scope in scopes] == ["raid m0", "attack m1"]


def test_a_part_that_would_disturb_what_runs_beside_it_is_no_repair():
    running = Running(together(), running=["walk", "shoot"])
    values = {"ammo": 0, "magazines": 0, "at_target": True}
    assert running.repair(at="shoot", **values).advance() is SearchStatus.EXHAUSTED
    over = Running(together(), over=["walk"], running=["shoot"])
    assert repaired(over.repair(at="shoot", **values))[0] == ["walk", "stab", "report"]
