"""Skills in files: attacks derived from templates, and the skills of each kind of agent.

Skill,Template,Animation,Reach           Kind,Skills
Slash,melee,slash,2.5                    goblin,Bash
Bash,melee,bash,1.5                      ogre,"Slash, Bash"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from bthtn.checked import checked
from bthtn.engine.agent.operators import Operators
from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.derive import derive
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.task import CompoundTask
from bthtn.engine.text.values import finite_from
from bthtn.engine.world.expression import Parameter
from bthtn.errors import BthtnError, InputError, nearest
from bthtn.kit.formats.columns import Column, folded, with_point
from bthtn.kit.formats.sheet import NO_MAPPING, SheetRow, read_sheet
from bthtn.kit.skills import SkillTable

_SKILL: Final = Column("Skill", "skill", wanted="the name of the skill", is_required=True)
_TEMPLATE: Final = Column("Template", "template", wanted="a compound task", is_required=True)
_KIND: Final = Column("Kind", "kind", wanted="a kind of agent", is_required=True)


@checked
def read_skills(
    path: Path | str,
    *templates: Domain[Any] | FrozenDomain,
    columns: Mapping[str, str] = NO_MAPPING,
) -> dict[str, FrozenDomain]:
    """Derive a domain for each row of a ``.csv``, ``.xlsx`` or ``.toml`` file.

    The row's template is a compound task of one of ``templates``. In the new domain it is called
    as the skill, and the other tasks have the skill's name behind theirs. Every other column is a
    parameter of the template's tasks, and fixes it; so does ``Skill`` if there is a parameter of
    that name. Raises InputError with all faults of the file and their places.
    """
    domains = [frozen(template) for template in templates]
    by_task = {
        name: domain for domain in domains for name in domain.authored if _is_template(domain, name)
    }

    known = {
        folded(name): name
        for task, domain in by_task.items()
        for name in (parameter.name for parameter in _parameters(domain, task).values())
    }

    def column(heading: str) -> Column:
        """The column of a parameter that one of the templates has. Raises InputError."""
        if known and folded(heading) not in known:
            hint = nearest(heading, known.values())
            raise InputError("BT103", f"no template has a parameter '{heading}'", hint=hint)
        return Column(heading, heading)

    def derived(row: SheetRow) -> tuple[str, FrozenDomain]:
        """The skill of a row. Raises InputError."""
        skill, task = row.values["skill"], row.values["template"]
        InputError.require(task, by_task, "BT101", f"no template is called '{task}'")
        template = by_task[task]
        parameters = _parameters(template, task)
        cells = {**({"Skill": skill} if "skill" in parameters else {}), **row.others}
        given = dict(
            _given(heading, text, parameters, has_commas=row.may_have_commas)
            for heading, text in cells.items()
        )
        return skill, derive(template, skill, rename={task: skill}, suffix=f"_{skill}", given=given)

    return read_sheet(
        path,
        (_SKILL, _TEMPLATE),
        derived,
        mapping=columns,
        other=column,
    )


@checked
def read_skill_table(
    path: Path | str,
    base: Domain[Any] | FrozenDomain,
    skills: Mapping[str, Domain[Any] | FrozenDomain],
    *,
    operators: Operators[Any] | None = None,
    columns: Mapping[str, str] = NO_MAPPING,
) -> SkillTable:
    """Read the skills of each kind of agent from a ``.csv``, ``.xlsx`` or ``.toml`` file.

    They are given by their names, separated by commas. Raises InputError with all faults of the
    file and their places, and as ``SkillTable``.
    """
    named = Column("Skills", "skills", lambda text: _skills(text, skills), also=("Skill",))
    table = read_sheet(
        path,
        (_KIND, named),
        lambda row: (row.values["kind"], row.values.get("skills", ())),
        mapping=columns,
    )
    try:
        return SkillTable(base, table, operators=operators)
    except BthtnError as error:
        raise error.placed(str(path)) from None


def _skills(
    text: str, skills: Mapping[str, Domain[Any] | FrozenDomain]
) -> tuple[Domain[Any] | FrozenDomain, ...]:
    names = [name for name in re.split(r"\s*[,;|]\s*", text) if name]
    for name in names:
        InputError.require(name, skills, "BT410", f"no skill is called '{name}'")
    return tuple(skills[name] for name in names)


def _is_template(domain: FrozenDomain, name: str) -> bool:
    task = domain.tasks[name]
    return isinstance(task, CompoundTask) and not task.is_open


def _parameters(domain: FrozenDomain, template: str) -> dict[str, Parameter[Any]]:
    """The parameters of the domain's tasks, by folded names; those of the template go first."""
    tasks: Iterable[Any] = (*domain.tasks.values(), domain.tasks[template])
    return {folded(parameter.name): parameter for task in tasks for parameter in task.parameters}


def _given(
    heading: str, text: str, parameters: Mapping[str, Parameter[Any]], *, has_commas: bool
) -> tuple[str, Any]:
    """The parameter of a column with its value. Raises InputError."""
    where = f"column {heading}"
    if folded(heading) not in parameters:
        hint = nearest(heading, [parameter.name for parameter in parameters.values()])
        raise InputError("BT103", f"the template has no parameter '{heading}'", where, hint)
    parameter = parameters[folded(heading)]
    if has_commas and parameter.type is not str:
        text = with_point(text)
    try:
        value = finite_from(text, parameter)
    except InputError as error:
        raise error.placed(where) from None
    if parameter.literals and value not in parameter.literals:
        hint = nearest(text, map(str, parameter.literals))
        raise InputError("BT103", f"'{parameter.name}' cannot be {text}", where, hint)
    return parameter.name, value
