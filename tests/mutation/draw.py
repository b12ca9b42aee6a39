"""Which faults are tried: a sample over all packages, the same for the same seed."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.mutation.faults import Fault, faults_in

ROOT = Path(__file__).resolve().parents[2]
LEAST = 4  # of each package, however small it is


@dataclass(frozen=True)
class Mutant:
    """A fault in a file."""

    file: str
    fault: Fault
    key: str

    @property
    def package(self) -> str:
        return package_of(self.file)


def package_of(file: str) -> str:
    """``bthtn.engine.world`` for bthtn/engine/world/state.py, ``bthtn`` for bthtn/errors.py."""
    return ".".join(Path(file).parent.parts[:3])


@cache
def drawn(count: int, seed: int) -> tuple[Mutant, ...]:
    """So many mutants of bthtn."""
    paths = sorted((ROOT / "bthtn").rglob("*.py"))
    sources = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}
    return sample(sources, count, seed)


def sample(sources: Mapping[str, str], count: int, seed: int) -> tuple[Mutant, ...]:
    """So many mutants, at least a few of every package, the others by the packages' sizes.

    Each fault has its place in the order for itself, by a hash of what it changes, so that an edit
    of one file leaves the faults of all others as they were drawn.
    """
    by_package: dict[str, list[tuple[str, Mutant]]] = {}
    for file, source in sources.items():
        by_package.setdefault(package_of(file), []).extend(ranked(file, source, seed))
    first, rest = [], []
    for mutants in by_package.values():
        mutants.sort(key=lambda mutant: mutant[0])
        first += mutants[:LEAST]
        rest += mutants[LEAST:]
    order = sorted(first, key=lambda one: one[0]) + sorted(rest, key=lambda one: one[0])
    return tuple(mutant for _, mutant in order[:count])


def ranked(file: str, source: str, seed: int) -> list[tuple[str, Mutant]]:
    """The mutants of a file, each with its place in the order that the seed gives.

    A mutant's key holds the whole file, so that a result does not outlive what it is about.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    found = []
    for fault in faults_in(source):
        change = (file, fault.kind, fault.replaced(source), fault.instead)
        seen[change] += 1
        key = digest(source, repr(fault))[:16]
        found.append((digest(str(seed), *change, str(seen[change])), Mutant(file, fault, key)))
    return found


def digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
