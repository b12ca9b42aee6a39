"""Newer code taken over between ticks: steps, beliefs and rights of before go on or end."""

import gc
import threading
from types import SimpleNamespace

import py_trees
import pytest
from py_trees.behaviours import Failure, Running
from py_trees.common import Status
from py_trees.composites import Parallel, Selector, Sequence
from py_trees.trees import BehaviourTree

from bthtn import (
    Domain,
    Fluent,
    State,
    cooldown,
    defer,
    fluent,
    method,
    parallel,
    primitive,
    priority,
    timeout,
    with_cleanup,
)
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    Operators,
    PlanGoal,
    Sensors,
    attach,
    replace_root,
)
from bthtn.errors import ExecutionError
from bthtn.events import (
    AgentReloaded,
    CleanupStarted,
    GoalEnded,
    LeafAborted,
    LeafEnded,
    LeafStarted,
    PlanAborted,
    PlanAdopted,
    PlanBroken,
    PlanHookFailed,
    ReloadFailed,
)
from bthtn.studio.testing.doubles import RecordingListener
from tests.sizes import size

MANY = size(quick=60, thorough=1_000)


def nothing():
    """A world in which nothing happens."""


class Yard(State):
    """What a dog believes, as it was first written."""

    bones: Fluent[int] = fluent(default=0)
    hungry: Fluent[bool] = fluent(default=True)


class YardWithFleas(State):
    """A newer version: hunger is a number now, a default is another one, and fleas are new."""

    bones: Fluent[int] = fluent(default=7)
    hungry: Fluent[float] = fluent(default=0.5)
    fleas: Fluent[int] = fluent(default=3)


class Version:
    """One version of a dog's code: how it digs, what it eats, and how it goes about its food.

    ``first`` are further steps before digging, which takes ``digs`` ticks; eating takes ``eats``.
    """

    def __init__(self, name, digs=3, eats=1, first=(), needs=None, state=Yard):
        self.name, self.said = name, []
        self.state = state
        self.domain = domain = Domain("yard", state)
        self.dig = domain.primitive("dig", effects=state.bones.increases(1))
        needs = state.bones > 0 if needs is None else needs
        self.eat = domain.primitive("eat", precondition=needs, effects=state.bones.decreases(1))
        self.bark = domain.primitive("bark")
        before = [self.bark() for _ in first]
        body = (*before, self.dig(), self.eat())

        def feed():
            yield method(*body)

        self.feed = domain.compound(feed)
        self.operators = Operators()
        for task, ticks in ((self.dig, digs), (self.eat, eats), (self.bark, 1)):
            self.operators.bind(task)(self.operator(task.name, ticks))

    def operator(self, task, ticks):
        def run(agent):
            try:
                for _ in range(ticks):
                    agent.body.append(f"{self.name} {task}")
                    yield
            finally:
                agent.body.append(f"{self.name} over")

        return run

    def tree(self, agent):
        return PlanGoal("feed", agent, self.feed())

    def agent(self, **given):
        body = given.pop("body", [])
        name = given.pop("agent", "Rex")
        return Agent(name, self.domain, self.state(**given), body=body, operators=self.operators)

    def make(self, running=None):
        agent = self.agent()
        if running is not None:
            agent = running.agent.reload(agent)
        return Character(self.tree(agent), agent, sense=nothing)


def pursuing(network, **options):
    """Makes characters of versions, and of running ones, whose goal is this network of theirs."""

    def make(version, running=None):
        goal, agent = network(version), version.agent()
        if running is not None:
            agent = running.agent.reload(agent)
        return Character(PlanGoal("g", agent, goal, **options), agent, sense=nothing)

    return make


def kinds(events, *wanted):
    return [event for event in events if isinstance(event, wanted)]


def played(character, ticks):
    return [event for _ in range(ticks) for event in character.tick()]


def test_a_running_step_goes_on_and_the_rest_is_planned_anew():
    character = Version("old").make()
    played(character, 1)
    character.reload(Version("new").make)
    events = played(character, 4)
    assert [one.reason for one in kinds(events, PlanBroken)] == ["the domain was reloaded"]
    assert [one.reason for one in kinds(events, PlanAdopted)] == ["the domain was reloaded"]
    assert not kinds(events, LeafAborted)
    dug, eaten = ["old dig"] * 3, ["new eat"]
    assert character.agent.body == [*dug, "old over", *eaten, "new over"]
    assert character.root.status is Status.SUCCESS


