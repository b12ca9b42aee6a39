"""Completion: an outcome that is told once, from anywhere."""

import threading

from bthtn.engine.agent.completion import Completion


def test_nothing_is_known_until_something_is_said():
    assert Completion().reason is None


def test_a_success_has_no_reason():
    done = Completion()
    assert done.succeed()
    assert done.reason == ""


def test_a_failure_has_one_whatever_is_given():
    done, other = Completion(), Completion()
    assert done.fail("stuck")
    assert other.fail("")
    assert (done.reason, other.reason) == ("stuck", "the operator failed")


def test_the_first_word_counts_and_the_others_are_counted():
    done = Completion()
    assert done.succeed()
    assert not done.fail("too late")
    assert not done.succeed()
    assert (done.reason, done.ignored) == ("", 2)


def test_after_it_is_abandoned_nothing_counts():
    halted = []
    done = Completion(on_abort=lambda: halted.append(done.succeed()))
    done.abandon()
    assert halted == [False]
    assert (done.reason, done.ignored) == (None, 1)


def test_it_belongs_to_one_step():
    done = Completion()
    assert [done.claim(), done.claim()] == [True, False]


def test_of_many_threads_exactly_one_is_heard():
    for _ in range(50):
        done, ready, heard = Completion(), threading.Barrier(8), []

        def speak(done=done, ready=ready, heard=heard):
            ready.wait()
            heard.append(done.succeed())

        threads = [threading.Thread(target=speak) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (heard.count(True), done.ignored) == (1, 7)
