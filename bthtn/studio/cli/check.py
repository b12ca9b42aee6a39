"""``bthtn check``: diagnostics for a domain, its cases and sheets, or for a tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument

from bthtn.engine.domain.builder import frozen
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.world.relation import Relation
from bthtn.errors import BthtnError, Diagnostic, InputError, Severity
from bthtn.kit.formats.document import TomlFile, text_of
from bthtn.kit.formats.hddl.problem import ENDINGS
from bthtn.kit.formats.mistakes import Mistakes
from bthtn.kit.formats.sheet import sheet_text, sheets_in
from bthtn.kit.formats.unread import unread_findings
from bthtn.studio.analysis.checks import findings, value_of_no_action
from bthtn.studio.cli.options import TARGET, AsJson, Stub
from bthtn.studio.cli.printing import counted, say, say_json
from bthtn.studio.testing.case_files import SCENARIO, cases_file_of, domain_file_of
from bthtn.studio.testing.cases import fault_of, read_cases
from bthtn.studio.testing.characters import character_of, root_of
from bthtn.studio.testing.domain_files import domains_in
from bthtn.studio.testing.locate import (
    Target,
    TargetKind,
    character_files,
    examined_files,
    resolve_all,
    shown,
    stubbed,
)

if TYPE_CHECKING:
    from py_trees.behaviour import Behaviour

    from bthtn.engine.agent.agent import Agent


@dataclass(frozen=True, slots=True)
class Report:
    """The diagnostics, the numbers of cases and sheets, the tasks without operators, and stubs."""

    diagnostics: tuple[Diagnostic, ...]
    cases: int = 0
    sheets: int = 0
    simulated: tuple[str, ...] = ()
    made_up: Mapping[str, list[str]] = field(default_factory=dict)
    """The names of stubs, by what they are."""

    @property
    def failed(self) -> int:
        return sum(fault.code == "BT403" for fault in self.diagnostics)

    @property
    def errors(self) -> int:
        return sum(fault.severity is Severity.ERROR for fault in self.diagnostics)


def check(
    target: Annotated[str, Argument(metavar="DOMAIN|TREE", help=TARGET)],
    *,
    stub: Stub = False,
    as_json: AsJson = False,
) -> int:
    """Print every diagnostic. Returns 1 if one is an error, else 0.

    A domain and a tree of one name are both checked, one after the other. Raises InputError if the
    text names neither.
    """
    errors = 0
    unusable: list[Diagnostic] = []
    for named in resolve_all(target, TargetKind.DOMAIN, TargetKind.TREE):
        found = stubbed(named) if stub else named
        is_domain = found.kind is TargetKind.DOMAIN
        make = _files_report if found.is_of_files else _tree_report
        try:
            report = _domain_report(found) if is_domain else make(found)
            report = _with_stubs(found, report) if stub else report
        except InputError as error:
            unusable += error.diagnostics
            continue
        errors += report.errors
        if as_json:
            say_json(_json(found, report))
        else:
            _print(found, report)
    InputError.raise_for(dict.fromkeys(unusable))
    return 1 if errors else 0


def _domain_report(target: Target) -> Report:
    try:
        domain: FrozenDomain = target.load()
    except InputError:
        raise
    except BthtnError as error:
        return Report(error.diagnostics)
    mistakes = Mistakes()
    sheets, found = _sheet_findings(target, domain)
    used = _relations_of(domain) if target.file and target.file.suffix in ENDINGS else ()
    mistakes.note([*found, *findings(domain, used)])
    cases, failed = mistakes.read(_case_findings, target, domain, default=(0, ()))
    mistakes.note(failed)
    return _report(mistakes, cases, sheets)


def _relations_of(domain: FrozenDomain) -> list[str]:
    """The names of relations: in HDDL a type may be there for the types below it alone."""
    fluents = domain.schema.fluents
    return [name for name, fluent in fluents.items() if isinstance(fluent, Relation)]


def _report(mistakes: Mistakes, cases: int, sheets: int, simulated: Iterable[str] = ()) -> Report:
    """The report of everything that was found. Raises InputError if a file is not usable."""
    if mistakes.is_input:
        raise InputError.of(mistakes.found)
    order = sorted(mistakes.found, key=lambda diagnostic: diagnostic.order)
    return Report(tuple(order), cases, sheets, tuple(dict.fromkeys(simulated)))


def _case_findings(target: Target, domain: FrozenDomain) -> tuple[int, list[Diagnostic]]:
    """The number of cases beside the target's file, and those that do not hold.

    Raises InputError.
    """
    cases = cases_file_of(target.file) if target.file else None
    if cases is None or not cases.is_file() or domain_file_of(cases) != target.file:
        return 0, []
    read, failed = read_cases(Path(shown(cases)), domain), []
    for case in read:
        fault = fault_of(case)
        if fault:
            where = f"{shown(cases)}:{case.line}"
            message = f"case '{case.name}' does not hold\n{indent(fault, '  ')}"
            failed.append(Diagnostic("BT403", message, where))
    return len(read), failed


def _tree_report(target: Target) -> Report:
    from bthtn.studio.testing.scenario_files import read_scenario  # noqa: PLC0415 - not for domains

    try:
        root = root_of(target)
    except InputError:
        raise
    except BthtnError as error:
        return Report(error.diagnostics)
    mistakes = Mistakes()
    agents, domains = _planning(root)
    sheets, found = _sheet_findings(target, *domains)
    mistakes.note(found)
    for domain in domains:
        mistakes.note([*findings(domain), *_value_findings(root, domain)])
    for agent in agents:
        tasks = (task for domain in agent.domains for task in domain.tasks.values())
        mistakes.note(agent.operators.misfits(tasks))
    for file in _scenarios(target):
        mistakes.read(read_scenario, file)
    simulated = (name for agent in agents for name in agent.operators.simulated(agent.domains))
    return _report(mistakes, 0, sheets, simulated)


def _files_report(target: Target) -> Report:
    """The report of a character of files: each is looked at as far as the others allow."""
    from bthtn.kit.folder_reader import sketched  # noqa: PLC0415 - not for domains
    from bthtn.kit.sheets import sheet_findings  # noqa: PLC0415 - likewise
    from bthtn.studio.testing.scenario_files import check_scenario  # noqa: PLC0415 - likewise

    assert target.file is not None, "a character of files has files"
    folder = Path(shown(target.file)).parent
    files, mistakes = examined_files(target)
    character = sketched(files, mistakes) if mistakes else mistakes.read(character_of, target, 0)
    is_right = not mistakes
    simulated: list[str] = []
    sheets, cases = sheets_in(folder), cases_file_of(target.file)
    number = 0
    if files is not None:
        sheet_findings(sheets, files.base, files.templates, mistakes)
    if files is not None and character is not None and is_right:
        agents, domains = _planning(character.root)
        used = _words_in_files(target)
        for domain in domains:
            mistakes.note([*findings(domain, used), *_value_findings(character.root, domain)])
        simulated = [name for agent in agents for name in agent.operators.simulated(agent.domains)]
        number, failed = mistakes.read(_case_findings, target, files.domain, default=(0, ()))
        mistakes.note(failed)
    elif cases.is_file():
        mistakes.read(read_cases if files else TomlFile, cases, *([files.domain] if files else []))
    for file in _scenarios(target):
        mistakes.read(check_scenario, file, target.file, character)
    mistakes.note(unread_findings(folder))
    return _report(mistakes, number, len(sheets), simulated)


def _with_stubs(target: Target, report: Report) -> Report:
    """The report of a tree in XML, and of what is made up for it."""
    from bthtn.kit.formats import stubs_of  # noqa: PLC0415 - for such files only

    assert target.file is not None, "only a tree in a file has stubs"
    stubs = stubs_of(Path(shown(target.file)))
    made_up = {
        "nodes": [name for name in stubs.nodes if name not in stubs.trees],
        "keys": [*stubs.state.__schema__.fluents],
        "trees": [*stubs.trees],
    }
    diagnostics = (*report.diagnostics, *stubs.warnings)
    return replace(report, diagnostics=diagnostics, made_up=made_up)


def _planning(root: Behaviour) -> tuple[list[Agent[Any, Any]], list[FrozenDomain]]:
    from bthtn.behaviours import PlanGoal  # noqa: PLC0415 - not for domains

    goals = [node for node in root.iterate() if isinstance(node, PlanGoal)]
    agents = list({id(goal.agent): goal.agent for goal in goals}.values())
    domains = {id(domain): domain for agent in agents for domain in agent.domains}
    return agents, list(domains.values())


def _value_findings(root: Behaviour, domain: FrozenDomain) -> Iterator[Diagnostic]:
    """Warnings of values that no lottery of the tree writes."""
    from bthtn.kit import DrawnGoal  # noqa: PLC0415 - not for domains
    from bthtn.kit.sheets import actions_of  # noqa: PLC0415 - likewise

    drawn = [node for node in root.iterate() if isinstance(node, DrawnGoal)]
    for family in dict.fromkeys(node.values.name for node in drawn):
        rows = (node.lottery.table.rows for node in drawn if node.values.name == family)
        yield from value_of_no_action(domain, family, {*actions_of(domain)}.union(*rows))


def _scenarios(target: Target) -> list[Path]:
    """The scenarios beside a tree, and in the folders below."""
    folder = Path(shown(target.file)).parent if target.file is not None else None
    return sorted(folder.rglob(f"*{SCENARIO}")) if folder is not None else []


def _words_in_files(target: Target) -> set[str]:
    """The words of the tree, sheets and settings of a character of files: names that are used."""
    assert target.file is not None, "a character of files has files"
    texts = [text_of(target.file), *map(sheet_text, sheets_in(target.file.parent))]
    return set(re.findall(r"\w+", " ".join([*texts, character_files(target).finished.text()])))


def _sheet_findings(target: Target, *domains: FrozenDomain) -> tuple[int, list[Diagnostic]]:
    """The number of sheets beside the target's file, and the mistakes in them and their names."""
    if target.file is None or not domains:
        return 0, []
    folder = Path(shown(target.file)).parent
    misnamed = unread_findings(folder, is_of_files=False)
    sheets = sheets_in(folder)
    if not sheets:
        return 0, misnamed
    return len(sheets), [*misnamed, *_mistakes_in(sheets, target, *domains)]