def test_a_step_that_the_next_plan_does_not_begin_with_is_aborted():
    character = Version("old").make()
    played(character, 1)
    character.reload(Version("new", first=["bark"]).make)
    events = played(character, 1)
    assert [type(one) for one in events[-4:]] == [PlanBroken, LeafAborted, PlanAdopted, LeafStarted]
    assert character.agent.body == ["old dig", "old over", "new bark"]
    assert character.root.replans == 0


def test_behind_a_step_that_runs_on_comes_what_the_newer_domain_has_there():
    make = pursuing(lambda version: (version.dig(), *version.further, version.eat()))
    old, new = Version("old"), Version("new")
    old.further, new.further = (), (new.bark(),)
    character = make(old)
    played(character, 1)
    character.reload(lambda running: make(new, running))
    events = played(character, 4)
    assert not kinds(events, LeafAborted)
    assert character.agent.body[:5] == [*["old dig"] * 3, "old over", "new bark"]


def test_steps_run_on_while_a_plan_is_searched_for():
    make = pursuing(lambda version: version.feed(), budget=1)
    character = make(Version("old", digs=9))
    while not character.agent.body:
        played(character, 1)
    character.reload(lambda running: make(Version("new"), running))
    events = played(character, 1)
    assert kinds(events, PlanBroken)
    assert not kinds(events, PlanAdopted)
    assert kinds(played(character, 5), PlanAdopted)
    assert character.agent.body == ["old dig"] * 7


def renamed(version):
    return version.domain.primitive(f"dig_as_{version.name}_dogs_do", duration=9)()


def with_another_argument(version):
    def dig_old():
        return primitive(duration=9)

    def dig_new(where: int):
        return primitive(duration=9)

    dig = dig_new if version.name == "new" else dig_old
    dig.__name__ = "dig_deep"
    return version.domain.primitive(dig)(*[1] * (dig is dig_new))


@pytest.mark.parametrize("network", [renamed, with_another_argument])
def test_a_step_that_the_newer_domain_does_not_have_is_aborted_at_once(network):
    make = pursuing(lambda version: (network(version), version.bark()), budget=1)
    old, new = Version("old"), Version("new")
    old.operators = new.operators = Operators(simulates_others=True)
    character = make(old)
    while not kinds(played(character, 1), LeafStarted):
        pass
    character.reload(lambda running: make(new, running))
    events = played(character, 1)
    assert len(kinds(events, LeafAborted)) == 1
    assert not kinds(events, PlanAdopted)


def test_a_goal_without_a_plan_in_the_newer_domain_fails_and_aborts_its_steps():
    character = Version("old").make()
    played(character, 1)
    character.reload(Version("new", needs=Yard.hungry & (Yard.bones > 5)).make)
    (ended,) = kinds(played(character, 1), GoalEnded)
    assert not ended.succeeded
    assert character.agent.body == ["old dig", "old over"]


def dining(version):
    """Digs, unless there is a bone already."""

    @version.domain.compound
    def dine():
        yield method(version.eat(), when=version.state.bones > 0)
        yield method(version.dig(), version.eat())

    return dine()


def test_what_is_done_is_not_done_again_where_the_beliefs_have_it():
    make = pursuing(dining)
    character = make(Version("old", digs=1, eats=5))
    played(character, 2)
    assert character.agent.body[-1] == "old eat"
    for name in "bcd":
        character.reload(lambda running, name=name: make(Version(name), running))
        played(character, 1)
    assert character.agent.body[2:] == ["old eat"] * 4
    played(character, 2)
    assert character.root.status is Status.SUCCESS
    assert "d dig" not in character.agent.body


def test_the_next_plan_is_made_from_the_beliefs_as_they_are():
    character = Version("old", digs=1, eats=5).make()
    played(character, 3)
    character.reload(Version("new").make)  # a dog that always digs before he eats
    events = played(character, 1)
    assert kinds(events, LeafAborted)[0].task == "eat"
    assert character.agent.body[-1] == "new dig"


