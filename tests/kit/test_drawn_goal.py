"""A goal whose methods are drawn, and a lottery that is told what came of it."""

from collections import Counter

from py_trees.common import Status

from bthtn.behaviours import NO_BACKOFF, Agent, Operators, PlanGoal, Replanning
from bthtn.engine.agent.events import CodeFailed, LeafStarted
from bthtn.examples.domains.brawler.domain import Brawler, battle_main, brawler, full_swing, jab
from bthtn.examples.trees.brawler.tree import character
from bthtn.kit import DrawnGoal, Lottery, LotteryRow, LotteryTable
from bthtn.studio.testing.doubles import RecordingListener, ScriptedOperator

# What failed is the lottery's business here.
DRAWN = Replanning(retrying=NO_BACKOFF)
TABLE = LotteryTable(
    LotteryRow("Jab", weight=50, increment=50),
    LotteryRow("FullSwing", weight=10, increment=10),
    LotteryRow("Tackle", weight=0),
)


def fighting(lottery=None, codes=(), **settings):
    operators = Operators(simulates_others=True)
    for task, code in codes:
        operators.bind(task)(code)
    agent = Agent("brawler", brawler, Brawler(), body=None, operators=operators)
    agent.listener = RecordingListener()
    goal = PlanGoal("fight", agent, battle_main(), max_replans=0, replanning=DRAWN)
    drawn = DrawnGoal("draw", goal, lottery or Lottery(TABLE, seed=3), Brawler.value, **settings)
    drawn.setup_with_descendants()
    return drawn, agent


def test_what_is_drawn_first_is_done_and_the_beliefs_say_why():
    drawn, agent = fighting()
    drawn.tick_once()
    assert drawn.action == drawn.listed[0]
    values = [agent.beliefs.get(Brawler.value[action]) for action in (*drawn.listed, "Tackle")]
    assert values == [0, 5, 10_000]
    assert drawn.feedback_message == ", ".join(drawn.listed)


def test_jabs_dominate_and_swings_come():  # R003-08
    drawn, _ = fighting()
    done = Counter()
    for _ in range(200):
        drawn.tick_once()
        assert drawn.status is Status.SUCCESS
        done[drawn.action] += 1
    assert 0.55 < done["Jab"] / 200 < 0.85
    assert done["FullSwing"] == 200 - done["Jab"]


def test_an_action_counts_when_its_plan_begins_even_if_it_is_broken_off():
    drawn, _ = fighting(
        Lottery(TABLE, seed=0),
        [(jab, ScriptedOperator("RRRR")), (full_swing, ScriptedOperator("RRRR"))],
    )
    drawn.tick_once()
    first = dict(drawn.lottery.weights)
    drawn.tick_once()
    drawn.stop(Status.INVALID)
    assert dict(drawn.lottery.weights) == first != {"Jab": 50, "FullSwing": 10, "Tackle": 0}


def test_on_success_it_counts_when_it_is_done():
    slow = [(jab, ScriptedOperator("RS")), (full_swing, ScriptedOperator("RS"))]
    drawn, _ = fighting(codes=slow, on="success")
    drawn.tick_once()
    assert dict(drawn.lottery.weights) == {"Jab": 50, "FullSwing": 10, "Tackle": 0}
    drawn.tick_once()
    assert dict(drawn.lottery.weights) != {"Jab": 50, "FullSwing": 10, "Tackle": 0}


def test_no_draw_while_the_action_runs():
    slow = [(jab, ScriptedOperator("RRRS")), (full_swing, ScriptedOperator("RRRS"))]
    drawn, _ = fighting(codes=slow)
    for _ in range(4):
        drawn.tick_once()
    assert drawn.lottery.draws == 1


def test_an_action_that_fails_again_and_again_is_excluded_and_drawn_again_later():  # R003-13
    lottery = Lottery(LotteryTable(LotteryRow("Jab")), patience=2, absence=3)
    drawn, _ = fighting(lottery, [(jab, ScriptedOperator("F"))])
    listed = []
    while lottery.draws < 7:
        drawn.tick_once()
        if drawn.status is not Status.RUNNING:
            listed.append(drawn.listed)
    jabs, nothing = ("Jab",), ()
    assert listed == [jabs, jabs, nothing, nothing, nothing, jabs, jabs]
    assert drawn.status is Status.FAILURE


def test_with_nothing_drawn_the_brawler_waits():
    drawn, _ = fighting(Lottery(LotteryTable(LotteryRow("Jab", weight=0))))
    drawn.tick_once()
    assert drawn.status is Status.RUNNING
    assert drawn.feedback_message == "nothing can be drawn"
    assert drawn.action == ""


def test_a_function_that_fails_to_say_what_is_disabled_is_told_and_nothing_is_drawn():
    drawn, agent = fighting(disabled=lambda: {}["Jab"])
    drawn.tick_once()
    assert drawn.listed == ()
    assert drawn.feedback_message == "nothing can be drawn"
    (failed,) = agent.listener.of(CodeFailed)
    assert (failed.code, type(failed.error)) == ("draw for 'fight'", KeyError)


def test_when_another_plan_takes_over_the_first_action_has_failed():
    lottery = Lottery(LotteryTable(LotteryRow("Jab"), LotteryRow("FullSwing")), patience=1)
    operators = Operators(simulates_others=True)

    @operators.bind(jab)
    def stumble(agent):
        agent.believe(Brawler.value["Jab"], 10_000.0)
        yield
        raise RuntimeError("he ducked")

    agent = Agent("brawler", brawler, Brawler(), body=None, operators=operators)
    goal = PlanGoal("fight", agent, battle_main(), replanning=DRAWN)
    drawn = DrawnGoal("draw", goal, lottery, Brawler.value)
    lottery.failed("FullSwing")  # so that the first draw is a jab
    for _ in range(4):
        drawn.tick_once()
    assert "Jab" in lottery.excluded


def test_a_change_of_values_interrupts_nothing():
    drawn, agent = fighting(
        codes=[(jab, ScriptedOperator("RRRS")), (full_swing, ScriptedOperator("RRRS"))]
    )
    drawn.tick_once()
    for action in ("Jab", "FullSwing"):
        agent.believe(Brawler.value[action], 10_000.0)
    agent.believe(Brawler.value["Tackle"], 0.0)
    drawn.tick_once()
    assert [
        type(event).__name__ for event in agent.listener.events if "Plan" in type(event).__name__
    ] == ["PlanAdopted"]


def fought(seed):
    brawler_at_work, started = character(seed), []
    while not brawler_at_work.finished:
        events = brawler_at_work.tick()
        started += [event.task for event in events if isinstance(event, LeafStarted)]
    brawler_at_work.stop()
    return started


def test_the_brawler_that_comes_with_bthtn_fights_the_same_fight_every_time():
    assert fought(7) == fought(7) != fought(8)
    assert {"jab", "full_swing", "tackle", "step_closer"} <= {*fought(7), *fought(8), *fought(9)}
