"""Trees, plans and palettes as XML that BehaviorTree.CPP and Groot2 open."""

import re

import pytest
from py_trees import composites, decorators
from py_trees.behaviour import Behaviour
from py_trees.behaviours import Failure, Running, Success
from py_trees.common import OneShotPolicy, ParallelPolicy, Status

from bthtn import (
    Domain,
    Fluent,
    Settings,
    State,
    cooldown,
    find_plan,
    fluent,
    invert,
    method,
    null,
    parallel,
    primitive,
    priority,
    retry,
    seconds,
    sequence,
    timeout,
)
from bthtn.behaviours import (
    Agent,
    Believes,
    Cooldown,
    Delay,
    ManualClock,
    PlanGoal,
    PlanningSchedule,
    PriorityGoals,
    Replanning,
    RunOnce,
    StateMachineGoals,
    Switch,
    Timeout,
    UtilityGoals,
)
from bthtn.engine.text.conditions import changes_from_text, condition_from_text
from bthtn.errors import InputError
from bthtn.kit.formats import drawn_models, drawn_tasks, palette_of, tree_from_xml, xml_of
from bthtn.kit.formats.palette import LegalNames
from bthtn.kit.formats.tree_nodes import CPP_NODES
from bthtn.kit.formats.xml_document import element_from

engine = pytest.importorskip("behaviortreepy")  # there are wheels for Linux alone


class Soldier(State):
    health: Fluent[int] = fluent(default=100)
    medkit: Fluent[bool] = fluent(default=False)
    mood: Fluent[str] = fluent(default="calm")


class Armed(State):
    near: Fluent[bool] = fluent(default=False)
    ammo: Fluent[int] = fluent(default=0)


army = Domain("army", Soldier)
shoot = army.primitive("shoot")
step_back = army.primitive("step back: 1 * <left>", duration=1)


@army.primitive
def move_to(place: str, name: str, times=1):
    return primitive(duration=1)


@army.compound
def fight():
    yield method(parallel(shoot(), move_to("a", "b"), policy="any"), step_back())


@army.compound
def either():
    yield method(priority(shoot(), step_back()), parallel(shoot(), move_to("x y", "3", "3")))


CLOCK = ManualClock()
AGENT = Agent("soldier", army, Soldier(), body=None, clock=CLOCK)


class March(Behaviour):
    def __init__(self, name: str, to: str | Fluent[str], friends: list[str], *, steps: int = 1):
        super().__init__(name)
        self.to, self.friends, self.steps = to, friends, steps

    def update(self):
        return Status.SUCCESS


def march(name: str, to: str | Fluent[str], steps: int = 1):
    return March(name, to, [], steps=steps)


def written(root):
    """The element of a root, and the names of the nodes that have a model."""
    document = element_from(xml_of(root), "tree.xml")
    tree, models = document.children
    return tree.children[0], [model.attributes["ID"] for model in models.children]


def the_same(root):
    """The root that is read of what is written of another one, which is written alike."""
    again = tree_from_xml(xml_of(root), AGENT, nodes={"March": march})
    assert xml_of(again) == xml_of(root)
    return again


# trees


@pytest.mark.parametrize(
    ("made", "tag", "ports"),
    [
        (Timeout("", Success("x"), seconds=1.5, clock=CLOCK), "Timeout", {"msec": "1500"}),
        (Timeout("", Success("x"), ticks=3), "TimeoutTicks", {"ticks": "3"}),
        (Delay("", Success("x"), seconds=0.25, clock=CLOCK), "Delay", {"delay_msec": "250"}),
        (Delay("", Success("x"), ticks=3), "DelayTicks", {"ticks": "3"}),
        (Cooldown("", Success("x"), ticks=3), "Cooldown", {"ticks": "3"}),
        (
            Cooldown("", Success("x"), seconds=0.0001, clock=CLOCK),
            "Cooldown",
            {"seconds": "0.0001"},
        ),
        (RunOnce("", Success("x")), "RunOnce", {"then_skip": "false"}),
        (RunOnce("", Success("x"), then=Status.FAILURE), "RunOnceThen", {"then": "failure"}),
        (Believes("", AGENT, Soldier.health < 40), "Believes", {"condition": "health < 40"}),
        (
            Believes("", AGENT, Soldier.medkit, until=Soldier.mood == "calm", hold=2),
            "Believes",
            {"condition": "medkit", "until": "mood == 'calm'", "hold": "2"},
        ),
        (PlanGoal("", AGENT, fight()), "PlanGoal", {"goal": "fight"}),
        (
            PlanGoal("", AGENT, move_to("a b", "c"), budget=None, settings=Settings(horizon=3)),
            "PlanGoal",
            {"goal": "move_to('a b', 'c', 1)", "budget": "none", "horizon": "3"},
        ),
        (
            PriorityGoals("", AGENT, [fight(), shoot()], when=[True, Soldier.medkit], period=3),
            "PriorityGoals",
            {"period": "3", "when_2": "medkit"},
        ),
        (
            UtilityGoals("", AGENT, [(fight(), 2.5), (shoot(), Soldier.health)], inertia=0.5),
            "UtilityGoals",
            {"inertia": "0.5", "utility_1": "2.5", "utility_2": "health"},
        ),
        (
            StateMachineGoals("", AGENT, Soldier.mood, {"calm": fight(), "angry": shoot()}),
            "StateMachineGoals",
            {"state": "{mood}", "case_1": "calm", "case_2": "angry"},
        ),
        (March("", "hill", []), "March", {"to": "hill", "steps": "1"}),
        (March("", Soldier.mood, []), "March", {"to": "{mood}", "steps": "1"}),
    ],
)
def test_a_node_is_written_with_its_ports_and_read_again(made, tag, ports):
    made.name = "one of them"
    element, models = written(made)
    attributes = dict(element.attributes)
    assert attributes.pop("ID", tag) == tag
    assert attributes == {"name": "one of them", **ports}
    assert (tag in models) is ("ID" in element.attributes)
    assert type(the_same(made)) is type(made)


