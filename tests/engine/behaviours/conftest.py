"""A stage: a domain whose tasks follow scripts, somebody to act, and a goal for him."""

import py_trees
import pytest
from py_trees.common import Status

from bthtn import Domain, Settings, defer, method, null, parallel, pause, priority
from bthtn.behaviours import Agent, OperatorFailed, Operators, PlanGoal
from bthtn.studio.testing.doubles import RecordingListener, ScriptedOperator, ticks
from bthtn.studio.testing.strategies import World

STATUS = {"R": Status.RUNNING, "S": Status.SUCCESS, "F": Status.FAILURE}


class Stage:
    """Names tasks, binds scripts to them, and puts one agent and its goals on."""

    def __init__(self):
        self.domain = Domain("stage", World)
        self.operators = Operators(simulates_others=True)
        self.heard = RecordingListener()
        self.code = {}
        self.actor = None

    def task(self, name, *scripts, raises=(), at_tick=lambda: None, abort_ticks=0, **described):
        """A primitive task that follows a script; without one it is simulated."""
        task = self.domain.primitive(name, **described)
        if scripts or raises:
            self.code[name] = ScriptedOperator(
                *scripts, raises=raises, at_tick=at_tick, abort_ticks=abort_ticks
            )
            self.operators.bind(task)(self.code[name])
        return task

    def step(self, name, *scripts, **described):
        """The call of such a task."""
        return self.task(name, *scripts, **described)()

    def run_by(self, name, operator, **described):
        """The call of a task that any kind of operator runs."""
        task = self.domain.primitive(name, **described)
        self.operators.bind(task)(operator)
        return task()

    def compound(self, name, methods):
        """The call of a compound task; ``methods`` is called when the domain is frozen."""

        def define():
            yield from methods()

        define.__name__ = name
        return self.domain.compound(define)()

    def agent(self, **given):
        """The one who acts, with these beliefs."""
        if self.actor is None:
            self.actor = Agent(
                "somebody",
                self.domain,
                World(**given),
                body=None,
                operators=self.operators,
                listener=self.heard,
            )
        return self.actor

    def goal(self, network, /, *, name="goal", horizon=None, check_rest=False, **options):
        """A goal for the agent, who believes what no option is called."""
        known = ("budget", "max_replans", "replanning", "settings")
        beliefs = {key: value for key, value in options.items() if key not in known}
        options = {key: value for key, value in options.items() if key in known}
        if horizon is not None or check_rest:
            options["settings"] = Settings(horizon=horizon, check_rest=check_rest)
        return PlanGoal(name, self.agent(**beliefs), network, **options)

    def play(self, network, count, /, **options):
        """The letters of so many ticks of a goal that gives up after one plan."""
        goal = self.goal(network, **{"max_replans": 0} | options)
        return ticks(goal, count)

    def play_out(self, goal, most=200):
        """The letters of a goal's ticks until it ends, which it has to."""
        letters = ""
        while not letters or letters[-1] == "R":
            assert len(letters) < most, f"it hangs: {self.heard.story()[-20:]}"
            letters += ticks(goal, 1)
        return letters

    def believes(self, variable):
        return self.actor.beliefs.get(variable)


class Child(py_trees.behaviour.Behaviour):
    """A behaviour that follows a script and writes down what is done to it."""

    def __init__(self, name, script, log):
        super().__init__(name)
        self.script = script
        self.log = log
        self.ticked = 0

    def initialise(self):
        self.log.append(f"start {self.name}")

    def update(self):
        letter = self.script[min(self.ticked, len(self.script) - 1)]
        self.ticked += 1
        self.log.append(f"tick {self.name}")
        return STATUS[letter]

    def terminate(self, new_status):
        if new_status is Status.INVALID and self.status is Status.RUNNING:
            self.log.append(f"abort {self.name}")


def as_generator(code):
    def operator(agent):
        run = code(agent)
        run.start()
        try:
            while (answer := run.tick()) is Status.RUNNING:
                yield
            if answer is not Status.SUCCESS:
                raise OperatorFailed(str(answer))
        finally:
            if not run.over:
                run.abort()

    return operator


class AsBehaviour(py_trees.behaviour.Behaviour):
    """Follows the script of an operator as a py_trees behaviour."""

    def __init__(self, code):
        super().__init__("code")
        self.code = code
        self.run = None

    def initialise(self):
        self.run = self.code(None)
        self.run.start()

    def update(self):
        answer = self.run.tick()
        return answer if isinstance(answer, Status) else Status.FAILURE

    def terminate(self, new_status):
        if new_status is Status.INVALID and self.status is Status.RUNNING and not self.run.over:
            self.run.abort()


class Player:
    """Builds the networks of one scene; every leaf is a task of its own."""

    def __init__(self, stage):
        self.stage = stage
        self.effects = {}
        self.compounds = 0

    def sense(self, variable, value):
        self.stage.actor.believe(variable, value, "sensor")

    def network(self, drawn):
        if isinstance(drawn, dict):
            return self.leaf(drawn)
        kind, *more = drawn
        match kind:
            case "null":
                return null()
            case "defer":
                return defer(self.compound(more[:1]), ensures=more[1])
            case "pause":
                return (pause(), self.network(more[0]))
            case "compound":
                return self.compound(more[0])
        parts = [self.network(one) for one in more[0]]
        match kind:
            case "parallel":
                return parallel(*parts, policy=more[1])
            case "priority":
                return priority(*parts, reactive=more[1])
            case _:
                return tuple(parts)

    def compound(self, alternatives):
        bodies = [self.network(one) for one in alternatives]
        self.compounds += 1
        return self.stage.compound(
            f"compound_{self.compounds}", lambda: [method(body) for body in bodies]
        )

    def leaf(self, drawn):
        name = f"t{len(self.effects)}"
        self.effects[name] = drawn["effects"]
        task = self.stage.domain.primitive(
            name,
            precondition=drawn["precondition"],
            exec_only=drawn["exec_only"],
            effects=[getattr(fluent, verb)(value) for fluent, verb, value in drawn["effects"]],
            uses=drawn["uses"] or (),
            duration=len(drawn["scripts"][0]) - 1,
        )
        if drawn["form"] != "simulated":
            self.bind(name, task, drawn)
        return task()

    def bind(self, name, task, drawn):
        senses = drawn["senses"]
        code = ScriptedOperator(
            *drawn["scripts"],
            raises=drawn["raises"],
            at_tick=lambda: senses and self.sense(*senses),
        )
        forms = {
            "object": code,
            "generator": as_generator(code),
            "behaviour": lambda agent: AsBehaviour(code),
        }
        self.stage.code[name] = code
        self.stage.operators.bind(task)(forms[drawn["form"]])


@pytest.fixture
def stage():
    return Stage()


@pytest.fixture(scope="session")
def new_stage():
    """Makes as many stages as a test wants."""
    return Stage


@pytest.fixture(scope="session")
def new_player():
    """Builds networks from nested tuples, each on a stage of its own."""
    return lambda: Player(Stage())


@pytest.fixture
def log():
    return []


@pytest.fixture
def child(log):
    """Makes children that write into ``log``."""
    return lambda name, script: Child(name, script, log)
