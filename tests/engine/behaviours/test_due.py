"""``due_in``: how long a character may sleep, for everything in which time makes a tick act."""

from asyncio import Event

import pytest
from py_trees import behaviours, decorators, timers
from py_trees.behaviours import Failure, Running, Success
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel as TreeParallel
from py_trees.composites import Selector, Sequence

from bthtn import Domain, Fluent, State, cooldown, fluent, parallel, seconds, timeout
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    Completion,
    Cooldown,
    Delay,
    ManualClock,
    Operators,
    PlanGoal,
    PriorityGoals,
    Repeat,
    Replanning,
    RetryPolicy,
    RunOnce,
    Sensors,
    StateMachineGoals,
    Timeout,
    UtilityGoals,
    attach,
)
from bthtn.engine.behaviours.control import ParallelAll
from bthtn.errors import ExecutionError
from bthtn.kit.formats import tree_from_xml
from bthtn.studio.testing.doubles import ScriptedOperator

IN_SECONDS = Replanning(retrying=RetryPolicy(after=1, backoff=seconds(5), longest=seconds(60)))


def about(seconds):
    """So many seconds, or a microsecond less: sums of floats are a little too small."""
    return pytest.approx(seconds, abs=1e-5)


class Soldier(State):
    enemy: Fluent[bool] = fluent(default=False)
    tired: Fluent[bool] = fluent(default=False)
    at: Fluent[str] = fluent(default="camp")


class Scene:
    """A character on a clock, whose ``walk`` ends by a call-back."""

    def __init__(self):
        self.domain = Domain("post", Soldier)
        self.walk = self.domain.primitive("walk", uses="legs")
        self.steps = []
        self.operators = Operators(simulates_others=True)
        self.operators.bind(self.walk)(self.begin_step)
        self.clock = ManualClock()
        self.sensors, self.number = None, 0
        self.agent = self.character = None

    def begin_step(self, agent):
        self.steps.append(Completion())
        return self.steps[-1]

    def step(self, operator=None, **described):
        """A task of this operator; simulated without one."""
        self.number += 1
        task = self.domain.primitive(f"task_{self.number}", **described)
        if operator is not None:
            self.operators.bind(task)(operator)
        return task()

    def play(self, tree, ticks=2, **given):
        """When he is due after so many ticks, in the last of which nothing happens."""
        self.agent = Agent(
            "Ann",
            self.domain,
            Soldier(),
            body=None,
            operators=self.operators,
            clock=self.clock,
            sensors=self.sensors,
        )
        self.character = Character(tree(self.agent), self.agent, **given)
        return self.tick(*[0] * ticks)

    def tick(self, *deltas):
        for delta in deltas:
            self.clock.advance(delta)
            self.character.tick()
        return self.character.due_in()

    def planning(self, goal, **given):
        return lambda agent: PlanGoal("goal", agent, goal, **given)


@pytest.fixture
def scene():
    made = Scene()
    yield made
    if made.character is not None:
        made.character.stop()


def nap(seconds=3, **given):
    return lambda agent: Delay("nap", Success("s"), seconds=seconds, clock=agent.time, **given)


# a step that ends elsewhere


def test_who_walks_sleeps_until_something_changes(scene):
    assert scene.play(scene.planning(scene.walk()), ticks=1) == 0  # it has just started
    assert scene.tick(1) is None
    assert scene.tick(100) is None


def test_a_step_that_has_ended_makes_him_due(scene):
    scene.play(scene.planning(scene.walk()))
    scene.steps[0].succeed()
    assert scene.character.due_in() == 0


def test_a_belief_makes_him_due(scene):
    scene.play(scene.planning(scene.walk()))
    scene.agent.believe(Soldier.enemy, True)
    assert scene.character.due_in() == 0
    assert scene.tick(1, 1) is None


def test_what_another_thread_tells_makes_him_due(scene):
    scene.play(scene.planning(scene.walk()))
    scene.agent.believe_soon(Soldier.enemy, True)
    assert scene.character.due_in() == 0
    assert scene.tick(1) is None  # it makes no difference