def test_a_goal_that_is_done_but_for_its_aborts_is_not_planned_again():
    def racing(version):
        slow = version.domain.primitive("dangle")
        version.operators.bind(slow)(slow_to_abort)
        return parallel(slow(), version.bark(), policy="any")

    make = pursuing(racing)
    character = make(Version("old"))
    while "letting go" not in character.agent.body:
        played(character, 1)
    assert character.root.status is Status.RUNNING
    character.reload(lambda running: make(Version("new"), running))
    assert not kinds(played(character, 1), PlanBroken, LeafStarted)
    assert character.root.status is Status.SUCCESS


@pytest.mark.parametrize("budget", [1, 1_000])
@pytest.mark.parametrize("further", [0, 1])
def test_a_guard_that_turns_false_meanwhile_lets_no_other_step_start(further, budget):
    def lie_down(version, *further):
        @version.domain.compound
        def rest():
            yield method(*further, version.dig())

        return rest()

    old, new = Version("old"), Version("new")
    rest = lie_down(old)
    lie_down(new, *[new.bark()] * further)
    agent = old.agent()
    heard = agent.listener = RecordingListener()
    guard = Believes("hungry", agent, Yard.hungry)
    goal = PlanGoal("rest", agent, rest, budget=budget)
    root = Sequence("while hungry", memory=False, children=[guard, goal])
    tree = BehaviourTree(root)
    attach(tree, agent)
    while not agent.body:
        tree.tick()
    agent.reload(new.agent())
    agent.believe(Yard.hungry, value=False)
    tree.tick()
    assert root.status is Status.FAILURE
    assert len(kinds(heard.events, LeafStarted)) == 1
    assert agent.body == ["old dig", "old dig", "old over"]


def test_a_step_has_the_effects_of_the_newer_domain_and_the_operator_it_was_started_with():
    character = Version("old").make()
    played(character, 1)
    newer = Version("new")
    character.reload(newer.make)
    events = played(character, 5)
    assert [one.succeeded for one in kinds(events, LeafEnded)] == [True, True]
    assert character.agent.beliefs.now == Yard()


def test_what_is_lost_or_has_another_default_is_told():
    character = Version("old").make()
    character.agent.believe(Yard.bones, 2)
    character.agent.believe(Yard.hungry, False)
    newer = Version("new", state=YardWithFleas)
    character.reload(newer.make)
    (told,) = kinds(played(character, 1), AgentReloaded)
    assert told.lost == ("hungry = false",)
    assert told.defaulted == ("fleas = 3", "hungry = 0.5")
    assert character.agent.beliefs.get(YardWithFleas.bones) == 2
    assert character.agent.beliefs.now.fleas == 3


def test_a_default_that_nobody_has_changed_becomes_the_newer_one():
    character = Version("old").make()
    newer = Version("new", state=YardWithFleas)
    character.reload(newer.make)
    (told,) = kinds(played(character, 1), AgentReloaded)
    assert told.lost == ()
    assert "bones = 7" in told.defaulted
    assert character.agent.beliefs.get(YardWithFleas.bones) == 7


def test_a_step_goes_on_over_one_reload_after_the_other():
    character = Version("old", digs=5).make()
    played(character, 1)
    for name in "bcd":
        character.reload(Version(name).make)
        assert kinds(played(character, 1), PlanBroken)
    assert character.agent.body == ["old dig"] * 4


def fails(_running):
    raise ValueError("no such file")


def tree_fails(running):
    newer = Version("new", state=YardWithFleas)
    agent = running.agent.reload(newer.agent())
    PlanGoal("other", agent, Version("other").feed())
    raise ValueError("the tree cannot be made")


@pytest.mark.parametrize("make", [fails, tree_fails, lambda _running: None])
def test_a_mistake_changes_nothing(make):
    character = Version("old").make()
    plain = Version("old").make()
    played(character, 1)
    played(plain, 1)
    character.reload(make)
    events = character.tick()
    assert len(kinds(events, ReloadFailed)) == 1
    assert not kinds(events, AgentReloaded)
    assert kinds(events, LeafStarted, LeafEnded) == kinds(plain.tick(), LeafStarted, LeafEnded)
    assert list(map(str, played(character, 5))) == list(map(str, played(plain, 5)))
    assert character.agent.body == plain.agent.body
    assert character.agent.beliefs.now == Yard()


