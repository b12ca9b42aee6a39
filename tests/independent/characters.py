"""Random characters: operators of all kinds, goals in trees of py_trees, a world that moves.

A ``Character`` is drawn by a seed. ``tick`` moves its world and ticks its tree; ``stand_still``
lets nothing fail and nothing change from then on but by the character itself.
"""

from collections import Counter
from random import Random
from typing import Any

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy, Status

from bthtn import Settings
from bthtn.behaviours import (
    NO_BACKOFF,
    Agent,
    Believes,
    Completion,
    Holder,
    Leases,
    OperatorFailed,
    Operators,
    PlanGoal,
    PlanningSchedule,
    PriorityGoals,
    Replanning,
    RetryPolicy,
    Sensors,
    StateMachineGoals,
    UtilityGoals,
)
from tests.independent import model
from tests.independent.build import Built, World, fluent_of, world_of
from tests.independent.checks import Monitor

FORMS = ("simulated", "simulated", "generator", "generator", "function", "completion", "object")
LEASES = {"spot": 1, "token": 2}


class OperatorObject:
    """Runs for some ticks; its abort takes some ticks, too."""

    def __init__(self, stage: "Character", ticks: int, abort_ticks: int) -> None:
        self.stage, self.left, self.abort_ticks = stage, ticks, abort_ticks
        self.aborting = False

    def start(self) -> None:
        self.stage.may_fail()

    def tick(self) -> Status:
        if self.aborting:
            self.abort_ticks -= 1
            return Status.RUNNING if self.abort_ticks > 0 else Status.INVALID
        self.stage.may_fail()
        self.left -= 1
        return Status.RUNNING if self.left >= 0 else Status.SUCCESS

    def abort(self) -> Status | None:
        self.aborting = True
        return Status.RUNNING if self.abort_ticks > 0 else None


