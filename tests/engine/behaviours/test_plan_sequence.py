"""PlanSequence: py_trees' sequence with memory, for any number of children."""

import py_trees
import pytest
from py_trees.common import Status

from bthtn.engine.behaviours.plan_behaviour import discard
from bthtn.engine.behaviours.sequence import Placeholder, PlanSequence
from bthtn.studio.testing.doubles import ticks


def test_children_run_one_after_the_other_as_far_as_a_tick_gets(child, log):
    root = PlanSequence([child("a", "S"), child("b", "RS"), child("c", "S")])
    assert ticks(root, 1) == "R"
    assert log == ["start a", "tick a", "start b", "tick b"]
    assert ticks(root, 1) == "S"
    assert log[4:] == ["tick b", "start c", "tick c"]


def test_a_finished_child_is_not_ticked_again(child, log):
    root = PlanSequence([child("a", "S"), child("b", "RRS")])
    assert ticks(root, 3) == "RRS"
    assert log.count("tick a") == 1


def test_a_failure_ends_the_sequence_and_leaves_the_rest_alone(child, log):
    last = child("c", "S")
    root = PlanSequence([child("a", "S"), child("b", "RF"), last])
    assert ticks(root, 2) == "RF"
    assert last.ticked == 0
    assert last.status is Status.INVALID


def test_an_ended_sequence_starts_from_its_first_child_again(child, log):
    first = child("a", "S")
    root = PlanSequence([first, child("b", "FS")])
    assert ticks(root, 2) == "FS"
    assert first.ticked == 2
    assert ticks(root, 1) == "S"
    assert first.ticked == 3


def test_started_again_nothing_of_it_is_done_yet(child):
    root = PlanSequence([child("a", "SR"), child("b", "S")])
    assert ticks(root, 2) == "SR"
    assert [node.status for node in root.children] == [Status.RUNNING, Status.INVALID]


def test_an_interrupted_sequence_starts_from_its_first_child_again(child, log):
    first = child("a", "S")
    root = PlanSequence([first, child("b", "R")])
    root.tick_once()
    root.stop(Status.INVALID)
    assert log[-1] == "abort b"
    assert first.status is Status.INVALID
    root.tick_once()
    assert first.ticked == 2


def test_a_child_without_a_status_fails_the_sequence(child):
    class Nothing(py_trees.behaviour.Behaviour):
        def update(self):
            return Status.INVALID

    assert ticks(PlanSequence([Nothing("nothing"), child("a", "S")]), 1) == "F"


def test_nothing_to_do_is_done(child):
    assert ticks(PlanSequence([]), 2) == "SS"


def test_it_does_as_py_trees_does(child, log):
    scripts = ("RS", "S", "RRS", "SF", "R")
    ours = PlanSequence([child(str(n), script) for n, script in enumerate(scripts)])
    result, did = ticks(ours, 9), log[:]
    log.clear()
    theirs = py_trees.composites.Sequence(
        "theirs", memory=True, children=[child(str(n), script) for n, script in enumerate(scripts)]
    )
    assert ticks(theirs, 9) == result
    assert log == did


def test_the_child_at_hand_is_the_tip(child):
    root = PlanSequence([child("a", "S"), child("b", "R")])
    root.tick_once()
    assert root.tip().name == "b"
    root.stop(Status.INVALID)
    assert root.tip() is None


def test_ten_thousand_children_are_ticked_once_each(child, log):
    root = PlanSequence([child(str(n), "S") for n in range(10_000)])
    assert ticks(root, 1) == "S"
    assert log[1::2] == [f"tick {n}" for n in range(10_000)]


def test_a_tick_far_behind_costs_no_more_than_one_in_front(child):
    """Counted in children looked at, not in seconds."""

    class Watched(list):
        looked_at = 0

        def __getitem__(self, index):
            Watched.looked_at += 1
            return super().__getitem__(index)

        def __iter__(self):
            Watched.looked_at += len(self)
            return super().__iter__()

        def index(self, *args):
            Watched.looked_at += len(self)
            return super().index(*args)

    root = PlanSequence([child(str(n), "S") for n in range(999)] + [child("last", "R")])
    root.tick_once()
    root.children = Watched(root.children)
    ticks(root, 10)
    assert root.tip().name == "last"
    assert Watched.looked_at <= 50