def test_a_node_that_holds_code_gets_a_name_of_its_own():
    class Sequence(composites.Sequence):
        """Of somebody else."""

    schedule, replanning = PlanningSchedule(100), Replanning(hysteresis=2)
    cases = {number: Success("x") for number in range(8)}
    root = composites.Sequence(
        "all",
        memory=True,
        children=[
            Believes("", AGENT, lambda state: state.health > 3),
            Believes("", AGENT, Soldier.mood == "back\\slash"),
            PlanGoal("", AGENT, fight(), budget=schedule),
            PlanGoal("", AGENT, fight(), replanning=replanning),
            PlanGoal("", AGENT, parallel(fight(), shoot())),
            UtilityGoals("", AGENT, [(fight(), lambda state: 3)]),
            Switch("", AGENT, Soldier.health, cases, Success("x")),
            Switch("", AGENT, lambda state: 1, {1: Success("x"), 2: Success("y")}, Success("z")),
            Timeout("", Success("x"), seconds=0.0001, clock=CLOCK),
            composites.Parallel("", ParallelPolicy.SuccessOnAll(), [Success("x")]),
            Sequence("", memory=True, children=[Success("x")]),
            decorators.Repeat("", Success("x"), 3),
        ],
    )
    element, models = written(root)
    names = [child.attributes["ID"] for child in element.children]
    assert names == [
        *("Believes_2", "Believes_2", "PlanGoal_2", "PlanGoal_2", "PlanGoal_2", "UtilityGoals_2"),
        *("Switch", "Switch", "Timeout_2", "Parallel_2", "Sequence_2", "Repeat_2"),
    ]
    assert set(names) <= set(models)
    with pytest.raises(InputError, match="there is no node 'Believes_2'"):
        tree_from_xml(xml_of(root), AGENT)


def test_names_that_become_the_same_are_numbered():
    names = LegalNames()
    assert [names.of(one) for one in ("a b", "a.b", "a/b", "a_b_2")] == [
        *("a_b", "a_b_2", "a_b_3", "a_b_2_2")
    ]


def test_a_composite_without_children_is_what_it_always_is():
    assert written(composites.Sequence("x", memory=True))[0].tag == "AlwaysSuccess"
    assert written(composites.Selector("x", memory=True))[0].tag == "AlwaysFailure"
    assert written(PriorityGoals("x", AGENT, []))[0].tag == "Action"


def test_a_one_shot_of_py_trees_runs_once_if_any_end_counts():
    once = decorators.OneShot("x", Success("y"), OneShotPolicy.ON_COMPLETION)
    assert written(once)[0].tag == "RunOnce"
    once = decorators.OneShot("x", Success("y"), OneShotPolicy.ON_SUCCESSFUL_COMPLETION)
    assert written(once)[0].attributes["ID"] == "OneShot"


def test_cases_are_written_if_their_texts_stand_for_them():
    for cases in ({3: Success("x"), 4: Success("y")}, {3: Success("x"), "four": Success("y")}):
        root = Switch("", AGENT, Soldier.health, cases, Success("z"))
        tag, _ = written(root)
        assert tag.tag == ("Switch2" if 4 in cases else "Control")


def test_the_parameters_of_a_class_may_be_unreadable():
    class Strange(Success):
        def __init__(self, name: "Nothing", at: int = 3):  # noqa: F821 - that is the point
            super().__init__(name)
            self.at = at

    assert dict(written(Strange("x"))[0].attributes) == {"ID": "Strange", "name": "x"}


