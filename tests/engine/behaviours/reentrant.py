"""Users' code of every kind that calls the tree or the agent in the middle of whose tick it runs.

``Scene(place, call)`` runs a character of which one piece of code makes one call, once. What came
of it is what the table of the semantics says.
"""

from asyncio import sleep
from contextlib import suppress

import py_trees
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from bthtn import Domain, Fluent, State, find_plan, fluent, method, priority
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    Completion,
    ManualClock,
    Operators,
    PlanGoal,
    Sensors,
    UtilityGoals,
    load,
    replace_root,
    save,
)
from bthtn.engine.agent.events import GoalEnded, LeafAborted, LeafEnded, LeafStarted
from bthtn.engine.replanning.schedule import PlanningSchedule
from bthtn.errors import BthtnError
from bthtn.kit import Crowd


class Yard(State):
    """What the agent believes."""

    open: Fluent[bool] = fluent(default=True)
    noise: Fluent[int] = fluent(default=0)
    seen: Fluent[int] = fluent(default=0)
    done: Fluent[int] = fluent(default=0)


class Spy:
    """An operator object; it writes down what is done to it."""

    def __init__(self, scene, script):
        self.scene, self.script, self.calls = scene, list(script), []
        scene.spies.append(self)

    def start(self):
        self.calls.append("start")
        self.scene.at("start")

    def tick(self):
        self.calls.append("tick")
        self.scene.at("tick")
        letter = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return {"R": Status.RUNNING, "S": Status.SUCCESS, "F": Status.FAILURE}[letter]

    def abort(self):
        self.calls.append("abort")
        self.scene.at("abort")


class Leaf(py_trees.behaviour.Behaviour):
    """A behaviour of py_trees of which an operator is made."""

    def __init__(self, scene):
        super().__init__("leaf")
        self.scene, self.left = scene, 3

    def update(self):
        self.scene.at("a behaviour of an operator")
        self.left -= 1
        return Status.RUNNING if self.left else Status.SUCCESS


PLACES = {
    "operator": (
        *("a function without yield", "start", "tick", "abort", "a generator", "its finally"),
        *("a coroutine", "on_abort of a Completion", "a behaviour of an operator"),
    ),
    "hook": ("on_plan_start", "on_plan_end"),
    "function of the domain": (
        *("precondition", "exec_only", "during", "condition of a method", "a method", "a cost"),
        *("effects", "on_start", "actual", "on_failure", "on_abort"),
    ),
    "function of the tree": ("Believes", "a utility"),
    "sensor": ("a sensor",),
    "clock": ("the clock",),
    "listener": ("the listener",),
}
"""The pieces of users' code, by the rows of the table."""

ABORTS = ("abort", "its finally", "on_abort of a Completion", "on_abort", "on_plan_end")


