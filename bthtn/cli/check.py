"""``bthtn check``: everything that can be found wrong with a domain or a tree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any

from bthtn.analysis.checks import findings
from bthtn.cli.locate import Found, Kind, located, root_of, shown
from bthtn.cli.output import counted, say, say_json
from bthtn.domain.domain import FrozenDomain
from bthtn.errors import BthtnError, Diagnostic, InputError, Severity
from bthtn.testing.beside import cases_beside
from bthtn.testing.cases import fault_of, read_cases


@dataclass(frozen=True, slots=True)
class Report:
    """What was found, and how many cases were tried."""

    diagnostics: tuple[Diagnostic, ...]
    cases: int = 0

    @property
    def failed(self) -> int:
        """Cases that do not hold."""
        return sum(one.code == "BT403" for one in self.diagnostics)

    @property
    def errors(self) -> int:
        """Diagnostics that matter."""
        return sum(one.severity is Severity.ERROR for one in self.diagnostics)


def check(text: str, *, as_json: bool) -> int:
    """Print every diagnostic; 1 when one is an error. Raises InputError for what is no domain."""
    found = located(text, Kind.DOMAIN, Kind.TREE)
    report = _domain_report(found) if found.kind is Kind.DOMAIN else _tree_report(found)
    if as_json:
        say_json(_json(found, report))
    else:
        _print(found, report)
    return 1 if report.errors else 0


def _domain_report(found: Found) -> Report:
    try:
        domain: FrozenDomain = found.load()
    except InputError:
        raise
    except BthtnError as error:
        return Report(error.diagnostics)
    diagnostics = list(findings(domain))
    cases = cases_beside(found.file) if found.file else None
    if cases is None or not cases.is_file():
        return Report(_in_order(diagnostics))
    read = read_cases(Path(shown(cases)), domain)
    for case in read:
        fault = fault_of(case)
        if fault:
            where = f"{shown(cases)}:{case.line}"
            diagnostics.append(
                Diagnostic(
                    "BT403", f"case '{case.name}' does not hold\n{indent(fault, '  ')}", where
                )
            )
    return Report(_in_order(diagnostics), len(read))


def _tree_report(found: Found) -> Report:
    from bthtn.behaviours import PlanGoal  # noqa: PLC0415 - not for domains

    try:
        root = root_of(found)
    except InputError:
        raise
    except BthtnError as error:
        return Report(error.diagnostics)
    goals = [node for node in root.iterate() if isinstance(node, PlanGoal)]
    domains = {id(goal.agent.domain): goal.agent.domain for goal in goals}
    return Report(_in_order([one for domain in domains.values() for one in findings(domain)]))


def _in_order(diagnostics: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(diagnostics, key=lambda diagnostic: diagnostic.order))


def _print(found: Found, report: Report) -> None:
    for one in report.diagnostics:
        say(f"{one.severity.value} {one}\n")
    warnings = len(report.diagnostics) - report.errors
    counts = [counted(report.errors, "error"), counted(warnings, "warning")]
    if report.cases:
        counts.append(f"{report.cases - report.failed} of {counted(report.cases, 'case')} hold")
    say(f"{found.kind.value} {found.name}: {', '.join(counts)}")


def _json(found: Found, report: Report) -> dict[str, Any]:
    return {
        "format": "bthtn-check/1",
        "kind": found.kind.value,
        "name": found.name,
        "diagnostics": [
            {
                "code": one.code,
                "severity": one.severity.value,
                "message": one.message,
                "where": one.where,
                "hint": one.hint,
            }
            for one in report.diagnostics
        ],
        "cases": {"held": report.cases - report.failed, "failed": report.failed},
    }
