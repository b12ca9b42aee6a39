"""Whatever changes before a step starts, it starts with the arguments that its call has then.

Random networks of steps whose arguments come from fluents, by every way there is, are run in a
world that changes before every tick. The operators compare their argument with the beliefs.
"""

from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from py_trees.common import Status

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Settings,
    State,
    defer,
    first_of,
    fluent,
    fluents,
    method,
    one_of,
    optional,
    parallel,
    pause,
    primitive,
    priority,
    sequence,
)
from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.studio.testing.doubles import RecordingListener
from tests.sizes import size

MOST_TICKS = 12
PLACES = st.sampled_from(("a", "b", "c"))


class Post(State):
    target: Fluent[str] = fluent(default="a")
    spots: Fluent[tuple] = fluent(default=("a", "b"))
    beside: FluentFamily[str, str] = fluents(default="a")
    count: Fluent[int] = fluent(default=0)


post = Domain("post", Post)
wait = post.primitive("wait", duration=1)
turn = post.primitive("turn", effects=Post.target.becomes("b"), duration=1)
add = post.primitive("add", effects=Post.count.increases(1), duration=1)


@post.primitive
def to_target(where: str):
    return primitive(duration=1)


@post.primitive
def beside_target(where: str):
    return primitive(duration=1)


@post.primitive
def count_on(number: int):
    return primitive(duration=1)


@post.primitive
def to_spot(where: str):
    return primitive(duration=1)


EXPECTED = {
    to_target: lambda agent, where: where == agent.beliefs.get(Post.target),
    beside_target: lambda agent, where: (
        where == agent.beliefs.get(Post.beside[agent.beliefs.get(Post.target)])
    ),
    count_on: lambda agent, number: number == agent.beliefs.get(Post.count) + 1,
    to_spot: lambda agent, where: where in agent.beliefs.get(Post.spots),
}


@post.compound
def visit(where: str):
    yield method(wait(), optional(to_target(where)))


@post.compound
def pass_on(where: str):
    yield method(first_of(visit(where)))


@post.compound
def approach():
    spot = one_of(Post.spots)
    yield method(wait(), to_spot(spot))


@post.compound
def plainly():
    yield method(lambda state: (wait(), to_target(state.target)))


READERS = (
    *(wait(), pause(), pause(now=True), to_target(Post.target)),
    *(beside_target(Post.beside[Post.target]), count_on(Post.count + 1)),
    *(visit(Post.target), pass_on(Post.target), approach(), plainly(), defer(visit(Post.target))),
)


def networks(leaves, joined, inside=None):
    """Sequences of these, and sequences and other networks of networks."""
    parts = st.lists(st.sampled_from(leaves), min_size=1, max_size=4)
    some = parts.map(lambda parts: sequence(*parts))
    return st.recursive(
        some if inside is None else some | inside,
        lambda inner: st.one_of(
            *(
                st.tuples(inner, inner).map(lambda parts, join=join: join(*parts))
                for join in (sequence, joined)
            )
        ),
        max_leaves=3,
    )


# A suspended part beside them may write what is read by a decomposition ahead.
NETWORKS = networks((*READERS, turn(), add()), priority, networks(READERS, parallel))
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just(Post.target), PLACES),
        st.tuples(PLACES.map(lambda place: Post.beside[place]), PLACES),
        st.tuples(st.just(Post.count), st.integers(0, 3)),
        st.tuples(st.just(Post.spots), st.lists(PLACES, min_size=1, unique=True).map(tuple)),
        st.none(),
    ),
    max_size=MOST_TICKS,
)
SETTINGS = st.sampled_from((Settings(), Settings(horizon=2), Settings(horizon=1, check_rest=True)))


def starts_of(network, changes, searched):
    """Run a goal; the tasks that started, and with what, each of which was checked."""
    started, wrong, operators = [], [], Operators(simulates_others=True)
    for task, is_right in EXPECTED.items():

        def operator(agent, value, task=task, is_right=is_right):
            started.append((task.name, value))
            if not is_right(agent, value):
                wrong.append((task.name, value, str(agent.beliefs.frozen())))
            yield

        operators.bind(task)(operator)
    heard = RecordingListener()
    agent = Agent("a", post, Post(), body=None, operators=operators, listener=heard)
    goal = PlanGoal("goal", agent, network, settings=searched)
    first = None
    for change in (*changes, *[None] * (MOST_TICKS - len(changes))):
        goal.tick_once()
        if goal.status is not Status.RUNNING:
            break
        first = first or goal.plan
        if change is not None:
            agent.believe(*change)
    goal.shutdown()
    assert heard.faults() == wrong == [], (heard.story(), wrong)
    planned = {(step.task.name, step.args) for step in first.steps} if first else set()
    return started, planned


def look(seen, examples):
    @settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(network=NETWORKS, changes=CHANGES, searched=SETTINGS)
    def run(network, changes, searched):
        started, planned = starts_of(network, changes, searched)
        others = {(name, value) for name, value in started if (name, (value,)) not in planned}
        seen.update(runs=1, starts=len(started), otherwise=bool(planned and others))

    run()


def test_a_step_starts_with_the_arguments_that_its_call_has_then():
    seen = Counter()
    look(seen, size(quick=80, thorough=400, night=5_000))
    assert seen["starts"] > seen["runs"] / 2
    assert seen["otherwise"] > seen["runs"] / 20, seen
