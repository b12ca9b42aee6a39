"""Paths: the file of the domain that belongs to a file of cases, and the other way round.

cases.toml             beside domain.py, or beside tree.xml in the folder of a character of files
other_cases.toml       beside other.py
swings.scenario.toml   anywhere: it names its tree
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

SCENARIO: Final = ".scenario.toml"
"""The ending of the files of scenarios."""
HOW_NAMED: Final = f"tests are called cases.toml, *_cases.toml beside *.py, or *{SCENARIO}"
_TREE: Final = "tree.xml"
_TARGETS: Final = ("domain.py", "tree.py", _TREE)
_LIKE_TESTS: Final = re.compile(r"case|scenario", re.IGNORECASE)


def domain_file_of(cases: Path) -> Path | None:
    """The path of the domain for a file of cases; None if the file has another name.

    A character of files has one: the path is that of its tree.
    """
    if cases.name == "cases.toml":
        tree, domain = cases.with_name(_TREE), cases.with_name("domain.py")
        is_of_files = not any(cases.with_name(name).is_file() for name in ("domain.py", "tree.py"))
        return tree if is_of_files and tree.is_file() else domain
    if cases.name.endswith("_cases.toml"):
        return cases.with_name(f"{cases.name.removesuffix('_cases.toml')}.py")
    return None


def has_tests(file: Path) -> bool:
    """Whether a file is one of scenarios, or of cases beside their domain."""
    domain = domain_file_of(file)
    return file.name.endswith(SCENARIO) or (domain is not None and domain.is_file())


def is_ignored(file: Path) -> bool:
    """Whether a file beside a domain or tree is called nearly as tests are, so that none is run."""
    return (
        file.suffix.casefold() == ".toml"
        and _LIKE_TESTS.search(file.name) is not None
        and any(file.with_name(name).is_file() for name in _TARGETS)
        and not has_tests(file)
    )


def cases_file_of(domain: Path) -> Path:
    """The path of the cases for a domain, whether or not the file exists."""
    is_main = domain.name in ("domain.py", _TREE)
    return domain.with_name("cases.toml" if is_main else f"{domain.stem}_cases.toml")
