"""How hard the tests try, and how to repeat one that failed.

The Hypothesis profile is also the size of the tests that count or measure something large, see
``tests/sizes.py``. ``pytest --hypothesis-profile night`` is the long search.
"""

import gc
import os
import shlex
import sys

import pytest
from hypothesis import Phase, is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers

# CI repeats its examples, so that a red run stays red.
CI = os.environ.get("CI") == "true"
# No deadlines: they measure the machine. The quick tests draw the same examples every time: nobody
# is to meet by chance what was wrong before his change. The larger profiles look for new ones.
settings.register_profile("quick", max_examples=6, deadline=None, derandomize=True, print_blob=True)
quick = settings.get_profile("quick")
settings.register_profile("thorough", parent=quick, max_examples=30, derandomize=CI)
settings.register_profile("hunt", parent=quick, max_examples=300, derandomize=False)
settings.register_profile("night", parent=quick, max_examples=5_000, derandomize=False)
settings.register_profile(
    "unshrunk",  # says fast that something fails, not by which least example
    parent=quick,
    max_examples=100,
    derandomize=True,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Garbage is looked for rarely: most of what is allocated in a test is freed with it.

    Where examples are to repeat, so does the order of the tests; and an example depends on its test
    alone. Hypothesis also draws constants of the modules that are imported so far, which depend on
    the tests before it; there is no setting against that.
    """
    gc.set_threshold(50_000, 20, 50)
    profile = config.getoption("--hypothesis-profile") or "quick"
    if settings.get_profile(profile).derandomize:
        providers._get_local_constants = providers.Constants
        if config.getoption("randomly_seed", None) == "default":
            config.option.randomly_seed = 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Marks as ``sized`` the tests of Hypothesis, and those of modules that use ``tests.sizes``."""
    for item in items:
        function = getattr(item, "obj", None)
        module = getattr(item, "module", None)
        uses = [getattr(module, name, None) for name in ("size", "seeds")]
        is_sized = any(getattr(used, "__module__", "") == "tests.sizes" for used in uses)
        if is_sized or is_hypothesis_test(function):
            item.add_marker("sized")


def pytest_collection_finish():
    """What was collected stays to the end: collecting garbage need not look at it every time."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """So does what a file has imported and kept, which is a lot after three hundred files."""
    done = yield
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()
    return done


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Says below a failure how to run this test alone."""
    report = yield
    if report.failed:
        report.sections.append(("to repeat it", command_for(item)))
    return report


def command_for(item):
    """The command that runs one test as in this run: same profile, same seeds.

    A block of a document needs the blocks before it, so there it is the whole document. Hypothesis
    needs no seed of its own: it keeps examples that failed in .hypothesis, and CI repeats its own.
    """
    config, test = item.config, item.nodeid
    words = [os.path.relpath(sys.executable, config.rootpath), "-m", "pytest"]
    words.append(test.partition("::")[0] if item.path.suffix == ".md" else test)
    words += ["--hypothesis-profile", settings.get_current_profile_name()]
    for option in ("hypothesis-seed", "randomly-seed"):
        if (seed := config.getoption(option.replace("-", "_"), None)) is not None:
            words.append(f"--{option}={seed}")
    return ("CI=true " if CI else "") + shlex.join(words)
