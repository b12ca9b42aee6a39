"""Batches: results in order, whatever the processes do."""

import importlib.util
import sys

import joblib
import pytest

from bthtn.errors import ExecutionError, InputError
from bthtn.studio.batch.runner import on_cores, run_batch
from tests.studio.batch.calls import DiesOnce, always_dies, process, raises, square

# joblib 1.6's own thread may raise KeyError while it ends workers that have calls left: it forgets
# the calls before it looks for the next one. Nothing is lost by it, but Python reports it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_items_with_any_number_of_processes(jobs):
    with on_cores(jobs):
        assert list(run_batch(square, [5, 3, 8, 1])) == [25, 9, 64, 1]
        assert list(run_batch(square, [])) == []


def test_the_calls_are_made_where_joblib_is_told_to_make_them():
    assert set(run_batch(process, range(3))) == {process(0)}
    with joblib.parallel_config("loky", n_jobs=2):
        assert process(0) not in set(run_batch(process, range(3)))


def test_after_the_death_of_a_worker_all_results_are_there_and_it_is_reported(tmp_path):
    told = []
    with on_cores(2):
        results = list(run_batch(DiesOnce(tmp_path), range(50), told.append))
    assert results == [number * number for number in range(50)]
    assert len(told) == 1
    assert "a worker died" in told[0]


def test_workers_that_die_again_and_again_end_the_batch_where_the_results_end():
    results = []
    with on_cores(2), pytest.raises(ExecutionError, match=r"BT492\] workers died 3") as found:
        results.extend(run_batch(always_dies, range(6)))
    assert f"before a result of {len(results)}:" in str(found.value)
    assert results == list(range(6))[: len(results)]
    assert len(results) <= 3
    assert "--jobs 1" in str(found.value)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_the_function_raises_leaves_the_batch(jobs):
    with on_cores(jobs), pytest.raises(ValueError, match=r"no \d"):
        list(run_batch(raises, range(3)))


def test_a_batch_may_be_left_before_its_end():
    with on_cores(2):
        results = run_batch(square, range(1000))
        assert next(results) == 0
        results.close()


@pytest.fixture(name="no_joblib")
def no_joblib_fixture(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "bthtn.studio.batch.runner.find_spec", lambda name: None if name == "joblib" else find(name)
    )


def test_without_joblib_one_process_makes_the_calls(no_joblib):
    with on_cores(0):
        assert list(run_batch(process, range(3))) == [process(0)] * 3


def test_several_processes_without_joblib_are_an_error_that_says_how_to_install_it(no_joblib):
    with pytest.raises(InputError, match=r"BT490\] this needs joblib") as found, on_cores(2):
        pass
    assert "pip install 'bthtn[scale]'" in str(found.value)
