"""py_trees behaviour trees as pictures: the user's own nodes, and plans mounted in them."""

import py_trees
import pytest
from hypothesis import given
from hypothesis import strategies as st
from py_trees.behaviours import Failure, Running, Success
from py_trees.common import ParallelPolicy, Status

from bthtn import Domain, Fluent, State, fluent, method, parallel, priority
from bthtn.behaviours import Agent, Delay, ManualClock, Operators, PlanGoal, Timeout
from bthtn.engine.planning.protocol import Settings
from bthtn.examples.domains.combat.domain import Soldier, combat, fight, shoot
from bthtn.studio.views.behaviour_drawing import behaviour_dot
from tests.counting import lines_of


class IsRaining(py_trees.behaviour.Behaviour):
    def update(self):
        return Status.SUCCESS


class Night(State):
    dark: Fluent[bool] = fluent(default=False)


class Odd(ParallelPolicy.Base):
    pass


def authored():
    check = py_trees.behaviours.CheckBlackboardVariableExists("noise", "noise")
    return py_trees.composites.Selector(
        "soldier",
        memory=False,
        children=[
            py_trees.composites.Sequence("flee", memory=True, children=[check, Success("run")]),
            py_trees.decorators.Inverter("not so", Running("wait")),
            py_trees.composites.Parallel("both", ParallelPolicy.SuccessOnAll(), [IsRaining("wet")]),
            py_trees.idioms.pick_up_where_you_left_off("idle", [Success("a"), Success("b")]),
        ],
    )


def soldier(goal=None, **settings):
    believed = Soldier(target=True, cover=True, ammo=False)
    agent = Agent("soldier", combat, believed, body=None, clock=ManualClock())
    agent.sense()
    return PlanGoal("fight", agent, goal or fight(), settings=Settings(**settings))


def kinds(picture):
    return {node["label"].split("\n")[0]: node["shape"] for node in picture.nodes.values()}


def test_every_kind_of_node_has_its_own_shape(read_dot, accepted):
    text = behaviour_dot(authored(), title="a soldier", legend=True)
    shapes = kinds(read_dot(text))
    assert shapes["? soldier"] == "octagon"
    assert shapes["→ flee"] == "box"
    assert shapes["⇉ both"] == "parallelogram"
    assert shapes["not so"] == "hexagon"
    assert shapes["noise"] == shapes["wet"] == "ellipse"
    accepted(text)


def test_nodes_say_what_their_name_does_not(read_dot):
    labels = read_dot(behaviour_dot(authored())).labels()
    assert "? soldier\nfrom the start at every tick" in labels
    assert "→ flee" in labels
    assert "not so\nInverter" in labels


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (ParallelPolicy.SuccessOnAll(), "until all succeed"),
        (ParallelPolicy.SuccessOnOne(), "until one succeeds"),
        (ParallelPolicy.SuccessOnSelected([Success("x")]), "until these succeed: x"),
        (Odd(), "Odd"),
    ],
)
def test_a_parallel_node_says_when_it_ends(read_dot, policy, words):
    both = py_trees.composites.Parallel("both", policy, [])
    assert read_dot(behaviour_dot(both)).labels() == [f"⇉ both\n{words}"]


@pytest.mark.parametrize(
    ("decorator", "words"),
    [
        (Timeout("hurry", Success("x"), seconds=1.5, clock=float), "hurry\nTimeout, 1.5 s"),
        (Timeout("Timeout", Success("x"), ticks=1), "Timeout\n1 tick"),
        (Delay("Delay", Success("x"), ticks=3), "Delay\n3 ticks"),
        (Delay("wait", Success("x"), seconds=lambda: 2.0, clock=float), "wait\nDelay"),
    ],
)
def test_a_decorator_with_a_time_says_it(read_dot, decorator, words):
    assert words in read_dot(behaviour_dot(decorator)).labels()


def test_children_stand_in_the_order_in_which_they_are_ticked(read_dot):
    picture = read_dot(behaviour_dot(authored()))
    below = picture.children("? soldier\nfrom the start at every tick")
    assert [label.split("\n")[0] for label in below] == ["→ flee", "not so", "⇉ both", "→ idle"]


def test_how_nodes_ended_last_is_shown_when_asked(read_dot):
    root = py_trees.composites.Selector(
        "root", memory=False, children=[Failure("no"), Running("on"), Success("later")]
    )
    root.tick_once()
    plain, coloured = (
        read_dot(behaviour_dot(root, status=status)).nodes.values() for status in (False, True)
    )
    assert [node["label"].split("\n")[0] for node in coloured] == [
        "▶ ? root",
        "✗ no",
        "▶ on",
        "later",
    ]
    assert len({node["fillcolor"] for node in coloured}) == 3
    assert len({node["fillcolor"] for node in plain}) == 2


