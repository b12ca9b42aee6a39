"""Saves: what is in them, what goes on, and what is refused."""

import copy
import json
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import NamedTuple

import pytest
from py_trees.behaviour import Behaviour
from py_trees.behaviours import Running
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    Relation,
    State,
    any_order,
    cooldown,
    defer,
    fluent,
    fluents,
    method,
    null,
    one_of,
    parallel,
    pause,
    primitive,
    priority,
    relation,
    retry,
    seconds,
    timeout,
    unordered,
    until,
    with_cleanup,
)
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    Completion,
    Elapsed,
    ManualClock,
    OperatorFailed,
    Operators,
    PlainData,
    PlanGoal,
    PlanningSchedule,
    PriorityGoals,
    Sensors,
    Timeout,
    load,
    save,
)
from bthtn.engine.behaviours import saves
from bthtn.engine.world.pages import FEW
from bthtn.errors import ArgumentError, ExecutionError, InputError
from bthtn.kit.recording import event_data


class Mood(Enum):
    CALM = "calm"
    WILD = "wild"


class Spot(NamedTuple):
    x: int
    y: int


@dataclass(frozen=True)
class Bone:
    size: float


class Dog(State):
    bones: Fluent[int] = fluent(default=0)
    mood: Fluent[Mood] = fluent(default=Mood.CALM)
    at: Fluent[Spot] = fluent(default=Spot(0, 0))
    best: Fluent[Bone | None] = fluent(default=None)
    reach: Fluent[float] = fluent(default=1.0)
    knows: FluentFamily[Spot, bool] = fluents(default=False)
    thing: Fluent[object] = fluent(default=0)


yard = Domain("yard", Dog)
bark = yard.primitive("bark")
dig = yard.primitive("dig", effects=Dog.bones.increases(1))


@yard.compound
def play():
    yield method(dig(), bark(), when=Dog.mood == Mood.WILD)
    yield method(bark(), dig())


@yard.compound
def rest():
    yield method()


@dataclass
class Garden(PlainData):
    holes: list[int] = field(default_factory=list)
    dice: Random = field(default_factory=lambda: Random(1))  # noqa: S311 - dice, not secrets
    clock: ManualClock = field(default_factory=ManualClock)

    def step(self):
        self.clock.advance(0.5)


def lasting(ticks, *, hook):
    """Operators of which every step takes some ticks; with a hook they can be resumed."""
    operators = Operators()

    def work(agent, elapsed=Elapsed()):
        for _ in range(elapsed.ticks, ticks + 1):
            yield
        agent.body.holes.append(agent.body.dice.randrange(100))

    for task in (bark, dig):
        operators.bind(task)(work)
        if hook:
            operators.on_resume(task)(work)
    return operators


def character(operators, tree=None, **options):
    garden = Garden()
    rex = Agent("Rex", yard, Dog(), body=garden, operators=operators, **options)
    root = PlanGoal("play", rex, play()) if tree is None else tree(rex)
    return Character(root, rex, sense=garden.step, world=garden)


def again(first, second):
    """The second character, where the first one is."""
    second.load(json.loads(json.dumps(first.save())))
    return second


def lines(character, ticks):
    return [type(one).__name__ for _ in range(ticks) for one in character.tick()]


def goes_on_from_any_tick(made, number):
    """Loaded after any tick, a character does what the one that was saved does, for some ticks.

    Returns the kinds of its events.
    """
    whole, saves, ticks, errors = made(), [], [], []
    for _ in range(number):
        saves.append(json.dumps(whole.save()))
        errors.append(dict(whole.agent.errors))
        ticks.append(list(whole.tick()))
    told = [[event_data(one) for one in tick] for tick in ticks]
    for at, saved in enumerate(saves):
        (second := made()).load(json.loads(saved))
        assert second.agent.errors == errors[at]
        for tick in range(at, min(at + 8, number)):
            assert [event_data(one) for one in second.tick()] == told[tick], (at, tick)
    return [[type(one).__name__ for one in tick] for tick in ticks]


def test_beliefs_of_all_types_are_the_same_afterwards():
    first, second = character(Operators()), character(Operators())
    for variable, value in (
        (Dog.mood, Mood.WILD),
        (Dog.at, Spot(1, 2)),
        (Dog.best, Bone(0.5)),
        (Dog.reach, float("inf")),
        (Dog.knows[Spot(3, 4)], True),
    ):
        first.agent.believe(variable, value)
    assert again(first, second).agent.beliefs.now == first.agent.beliefs.now