def test_newer_code_makes_him_due(scene):
    scene.play(scene.planning(scene.walk()))
    scene.character.reload(lambda running: running)
    assert scene.character.due_in() == 0


def test_before_the_first_tick_he_is_due(scene):
    assert scene.play(scene.planning(scene.walk()), ticks=0) == 0


# steps that last


def test_a_simulated_step_is_due_when_its_seconds_are_over(scene):
    assert scene.play(scene.planning(scene.step(duration=seconds(3)))) == about(3)
    assert scene.tick(1) == about(2)
    assert scene.tick(1) < 1
    scene.tick(0.999)
    assert scene.character.root.status is Status.RUNNING
    scene.tick(0.001)
    assert scene.character.root.status is Status.SUCCESS


def test_a_simulated_step_of_ticks_is_due_at_once(scene):
    assert scene.play(scene.planning(scene.step(duration=9))) == 0


def test_a_generator_is_due_when_the_seconds_that_it_has_yielded_are_over(scene):
    def watch(agent):
        yield seconds(4)
        yield
        yield

    assert scene.play(scene.planning(scene.step(watch))) == about(4)
    assert scene.tick(4) == 0


async def awaits(agent):
    await Event().wait()


def returns_a_timer(agent):
    return timers.Timer("py_trees' own", 60)


@pytest.mark.parametrize("operator", [awaits, returns_a_timer, ScriptedOperator("R")])
def test_code_that_may_look_at_anything_is_due_at_once(scene, operator):
    assert scene.play(scene.planning(scene.step(operator))) == 0


def test_a_behaviour_as_operator_is_due_as_it_would_be_in_the_tree(scene):
    step = scene.step(nap())
    assert scene.play(scene.planning(step)) == about(3)


def test_parallel_steps_are_due_when_the_first_of_them_is(scene):
    both = parallel(scene.step(duration=seconds(7)), scene.step(duration=seconds(4)), scene.walk())
    assert scene.play(scene.planning(both)) == about(4)


def test_an_abort_of_several_ticks_is_due_at_once(scene):
    step = scene.step(ScriptedOperator("R", abort_ticks=5), during=~Soldier.enemy)
    scene.play(scene.planning(step))
    scene.agent.believe(Soldier.enemy, True)
    assert scene.tick(0) == 0


def test_a_step_that_waits_for_the_legs_of_another_goal_sleeps_until_they_are_free(scene):
    march = scene.step(uses="legs", duration=seconds(2))

    def both(agent):
        goals = [PlanGoal("walk", agent, scene.walk()), PlanGoal("march", agent, march)]
        return TreeParallel("both", ParallelPolicy.SuccessOnAll(), goals)

    assert scene.play(both, ticks=3) is None
    scene.steps[0].succeed()
    assert scene.tick(0) == 0
    assert scene.tick(0, 0) == about(2)


# parts of plans, and back-offs


def test_a_part_with_a_timeout_is_due_at_its_end(scene):
    assert scene.play(scene.planning(timeout(seconds(6), scene.walk()))) == about(6)
    assert scene.play(scene.planning(timeout(6, scene.walk()))) == 0


def test_a_part_that_has_cooled_down_is_due(scene):
    long = Replanning(retrying=RetryPolicy(after=1, backoff=seconds(60), longest=seconds(60)))
    goal = scene.planning(cooldown(seconds(9), scene.walk()), replanning=long)
    scene.play(lambda agent: Repeat("again", goal(agent), -1))
    scene.steps[0].succeed()
    assert scene.tick(1) == 0
    scene.tick(0)  # it plans again, in vain
    assert scene.tick(2) == about(7)


def test_a_goal_that_waits_is_due_when_its_back_off_is_over_to_the_second(scene):
    step = scene.step(precondition=Soldier.enemy)
    assert scene.play(scene.planning(step, replanning=IN_SECONDS), ticks=1) == 0
    assert scene.tick(1) == about(4)
    assert scene.tick(3.9) == about(0.1)
    assert scene.tick(0.1) == 0
    assert scene.tick(1) == about(9)  # twice as long


