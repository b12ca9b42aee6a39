"""The traps of replanning, in pairs: the naive policy shows the symptom, the default does not.

The troll of Humphreys' chapter recovers after every slam of his trunk, and whirls after three; the
soldier runs to cover while he reloads. Both are disturbed by sensors at every tick.
"""

import pytest

from bthtn import Domain, Fluent, State, find_plan, fluent, method
from bthtn.behaviours import Agent, ManualClock, Operators, PlanGoal
from bthtn.engine.agent.events import LeafAborted, LeafEnded, LeafStarted, PlanReplaced
from bthtn.engine.replanning.policy import Replanning
from bthtn.examples.domains.combat.domain import Distance, Soldier, combat, fight
from bthtn.studio.testing.doubles import RecordingListener, ticks

MELEE = 2


class Troll(State):
    sees: Fluent[bool] = fluent(default=True)
    distance: Fluent[int] = fluent(default=5)
    power: Fluent[int] = fluent(default=0)
    tired: Fluent[bool] = fluent(default=False)
    trunk: Fluent[int] = fluent(default=3)
    attacked: Fluent[bool] = fluent(default=False)


class Scene:
    """Somebody with a goal that is begun anew whenever it is done, and what he tells."""

    def __init__(self, domain, goal, beliefs, interrupt="surprise"):
        self.heard = RecordingListener()
        self.clock = ManualClock()
        self.agent = Agent("he", domain, beliefs, body=None, listener=self.heard, clock=self.clock)
        self.goal = PlanGoal("goal", self.agent, goal, replanning=Replanning(interrupt=interrupt))

    def pass_time(self, ticks, sense=lambda agent, tick: None):
        """So many ticks; before each one something is sensed."""
        for tick in range(ticks):
            self.begin_tick()
            sense(self.agent, tick)
            self.goal.tick_once()

    def until(self, started):
        """Tick until a task has begun."""
        while not any(event.task == started for event in self.heard.of(LeafStarted)):
            assert len(self.heard.events) < 1_000, "it never begins"
            self.begin_tick()
            self.goal.tick_once()

    def begin_tick(self):
        self.clock.advance(1)
        self.agent.sense()

    @property
    def done(self):
        return [event.task for event in self.heard.of(LeafEnded)]

    @property
    def aborted(self):
        return [event.task for event in self.heard.of(LeafAborted)]

    @property
    def starts(self):
        return [event.task for event in self.heard.of(LeafStarted)]


def steps_back_and_forth(agent, tick):
    """A sensor that never gives the same value twice in a row."""
    agent.believe(Troll.distance, 5 + tick % 2)


# the whirlwind


def whirling(*, fixed):
    """A troll that whirls after three slams; ``fixed`` as in the chapter, by being tired."""
    domain = Domain("whirling", Troll)
    tired = [Troll.tired.becomes(True)] if fixed else []
    slam = domain.primitive("slam", effects=[Troll.power.increases(1), *tired], duration=1)
    whirl = domain.primitive(
        "whirl",
        precondition=~Troll.tired if fixed else None,
        effects=Troll.power.becomes(0),
        duration=1,
    )
    rested = Troll.tired.becomes(False) if fixed else ()
    recover = domain.primitive("recover", effects=rested, duration=3)

    @domain.compound
    def attack():
        yield method(whirl(), recover(), when=Troll.power == 3)
        yield method(slam(), recover(), when=Troll.distance > MELEE)

    return domain, attack()


ROUND = ["slam", "recover"] * 3 + ["whirl", "recover"]


def test_without_any_fix_a_thousand_ticks_of_noise_abort_no_recovery():  # R001-13
    scene = Scene(*whirling(fixed=False), Troll())
    scene.pass_time(1_000, steps_back_and_forth)
    assert scene.aborted == []
    assert len(scene.done) > 200
    assert scene.done == (ROUND * 50)[: len(scene.done)]


def test_by_records_alone_the_third_recovery_is_aborted_for_the_whirlwind():  # R001-13
    scene = Scene(*whirling(fixed=False), Troll(), "mtr")
    scene.pass_time(20, steps_back_and_forth)
    assert scene.aborted[0] == "recover"
    assert scene.starts[:7] == ["slam", "recover"] * 3 + ["whirl"]


