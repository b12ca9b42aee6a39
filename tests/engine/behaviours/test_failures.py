"""What fails again and again is avoided, what is out of reach waits, what broke is mended."""

import py_trees
import pytest
from py_trees.common import Status

from bthtn import (
    Domain,
    Fluent,
    State,
    defer,
    fluent,
    method,
    one_of,
    parallel,
    pause,
    primitive,
    priority,
    random_of,
)
from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.engine.agent.events import (
    GoalEnded,
    GoalWaits,
    LeafAborted,
    LeafStarted,
    PlanRepaired,
    PlanReplaced,
    TaskAvoided,
)
from bthtn.engine.replanning.policy import NO_BACKOFF, Replanning, RetryPolicy
from bthtn.studio.testing.doubles import RecordingListener, ScriptedOperator, ticks
from bthtn.studio.testing.playground import World


class Troll(State):
    sees: Fluent[bool] = fluent(default=False)
    seen_recently: Fluent[bool] = fluent(default=True)
    place: Fluent[str] = fluent(default="bridge")


def troll():
    """The troll of Humphreys' chapter 12.7, who hopes to see the enemy where he saw him last."""
    domain = Domain("troll", Troll)
    slam = domain.primitive("slam", precondition=Troll.sees)
    go = domain.primitive(
        "go_to_last_place", effects=Troll.place.becomes("last"), expected=Troll.sees.becomes(True)
    )
    roar = domain.primitive("roar", precondition=Troll.sees)
    patrol = domain.primitive("patrol", effects=Troll.place.becomes("bridge"), duration=2)

    @domain.compound
    def be_a_troll():
        yield method(slam(), when=Troll.sees, name="attack")
        yield method(go(), roar(), when=Troll.seen_recently, name="regain")
        yield method(patrol(), name="patrol")

    return domain, be_a_troll()


class Scene:
    """Somebody with one goal; ``asked`` counts how often a method's plain condition was."""

    def __init__(self, domain, goal, beliefs, operators=None, **options):
        self.heard = RecordingListener()
        self.agent = Agent(
            "he", domain, beliefs, body=None, operators=operators, listener=self.heard
        )
        self.goal = PlanGoal("goal", self.agent, goal, **options)

    def started(self, task):
        return sum(event.task == task for event in self.heard.of(LeafStarted))


# T17: he goes to the last place, does not see anybody, and goes there again


def test_naively_the_troll_goes_to_the_last_place_for_ever():
    scene = Scene(*troll(), Troll(), replanning=Replanning(retrying=NO_BACKOFF))
    ticks(scene.goal, 300)
    assert scene.started("go_to_last_place") == 300
    assert scene.started("patrol") == 0


def test_after_some_disappointments_the_troll_patrols_and_seldom_tries_again():
    scene = Scene(*troll(), Troll())
    ticks(scene.goal, 300)
    assert 3 <= scene.started("go_to_last_place") <= 8
    assert scene.started("patrol") > 80
    first = scene.heard.of(TaskAvoided)[0]
    assert (first.task, first.failures, first.fluents) == ("roar", 3, ("sees",))
    assert first.reason == "sees is false: sees = false"


def test_as_soon_as_the_world_changes_the_troll_recovers():
    scene = Scene(*troll(), Troll())
    ticks(scene.goal, 100)
    scene.agent.believe(Troll.sees, True)
    ticks(scene.goal, 3)
    assert scene.started("slam") > 0
    before = scene.started("go_to_last_place")
    scene.agent.believe(Troll.sees, False)
    ticks(scene.goal, 4)
    assert scene.started("go_to_last_place") > before


# without any plan


class Miner(State):
    coal: Fluent[int] = fluent(default=0)
    mood: Fluent[int] = fluent(default=0)


def mine():
    """A domain in which nothing can be done without coal, and how often it was asked for."""
    domain, asked = Domain("mine", Miner), []
    burn = domain.primitive("burn", effects=Miner.coal.decreases(1), duration=1)

    def has_coal(state):
        asked.append(1)
        return state.coal > 0

    @domain.compound
    def keep_warm():
        yield method(burn(), when=has_coal)

    return domain, keep_warm(), asked