def test_beliefs_about_many_things_are_saved_by_name():
    """Where a state keeps a fluent depends on the process, and so must not be in a save."""
    first, second = character(Operators()), character(Operators())
    many = {Dog.knows[Spot(number, 0)]: True for number in range(2 * FEW)}
    for variable in many:
        first.agent.believe(variable, True)
    lines(first, 2)
    assert "Pages" not in json.dumps(first.save())
    assert again(first, second).agent.beliefs.now == first.agent.beliefs.now
    for one in (first, second):
        one.agent.believe(Dog.knows[Spot(7, 0)], False)
    assert lines(first, 5) == lines(second, 5)
    assert second.agent.beliefs.now == first.agent.beliefs.now


def test_a_value_of_no_known_class_is_refused():
    first = character(Operators())
    first.agent.believe(Dog.thing, object())
    with pytest.raises(InputError, match=r"BT495.*the value of 'thing' is a object"):
        first.save()


def test_a_world_without_save_and_load_is_refused_with_what_to_write():
    class Kennel:
        dogs = 3

    rex = Agent("Rex", yard, Dog(), body=None)
    for world in (Kennel(), [1, 2], Random(1)):  # noqa: S311 - dice, not secrets
        with pytest.raises(InputError, match=r"BT495.*has no save and load") as refused:
            save(PlanGoal("play", rex, play()), rex, world=world)
        assert "class World(PlainData)" in str(refused.value)


class Bowl(PlainData):
    """A part of a world, beside attributes that are no data."""

    def __init__(self, full=False):
        self.full = full
        self.call = lambda: None


class Kennel(PlainData):
    __slots__ = ("bowl", "dogs", "latest", "mood", "names", "open", "seen", "size")

    def __init__(self):
        self.bowl = Bowl()
        self.dogs, self.size, self.open = 1, 2.0, False
        self.names, self.seen = ["Rex"], {(1, 2): {"a", "b"}}
        self.mood, self.latest = Mood.CALM, None


def test_a_world_of_plain_data_is_saved_by_its_attributes():
    world, other = Kennel(), Kennel()
    call = other.bowl.call
    world.bowl.full, world.dogs, world.size, world.open = True, 5, float("inf"), True
    world.names.append("Max")
    world.seen[3, 4] = frozenset()
    world.mood, world.latest = Mood.WILD, Mood.CALM
    other.load(json.loads(json.dumps(world.save())))
    names = set(Kennel.__slots__) - {"bowl"}
    assert {name: getattr(other, name) for name in names} == {
        name: getattr(world, name) for name in names
    }
    assert (other.bowl.full, other.bowl.call) == (True, call)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dogs", "x"),
        ("dogs", [1]),
        ("open", 1),
        ("names", {"dict": []}),
        ("mood", 3),
        ("mood", {"member": ["Mood", "ODD"]}),
        ("mood", {"member": ["Kennel", "WILD"]}),
        ("bowl", 3),
        ("bowl", {"own": {"call": 3}}),
        ("seen", {"list": []}),
        ("surprise", 3),
        ("load", 3),
        ("__class__", 3),
    ],
)
def test_what_a_world_cannot_have_is_refused(name, value):
    with pytest.raises(InputError, match=r"BT497"):
        Kennel().load({**Kennel().save(), name: value})


def test_the_world_goes_on_with_its_dice_and_its_clock():
    first = character(lasting(2, hook=True))
    lines(first, 4)
    second = again(first, character(lasting(2, hook=True)))
    assert second.agent.body.holes == first.agent.body.holes != []
    assert lines(second, 9) == lines(first, 9)
    assert second.agent.body.holes == first.agent.body.holes
    assert second.ticks == first.ticks == second.tree.count == 13


def test_without_a_hook_the_operator_begins_anew():
    first = character(lasting(3, hook=False))
    lines(first, 3)
    second = again(first, character(lasting(3, hook=False)))
    assert lines(first, 1)[0] == "LeafEnded"
    assert lines(second, 3) == []
    assert lines(second, 1)[0] == "LeafEnded"


@pytest.mark.parametrize("wait", [0.5, 1.5, 4])
def test_seconds_that_a_step_waits_go_on(wait):
    def made():
        operators = Operators(simulates_others=True)

        def work(agent, elapsed=Elapsed()):
            yield seconds(wait - elapsed.seconds)

        operators.bind(dig)(work)
        operators.on_resume(dig)(work)
        garden = Garden()
        rex = Agent("Rex", yard, Dog(), body=garden, operators=operators, clock=garden.clock)
        return Character(PlanGoal("play", rex, play()), rex, sense=garden.step, world=garden)

    goes_on_from_any_tick(made, 12)


