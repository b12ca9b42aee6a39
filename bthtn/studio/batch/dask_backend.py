"""joblib's backend for Dask, for calls that may kill workers.

Dask gives up a call that has killed several workers, of which joblib 1.6 does not hear: it would
wait for ever. And while only one worker is alive, joblib would make the calls in this process.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from joblib import register_parallel_backend
from joblib._dask import DaskDistributedBackend


class _Backend(DaskDistributedBackend):  # type: ignore[misc] # joblib has no types
    def submit(self, func: Any, callback: Callable[[Any], None] | None = None) -> Future[Any]:
        """Submit a call; ``callback`` gets its result, or its future if it was given up."""

        def given_up(future: Future[Any]) -> None:
            if callback is not None and future.exception() is not None:
                callback(future)

        future: Future[Any] = super().submit(func, callback)
        future.add_done_callback(given_up)
        return future

    def effective_n_jobs(self, n_jobs: int) -> int:
        at_once: int = super().effective_n_jobs(n_jobs)
        return max(2, at_once)

    def retrieve_result_callback(self, out: Any) -> Any:
        return out.result() if isinstance(out, Future) else super().retrieve_result_callback(out)


def register(client: Any) -> None:
    """Let the backend "dask" be that of this client."""
    register_parallel_backend("dask", lambda **options: _Backend(client=client, **options))