def test_an_agent_without_a_plan_asks_ever_more_seldom():
    domain, goal, asked = mine()
    scene = Scene(domain, goal, Miner())
    assert ticks(scene.goal, 500) == "F" * 500
    assert len(asked) < 20
    naive_domain, naive_goal, naively = mine()
    naive = Scene(naive_domain, naive_goal, Miner(), replanning=Replanning(retrying=NO_BACKOFF))
    assert ticks(naive.goal, 500) == "F" * 500
    assert len(naively) == 502  # and once more to say why


def test_what_it_waits_for_is_told_once_and_shown_in_every_tick():
    domain, goal, _ = mine()
    scene = Scene(domain, goal, Miner())
    ticks(scene.goal, 4)
    [waits] = scene.heard.of(GoalWaits)
    why = "there is no plan: keep_warm, method 0: has_coal is false: coal = 0"
    assert waits == GoalWaits("goal", 3, why, 8, ("coal",))
    assert scene.goal.feedback_message == (
        f"in vain 3 times: {why}; waits 7 more ticks, or for a change of coal"
    )
    ticks(scene.goal, 6)
    assert "waits 1 more tick," in scene.goal.feedback_message
    assert len(scene.heard.of(GoalEnded)) == 3


def test_a_change_of_what_the_search_has_read_wakes_it_in_the_same_tick():
    domain, goal, asked = mine()
    scene = Scene(domain, goal, Miner())
    ticks(scene.goal, 100)
    before = len(asked)
    scene.agent.believe(Miner.mood, 7)
    assert ticks(scene.goal, 1) == "F"
    assert len(asked) == before
    scene.agent.believe(Miner.coal, 1)
    assert ticks(scene.goal, 3) == "RSF"


class Hunter(State):
    distance: Fluent[float] = fluent(default=50.0)
    noise: Fluent[float] = fluent(default=0.0)


def hunting(hunter=None):
    domain = Domain("hunt", Hunter)
    strike = domain.primitive("strike", precondition=Hunter.distance < 3)
    return Scene(domain, strike(), hunter or Hunter())


def searches_of(scene, ticked):
    """How often the goal searched while ``ticked`` was called before each of 500 ticks."""
    failed = []
    for tick in range(500):
        ticked(tick)
        scene.goal.tick_once()
        failed.append("waits" in scene.goal.feedback_message)
    return failed.count(False)


def test_noise_that_leaves_the_failed_condition_false_does_not_wake_it():
    scene, quiet = hunting(), hunting()
    noisy = searches_of(scene, lambda tick: scene.agent.believe(Hunter.distance, 40.0 + tick % 7))
    assert noisy == searches_of(quiet, lambda _tick: None) < 20
    scene.agent.believe(Hunter.distance, 2.0)
    assert ticks(scene.goal, 1) == "S"


def test_changes_that_matter_and_help_nothing_wake_it_no_more_often_than_the_back_off_allows():
    domain = Domain("hunt", Hunter)
    strike = domain.primitive("strike", precondition=Hunter.distance < Hunter.noise)
    scene = Scene(domain, strike(), Hunter())
    assert (
        searches_of(scene, lambda tick: scene.agent.believe(Hunter.distance, 40.0 + tick % 7)) < 25
    )


def test_meanwhile_the_lower_branches_of_the_tree_run():
    domain, goal, asked = mine()
    scene = Scene(domain, goal, Miner())
    hum = py_trees.behaviours.Running("hum")
    root = py_trees.composites.Selector("root", memory=False, children=[scene.goal, hum])
    assert ticks(root, 200) == "R" * 200
    assert hum.status is Status.RUNNING
    assert len(asked) < 20
    scene.agent.believe(Miner.coal, 1)
    ticks(root, 1)
    assert scene.goal.status is Status.RUNNING
    assert hum.status is Status.INVALID


def test_whose_plans_fail_again_and_again_waits_too():
    domain, operators = Domain("pit", Miner), Operators(simulates_others=True)
    dig = domain.primitive("dig", precondition=Miner.mood > -9)
    code = ScriptedOperator("F")
    operators.bind(dig)(code)
    scene = Scene(domain, dig(), Miner(), operators, max_replans=0)
    ticks(scene.goal, 300)
    assert code.starts < 20
    assert scene.heard.of(GoalWaits)[0].fluents == ("mood",)
    before = code.starts
    scene.agent.believe(Miner.mood, 1)
    ticks(scene.goal, 1)
    assert code.starts == before + 1


