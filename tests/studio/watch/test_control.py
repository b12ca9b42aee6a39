"""What pages ask of a run is done between two ticks, in the thread that ticks."""

import math
import threading

import pytest

from bthtn.engine.agent.events import LeafEnded, LeafRefused
from bthtn.errors import BthtnError
from bthtn.studio.watch.breakpoints import Breakpoint, BreakpointKind, Breakpoints
from bthtn.studio.watch.run_control import SOURCE, Control
from tests.studio.watch.scenes import Guard, guard


class Run:
    """A guard, his control, and the requests of a page that is open."""

    def __init__(self, **beliefs):
        self.character = guard(**beliefs)
        self.agent = self.character.agent
        self.watched, self.told = [], []
        self.control = Control(
            self.character.agents,
            watch=self.watched.append,
            changed=lambda: self.told.append(self.control.state()),
        )
        self.control.attach(is_attached=True)

    def tick(self, then="resume"):
        """A tick, after which a page sends this request: if the run is paused, it goes on."""
        self.told.clear()
        events = self.character.tick()
        self.control.submit({"do": then})
        self.control.between_ticks(events)

    def pauses(self):
        """Why the run was paused in the latest tick."""
        return [state["reason"] for state in self.told if state["paused"]]

    def ask(self, do, **more):
        answer = self.control.submit({"do": do, **more})
        self.control.between_ticks(())
        return answer.result(timeout=0)


@pytest.mark.parametrize(
    ("kind", "text", "ticks"),
    [
        ("starts", "look", [3, 6]),
        ("succeeds", "walk", [3, 6]),
        ("method", "serve:1", [1, 4]),
        ("method", "serve:patrol", [1, 4]),
        ("replan", "", [1, 4]),
        ("replan", "serve", [1, 4]),
        ("replan", "other", []),
        ("starts", "shoot", []),
    ],
)
def test_a_breakpoint_pauses_the_run_after_the_tick_that_reaches_it(kind, text, ticks):
    run = Run()
    run.ask("break", kind=kind, text=text)
    found = []
    for tick in range(1, 7):
        run.tick()
        if run.pauses():
            found.append(tick)
    assert found == ticks


def test_a_breakpoint_stops_at_a_condition_when_it_becomes_true():
    run = Run()
    run.ask("break", kind="condition", text="ammo < 2 and enemy")
    run.tick()
    assert not run.pauses()
    run.agent.believe(Guard.ammo, 1)
    run.agent.believe(Guard.enemy, True)
    run.tick()
    assert run.pauses() == ["breakpoint — Ann: ammo < 2 and enemy"]
    run.tick()
    assert not run.pauses(), "it is true still"


def test_a_condition_that_is_true_already_stops_nothing():
    run = Run(ammo=0)
    run.ask("break", kind="condition", text="ammo == 0")
    run.tick()
    assert not run.pauses()


@pytest.mark.parametrize(
    "event", [LeafRefused(1, "shoot", "no ammo"), LeafEnded(1, "shoot", succeeded=False)]
)
def test_a_breakpoint_at_the_failure_of_a_task_stops_when_a_step_fails_or_is_refused(event):
    run = Run()
    found = Breakpoints(run.character.agents)
    found.add(Breakpoint(BreakpointKind.FAILS, "shoot"))
    assert found.reached([event.of("Ann", 1, None)]) == "Ann: fails shoot"
    assert not found.reached([LeafEnded(1, "shoot", succeeded=True).of("Ann", 1, None)])


def test_a_breakpoint_of_another_agent_stops_nothing():
    run = Run()
    with pytest.raises(BthtnError, match="no agent is called 'Bob'"):
        run.ask("break", kind="starts", text="walk", agent="Bob")


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("starts", "shot", r"BT451.*no task is called 'shot'(.|\n)*did you mean 'shoot'"),
        ("method", "serve", "BT451.*names no method"),
        ("method", "server:1", "BT451.*no task is called 'server'"),
        ("condition", "amo < 1", "BT"),
        ("falls", "shoot", "BT452"),
    ],
)
def test_a_breakpoint_that_nothing_could_reach_is_refused(kind, text, message):
    with pytest.raises(BthtnError, match=message):
        Run().ask("break", kind=kind, text=text)


def test_a_breakpoint_that_was_removed_stops_nothing():
    run = Run()
    number = run.ask("break", kind="starts", text="walk")
    run.ask("unbreak", number=number)
    run.tick()
    assert not run.pauses()
    assert run.control.state()["breakpoints"] == []


def test_breakpoints_stop_nothing_while_no_page_is_open():
    run = Run()
    run.ask("break", kind="starts", text="walk")
    run.control.attach(is_attached=False)
    run.tick()
    assert not run.pauses()


def test_a_step_makes_one_tick():
    run = Run()
    run.tick(then="step")
    assert not run.pauses()
    run.tick()
    assert run.pauses() == ["one tick was made"]
    run.tick()
    assert not run.pauses()


def test_a_run_to_the_next_plan_stops_there_once():
    run = Run()
    run.tick(then="replan")
    stops = []
    for tick in range(2, 8):
        run.tick(then="nothing" if tick < 4 else "resume")
        if run.pauses():
            stops.append(tick)
    assert stops == [4]


def test_a_belief_that_is_set_by_hand_changes_what_the_agent_does():
    run = Run()
    run.tick()
    run.ask("believe", agent="Ann", set="enemy=true")
    events = [event for event in run.character.tick() if type(event).__name__ == "LeafStarted"]
    assert [event.task for event in events] == ["shoot"]


def test_a_belief_that_is_set_by_hand_is_checked_and_names_its_source():
    run = Run()
    changes = []
    run.agent.listener = lambda event: changes.append(event.change)
    run.ask("believe", agent="Ann", set="ammo=7")
    assert [(str(one.fluent), one.after, str(one.source)) for one in changes] == [
        ("ammo", 7, SOURCE)
    ]
    for wrong in ("ammo=many", "amo=1", "ammo"):
        with pytest.raises(BthtnError):
            run.ask("believe", agent="Ann", set=wrong)
    assert run.agent.beliefs.now.ammo == 7


@pytest.mark.parametrize(
    "request_",
    [
        *({}, {"do": "explode"}, {"do": "break"}),
        *({"do": "unbreak", "number": number} for number in ("x", math.inf, math.nan, None)),
    ],
)
def test_a_request_that_is_not_well_made_is_refused(request_):
    run = Run()
    answer = run.control.submit(request_)
    run.control.between_ticks(())
    with pytest.raises(BthtnError, match="BT452"):
        answer.result(timeout=0)


def test_a_paused_run_waits_until_it_is_resumed():
    run = Run()
    run.control.submit({"do": "pause"})
    loop = threading.Thread(target=run.control.between_ticks, args=((),))
    loop.start()
    assert run.control.submit({"do": "believe", "agent": "Ann", "set": "ammo=5"}).result(5) is None
    assert loop.is_alive()
    run.control.submit({"do": "resume"})
    loop.join(5)
    assert not loop.is_alive()


@pytest.mark.parametrize("end", [lambda c: c.close(), lambda c: c.attach(is_attached=False)])
def test_a_paused_run_goes_on_when_nobody_looks_any_more(end):
    run = Run()
    run.control.submit({"do": "pause"})
    loop = threading.Thread(target=run.control.between_ticks, args=((),))
    loop.start()
    end(run.control)
    loop.join(5)
    assert not loop.is_alive()


def test_a_page_asks_for_the_tree_of_an_agent():
    run = Run()
    run.ask("watch", agent="Ann")
    assert run.watched == ["Ann"]