def test_equal_records_restart_the_plan_even_with_the_fix_and_the_whirlwind_never_comes():
    scene = Scene(*whirling(fixed=True), Troll(), "mtr_equal")
    scene.pass_time(200, steps_back_and_forth)
    assert set(scene.aborted) == {"recover"}
    assert "whirl" not in scene.done
    assert scene.agent.beliefs.now.power > 3


@pytest.mark.parametrize("interrupt", ["mtr", "surprise"])
def test_with_the_fix_strictly_better_records_abort_nothing(interrupt):
    scene = Scene(*whirling(fixed=True), Troll(), interrupt)
    scene.pass_time(200, steps_back_and_forth)
    assert scene.aborted == []
    assert scene.done == (ROUND * 10)[: len(scene.done)]


# the roar of recovery


def roaring():
    """A slam makes the next one impossible for a while; the roar belongs to the slam."""
    domain = Domain("roaring", Troll)
    slam = domain.primitive("slam", effects=Troll.attacked.becomes(True), duration=1)
    roar, throw = domain.primitive("roar", duration=3), domain.primitive("throw", duration=1)
    pick_up = domain.primitive("pick_up", duration=1)

    @domain.compound
    def attack():
        yield method(slam(), roar(), when=~Troll.attacked & (Troll.distance > MELEE))
        yield method(pick_up(), throw())

    return domain, attack()


def test_who_takes_whatever_is_found_breaks_off_the_roar_for_a_boulder():  # R001-12
    scene = Scene(*roaring(), Troll(), "any")
    scene.pass_time(5, steps_back_and_forth)
    assert scene.aborted[0] == "roar"
    assert scene.starts[:3] == ["slam", "roar", "pick_up"]


@pytest.mark.parametrize("interrupt", ["mtr_equal", "mtr", "surprise"])
def test_who_asks_for_something_better_lets_him_roar(interrupt):  # R001-12
    scene = Scene(*roaring(), Troll(), interrupt)
    scene.pass_time(6, steps_back_and_forth)
    assert scene.aborted == []
    assert scene.done == ["slam", "roar"]


# records that go stale


def uprooting():
    """Without a trunk he gets one first: from then on his record looks worse than it need be."""
    domain = Domain("uprooting", Troll)
    walk = domain.primitive("walk", duration=2)
    slam = domain.primitive("slam", effects=Troll.trunk.decreases(1), duration=3)
    uproot = domain.primitive("uproot", effects=Troll.trunk.becomes(3), duration=2)
    find, search = (domain.primitive(name, duration=2) for name in ("find", "search"))

    @domain.compound
    def thump():
        yield method(attack(), when=Troll.sees & (Troll.distance > MELEE))
        yield method(search())

    @domain.compound
    def attack():
        yield method(walk(), slam(), when=Troll.trunk > 0)
        yield method(find(), uproot(), attack())

    return domain, thump()


def test_by_records_alone_his_own_progress_makes_him_walk_again():
    scene = Scene(*uprooting(), Troll(trunk=0), "mtr")
    scene.until("slam")
    scene.pass_time(3, steps_back_and_forth)
    assert scene.aborted == ["slam"]
    assert scene.starts == ["find", "uproot", "walk", "slam", "walk"]


def test_what_he_brought_about_himself_is_no_surprise():
    scene = Scene(*uprooting(), Troll(trunk=0))
    scene.pass_time(10, steps_back_and_forth)
    assert scene.aborted == []
    assert scene.done == ["find", "uproot", "walk", "slam"]


def test_a_trunk_that_is_handed_to_him_is_a_surprise():
    scene = Scene(*uprooting(), Troll(trunk=0))
    scene.pass_time(1)
    scene.agent.believe(Troll.trunk, 3, source="ally")
    scene.pass_time(1)
    assert scene.starts == ["find", "walk"]
    assert scene.aborted == ["find"]


def test_an_enemy_seen_on_the_way_is_a_surprise():
    scene = Scene(*uprooting(), Troll(sees=False))
    scene.pass_time(1)
    scene.agent.believe(Troll.sees, True)
    scene.pass_time(1)
    assert scene.starts == ["search", "walk"]