def test_names_may_have_any_letters_and_ports_those_of_xml():
    made = the_same(Success("a <b> & \"c\" 'd' é 攻"))
    assert made.name == "a <b> & \"c\" 'd' é 攻"
    assert the_same(Success("a\nb\0c\ud800")).name == "a\ufffdb\ufffdc\ufffd"
    with pytest.raises(InputError, match=r"\[BT417\] 'to' of 'go' is 'a.nb', which XML cannot"):
        xml_of(March("go", "a\nb", []))
    with pytest.raises(InputError, match=r"\[BT417\] 'to' of 'go' is '\{mood\}'"):
        xml_of(March("go", "{mood}", []))


def test_a_plan_below_a_goal_is_left_out():
    goal = PlanGoal("fight", Agent("soldier", army, Soldier(), body=None), fight())
    goal.tick_once()
    assert goal.children
    assert written(goal)[0].children == ()


@pytest.mark.slow
def test_a_wide_tree_is_written_in_time():
    children = [Running("x") for _ in range(20_000)]
    assert xml_of(composites.Sequence("wide", memory=True, children=children)).count("\n") > 20_000


# plans and palettes


def test_a_plan_is_its_steps_with_their_arguments_in_their_order():
    plan = find_plan(army, Soldier(), fight())
    document = element_from(xml_of(plan), "plan.xml")
    assert document.children[0].attributes["ID"] == "Main"
    (top,) = document.children[0].children
    assert (top.tag, top.attributes["name"]) == ("Sequence", "fight")
    both, last = top.children
    assert (both.tag, dict(both.attributes)) == (
        "Parallel",
        {"success_count": "1", "failure_count": "-1"},
    )
    assert dict(both.children[1].attributes) == {
        "ID": "move_to",
        "name": "move_to('a', 'b', 1)",
        "place": "a",
        "name_": "b",
        "times": "1",
    }
    assert last.attributes["ID"] == "step_back__1____left_"
    assert last.attributes["name"] == "step back: 1 * <left>"


def test_alternatives_of_a_plan_are_a_fallback_and_texts_stay_texts():
    plan = find_plan(army, Soldier(), either())
    text = xml_of(plan)
    assert "<Fallback>" in text
    assert 'name_="3" times="\'3\'"' in text


def test_the_steps_of_a_plan_are_read_as_goals():
    plan = find_plan(army, Soldier(), fight())
    goals = [
        one for one in tree_from_xml(xml_of(plan), AGENT).iterate() if isinstance(one, PlanGoal)
    ]
    assert sorted(str(goal.goal) for goal in goals) == sorted(
        map(str, [shoot(), move_to("a", "b"), step_back()])
    )


def test_a_plan_that_ends_with_its_first_branch_says_so():
    plan = find_plan(army, Soldier(), parallel(shoot(), step_back(), policy="primary"))
    document = element_from(xml_of(plan), "plan.xml")
    assert document.children[0].children[0].attributes["ID"] == "PlanParallel"
    assert "PlanParallel" in [model.attributes["ID"] for model in document.children[1].children]


def test_decorated_parts_of_a_plan_are_decorators():
    goal = sequence(
        timeout(5, shoot()),
        timeout(seconds(1.5), shoot()),
        retry(3, shoot(), step_back()),
        cooldown(4, shoot()),
        invert(shoot()),
        cooldown(seconds(2.5), shoot()),
        null(),
    )
    text = xml_of(find_plan(army, Soldier(), goal))
    plan = element_from(text, "plan.xml").children[0].children[0]
    assert [(part.tag, dict(part.attributes)) for part in plan.children] == [
        ("Decorator", {"ID": "TimeoutTicks", "ticks": "5"}),
        ("Timeout", {"msec": "1500"}),
        ("RetryUntilSuccessful", {"num_attempts": "3"}),
        ("Decorator", {"ID": "Cooldown", "ticks": "4"}),
        ("Inverter", {}),
        ("Decorator", {"ID": "Cooldown", "seconds": "2.5"}),
    ]
    assert [len(part.children) for part in plan.children] == [1, 1, 1, 1, 1, 1]
    assert isinstance(tree_from_xml(text, AGENT).children[3], Cooldown)


def test_a_plan_that_is_nested_too_deep_is_refused():
    deep = shoot()
    for _ in range(160):
        deep = parallel(deep, step_back())
    plan = find_plan(army, Soldier(), deep)
    with pytest.raises(InputError, match=r"\[BT417\] branches and alternatives are nested"):
        xml_of(plan)


def test_what_a_plan_leaves_open_is_named():
    plan = find_plan(army, Soldier(), fight(), settings=Settings(horizon=1))
    assert 'ID="Suspended" name="' in xml_of(plan)


