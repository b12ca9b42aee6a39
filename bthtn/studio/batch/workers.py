"""Workers: the processes that make the calls of a batch, on this machine or on a cluster."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Final

from bthtn.errors import InputError, exception_text


@dataclass(frozen=True, slots=True)
class Workers:
    """``jobs`` processes of this machine, -1 for one per core; or the cluster at an address.

    ``backend`` is loky for this machine, else dask or ray; a cluster decides itself how many
    calls it makes at a time. With one job on this machine, the calls are made in this process.
    """

    jobs: int = -1
    backend: str = "loky"
    address: str = ""

    @contextmanager
    def ready(self) -> Iterator[Callable[[], int]]:
        """Inside, joblib uses these workers. Raises InputError if that is not possible.

        Yields a function that says how many workers a Dask cluster has lost so far: it repeats
        their calls itself.
        """
        joblib = package_of("joblib", "pip install 'bthtn[scale]'")
        with ExitStack() as until_done:
            is_here = self.backend == "loky"
            lost = (lambda: 0) if is_here else self._connected(until_done)
            options = {"initializer": _leave_interrupts} if is_here else {}
            config = joblib.parallel_config(self.backend, n_jobs=self.jobs, **options)
            until_done.enter_context(config)
            yield lost

    def _connected(self, until_done: ExitStack) -> Callable[[], int]:
        """Connect joblib with the cluster. Returns the function that ``ready`` yields."""
        if not self.address:
            message = f"--backend {self.backend} needs the address of a cluster that runs"
            hint = f"--address {'tcp://HOST:8786' if self.backend == 'dask' else 'HOST:6379'}"
            raise InputError("BT491", message, hint=hint)
        connect = _dask if self.backend == "dask" else _ray
        try:
            return connect(self.address, until_done)
        except InputError:
            raise
        except Exception as error:
            message = f"no {self.backend} cluster at {self.address}: {exception_text(error)}"
            hint = "is it running, and of the version of Python and packages that is used here?"
            raise InputError("BT491", message, hint=hint) from error


LOCAL: Final = Workers()


def _leave_interrupts() -> None:
    """Let the process that works for another one be ended by that one, not by Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def package_of(name: str, how: str) -> ModuleType:
    """Import a package that an extra installs. Raises InputError that says how to install it."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        message = f"this needs {name.partition('.')[0]}, which is not installed"
        raise InputError("BT490", message, hint=how) from None


def _dask(address: str, until_done: ExitStack) -> Callable[[], int]:
    distributed = package_of("distributed", "pip install 'dask[distributed]'")
    client = distributed.Client(address, timeout=10, set_as_default=False)
    until_done.enter_context(client)
    from bthtn.studio.batch.dask_backend import register  # noqa: PLC0415 - needs Dask

    register(client)
    workers = set(client.scheduler_info(n_workers=-1)["workers"])
    return lambda: len(workers - set(client.scheduler_info(n_workers=-1)["workers"]))


def _ray(address: str, until_done: ExitStack) -> Callable[[], int]:
    ray = package_of("ray", "pip install ray")
    import_module("ray.util.joblib").register_ray()
    ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    until_done.callback(ray.shutdown)
    return lambda: 0
