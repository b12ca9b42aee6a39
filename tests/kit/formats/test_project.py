"""Folders whose modules stand beside those of others."""

import os
import sys

import pytest

from bthtn.errors import InputError
from bthtn.kit.formats.project import Project


def test_a_folder_that_is_not_there_changes_nothing(tmp_path):
    before = os.getcwd(), [*sys.path], {*sys.modules}
    gone = Project(str(tmp_path / "gone"))
    with pytest.raises(InputError, match=r"BT404.*gone: No such file"), gone.opened():
        pass
    assert (os.getcwd(), sys.path, {*sys.modules}) == before


def test_the_path_is_as_before_though_a_module_has_changed_it(tmp_path):
    before = os.getcwd(), [*sys.path]
    with Project(str(tmp_path)).opened():
        assert os.getcwd() == str(tmp_path)
        sys.path.remove(str(tmp_path))
    assert (os.getcwd(), sys.path) == before