def test_a_goal_that_is_taken_down_watches_nothing_any_more():
    domain, goal, _ = mine()
    scene = Scene(domain, goal, Miner())
    ticks(scene.goal, 10)
    assert scene.agent.beliefs.watched == 1
    scene.goal.shutdown()
    assert scene.agent.beliefs.watched == 0


# what is to blame


def test_an_alternative_that_fails_is_no_failure_as_long_as_another_one_works():
    domain, operators = Domain("pit", Miner), Operators(simulates_others=True)
    dig, rest = domain.primitive("dig"), domain.primitive("rest")
    operators.bind(dig)(ScriptedOperator("F"))
    scene = Scene(domain, priority(dig(), rest()), Miner(), operators)
    assert ticks(scene.goal, 20) == "S" * 20
    assert scene.heard.of(TaskAvoided) == []


def test_a_choice_of_which_all_alternatives_fail_is_the_fault_of_the_method_that_has_it():
    domain, operators = Domain("pit", Miner), Operators(simulates_others=True)
    dig, pick, rest = (domain.primitive(name) for name in ("dig", "pick", "rest"))
    for task in (dig, pick):
        operators.bind(task)(ScriptedOperator("F"))

    @domain.compound
    def work():
        yield method(priority(dig(), pick()), name="work")
        yield method(rest(), name="rest")

    scene = Scene(domain, work(), Miner(), operators)
    assert ticks(scene.goal, 6) == "RRRSSS"
    [avoided] = scene.heard.of(TaskAvoided)
    assert (avoided.task, avoided.failures) == ("work m0", 3)


# what is mended


class Soldier(State):
    ammo: Fluent[int] = fluent(default=2)
    magazines: Fluent[int] = fluent(default=1)
    jammed: Fluent[bool] = fluent(default=False)
    there: Fluent[bool] = fluent(default=False)


class War:
    """A soldier who walks while he attacks; what he does takes as long as the scripts say."""

    def __init__(self, **scripts):
        self.domain, self.operators, self.code = (
            Domain("war", Soldier),
            Operators(simulates_others=True),
            {},
        )
        task = self.domain.primitive
        self.walk = task("walk", effects=Soldier.there.becomes(True))
        self.aim = task("aim")
        self.reload = task("reload", effects=Soldier.ammo.becomes(6))
        self.shoot = task("shoot", precondition=Soldier.ammo > 0)
        self.stab = task("stab")
        self.report = task("report")
        for name, script in scripts.items():
            self.code[name] = ScriptedOperator(*script)
            self.operators.bind(getattr(self, name))(self.code[name])

        @self.domain.compound
        def attack():
            yield method(self.aim(), self.shoot(), when=(Soldier.ammo > 0) & ~Soldier.jammed)
            yield method(self.reload(), self.aim(), self.shoot(), when=~Soldier.jammed)
            yield method(self.stab())

        @self.domain.compound
        def advance():
            yield method(parallel(self.walk(), attack()), self.report())

        @self.domain.compound
        def go_and_attack():
            yield method(self.walk(), attack(), self.report())

        self.attack, self.advance, self.go_and_attack = attack, advance, go_and_attack

    def scene(self, goal, **options):
        return Scene(self.domain, goal, Soldier(), self.operators, **options)


def test_the_shooting_is_planned_anew_without_stopping_the_movement():
    war = War(walk=["RRRRRRS"], aim=["RRRS"], reload=["S"])
    scene = war.scene(war.advance())
    ticks(scene.goal, 2)
    scene.agent.believe(Soldier.ammo, 0)
    ticks(scene.goal, 1)
    [repaired] = scene.heard.of(PlanRepaired)
    assert repaired.part == "attack m0"
    assert [str(step) for step in repaired.plan.steps] == [
        *("walk", "reload", "aim", "shoot", "report")
    ]
    assert [event.task for event in scene.heard.of(LeafAborted)] == ["aim"]
    assert ticks(scene.goal, 4) == "RRRS"
    assert scene.started("walk") == scene.started("report") == 1