def test_an_interrupt_while_newer_code_is_made_leaves_everything_as_it_was():
    def interrupted(running):
        running.agent.reload(Version("new").agent())
        raise KeyboardInterrupt

    character = Version("old").make()
    played(character, 1)
    character.reload(interrupted)
    with pytest.raises(KeyboardInterrupt):
        character.tick()
    played(character, 6)
    assert "new eat" not in character.agent.body
    assert "old eat" in character.agent.body


def test_a_character_of_agents_that_were_made_anew_is_refused():
    character = Version("old").make()
    character.reload(lambda running: Version("new").make())
    (failed,) = kinds(character.tick(), ReloadFailed)
    assert "[BT431] agent 'Rex' was made anew" in failed.reason
    assert "running.agents['Rex'].reload(made)" in failed.reason


def test_a_character_without_a_running_agent_is_refused():
    character = Version("old").make()
    ben = Version("new").agent(agent="Ben")
    character.reload(lambda running: Character(Running("idle"), ben, sense=nothing))
    (failed,) = kinds(character.tick(), ReloadFailed)
    assert "agent 'Rex' is missing" in failed.reason


def test_a_reload_from_another_thread_waits_until_the_tick_is_over():
    character = Version("old").make()
    newer = Version("new", first=["bark"])

    def reload_meanwhile(event):
        if isinstance(event, LeafStarted) and event.task == "dig":
            thread = threading.Thread(target=character.reload, args=[newer.make])
            thread.start()
            thread.join()

    character._listener = reload_meanwhile
    assert not kinds(character.tick(), AgentReloaded)
    assert kinds(character.tick(), AgentReloaded)


def test_an_agent_is_not_reloaded_by_its_own_step_or_in_another_thread():
    version = Version("old")
    caught = []

    def reloads(agent):
        try:
            agent.reload(Version("new").agent())
        except ExecutionError as error:
            caught.append(error.code)

    task = version.domain.primitive("reload_now")
    version.operators.bind(task)(reloads)
    agent = version.agent()
    character = Character(PlanGoal("g", agent, task()), agent, sense=nothing)
    character.tick()
    thread = threading.Thread(target=reloads, args=[agent])
    thread.start()
    thread.join()
    assert caught == ["BT430", "BT313"]
    assert agent.reloads == 0


def test_every_agent_takes_its_newer_parts():
    def make(version, running=None):
        agents = [version.agent(agent=name) for name in ("Al", "Bo")]
        if running is not None:
            agents = [running.agents[one.name].reload(one) for one in agents]
        for one in agents[1:]:
            one.listener = agents[0].emit
        goals = [PlanGoal(one.name, one, version.feed()) for one in agents]
        root = Parallel("dogs", py_trees.common.ParallelPolicy.SuccessOnAll(), goals)
        return Character(root, agents[0], sense=nothing)

    character = make(Version("old"))
    played(character, 1)
    character.reload(lambda running: make(Version("new"), running))
    events = character.tick()
    assert [one.name for one in kinds(events, AgentReloaded)] == ["Al", "Bo"]
    assert [one.goal for one in kinds(events, PlanAdopted)] == ["Al", "Bo"]
    played(character, 3)
    for agent in character.agents.values():
        assert agent.body[:4] == [*["old dig"] * 3, "old over"]
        assert agent.body[-2:] == ["new eat", "new over"]


def test_a_newer_tree_begins_at_its_root_and_a_goal_that_it_does_not_reach_is_aborted():
    def make(running):
        newer = Version("new")
        agent = running.agent.reload(newer.agent())
        root = Selector("root", memory=False, children=[Running("alarm"), newer.tree(agent)])
        return Character(root, agent, sense=nothing)

    character = Version("old").make()
    played(character, 1)
    character.reload(make)
    events = character.tick()
    (dropped,) = kinds(events, PlanAborted)
    assert dropped.reason == "the reloaded tree does not reach it"
    assert character.agent.body == ["old dig", "old over"]