# records, read literally


def two_levels():
    """Whoever is attacked has something better to do, though by a late method of it."""
    domain = Domain("two levels", Troll)
    flee, dodge, cry, stroll = (
        domain.primitive(name, duration=9) for name in ("flee", "dodge", "cry", "stroll")
    )

    @domain.compound
    def top():
        yield method(defend(), when=Troll.attacked)
        yield method(idle())

    @domain.compound
    def defend():
        yield method(flee(), when=Troll.power == 1)
        yield method(dodge(), when=Troll.power == 2)
        yield method(cry())

    @domain.compound
    def idle():
        yield method(stroll())

    return domain, top()


def no_index_is_greater(record, running):
    """The literal reading of "all indexes smaller or equal": element by element."""
    return all(new <= old for new, old in zip(record, running, strict=True))


def test_records_are_compared_from_the_first_difference_on():
    scene = Scene(*two_levels(), Troll())
    scene.pass_time(1)
    assert list(scene.goal.record) == [1, 0]
    scene.agent.believe(Troll.attacked, True)
    scene.pass_time(1)
    assert scene.starts == ["stroll", "cry"]
    assert list(scene.goal.record) == [0, 2]


def test_element_by_element_the_better_plan_would_be_turned_down():
    domain, goal = two_levels()
    running = find_plan(domain, Troll(), goal).record
    better = find_plan(domain, Troll(attacked=True), goal).record
    assert (list(running), list(better)) == ([1, 0], [0, 2])
    assert not no_index_is_greater(better, running)
    assert better.beats(running)


def test_element_by_element_neither_of_two_plans_may_take_the_others_place():
    domain, goal = two_levels()
    idle, cry, dodge = (
        find_plan(domain, Troll(**given), goal).record
        for given in ({}, {"attacked": True}, {"attacked": True, "power": 2})
    )
    assert no_index_is_greater(dodge, cry)
    assert not no_index_is_greater(cry, idle)
    assert not no_index_is_greater(idle, cry)
    assert cry.beats(idle)
    assert dodge.beats(cry)


# what a running step does itself


def approaching():
    domain = Domain("approaching", Troll)
    come = domain.primitive(
        "come",
        precondition=Troll.distance > MELEE,
        effects=Troll.distance.becomes(MELEE),
        duration=4,
    )
    slam = domain.primitive("slam", duration=1)

    @domain.compound
    def attack():
        yield method(slam(), when=Troll.distance <= MELEE)
        yield method(come(), slam())

    return domain, attack()


def test_a_sensor_that_sees_the_success_first_does_not_break_the_step():
    scene = Scene(*approaching(), Troll())
    scene.pass_time(2)
    scene.agent.believe(Troll.distance, MELEE)
    scene.pass_time(4)
    assert scene.aborted == []
    assert scene.done == ["come", "slam"]


def test_by_records_alone_his_own_success_interrupts_him():
    scene = Scene(*approaching(), Troll(), "mtr")
    scene.pass_time(2)
    scene.agent.believe(Troll.distance, MELEE)
    scene.pass_time(4)
    assert scene.aborted == ["come"]


# the soldier


def soldier(interrupt="surprise", **given):
    return Scene(combat, fight(), Soldier(**({"target": True} | given)), interrupt)


def comes_and_goes(agent, tick):
    """The enemy, as far as a sensor can tell."""
    agent.believe(Soldier.distance, list(Distance)[1 - tick % 2])


def test_by_records_alone_arriving_in_cover_makes_him_wait_again():
    scene = soldier("mtr", cover=True, ammo=False)
    scene.until("reload")
    scene.pass_time(2, comes_and_goes)
    assert "reload" in scene.aborted
    assert scene.starts.count("wait(3)") == 2


def test_after_he_has_come_into_cover_noise_restarts_nothing():
    scene = soldier(cover=True, ammo=False)
    scene.until("reload")
    scene.pass_time(2, comes_and_goes)
    assert scene.aborted == []
    assert scene.starts.count("wait(3)") == 1