def test_a_step_that_failed_is_mended_without_doing_again_what_was_done_before():
    war = War(walk=["RS"], shoot=["F"], stab=["S"])
    scene = war.scene(war.go_and_attack())
    ticks(scene.goal, 1)
    assert ticks(scene.goal, 1) == "R"
    scene.agent.believe(Soldier.jammed, True)
    assert ticks(scene.goal, 1) == "S"
    assert scene.started("walk") == 1
    failed, jammed = scene.heard.of(PlanRepaired)
    assert "shoot: the operator answered FAILURE" in failed.reason
    assert "jammed = true" in jammed.reason


@pytest.mark.parametrize("shoot", ["F", "!"])
def test_a_step_that_failed_is_mended_without_stopping_the_movement(shoot):
    war = War(walk=["RRRRS"], shoot=[shoot], stab=["S"])
    scene = war.scene(war.advance())
    ticks(scene.goal, 1)
    scene.agent.believe(Soldier.jammed, True)
    assert ticks(scene.goal, 4) == "RRRS"
    assert {event.part for event in scene.heard.of(PlanRepaired)} == {"attack m0"}
    assert scene.heard.of(LeafAborted) == []
    assert scene.started("walk") == scene.started("stab") == 1


def test_so_it_is_when_the_whole_is_planned_anew():
    war = War(walk=["RRRRS"], shoot=["F"], stab=["S"])
    scene = war.scene(war.advance(), replanning=Replanning(repair=False))
    ticks(scene.goal, 1)
    scene.agent.believe(Soldier.jammed, True)
    assert ticks(scene.goal, 4)[-1] == "S"
    assert scene.heard.of(LeafAborted) == []
    assert scene.started("walk") == 1


def test_a_movement_without_a_place_in_the_next_plan_is_aborted():
    war = War(walk=["RRRRS"], shoot=["F"])
    scene = war.scene(war.advance(), max_replans=0)
    assert ticks(scene.goal, 1) == "F"
    assert [event.task for event in scene.heard.of(LeafAborted)] == ["walk"]


@pytest.mark.parametrize("repair", [True, False])
def test_repair_can_be_turned_off(repair):
    war = War(walk=["RS"], shoot=["F"], stab=["S"])
    scene = war.scene(war.go_and_attack(), replanning=Replanning(repair=repair))
    ticks(scene.goal, 2)
    scene.agent.believe(Soldier.jammed, True)
    ticks(scene.goal, 1 if repair else 2)
    assert bool(scene.heard.of(PlanRepaired)) is repair
    assert scene.started("walk") == (1 if repair else 2)


def test_what_cannot_be_mended_is_planned_anew_from_the_goal():
    war = War(shoot=["F"])
    scene = war.scene(war.attack(), replanning=Replanning(retrying=RetryPolicy(after=1)))
    assert ticks(scene.goal, 2) == "RS"
    assert scene.heard.of(PlanRepaired) == []
    assert scene.started("stab") == 1


def test_what_comes_out_otherwise_than_planned_is_mended_at_once():
    domain = Domain("war", Soldier)
    load = domain.primitive("load", expected=Soldier.ammo.becomes(1), duration=1)
    aim, walk = domain.primitive("aim", duration=1), domain.primitive("walk", duration=9)
    shoot = domain.primitive("shoot", precondition=Soldier.ammo > 0)
    stab = domain.primitive("stab")

    @domain.compound
    def attack():
        yield method(load(), aim(), shoot(), when=~Soldier.jammed)
        yield method(stab())

    @domain.compound
    def advance():
        yield method(parallel(walk(), attack()))

    replanning = Replanning(retrying=RetryPolicy(after=1))
    scene = Scene(domain, advance(), Soldier(ammo=0), replanning=replanning)
    assert ticks(scene.goal, 4) == "RRRR"
    assert (scene.started("stab"), scene.started("walk")) == (1, 1)
    assert [event.task for event in scene.heard.of(LeafAborted)] == ["aim"]
    assert scene.goal.replans == 1
    scene = Scene(domain, advance(), Soldier(ammo=0), replanning=replanning, max_replans=0)
    assert "F" in ticks(scene.goal, 4)


