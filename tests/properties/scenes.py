"""Random scenes: goals over random domains, in random trees, in a world that others change.

There are steps that fail, and every part that can be suspended may stand at several places of a
goal, so that one part is planned several times.
"""

from hypothesis import note
from hypothesis import strategies as st
from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel, Selector, Sequence

from bthtn import Domain, defer, method, parallel, pause, priority, sequence, with_cleanup
from bthtn.behaviours import Believes
from bthtn.engine.domain.network import network_text
from bthtn.studio.testing.playground import PROMISES, World
from bthtn.studio.testing.strategies import states

LIMITS = {"max_depth": 8, "max_expansions": 300}
SENSED = [(one, value) for one in (World.open, World.lit, World.armed) for value in (True, False)]
CONDITIONS = (None, None, World.open, World.open, World.lit, World.armed, ~World.armed)
EFFECTS = ((), (), (), World.open.becomes(False), World.lit.becomes(True), World.count.increases(1))
SCRIPTS = (None, None, "RS", "RRS", "RF", "RRF", "RRRS")


@st.composite
def networks(draw, calls, depth=2):
    """Something to do: a task, one that is planned on arrival, or several of these together."""
    kinds = ["call", "call", "pause", "pause", "defer", "sequence", "parallel", "priority"]
    kind = draw(st.sampled_from(kinds if depth else kinds[:5]))
    if kind in ("call", "pause", "defer"):
        call = draw(st.sampled_from(calls))
        match kind:
            case "call":
                return call
            case "pause":
                return sequence(draw(st.sampled_from([pause(), calls[0]])), pause(), call)
            case _:
                return defer(call, ensures=draw(st.sampled_from(PROMISES)))
    parts = [draw(networks(calls, depth - 1)) for _ in range(draw(st.integers(2, 3)))]
    match kind:
        case "sequence" if draw(st.integers(0, 5)) == 0:
            return with_cleanup(*parts, finally_=calls[0])
        case "sequence":
            return sequence(*parts)
        case "parallel":
            return parallel(*parts, policy=draw(st.sampled_from(["all", "all", "any", "primary"])))
        case _:
            return priority(*parts, reactive=draw(st.booleans()))


@st.composite
def authored(draw):
    """A small domain with steps that take their time, and two goals of few tasks."""
    domain, conditions = Domain("random", World), st.sampled_from(CONDITIONS)
    steps = [
        domain.primitive(
            f"step_{number}",
            precondition=draw(conditions),
            effects=draw(st.sampled_from(EFFECTS)),
            duration=draw(st.sampled_from([0, 1, 2, 2, 3])),
        )
        for number in range(3)
    ]
    calls = [step() for step in steps]

    def compound(number):
        above = draw(st.sampled_from([0, 1]))  # it may call itself, and go on for ever
        whens = [*draw(st.lists(conditions, max_size=2)), None]

        def define():
            among = [*calls[: 3 + number], *calls[3 + number : 3 + number + above]]
            for when in whens:
                yield method(draw(networks(among, 1)), when=True if when is None else when)

        define.__name__ = f"task_{number}"
        return domain.compound(define)

    calls += [compound(number)() for number in range(2)]
    frozen = domain.freeze()
    few = st.lists(st.sampled_from(calls[2:]), min_size=1, max_size=2)
    goals = [draw(networks(draw(few))) for _ in range(2)]
    wants_one_thing = draw(st.sampled_from([False, False, True]))  # twice, at once or in turn
    return frozen, goals[:1] * 2 if wants_one_thing else goals


@st.composite
def scenes(draw):
    """A tree with goals, whose agent begins in some state, and what others do in every tick."""
    domain, goals = draw(authored())
    drawn = {
        "state": draw(states()).changed(dict(draw(st.permutations(SENSED)))),
        "settings": {
            "horizon": draw(st.sampled_from([None, None, None, 1, 2])),
            "check_rest": draw(st.sampled_from([False] * 7 + [True])),
        },
        "tree": draw(st.sampled_from(["alone", "alone", "choice", "in turn", "beside"])),
        "scripts": [draw(st.sampled_from(SCRIPTS)) for _ in range(3)],
        "max_replans": draw(st.sampled_from([0, 1, 3])),
        "replanning": {
            "repair": draw(st.sampled_from([True, True, False])),
            "interrupt": draw(st.sampled_from(["surprise", "mtr", "any"])),
        },
        "moments": draw(st.lists(st.sampled_from([None, None, *SENSED]), min_size=5, max_size=15)),
    }
    note("\n".join(f"{task}: {methods}" for task, methods in domain.methods.items()))
    note("\n".join(network_text(goal) for goal in goals))
    note(str(drawn))
    return {**drawn, "domain": domain, "goals": goals}


def tree_of(kind, agent, first, second):
    """The goals in an authored tree."""
    match kind:
        case "alone":
            return first
        case "choice":
            guarded = Sequence(
                "first", memory=False, children=[Believes("open", agent, World.open), first]
            )
            return Selector("root", memory=False, children=[guarded, second])
        case "in turn":
            return Sequence("root", memory=True, children=[first, second])
        case _:
            policy = ParallelPolicy.SuccessOnAll(synchronise=False)
            return Parallel("root", policy, [first, second])
