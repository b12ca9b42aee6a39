"""Branches that are planned on arrival and want the same things: nothing waits for ever."""

from hypothesis import event, given
from hypothesis import strategies as st
from py_trees.common import Status

from bthtn import UNKNOWN
from bthtn.studio.testing.strategies import World

EFFECTS = [(), (), ((World.open, "becomes", True),), ((World.count, "becomes", 1),)]
PROMISES = [(), (World.open.becomes(True),), (World.lit.becomes(True),)]

steps = st.fixed_dictionaries(
    {
        "scripts": st.lists(st.sampled_from(["S", "RS", "RRS", "F", "RF"]), min_size=1, max_size=2),
        "form": st.sampled_from(["object", "simulated"]),
        "raises": st.just(()),
        "precondition": st.sampled_from([None, None, World.open]),
        "exec_only": st.just(None),
        "effects": st.sampled_from(EFFECTS),
        "uses": st.sampled_from(["", "legs", "arms", "eyes"]),
        "senses": st.just(None),
    }
)
several = st.lists(steps, min_size=2, max_size=3)
inside = st.one_of(
    steps,
    st.tuples(st.just("sequence"), several),
    st.tuples(st.just("priority"), several, st.just(False)),
    st.tuples(st.just("parallel"), several, st.sampled_from(["all", "any", "primary"])),
)
deferred = st.tuples(st.just("defer"), inside, st.sampled_from(PROMISES))
branches = st.one_of(
    inside,
    deferred,
    st.tuples(st.just("sequence"), st.tuples(deferred, inside).map(list)),
    st.tuples(st.just("sequence"), st.tuples(inside, deferred).map(list)),
    st.tuples(st.just("priority"), st.tuples(deferred, deferred).map(list), st.just(False)),
)
crowds = st.tuples(
    st.just("parallel"),
    st.lists(branches, min_size=2, max_size=4),
    st.sampled_from(["all", "all", "any", "primary"]),
)


def to_the_end(player, crowd, budget, *, foresight=False):
    """Whether somebody had to wait before the crowd's goal ended.

    With foresight, what lies behind the first step of each branch is suspended, and spoken for
    where it does not depend on what the first look tells.
    """
    stage, waited = player.stage, False
    known = {"horizon": 1, "check_rest": True, "open": UNKNOWN} if foresight else {"open": True}
    look = stage.step("look", "S", at_tick=lambda: stage.actor.believe(World.open, True))
    goal = stage.goal((look, player.network(crowd)), budget=budget, **known)
    for _ in range(200):
        goal.tick_once()
        waited |= any(one.feedback_message.startswith("waits for") for one in goal.iterate())
        if goal.status is not Status.RUNNING:
            break
    assert goal.status is not Status.RUNNING, f"it hangs: {stage.heard.story()}"
    assert stage.heard.running() == stage.heard.faults() == []
    return waited


@given(crowds, st.sampled_from([None, 2]), st.booleans())
def test_nothing_waits_for_ever(new_player, crowd, budget, foresight):
    event(f"waited: {to_the_end(new_player(), crowd, budget, foresight=foresight)}")