# a child that is replaced


class Later(Placeholder):
    """Stands for others, after some ticks."""

    node = "later"

    def __init__(self, replacement, wait=0):
        super().__init__()
        self.planned = replacement
        self.wait = wait

    def update(self):
        self.wait -= 1
        if self.wait >= 0:
            return Status.RUNNING
        self.replacement = self.planned
        return Status.SUCCESS


def test_a_placeholder_is_replaced_in_the_same_tick_and_nothing_runs_twice(child, log):
    later = Later([child("b", "S"), child("c", "RS")])
    root = PlanSequence([child("a", "S"), later, child("d", "S")])
    assert ticks(root, 2) == "RS"
    assert [node.name for node in root.children] == ["a", "b", "c", "d"]
    assert [entry for entry in log if "tick" in entry] == [
        f"tick {name}" for name in ("a", "b", "c", "c", "d")
    ]
    assert all(node.parent is root for node in root.children)
    assert later.parent is None


def test_a_placeholder_may_take_its_time(child):
    root = PlanSequence([child("a", "S"), Later([child("b", "S")], wait=2)])
    assert ticks(root, 3) == "RRS"


def test_a_placeholder_may_turn_out_to_be_nothing(child, log):
    root = PlanSequence([child("a", "S"), Later([]), child("b", "S")])
    assert ticks(root, 1) == "S"
    assert [node.name for node in root.children] == ["a", "b"]


def test_a_placeholder_may_be_replaced_by_another(child, log):
    root = PlanSequence([Later([child("a", "S"), Later([child("b", "S")])])])
    assert ticks(root, 1) == "S"
    assert log == ["start a", "tick a", "start b", "tick b"]


def test_a_sequence_that_goes_on_and_on_forgets_what_is_long_done(child, log):
    class Endless(Placeholder):
        node = "endless"

        def __init__(self, number):
            super().__init__()
            self.number = number

        def update(self):
            self.replacement = [child(f"step {self.number}", "RS"), Endless(self.number + 1)]
            return Status.SUCCESS

    root = PlanSequence([Endless(0)])
    assert ticks(root, 500) == "R" * 500
    assert len(root.children) < 150
    done = [entry for entry in log if entry.startswith("start")]
    assert done == [f"start step {n}" for n in range(len(done))]
    assert len(done) == 500


def test_a_discarded_subtree_has_no_parent_and_was_taken_down():
    down = []

    class Node(py_trees.behaviours.Success):
        def shutdown(self):
            down.append(self.name)

    inner = PlanSequence([Node("a"), Node("b")])
    outer = PlanSequence([inner])
    assert [node.name for node in outer.iterate()] == ["a", "b", "sequence", "sequence"]
    discard(inner)
    assert inner.parent is None
    assert down == ["a", "b"]
    assert outer.children == [inner]


def test_a_client_that_was_attached_to_a_behaviour_of_a_plan_goes_with_it():
    gone = []

    class Client:
        def unregister(self):
            gone.append(self)

    root, client = PlanSequence([]), Client()
    root.blackboards.append(client)
    discard(root)
    assert gone == [client]


def test_a_sequence_in_which_steps_were_replaced_starts_with_all_that_were_planned(child, log):
    root = PlanSequence([Later([child("a", "S"), child("b", "S")]), child("c", "RS")])
    assert ticks(root, 2) == "RS"
    assert [one.name for one in root.children] == ["a", "b", "c"]
    assert ticks(root, 1) == "S"
    assert log.count("tick c") == 3
    assert [one.name for one in root.children] == ["a", "b", "c"]


def test_behaviours_of_plans_have_all_that_py_trees_gives_to_its_own():
    ours = PlanSequence([])
    theirs = py_trees.composites.Sequence("sequence", memory=True)
    for name, value in vars(theirs).items():
        own = getattr(ours, name)
        assert type(own) is type(value), name
        assert own == value or name in {"id", "iterator", "logger", "qualified_name"}, name
    assert ours.id == ours.id != PlanSequence([]).id
    assert ours.qualified_name == "PlanSequence/sequence"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ours.nothing
