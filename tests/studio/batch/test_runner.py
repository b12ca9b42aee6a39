"""Batches: results in order, whatever the workers do."""

from concurrent.futures import Future

import joblib
import pytest
from joblib._dask import DaskDistributedBackend

from bthtn.errors import BthtnError, ExecutionError, InputError
from bthtn.studio.batch import workers
from bthtn.studio.batch.dask_backend import register
from bthtn.studio.batch.runner import Deaths, run_batch
from bthtn.studio.batch.workers import Workers
from tests.studio.batch.calls import DiesOnce, always_dies, raises, square

# joblib 1.6's own thread may raise KeyError while it ends workers that have calls left: it forgets
# the calls before it looks for the next one. Nothing is lost by it, but Python reports it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")

TWO = Workers(jobs=2)
HERE = Workers(jobs=1)


def test_results_come_in_the_order_of_the_items_with_any_number_of_workers():
    items = [5, 3, 8, 1]
    assert list(run_batch(square, items, HERE)) == [25, 9, 64, 1]
    assert list(run_batch(square, items, TWO)) == [25, 9, 64, 1]
    assert list(run_batch(square, [], TWO)) == []


def test_after_the_death_of_a_worker_all_results_are_there_and_it_is_reported(tmp_path):
    told = []
    deaths = Deaths(told.append)
    results = list(run_batch(DiesOnce(tmp_path), range(50), TWO, deaths))
    assert results == [number * number for number in range(50)]
    assert deaths.number == 1
    assert len(told) == 1
    assert "a worker died" in told[0]


def test_an_item_that_always_kills_its_worker_is_named():
    results = []
    with pytest.raises(ExecutionError, match=r"BT492\] a worker died 3 times at 3") as found:
        results.extend(run_batch(always_dies, range(6), TWO))
    assert "--jobs 1" in str(found.value)


def test_what_the_function_raises_leaves_the_batch():
    for processes in (HERE, TWO):
        with pytest.raises(ValueError, match=r"no \d"):
            list(run_batch(raises, range(3), processes))


def test_a_batch_may_be_left_before_its_end():
    results = run_batch(square, range(1000), TWO)
    assert next(results) == 0
    results.close()


@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_a_cluster_needs_an_address(backend):
    with pytest.raises(InputError, match=r"BT491\] --backend \w+ needs the address"):
        list(run_batch(square, [1], Workers(backend=backend)))


def test_a_missing_package_is_an_error_that_says_how_to_install_it(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("bthtn.studio.batch.workers.import_module", missing)
    with pytest.raises(InputError, match=r"BT490\] this needs joblib") as found:
        list(run_batch(square, [1]))
    assert "pip install 'bthtn[scale]'" in str(found.value)
    assert isinstance(found.value, BthtnError)


class Cluster:
    """Stands for Dask's module and client: it has lost a worker when it is asked again."""

    def __init__(self, address, **_):
        self.asked = 0
        if address == "nowhere":
            raise OSError("timed out")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def scheduler_info(self, n_workers):
        self.asked += 1
        return {"workers": {"one": 1} if self.asked > 1 else {"one": 1, "two": 2}}


@pytest.fixture(name="dask")
def dask_fixture(monkeypatch):
    """Dask is installed, and its calls are made in this process."""
    names = {"distributed": type("module", (), {"Client": Cluster}), "joblib": joblib}
    names["bthtn.studio.batch.dask_backend"] = type("module", (), {"register": lambda client: None})
    monkeypatch.setattr(workers, "import_module", names.__getitem__)
    monkeypatch.setattr(
        joblib,
        "parallel_config",
        lambda backend, n_jobs: joblib.parallel.parallel_config("threading"),
    )


def test_workers_that_a_cluster_has_lost_are_reported(dask):
    told = []
    cluster = Workers(backend="dask", address="tcp://here:8786")
    assert list(run_batch(square, range(3), cluster, Deaths(told.append))) == [0, 1, 4]
    assert told == ["workers that the cluster lost: 1; it ran their calls again"]


def test_a_ray_cluster_gives_the_results_of_a_wave_at_a_time(monkeypatch, dask):
    done = []
    fake = {
        "init": staticmethod(lambda *_, **__: None),
        "shutdown": staticmethod(lambda: done.append(1)),
    }
    fakes = {"ray": type("ray", (), fake)}
    fakes["ray.util.joblib"] = type("module", (), {"register_ray": staticmethod(lambda: None)})
    monkeypatch.setattr(workers, "import_module", {**fakes, "joblib": joblib}.__getitem__)
    monkeypatch.setattr("bthtn.studio.batch.runner.WAVE", 3)
    cluster = Workers(backend="ray", address="here:6379")
    assert list(run_batch(square, range(8), cluster)) == [n * n for n in range(8)]
    assert done == [1]


def test_a_call_that_dask_gives_up_ends_the_wait_for_it(monkeypatch):
    future, heard = Future(), []
    monkeypatch.setattr(DaskDistributedBackend, "submit", lambda *_: future)
    monkeypatch.setattr(DaskDistributedBackend, "effective_n_jobs", lambda *_: 1)
    monkeypatch.setattr(DaskDistributedBackend, "retrieve_result_callback", lambda _, out: out)
    monkeypatch.setattr(DaskDistributedBackend, "__init__", lambda self, client: None)
    register("client")
    with joblib.parallel_config("dask"):
        backend = joblib.parallel.get_active_backend()[0]
    assert backend.effective_n_jobs(-1) == 2  # one would be this process
    assert backend.submit(square, heard.append) is future
    future.set_exception(ValueError("killed"))
    assert heard == [future]
    with pytest.raises(ValueError, match="killed"):
        backend.retrieve_result_callback(future)
    assert backend.retrieve_result_callback([4]) == [4]


def test_a_cluster_that_does_not_answer_is_an_error(dask):
    cluster = Workers(backend="dask", address="nowhere")
    with pytest.raises(InputError, match=r"BT491\] no dask cluster at nowhere: OSError: timed out"):
        list(run_batch(square, range(3), cluster))