def test_newer_code_may_end_the_run_with_its_tree():
    def make(running):
        agent = running.agent.reload(Version("new").agent())
        return Character(Failure("give up"), agent, once=True)

    character = Version("old").make()
    played(character, 1)
    character.reload(make)
    character.tick()
    assert character.finished


@pytest.mark.parametrize("running_one", [0, 1])
def test_of_several_goals_of_one_name_the_running_one_passes_its_plan_on(running_one):
    older = Version("old")
    agent = older.agent()
    goals = [older.tree(agent), older.tree(agent)]
    guards = [py_trees.behaviours.Failure("off"), py_trees.behaviours.Failure("off")]
    guards[running_one] = py_trees.behaviours.Success("on")
    pairs = [
        Sequence("if", memory=False, children=[guard, goal])
        for guard, goal in zip(guards, goals, strict=True)
    ]
    root = Selector("root", memory=False, children=pairs)
    character = Character(root, agent, sense=nothing)
    played(character, 1)
    character.reload(Version("new").make)
    assert not kinds(character.tick(), LeafAborted, PlanAborted)
    assert agent.body == ["old dig", "old dig"]


def test_a_goal_that_takes_the_place_of_one_that_was_taken_over_waits_for_its_abort():
    def make(version, running=None, *, alarmed=False):
        agent = version.agent()
        if running is not None:
            agent = running.agent.reload(agent)
        alarm = PlanGoal("alarm", agent, version.bark())
        holds = py_trees.behaviours.Success("on") if alarmed else py_trees.behaviours.Failure("off")
        first = Sequence("if", memory=False, children=[holds, alarm])
        root = Selector("root", memory=False, children=[first, version.tree(agent)])
        return Character(root, agent, sense=nothing)

    character = make(Version("old"))
    played(character, 1)
    character.reload(lambda running: make(Version("new"), running, alarmed=True))
    events = character.tick()
    assert kinds(events, PlanAborted)
    assert character.agent.body == ["old dig", "old over", "new bark"]


def test_a_goal_that_the_newer_tree_lacks_is_aborted():
    def make(running):
        agent = running.agent.reload(Version("new").agent())
        return Character(Running("idle"), agent, sense=nothing)

    character = Version("old").make()
    played(character, 1)
    character.reload(make)
    (dropped,) = kinds(character.tick(), PlanAborted)
    assert dropped.reason == "the tree has a new root"
    assert character.agent.body == ["old dig", "old over"]


def slow_to_abort(agent):
    try:
        while True:
            yield
    finally:
        agent.body.append("letting go")
        yield
        agent.body.append("let go")


def test_an_abort_goes_on_beyond_a_reload_and_the_newer_goal_waits_for_it():
    older = Version("old")
    slow = older.domain.primitive("dangle")
    older.operators.bind(slow)(slow_to_abort)
    agent = older.agent()
    character = Character(PlanGoal("feed", agent, slow()), agent, sense=nothing)
    played(character, 2)
    character.reload(Version("new").make)  # whose goal is another one
    played(character, 3)
    assert agent.body[:3] == ["letting go", "let go", "new dig"]


def test_a_reload_in_the_middle_of_an_abort():
    older = Version("old")
    slow = older.domain.primitive("dangle")
    older.operators.bind(slow)(slow_to_abort)
    agent = older.agent()
    goal = PlanGoal("feed", agent, slow())
    character = Character(goal, agent, sense=nothing)
    played(character, 2)
    goal.stop(Status.INVALID)
    assert agent.body == ["letting go"]
    character.reload(Version("new").make)
    played(character, 2)
    assert agent.body[:3] == ["letting go", "let go", "new dig"]
    assert not len(agent.aborts)


def reserving(version, log, key="bowl"):
    @version.operators.on_plan_start(version.eat)
    def start(agent):
        assert agent.take(key)
        log.append(f"{version.name} asks")

    @version.operators.on_plan_end(version.eat)
    def end(agent):
        log.append(f"{version.name} releases")

    return version


