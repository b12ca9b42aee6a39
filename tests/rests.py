"""The rest of a plan that has come so far, without behaviours that run it."""

from typing import NamedTuple

from py_trees.common import Status

from bthtn.engine.replanning.rest import FAILURE, INVALID, RUNNING, SUCCESS, Rest

__all__ = ["FAILURE", "INVALID", "RUNNING", "SUCCESS", "rest_of"]


class Ran(NamedTuple):
    """What stands for a behaviour."""

    status: Status
    gone: range = range(0)
    is_tried_again: bool = False


def rest_of(tree, statuses, planned=None, passed=None):
    """The rest of a plan whose steps have these statuses; others have ended long ago.

    ``planned`` has the plans of suspended parts, ``passed`` how many alternatives of a choice that
    runs have failed.
    """
    ran = {step: Ran(status) for step, status in statuses.items()}
    chosen = {node: Ran(RUNNING, range(number)) for node, number in (passed or {}).items()}
    return Rest(tree, ran | chosen, planned or {})