class Scene:
    """A character in whose code one call is made, in its second tick or when it gives up."""

    def __init__(self, place, call):
        self.place, self.call = place, call
        self.is_armed, self.tick = False, 0
        self.answers, self.heard, self.spies = [], [], []
        self.character = self.made()
        self.agent, self.tree = self.character.agent, self.character.tree
        self.crowd = Crowd(PlanningSchedule(budget=1_000))

    def at(self, place):
        """Called at a place: make the call, if it is there."""
        if place == self.place and self.is_armed:
            self.is_armed = False
            try:
                self.answers.append(CALLS[self.call](self))
            except BthtnError as error:
                self.answers.append(error)
                raise

    def saying(self, place, value=True):
        """A function of the state that is asked at a place."""

        def function(state):
            self.at(place)
            return value if not callable(value) else value(state)

        return function

    def changing(self, place):
        def effect(state):
            self.at(place)

        return effect

    def made(self):
        """The character, anew."""
        place = self.place
        yard = Domain("yard", Yard)
        effects = ("effects", "on_start", "actual", "on_failure", "on_abort")
        named = {name: self.changing(name) for name in effects if name == place}
        conditions = ("precondition", "exec_only", "during")
        named |= {name: self.saying(name) for name in conditions if name == place}
        if place == "a cost":
            named["cost"] = self.saying(place, 1)
        first = yard.primitive("first", **named)

        last = yard.primitive("last", effects=Yard.done.increases(1))

        def found(state):
            self.at("a method")
            return [last()]

        @yard.compound
        def rest():
            yield method(found)

        @yard.compound
        def work():
            when = self.saying("condition of a method")
            yield method(first(), rest(), when=when)
            yield method(last())

        goal_network = work()
        if place == "on_failure":
            goal_network = priority(first(), last())
        operators = Operators(simulates_others=True)
        operators.bind(first)(self.operator())
        operators.on_plan_start(last)(lambda agent: self.at("on_plan_start"))
        operators.on_plan_end(last)(lambda agent: self.at("on_plan_end"))
        sensors = Sensors()

        @sensors.sensor(Yard.seen)
        def eyes(agent):
            self.at("a sensor")
            return self.tick

        clock = ManualClock()

        def time():
            self.at("the clock")
            clock.advance(1)
            return clock()

        agent = Agent(
            "Rex",
            yard,
            Yard(),
            body=self,
            operators=operators,
            sensors=sensors,
            clock=time,
            listener=self.hear,
        )
        self.network, self.last = goal_network, last()
        return Character(self.new_root(agent), agent)

    def new_root(self, agent):
        """The tree, anew."""
        self.goal = PlanGoal("work", agent, self.network)
        guard = Believes("open", agent, self.saying("Believes", lambda state: state.open))
        other = PlanGoal("other", agent, self.last)
        utility = self.saying("a utility", 2)
        goals = UtilityGoals("goals", agent, [(self.goal, utility), (other, 1)])
        guarded = Sequence("guarded", memory=False, children=[guard, goals])
        idle = py_trees.behaviours.Running("idle")
        return Selector("root", memory=False, children=[guarded, idle])

    def operator(self):
        place = self.place
        if place == "a function without yield":
            return lambda agent: self.at(place)
        if place == "a generator":

            def generator(agent):
                yield
                self.at(place)
                yield

            return generator
        if place == "its finally":

            def cleaning(agent):
                try:
                    for _ in range(3):
                        yield
                finally:
                    self.at(place)

            return cleaning
        if place == "a coroutine":

            async def coroutine(agent):
                await nothing()
                self.at(place)
                await nothing()

            return coroutine
        if place == "on_abort of a Completion":
            return lambda agent: self.completed()
        if place == "a behaviour of an operator":
            return lambda agent: Leaf(self)
        return lambda agent: Spy(self, "F" if place == "on_failure" else "RRS")

    def completed(self):
        done = Completion(on_abort=lambda: self.at(self.place))
        self.completion = done
        return done

    def newer(self, running):
        """What a reload makes."""
        return Character(self.new_root(running.agent), running.agent)

    def hear(self, event):
        self.heard.append(event)
        with suppress(BthtnError):  # a listener that raises is heard no more
            self.at("the listener")

    def play(self):
        """Play it: two ticks, the call, and some more. Returns the faults."""
        self.ticked()
        for _ in range(3):
            self.is_armed = self.place not in ABORTS and not self.answers
            self.ticked()
        if not self.answers and self.place in ABORTS:
            self.is_armed = True
            self.agent.believe(Yard.open, False)
            self.ticked()
        for _ in range(10):
            if self.answers:
                break
            self.is_armed = True
            self.agent.believe(Yard.noise, self.tick)
            self.agent.believe(Yard.open, self.tick % 4 != 0)
            self.ticked()
        self.is_armed = False
        self.agent.believe(Yard.open, True)
        faults = [] if self.reaches() else ["nothing is reached any more"]
        self.tree.root.stop(Status.INVALID)
        faults += [] if len(self.answers) == 1 else [f"called {len(self.answers)} times"]
        faults += self.unbalanced()
        self.tree.shutdown()
        return faults

    def reaches(self):
        """Tick until a goal has succeeded, eight times at most. Returns whether one has."""
        before = len(self.heard)
        for _ in range(8):
            self.ticked()
            ended = [one for one in self.heard[before:] if isinstance(one, GoalEnded)]
            if any(one.succeeded for one in ended):
                return True
        return False

    def ticked(self):
        self.tick += 1
        done = getattr(self, "completion", None)
        if done is not None and self.tick > 8:
            done.succeed()
        self.character.tick()

    def unbalanced(self):
        starts = [one.leaf for one in self.heard if isinstance(one, LeafStarted)]
        ends = [one.leaf for one in self.heard if isinstance(one, LeafEnded | LeafAborted)]
        faults = [] if sorted(starts) == sorted(ends) else [f"{starts} started, {ends} ended"]
        for spy in self.spies:
            if spy.calls.count("start") != 1 or spy.calls.count("abort") > 1:
                faults.append(f"an operator heard {spy.calls}")
            if "abort" in spy.calls and spy.calls[-1] != "abort":
                faults.append(f"an operator heard {spy.calls}")
        return faults

    @property
    def outcome(self):
        answer = self.answers[0]
        if isinstance(answer, BthtnError):
            return answer.code
        return answer


