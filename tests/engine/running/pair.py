"""A scene run twice, by PlanGoal and by the running reference; what each of them tells."""

from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy as TreePolicy
from py_trees.common import Status
from py_trees.composites import Parallel as TreeParallel
from py_trees.composites import Selector
from py_trees.composites import Sequence as TreeSequence

from bthtn import Settings
from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.engine.agent import events as told
from bthtn.engine.replanning.policy import Replanning, RetryPolicy
from bthtn.studio.testing.doubles import RecordingListener, ScriptedOperator
from bthtn.studio.testing.playground import World
from tests.engine.running.mind import Mind
from tests.engine.running.reference import Goal
from tests.properties.scenes import LIMITS


def compared(scene):
    """What PlanGoal and the reference tell, tick by tick, as far as both have to do the same."""
    specified = [*specified_ticks(scene)]
    return [tick for tick, _ in zip(planned_ticks(scene), specified, strict=False)], specified


def planned_ticks(scene):
    """For each tick what has happened, and the statuses and records of the goals."""
    agent = Agent(
        "somebody",
        scene.domain,
        World.over(scene.state),
        body=None,
        operators=(operators := Operators(simulates_others=True)),
        listener=(heard := RecordingListener()),
    )
    for task, operator in operators_of(scene).items():
        operators.bind(task)(operator)
    options = {
        "settings": Settings(**scene.settings, **LIMITS),
        "budget": None,
        "max_replans": scene.max_replans,
        "replanning": Replanning(**scene.replanning, retrying=RetryPolicy(**scene.retrying)),
    }
    goals = [PlanGoal(name, agent, goal, **options) for name, goal in named(scene.goals)]
    root, starts = tree_of(scene, goals, agent.beliefs), {}
    for changes in scene.changes:
        heard.clear()
        for fluent, value in changes:
            agent.believe(fluent, value)
        agent.sense()
        root.tick_once()
        events = (plain(event, starts) for event in heard.events)
        yield [event for event in events if event], now(goals)


def specified_ticks(scene):
    """The same of the reference."""
    mind = Mind(scene.domain, scene.state, operators_of(scene))
    options = {
        "settings": Settings(**scene.settings, **LIMITS),
        "max_replans": scene.max_replans,
        "retrying": scene.retrying,
        **scene.replanning,
    }
    goals = [Goal(name, mind, goal, **options) for name, goal in named(scene.goals)]
    root = tree_of(scene, goals, mind)
    for changes in scene.changes:
        mind.events.clear()
        for fluent, value in changes:
            mind.write(fluent, value, "sensor")
        mind.begin_tick()
        root.tick_once()
        yield [*mind.events], now(goals)


def named(goals):
    return zip(("first", "second"), goals, strict=False)


def now(goals):
    return [(goal.status, tuple(goal.record)) for goal in goals]


def tree_of(scene, goals, beliefs):
    """The tree of a scene."""
    match scene.tree:
        case "alone":
            return goals[0]
        case "beside":
            return TreeParallel("root", TreePolicy.SuccessOnAll(synchronise=False), goals)
        case _:
            guarded = TreeSequence("first", memory=False, children=[Lit(beliefs), goals[0]])
            return Selector("root", memory=False, children=[guarded, goals[1]])


class Lit(Behaviour):
    """A guard."""

    def __init__(self, beliefs):
        super().__init__("lit")
        self.beliefs = beliefs

    def update(self):
        return Status.SUCCESS if self.beliefs.get(World.lit) is True else Status.FAILURE


def operators_of(scene):
    made = scene.scripts.items()
    return {task: ScriptedOperator(*scripts, abort_ticks=ticks) for task, (scripts, ticks) in made}


def plain(event, starts):
    """An event as the reference tells it, None if that tells no such event.

    ``starts`` has the numbers of the starts so far.
    """
    match event:
        case told.LeafStarted():
            starts[event.leaf] = len(starts) + 1
            return ("start", starts[event.leaf], event.task)
        case told.LeafEnded():
            return ("done" if event.succeeded else "failed", starts[event.leaf], event.task)
        case told.LeafAborting():
            return ("aborting", starts[event.leaf], event.task)
        case told.LeafAborted():
            return ("aborted", starts[event.leaf], event.task)
        case told.LeafWaits():
            return ("waits", event.task)
        case told.LeafRefused():
            return ("refused", event.task)
        case told.PlanAdopted():
            return ("plan adopted", event.goal, event.plan.record)
        case told.PlanRepaired():
            return ("plan repaired", event.goal, event.plan.record)
        case told.PlanResumed():
            return ("plan resumed", event.goal, event.cause, event.plan.record)
        case told.PlanReplaced():
            return ("plan replaced", event.goal)
        case told.PlanBroken():
            return ("plan broken", event.goal, event.step)
        case told.PlanFailed():
            return ("plan failed", event.goal, event.again)
        case told.PlanAborted():
            return ("plan aborted", event.goal)
        case told.TaskAvoided():
            about = event.failures, event.ticks, event.fluents
            return ("task avoided", event.goal, event.task, *about)
        case told.GoalWaits():
            return ("goal waits", event.goal, event.failures, event.ticks, event.fluents)
        case told.CleanupStarted():
            return ("clean up", event.goal)
        case told.CleanupEnded():
            return ("cleaned up" if event.succeeded else "did not clean up", event.goal)
        case told.GoalEnded():
            return ("goal ended", event.goal, event.succeeded)
        case _:
            return None