def test_a_change_of_what_a_waiting_goal_needs_makes_it_due(scene):
    step = scene.step(precondition=Soldier.enemy)
    scene.play(scene.planning(step, replanning=IN_SECONDS))
    scene.agent.believe(Soldier.enemy, True)
    assert scene.character.due_in() == 0


def test_a_goal_that_waits_for_ticks_is_due_at_once(scene):
    step = scene.step(precondition=Soldier.enemy)
    assert scene.play(scene.planning(step), ticks=20) == 0


def test_a_search_of_several_ticks_is_due_at_once(scene):
    goal = parallel(*[scene.walk() for _ in range(20)])
    assert scene.play(scene.planning(goal, budget=1)) == 0


def test_a_plan_is_due_at_once_until_it_is_so_many_ticks_old_that_it_may_be_replaced(scene):
    replanning = Replanning(minimum_commitment=5)
    assert scene.play(scene.planning(scene.walk(), replanning=replanning)) == 0
    assert scene.tick(0, 0, 0, 0) is None


# nodes of trees


def test_a_delay_is_due_at_its_end(scene):
    assert scene.play(nap()) == about(3)
    assert scene.tick(1) == about(2)


def test_what_was_delayed_is_waited_for(scene):
    scene.play(lambda agent: Delay("nap", Running("r"), seconds=3, clock=agent.time))
    assert scene.tick(3, 0) is None


def test_a_delay_that_is_over_begins_anew_at_once(scene):
    scene.play(nap())
    assert scene.tick(3) == 0


def test_a_number_of_cycles_that_a_function_says_is_asked_at_once(scene):
    assert scene.play(lambda _: Repeat("again", Running("r"), lambda: 3)) == 0


def test_more_failures_than_children_are_refused():
    with pytest.raises(ExecutionError, match=r"BT202.*max_failures of 'all' is 2 of 1"):
        ParallelAll("all", [Success("s")], max_failures=2)


def test_a_timeout_is_due_at_its_end(scene):
    assert scene.play(
        lambda agent: Timeout("t", Running("r"), seconds=2, clock=scene.clock)
    ) == about(2)


def test_a_cooldown_is_due_at_its_end(scene):
    tree = lambda agent: Cooldown("c", Success("s"), seconds=2, clock=agent.time)  # noqa: E731 - one line
    assert scene.play(tree, ticks=1) == 0  # next it fails
    assert scene.tick(0.5) == about(1.5)


@pytest.mark.parametrize("kind", [Delay, Timeout])
@pytest.mark.parametrize("time", [{"ticks": 9}, {"seconds": 9, "clock": ManualClock()}])
def test_ticks_and_other_clocks_than_the_agents_are_due_at_once(scene, kind, time):
    assert scene.play(lambda _: kind("timed", Running("r"), **time)) == 0


