"""Keeps, replaces, repairs or aborts a running plan when the world changes.

Each tick, `review` decides about a running plan, and asks two monitors: `optimality_monitor`
whether there is a better one (`improvement` searches for it), and `validity_monitor` whether its
rest still works (`validity` checks that). `policy` has the table of decisions. `repair` plans the
part again that does not work, `attribution` finds the cause of a failure, and `schedule` limits
the expansions of many goals. What is judged is the `rest` of a plan, whose statuses are those of
the behaviours that run it.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.engine.replanning.policy import Decision, Verdict

__all__ = ["Decision", "Verdict"]

__getattr__, __dir__ = late_names(__name__, {"bthtn.engine.replanning.policy": "Decision Verdict"})
