"""A plugin for pytest: notes which test file runs which line, and lets nothing go on for ever.

Loaded by ``tests/mutation`` only.
"""

import os
import resource

import coverage
import pytest
from hypothesis import Phase, settings

# Half an hour of computing and three gigabytes.
LIMITS = {resource.RLIMIT_CPU: 1_800, resource.RLIMIT_AS: 3 * 2**30}


@pytest.hookimpl(trylast=True)
def pytest_configure():
    """Whether a test fails is all that matters, not by which least example."""
    for what, most in LIMITS.items():
        resource.setrlimit(what, (most, most))
    name = settings.get_current_profile_name()
    phases = (Phase.explicit, Phase.generate)
    settings.register_profile(name, parent=settings.get_profile(name), phases=phases)
    settings.load_profile(name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    measured = coverage.Coverage.current()
    if measured is not None:
        measured.switch_context(os.path.relpath(item.path))
    return (yield)