def test_a_clock_of_the_machine_goes_on_where_it_was():
    now = [100.0]
    first = character(Operators(), clock=lambda: now[0])
    first.tick()
    now[0] = 107.0
    first.tick()
    saved = json.dumps(first.save())
    now[0] = 3.0  # in another process
    second = character(Operators(), clock=lambda: now[0])
    second.load(json.loads(saved))
    now[0] = 4.0
    second.tick()
    assert second.agent.time() == 108.0


def test_a_hook_that_raises_fails_the_step():
    operators = lasting(3, hook=False)

    @operators.on_resume(bark)
    def broken(agent, elapsed):
        raise RuntimeError("hoarse")

    first = character(lasting(3, hook=False))
    lines(first, 2)
    second = again(first, character(operators))
    (ended, *_) = (one for one in second.tick() if type(one).__name__ == "LeafEnded")
    assert "hoarse" in ended.reason


def test_a_hook_whose_generator_ends_at_once_ends_the_step():
    operators = lasting(3, hook=False)

    @operators.on_resume(bark)
    def over(agent, elapsed):
        yield from ()

    first = character(lasting(3, hook=False))
    lines(first, 2)
    assert lines(again(first, character(operators)), 1) == ["LeafEnded", "LeafStarted"]


def test_a_completion_is_made_again_by_the_hook():
    def made():
        operators = Operators(simulates_others=True)

        def call(agent, *_):
            agent.body.called = Completion()
            return agent.body.called

        operators.bind(bark)(call)
        operators.on_resume(bark)(call)
        return character(operators)

    first = made()
    first.tick()
    second = again(first, made())
    assert lines(second, 1) == []
    second.agent.body.called.succeed()
    assert "LeafEnded" in lines(second, 1)


class Count(Behaviour):
    """A node of a user, with plain data of its own."""

    def __init__(self):
        super().__init__("count")
        self.seen = []

    def update(self):
        self.seen.append(len(self.seen))
        return Status.RUNNING if len(self.seen) % 3 else Status.SUCCESS


class Keeper(Behaviour):
    """A node of a user that saves itself."""

    def __init__(self):
        super().__init__("keeper")
        self.numbers = iter(range(100))
        self.latest = -1

    def save(self):
        return self.latest

    def load(self, saved):
        while self.latest < saved:
            self.latest = next(self.numbers)

    def update(self):
        self.latest = next(self.numbers)
        return Status.RUNNING


def test_nodes_of_users_keep_plain_data_or_save_themselves():
    def tree(_rex):
        return Sequence("root", memory=True, children=[Count(), Keeper()])

    first = character(Operators(), tree)
    lines(first, 6)
    second = again(first, character(Operators(), tree))
    count, keeper = second.root.children
    assert (count.seen, keeper.latest) == ([0, 1, 2], 3)
    assert second.root.current_child is keeper
    second.tick()
    assert keeper.latest == 4


def test_a_step_that_is_a_tree_goes_on_inside():
    def made():
        operators = Operators(simulates_others=True)

        @operators.bind(bark)
        def tree(agent):
            return Sequence("inside", memory=True, children=[Count(), PlanGoal("in", agent, dig())])

        operators.bind(dig)(lasting(2, hook=True).find(dig))
        operators.on_resume(dig)(lasting(2, hook=True).find(dig))
        return character(operators)

    goes_on_from_any_tick(made, 14)


def test_an_abort_goes_on_in_the_hook_and_is_over_without_one():
    def made(*, hook):
        operators = Operators(simulates_others=True)

        def work(agent, elapsed=None):
            left = 2 if elapsed is None else 2 - elapsed.abort_ticks
            try:
                if elapsed is None:
                    while True:
                        yield
            finally:
                for _ in range(left):
                    yield

        operators.bind(bark)(work)
        if hook:
            operators.on_resume(bark)(work)

        def tree(rex):
            wild = Believes("wild", rex, Dog.mood == Mood.WILD)
            return Selector("root", memory=False, children=[wild, PlanGoal("play", rex, play())])

        return character(operators, tree)

    def aborting(*, hook):
        first = made(hook=hook)
        lines(first, 2)
        first.agent.believe(Dog.mood, Mood.WILD)
        lines(first, 1)
        assert len(first.agent.aborts) == 1
        return first

    for hook, expected in ((True, [[], ["LeafAborted"], []]), (False, [["LeafAborted"], [], []])):
        first = aborting(hook=hook)
        second = again(first, made(hook=hook))
        assert [lines(second, 1) for _ in range(3)] == expected


