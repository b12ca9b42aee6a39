"""Checks of sheets, whose kinds are known by their names.

lottery.csv, boss.lottery.csv     a lottery            orc.goals.toml     goals
attacks.skills.csv                derived skills       squad.groups.csv   rights of groups
forest.kinds.csv                  skills of kinds      squad.roles.csv    roles
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.task import CompoundTask
from bthtn.errors import Diagnostic, Severity, nearest
from bthtn.kit.coordinator_file import read_groups, read_roles
from bthtn.kit.formats.mistakes import Mistakes
from bthtn.kit.formats.sheet import kind_of
from bthtn.kit.goals_file import read_goals
from bthtn.kit.lottery_file import read_lottery
from bthtn.kit.skills_file import read_skill_table, read_skills


def sheet_findings(
    sheets: list[Path],
    domain: FrozenDomain,
    others: Mapping[str, FrozenDomain],
    mistakes: Mistakes | None = None,
) -> list[Diagnostic]:
    """The mistakes in sheets for a domain, in the order of ``sheets_in``, after those known.

    ``others`` are the domains that may be templates and skills, by name. Other files are left out.
    """
    found = Mistakes() if mistakes is None else mistakes
    skills: dict[str, FrozenDomain] = dict(others)
    for sheet in sheets:
        match kind_of(sheet):
            case "skills":
                skills |= found.rows(read_skills, sheet, domain, *others.values())
            case "kinds":
                found.read(read_skill_table, sheet, domain, skills)
            case "lottery":
                found.note(found.read(_lottery_findings, sheet, domain, skills, default=()))
            case "goals":
                found.read(read_goals, sheet, domain)
            case "groups":
                found.read(read_groups, sheet, domain.state_class)
            case "roles":
                found.read(read_roles, sheet, domain.state_class)
            case None:
                pass
            case never:
                assert_never(never)
    return found.found


def _lottery_findings(
    sheet: Path, domain: FrozenDomain, skills: Mapping[str, FrozenDomain]
) -> list[Diagnostic]:
    """Warnings of a lottery. Raises InputError for the mistakes in it."""
    table = read_lottery(sheet, domain.state_class)
    found = [replace(fault, where=f"{sheet}, {fault.where}") for fault in table.checks()]
    known = {name for whole in (domain, *skills.values()) for name in actions_of(whole)}
    for action in table.rows:
        if action not in known:
            message = f"no method and no compound task is called '{action}'"
            where, hint = f"{sheet}, row '{action}'", nearest(action, known)
            found.append(Diagnostic("BT425", message, where, hint, Severity.WARNING))
    return found


def actions_of(domain: FrozenDomain) -> Iterator[str]:
    """The names that an action of a lottery may have."""
    yield from (task.name for task in domain.tasks.values() if isinstance(task, CompoundTask))
    yield from (
        method.name for methods in domain.methods.values() for method in methods if method.name
    )
