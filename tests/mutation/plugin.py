"""A plugin for pytest: which test file runs which line, and no search for the least example.

Loaded by ``tests/mutation`` only.
"""

import coverage
import pytest
from hypothesis import Phase, settings


@pytest.hookimpl(trylast=True)
def pytest_configure():
    """Whether a test fails is all that matters, not by which example."""
    name = settings.get_current_profile_name()
    phases = (Phase.explicit, Phase.generate)
    settings.register_profile(name, parent=settings.get_profile(name), phases=phases)
    settings.load_profile(name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    measured = coverage.Coverage.current()
    if measured is not None:
        measured.switch_context(item.nodeid.partition("::")[0])
    return (yield)
