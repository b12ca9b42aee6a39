"""How does a plan run? As a subtree of py_trees behaviours.

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

`PlanGoal` plans, mounts the subtree, and watches it. The public names are those of
``bthtn.behaviours``.
"""