ONCE = '<Cooldown seconds="3"><AlwaysSuccess/></Cooldown>'
ASKED = '<ScriptCondition code="enemy == false"/>'
IN_XML = [
    ('<Sleep msec="3000"/>', 3),
    ('<Delay delay_msec="3000"><AlwaysSuccess/></Delay>', 3),
    ('<Timeout msec="3000"><Sleep msec="4000"/></Timeout>', 3),
    (f'<Fallback>{ONCE}<Sleep msec="9000"/></Fallback>', 0),
    (f'<ReactiveSequence>{ASKED}<Sleep msec="3000"/></ReactiveSequence>', 3),
    ("<KeepRunningUntilFailure><AlwaysSuccess/></KeepRunningUntilFailure>", None),
    ('<DelayTicks ticks="3"><AlwaysSuccess/></DelayTicks>', 0),
    ('<Believes name="b" condition="enemy"/>', None),
    (f'<WhileDoElse>{ASKED}<Sleep msec="3000"/><AlwaysSuccess/></WhileDoElse>', 3),
    (f"<WhileDoElse>{ASKED}<AlwaysSuccess/><AlwaysFailure/></WhileDoElse>", None),
    (f'<IfThenElse>{ASKED}<Sleep msec="3000"/><AlwaysSuccess/></IfThenElse>', 3),
    ('<Parallel success_count="2"><AlwaysSuccess/><Sleep msec="3000"/></Parallel>', 3),
    ('<Parallel success_count="1" failure_count="1"><AlwaysSuccess/></Parallel>', None),
    ('<ParallelAll max_failures="1"><AlwaysFailure/><Sleep msec="3000"/></ParallelAll>', 3),
    (f'<ReactiveFallback><Inverter>{ASKED}</Inverter><Sleep msec="3000"/></ReactiveFallback>', 3),
    ('<Sequence><AlwaysSuccess/><Sleep msec="3000"/></Sequence>', 3),
    ('<Repeat num_cycles="-1"><Sleep msec="3000"/></Repeat>', 3),
    ('<Repeat num_cycles="3"><Sleep msec="3000"/></Repeat>', 3),
    ('<RunOnce><Sleep msec="3000"/></RunOnce>', 3),
    ('<Timeout msec="3000"><AlwaysFailure/></Timeout>', None),
    ('<Cooldown seconds="3"><AlwaysFailure/></Cooldown>', None),
    ('<Sleep msec="3000" _onSuccess="tired := true"/>', 3),
    ('<AlwaysFailure _onFailure="tired := true"/>', 0),
    ('<Sleep msec="3000" _skipIf="enemy"/>', 3),
]


@pytest.mark.parametrize(("node", "left"), IN_XML)
def test_nodes_in_xml_say_what_they_wait_for(scene, node, left):
    source = f'<root BTCPP_format="4"><BehaviorTree ID="main">{node}</BehaviorTree></root>'
    found = scene.play(lambda agent: tree_from_xml(source, agent))
    assert found == (left if not left else about(left))


def test_a_guard_is_asked_again_only_when_a_belief_changes(scene):
    def watch(agent):
        return Selector(
            "root", memory=False, children=[Believes("e", agent, Soldier.enemy), nap()(agent)]
        )

    assert scene.play(watch) == about(3)


def test_a_guard_that_is_held_for_some_ticks_is_due_at_once(scene):
    scene.play(lambda agent: Believes("calm", agent, ~Soldier.enemy, hold=3))
    assert scene.character.due_in() is None
    scene.agent.believe(Soldier.enemy, True)
    assert scene.tick(0, 0) == 0
    assert scene.tick(0, 0, 0) is None


def test_a_guard_that_has_turned_asks_its_other_condition_next(scene):
    both = {"condition": ~Soldier.enemy, "until": ~Soldier.tired}
    assert scene.play(lambda agent: Believes("on and off", agent, **both), ticks=9) == 0


def test_only_the_first_of_several_goals_keeps_its_place_without_ticks_being_counted(scene):
    def goals(agent):
        children = [Believes("enemy", agent, Soldier.enemy), Running("idle")]
        return PriorityGoals("goals", agent, children)

    assert scene.play(goals) == 0
    assert scene.play(lambda agent: PriorityGoals("goals", agent, [Running("idle")])) is None


def test_goals_by_utility_keep_their_place_until_a_belief_changes(scene):
    def goals(agent):
        return UtilityGoals("goals", agent, [(Running("a"), 1), (Running("b"), 2)])

    assert scene.play(goals) is None


def test_goals_that_have_all_failed_are_waited_for(scene):
    def goals(agent):
        return UtilityGoals("goals", agent, [(Failure("a"), 1), (Failure("b"), 2)])

    assert scene.play(goals) is None


def test_the_goal_of_a_state_that_has_ended_is_not_begun_again(scene):
    def goals(agent):
        return StateMachineGoals("goals", agent, Soldier.at, {"camp": scene.walk()})

    scene.play(goals)
    scene.steps[0].succeed()
    assert scene.tick(0, 0) is None


def test_a_goal_that_is_begun_again_in_every_tick_is_due_at_once(scene):
    scene.play(scene.planning(scene.step()))
    assert scene.character.root.status is Status.SUCCESS
    assert scene.character.due_in() == 0


def test_what_runs_once_waits_for_nothing_then(scene):
    assert scene.play(lambda _: RunOnce("once", Success("s"))) is None


