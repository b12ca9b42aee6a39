"""A robot that brings a parcel to a room, by servers that the tests steer."""

from types import SimpleNamespace

import pytest
from py_trees.common import Status
from py_trees.trees import BehaviourTree

from bthtn import Domain, Fluent, Methods, State, fluent, method, null, primitive
from bthtn.behaviours import (
    Agent,
    Operators,
    PlanGoal,
    Replanning,
    RetryPolicy,
    attach,
)
from bthtn.events import LeafEnded
from bthtn.ros import (
    ActionOperator,
    FakeActionServer,
    FakeNode,
    FakeService,
    RosClock,
    ServiceOperator,
)
from bthtn.testing import RecordingListener


class Robot(State):
    at: Fluent[str] = fluent(default="dock")
    left: Fluent[int] = fluent(default=0)
    told: Fluent[bool] = fluent(default=False)


office = Domain("office", Robot)


@office.primitive
def drive(to: str):
    return primitive(effects=Robot.at.becomes(to))


crawl = office.primitive("crawl", effects=Robot.at.becomes("room"))
ring = office.primitive("ring", precondition=Robot.at == "room", effects=Robot.told.becomes(True))


@office.compound
def go() -> Methods:
    yield method(null(), when=Robot.at == "room")
    yield method(drive("room"))
    yield method(crawl())


@office.compound
def deliver() -> Methods:
    yield method(go(), ring())


class Delivery:
    """A tree that delivers, beside which a test plays the servers of both actions and a service."""

    def __init__(self, **settings):
        self.node = FakeNode()
        self.wheels, self.legs, self.bell = FakeActionServer(), FakeActionServer(), FakeService()
        self.judged = []
        operators = Operators()
        driving = ActionOperator(
            self.wheels.client,
            lambda agent, to: {"to": to},
            on_feedback=lambda agent, feedback: agent.believe(Robot.left, feedback),
            judge=lambda agent, result: self.judged.append(result) or result,
            **settings,
        )
        operators.bind(drive)(driving)
        operators.bind(crawl)(ActionOperator(self.legs.client, lambda agent: "crawl"))
        ringing = ServiceOperator(
            self.bell.client, lambda agent: "ring", judge=lambda agent, response: response
        )
        operators.bind(ring)(ringing)
        self.heard = RecordingListener()
        self.agent = Agent(
            "rob",
            office,
            Robot(),
            body=None,
            operators=operators,
            listener=self.heard,
            clock=RosClock(self.node),
            strict=True,
        )
        replanning = Replanning(retrying=RetryPolicy(after=1))
        self.goal = PlanGoal("deliver", self.agent, deliver(), replanning=replanning)
        self.tree = BehaviourTree(self.goal)
        attach(self.tree, self.agent)

    def tick(self, seconds=0.0):
        """Let time pass, and tick. Returns the goal's status."""
        self.node.spin(seconds)
        self.tree.tick()
        return self.goal.status

    def interrupt(self):
        """What a tree does that switches to another branch."""
        self.goal.stop(Status.INVALID)

    @property
    def reasons(self):
        """Why steps have failed."""
        return [ended.reason for ended in self.heard.of(LeafEnded) if not ended.succeeded]

    def owes_nothing(self):
        """Whether every step that started has ended, and no server runs a goal."""
        owed = (self.heard.running(), self.agent.aborts, self.wheels.running, self.legs.running)
        return not any(owed) and not self.bell.waiting and self.heard.faults() == []


@pytest.fixture
def delivery():
    return Delivery()


@pytest.fixture
def delivery_with():
    return Delivery


@pytest.fixture
def world():
    return SimpleNamespace(Robot=Robot, office=office, drive=drive, ring=ring)