def test_goals_by_priority_and_timeouts_go_on():
    def made():
        def tree(rex):
            goals = PriorityGoals(
                "goals",
                rex,
                [PlanGoal("first", rex, play()), PlanGoal("second", rex, dig())],
            )
            return Timeout("at most", goals, ticks=9)

        return character(lasting(3, hook=True), tree)

    goes_on_from_any_tick(made, 14)


@pytest.mark.parametrize("positions", [[2], [-1], ["first"]])
@pytest.mark.parametrize("name", ["_to_try", "_failed"])
def test_positions_without_a_goal_are_refused(name, positions):
    def made():
        def tree(rex):
            goals = [PlanGoal("first", rex, play()), PlanGoal("second", rex, dig())]
            return PriorityGoals("goals", rex, goals)

        return character(lasting(3, hook=True), tree)

    saved = made().save()
    own = saved["tree"][""]["own"]
    (kind,) = own[name]
    own[name] = {kind: positions}
    with pytest.raises(InputError, match="'goals' has no goals in some of the saved positions"):
        made().load(saved)


def test_sensors_stay_in_their_phase():
    def made():
        sensors = Sensors()

        @sensors.sensor(Dog.bones, every=3)
        def nose(agent):
            return agent.beliefs.now.bones + 1

        return character(
            Operators(), lambda rex: Believes("hungry", rex, Dog.bones < 0), sensors=sensors
        )

    goes_on_from_any_tick(made, 9)


def test_what_was_believed_from_another_thread_is_not_lost():
    first = character(Operators())
    first.agent.believe_soon(Dog.bones, 7)
    second = again(first, character(Operators()))
    second.tick()
    assert second.agent.beliefs.now.bones >= 7


def test_a_tree_that_was_ticked_is_not_loaded_into():
    first, second = character(Operators()), character(Operators())
    second.tick()
    with pytest.raises(ExecutionError, match=r"BT498"):
        second.load(first.save())


def test_saves_of_others_are_refused():
    first = character(Operators())
    saved = first.save()
    with pytest.raises(InputError, match=r"BT497.*the save is of 'Rex'"):
        load(saved, first.tree)
    with pytest.raises(InputError, match=r"BT497.*the save has a world"):
        load(saved, first.tree, first.agent)
    for wrong in (None, [], {}, 3, "x", {**saved, "format": "another"}):
        with pytest.raises(InputError, match=r"BT49[67]"):
            load(wrong, first.tree, first.agent, world=first.world)


@pytest.mark.parametrize("part", ["ticks", "agents", "tree", "aborts", "schedules", "world"])
def test_a_save_without_one_of_its_parts_is_refused(part):
    saved = character(Operators()).save()
    for value in ("x", [3], None):
        wrong = {**saved, part: value}
        if (part, value) == ("ticks", None):
            del wrong["ticks"]
        fresh = character(Operators())
        with pytest.raises(InputError, match=r"BT49[67]"):
            load(wrong, fresh.tree, fresh.agent, world=fresh.world)


def test_a_root_that_was_saved_alone_is_loaded_into_a_tree_that_counts_its_ticks():
    first, second = character(Operators()), character(Operators())
    load(
        save(first.root, first.agent, world=first.world),
        second.tree,
        second.agent,
        world=second.world,
    )
    second.tick()
    assert second.tree.count == 1


def test_a_save_does_not_change_the_sensors_that_all_agents_share():
    sensors = Sensors()
    sensors.sensor(Dog.reach)(lambda agent: 3.0)
    first = character(Operators(), sensors=sensors)
    first.tick()
    text = json.dumps(first.save())
    assert '"on_failure"' not in text
    second = again(first, character(Operators(), sensors=sensors))
    second.agent.believe(Dog.reach, 9.0)
    second.tick()
    assert second.agent.beliefs.now.reach == 3.0


def test_a_plan_of_a_task_that_is_gone_is_refused_but_beliefs_are_taken_over():
    first = character(lasting(3, hook=True))
    lines(first, 5)
    text = json.dumps(first.save()).replace('"dig"', '"sniff"')
    with pytest.raises(InputError, match=r"BT497.*no task is called 'sniff'") as refused:
        character(lasting(3, hook=True)).load(json.loads(text))
    assert "plans=False" in str(refused.value)
    second = character(lasting(3, hook=True))
    second.load(json.loads(text), plans=False)
    assert second.agent.beliefs.now == first.agent.beliefs.now
    assert second.world.holes == first.world.holes
    assert lines(second, 1)[0] == "PlanAdopted"


