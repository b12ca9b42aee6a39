"""Counts which of the trees in a folder are read: public files of BehaviorTree.CPP, for example.

    python -m benchmarks.robot_trees trees-of-robots --most 20

The folder has one folder for each repository. Every tree of a file is read twice: as it is, and
with stubs for its own nodes and keys. Trees of other files are found beside it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path
from random import Random

from bthtn import Domain, State
from bthtn.behaviours import Agent, ManualClock
from bthtn.errors import BthtnError
from bthtn.kit.formats import stubs_of, tree_from_xml
from bthtn.kit.formats.tree_documents import Documents


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


class Nothing(State):
    """No keys."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=20, help="files of one repository at most")
    parser.add_argument("--seed", type=int, default=1, help="of the choice among them")
    parser.add_argument("--show", action="store_true", help="every refusal")
    given = parser.parse_args()
    counts, causes, formats = Counter(), Counter(), Counter()
    files = chosen(given.folder, given.most, given.seed)
    for file in files:
        found, why = outcome(file, formats)
        counts[found] += 1
        for cause in why:
            causes[re.sub(r"'[^']*'|\d+", "…", cause)] += 1
        if given.show and why:
            say("\n    ".join([str(file.relative_to(given.folder)), *why]))
    total = sum(counts.values())
    repositories = len({file.relative_to(given.folder).parts[0] for file in files})
    say(f"{total} files of {repositories} repositories")
    for name, count in counts.most_common():
        say(f"{count:5} {count / total:6.1%}  {name}")
    say(f"formats: {dict(formats)}")
    for cause, count in causes.most_common(40):
        say(f"{count:5}  {cause}")


def chosen(folder: Path, most: int, seed: int) -> list[Path]:
    """The files with trees, at most so many of one repository."""
    random, files = Random(seed), []  # noqa: S311 - dice
    for repository in sorted(path for path in folder.iterdir() if path.is_dir()):
        own = [path for path in sorted(repository.rglob("*")) if has_trees(path)]
        files += sorted(random.sample(own, min(most, len(own))))
    return files


def has_trees(path: Path) -> bool:
    return path.is_file() and b"<BehaviorTree" in path.read_bytes()


def outcome(file: Path, formats: Counter) -> tuple[str, list[str]]:
    """How a file can be read, and why not."""
    try:
        documents = Documents(file)
        names = list(documents.trees)
        formats.update({tree.format for tree in documents.trees.values()})
        stubs = stubs_of(file)
    except BthtnError as error:
        return "refused", [one.message for one in error.diagnostics]
    plain = Agent("plain", Domain("plain", Nothing), Nothing(), body=None, clock=ManualClock())
    if not why_not(file, names, plain, {}):
        return "read as they are", []
    why = why_not(file, names, stubs.agent(), stubs.nodes)
    return ("refused", why) if why else ("read with nodes or stubs", [])


def why_not(file: Path, names: list[str], agent: Agent, nodes: dict) -> list[str]:
    found: dict[str, None] = {}
    for name in names:
        try:
            tree_from_xml(file, agent, nodes=nodes, tree=name)
        except BthtnError as error:
            found |= dict.fromkeys(one.message for one in error.diagnostics)
    return list(found)


if __name__ == "__main__":
    main()
