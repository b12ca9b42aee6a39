"""bthtn.ros with real servers of ROS 2: needs an installation, which .github/workflows/ros.yml has.

`make test` does not collect this file. With ROS 2 sourced, and bthtn and pytest beside it:

    python3 -m pytest -c /dev/null --rootdir . --noconftest tests/ros/real_actions.py
"""

from threading import Thread
from time import sleep

import pytest
import rclpy
from example_interfaces.action import Fibonacci
from py_trees.behaviours import Running
from py_trees.common import Status
from py_trees.trees import BehaviourTree
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Int32, String
from std_srvs.srv import SetBool

from bthtn import UNKNOWN, Domain, Fluent, State, fluent, primitive
from bthtn.behaviours import Agent, Operators, PlanGoal, Sensors, attach
from bthtn.events import ClockSetBack, LeafEnded
from bthtn.ros import ActionOperator, RosClock, ServiceOperator, TopicSensor, tick_by_timer
from bthtn.testing import RecordingListener

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Counter(State):
    order: Fluent[int] = fluent(default=0)
    latest: Fluent[int] = fluent(default=0)
    lit: Fluent[bool] = fluent(default=False)
    heard: Fluent[int] = fluent(default=0)


counting = Domain("counting", Counter)


@counting.primitive
def count(order: int):
    return primitive(effects=Counter.order.becomes(order))


@counting.primitive
def light(lit: bool):
    return primitive(effects=Counter.lit.becomes(lit))


class Server:
    """An action server that ends its latest goal when a test says so."""

    def __init__(self, node):
        self.node = node
        self.response = GoalResponse.ACCEPT
        self.begin()

    def begin(self):
        self.handles = []
        self.server = ActionServer(
            self.node,
            Fibonacci,
            "fibonacci",
            lambda handle: Fibonacci.Result(),
            goal_callback=lambda goal: self.response,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
            handle_accepted_callback=self.handles.append,
        )

    def go_away(self):
        """End the server, which its node would not do."""
        self.server.destroy()

    def end(self, how):
        """Let the latest goal ``succeed``, ``abort`` or be ``canceled``."""

        def finish(handle):
            getattr(handle, how)()
            return Fibonacci.Result(sequence=[0, 1, 1])

        self.handles[-1].execute(finish)

    def feedback(self, latest):
        self.handles[-1].publish_feedback(Fibonacci.Feedback(sequence=[latest]))

    @property
    def is_asked_to_cancel(self):
        return bool(self.handles) and self.handles[-1].is_cancel_requested


class Robot:
    """A tree with a goal in one node, the servers in another one, and an executor of both."""

    def __init__(self, executor):
        self.node, self.other = Node("robot"), Node("servers")
        self.executor = executor
        self.spin = lambda: self.executor.spin_once(timeout_sec=0.02)
        self.executor.add_node(self.node)
        self.executor.add_node(self.other)
        self.client = ActionClient(self.node, Fibonacci, "fibonacci")
        self.lamp = self.node.create_client(SetBool, "light")
        self.clock = RosClock(self.node)
        self.heard = RecordingListener()

    def wants(self, call, **settings):
        """A tree that wants this done."""
        operators = Operators()
        operators.bind(count)(
            ActionOperator(
                self.client,
                lambda agent, order: Fibonacci.Goal(order=order),
                on_feedback=lambda agent, told: agent.believe(Counter.latest, told.sequence[-1]),
                **settings,
            )
        )
        operators.bind(light)(
            ServiceOperator(
                self.lamp,
                lambda agent, lit: SetBool.Request(data=lit),
                judge=lambda agent, response: "" if response.success else response.message,
            )
        )
        self.agent = Agent(
            "counter",
            counting,
            Counter(),
            body=None,
            operators=operators,
            listener=self.heard,
            clock=self.clock,
            strict=True,
        )
        self.goal = PlanGoal("goal", self.agent, call)
        self.tree = BehaviourTree(self.goal)
        attach(self.tree, self.agent)

    def until(self, holds, tick=lambda: None):
        """Spin, and tick, until something holds. Fails after ten seconds."""
        end = self.clock() + 10
        while not holds():
            assert self.clock() < end, f"it took too long; {self.heard.story()}"
            self.spin()
            tick()

    def ticked_until(self, holds):
        self.until(holds, self.tree.tick)

    def reason(self):
        """Why the first step that failed has failed; spins until one has."""
        failed = lambda: [end for end in self.heard.of(LeafEnded) if not end.succeeded]  # noqa: E731
        self.ticked_until(failed)
        return failed()[0].reason

    def close(self):
        self.client.destroy()
        self.executor.shutdown()
        self.node.destroy_node()
        self.other.destroy_node()