def test_a_palette_has_the_tasks_conditions_and_nodes():
    models = {
        model.attributes["ID"]: model
        for model in element_from(palette_of(army), "palette.xml").children[0].children
    }
    assert models["medkit"].tag == "Condition"
    assert {"PlanGoal", "Believes", "PriorityGoals", "Cooldown", "fight"} <= set(models)
    assert [dict(port.attributes) for port in models["move_to"].children] == [
        {"name": "place", "type": "std::string"},
        {"name": "name_", "type": "std::string"},
        {"name": "times", "type": "std::string", "default": "1"},
    ]
    assert all(re.fullmatch(r"\w+", name) for name in models)


def test_a_palette_has_every_element_that_tasks_are_drawn_with():
    own = {
        "Sequence",
        "Selector",
        "Fallback",
        "Parallel",
        "SubTree",
    }  # Groot2 has these, or another
    drawn = {*drawn_tasks._ATTRIBUTES, *drawn_tasks._CALLS} - own - CPP_NODES.keys()
    models = element_from(palette_of(army), "palette.xml").children[0].children
    ports = {
        model.attributes["ID"]: {port.attributes["name"] for port in model.children}
        for model in models
    }
    assert drawn <= ports.keys()
    assert {"CheckState", "ModifyState", "Command", "SubTask", "Value", "Null", "Later"} <= drawn
    for name, attributes in drawn_tasks._ATTRIBUTES.items():
        if name in drawn:
            assert ports[name] == {*attributes} - {"name"}


def test_a_palette_says_what_the_ports_of_drawn_tasks_take():
    models = element_from(palette_of(army), "palette.xml").children[0].children
    said = {
        (model.attributes["ID"], port.attributes["name"]): port.text
        for model in models
        if model.attributes["ID"] in drawn_models.task_models()
        for port in model.children
    }
    assert all(said.values())
    example, _, rest = said["CheckState", "condition"].partition("; ")
    (marked,) = re.findall(r"at_start\(.*?\)", rest)
    schema = Armed.__schema__
    assert str(condition_from_text(example, schema)) == example
    assert str(condition_from_text(f"{marked} and ammo > 2", schema, mark=True)).startswith(marked)
    assert len(changes_from_text(said["ModifyState", "set"], schema)) == 2


def test_tasks_drawn_with_the_palette_are_read(tmp_path):
    text = """<root BTCPP_format="4"><BehaviorTree ID="patrol"><Control ID="Later" name="l">
      <Action ID="SubTask" name="SubTask" task="look"/><Action ID="Null" name="Null"/>
    </Control></BehaviorTree><BehaviorTree ID="look"><Sequence>
      <Condition ID="CheckState" name="CheckState" condition="at_start(medkit)"/>
      <Action ID="ModifyState" name="ModifyState" set="medkit := false" kind="effects"/>
      <Action ID="Command" name="look" uses="" duration="0"/>
    </Sequence></BehaviorTree></root>"""
    (tmp_path / "tasks.xml").write_text(text, "utf-8")
    domain = Domain("drawn", army.freeze().state_class)
    patrol, look = drawn_tasks.read_tasks(tmp_path / "tasks.xml", domain)
    assert (patrol.name, look.name, domain.freeze().name) == ("patrol", "look", "drawn")
    assert (str(look.precondition), str(look.watched)) == ("medkit", "true")


def test_nodes_of_the_users_own_are_in_the_palette():
    def shout(name, agent, word: str = "hi"):
        raise NotImplementedError

    text = palette_of(army, nodes={"Shout": shout})
    (model,) = (
        model
        for model in element_from(text, "palette.xml").children[0].children
        if model.attributes["ID"] == "Shout"
    )
    assert [port.attributes["name"] for port in model.children] == ["word"]


def test_the_real_engine_opens_trees_plans_and_palettes():
    root = composites.Selector(
        "top",
        memory=False,
        children=[
            Timeout("t", Failure("x"), seconds=1, clock=CLOCK),
            RunOnce("once", Success("y")),
            Agentless("leaf"),
        ],
    )
    plan = find_plan(army, Soldier(), fight())
    with_ports = re.sub(r' (place|name_|times)="[^"]*"', "", xml_of(plan, name="Plan"))
    factory = engine.BehaviorTreeFactory()
    for name in ("Agentless", "shoot", "move_to", "step_back__1____left_"):
        factory.register_simple_action(name, lambda *_: engine.NodeStatus.SUCCESS)
    factory.register_behavior_tree_from_text(xml_of(root))
    factory.register_behavior_tree_from_text(with_ports)
    assert factory.create_tree("Main").tick_once() == engine.NodeStatus.SUCCESS
    assert factory.create_tree("Plan").tick_once() == engine.NodeStatus.SUCCESS


class Agentless(Running):
    """A leaf of the user's without ports."""