def test_a_plan_is_shown_where_it_is_mounted(read_dot, accepted):
    goal = soldier()
    assert read_dot(behaviour_dot(goal)).labels() == ["◎ fight"]
    goal.tick_once()
    assert goal.status is Status.RUNNING
    text = behaviour_dot(goal, status=True)
    picture = read_dot(text)
    assert kinds(picture)["? priority"] == "diamond"
    assert kinds(picture)["no_line_of_fire"] == "ellipse"
    assert picture.children("▶ fight\nmethod 1") == ["▶ fight_from_cover\nmethod 0"]
    assert picture.children("▶ fight_from_cover\nmethod 0") == [
        "▶ ⇉ parallel\nuntil all are done",
        "? priority",
    ]
    assert [edge["label"] for *_, edge in picture.edges if "label" in edge] == [" 1", " 2"]
    assert picture.edges[0][2]["arrowhead"] == "onormal"
    accepted(text)


def test_the_picture_of_a_run_tells_aborted_failed_and_never_run_apart(read_dot, accepted):
    goal, ends = watch()
    goal.tick_once()
    looks = {node["label"].split("\n")[0]: node for node in drawn(read_dot, goal)}
    assert {"▶ watch", "✓ look", "■ walk", "✓ listen", "▶ alarm"} <= looks.keys()
    assert "report" in looks
    assert looks["✗ shout"]["label"].split("\n", 1)[1] == "dark is false: dark = false"
    fills = {looks[name]["fillcolor"] for name in ("■ walk", "✗ shout", "report", "✓ look")}
    assert len(fills) == 4
    goal.stop(Status.INVALID)
    assert {node["label"].split("\n")[0] for node in drawn(read_dot, goal)} == {
        *("■ ◎ watch", "■ watch", "✓ look", "✓ ⇉ parallel", "■ walk", "✓ listen"),
        *("■ alarm", "■ ? priority", "✗ shout", "■ whistle", "report"),
    }
    accepted(behaviour_dot(goal, status=True, legend=True))
    assert ends == ["walk", "whistle"]


def drawn(read_dot, root):
    return read_dot(behaviour_dot(root, status=True)).nodes.values()


def watch():
    """A goal with a race, a refused alternative, a running step, and one that comes later."""
    night = Domain("night", Night)
    names = ("walk", "listen", "whistle", "report")
    walk, listen, whistle, report = (night.primitive(name) for name in names)
    shout = night.primitive("shout", exec_only=Night.dark)

    @night.compound
    def look():
        yield method(parallel(walk(), listen(), policy="any"))

    @night.compound
    def alarm():
        yield method(priority(shout(), whistle()))

    @night.compound
    def watch():
        yield method(look(), alarm(), report())

    operators, ends = Operators(simulates_others=True), []

    def endless(name):
        def run(agent):
            try:
                while True:
                    yield
            finally:
                ends.append(name)

        return run

    operators.bind(walk)(endless("walk"))
    operators.bind(whistle)(endless("whistle"))
    agent = Agent("Ann", night, Night(), body=None, operators=operators)
    return PlanGoal("watch", agent, watch()), ends


def test_a_suspended_part_is_dashed_until_it_has_its_plan(read_dot):
    goal = soldier(horizon=2)
    goal.tick_once()
    picture = read_dot(behaviour_dot(goal))
    (suspended,) = (node for node in picture.nodes.values() if "dashed" in node["style"])
    assert suspended["label"] == "… priority(no_line_of_fire,\nshoot)\n(horizon)"


def test_a_goal_that_is_not_called_as_its_task_shows_both(read_dot):
    goal = soldier((shoot(), shoot()))
    assert read_dot(behaviour_dot(goal)).labels() == ["◎ fight\n(shoot, shoot)"]


def test_a_tooltip_tells_class_and_message(read_dot):
    node = Success('say "hi"')
    node.feedback_message = "all\nright"
    (drawn,) = read_dot(behaviour_dot(node)).nodes.values()
    assert drawn["tooltip"] == "Success 'say \"hi\"'; all\\nright"


@given(st.text(), st.text())
def test_nodes_of_any_name_can_be_drawn(read_dot, name, message):
    leaf = Success(name)
    leaf.feedback_message = message
    root = py_trees.composites.Sequence(name, memory=True, children=[leaf, Failure(name)])
    picture = read_dot(behaviour_dot(root, title=name, status=True))
    assert len(picture.nodes) == 3
    assert len(picture.edges) == 2


def test_a_tree_of_twice_the_nodes_of_one_name_takes_twice_the_work(read_dot):
    few, many = (py_trees.composites.Sequence("same", memory=True, children=[]) for _ in range(2))
    few.children = [Success("same") for _ in range(200)]
    many.children = [Success("same") for _ in range(400)]
    assert len(set(read_dot(behaviour_dot(many, status=True)).nodes)) == 401
    assert lines_of(lambda: behaviour_dot(many)) < 2.1 * lines_of(lambda: behaviour_dot(few))


@pytest.mark.slow
def test_a_tree_deeper_than_py_trees_can_tick_is_drawn(read_dot):
    root = Success("leaf")
    for _ in range(5_000):
        root = py_trees.decorators.PassThrough("through", root)
    assert len(read_dot(behaviour_dot(root)).nodes) == 5_001