async def nothing():
    """Wait until the next tick."""
    await sleep(0)


def stopped(scene, stop):
    """Stop it. Returns whether that is done by now, or will be at the end of the tick."""
    stop()
    return "later" if scene.goal.status is Status.RUNNING else "yes"


def shut_down(scene, stop):
    """Shut it down. Returns whether that is done by now, or will be at the end of the tick."""
    stop()
    is_open = scene.agent._runtime.thread is not None
    return "later" if is_open else "yes"


def done(call):
    call()
    return "yes"


CALLS = {
    "goal.tick_once()": lambda scene: done(scene.goal.tick_once),
    "root.tick_once()": lambda scene: done(scene.tree.root.tick_once),
    "tree.tick()": lambda scene: done(scene.tree.tick),
    "character.tick()": lambda scene: done(scene.character.tick),
    "agent.sense()": lambda scene: done(scene.agent.sense),
    "goal.stop(INVALID)": lambda scene: stopped(scene, lambda: scene.goal.stop(Status.INVALID)),
    "root.stop(INVALID)": lambda scene: stopped(
        scene, lambda: scene.tree.root.stop(Status.INVALID)
    ),
    "tree.shutdown()": lambda scene: shut_down(scene, scene.tree.shutdown),
    "character.stop()": lambda scene: shut_down(scene, scene.character.stop),
    "agent.close()": lambda scene: done(scene.agent.close),
    "save(tree, agent)": lambda scene: done(lambda: save(scene.tree, scene.agent)),
    "load(saved, …)": lambda scene: done(lambda: load({}, scene.tree, scene.agent)),
    "agent.reload(made)": lambda scene: done(
        lambda: scene.agent.reload(Scene("nowhere", "").agent)
    ),
    "replace_root(…)": lambda scene: done(
        lambda: replace_root(scene.tree, scene.new_root(scene.agent))
    ),
    "character.reload(make)": lambda scene: done(lambda: scene.character.reload(scene.newer)),
    "agent.plan_with(domain)": lambda scene: done(
        lambda: scene.agent.plan_with(scene.agent.domain)
    ),
    "agent.believe(…)": lambda scene: done(lambda: scene.agent.believe(Yard.noise, 7)),
    "agent.believe_soon(…)": lambda scene: done(lambda: scene.agent.believe_soon(Yard.noise, 8)),
    "agent.take, give_back": lambda scene: done(
        lambda: (scene.agent.take("key"), scene.agent.give_back("key"))
    ),
    "find_plan(…)": lambda scene: done(
        lambda: find_plan(scene.agent.domain, scene.agent.beliefs.now, scene.goal.goal)
    ),
    "goal.explain()": lambda scene: done(scene.goal.explain),
}

WORDS = {"yes": "done", "later": "done at the end of the tick"}


def outcomes(every):
    """What comes of calls at places, in the words of the table, and the faults.

    Of the calls at each place it is every so many, and so it is of the places of each call.
    """
    found, faults = {}, []
    places = [place for places in PLACES.values() for place in places]
    for number, place in enumerate(places):
        for call in [*CALLS][number % every :: every]:
            scene = Scene(place, call)
            faults += [f"{call} in {place}: {fault}" for fault in scene.play()]
            outcome = scene.outcome if scene.answers else "never made"
            refused = f"refused: [{outcome}](errors/{outcome}.md)"
            found[place, call] = WORDS.get(outcome, refused)
    return found, faults


def table(text):
    """The outcomes that the table of the semantics lists for each call at each place."""
    lines = text[text.index("| calls | ") :].partition("\n\n")[0].splitlines()
    (_, *heads), _, *rows = [line.strip("| ").split(" | ") for line in lines]
    return {
        (place, call): cell
        for calls, *cells in rows
        for call in calls.strip("`").split("`, `")
        for head, cell in zip(heads, cells, strict=True)
        for place in head.split(", ")
    }
