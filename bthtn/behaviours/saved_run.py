"""A running plan in a save: its trees, and how far each of its behaviours has come.

    {"plan": bthtn-plan/2,                   the plan, with its tree
     "trees": [{"nodes", "path"}, …],        the plans of suspended parts that were reached
     "instead": [[node, tree], …],           which of them stands for which suspended part
     "tree",                                 the one that stands for the whole plan, if any
     "over", "entered",                      nodes that a repair has left out, or counts as begun
     "ticks", …,                             the counters of the run
     "behaviours": {"status", …, "below": […]}}

Nodes have numbers, in pre-order, those of the plan first. The behaviours are compiled from the
trees as for a new plan, and then put where they were. A step whose operator is code begins anew.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, cast

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.leases import Account
from bthtn.agent.runtime import runtime_of
from bthtn.behaviours.compile import compiled, compiled_steps, refuse_too_deep
from bthtn.behaviours.decorated import PlanDecorated
from bthtn.behaviours.mount import PlannedRest
from bthtn.behaviours.obstacle import Obstacle
from bthtn.behaviours.operator import Simulated, SubtreeOperator, resumed_operator, simulated
from bthtn.behaviours.plan_behaviour import PlanComposite
from bthtn.behaviours.plan_run import (
    Inside,
    Path,
    PlanRun,
    ResumeFailed,
    Resumption,
    is_same_path,
)
from bthtn.behaviours.priority import PlanPriority
from bthtn.behaviours.save_form import (
    FAILURE,
    KINDS,
    LEASES,
    PATH,
    SaveForm,
    Table,
    count,
    text,
    truth,
)
from bthtn.behaviours.sequence import PlanSequence, PlanWithCleanup
from bthtn.behaviours.status import FAILURE as FAILED
from bthtn.behaviours.status import INVALID, RUNNING
from bthtn.behaviours.step import StepRun
from bthtn.behaviours.step_abort import OperatorAbort
from bthtn.behaviours.suspended import Suspended
from bthtn.behaviours.task_leaf import TaskLeaf
from bthtn.domain.network import Network
from bthtn.errors import BthtnError
from bthtn.plan.nodes import HORIZON, Node, SuspendedNode, TaskNode
from bthtn.plan.plan import Plan
from bthtn.plan.walk import leaves
from bthtn.replanning.progress import MountedTree
from bthtn.replanning.restarting import RestartingSearch
from bthtn.text.plan_json import whole, whole_list

Json = Any

RUN: Final = Table(
    "ticks:count next_resumption:count last_end:whole moves:count has_cleanups:truth"
    " has_reactive_choices:truth is_repairable:truth plan_id:text"
)
STEP: Final = Table("plan_id:text number:count ticks:count _began:number is_open:truth")
ABORT: Final = Table("_ticks:count has_begun:truth done:truth error:error?")
SIMULATED: Final = Table("_ticks:count _began:number")
OBSTACLE: Final = Table("reason:text error:error?", Obstacle)
NODES, BELIEFS = KINDS["nodes"], KINDS["beliefs"]


@dataclass(slots=True, eq=False)
class _Arrived:
    """Where a suspended part stood that was replaced by its plan."""

    node: SuspendedNode
    path: Path
    parent: Behaviour | None
    inside: tuple[Resumption, ...] = ()


# the trees of a plan, and which of them stand for its suspended parts


def written_run(
    form: SaveForm, plan: Plan, mounted: MountedTree, run: PlanRun, root: Behaviour
) -> dict[str, Json]:
    """A running plan, with the behaviours from ``root`` on."""
    form.run = run
    form.number(plan.tree)
    nodes = _all(root)
    have_steps = {node.node for node in nodes if isinstance(node, TaskLeaf)}
    left_out = [step for step in leaves(plan.tree) if step not in have_steps]
    roots = [] if mounted.tree is plan.tree else [mounted.tree]
    roots += mounted.planned.values()
    for sequence in nodes:
        roots += sequence.plans.values() if isinstance(sequence, PlanSequence) else ()
    places: dict[Node, int] = {}
    trees: list[Json] = []
    for root_of_tree in dict.fromkeys(roots):
        places[root_of_tree], first = len(trees), len(form.nodes)
        listed = form.grown(root_of_tree)
        paths = (_path_to(node, form, first) for node in nodes)
        path = next((path for path in paths if path is not _ELSEWHERE), None)
        trees.append({"nodes": listed, "path": PATH.write(form, path)})
    instead = [[form.numbers[part], places[tree]] for part, tree in mounted.planned.items()]
    return {
        "plan": form.plan(plan),
        "trees": trees,
        "tree": places.get(mounted.tree),
        "instead": instead,
        "over": NODES.write(form, (*mounted._over, *left_out)),
        "entered": NODES.write(form, mounted._entered),
        **RUN.write(form, run),
        "behaviours": _written(form, root),
    }


def put_run(
    form: SaveForm, goal: Network, data: Mapping[str, Json], run: PlanRun, path: Path = None
) -> tuple[Plan, MountedTree, Behaviour]:
    """The plan, the trees of it that are mounted, and the behaviours, put where they were."""
    RUN.put(form, run, data)
    plan = form.plan_from(data["plan"], goal)
    refuse_too_deep(plan)
    form.number(plan.tree)
    over, entered = NODES.read(form, data["over"]), NODES.read(form, data["entered"])
    root = compiled(plan.tree, run, over, path)
    mounted = MountedTree(plan.tree, over, entered)
    form.run, form.trees = run, _Trees(form, data["trees"])
    if data["tree"] is not None:
        mounted.tree = form.trees.roots[count(data["tree"])]
    for number, index in data["instead"]:
        mounted.planned[_suspended(form.node(number))] = form.trees.roots[count(index)]
    mounted._own(mounted.tree, None)
    for suspended, tree in mounted.planned.items():
        mounted._own(tree, suspended)
    mounted._has_grown = bool(form.trees.roots)
    _put(form, root, data["behaviours"])
    return plan, mounted, root


class _Trees:
    """The plans of suspended parts, which are compiled where they are needed."""

    def __init__(self, form: SaveForm, data: Json) -> None:
        self._form = form
        self._first: list[int] = []
        self._paths: list[Path] = []
        self.roots: list[Node] = []
        for tree in data:
            self._first.append(len(form.nodes))
            self.roots.append(form.grown_from(tree["nodes"]))
            self._paths.append(PATH.read(form, tree["path"]))

    def _with(self, number: int) -> int:
        index = bisect(self._first, number) - 1
        if index < 0:
            raise ValueError(f"node {number} is in no plan of a suspended part")
        return index

    def root_with(self, number: int) -> Node:
        """The root of the tree with this node."""
        return self.roots[self._with(number)]

    def steps_with(self, number: int, parent: Behaviour) -> dict[int, Behaviour]:
        """The behaviours of the tree with this node, by the numbers of theirs."""
        index = self._with(number)
        # Nobody looks at the part that it stands for, as it is planned.
        stands_for = SuspendedNode((), (), HORIZON)
        arrived = _Arrived(stands_for, self._paths[index], parent)
        steps = compiled_steps(self.roots[index], self._form.run, arrived)
        return {self._form.numbers[step.node]: step for step in steps if hasattr(step, "node")}


def _all(root: Behaviour) -> list[Behaviour]:
    """All behaviours of a plan, with those that a sequence begins anew with."""
    found, pending = [], [root]
    while pending:
        node = pending.pop()
        found.append(node)
        if isinstance(node, PlanComposite):
            pending += node.children
        if isinstance(node, PlanSequence) and node.planned is not node.children:
            pending += node.planned
    return found


_ELSEWHERE: Final = Inside("elsewhere", None)


def _path_to(node: Any, form: SaveForm, first: int) -> Path:
    """The path above a tree, by one of its behaviours; _ELSEWHERE for any other behaviour.

    Its nodes have the latest numbers, from ``first`` on.
    """
    path = getattr(node, "path", getattr(node, "_path", _ELSEWHERE))
    if path is _ELSEWHERE or form.numbers.get(node.node, -1) < first:
        return _ELSEWHERE
    numbers: Mapping[Any, int] = form.numbers  # of a path that was loaded, there are only names
    while path is not None and numbers.get(path.node, -1) >= first:
        path = path.around
    return cast("Path", path)


# behaviours


def _written(form: SaveForm, node: Behaviour) -> dict[str, Json]:
    """What a behaviour is no longer as it was made."""
    data: dict[str, Json] = {}
    if node.status is not INVALID:
        data["status"] = node.status.name
    if node.feedback_message:
        data["message"] = node.feedback_message
    failure = getattr(node, "failure", None)
    if node.status is FAILED and failure is not None:
        data["failure"] = FAILURE.write(form, failure)
    match node:
        case TaskLeaf():
            data |= _written_step(form, node)
        case Suspended():
            data |= _written_part(form, node)
        case PlanComposite():
            data |= _written_composite(form, node)
        case _:
            pass
    return data


def _put(form: SaveForm, node: Behaviour, data: Mapping[str, Json]) -> None:
    """Put a behaviour that was made anew where it was."""
    node.status = Status[data.get("status", "INVALID")]
    if "message" in data:
        node.feedback_message = text(data["message"])
    if "failure" in data:
        setattr(node, "failure", FAILURE.read(form, data["failure"]))  # noqa: B010 - if it has one
    match node:
        case TaskLeaf():
            _put_step(form, node, data)
        case Suspended():
            _put_part(form, node, data)
        case PlanComposite():
            _put_composite(form, node, data)
        case _:
            pass


def _written_composite(form: SaveForm, node: PlanComposite) -> dict[str, Json]:
    data: dict[str, Json] = {}
    planned = node.planned if isinstance(node, PlanSequence) else node.children
    below = [_written(form, child) for child in planned]
    if any(below):
        data["below"] = below
    children = node.children
    if planned is not children:
        places: dict[Behaviour, Json] = {child: index for index, child in enumerate(planned)}
        for child in children:
            if child not in places:
                number = form.numbers[cast("Node", getattr(child, "node"))]  # noqa: B009 - as all that stand for others
                places[child] = {"node": number, **_written(form, child)}
        data["children"] = [places[child] for child in children]
    if node.current_child in children:
        data["current"] = children.index(node.current_child)
    match node:
        case PlanSequence():
            data["at"] = node._index
        case PlanPriority():
            data["in_vain"] = [children.index(child) for child in node._in_vain]
        case _:
            pass
    match node:
        case PlanDecorated():
            timer = None if node._timer is None else form.timer(node._timer)
            data |= {"tries": node._tries, "timer": timer}
        case PlanWithCleanup():
            data["is_open"] = node.is_open
        case _:
            pass
    return data if any(data.values()) else {}


def _put_composite(form: SaveForm, node: PlanComposite, data: Mapping[str, Json]) -> None:
    below = whole_list(data.get("below", [{}] * len(node.children)))
    for child, saved in zip(node.children, below, strict=True):
        _put(form, child, saved)
    if "children" in data:
        if not isinstance(node, PlanSequence):
            raise TypeError("only parts of a sequence are replaced")
        _put_children(form, node, data["children"])
    current = data.get("current")
    node.current_child = None if current is None else _at(node.children, current)
    match node:
        case PlanSequence():
            node._index = count(data.get("at", 0))
            if node._index > len(node.children):
                raise ValueError(f"a sequence has no child {node._index}")
        case PlanPriority():
            node._in_vain = [_at(node.children, index) for index in data.get("in_vain", ())]
        case _:
            pass
    match node:
        case PlanDecorated():
            node._tries = count(data.get("tries", 0))
            if (timer := data.get("timer")) is not None:
                node._timer = form.timer_from(timer)
        case PlanWithCleanup():
            node.is_open = truth(data.get("is_open", False))
        case _:
            pass


def _put_children(form: SaveForm, node: PlanSequence, data: Json) -> None:
    """Let the children of a sequence be those by which some of them were replaced."""
    planned, children, plans = node.children, [], dict[Behaviour, Node]()
    made: dict[int, Behaviour] = {}
    for saved in whole_list(data):
        if isinstance(saved, int):
            child = _at(planned, saved)
        else:
            number = whole(saved["node"])
            if number not in made:
                made |= form.trees.steps_with(number, node)
            child = made[number]
            child.parent = node
            plans[child] = form.trees.root_with(number)
            _put(form, child, saved)
        children.append(child)
    for child in planned:
        if child not in children:
            child.parent = None
    node._planned, node.children, node.plans = planned, children, plans


def _at(children: list[Behaviour], index: Json) -> Behaviour:
    return children[count(index)]


# suspended parts


def _written_part(form: SaveForm, part: Suspended) -> dict[str, Json]:
    inside = [
        resumption
        for resumption in part.inside
        if resumption.moves == form.run.moves and resumption.reads is not None
    ]
    return {
        "not_before": part._not_before,
        "version": part._version,
        "asked": None if part._ask is None or part.status is not RUNNING else _searched(part),
        "inside": [
            [form.tree(resumption.node), BELIEFS.write(form, resumption.reads)]
            for resumption in inside
        ],
    }


def _put_part(form: SaveForm, part: Suspended, data: Mapping[str, Json]) -> None:
    part._not_before, part._version = whole(data["not_before"]), whole(data["version"])
    part.inside = tuple(
        Resumption(_suspended(form.tree_from(node)), BELIEFS.read(form, reads), form.run.moves)
        for node, reads in data["inside"]
    )

    def ask() -> None:
        with suppress(ResumeFailed):
            part._ask = form.run.owner.plan_rest(part)
            advance(_search_of(part), asked)

    asked = data["asked"]
    if asked is not None and part.status is RUNNING:
        form.calls.later.append(ask)


def _search_of(part: Suspended) -> RestartingSearch | None:
    """The search for the plan of a part; None where there is none, or it was made before."""
    return part._ask.search._started if isinstance(part._ask, PlannedRest) else None


def _searched(part: Suspended) -> int:
    return searched(_search_of(part)) or 0


def searched(search: RestartingSearch | None) -> int | None:
    """How far a search has come since it last began: its expansions."""
    return None if search is None else search._search.expansions


def advance(search: RestartingSearch | None, expansions: Json) -> None:
    """Let a search that begins anew come as far. What it raises is told when it goes on."""
    most = None if expansions is None else count(expansions)
    if search is not None and most is not None:
        with suppress(BthtnError):
            search.advance(most)


# steps


def _written_step(form: SaveForm, leaf: TaskLeaf) -> dict[str, Json]:
    step, operator, data = leaf._step, leaf._operator, dict[str, Json]()
    if leaf._waits_for is not None:
        data["waits_for"] = leaf._waits_for.number
    if step is None or leaf.status is not RUNNING:  # the agent has its abort, if that goes on
        return data
    data["step"] = written_step_run(form, step, leaf.path)
    if leaf._obstacle is not None:
        data["obstacle"] = OBSTACLE.write(form, leaf._obstacle)
    if leaf._abort is not None:
        data["abort"] = ABORT.write(form, leaf._abort)
    match operator:
        case Simulated():
            data["simulated"] = SIMULATED.write(form, operator)
        case SubtreeOperator():
            data["subtree"] = form.calls.write_tree(operator.root, form.calls)
        case _:
            pass
    return data


def _put_step(form: SaveForm, leaf: TaskLeaf, data: Mapping[str, Json]) -> None:
    if leaf.status is not RUNNING:
        return
    waits_for = data.get("waits_for")
    if waits_for is not None:
        form.calls.last.append(lambda: _let_wait(leaf, count(waits_for)))
    if "step" not in data:
        return
    step = leaf._step = step_run_from(form, leaf.node, leaf.path, form.run, data["step"])
    if "obstacle" in data:
        leaf._obstacle = OBSTACLE.read(form, data["obstacle"])
    if "abort" in data and leaf._obstacle is not None:
        leaf._abort = abort_from(form, step, data["abort"])
        return
    if "simulated" in data and form.agent.operators.find(leaf.node.task) is None:
        operator = leaf._operator = simulated(form.agent, leaf.node)
        SIMULATED.put(form, operator, data["simulated"])
        return

    def begin() -> None:
        with step.acting():
            made = resumed_operator(form.agent, leaf.node, step.elapsed(), form.run.setup_arguments)
            if isinstance(made, SubtreeOperator):
                made.show_below(leaf)
            made.start()
        if isinstance(made, SubtreeOperator) and "subtree" in data:
            form.calls.put_tree(made.root, data["subtree"], form.calls)
        leaf._operator = made

    form.calls.later.append(begin)


def _let_wait(leaf: TaskLeaf, number: int) -> None:
    """Let a step wait for the one with a number, of which the agent has been told."""
    holders = runtime_of(leaf._run.agent)._uses
    leaf._waits_for = next((holder for holder in holders if holder.number == number), None)


def written_step_run(form: SaveForm, step: StepRun, path: Path) -> dict[str, Json]:
    """The start of a step that has not ended; it has its own path if that is not ``path``."""
    data: dict[str, Json] = STEP.write(form, step)
    if step._account is not None:
        data["leases"] = LEASES.write(form, step._account)
    if not is_same_path(step.path, path):
        data["path"] = PATH.write(form, step.path)
    return data


def step_run_from(
    form: SaveForm, node: TaskNode, path: Path, run: PlanRun, data: Mapping[str, Json]
) -> StepRun:
    """The start of a step, with its leases and resources."""
    path = PATH.read(form, data["path"]) if "path" in data else path
    step = StepRun(node, path, run)
    STEP.put(form, step, data)
    step.is_open = True
    if "leases" in data:
        step._account = Account(step.holder)
        LEASES.put(form, step._account, data["leases"])
    if node.task.uses:
        runtime_of(run.agent).occupy(step.holder, node.task.uses)
    return step


def abort_from(form: SaveForm, step: StepRun, data: Mapping[str, Json]) -> OperatorAbort:
    """The abort of a step, with which the ``on_resume`` hook goes on; without one it is over."""
    abort = OperatorAbort(step, Simulated(0))
    ABORT.put(form, abort, data)
    abort.has_begun = True

    def go_on() -> None:
        with step.acting():
            elapsed = step.elapsed(abort._ticks)
            abort._operator = resumed_operator(step.agent, step.node, elapsed)

    form.calls.later.append(go_on)
    return abort


def _suspended(node: Node) -> SuspendedNode:
    if not isinstance(node, SuspendedNode):
        raise TypeError("a suspended part is something else")
    return node