def test_a_success_in_between_clears_what_failed_before():
    war = War(shoot=["F", "F", "S"] * 3)
    scene = war.scene(war.attack(), replanning=Replanning(retrying=RetryPolicy(after=3)))
    assert ticks(scene.goal, 9) == "RRSRRSRRS"
    assert scene.heard.of(TaskAvoided) == []


def test_what_the_goal_itself_changes_counts_as_well():
    domain = Domain("war", Soldier)
    load = domain.primitive("load", expected=Soldier.ammo.becomes(1))
    shoot = domain.primitive("shoot", precondition=Soldier.ammo > 0)
    buy = domain.primitive("buy", effects=Soldier.ammo.becomes(2))
    search = domain.primitive("search", precondition=Soldier.magazines > 0)

    @domain.compound
    def attack():
        yield method(load(), shoot(), when=Soldier.ammo == 0)
        yield method(shoot(), name="loaded")
        yield method(search())
        yield method(buy(), name="buy")

    retrying = RetryPolicy(after=1, backoff=500, longest=500)
    scene = Scene(domain, attack(), Soldier(magazines=0), replanning=Replanning(retrying=retrying))
    scene.agent.believe(Soldier.ammo, 0)
    ticks(scene.goal, 4)
    assert (scene.started("buy"), scene.started("shoot")) == (1, 2)


def at_a_jammed_door(needed=None):
    """A troll whose push has failed, and who takes the way round, which leads to the garden."""
    domain = Domain("house", Troll)
    go = domain.primitive("go", effects=Troll.place.becomes("door"))
    push = domain.primitive("push", precondition=needed, duration=1)
    leave = domain.primitive("leave", effects=Troll.place.becomes("garden"))
    climb = domain.primitive("climb", duration=50)

    @domain.compound
    def get_in():
        yield method(go(), push())
        yield method(leave(), climb())

    operators = Operators(simulates_others=True)
    operators.bind(push)(ScriptedOperator("F"))
    replanning = Replanning(retrying=RetryPolicy(after=1))
    return Scene(domain, get_in(), Troll(), operators, replanning=replanning)


def test_a_plan_that_is_replaced_since_a_change_has_ended_a_back_off_names_the_change():
    scene = at_a_jammed_door(needed=Troll.place == "door")
    ticks(scene.goal, 9)
    replaced = scene.heard.of(PlanReplaced)[0]
    assert str(replaced.change) == "place: 'door' → 'garden' (by goal)"


def test_a_plan_that_is_replaced_since_a_back_off_is_over_names_no_change():
    scene = at_a_jammed_door()
    ticks(scene.goal, 9)
    assert scene.heard.of(PlanReplaced)[0].change is None


# random choices


class Dice(State):
    round: Fluent[int] = fluent(default=0)
    open: Fluent[bool] = fluent(default=False)


def dice(first, second, condition=None, by=()):
    """Two tasks, one of which is drawn; ``first`` and ``second`` are their scripts."""
    domain, operators = Domain("dice", Dice), Operators(simulates_others=True)
    one = domain.primitive("one", precondition=condition)
    two = domain.primitive("two")
    operators.bind(one)(ScriptedOperator(*first))
    operators.bind(two)(ScriptedOperator(*second))
    return Scene(domain, random_of((1000, one()), (1, two()), by=by), Dice(), operators)


def test_a_draw_that_fails_is_not_drawn_again_in_the_same_run_of_the_goal():
    scene = dice(["F"], ["R"])
    assert ticks(scene.goal, 4) == "RRRR"
    assert (scene.started("one"), scene.started("two")) == (1, 1)
    assert scene.heard.of(TaskAvoided) == []


def test_a_draw_that_failed_may_be_drawn_when_the_goal_begins_anew():
    scene = dice(["F", "S"], ["S"])
    assert ticks(scene.goal, 2) == "RS"
    assert ticks(scene.goal, 1) == "S"
    assert (scene.started("one"), scene.started("two")) == (2, 1)