def test_cover_that_is_destroyed_on_the_way_makes_him_fight_in_the_open_at_once():
    scene = soldier(cover=True)
    scene.pass_time(2)
    scene.agent.believe(Soldier.cover, False)
    scene.pass_time(1)
    assert scene.aborted == ["move_to_cover"]
    assert list(scene.goal.record) == [2, 0, 1]
    assert {"keep_distance", "shoot"} <= set(scene.starts)


def test_a_target_that_an_ally_killed_makes_him_look_for_another_at_once():
    scene = soldier(cover=True)
    scene.pass_time(2)
    scene.agent.believe(Soldier.target, False)
    scene.pass_time(1)
    assert scene.aborted == ["move_to_cover"]
    assert scene.starts[-1] == "search_enemy"


def test_cover_that_appears_is_made_use_of_at_once():
    scene = soldier()
    scene.pass_time(1)
    scene.agent.believe(Soldier.cover, True)
    scene.pass_time(1)
    assert "move_to_cover" in scene.starts
    (replaced,) = scene.heard.of(PlanReplaced)
    assert str(replaced.change) == "cover: false → true (by sensor)"


# what the running step is about to bring about


class Robot(State):
    battery: Fluent[int] = fluent(default=0)
    enemy: Fluent[bool] = fluent(default=False)


def charging(operator=None, *, name="goal"):
    """A robot that charges up to three before it mops; the better method needs any charge."""
    domain, operators = Domain("robot", Robot), Operators(simulates_others=True)
    charge = domain.primitive(
        "charge", precondition=Robot.battery < 3, effects=Robot.battery.becomes(3), duration=3
    )
    mop = domain.primitive("mop", precondition=Robot.battery > 0)
    fight = domain.primitive("fight", duration=1)
    domain.primitive("look", effects=Robot.enemy.becomes(True))

    @domain.compound
    def clean():
        yield method(fight(), when=Robot.enemy)
        yield method(mop(), when=Robot.battery > 0)
        yield method(charge(), mop())

    if operator is not None:
        operators.bind(charge)(operator)
    heard = RecordingListener()
    agent = Agent("he", domain, Robot(), body=None, operators=operators, listener=heard)
    return agent, PlanGoal(name, agent, clean()), heard


def test_progress_that_a_sensor_sees_does_not_cut_the_running_step_short():
    agent, goal, heard = charging()
    for level in range(4):
        agent.believe(Robot.battery, level)
        goal.tick_once()
    assert heard.lines() == ["start charge", "done charge", "start mop", "done mop"]


def test_a_value_beyond_what_the_step_brings_about_is_a_surprise():
    agent, goal, heard = charging()
    goal.tick_once()
    agent.believe(Robot.battery, 9)
    goal.tick_once()
    assert heard.lines() == ["start charge", "aborted charge", "start mop", "done mop"]


def test_what_an_operator_believes_of_its_own_effects_is_no_news():
    def charge(agent):
        for level in (7, 8, 9):
            agent.believe(Robot.battery, level)
            yield

    _, goal, heard = charging(charge)
    assert ticks(goal, 4) == "RRRS"
    assert heard.lines() == ["start charge", "done charge", "start mop", "done mop"]
    assert heard.changes()[0] == "battery: 0 → 7 (by goal)"


def test_what_an_operator_notices_beside_its_effects_is_news_with_the_step_as_its_source():
    def charge(agent):
        agent.believe(Robot.enemy, True)
        yield
        yield

    _, goal, heard = charging(charge)
    assert ticks(goal, 3) == "RRS"
    assert heard.lines() == ["start charge", "aborted charge", "start fight", "done fight"]
    assert heard.changes() == ["enemy: false → true (by charge)"]


@pytest.mark.parametrize("source", ["sensor", "eyes"])
def test_a_goal_that_is_called_like_a_sensor_reacts_to_it(source):
    agent, goal, heard = charging(name=source)
    goal.tick_once()
    agent.beliefs.write(Robot.enemy, True, source)
    goal.tick_once()
    assert heard.lines() == ["start charge", "aborted charge", "start fight"]


def test_two_goals_of_one_name_are_told_apart():
    agent, goal, heard = charging()
    goal.tick_once()
    PlanGoal("goal", agent, agent.domain.tasks["look"]()).tick_once()
    goal.tick_once()
    assert heard.lines()[3:] == ["aborted charge", "start fight"]
