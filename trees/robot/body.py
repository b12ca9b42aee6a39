"""The robot's node and its servers: what a real one has from others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from bthtn.behaviours import PlainData
from bthtn.ros import FakeActionServer, FakeGoal, FakeNode, FakeService

from .flat import Flat, Job
from .places import DOORS

SECONDS_PER_TICK: Final = 1.0
TOPICS: Final = ("at", "battery", "holds", "things", "doors", "order")
BRAKING: Final = 2
"""Seconds until a goal that is cancelled has ended: wheels and arm come to rest."""
STARTING: Final = 5
"""Seconds for which a server that has crashed is away."""
NO_TROUBLE: Final = "it took too long"


@dataclass(frozen=True, slots=True)
class Message:
    """What is published: a value."""

    data: Any


@dataclass(frozen=True, slots=True)
class Result:
    """How a goal has ended: why it failed, if it did, and the door or thing that it was about."""

    why: str
    about: str = ""


class JobServer(FakeActionServer):
    """An action server each of whose goals is a job that goes on second by second."""

    def __init__(self, flat: Flat, work: Callable[..., Job]) -> None:
        super().__init__(on_goal=self._begin, on_cancel=self._brake)
        self._flat = flat
        self._work = work
        self._jobs: dict[FakeGoal, Iterator[object]] = {}
        self._back_in = 0

    def save(self) -> int:
        """For how many more seconds it is away. Its goals are not saved: they are sent anew."""
        return self._back_in

    def load(self, saved: int) -> None:
        """Be away for so many seconds, or here."""
        self._back_in, self.is_here = int(saved), not saved

    def step(self) -> None:
        """Let a second pass: for the goals, or for a server that is starting."""
        if not self.is_here:
            self._back_in -= 1
            if not self._back_in:
                self.come_back()
        for goal, job in list(self._jobs.items()):
            try:
                goal.feedback(next(job))
            except StopIteration as ended:
                del self._jobs[goal]
                _end(goal, ended.value)

    def go_away(self) -> None:
        """Crash: be away for a while, and know no goal any more."""
        self._jobs.clear()
        self._back_in = STARTING
        super().go_away()

    def come_back(self) -> None:
        """Be here again, without a goal."""
        self._back_in = 0
        super().come_back()

    def _begin(self, goal: FakeGoal) -> None:
        if self._flat.goes_wrong():
            goal.refuse()
        else:
            goal.accept()
            self._jobs[goal] = self._work(*goal.message)

    def _brake(self, goal: FakeGoal) -> None:
        self._jobs[goal] = iter(["braking"] * BRAKING)


def _end(goal: FakeGoal, why: str | None) -> None:
    result = Result(why or "", *goal.message[:1])
    if goal.cancels:
        goal.cancel(result)
    elif why:
        goal.abort(result)
    else:
        goal.succeed(result)


class Body(PlainData):
    """A node, action servers, a service and topics, in a flat whose time is that of the node."""

    def __init__(self, flat: Flat) -> None:
        self.flat = flat
        self.node = FakeNode()
        works = (flat.drive, flat.open_door, flat.grasp, flat.place, flat.dock)
        self.servers = {work.__name__: JobServer(flat, work) for work in works}
        self.asking = FakeService()
        self.trouble = NO_TROUBLE
        """The last thing that went wrong with the present order."""
        self._publishers = {name: self.node.create_publisher(Message, name, 1) for name in TOPICS}

    def save(self) -> list[Any]:
        """The flat, what went wrong last, the time, and the servers."""
        servers = {name: server.save() for name, server in self.servers.items()}
        return [self.flat.save(), self.trouble, self.node.seconds, servers]

    def load(self, saved: list[Any]) -> None:
        """Be in that flat again, at that time. Nobody is asked to move yet."""
        flat, trouble, seconds, servers = saved
        self.flat.load(flat)
        self.trouble = str(trouble)
        self.node.jump(float(seconds))
        for name, server in self.servers.items():
            server.load(servers[name])

    @property
    def running(self) -> list[Any]:
        """The goals that the servers are at."""
        return [goal for server in self.servers.values() for goal in server.running]

    def step(self) -> None:
        """Let a second pass, and tell of it what the robot can see."""
        self.node.spin(SECONDS_PER_TICK)
        flat = self.flat
        flat.step()
        if flat.asked_for == 1:
            self.trouble = NO_TROUBLE
        if flat.happens():
            self.crash(flat.dice.choice(sorted(self.servers)))
        if flat.happens():
            self.restart(flat.dice.choice(sorted(self.servers)))
        for server in self.servers.values():
            server.step()
        if self.asking.waiting:  # one at most: the robot has one body
            self.asking.answer(flat.ask_to_move(self.asking.requests[-1]))
        self._tell()

    def _tell(self) -> None:
        """Publish what the robot can see from where it is."""
        flat, here = self.flat, self.flat.at
        lie_here = {thing: here for thing, room in flat.things.items() if room == here}
        near = {name: flat.shut[name] for name, door in DOORS.items() if here in door[:2]}
        told = {
            "at": here,
            "battery": flat.battery,
            "holds": flat.gripper,
            "things": lie_here,
            "doors": near,
            "order": (*flat.order, flat.asked_for),
        }
        for topic, data in told.items():
            self._publishers[topic].publish(Message(data))

    def crash(self, server: str) -> None:
        """Let a server crash."""
        self.servers[server].go_away()

    def restart(self, server: str) -> None:
        """Restart a server."""
        self.servers[server].restart()
