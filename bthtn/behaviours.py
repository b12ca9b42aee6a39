"""The public names for acting: write ``from bthtn.behaviours import Agent, PlanGoal``.

The events that an agent's listener is called with are in ``bthtn.events``.
"""

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import ManualClock
from bthtn.engine.agent.completion import Completion
from bthtn.engine.agent.events import (
    AgentEvent,
    AgentListener,
)
from bthtn.engine.agent.leases import Holder, Leases
from bthtn.engine.agent.operators import Elapsed, OperatorFailed, Operators, Running
from bthtn.engine.agent.sensors import Sensors
from bthtn.engine.behaviours.attach import attach
from bthtn.engine.behaviours.believes import Believes
from bthtn.engine.behaviours.blackboard import read_blackboard, show_on_blackboard
from bthtn.engine.behaviours.character import Character
from bthtn.engine.behaviours.control import IfThenElse, Parallel, Switch, WhileDoElse
from bthtn.engine.behaviours.decorators import (
    Cooldown,
    Delay,
    Repeat,
    RetryUntilSuccessful,
    RunOnce,
    Timeout,
)
from bthtn.engine.behaviours.goals import PriorityGoals, StateMachineGoals, UtilityGoals
from bthtn.engine.behaviours.interruptible import interruptible, uninterruptible_step
from bthtn.engine.behaviours.operator import Operator
from bthtn.engine.behaviours.plain_data import PlainData
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.behaviours.reloading import replace_root
from bthtn.engine.behaviours.saves import load, save
from bthtn.engine.replanning.policy import NO_BACKOFF, Replanning, RetryPolicy
from bthtn.engine.replanning.schedule import PlanningSchedule
from bthtn.engine.world.beliefs import Beliefs, Watch

__all__ = [
    "NO_BACKOFF",
    "Agent",
    "AgentEvent",
    "AgentListener",
    "Beliefs",
    "Believes",
    "Character",
    "Completion",
    "Cooldown",
    "Delay",
    "Elapsed",
    "Holder",
    "IfThenElse",
    "Leases",
    "ManualClock",
    "Operator",
    "OperatorFailed",
    "Operators",
    "Parallel",
    "PlainData",
    "PlanGoal",
    "PlanningSchedule",
    "PriorityGoals",
    "Repeat",
    "Replanning",
    "RetryPolicy",
    "RetryUntilSuccessful",
    "RunOnce",
    "Running",
    "Sensors",
    "StateMachineGoals",
    "Switch",
    "Timeout",
    "UtilityGoals",
    "Watch",
    "WhileDoElse",
    "attach",
    "interruptible",
    "load",
    "read_blackboard",
    "replace_root",
    "save",
    "show_on_blackboard",
    "uninterruptible_step",
]
