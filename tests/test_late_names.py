"""Packages whose public names are imported when they are first used."""

import importlib
from pkgutil import iter_modules

import pytest


@pytest.mark.parametrize(
    "name", ["bthtn", "bthtn.kit.formats", "bthtn.testing", "bthtn.studio.views"]
)
def test_a_package_has_and_lists_all_names_that_it_exports(name):
    package = importlib.import_module(name)
    assert {*package.__all__} <= {*dir(package)}
    assert None not in [getattr(package, public) for public in package.__all__]
    with pytest.raises(AttributeError, match=f"'{name}' has no attribute 'picure'"):
        _ = package.picure


@pytest.mark.parametrize("name", ["bthtn.kit.formats", "bthtn.studio.views"])
def test_no_exported_name_is_that_of_a_module(name):
    """Python sets a module that it imports in its package, where it would be found instead."""
    package = importlib.import_module(name)
    assert not {*package.__all__} & {module.name for module in iter_modules(package.__path__)}