def test_a_goal_whose_draws_have_all_failed_ends_and_tries_all_of_them_again():
    scene = dice(["F", "S"], ["F"])
    assert ticks(scene.goal, 4) == "RRFS"
    assert (scene.started("one"), scene.started("two")) == (2, 1)


@pytest.mark.parametrize("by", [(), Dice.round])
def test_what_was_drawn_is_not_interrupted_for_what_would_be_drawn_first_now(by):
    scene = dice(["S"], ["R"], condition=Dice.open, by=by)
    assert ticks(scene.goal, 2) == "RR"
    scene.agent.believe(Dice.round, 1)
    scene.agent.believe(Dice.open, True)
    assert ticks(scene.goal, 5) == "RRRRR"
    assert scene.heard.lines() == ["start two"]


def test_a_repair_leaves_a_running_step_beside_it_where_it_is(stage):
    walk, wave = stage.step("walk", "RF", "RRRR"), stage.step("wave")
    there = stage.compound("there", lambda: [method(walk)])
    whole = stage.compound("whole", lambda: [method(parallel(there, (walk, wave)))])
    goal = stage.goal(whole)
    assert ticks(goal, 3) == "RRR"
    assert len(stage.heard.of(PlanRepaired)) == 1
    *_, last = stage.heard.of(LeafStarted)
    assert (last.task, last.path) == ("walk", "whole m0 > there m0")


def test_what_was_over_before_one_repair_is_not_run_again_after_the_next(stage):
    look, shoot = stage.step("look", "S"), stage.step("shoot", "F", "F", "R")
    attack = stage.compound("attack", lambda: [method(shoot)])
    sight = priority(defer(look, ensures=World.armed.becomes(True)), stage.step("listen"))
    whole = stage.compound("whole", lambda: [method(sight, attack)])
    goal = stage.goal(whole)
    ticks(goal, 4)
    assert len(stage.heard.of(PlanRepaired)) == 2
    assert stage.code["shoot"].starts == 3
    assert stage.code["look"].starts == 1


def test_a_part_without_a_plan_is_tried_again_when_what_its_search_has_read_has_changed(stage):
    shoot, wait = stage.step("shoot", "R", precondition=World.armed), stage.step("wait", "R")
    attack = stage.compound("attack", lambda: [method(pause(), shoot), method(wait)])
    goal = stage.goal(attack, replanning=Replanning(retrying=RetryPolicy(after=1)))
    ticks(goal, 3)
    [avoided] = stage.heard.of(TaskAvoided)
    assert (avoided.task, avoided.fluents) == ("attack m0", ("armed",))
    assert stage.heard.running() == ["wait"]
    stage.actor.believe(World.armed, True)
    ticks(goal, 1)
    assert stage.heard.running() == ["shoot"]


def test_a_choice_is_at_fault_although_the_rest_of_it_was_planned_on_arrival(stage):
    shoot = stage.step("shoot", "RF")
    choice = priority((pause(), shoot), stage.step("hide", precondition=World.lit), reactive=True)
    goal = stage.goal(
        stage.compound("attack", lambda: [method(choice)]),
        lit=False,
        replanning=Replanning(retrying=RetryPolicy(after=1)),
    )
    ticks(goal, 3)
    assert [event.task for event in stage.heard.of(TaskAvoided)] == ["attack m0"]


def test_a_large_search_in_vain_tells_at_least_what_is_avoided():
    domain, operators = Domain("burglar", Troll), Operators(simulates_others=True)
    pull = domain.primitive("pull")
    operators.bind(pull)(ScriptedOperator(*["F"] * 4))

    @domain.primitive
    def turn(number):
        return primitive(effects=Troll.place.becomes(number))

    @domain.compound
    def open_safe():
        yield method(turn(one_of([str(number) for number in range(300)])), pull())

    burglar = Agent("Bo", domain, Troll(), body=None, operators=operators)
    replanning = Replanning(retrying=RetryPolicy(after=1, backoff=500), repair=False)
    goal = PlanGoal("open", burglar, open_safe(), replanning=replanning)
    for _ in range(40):
        goal.tick_once()
        if goal.status is Status.FAILURE:
            break
    assert "there is no plan: pull: avoided: it failed at tick" in goal.feedback_message
