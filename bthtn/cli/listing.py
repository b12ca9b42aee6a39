"""``bthtn list``: the domains, trees and scenarios there are."""

from __future__ import annotations

from typing import Any

from bthtn.cli.locate import Found, Kind, all_of, shown, summary
from bthtn.cli.output import say, say_json


def list_all(*, as_json: bool) -> None:
    """Print what can be named on the command line, with what it says about itself."""
    found = {kind: all_of(kind) for kind in Kind}
    folders = [one.file.parent for one in found[Kind.TREE] if one.file is not None]
    files = [path for folder in folders for path in sorted(folder.glob("*.scenario.toml"))]
    scenarios = [shown(path) for path in files]
    if as_json:
        rows = {kind.folder: [_row(one) for one in found[kind]] for kind in Kind}
        say_json({**rows, "scenarios": scenarios})
        return
    for kind in Kind:
        say(f"{kind.folder}:" if found[kind] else f"no {kind.folder}")
        width = max((len(one.name) for one in found[kind]), default=0)
        for one in found[kind]:
            say(f"  {one.name:{width}}  {_row(one)['summary']}".rstrip())
    if scenarios:
        say("scenarios:")
        say("\n".join(f"  {path}" for path in scenarios))


def _row(one: Found) -> dict[str, Any]:
    assert one.file is not None, "what has a name has a file"
    return {"name": one.name, "path": shown(one.file), "summary": summary(one.file)}
