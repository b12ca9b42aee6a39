"""Save games: a tree and its agents as JSON, and back.

    saved = save(tree, agent)            between two ticks; json.dumps accepts it
    load(saved, tree, agent)             into a tree and an agent that were made anew

The agent goes on as the one that was never stopped: with its beliefs, failures and leases, and in
the middle of its plan. Operators that run are called again, or their ``on_resume`` hooks; searches
begin anew.

    {"format": "bthtn-save/2", "bthtn", "ticks",
     "agents": {name: …}}                           ``saved_agent``
     "tree": {"0.1": {"is", "status", …}, …}        by places; goals: ``saved_goal``
     "aborts", "schedules",
     "world": …}                                    what its ``save()`` has returned

It is data: it names no code and no attribute that the objects made anew do not have.

What is hard is identity. Nodes, changes and leases are shared between the plan, its behaviours and
its hooks, and must be shared again: they are written once and referred to by number. The local
variables of an operator that is a generator cannot be written at all, which is why there are hooks.
Users' code is called when all else is in its place, since it may look at anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, Protocol, runtime_checkable

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite
from py_trees.trees import BehaviourTree

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.reentrance import refuse_at_work
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.plain_data import STRUCTURE, plain_data, put_plain_data
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.behaviours.save_form import (
    Calls,
    count,
    damaged,
    does_not_fit,
    text,
)
from bthtn.engine.behaviours.saved_agent import (
    agent_form,
    put_abort,
    put_agent,
    put_beliefs,
    written_aborts,
    written_agent,
)
from bthtn.engine.behaviours.saved_goal import goal_form, put_goal, written_goal
from bthtn.engine.behaviours.status import INVALID
from bthtn.engine.replanning.schedule import PlanningSchedule
from bthtn.errors import BthtnError, ExecutionError, InputError, StateError, exception_text
from bthtn.version import VERSION

Json = Any
FORMAT: Final = "bthtn-save/2"


@runtime_checkable
class Saved(Protocol):
    """**Protocol:** a world, or a node of a tree, that says itself what of it is saved."""

    def save(self) -> Json: ...

    def load(self, saved: Json, /) -> None:
        """Go on where ``save`` was called, as an object that was made anew."""
        ...


def save(
    tree: BehaviourTree | Behaviour, *agents: Agent[Any, Any], world: object = None
) -> dict[str, Any]:
    """The agents, their tree and a world as JSON, between two ticks.

    The ``world`` is an object with ``save() -> JSON`` and ``load(saved)``. Raises InputError for a
    belief whose value cannot be written, ExecutionError in the middle of a tick.
    """
    for agent in agents:
        refuse_at_work(agent, "is saved")
    _check_world(world)
    root = _root_of(tree)
    calls = Calls(_written_tree, _put_tree)
    goals = {
        goal._mount.hooks.holder: (place, goal_form(goal, calls)) for place, goal in _goals_in(root)
    }
    return {
        "format": FORMAT,
        "bthtn": VERSION,
        "ticks": tree.count if isinstance(tree, BehaviourTree) else None,
        "agents": {agent.name: written_agent(agent_form(agent, calls)) for agent in agents},
        "tree": _written_tree(root, calls),
        "aborts": {agent.name: written_aborts(goals, agent) for agent in agents},
        "schedules": _written_schedules(root, agents),
        "world": world.save() if isinstance(world, Saved) else None,
    }


def load(
    saved: dict[str, Any],
    tree: BehaviourTree | Behaviour,
    *agents: Agent[Any, Any],
    world: object = None,
    plans: bool = True,
) -> None:
    """Put agents, a tree and a world that were made anew where the saved ones were.

    Without ``plans`` only the beliefs and the world are loaded, and the goals plan anew: so a save
    is used that another version of the domain or the tree has written. Raises InputError for a
    save that is damaged or does not fit, and ExecutionError for a tree that was ticked. A partly
    loaded character is of no further use.
    """
    for agent in agents:
        refuse_at_work(agent, "is loaded")
    _check_world(world)
    root = _root_of(tree)
    _check(saved, root, agents, world, plans=plans)
    try:
        if isinstance(world, Saved):
            world.load(saved["world"])
        if plans:
            _load(saved, root, agents)
        else:
            _believe(saved["agents"], agents)
        if isinstance(tree, BehaviourTree):
            ticks = saved["ticks"]  # None if there was no BehaviourTree
            tree.count = 0 if ticks is None else count(ticks)
    except InputError as error:
        if error.diagnostics[0].code in _OWN:
            raise
        raise does_not_fit(str(error.diagnostics[0].message)) from None
    except BthtnError as error:
        raise does_not_fit(str(error.diagnostics[0].message)) from None
    except Exception as error:
        raise damaged(exception_text(error)[:200]) from error


_OWN: Final = ("BT495", "BT496", "BT497")


def _load(saved: dict[str, Any], root: Behaviour, agents: tuple[Agent[Any, Any], ...]) -> None:
    calls = Calls(_written_tree, _put_tree)
    for agent in agents:
        put_agent(agent_form(agent, calls), saved["agents"][agent.name])
    _put_tree(root, saved["tree"], calls)
    goals = dict(_goals_in(root))
    for agent in agents:
        for abort in saved["aborts"][agent.name]:
            goal = goals[abort["goal"]]
            put_abort(goal_form(goal, calls), goal, abort)
    _put_schedules(root, agents, saved["schedules"])
    for call in calls.later:  # one may add others
        call()
    for agent in agents:
        runtime = runtime_of(agent)
        in_order = sorted(runtime._uses.items(), key=lambda entry: entry[0].number)
        runtime._uses = dict(in_order)
    for call in calls.last:
        call()


def _believe(saved: dict[str, Any], agents: tuple[Agent[Any, Any], ...]) -> None:
    for agent in agents:
        form = agent_form(agent, Calls(_written_tree, _put_tree))
        values: dict[Any, Any] = {}
        for belief in saved[agent.name]["beliefs"]:
            # There may be no such fluent, or value, any more.
            with suppress(InputError, StateError, KeyError, ValueError, TypeError):
                values |= form.believed([belief])
        put_beliefs(form, values)


# the nodes of a tree, by their places


def _written_tree(root: Behaviour, calls: Calls) -> dict[str, Json]:
    places = {node: place for place, node in _places(root)}
    return {place: _written_node(node, places, calls) for node, place in places.items()}


def _written_node(node: Behaviour, places: dict[Behaviour, str], calls: Calls) -> dict[str, Json]:
    data: dict[str, Json] = {"is": type(node).__name__, "status": node.status.name}
    if node.feedback_message:
        data["message"] = node.feedback_message
    if isinstance(node, PlanGoal):
        waits = [places[goal] for goal in node._awaited if goal in places]
        return data | written_goal(goal_form(node, calls), node) | {"awaits": waits}
    current = getattr(node, "current_child", None)
    if current is not None and current in node.children:
        data["current"] = node.children.index(current)
    if isinstance(node, Saved):
        return data | {"own": node.save()}
    return data | {"has": plain_data(node, but=STRUCTURE)}


def _put_tree(root: Behaviour, data: Json, calls: Calls) -> None:
    places = dict(_places(root))
    for place, saved in data.items():
        if place not in places or type(places[place]).__name__ != saved["is"]:
            kind = str(saved["is"])[:100]
            raise does_not_fit(f"the character has no {kind} in its place any more")
    missing = places.keys() - data.keys()
    if missing:
        raise does_not_fit(f"the save has no '{places[min(missing)].name}'")
    for place, node in places.items():
        _put_node(node, data[place], places, calls)


def _put_node(
    node: Behaviour, saved: dict[str, Json], places: dict[str, Behaviour], calls: Calls
) -> None:
    node.status = Status[saved["status"]]
    if "message" in saved:
        node.feedback_message = text(saved["message"])
    if isinstance(node, PlanGoal):
        put_goal(goal_form(node, calls), node, saved)
        awaited = tuple(places[place] for place in saved["awaits"])
        if awaited:
            _await(node, awaited)
        return
    if "current" in saved:
        if not isinstance(node, Composite):
            raise TypeError("only a composite has a current child")
        node.current_child = node.children[count(saved["current"])]
    if "own" in saved and isinstance(node, Saved):
        node.load(saved["own"])
    else:
        put_plain_data(node, saved["has"], but=STRUCTURE)


def _await(goal: PlanGoal, awaited: tuple[Behaviour, ...]) -> None:
    """Let a goal wait for others, which let it begin when they end."""
    goals = tuple(other for other in awaited if isinstance(other, PlanGoal))
    goal._awaited = goals
    for other in goals:
        other._waiting += (goal,)


def _places(root: Behaviour) -> Iterator[tuple[str, Behaviour]]:
    """The nodes of a tree with the numbers of the children on the way to them.

    Those below goals are left out.
    """
    pending = [("", root)]
    while pending:
        place, node = pending.pop()
        yield place, node
        if not isinstance(node, PlanGoal):
            inside = f"{place}." if place else ""
            below = [(f"{inside}{index}", child) for index, child in enumerate(node.children)]
            pending.extend(reversed(below))


def _goals_in(root: Behaviour) -> Iterator[tuple[str, PlanGoal]]:
    return ((place, node) for place, node in _places(root) if isinstance(node, PlanGoal))


# schedules that goals share


def _schedules(root: Behaviour) -> dict[PlanningSchedule, list[tuple[str, PlanGoal]]]:
    found: dict[PlanningSchedule, list[tuple[str, PlanGoal]]] = {}
    for place, goal in _goals_in(root):
        if isinstance(goal.budget, PlanningSchedule):
            found.setdefault(goal.budget, []).append((place, goal))
    return found


def _written_schedules(root: Behaviour, agents: tuple[Agent[Any, Any], ...]) -> list[Json]:
    return [
        {
            "has": plain_data(schedule),
            "claims": {
                place: plain_data(schedule._claims[goal])
                for place, goal in goals
                if goal in schedule._claims
            },
            "attention": {
                agent.name: plain_data(schedule._attention_for(agent)) for agent in agents
            },
        }
        for schedule, goals in _schedules(root).items()
    ]


def _put_schedules(root: Behaviour, agents: tuple[Agent[Any, Any], ...], data: Json) -> None:
    for (schedule, goals), saved in zip(_schedules(root).items(), data, strict=True):
        for place, goal in goals:
            if place in saved["claims"]:
                schedule.used_by(goal, 0, waiting=True)
                put_plain_data(schedule._claims[goal], saved["claims"][place])
        for agent in agents:
            put_plain_data(schedule._attention_for(agent), saved["attention"][agent.name])
        put_plain_data(schedule, saved["has"])


# what is refused


def _check_world(world: object) -> None:
    if world is not None and not isinstance(world, Saved):
        kind = type(world).__name__
        hint = "write class World(PlainData), or methods save(self) -> JSON and load(self, saved)"
        raise InputError("BT495", f"the world is a {kind}, which has no save and load", hint=hint)


def _check(
    saved: Any,
    root: Behaviour,
    agents: tuple[Agent[Any, Any], ...],
    world: object,
    *,
    plans: bool,
) -> None:
    try:
        found, names = saved["format"], list(saved["agents"])
    except (TypeError, KeyError):
        raise damaged("it is none of bthtn") from None
    if found != FORMAT:
        written = f"{saved.get('bthtn')} in the form {found}"[:100]
        raise does_not_fit(f"the save was written by bthtn {written}, and this reads {FORMAT}")
    if names != [agent.name for agent in agents]:
        message = f"the save is of {', '.join(map(repr, names)) or 'no agents'}"
        raise does_not_fit(message, "give load the agents that save was given, in the same order")
    if (saved.get("world") is None) is not (world is None):
        message = "the save has a world" if world is None else "the save has no world"
        raise does_not_fit(message, "give save and load the same world, or none")
    if plans and any(node.status is not INVALID for node in root.iterate()):
        hint = "make the tree and its agents anew, and load the save before the first tick"
        raise ExecutionError("BT498", "a save is loaded into a tree that was ticked", hint=hint)


def _root_of(tree: BehaviourTree | Behaviour) -> Behaviour:
    root: Behaviour = tree.root if isinstance(tree, BehaviourTree) else tree
    return root
