"""The troll of domains/troll, beyond his cases."""

from bthtn.engine.domain.network import calls_in
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.protocol import request
from bthtn.engine.planning.trace import MethodEntered, MethodRejected, TaskPlanned
from bthtn.examples.domains.troll.domain import two_slams
from bthtn.examples.domains.troll.thumper import Angry


def iterations(domain, state, goal):
    """What is to be processed, what is planned, and which methods were chosen, step by step.

    A fold over what the search tells, for searches that go back nowhere.
    """
    events = []
    ListenedSearch(request(domain, state, goal), events.append).advance()
    tasks, plan, record = [str(goal)], [], []
    yield list(tasks), list(plan), list(record)
    for event in events:
        if isinstance(event, MethodRejected):
            continue
        assert isinstance(event, MethodEntered | TaskPlanned), event
        assert tasks.pop(0) == event.task
        if isinstance(event, TaskPlanned):
            plan.append(event.task)
        else:
            task = domain.freeze().task(event.task)
            chosen = domain.freeze().methods[task][event.method]
            tasks[:0] = [str(call) for call in calls_in(chosen.body)]
            record.append(event.method)
        yield list(tasks), list(plan), list(record)


def test_the_figure_of_the_book_can_be_told_from_what_the_search_says():  # R001-08
    state, goal = Angry(can_see_enemy=True), two_slams.be_trunk_thumper()
    rows = [
        " | ".join(", ".join(map(str, column)) or "-" for column in row)
        for row in iterations(two_slams, state, goal)
    ]
    assert rows == [
        "be_trunk_thumper | - | -",
        "navigate_to_enemy, do_trunk_slam | - | 0",
        "do_trunk_slam | navigate_to_enemy | 0",
        "trunk_slam_b | navigate_to_enemy | 0, 1",
        "- | navigate_to_enemy, trunk_slam_b | 0, 1",
    ]