class Character:
    """An agent with one to three goals in a random tree. ``seen`` counts what was drawn.

    ``leases`` are those that it shares with another one.
    """

    def __init__(self, seed: str, seen: Counter[str], leases: Leases | None = None) -> None:
        self.random = random = Random(seed)  # noqa: S311 - to be the same everywhere is its purpose
        self.seen = seen
        self.still = False
        self.moves = random.choice((0.0, 0.05, 0.3))
        self.fails = random.choice((0.0, 0.0, 0.05, 0.3))
        self.settings: dict[Behaviour, Settings] = {}
        self.waiting: list[list[Any]] = []
        self.leases = Leases({"token": 2}) if leases is None else leases
        self.rival = Holder("a rival")
        self.builts: list[Built] = []
        for number in range(random.choice((1, 1, 2, 3))):
            kinds = [one for one in model.EVERYTHING if random.random() < 0.4] or ["pause"]
            author = model.Author(random, tuple(kinds), f"g{number}_")
            problem = author.problem()
            seen.update(problem.drawn)
            self.builts.append(Built(problem, f"goals_{number}"))
        self.monitor = Monitor(self.builts)
        sensors = Sensors()
        sensors.sensor(World.seen, every=random.randint(1, 3))(self._look)
        self.agent: Agent[Any, Any] = Agent(
            "Alex" if leases is None else "Robin",
            [built.domain for built in self.builts],
            world_of(self.builts[0].problem.start),
            body=self,
            operators=self._operators(),
            sensors=sensors,
            listener=self.monitor.hear,
            leases=self.leases,
        )
        self.schedule = PlanningSchedule(budget=random.choice((3, 30)), least=1)
        self.goals = [self._goal(number, built) for number, built in enumerate(self.builts)]
        self.root = self._tree(list(self.goals))
        self.root.setup_with_descendants()
        self.monitor.watch(self.agent, self.goals)

    def tick(self, root: Behaviour | None = None) -> None:
        """Move the world, then the character, by a tick."""
        self.monitor.tick += 1
        self.schedule.next_frame()
        if not self.still:
            self._move()
        for entry in list(self.waiting):
            entry[0] -= 1
            if entry[0] <= 0:
                self.waiting.remove(entry)
                entry[1]()
        self.agent.sense()
        (root or self.root).tick_once()

    def stand_still(self) -> None:
        """From now on nothing fails, and nobody else changes anything."""
        self.still = True
        for key in LEASES:
            self.leases.give_back(key, self.rival)

    def close(self) -> None:
        """Take the tree down; nothing is left."""
        self.root.stop(Status.INVALID)
        for node in self.root.iterate():
            node.shutdown()
        self.monitor.closed()

    def has_kept(self) -> list[str]:
        """The keys that somebody still has, when all who share them are closed."""
        return [key for key in LEASES if self.leases.holders(key)]

    def may_fail(self) -> None:
        """Raise, now and then, while the world moves."""
        if not self.still and self.random.random() < self.fails:
            self.seen["failures"] += 1
            raise self.random.choice((OperatorFailed("out of luck"), ValueError("a mistake")))

    def _move(self) -> None:
        random = self.random
        if random.random() < self.moves:
            key = random.choice(model.FLUENTS)
            if key[0] == model.VOLATILE:
                return  # the sensor's
            new = random.choice(model.SMALL) if key[0] in model.NUMBERS else random.random() < 0.5
            self.seen["moves"] += 1
            self.agent.believe(fluent_of(key), new, source="the world")
        if random.random() < self.moves / 2:
            key = random.choice(list(LEASES))
            taken = self.leases.give_back(key, self.rival) or self.leases.take(key, self.rival)
            self.seen["rivals"] += taken
        if random.random() < 0.01:
            self.seen["interruptions"] += 1
            self.root.stop(Status.INVALID)

    def _look(self, agent: Any) -> Any:
        if self.still or self.random.random() > self.moves:
            return None
        if self.random.random() < 0.05:
            raise ValueError("blind")
        return self.random.random() < 0.5

    # operators

    def _operators(self) -> Operators:
        operators = Operators(simulates_others=True)
        for built in self.builts:
            for name in built.problem.primitives:
                self._bind(operators, built.tasks[name], name)
        return operators

    def _bind(self, operators: Operators, task: Any, name: str) -> None:
        random = self.random
        form, ticks = random.choice(FORMS), random.choice((0, 1, 1, 2, 5))
        slow = random.choice((0, 0, 1, 3))
        lease = random.choice((None, None, None, *LEASES))
        self.seen[form] += 1

        def operator(agent: Any, *args: Any) -> Any:
            if lease is not None and not agent.take(lease) and not self.still:
                raise OperatorFailed("somebody has it")
            if form == "object":
                return OperatorObject(self, ticks, slow)
            if form == "completion":
                self.may_fail()
                done = Completion()
                answer = done.succeed if self._lucky() else lambda: done.fail("no luck")
                self.waiting.append([ticks, answer])
                return done
            return self.may_fail()

        def generator(agent: Any, *args: Any) -> Any:
            if lease is not None:
                agent.take(lease)
            try:
                for _ in range(ticks):
                    self.may_fail()
                    yield
            except GeneratorExit:
                self.seen["aborts"] += 1
                for _ in range(slow):
                    yield
                raise

        if form != "simulated":
            operators.bind(task)(generator if form == "generator" else operator)
        if random.random() < 0.25:
            self._hook(operators, task, name)

    def _lucky(self) -> bool:
        return self.still or self.random.random() >= self.fails

    def _hook(self, operators: Operators, task: Any, name: str) -> None:
        takes = self.random.random() < 0.5
        self.seen["hooks"] += 1

        @operators.on_plan_start(task)
        def begin(agent: Any, *args: Any) -> None:
            has_spot = not takes or agent.take("spot") or self.still
            if not has_spot or not self._lucky():
                self.seen["refused plans"] += 1
                raise OperatorFailed("the spot is taken")
            self.monitor.plan_started(name, args)

        @operators.on_plan_end(task)
        def end(agent: Any, *args: Any) -> None:
            self.monitor.plan_ended(name, args)

    # trees

    def _goal(self, number: int, built: Built) -> PlanGoal:
        random = self.random
        settings: dict[str, Any] = {"max_expansions": 500}
        if random.random() < 0.25:
            settings["horizon"] = random.randint(1, 3)
        if random.random() < 0.25:
            settings["check_rest"] = True
        if random.random() < 0.25:
            settings |= {"anytime": True, "max_expansions": random.choice((5, 20, 100))}
        policy = random.choice((RetryPolicy(), RetryPolicy(), RetryPolicy(after=1, backoff=2)))
        replanning = Replanning(
            interrupt=random.choice(("surprise", "surprise", "surprise", "mtr")),
            minimum_commitment=random.choice((0, 0, 3)),
            hysteresis=random.choice((0, 0, 2)),
            meanwhile=random.choice(("run", "cut")),
            repair=random.random() < 0.7,
            retrying=policy if random.random() < 0.9 else NO_BACKOFF,
        )
        self.seen.update(settings.keys())
        goal = PlanGoal(
            f"goal {number}",
            self.agent,
            built.goal,
            settings=Settings(**settings),
            budget=random.choice((1, 3, 10, 1_000, None, self.schedule)),
            max_replans=random.choice((0, 1, 3)),
            replanning=replanning,
        )
        self.settings[goal] = Settings(**settings)
        return goal

    def _tree(self, goals: list[PlanGoal]) -> Behaviour:
        random = self.random
        leaves: list[Behaviour] = [self._around(goal) for goal in goals]
        if len(goals) == 1 and random.random() < 0.5:
            return leaves[0]
        kind = random.choice(
            ("selector", "sequence", "parallel", "priority", "utility", "states", "nested")
        )
        self.seen[kind] += 1
        if kind == "nested" and len(leaves) > 1:
            inner = self._composite("selector", leaves[1:])
            return self._composite(random.choice(("sequence", "selector")), [leaves[0], inner])
        if kind == "priority":
            return PriorityGoals("first", self.agent, leaves, period=random.choice((1, 3)))
        if kind == "utility":
            worth = [World.n, World.m + 1, 2]
            values = [(leaf, worth[number]) for number, leaf in enumerate(leaves)]
            return UtilityGoals("best", self.agent, values, inertia=random.choice((0, 1)))
        if kind == "states":
            return StateMachineGoals("state", self.agent, World.n, dict(enumerate(leaves)))
        return self._composite(kind, leaves)

    def _composite(self, kind: str, children: list[Behaviour]) -> Behaviour:
        memory = self.random.random() < 0.3
        match kind:
            case "sequence":
                return py_trees.composites.Sequence("in turn", memory=memory, children=children)
            case "parallel":
                policy = self.random.choice(
                    (ParallelPolicy.SuccessOnAll(synchronise=False), ParallelPolicy.SuccessOnOne())
                )
                return py_trees.composites.Parallel("together", policy=policy, children=children)
        return py_trees.composites.Selector("choice", memory=memory, children=children)

    def _around(self, goal: PlanGoal) -> Behaviour:
        """The goal, or the goal in a decorator or behind a guard."""
        random = self.random
        match random.randrange(8):
            case 0 | 1:
                self.seen["guards"] += 1
                flag = getattr(World, random.choice(model.FLAGS))
                guard = Believes("guard", self.agent, flag if random.random() < 0.5 else ~flag)
                return py_trees.composites.Sequence("guarded", memory=False, children=[guard, goal])
            case 2:
                self.seen["decorators"] += 1
                return py_trees.decorators.Retry("retry", goal, num_failures=2)
            case 3:
                self.seen["decorators"] += 1
                return py_trees.decorators.FailureIsSuccess("try", goal)
            case 4:
                self.seen["decorators"] += 1
                return py_trees.decorators.Repeat("repeat", goal, num_success=2)
        return goal
