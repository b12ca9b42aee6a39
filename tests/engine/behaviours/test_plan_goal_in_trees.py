"""PlanGoal under py_trees: a behaviour like any other, for composites, visitors and displays."""

import py_trees
import pytest
from py_trees.common import Access, ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence

from bthtn import defer, parallel, priority, sequence
from bthtn.behaviours import PlanGoal
from bthtn.engine.agent.events import PlanAdopted
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


def goal_with_everything(stage):
    network = (
        stage.step("a", "S"),
        parallel(stage.step("b", "RRS"), stage.step("c", "S"), policy="primary"),
        priority(stage.step("d", "F"), stage.step("e", "RS")),
        defer(stage.step("f", "RS"), now=True),
    )
    return stage.goal(network)


# under composites and decorators


def test_in_a_sequence_it_runs_between_its_siblings(stage, child, log):
    goal = stage.goal(stage.step("a", "RS"))
    root = Sequence("root", memory=True, children=[child("pre", "S"), goal, child("post", "S")])
    assert ticks(root, 2) == "RS"
    assert log == ["start pre", "tick pre", "start post", "tick post"]


def test_in_a_selector_the_next_branch_follows_when_it_fails(stage, child):
    goal = stage.goal(stage.step("a", "RF"), max_replans=0)
    root = Selector("root", memory=False, children=[goal, child("idle", "R")])
    assert ticks(root, 2) == "RR"
    assert root.tip().name == "idle"


def test_in_a_parallel_it_is_ticked_beside_the_others(stage, child):
    goal, beside = stage.goal(stage.step("a", "RRS")), child("beside", "RRRS")
    root = Parallel("root", ParallelPolicy.SuccessOnAll(), [goal, beside])
    assert ticks(root, 4) == "RRRS"
    assert (stage.code["a"].ticks, beside.ticked) == (3, 4)


def test_two_goals_side_by_side_keep_out_of_each_other_s_way(stage):
    step = stage.step("a", "RRS")
    goals = [stage.goal(step), PlanGoal("other", stage.agent(), step)]
    root = Parallel("root", ParallelPolicy.SuccessOnAll(), goals)
    assert ticks(root, 3) == "RRS"
    assert stage.code["a"].starts == 2
    assert stage.heard.faults() == []


@pytest.mark.parametrize(
    ("decorate", "letters"),
    [
        (lambda goal: py_trees.decorators.Inverter("not", goal), "RF"),
        (lambda goal: py_trees.decorators.FailureIsSuccess("try", goal), "RS"),
        (lambda goal: py_trees.decorators.Repeat("twice", goal, num_success=2), "RRRS"),
        (
            lambda goal: py_trees.decorators.OneShot(
                "once", goal, py_trees.common.OneShotPolicy.ON_COMPLETION
            ),
            "RSSS",
        ),
    ],
)
def test_decorators_work_on_it(stage, decorate, letters):
    root = decorate(stage.goal(stage.step("a", "RS")))
    assert ticks(root, len(letters)) == letters
    assert stage.heard.faults() == []


def test_a_retry_makes_a_new_plan(stage):
    goal = stage.goal(stage.step("a", "F", "F", "RS"), max_replans=0)
    root = py_trees.decorators.Retry("again", goal, num_failures=3)
    assert ticks(root, 4) == "RRRS"
    assert len(stage.heard.of(PlanAdopted)) == 3


# walking, visiting, displaying


def test_a_plan_hangs_below_its_goal(stage):  # R000-35
    goal = goal_with_everything(stage)
    root = Selector("root", memory=False, children=[goal])
    root.tick_once()
    names = [node.name for node in root.iterate()]
    assert [name for name in names if len(name) == 1] == ["a", "b", "c", "d", "e"]
    assert names[-2:] == ["goal", "root"]
    for node in root.iterate():
        assert all(below.parent is node for below in node.children), node.name


def test_a_finished_plan_can_still_be_looked_at(stage):
    goal = goal_with_everything(stage)
    assert stage.play_out(goal)[-1] == "S"
    statuses = {node.name: node.status for node in goal.iterate()}
    assert statuses["a"] is statuses["f"] is Status.SUCCESS


def test_the_tip_is_the_step_that_runs(stage):
    goal = goal_with_everything(stage)
    root = Sequence("root", memory=True, children=[goal])
    tips = []
    for _ in range(5):
        root.tick_once()
        tips.append(root.tip().name)
    assert root.status is Status.SUCCESS
    assert tips == ["b", "b", "e", "f", "f"]
    root.stop(Status.INVALID)
    assert root.tip() is None


def test_visitors_see_every_behaviour_that_was_ticked(stage):
    goal = goal_with_everything(stage)
    tree = py_trees.trees.BehaviourTree(Selector("root", memory=False, children=[goal]))
    seen = py_trees.visitors.SnapshotVisitor()
    tree.add_visitor(seen)
    tree.tick()
    nodes = {node.id: node for node in tree.root.iterate()}
    visited = [nodes[node_id].name for node_id in seen.visited]
    assert [name for name in visited if len(name) == 1] == ["a", "b", "c"]
    assert visited[-2:] == ["goal", "root"]
    assert all(seen.visited[node_id] is nodes[node_id].status for node_id in seen.visited)
    tree.tick()
    visited = [nodes[node_id].name for node_id in seen.visited if node_id in nodes]
    assert [name for name in visited if len(name) == 1] == ["b"]


