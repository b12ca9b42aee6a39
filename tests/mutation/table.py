"""What the mutants showed, package by package."""

from collections import Counter

from tests.mutation.draw import package_of


def table(results: list[dict]) -> str:
    """A line for each package and one for all, and below it what the quick tests missed."""
    by_package: dict[str, Counter[str]] = {}
    for result in results:
        package = package_of(result["where"].partition(":")[0])
        for name in (package, "~all"):
            by_package.setdefault(name, Counter())[result["noticed by"]] += 1
    lines = ["package              mutants  quick  thorough only  nobody"]
    for name, count in sorted(by_package.items()):
        lines.append(
            f"{name.strip('~'):20} {count.total():7} {count['quick']:6} "
            f"{count['thorough']:14} {count['']:7}"
        )
    count = by_package.get("~all", Counter())
    noticed = count["quick"] + count["thorough"]
    share = 100 * count["quick"] / noticed if noticed else 100.0
    lines.append(f"The quick tests notice {share:.1f} % of the {noticed} that are noticed at all.")
    for result in results:
        if result["noticed by"] != "quick":
            who = result["test"] or "nobody"
            lines.append(f"{result['where']}: {result['kind']}: {result['instead']} ({who})")
    return "\n".join(lines)