OF_PY_TREES = [
    (lambda: Running("r"), None),
    (lambda: Selector("s", memory=False, children=[Failure("f"), Running("r")]), None),
    (lambda: Sequence("s", memory=True, children=[Success("s"), Running("r")]), None),
    (lambda: decorators.Inverter("i", Running("r")), None),
    (lambda: TreeParallel("p", ParallelPolicy.SuccessOnAll(), [Success("s"), Running("r")]), None),
    (lambda: TreeParallel("p", ParallelPolicy.SuccessOnOne(), [Success("s")]), None),
    (lambda: TreeParallel("p", ParallelPolicy.SuccessOnAll(), [Failure("f"), Running("r")]), 0),
    (lambda: behaviours.TickCounter("t", 9, Status.SUCCESS), 0),
    (lambda: timers.Timer("t", 60), 0),
    (lambda: decorators.Timeout("t", Running("r"), 60), 0),
    (lambda: decorators.Repeat("t", Success("s"), 9), 0),
]


@pytest.mark.parametrize(("tree", "due"), OF_PY_TREES)
def test_nodes_of_py_trees_wait_if_they_only_depend_on_their_children(scene, tree, due):
    assert scene.play(lambda _: tree()) == due


def test_a_subclass_with_ticks_of_its_own_is_due_at_once(scene):
    class Noting(PlanGoal):
        def initialise(self):
            self.noted = True

    assert scene.play(lambda agent: Noting("goal", agent, scene.walk())) == 0

    class Named(PlanGoal):
        pass

    assert scene.play(lambda agent: Named("goal", agent, scene.walk())) is None


# what else happens in a tick


def test_a_sensor_that_is_read_every_so_many_ticks_is_due_at_once(scene):
    scene.sensors = Sensors()
    scene.sensors.sensor(Soldier.enemy, every=10)(lambda agent: False)
    assert scene.play(nap()) == 0


def test_a_sensor_that_is_triggered_is_due_then(scene):
    scene.sensors = Sensors()
    eyes = scene.sensors.sensor(Soldier.enemy, every=None)(lambda agent: False)
    assert scene.play(nap()) == about(3)
    scene.agent.trigger(eyes)
    assert scene.character.due_in() == 0


def test_a_world_that_moves_with_his_ticks_is_due_at_once(scene):
    assert scene.play(nap(), sense=lambda: None) == 0


def test_a_handler_of_the_tree_is_due_at_once(scene):
    scene.play(nap())
    scene.character.tree.add_post_tick_handler(lambda tree: None)
    assert scene.tick(0) == 0


def test_a_question_about_an_agent_that_is_ticked_elsewhere_is_due_at_once(scene):
    other = Agent(
        "Bob", scene.domain, Soldier(), body=None, operators=scene.operators, clock=scene.clock
    )
    assert scene.play(lambda _: Believes("enemy", other, Soldier.enemy)) == 0
    attach(scene.character.tree, other)
    assert scene.tick(0, 0) is None


def test_seconds_of_different_clocks_cannot_be_compared(scene):
    step = scene.step(duration=seconds(3))
    given = {"operators": scene.operators, "clock": ManualClock()}
    other = Agent("Bob", scene.domain, Soldier(), body=None, **given)
    scene.play(lambda _: PlanGoal("goal", other, step), ticks=0)
    attach(scene.character.tree, other)
    assert scene.tick(0, 0) == 0


def test_he_is_not_asked_in_the_middle_of_his_tick(scene):
    scene.play(
        scene.planning(scene.step(lambda agent: asked.append(scene.character.due_in()))), ticks=0
    )
    asked = []
    assert "BT320" in str(scene.character.tick()[-1])
    assert asked == []


def test_a_step_that_was_saved_is_due_as_if_it_had_not_been(scene):
    step = scene.step(duration=seconds(3))
    scene.play(scene.planning(step))
    saved = scene.character.save()
    scene.clock = ManualClock()
    scene.play(scene.planning(step), ticks=0)
    scene.character.load(saved)
    assert scene.tick(1) == about(2)