@pytest.fixture(scope="module", autouse=True)
def ros():
    rclpy.init()
    yield
    rclpy.shutdown()


@pytest.fixture
def robot():
    robot = Robot(SingleThreadedExecutor())
    yield robot
    robot.close()


@pytest.fixture
def server(robot):
    server = Server(robot.other)
    robot.until(robot.client.server_is_ready)
    yield server
    server.go_away()


def test_a_goal_succeeds_with_feedback_on_the_way(robot, server):
    robot.wants(count(5))
    robot.ticked_until(lambda: server.handles)
    assert server.handles[0].request.order == 5
    robot.ticked_until(lambda: server.feedback(3) or robot.agent.beliefs.now.latest == 3)
    server.end("succeed")
    robot.ticked_until(lambda: robot.goal.status is Status.SUCCESS)
    assert robot.agent.beliefs.now.order == 5


def test_a_goal_is_refused(robot, server):
    server.response = GoalResponse.REJECT
    robot.wants(count(5))
    assert robot.reason() == "its action server refused the goal"


def test_a_goal_is_aborted(robot, server):
    robot.wants(count(5))
    robot.ticked_until(lambda: server.handles)
    server.end("abort")
    assert robot.reason() == "its action server aborted the goal"


def test_no_server_is_there(robot):
    robot.wants(count(5))
    assert robot.reason() == "its action server is away"


def test_a_server_goes_away(robot, server):
    robot.wants(count(5))
    robot.ticked_until(lambda: server.handles)
    server.go_away()
    assert robot.reason() == "its action server went away"
    server.begin()


def test_a_server_is_restarted(robot, server):
    robot.wants(count(5), answer_within=1.0)
    robot.ticked_until(lambda: server.handles)
    server.go_away()
    server.begin()
    away, lost = "went away", "has lost the goal, as after a restart"
    assert robot.reason() in (f"its action server {away}", f"its action server {lost}")


def test_a_server_does_not_know_a_goal_of_another_server(robot, server):
    robot.wants(count(5), answer_within=1.0)
    robot.ticked_until(lambda: server.handles)
    second = Server(robot.other)  # the client sees a server at every moment
    server.go_away()
    assert robot.reason() == "its action server has lost the goal, as after a restart"
    assert second.handles == []
    server.server = second.server


def test_an_abort_ends_when_the_server_has_cancelled(robot, server):
    robot.wants(count(5))
    robot.ticked_until(lambda: server.handles)
    robot.goal.stop(Status.INVALID)
    robot.until(lambda: server.is_asked_to_cancel, robot.agent.sense)
    assert robot.heard.lines() == ["start count(5)", "aborting count(5)"]
    server.end("canceled")
    robot.until(lambda: not robot.agent.aborts, robot.agent.sense)
    assert robot.heard.lines()[-1] == "aborted count(5)"


def test_an_abort_at_once_cancels_a_goal_that_is_accepted_later(robot, server):
    robot.wants(count(5))
    robot.tree.tick()
    robot.goal.stop(Status.INVALID)
    robot.until(lambda: server.is_asked_to_cancel, robot.agent.sense)
    server.end("canceled")
    robot.until(lambda: not robot.agent.aborts, robot.agent.sense)


