"""Save games: a tree and its agents as JSON, and back.

    saved = save(tree, agent)            between two ticks; json.dumps accepts it
    load(saved, tree, agent)             into a tree and an agent that were made anew

The agent goes on as the one that was never stopped: with its beliefs, failures and leases, and in
the middle of its plan. Operators that run are called again, or their ``on_resume`` hooks.
"""

from __future__ import annotations

from contextlib import suppress
from operator import index
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Running
from py_trees.trees import BehaviourTree

from bthtn.agent.agent import Agent
from bthtn.agent.reentrance import refuse_at_work
from bthtn.behaviours.plan_behaviour import LeanBehaviour
from bthtn.behaviours.plan_goal import PlanGoal
from bthtn.behaviours.reloading import search_of
from bthtn.behaviours.status import INVALID
from bthtn.errors import BthtnError, ExecutionError, InputError, StateError, exception_text
from bthtn.saving.attributes import PER_PROCESS, package_of
from bthtn.saving.matches import damaged
from bthtn.saving.parts import Parts
from bthtn.saving.reader import GraphReader, does_not_fit
from bthtn.saving.writer import GraphWriter
from bthtn.version import VERSION
from bthtn.world.state import FrozenState

FORMAT: Final = "bthtn-save/1"


def save(
    tree: BehaviourTree | Behaviour, *agents: Agent[Any, Any], world: object = None
) -> dict[str, Any]:
    """The agents, their tree and a world as JSON, between two ticks.

    The ``world`` is an object of attributes, of which those are saved that are plain data or
    objects of classes of its package; or it has ``save() -> JSON`` and ``load(saved)``. Raises
    InputError for a belief whose value cannot be written, ExecutionError in the middle of a tick.
    """
    for agent in agents:
        refuse_at_work(agent, "is saved")
    root = _root_of(tree)
    parts, everything = Parts(), (*agents, root)
    _name_parts(parts, everything)
    writer = GraphWriter(parts, package_of(world))
    beliefs = {
        agent.name: [writer.write(belief) for belief in agent.beliefs.frozen().items()]
        for agent in agents
    }
    return {
        "format": FORMAT,
        "bthtn": VERSION,
        "ticks": tree.count if isinstance(tree, BehaviourTree) else None,
        "beliefs": beliefs,
        "running": writer.write(everything),
        "world": writer.write(world),
        "objects": writer.objects,
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
    is used that an older version of the domain, the tree or the library has written. Raises
    InputError for a save that is damaged or does not fit, and ExecutionError for a tree that was
    ticked. A partly loaded character is of no further use.
    """
    for agent in agents:
        refuse_at_work(agent, "is loaded")
    _check(saved, _root_of(tree), agents, world, plans=plans)
    try:
        _load(saved, tree, agents, world, plans=plans)
    except BthtnError:
        raise
    except Exception as error:
        raise damaged(exception_text(error)) from error


def _load(
    saved: dict[str, Any],
    tree: BehaviourTree | Behaviour,
    agents: tuple[Agent[Any, Any], ...],
    world: object,
    *,
    plans: bool,
) -> None:
    reader = GraphReader(
        saved["objects"],
        package_of(world),
        name_parts=_name_parts,
        is_node=_is_node,
        prepare=_prepare,
    )
    everything = (*agents, _root_of(tree))
    if plans:
        both = ["tuple", saved["running"], saved["world"]]
        running, whole = reader.load(both, (everything, world))
        if running != everything or whole is not world:
            raise damaged("what runs in it, or its world, is something else")
    else:
        reader.leave(saved["running"], everything)
        _believe(saved["beliefs"], agents, reader)
        reader.load(saved["world"], world)
    reader.resume()
    if isinstance(tree, BehaviourTree):
        ticks = saved["ticks"]  # None if there was no BehaviourTree
        tree.count = 0 if ticks is None else index(ticks)


def _believe(
    saved: dict[str, Any], agents: tuple[Agent[Any, Any], ...], reader: GraphReader
) -> None:
    for agent in agents:
        values = {}
        for belief in saved[agent.name]:
            with suppress(InputError, StateError):  # there is no such fluent, or value, any more
                fluent, value = reader.load(belief, None)
                agent.beliefs.check(fluent, value)
                values[fluent] = value
        agent.beliefs.replace(type(agent.beliefs.now).over(FrozenState(values)))


def _check(
    saved: Any,
    root: Behaviour,
    agents: tuple[Agent[Any, Any], ...],
    world: object,
    *,
    plans: bool,
) -> None:
    try:
        found, names = (saved["format"], saved["bthtn"]), list(saved["beliefs"])
    except (TypeError, KeyError):
        raise damaged("it is none of bthtn") from None
    now = (FORMAT, VERSION)
    if plans and found != now:
        raise does_not_fit(f"the save was written by bthtn {found[1]}, and this is {now[1]}")
    if names != [agent.name for agent in agents]:
        message = f"the save is of {', '.join(map(repr, names)) or 'no agents'}"
        raise does_not_fit(message, "give load the agents that save was given, in the same order")
    if (saved.get("world") is None) is not (world is None):
        message = "the save has a world" if world is None else "the save has no world"
        raise does_not_fit(message, "give save and load the same world, or none")
    if any(node.status is not INVALID for node in root.iterate()):
        hint = "make the tree and its agents anew, and load the save before the first tick"
        raise ExecutionError("BT498", "a save is loaded into a tree that was ticked", hint=hint)


def _root_of(tree: BehaviourTree | Behaviour) -> Behaviour:
    root: Behaviour = tree.root if isinstance(tree, BehaviourTree) else tree
    return root


def _name_parts(parts: Parts, whole: object) -> None:
    """Add the parts of the domains of agents, and of the goals in a tree by their places."""
    match whole:
        case tuple():
            for part in whole:
                _name_parts(parts, part)
        case Agent():
            for domain in whole.domains:
                parts.add(domain.name, domain)
            parts.add(f"beliefs of {whole.name}", type(whole.beliefs.now))
        case Behaviour():
            for node in whole.iterate():
                if isinstance(node, PlanGoal):
                    place, search = f"goal {_place_of(node)}", search_of(node)
                    parts.add(place, search.goal)
                    parts.add(f"{place}, planned", search.planner.goal)
                    parts.add(f"{place}, domain", search.planner.domain)
        case _:
            pass


def _place_of(node: Behaviour) -> str:
    """The numbers of the children on the way from the root to a node."""
    numbers: list[str] = []
    while node.parent is not None:
        numbers.append(str(node.parent.children.index(node)))
        node = node.parent
    return ".".join(reversed(numbers))


def _is_node(part: object) -> bool:
    return isinstance(part, Behaviour)


def _prepare(part: Any) -> None:
    if isinstance(part, Behaviour) and not isinstance(part, LeanBehaviour):
        for name, value in vars(Running(part.name)).items():
            if name in PER_PROCESS:
                setattr(part, name, value)
        part.iterator = part.tick()