def _mistakes_in(
    sheets: list[Path], target: Target, *domains: FrozenDomain
) -> Iterable[Diagnostic]:
    from bthtn.kit.sheets import sheet_findings  # noqa: PLC0415 - not for what has no sheets

    assert target.file is not None, "its sheets were found beside it"
    try:  # of one execution of the file, as templates and skills have the domain's State class
        found = domains_in(target.file) if target.file.suffix == ".py" else {}
        others = {domain.name: frozen(domain) for domain in found.values()}
    except BthtnError as error:
        return error.diagnostics
    domain = others.pop(domains[0].name, domains[0])
    return sheet_findings(sheets, domain, others)


def _print(target: Target, report: Report) -> None:
    for fault in report.diagnostics:
        say(f"{fault.severity.value} {fault}\n")
    warnings = len(report.diagnostics) - report.errors
    counts = [counted(report.errors, "error"), counted(warnings, "warning")]
    if report.cases:
        counts.append(f"{report.cases - report.failed} of {counted(report.cases, 'case')} hold")
    if report.sheets:
        counts.append(counted(report.sheets, "sheet"))
    if report.simulated:
        say(f"simulated, without an operator: {', '.join(report.simulated)}")
    for what, names in report.made_up.items():
        if names:
            say(f"made up, {what}: {', '.join(names)}")
    say(f"{target.kind.value} {target.name}: {', '.join(counts)}")


def _json(target: Target, report: Report) -> dict[str, Any]:
    return {
        "format": "bthtn-check/1",
        "kind": target.kind.value,
        "name": target.name,
        "diagnostics": [
            asdict(fault) | {"severity": fault.severity.value} for fault in report.diagnostics
        ],
        "sheets": report.sheets,
        "simulated": list(report.simulated),
        **({"made_up": report.made_up} if report.made_up else {}),
        "cases": {"held": report.cases - report.failed, "failed": report.failed},
    }
