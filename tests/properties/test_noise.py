"""What does not matter makes no difference, and nobody is interrupted in a world left alone.

Random problems are planned and run twice: in silence, and while a sensor writes a fluent that
nothing mentions before every tick. Everything that is told has to be the same.

And what is not looked at did not matter: a goal that validates its plan at every tick, and looks
for a better one after every change, does the same as one that watches.
"""

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from py_trees.common import Status

from bthtn import Fluent, fluent
from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.engine.agent.events import BeliefChanged, PlanBroken, PlanReplaced
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.replanning.optimality_monitor import OptimalityMonitor
from bthtn.engine.replanning.policy import TABLE, Replanning
from bthtn.engine.replanning.review import Review
from bthtn.studio.testing.doubles import RecordingListener, ScriptedOperator
from bthtn.studio.testing.strategies import World, problems

MOST_TICKS = 25
WRITES = 3


class NoisyWorld(World):
    """A world in which something goes on that is nobody's business."""

    noise: Fluent[int] = fluent(default=0)


def told(problem, replanning, *, noisy=False, sensed=(), review=Review):
    """The listener of a run, in which a sensor may write something else before every tick."""
    heard = RecordingListener()
    slow = Operators(simulates_others=True)
    for task in problem.domain.tasks.values():
        if isinstance(task, PrimitiveTask):
            slow.bind(task)(ScriptedOperator("RRS"))
    beliefs = NoisyWorld.over(problem.state)
    agent = Agent("a", problem.domain, beliefs, body=None, operators=slow, listener=heard)
    goal = PlanGoal(
        "goal",
        agent,
        problem.goal,
        settings=problem.settings,
        budget=None,
        max_replans=1,
        replanning=replanning,
    )
    goal._review = review(goal._search.planner, agent.beliefs, goal.name, replanning)
    goal._mount.started = goal._review.started  # as the goal wires its own
    for number in range(MOST_TICKS):
        if noisy:
            agent.believe(NoisyWorld.noise, number + 1)
        for variable, value in sensed[WRITES * (number - 1) : WRITES * number] if number else ():
            agent.believe(variable, value)
        goal.tick_once()
        if goal.status is not Status.RUNNING:
            break
    goal.shutdown()
    assert heard.faults() == []
    assert agent.beliefs.watched == 0
    return heard


def story(heard):
    lines = []
    for event in heard.events:
        if isinstance(event, BeliefChanged):
            if event.change.fluent is not NoisyWorld.noise:
                lines.append(str(event.change))
        else:
            lines += [*RecordingListener.story(_one(event)), str(getattr(event, "reason", ""))]
    return lines


def _one(event):
    heard = RecordingListener()
    heard(event)
    return heard


@given(problems())
def test_noise_makes_no_difference(problem):
    assume(not problem.settings.check_rest)  # what is foreseen is for one whole state
    silent, noisy = (told(problem, Replanning(), noisy=noisy) for noisy in (False, True))
    assert story(noisy) == story(silent)


@given(problems())
def test_a_plan_that_nobody_disturbs_is_never_interrupted(problem):
    heard = told(problem, Replanning(), noisy=True)
    # Plans do not predict what cleanups write that are owed, so these may disturb what comes next.
    interrupted = [*heard.of(PlanBroken), *heard.of(PlanReplaced)]
    assert [event for event in interrupted if not is_by_a_cleanup(event.change)] == []


def is_by_a_cleanup(change):
    return change is not None and change.source.endswith("cleaning up")


class Anxious(Review):
    """Looks at everything, all the time, and relies on nothing that it has seen before."""

    __slots__ = ()

    def __init__(self, *args, **given):
        super().__init__(*args, **given)
        self._optimality.__class__ = WatchingAll

    def verdicts(self, *args, **given):
        self._validity._is_new, self._validity._latest_check = True, None
        return super().verdicts(*args, **given)


class WatchingAll(OptimalityMonitor):
    __slots__ = ()
    _static_reads = None

    def _watch_chances(self, search):
        self._chances.over(None)


SENSED = (
    *((World.open, True), (World.open, False), (World.lit, False), (World.lit, True)),
    *((World.count, 0), (World.count, 2), (World.ammo, 0), (World.ammo, 2)),
    *((World.armed, True), (World.armed, False), (World.place, "b"), (World.place, "a")),
    *((World.seen, True), (World.seen, False), (World.at["a"], True), (World.at["b"], True)),
)


@st.composite
def disturbed(draw):
    """A problem in which effects come true as planned, and what a sensor writes in its run."""
    problem = draw(problems())
    tasks = problem.domain.tasks.values()
    promised = any(getattr(task, "actual", ()) or getattr(task, "expected", ()) for task in tasks)
    assume(not promised)
    numbers = draw(st.lists(st.integers(0, len(SENSED) - 1), min_size=20, max_size=40))
    return problem, [SENSED[number] for number in numbers]


def without_looks(heard):
    return [line for line in story(heard) if not line.startswith("PlanKept") and line not in KEPT]


KEPT = {rule.because for rule in TABLE} | {"the rest still works"}


@given(disturbed())
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_who_watches_misses_nothing_that_somebody_who_always_looks_would_see(scene):
    problem, sensed = scene
    watching, anxious = (
        told(problem, Replanning(), sensed=sensed, review=review) for review in (Review, Anxious)
    )
    assert without_looks(watching) == without_looks(anxious)
