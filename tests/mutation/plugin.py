"""A plugin for pytest: notes which test runs which line, runs chosen tests, and never for ever.

Loaded by ``tests/mutation`` only.
"""

import json
import os
import resource
import signal
import time
from collections import Counter
from pathlib import Path

import coverage
import pytest
from hypothesis import Phase, settings

# Half an hour of computing; WebAssembly reserves four gigabytes, and uses little of them.
LIMITS = {resource.RLIMIT_CPU: 1_800, resource.RLIMIT_AS: 8 * 2**30}
CHOSEN = os.environ.get("MUTANT_TESTS", "")
"""A file with the names of the tests to be run, in their order."""
MOST = float(os.environ.get("MUTANT_SECONDS", "inf"))
"""After so many seconds of computing no other test is begun."""
LONGEST = 60
"""No test computes for so many seconds, but where a fault makes a loop endless."""
seconds: Counter[str] = Counter()


def name_of(item):
    """A test with parameters is one; so is a document, whose blocks build on each other."""
    page = item.path.suffix == ".md"
    return item.nodeid.partition("::")[0] if page else item.nodeid.partition("[")[0]


@pytest.hookimpl(trylast=True)
def pytest_configure():
    """Whether a test fails is all that matters, not by which least example."""
    for what, most in LIMITS.items():
        resource.setrlimit(what, (most, most))
    name = settings.get_current_profile_name()
    phases = (Phase.explicit, Phase.generate)
    settings.register_profile(name, parent=settings.get_profile(name), phases=phases)
    settings.load_profile(name)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Slow tests were not measured: all of the files that were asked for are run, as the last."""
    if CHOSEN:
        order = {name: at for at, name in enumerate(Path(CHOSEN).read_text("utf-8").splitlines())}
        able = [item for item in items if name_of(item) in order or "slow" in item.keywords]
        items[:] = sorted(able, key=lambda item: order.get(name_of(item), len(order)))


def pytest_runtest_setup():
    if time.process_time() > MOST:
        pytest.skip("no time is left")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    signal.setitimer(signal.ITIMER_PROF, LONGEST)  # which ends the process
    measured, began = coverage.Coverage.current(), time.process_time()
    if measured is not None:
        measured.switch_context(name_of(item))
    try:
        return (yield)
    finally:
        seconds[name_of(item)] += time.process_time() - began


def pytest_sessionfinish():
    if kept := os.environ.get("MUTANT_MAP"):
        worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
        Path(kept, f"seconds.{worker}.json").write_text(json.dumps(seconds), "utf-8")
