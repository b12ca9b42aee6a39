"""Events of a search: data whose texts are made when somebody reads them."""

from copy import deepcopy

import pytest

from bthtn.engine.planning.trace import GoalsExpanded, MethodRejected, TaskPlanned, Unachievable


def counting(made):
    """A function that makes a text, and notes that it did."""

    def text(name, number):
        made.append(name)
        return f"{name}({number})"

    return text


def test_an_event_has_what_it_was_given():
    event = MethodRejected("fight", 1, "with a sword", "sword is false", depth=2)
    assert (event.task, event.method, event.name) == ("fight", 1, "with a sword")
    assert (event.reason, event.depth) == ("sword is false", 2)
    assert GoalsExpanded("p", 1.0, 2.5) == GoalsExpanded("p", cost=1.0, estimate=2.5, depth=0)


def test_a_text_is_made_when_it_is_asked_for():
    made = []
    event = TaskPlanned((counting(made), "walk", 3), 0)
    assert made == []
    assert event.task == "walk(3)"
    assert made == ["walk"]


def test_events_of_two_kinds_are_never_equal():
    assert TaskPlanned("walk", 0) != Unachievable("walk", 0)
    assert TaskPlanned("walk", 0) != ("walk", 0)
    assert len({TaskPlanned("walk", 0), Unachievable("walk", 0), TaskPlanned("walk", 0)}) == 2


def test_an_event_never_changes():
    with pytest.raises(AttributeError):
        TaskPlanned("walk", 1).task = "run"


def test_a_copy_of_an_event_has_its_texts():
    made = []
    event = deepcopy(TaskPlanned((counting(made), "walk", 3), 0))
    assert made == ["walk"]
    assert event == TaskPlanned("walk(3)", 0)
    assert made == ["walk"]
