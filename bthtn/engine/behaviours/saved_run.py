"""A running plan in a save: its trees, and its behaviours as they stand.

    {"plan": bthtn-plan/2,                   the plan of the goal
     "trees": [[node, …], …],                those that have other nodes
     "paths": [[node, around], …],           the decompositions that steps stand in
     "tree", "instead": [[node, node], …],   the tree that runs, and what stands in its places
     "ticks", …,                             the counters of the run
     "behaviours": {"node", "path", "status", …, "below": […]}}

Nodes have numbers, in pre-order, those of the plan first; paths have numbers, too. Which node a
behaviour runs says of which class it is. A step whose operator is code begins anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.engine.agent.leases import Account
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.branch import of_plan
from bthtn.engine.behaviours.compile import NothingToDo, behaviour_of, refuse_too_deep
from bthtn.engine.behaviours.decorated import PlanDecorated
from bthtn.engine.behaviours.mount import PlannedRest
from bthtn.engine.behaviours.obstacle import Obstacle
from bthtn.engine.behaviours.operator import Simulated, SubtreeOperator, resumed_operator, simulated
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.behaviours.plan_behaviour import PlanComposite
from bthtn.engine.behaviours.plan_run import (
    Path,
    PlanRun,
    ResumeFailed,
    Resumption,
    is_same_path,
)
from bthtn.engine.behaviours.priority import PlanPriority
from bthtn.engine.behaviours.save_form import (
    CODECS,
    FAILURE,
    LEASES,
    PATH,
    SavedAttributes,
    SaveForm,
    count,
    text,
    truth,
)
from bthtn.engine.behaviours.sequence import PlanSequence, PlanWithCleanup
from bthtn.engine.behaviours.status import FAILURE as FAILED
from bthtn.engine.behaviours.status import INVALID, RUNNING
from bthtn.engine.behaviours.step import StepRun
from bthtn.engine.behaviours.step_abort import OperatorAbort
from bthtn.engine.behaviours.suspended import Suspended
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.engine.domain.network import Network, ParallelPolicy
from bthtn.engine.plan.nodes import Node, NullNode, SuspendedNode, TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.replanning.restarting import RestartingSearch
from bthtn.engine.text.plan_json import whole
from bthtn.errors import BthtnError

Json = Any

RUN: Final = SavedAttributes(
    "ticks:count next_resumption:count last_end:whole moves:count has_grown:truth"
    " has_cleanups:truth has_reactive_choices:truth is_repairable:truth plan_id:text"
)
STEP: Final = SavedAttributes("plan_id:text number:count ticks:count _began:number is_open:truth")
ABORT: Final = SavedAttributes("_ticks:count has_begun:truth done:truth error:error?")
SIMULATED: Final = SavedAttributes("_ticks:count _began:number")
OBSTACLE: Final = SavedAttributes("reason:text error:error?", Obstacle)
BELIEFS: Final = CODECS["beliefs"]


# the trees of a plan


def written_run(
    form: SaveForm, run: PlanRun, root: Behaviour, plan: Plan | None = None
) -> dict[str, Json]:
    """A running plan, with the behaviours from ``root`` on, and the plan as the goal has it."""
    form.run = run
    if plan is not None:
        form.number(plan.tree)
    # A step that ended long ago, or is of a newer domain, has a node that is in no tree.
    nodes = [getattr(node, "node", None) for node in _all(root)]
    trees = [run.tree, *run.instead.values(), *filter(None, nodes)]
    grown = [form.grown(tree) for tree in trees if tree not in form.numbers]
    numbers, behaviours = form.numbers, _written(form, root)
    places = run.instead.items()
    return {
        "plan": None if plan is None else form.plan(plan),
        "trees": grown,
        "paths": form.paths(),
        "tree": numbers[run.tree],
        "instead": [[numbers[old], numbers[new]] for old, new in places if old in numbers],
        **RUN.write(form, run),
        "behaviours": behaviours,
    }


def put_run(
    form: SaveForm, goal: Network, data: Mapping[str, Json], run: PlanRun
) -> tuple[Plan | None, Behaviour]:
    """The plan as the goal has it, and the behaviours, where they were."""
    form.run = run
    plan = None if data["plan"] is None else form.plan_from(data["plan"], goal)
    if plan is not None:
        refuse_too_deep(plan)
        form.number(plan.tree)
    for tree in data["trees"]:
        form.grown_from(tree)
    form.number_paths(data["paths"])
    run.begin(form.node(data["tree"]))
    RUN.put(form, run, data)
    for old, new in data["instead"]:
        run.instead[form.node(old)] = form.node(new)
    _check_places(run)
    return plan, _made(form, data["behaviours"])


def _check_places(run: PlanRun) -> None:
    """Raise TypeError for what cannot stand where it does, ValueError for a node in two places."""
    for old, new in run.instead.items():
        if not isinstance(old, SuspendedNode) and not isinstance(new, type(old)):
            raise TypeError("something else stands in the place of a part")
    seen: set[Node] = set()
    for node in Rest(run.tree, {}, run.instead).nodes():
        if node in seen and not isinstance(node, NullNode):
            raise ValueError("a node stands in two places")
        seen.add(node)
    run.forget_unreached()


# behaviours


def _all(root: Behaviour) -> list[Behaviour]:
    """All behaviours of a plan, with those that a sequence begins anew with."""
    found = []
    for node in of_plan(root):
        found.append(node)
        if isinstance(node, PlanSequence) and node.planned is not node.children:
            found += [other for part in node.planned for other in of_plan(part)]
    return found


def _written(form: SaveForm, node: Behaviour) -> dict[str, Json]:
    """A behaviour, without what is as it was made."""
    data: dict[str, Json] = {}
    if (of := getattr(node, "node", None)) is not None:
        data["node"] = form.numbers[of]
    if (path := getattr(node, "path", None)) is not None:
        data["path"] = form.path_number(path)
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


def _made(form: SaveForm, data: Mapping[str, Json]) -> Behaviour:
    """The behaviour that was written so, with those below it."""
    below = [_made(form, child) for child in data.get("below", ())]
    if "node" in data:
        node = behaviour_of(form.node(data["node"]), below, form.path(data.get("path")), form.run)
    else:
        node = PlanSequence(below) if "below" in data else NothingToDo()
    node.status = Status[data.get("status", "INVALID")]
    if "message" in data:
        node.feedback_message = text(data["message"])
    if "failure" in data and isinstance(node, TaskLeaf | Suspended | PlanDecorated):
        node.failure = FAILURE.read(form, data["failure"])
    match node:
        case TaskLeaf():
            _put_step(form, node, data)
        case Suspended():
            _put_part(form, node, data)
        case PlanComposite():
            _put_composite(form, node, data)
        case _:
            pass
    return node


def _written_composite(form: SaveForm, node: PlanComposite) -> dict[str, Json]:
    data: dict[str, Json] = {"below": [_written(form, child) for child in node.children]}
    if node.current_child in node.children:
        data["current"] = node.children.index(node.current_child)
    match node:
        case PlanSequence():
            data |= _written_sequence(form, node)
        case PlanPriority(_in_vain=[_, *_]):
            data["in_vain"] = [node.children.index(child) for child in node._in_vain]
        case _:
            pass
    return data


def _written_sequence(form: SaveForm, node: PlanSequence) -> dict[str, Json]:
    data: dict[str, Json] = {"at": node._index} if node._index else {}
    if node.planned is not node.children:
        places = {child: index for index, child in enumerate(node.children)}
        data["planned"] = [
            places[child] if child in places else _written(form, child) for child in node.planned
        ]
    match node:
        case PlanDecorated():
            timer = None if node._timer is None else form.timer(node._timer)
            data |= {"tries": node._tries, "timer": timer}
        case PlanWithCleanup():
            data["is_open"] = node.is_open
        case _:
            pass
    return data


def _put_composite(form: SaveForm, node: PlanComposite, data: Mapping[str, Json]) -> None:
    if "current" in data:
        node.current_child = _at(node.children, data["current"])
    match node:
        case PlanSequence():
            _put_sequence(form, node, data)
        case PlanParallel() | PlanPriority():
            _check_branches(node)
        case _:
            pass
    if isinstance(node, PlanPriority):
        node._in_vain = [_at(node.children, index) for index in data.get("in_vain", ())]


def _check_branches(node: PlanParallel | PlanPriority) -> None:
    """Raise ValueError for too many branches or too few; those without steps may be left out."""
    most, found = len(node.node.children), len(node.children)
    may_lack = isinstance(node, PlanParallel) and node.node.policy is ParallelPolicy.ALL
    if not (1 if may_lack else most) <= found <= most:
        raise ValueError(f"{found} of {most} branches are there")


def _put_sequence(form: SaveForm, node: PlanSequence, data: Mapping[str, Json]) -> None:
    node._index = count(data.get("at", 0))
    if node._index > len(node.children):
        raise ValueError(f"a sequence has no child {node._index}")
    if "planned" in data:
        node._planned = [
            _at(node.children, child) if isinstance(child, int) else _made(form, child)
            for child in data["planned"]
        ]
    match node:
        case PlanDecorated():
            node._tries = count(data["tries"])
            if (timer := data["timer"]) is not None:
                node._timer = form.timer_from(timer)
        case PlanWithCleanup():
            node.is_open = truth(data["is_open"])
        case _:
            pass


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
