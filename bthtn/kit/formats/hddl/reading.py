"""Domains and problems in files."""

from __future__ import annotations

from pathlib import Path

from bthtn.checked import checked
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.kit.formats.hddl.lowering import domain_alone, planning_problem
from bthtn.kit.formats.hddl.parser import domain_in, problem_in
from bthtn.kit.formats.hddl.problem import PlanningProblem
from bthtn.kit.formats.hddl.python_writer import python_text
from bthtn.kit.formats.hddl.source import Source


def read_domain(path: Path) -> FrozenDomain:
    """The domain in a file, for no problem yet. Raises BthtnError with the place of a fault."""
    return domain_alone(domain_in(Source.of(path)))


def converted(path: Path) -> str:
    """The domain in a file as a module in Python. Raises InputError with the place of a fault."""
    file = domain_in(Source.of(path))
    domain_alone(file)  # which finds what cannot be a domain at all
    return python_text(file)


@checked
def read_problem(domain: str | Path, problem: str | Path) -> PlanningProblem:
    """What a domain and a problem in HDDL, or in PDDL, ask for.

    Raises InputError with the place of a fault.
    """
    file = domain_in(Source.of(Path(domain)))
    return planning_problem(file, problem_in(Source.of(Path(problem)), file))