def test_a_fluent_that_is_gone_is_named_and_left_out_of_beliefs_alone():
    first = character(Operators())
    for variable, value in ((Dog.reach, 3.0), (Dog.bones, 2)):
        first.agent.believe(variable, value)
    text = json.dumps(first.save()).replace('"reach"', '"grasp"')
    with pytest.raises(InputError, match=r"BT497.*'grasp'"):
        character(Operators()).load(json.loads(text))
    second = character(Operators())
    second.load(json.loads(text), plans=False)
    assert (second.agent.beliefs.now.reach, second.agent.beliefs.now.bones) == (1.0, 2)


def test_a_save_of_another_version_goes_on():
    first = character(lasting(3, hook=True))
    lines(first, 3)
    saved = {**first.save(), "bthtn": "99.1"}
    second = character(lasting(3, hook=True))
    second.load(json.loads(json.dumps(saved)))
    lines(second, 6)


def test_a_plan_of_a_goal_that_was_edited_is_refused():
    def made(goal):
        return character(lasting(3, hook=True), lambda rex: PlanGoal("goal", rex, goal))

    first = made(play())
    lines(first, 1)
    with pytest.raises(InputError, match=r"BT497.*the plan is for play"):
        made(dig()).load(first.save())


def test_a_save_names_no_code_and_no_class():
    first = character(lasting(2, hook=True))
    lines(first, 3)
    text = json.dumps(first.save())
    assert "bthtn.behaviours" not in text
    assert __name__ not in text


def test_copies_are_refused_with_a_hint():
    first = character(Operators())
    for one, hint in ((first, "character.save()"), (first.agent, "save(tree, agent)")):
        with pytest.raises(ArgumentError) as refused:
            copy.copy(one)
        assert hint in str(refused.value)


def test_a_save_of_a_tree_alone_is_plain_json():
    rex = Agent("Rex", yard, Dog(), body=None)
    goal = PlanGoal("play", rex, play())
    goal.tick_once()
    saved = save(goal, rex)
    assert json.loads(json.dumps(saved)) == saved


def alone():
    """An agent and its goal, in no world."""
    rex = Agent("Rex", yard, Dog(), body=None)
    return PlanGoal("play", rex, play()), rex


def test_beliefs_do_not_need_a_world():
    goal, rex = alone()
    believed = {
        Dog.mood: Mood.WILD,
        Dog.at: Spot(1, 2),
        Dog.best: Bone(0.5),
        Dog.bones: UNKNOWN,
        Dog.knows[Spot(3, 4)]: True,
    }
    for variable, value in believed.items():
        rex.believe(variable, value)
    for plans in (True, False):
        other, max_ = alone()
        load(json.loads(json.dumps(save(goal, rex))), other, max_, plans=plans)
        assert max_.beliefs.now == rex.beliefs.now


def test_what_has_failed_is_still_avoided():
    def made():
        operators = Operators(simulates_others=True)

        @operators.bind(bark)
        def hoarse(agent):
            raise RuntimeError("hoarse")

        return character(operators)

    assert any("GoalWaits" in tick for tick in goes_on_from_any_tick(made, 12))


def test_a_schedule_that_goals_share_goes_on():
    def made():
        schedule = PlanningSchedule(budget=1, least=1)

        def tree(rex):
            goals = [PlanGoal(name, rex, play(), budget=schedule) for name in ("one", "two")]
            return Parallel("both", ParallelPolicy.SuccessOnAll(synchronise=False), goals)

        return schedule, character(lasting(2, hook=True), tree)

    def played(schedule, character, ticks):
        found = []
        for _ in range(ticks):
            schedule.next_frame()
            found.append(lines(character, 1))
        return found

    ticks = played(*made(), 12)
    for at in range(12):
        schedule, first = made()
        played(schedule, first, at)
        other, second = made()
        again(first, second)
        assert played(other, second, 12 - at) == ticks[at:], at


def test_a_tree_that_lacks_a_node_is_refused():
    def tree(_rex):
        return Sequence("root", memory=True, children=[Count()])

    first = character(Operators(), tree)
    lines(first, 2)
    with pytest.raises(InputError, match=r"BT497.*has no Count in its place any more"):
        character(Operators(), lambda _: Sequence("root", memory=True)).load(first.save())


