"""Execution: plans as py_trees subtrees, and PlanGoal, which plans and mounts them.

| plan node       | behaviour                         |
| --------------- | --------------------------------- |
| `TaskNode`      | `TaskLeaf`                        |
| `SequenceNode`  | `PlanSequence`                    |
| `ParallelNode`  | `PlanParallel`                    |
| `PriorityNode`  | `PlanPriority`                    |
| `SuspendedNode` | `Suspended`                       |
| `ScopeNode`     | nothing, its child takes its place; `PlanWithCleanup` if it has a cleanup |
|                 | `PlanDecorated` if its task has a decorator |
| `NullNode`      | nothing, or one that succeeds     |
"""

from bthtn.agent.agent import Agent
from bthtn.agent.clock import ManualClock
from bthtn.agent.completion import Completion
from bthtn.agent.events import (
    ActionsDrawn,
    AgentEvent,
    AgentListener,
    AgentReloaded,
    BeliefChanged,
    CleanupEnded,
    CleanupStarted,
    ClockSetBack,
    CodeFailed,
    GoalEnded,
    GoalWaits,
    LeafAborted,
    LeafAborting,
    LeafEnded,
    LeafRefused,
    LeafStarted,
    LeafWaits,
    LeaseReturned,
    LeaseTaken,
    PlanAborted,
    PlanAdopted,
    PlanBroken,
    PlanFailed,
    PlanHookFailed,
    PlanKept,
    PlanRepaired,
    PlanReplaced,
    PlanResumed,
    ReloadFailed,
    SensorFailed,
    TaskAvoided,
)
from bthtn.agent.leases import Holder, Leases
from bthtn.agent.operators import Elapsed, OperatorFailed, Operators, Running
from bthtn.agent.sensors import Sensors
from bthtn.behaviours.attach import attach
from bthtn.behaviours.believes import Believes
from bthtn.behaviours.blackboard import read_blackboard, show_on_blackboard
from bthtn.behaviours.character import Character
from bthtn.behaviours.control import IfThenElse, Parallel, Switch, WhileDoElse
from bthtn.behaviours.decorators import (
    Cooldown,
    Delay,
    Repeat,
    RetryUntilSuccessful,
    RunOnce,
    Timeout,
)
from bthtn.behaviours.goals import PriorityGoals, StateMachineGoals, UtilityGoals
from bthtn.behaviours.interruptible import interruptible, uninterruptible_step
from bthtn.behaviours.operator import Operator
from bthtn.behaviours.plain_data import PlainData
from bthtn.behaviours.plan_goal import PlanGoal
from bthtn.behaviours.reloading import replace_root
from bthtn.behaviours.saves import load, save
from bthtn.replanning.policy import NO_BACKOFF, Decision, Replanning, RetryPolicy, Verdict
from bthtn.replanning.schedule import PlanningSchedule
from bthtn.world.beliefs import Beliefs, Watch

__all__ = [
    "NO_BACKOFF",
    "ActionsDrawn",
    "Agent",
    "AgentEvent",
    "AgentListener",
    "AgentReloaded",
    "BeliefChanged",
    "Beliefs",
    "Believes",
    "Character",
    "CleanupEnded",
    "CleanupStarted",
    "ClockSetBack",
    "CodeFailed",
    "Completion",
    "Cooldown",
    "Decision",
    "Delay",
    "Elapsed",
    "GoalEnded",
    "GoalWaits",
    "Holder",
    "IfThenElse",
    "LeafAborted",
    "LeafAborting",
    "LeafEnded",
    "LeafRefused",
    "LeafStarted",
    "LeafWaits",
    "LeaseReturned",
    "LeaseTaken",
    "Leases",
    "ManualClock",
    "Operator",
    "OperatorFailed",
    "Operators",
    "Parallel",
    "PlainData",
    "PlanAborted",
    "PlanAdopted",
    "PlanBroken",
    "PlanFailed",
    "PlanGoal",
    "PlanHookFailed",
    "PlanKept",
    "PlanRepaired",
    "PlanReplaced",
    "PlanResumed",
    "PlanningSchedule",
    "PriorityGoals",
    "ReloadFailed",
    "Repeat",
    "Replanning",
    "RetryPolicy",
    "RetryUntilSuccessful",
    "RunOnce",
    "Running",
    "SensorFailed",
    "Sensors",
    "StateMachineGoals",
    "Switch",
    "TaskAvoided",
    "Timeout",
    "UtilityGoals",
    "Verdict",
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
