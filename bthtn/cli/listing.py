"""``bthtn list``: the available domains, trees and scenarios."""

from __future__ import annotations

from typing import Any

from bthtn.cli.locate import Target, TargetKind, all_of, shown, summary
from bthtn.cli.printing import say, say_json


def list_all(*, as_json: bool) -> None:
    """Print the names that other commands accept, each with its summary."""
    found = {kind: all_of(kind) for kind in TargetKind}
    folders = [one.file.parent for one in found[TargetKind.TREE] if one.file is not None]
    files = [path for folder in folders for path in sorted(folder.glob("*.scenario.toml"))]
    scenarios = [shown(path) for path in files]
    if as_json:
        rows = {kind.folder: [_row(one) for one in found[kind]] for kind in TargetKind}
        say_json({**rows, "scenarios": scenarios})
        return
    for kind in TargetKind:
        say(f"{kind.folder}:" if found[kind] else f"no {kind.folder}")
        width = max((len(one.name) for one in found[kind]), default=0)
        for one in found[kind]:
            say(f"  {one.name:{width}}  {_row(one)['summary']}".rstrip())
    if scenarios:
        say("scenarios:")
        say("\n".join(f"  {path}" for path in scenarios))


def _row(one: Target) -> dict[str, Any]:
    assert one.file is not None, "named domains and trees have files"
    return {"name": one.name, "path": shown(one.file), "summary": summary(one.file)}
