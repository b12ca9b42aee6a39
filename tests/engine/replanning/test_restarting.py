"""A search in slices, in a world that does not wait for it: it wins, and it ends."""

import pytest

from bthtn import Domain, Fluent, State, fluent, method
from bthtn.behaviours import Agent, Operators, PlanGoal, PriorityGoals
from bthtn.engine.agent.events import PlanAdopted, PlanFailed
from bthtn.engine.planning.protocol import Settings
from bthtn.studio.testing.doubles import RecordingListener, ScriptedOperator, ticks


class House(State):
    door: Fluent[bool] = fluent(default=False)
    clock: Fluent[int] = fluent(default=0)
    visitors: Fluent[int] = fluent(default=0)


DEPTH = 12


def house(entrances, duration):
    """Get in by one of the entrances, behind as many decompositions as take several ticks."""
    domain = Domain("house", House)
    steps = {
        name: domain.primitive(name, precondition=condition, duration=duration)
        for name, condition in entrances.items()
    }

    def level(depth):
        def descend():
            for name in steps if depth == DEPTH else ():
                yield method(steps[name](), when=entrances[name])
            if depth < DEPTH:
                yield method(levels[depth + 1]())

        descend.__name__ = f"level{depth}"
        return domain.compound(descend)

    levels = {}
    for depth in range(DEPTH, -1, -1):
        levels[depth] = level(depth)
    return domain, levels[0]()


ENTRANCES = {"enter": House.door, "climb": ~House.door}


def visitor(entrances=ENTRANCES, duration=3, **options):
    heard = RecordingListener()
    domain, goal = house(entrances, duration)
    agent = Agent("he", domain, House(), body=None, listener=heard)
    return agent, PlanGoal("goal", agent, goal, budget=3, **options), heard


@pytest.mark.parametrize("period", [1, 2, 3, 4, 5, 6, 7])
def test_a_search_that_is_outdated_by_the_world_wins_in_the_end(period):
    agent, goal, heard = visitor(max_replans=0)
    for tick in range(60):
        agent.believe(House.door, tick // period % 2 == 0)
        goal.tick_once()
    assert heard.of(PlanAdopted)
    assert heard.of(PlanFailed) == []


@pytest.mark.parametrize("opens", range(8))
def test_a_plan_that_works_again_gives_way_to_one_that_has_become_better_meanwhile(opens):
    entrances = {"fly": House.visitors == 1, **ENTRANCES}
    agent, goal, _ = visitor(entrances, duration=1_000)
    for tick in range(40):
        agent.believe(House.door, tick == opens)
        agent.believe(House.visitors, int(tick > opens))
        goal.tick_once()
    assert goal.tip().name == "fly"


def test_a_world_that_changes_beside_the_plan_does_not_hold_it_up():
    agent, goal, heard = visitor()
    still = []
    for tick in range(20):
        agent.believe(House.clock, tick + 1)
        goal.tick_once()
        still.append(bool(heard.of(PlanAdopted)))
    _, goal, heard = visitor()
    for _ in range(20):
        goal.tick_once()
        still.remove(bool(heard.of(PlanAdopted)))
    assert still == []


def test_it_is_bounded_by_expansions_and_not_by_changes():
    entrances = {f"enter{n}": House.visitors == n for n in range(100)}
    agent, goal, heard = visitor(entrances, settings=Settings(max_expansions=200))
    for tick in range(99):
        agent.believe(House.visitors, tick)
        goal.tick_once()
    reasons = [event.reason for event in heard.events if hasattr(event, "succeeded")]
    assert any("expansions" in reason for reason in reasons)
    assert not any(event.again for event in heard.of(PlanFailed))


def test_a_goal_that_is_prepared_while_the_world_changes_takes_over():
    agent, goal, heard = visitor()
    idle = PlanGoal("idle", agent, agent.domain.tasks["level0"](), budget=None)
    root = PriorityGoals("root", agent, [goal, idle])
    agent.believe(House.door, True)
    ticks(root, 1)
    for tick in range(60):
        agent.believe(House.door, tick % 2 == 0)
        root.tick_once()
    assert "goal" in {event.goal for event in heard.of(PlanAdopted)}


class Thief(State):
    guard_near: Fluent[bool] = fluent(default=False)


def thief(*scripts, **options):
    """Hides while a guard is near, else picks a lock, as the scripts say."""
    domain = Domain("thief", Thief)
    hide = domain.primitive("hide", duration=9)
    pick = domain.primitive("pick")
    grab = domain.primitive("grab")

    @domain.compound
    def get_in():
        yield method(pick())

    @domain.compound
    def steal():
        yield method(hide(), when=Thief.guard_near)
        yield method(get_in(), grab())

    operators = Operators(simulates_others=True)
    operators.bind(pick)(ScriptedOperator(*scripts))
    heard = RecordingListener()
    agent = Agent("she", domain, Thief(), body=None, operators=operators, listener=heard)
    return agent, PlanGoal("steal", agent, steal(), **options), heard


def test_what_the_world_does_while_a_plan_is_searched_for_may_make_a_better_one_possible():
    agent, goal, heard = thief("R", budget=1)
    ticks(goal, 2)
    agent.believe(Thief.guard_near, True)
    ticks(goal, 6)
    assert heard.lines() == ["start pick", "aborted pick", "start hide"]


def test_what_the_world_does_after_a_failed_plan_was_repaired_may_make_a_better_one_possible():
    agent, goal, heard = thief("RF", "R")
    ticks(goal, 2)
    agent.believe(Thief.guard_near, True)
    ticks(goal, 2)
    assert heard.lines()[-2:] == ["failed pick", "start hide"]