def test_rights_that_older_hooks_took_stay_and_are_given_back_by_the_older_hooks():
    log = []
    character = reserving(Version("old"), log).make()
    leases = character.agent.leases
    played(character, 1)
    character.reload(reserving(Version("new"), log).make)
    played(character, 1)
    assert log == ["old asks"]
    assert len(leases.holders("bowl")) == 1
    played(character, 5)
    character.stop()
    assert log[:4] == ["old asks", "old releases", "new asks", "new releases"]
    assert len(leases) == 0


def test_a_right_that_the_newer_code_does_not_ask_for_is_given_back():
    log = []
    character = reserving(Version("old"), log).make()
    played(character, 1)
    character.reload(Version("new").make)
    events = played(character, 1)
    assert not kinds(events, LeafAborted)
    assert log == ["old asks", "old releases"]
    assert len(character.agent.leases) == 0


def test_leases_of_a_plan_that_is_given_up_are_given_back():
    log = []
    character = reserving(Version("old"), log).make()
    leases = character.agent.leases
    played(character, 1)
    character.reload(Version("new", first=["bark"]).make)
    played(character, 1)
    assert log == ["old asks", "old releases"]
    assert len(leases) == 0


def test_a_newer_hook_may_refuse_the_next_plan():
    character = Version("old").make()
    played(character, 1)
    newer = Version("new")

    @newer.operators.on_plan_start(newer.eat)
    def refuse(agent):
        raise ValueError("not now")

    character.reload(newer.make)
    events = character.tick()
    assert kinds(events, PlanHookFailed)
    assert not kinds(events, PlanAdopted)
    assert character.agent.body == ["old dig", "old over"]


def test_a_cleanup_that_is_open_is_done_by_the_newer_plan():
    make = pursuing(lambda version: with_cleanup(version.dig(), finally_=version.bark()))
    character = make(Version("old"))
    played(character, 1)
    character.reload(lambda running: make(Version("new"), running))
    events = played(character, 4)
    assert not kinds(events, CleanupStarted)
    assert character.agent.body == [*["old dig"] * 3, "old over", "new bark", "new over"]


def test_a_cleanup_that_a_goal_owes_is_done_although_the_newer_tree_does_not_reach_it():
    """The parts of a goal become tasks of the domain that it was planned with, and of no other."""

    def make(version, running=None):
        agent = version.agent()
        children = [PlanGoal("g", agent, with_cleanup(version.dig(), finally_=version.bark()))]
        if running is not None:
            agent = running.agent.reload(agent)
            goal = with_cleanup(version.dig(), finally_=version.bark())
            children = [Running("alarm"), PlanGoal("g", agent, goal)]
        root = Selector("root", memory=False, children=children)
        return Character(root, agent, sense=nothing)

    old = Version("old")
    character = make(old)
    played(character, 1)
    character.reload(lambda running: make(old, running))
    played(character, 4)
    assert character.agent.body[-2:] == ["old bark", "old over"]


def test_a_suspended_part_is_planned_in_the_newer_domain():
    make = pursuing(lambda version: (version.dig(), defer(version.feed())))
    character = make(Version("old"))
    played(character, 1)
    character.reload(lambda running: make(Version("new", first=["bark"]), running))
    events = played(character, 9)
    assert not kinds(events, LeafAborted)
    assert character.agent.body[4:6] == ["new bark", "new over"]
    assert character.root.status is Status.SUCCESS


def test_a_step_that_was_planned_on_arrival_runs_on():
    def on_arrival(version):
        @version.domain.compound
        def dine():
            yield method(version.eat(), when=version.state.bones > 0)
            yield method(version.dig(), defer(version.eat()))

        return dine()

    make = pursuing(on_arrival)
    character = make(Version("old", digs=1, eats=3))
    while "old eat" not in character.agent.body:
        played(character, 1)
    character.reload(lambda running: make(Version("new"), running))
    assert not kinds(played(character, 3), LeafAborted)
    assert character.agent.body == ["old dig", "old over", *["old eat"] * 3, "old over"]


