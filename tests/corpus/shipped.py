"""The cases of the domains that come with bthtn, read once for all tests that go through them."""

from functools import cache
from pathlib import Path

from bthtn.studio.testing.case_files import domain_file_of
from bthtn.studio.testing.cases import read_cases
from bthtn.studio.testing.domain_files import domain_at, name_of

FOLDER = Path(__file__).resolve().parents[2] / "domains"
FILES = sorted(FOLDER.glob("*/*cases.toml"))
"""Of the main domain of a folder it is ``cases.toml``."""


@cache
def cases_of(file):
    """The cases of a file."""
    domain_file = domain_file_of(file)
    return read_cases(file, domain_at(domain_file, name_of(domain_file)))
