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

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.task import CompoundTask
from bthtn.errors import BthtnError, Diagnostic, Severity, nearest
from bthtn.formats.sheet import kind_of
from bthtn.kit.coordinator_file import read_groups, read_roles
from bthtn.kit.goals_file import read_goals
from bthtn.kit.lottery_file import read_lottery
from bthtn.kit.skills_file import read_skill_table, read_skills


def sheet_findings(
    sheets: list[Path], domain: FrozenDomain, others: Mapping[str, FrozenDomain]
) -> Iterator[Diagnostic]:
    """The mistakes in sheets for a domain, in the order of ``sheets_in``.

    ``others`` are the domains that may be templates and skills, by name. Other files are left out.
    """
    skills: dict[str, FrozenDomain] = dict(others)
    for sheet in sheets:
        try:
            match kind_of(sheet):
                case "skills":
                    skills |= read_skills(sheet, domain, *others.values())
                case "kinds":
                    read_skill_table(sheet, domain, skills)
                case "lottery":
                    yield from _lottery_findings(sheet, domain, skills)
                case "goals":
                    read_goals(sheet, domain)
                case "groups":
                    read_groups(sheet, domain.state_class)
                case "roles":
                    read_roles(sheet, domain.state_class)
                case None:
                    pass
                case never:
                    assert_never(never)
        except BthtnError as error:
            yield from error.diagnostics


def _lottery_findings(
    sheet: Path, domain: FrozenDomain, skills: Mapping[str, FrozenDomain]
) -> Iterator[Diagnostic]:
    table = read_lottery(sheet, domain.state_class)
    yield from (replace(fault, where=f"{sheet}, {fault.where}") for fault in table.checks())
    known = {name for whole in (domain, *skills.values()) for name in _actions(whole)}
    for action in table.rows:
        if action not in known:
            message = f"no method and no compound task is called '{action}'"
            where, hint = f"{sheet}, row '{action}'", nearest(action, known)
            yield Diagnostic("BT425", message, where, hint, Severity.WARNING)


def _actions(domain: FrozenDomain) -> Iterator[str]:
    """The names that an action of a lottery may have."""
    yield from (task.name for task in domain.tasks.values() if isinstance(task, CompoundTask))
    yield from (
        method.name for methods in domain.methods.values() for method in methods if method.name
    )