@pytest.mark.parametrize(
    "goal",
    [
        null(),
        rest(),
        parallel(rest(), rest()),
        priority(rest(), bark()),
        parallel(null(), bark(), policy="any"),
        [pause(), rest()],
    ],
)
def test_a_plan_of_nothing_goes_on(goal):
    def made():
        def tree(rex):
            running = Running("running")
            return Parallel(
                "root", ParallelPolicy.SuccessOnAll(), [PlanGoal("rest", rex, goal), running]
            )

        return character(lasting(2, hook=True), tree)

    goes_on_from_any_tick(made, 4)


@pytest.mark.parametrize(
    "goal",
    [
        unordered(play(), [bark(), dig()]),
        any_order(dig(), bark()),
        until(Dog.bones > 1, dig()),
        timeout(4, pause(), play()),
        priority(cooldown(3, play()), bark()),
        with_cleanup(play(), finally_=bark()),
        [dig(), defer(play())],
    ],
    ids=str,
)
def test_a_plan_of_any_construct_goes_on(goal):
    goes_on_from_any_tick(
        lambda: character(lasting(2, hook=True), lambda rex: PlanGoal("any", rex, goal, budget=3)),
        9,
    )


def test_a_part_that_is_tried_again_is_planned_again():
    def made():
        operators = Operators(simulates_others=True)

        @operators.bind(bark)
        @operators.on_resume(bark)
        def work(agent, elapsed=Elapsed()):
            for _ in range(elapsed.ticks, 3):
                yield
            raise OperatorFailed("it has no voice")

        return character(operators, lambda rex: PlanGoal("bark", rex, retry(3, pause(), bark())))

    kinds = [kind for tick in goes_on_from_any_tick(made, 9) for kind in tick]
    assert kinds.count("PlanResumed") == 3, kinds


def test_a_plan_that_was_loaded_has_its_actions_and_its_text():
    first = character(lasting(2, hook=True))
    lines(first, 1)
    second = again(first, character(lasting(2, hook=True)))
    assert second.root.plan.actions == first.root.plan.actions == ((bark, ()), (dig, ()))
    assert repr(second.root.plan) == repr(first.root.plan)


def test_a_save_that_is_refused_leaves_other_characters_of_the_domain_alone():
    first = character(lasting(2, hook=True))
    lines(first, 1)
    saved = first.save()
    for name in saved["tree"][""]:
        lacking = copy.deepcopy(saved)
        lacking["tree"][""][name] = {"x": 3}
        with pytest.raises(InputError, match="BT49"):
            character(lasting(2, hook=True)).load(lacking)
        other = character(lasting(2, hook=True))
        assert lines(other, 1) == ["PlanAdopted", "LeafStarted"]


def test_a_save_names_the_version_without_asking_an_installed_package(monkeypatch):
    monkeypatch.setattr(saves, "VERSION", "9.9.9")
    assert character(Operators()).save()["bthtn"] == "9.9.9"


class Walks(State):
    dog: Relation[str] = relation(default=["Rex"])
    path: Relation[tuple[str, str]] = relation()
    at: FluentFamily[str, str] = fluents(default="home")


walks = Domain("walks", Walks)


@walks.primitive
def walk(dog: str, to: str) -> Primitive:
    return primitive(
        precondition=Walks.path[Walks.at[dog], to], effects=Walks.at[dog].becomes(to), duration=2
    )


@walks.compound
def stroll() -> Methods:
    dog, start, to, end = one_of(Walks.dog, Walks.path[..., "lawn"], ["lawn"], ["park", "pond"])
    yield method(walk(dog, to), walk(dog, end), when=[Walks.at[dog] == start, Walks.path[to, end]])


def test_relations_and_what_was_chosen_by_them_are_saved():
    def made(path):
        operators = Operators()

        @operators.bind(walk)
        def work(agent, dog, to):
            yield
            yield

        ann = Agent("Ann", walks, Walks(path=path), body=None, operators=operators)
        return Character(PlanGoal("stroll", ann, stroll()), ann)

    paths = [("home", "lawn"), ("lawn", "pond")]
    first, second = made(paths), made([])
    first.tick()
    second = again(first, second)
    assert second.agent.beliefs.now == first.agent.beliefs.now
    assert list(second.agent.beliefs.now.path) == paths
    lines(second, 6)
    assert second.agent.beliefs.now.at["Rex"] == "pond"
