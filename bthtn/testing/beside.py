"""Which domain a file of cases is about, and where a domain has its cases."""

from __future__ import annotations

from pathlib import Path


def domain_beside(cases: Path) -> Path | None:
    """Where the domain of a file of cases has to lie; None for any other file."""
    if cases.name == "cases.toml":
        return cases.parent / "domain.py"
    if cases.name.endswith("_cases.toml"):
        return cases.parent / f"{cases.name.removesuffix('_cases.toml')}.py"
    return None


def cases_beside(domain: Path) -> Path:
    """Where the cases of a domain lie, if it has any."""
    name = "cases.toml" if domain.name == "domain.py" else f"{domain.stem}_cases.toml"
    return domain.parent / name
