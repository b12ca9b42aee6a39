"""A part that is planned on arrival, in vain: the method that led there is to blame."""

from bthtn import (
    Domain,
    Fluent,
    Primitive,
    Settings,
    State,
    defer,
    fluent,
    method,
    one_of,
    primitive,
)
from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.engine.agent.events import LeafStarted, TaskAvoided
from bthtn.engine.replanning.policy import Replanning, RetryPolicy
from bthtn.studio.testing.doubles import RecordingListener, ScriptedOperator, ticks


class Burglar(State):
    key: Fluent[bool] = fluent(default=False)
    weather: Fluent[str] = fluent(default="dry")


def burgle(network, *, after=2, settings=None, operators=None):
    """A burglar with a goal of his domain, made by a function of the tasks he has."""
    domain = Domain("house", Burglar)
    go = domain.primitive("go")
    unlock = domain.primitive("unlock", precondition=Burglar.key)
    climb = domain.primitive("climb", duration=1)
    heard = RecordingListener()
    goal = network(domain, go, unlock, climb)
    for name, script in (operators or {}).items():
        bound = Operators(simulates_others=True)
        bound.bind(domain.freeze().task(name))(ScriptedOperator(*script))
    agent = Agent(
        "he",
        domain,
        Burglar(),
        body=None,
        operators=bound if operators else None,
        listener=heard,
    )
    replanning = Replanning(retrying=RetryPolicy(after=after, backoff=32))
    options = {"settings": settings} if settings else {}
    return PlanGoal("in", agent, goal, replanning=replanning, **options), heard


def by_the_door(domain, go, unlock, climb):
    @domain.compound
    def enter():
        yield method(go(), defer(unlock(), now=True), name="by the door")
        yield method(climb(), name="by the window")

    return enter()


def started(heard):
    return [event.task for event in heard.of(LeafStarted)]


def test_a_method_that_leads_to_parts_without_a_plan_is_avoided():
    goal, heard = burgle(by_the_door)
    ticks(goal, 4)
    assert started(heard) == ["go", "go", "climb"]
    [avoided] = heard.of(TaskAvoided)
    assert (avoided.task, avoided.reason) == (
        "enter m0",
        "there is no plan: unlock: key is false: key = false",
    )


def test_it_is_tried_again_when_something_changes_that_the_search_for_the_part_has_read():
    goal, heard = burgle(by_the_door)
    ticks(goal, 6)
    assert heard.of(TaskAvoided)[0].fluents == ("key",)
    goal.agent.believe(Burglar.weather, "wet")
    before = started(heard).count("go")
    ticks(goal, 4)
    assert started(heard).count("go") == before
    goal.agent.believe(Burglar.key, True)
    ticks(goal, 4)
    assert "unlock" in started(heard)


def test_with_the_value_of_a_variable_that_led_there():
    def somewhere(domain, go, unlock, climb):
        @domain.primitive
        def walk(side: str) -> Primitive:
            return primitive(duration=0)

        @domain.compound
        def enter():
            side = one_of(("left", "right"), name="side")
            yield method(walk(side), defer(unlock(), now=True))
            yield method(climb())

        return enter()

    goal, heard = burgle(somewhere, after=1)
    ticks(goal, 6)
    assert started(heard)[:3] == ["walk('left')", "walk('right')", "climb"]


def test_what_was_foreseen_is_not_used_while_something_is_avoided():
    def twice(domain, go, unlock, climb):
        @domain.compound
        def knock():
            yield method(go(), name="go")
            yield method(climb(), name="climb")

        return (knock(), knock())

    settings = Settings(horizon=1, check_rest=True)
    goal, heard = burgle(twice, after=1, settings=settings, operators={"go": ["F", "S"]})
    assert "S" in ticks(goal, 8)
    assert started(heard)[:3] == ["go", "climb", "climb"]
