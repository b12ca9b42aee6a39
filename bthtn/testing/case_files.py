"""Paths: the domain file that belongs to a file of cases, and the other way round."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SCENARIO: Final = ".scenario.toml"
"""The ending of the files of scenarios."""


def domain_file_of(cases: Path) -> Path | None:
    """The path of the domain for a file of cases; None if the file has another name."""
    if cases.name == "cases.toml":
        return cases.parent / "domain.py"
    if cases.name.endswith("_cases.toml"):
        return cases.parent / f"{cases.name.removesuffix('_cases.toml')}.py"
    return None


def has_tests(file: Path) -> bool:
    """Whether a file is one of scenarios, or of cases beside their domain."""
    domain = domain_file_of(file)
    return file.name.endswith(SCENARIO) or (domain is not None and domain.is_file())


def cases_file_of(domain: Path) -> Path:
    """The path of the cases for a domain, whether or not the file exists."""
    name = "cases.toml" if domain.name == "domain.py" else f"{domain.stem}_cases.toml"
    return domain.parent / name
