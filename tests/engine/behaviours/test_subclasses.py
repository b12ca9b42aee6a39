"""A subclass of a node has the hooks that py_trees calls: ``initialise`` and ``terminate``."""

import pytest
from py_trees.common import Status

from bthtn import Domain, Fluent, State, fluent
from bthtn.behaviours import (
    Agent,
    Cooldown,
    Delay,
    IfThenElse,
    Parallel,
    PlanGoal,
    PriorityGoals,
    Repeat,
    RetryUntilSuccessful,
    StateMachineGoals,
    Switch,
    Timeout,
    UtilityGoals,
    WhileDoElse,
)
from bthtn.studio.testing.doubles import ticks


class Robot(State):
    at_work: Fluent[bool] = fluent(default=True)


domain = Domain("hall", Robot)
tidy = domain.primitive("tidy", duration=2)


def goal(agent):
    return PlanGoal("tidy", agent, tidy())


MADE = {
    PlanGoal: lambda kind, agent: kind("node", agent, tidy()),
    PriorityGoals: lambda kind, agent: kind("node", agent, [goal(agent)]),
    UtilityGoals: lambda kind, agent: kind("node", agent, [(goal(agent), 1)]),
    StateMachineGoals: lambda kind, agent: kind("node", agent, Robot.at_work, {True: goal(agent)}),
    Switch: lambda kind, agent: kind("node", agent, Robot.at_work, {}, default=goal(agent)),
    Parallel: lambda kind, agent: kind("node", [goal(agent)]),
    IfThenElse: lambda kind, agent: kind("node", goal(agent), goal(agent), goal(agent)),
    WhileDoElse: lambda kind, agent: kind("node", goal(agent), goal(agent), goal(agent)),
    Repeat: lambda kind, agent: kind("node", goal(agent), 1),
    RetryUntilSuccessful: lambda kind, agent: kind("node", goal(agent), 1),
    Timeout: lambda kind, agent: kind("node", goal(agent), ticks=9),
    Delay: lambda kind, agent: kind("node", goal(agent), ticks=1),
    Cooldown: lambda kind, agent: kind("node", goal(agent), ticks=1),
}


@pytest.mark.parametrize("base", MADE, ids=lambda kind: kind.__name__)
def test_the_hooks_of_a_subclass_are_called_once_in_each_run(base):
    class Noting(base):
        def initialise(self):
            log.append("begins")
            super().initialise()

        def terminate(self, new_status):
            log.append(f"ends {new_status.name}")
            super().terminate(new_status)

    log = []
    node = MADE[base](Noting, Agent("Ann", domain, Robot(), body=None))
    ticks(node, 2)
    assert log == ["begins"]
    node.stop(Status.INVALID)
    ticks(node, 1)
    assert log == ["begins", "ends INVALID", "begins"]