def test_a_goal_that_takes_too_long_is_cancelled(robot, server):
    robot.wants(count(5), time_limit=0.5)
    robot.ticked_until(lambda: server.is_asked_to_cancel)
    assert robot.heard.running() == ["count(5)"]
    server.end("canceled")
    assert robot.reason() == "it took longer than 0.5 s"


def test_a_shutdown_cancels_the_goal(robot, server):
    robot.wants(count(5))
    robot.ticked_until(lambda: server.handles)
    robot.ticked_until(lambda: robot.clock() > 0.5)  # until the client knows that it is accepted
    robot.executor.remove_node(robot.node)  # which spins no more
    robot.tree.shutdown()
    robot.until(lambda: server.is_asked_to_cancel)


def test_executors_may_have_threads_of_their_own():
    robot = Robot(MultiThreadedExecutor(2))
    server = Server(robot.other)
    robot.spin = lambda: sleep(0.02)
    thread = Thread(target=robot.executor.spin)
    thread.start()
    robot.until(robot.client.server_is_ready)
    robot.wants(count(5))
    for end, line in (("abort", "failed count(5)"), ("succeed", "done count(5)")):
        robot.ticked_until(lambda: server.handles)
        server.feedback(3)
        server.end(end)
        server.handles.clear()
        robot.ticked_until(lambda line=line: robot.heard.lines()[-1] == line)
    server.go_away()
    robot.close()
    thread.join()


def test_a_service_answers_and_its_answer_is_judged(robot):
    def switched(request, response):
        response.success, response.message = request.data, "it stays on"
        return response

    robot.other.create_service(SetBool, "light", switched)
    robot.until(robot.lamp.service_is_ready)
    robot.wants(light(True))
    robot.ticked_until(lambda: robot.goal.status is Status.SUCCESS)
    robot.wants(light(False))
    assert robot.reason() == "it stays on"


def test_no_service_is_there(robot):
    robot.wants(light(True))
    assert robot.reason() == "its service is away"


def test_a_latched_topic_is_believed_and_grows_old(robot):
    robot.other.create_publisher(Int32, "number", LATCHED).publish(Int32(data=7))
    topic = TopicSensor(
        robot.node, Int32, "number", lambda message: message.data, qos=LATCHED, max_age=1.0
    )
    sensors = Sensors()
    sensors.sensor(Counter.heard)(topic)
    agent = Agent("listener", counting, Counter(), body=None, sensors=sensors)
    robot.until(lambda: agent.beliefs.get(Counter.heard) == 7, agent.sense)
    robot.until(lambda: agent.beliefs.get(Counter.heard) is UNKNOWN, agent.sense)


def test_simulated_time_begins_stands_and_goes_back(robot):
    simulated = Parameter("use_sim_time", value=True)
    node = Node("simulated", parameter_overrides=[simulated])
    robot.executor.add_node(node)
    simulation = robot.other.create_publisher(Clock, "/clock", 10)
    agent = Agent(
        "late", counting, Counter(), body=None, listener=robot.heard, clock=RosClock(node)
    )

    def tell(seconds):
        message = Clock()
        message.clock.sec = seconds
        simulation.publish(message)
        agent.sense()

    agent.sense()
    assert agent.time() == 0
    robot.until(lambda: node.get_clock().now().nanoseconds == 5_000 * 10**9, lambda: tell(5_000))
    agent.sense()
    assert agent.time() == 0
    robot.until(lambda: agent.time() == 3, lambda: tell(5_003))
    robot.until(lambda: robot.heard.of(ClockSetBack), lambda: tell(4_000))
    assert agent.time() == -1_000
    node.destroy_node()


def test_a_timer_ticks_the_tree_and_publishes_it(robot):
    published = []
    robot.other.create_subscription(String, "/robot/snapshots", published.append, 10)
    tree = BehaviourTree(Running("work"))
    end = tick_by_timer(tree, robot.node, period_ms=20, snapshots=String)
    robot.until(lambda: published)
    assert published[0].data.startswith("work: RUNNING")
    end()
    assert tree.count > 0
