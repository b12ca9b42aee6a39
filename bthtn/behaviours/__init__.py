"""HOW DOES IT RUN? Plans as py_trees subtrees, and PlanGoal, which plans and mounts them.

| plan node       | behaviour                         |
| --------------- | --------------------------------- |
| `TaskNode`      | `TaskLeaf`                        |
| `SequenceNode`  | `PlanSequence`                    |
| `ParallelNode`  | `PlanParallel`                    |
| `PriorityNode`  | `PlanPriority`                    |
| `SuspendedNode` | `Suspended`                       |
| `ScopeNode`     | nothing, its child takes its place; `PlanWithCleanup` if it has a cleanup |
| `NullNode`      | nothing, or py_trees' `Success`   |
"""

from bthtn.agent.agent import Agent
from bthtn.agent.completion import Completion
from bthtn.agent.leases import Leases
from bthtn.agent.operators import OperatorFailed, Operators, Running
from bthtn.agent.sensors import Sensors
from bthtn.behaviours.believes import Believes
from bthtn.behaviours.character import Character
from bthtn.behaviours.goals import PriorityGoals, StateMachineGoals, UtilityGoals
from bthtn.behaviours.operator import Operator
from bthtn.behaviours.plan_goal import PlanGoal
from bthtn.behaviours.task_leaf import interruptible, uninterruptible_step
from bthtn.replanning.backoff import NO_BACKOFF, RetryPolicy
from bthtn.replanning.policy import Replanning
from bthtn.replanning.schedule import PlanningSchedule

__all__ = [
    "NO_BACKOFF",
    "Agent",
    "Believes",
    "Character",
    "Completion",
    "Leases",
    "Operator",
    "OperatorFailed",
    "Operators",
    "PlanGoal",
    "PlanningSchedule",
    "PriorityGoals",
    "Replanning",
    "RetryPolicy",
    "Running",
    "Sensors",
    "StateMachineGoals",
    "UtilityGoals",
    "interruptible",
    "uninterruptible_step",
]