def test_sensors_are_those_of_the_newer_code():
    def make(smell, running=None):
        version, sensors = Version("x"), Sensors()
        sensors.sensor(Yard.bones, name="nose")(lambda agent: smell)
        agent = Agent(
            "Rex", version.domain, Yard(), body=[], operators=version.operators, sensors=sensors
        )
        if running is not None:
            agent = running.agent.reload(agent)
        return Character(Running("idle"), agent, sense=nothing)

    character = make(1)
    character.tick()
    assert character.agent.beliefs.now.bones == 1
    character.reload(lambda running: make(5, running))
    character.tick()
    assert character.agent.beliefs.now.bones == 5


def test_in_a_loop_of_the_users_own_the_tree_may_stay_and_its_goals_follow():
    older, newer = Version("old"), Version("new")
    agent = older.agent()
    heard = agent.listener = RecordingListener()
    tree = BehaviourTree(older.tree(agent))
    attach(tree, agent)
    tree.tick()
    assert agent.reload(newer.agent()) is agent
    for _ in range(4):
        tree.tick()
    assert agent.body == [*["old dig"] * 3, "old over", "new eat", "new over"]
    assert len(kinds(heard.events, PlanAdopted)) == 2


def test_in_a_loop_of_the_users_own_a_tree_gets_a_newer_root():
    older, newer = Version("old"), Version("new")
    agent = older.agent()
    tree = BehaviourTree(older.tree(agent))
    attach(tree, agent)
    tree.tick()
    agent.reload(newer.agent())
    root = Selector("root", memory=False, children=[newer.tree(agent)])
    replace_root(tree, root)
    for _ in range(4):
        tree.tick()
    assert tree.root is root
    assert root.status is Status.SUCCESS
    assert agent.body == [*["old dig"] * 3, "old over", "new eat", "new over"]


def test_a_newer_root_of_the_same_code_has_its_steps_run_on():
    version = Version("old")
    agent = version.agent()
    heard = agent.listener = RecordingListener()
    tree = BehaviourTree(version.tree(agent))
    attach(tree, agent)
    tree.tick()
    replace_root(tree, version.tree(agent))
    for _ in range(4):
        tree.tick()
    assert agent.body == [*["old dig"] * 3, "old over", "old eat", "old over"]
    assert [one.reason for one in kinds(heard.events, PlanBroken)] == ["the tree has a new root"]


def test_a_goal_with_another_network_under_the_same_name_plans_anew():
    older, newer = Version("old"), Version("new")
    agent = older.agent()
    tree = BehaviourTree(older.tree(agent))
    attach(tree, agent)
    tree.tick()
    agent.reload(newer.agent())
    replace_root(tree, PlanGoal("feed", agent, newer.bark()))
    tree.tick()
    assert agent.body == ["old dig", "old over", "new bark"]


def alive():
    gc.collect()
    wanted = (PlanGoal, Agent, Domain, Character, Operators)
    return sum(isinstance(thing, wanted) for thing in gc.get_objects())


@pytest.mark.slow
def test_many_reloads_leave_nothing_behind():
    character = Version("old", digs=10**9).make()
    character.agent.body = SimpleNamespace(append=lambda _: None)
    played(character, 1)

    def reloaded(count):
        for number in range(count):
            newer = Version("n", first=["bark"] if number % 3 == 1 else [], digs=10**9)
            character.reload(newer.make)
            character.tick()
            character.tick()

    reloaded(6)
    before, watched = alive(), character.agent.beliefs.watched
    reloaded(MANY * 3)
    assert alive() <= before + 4
    assert character.agent.beliefs.watched <= watched + 4
    assert len(character.tree.post_tick_handlers) == 0


def test_a_timeout_counts_on():
    make = pursuing(lambda version: timeout(4, version.dig()))
    character = make(Version("old", digs=10))
    played(character, 3)
    character.reload(lambda running: make(Version("new"), running))
    played(character, 1)
    assert character.agent.body == ["old dig"] * 4
    played(character, 1)
    assert character.agent.body[4:5] == ["old over"]


def test_a_cooldown_goes_on():
    make = pursuing(lambda version: priority(cooldown(9, version.bark()), version.dig()))
    character = make(Version("old"))
    played(character, 2)
    assert character.root.status is Status.SUCCESS
    character.reload(lambda running: make(Version("new"), running))
    played(character, 1)
    assert character.agent.body[-1] == "new dig"