def test_every_behaviour_that_was_ticked_is_seen_once(stage):
    goal = goal_with_everything(stage)
    for _ in range(6):
        walked = [id(node) for node in goal.tick()]
        assert len(set(walked)) == len(walked)


def test_the_snapshot_of_py_trees_shows_the_plan(stage, capsys):
    tree = py_trees.trees.BehaviourTree(goal_with_everything(stage))
    tree.add_visitor(py_trees.visitors.DisplaySnapshotVisitor())
    for _ in range(6):
        tree.tick()
    shown = capsys.readouterr().out
    assert "parallel primary" in shown
    assert "the operator answered FAILURE" in shown
    assert "running plan" in shown


@pytest.mark.parametrize("ticked", range(7))
def test_displays_work_in_every_phase(stage, ticked):  # R004-06
    goal = goal_with_everything(stage)
    ticks(goal, ticked)
    for show in (py_trees.display.unicode_tree, py_trees.display.ascii_tree):
        assert show(goal, show_status=True).count("\n") == sum(1 for _ in goal.iterate())
    dot = py_trees.display.dot_tree(goal, with_blackboard_variables=False)
    assert len(dot.get_nodes()) >= sum(1 for _ in goal.iterate())
    assert py_trees.display.xhtml_tree(goal, show_status=True)


class EveryNode(py_trees.visitors.VisitorBase):
    """Writes down the names of all nodes of a tree at every tick."""

    def __init__(self):
        super().__init__(full=True)
        self.names = []

    def run(self, behaviour):
        self.names.append(behaviour.name)


def test_looking_shows_the_whole_plan_from_its_first_tick_on(stage):
    steps = [stage.step(f"step {n}", "R") for n in range(200)]
    goal = stage.goal(sequence(*steps))
    assert ticks(goal, 1) == "R"
    assert goal.tip().name == "step 0"
    shown = py_trees.display.unicode_tree(goal)
    assert [name for name in (f"step {n}" for n in range(200)) if name not in shown] == []
    tree, every = py_trees.trees.BehaviourTree(goal), EveryNode()
    tree.add_visitor(every)
    tree.tick()
    assert every.names == [*(f"step {n}" for n in range(200)), "sequence", goal.name]


def test_interrupting_py_trees_manager_stops_what_runs(stage):
    tree = py_trees.trees.BehaviourTree(stage.goal(stage.step("a", "R")))
    tree.tick()
    tree.root.stop(Status.INVALID)
    assert stage.heard.lines() == ["start a", "aborted a"]


def test_under_the_manager_of_py_trees_it_does_the_same_as_bare(stage, new_stage):
    bare, other = goal_with_everything(stage), new_stage()
    tree = py_trees.trees.BehaviourTree(goal_with_everything(other))
    for _ in range(8):
        bare.tick_once()
        tree.tick()
        assert tree.root.status is bare.status
        assert other.heard.story() == stage.heard.story()


# setup and blackboard


class Wired(py_trees.behaviour.Behaviour):
    """Writes down what it is set up with."""

    def __init__(self, diary):
        super().__init__("wired")
        self.diary = diary

    def setup(self, **kwargs):
        self.diary.append(kwargs)

    def update(self):
        return Status.SUCCESS


@pytest.mark.parametrize("later", [False, True])
def test_what_the_tree_is_set_up_with_reaches_the_behaviours_of_the_plan(stage, later):
    diary = []
    step = stage.run_by("a", lambda agent: Wired(diary))
    goal = stage.goal((step, defer(step, now=True)) if later else step)
    tree = py_trees.trees.BehaviourTree(Selector("root", memory=False, children=[goal]))
    tree.setup(timeout=py_trees.common.Duration.INFINITE, node="the robot")
    tree.tick()
    assert diary == [{"node": "the robot"}] * (1 + later)


def test_setup_without_arguments_is_enough(stage):
    goal = goal_with_everything(stage)
    goal.setup_with_descendants()
    assert ticks(goal, 5)[-1] == "S"


def test_beliefs_are_not_on_the_blackboard_of_the_process(stage):
    goal = stage.goal(stage.step("a", "S", effects=World.open.becomes(True)))
    goal.tick_once()
    assert [node.blackboards for node in goal.iterate() if node.blackboards] == []
    assert list(goal.iterate()) != [goal]


def test_a_step_may_use_the_blackboard_and_leaves_it_as_it_was(stage):
    class Writes(py_trees.behaviour.Behaviour):
        def __init__(self):
            super().__init__("writes")
            self.board = self.attach_blackboard_client()
            self.board.register_key("noted", Access.EXCLUSIVE_WRITE)

        def update(self):
            self.board.noted = True
            return Status.SUCCESS

    board = py_trees.blackboard.Blackboard  # noqa: TID251 - to see that it stays as it is
    before = dict(board.clients), dict(board.metadata)
    goal = stage.goal(stage.run_by("a", lambda agent: Writes()))
    try:
        assert ticks(goal, 3) == "SSS"
        goal.shutdown()
        assert (board.clients, board.metadata) == before
    finally:
        for client in list(board.clients):
            board.clients.pop(client)
        py_trees.tests.clear_blackboard()
