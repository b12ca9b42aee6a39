"""Which faults are tried: a sample over all packages, the same for the same seed."""

import hashlib
import random
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
    """``bthtn.world`` for bthtn/world/state.py, ``bthtn`` for bthtn/errors.py."""
    return ".".join(Path(file).parts[:2]) if len(Path(file).parts) > 2 else "bthtn"


@cache
def drawn(count: int, seed: int) -> tuple[Mutant, ...]:
    """So many mutants, at least a few of every package, the others by the packages' sizes."""
    by_package: dict[str, list[Mutant]] = {}
    for path in sorted((ROOT / "bthtn").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        by_package.setdefault(package_of(file), []).extend(
            mutants_of(file, path.read_text("utf-8"))
        )
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    for mutants in by_package.values():
        chance.shuffle(mutants)
    first = [mutant for mutants in by_package.values() for mutant in mutants[:LEAST]]
    rest = [mutant for mutants in by_package.values() for mutant in mutants[LEAST:]]
    chance.shuffle(first)
    chance.shuffle(rest)
    return tuple(first + rest)[:count]


def mutants_of(file: str, source: str) -> list[Mutant]:
    """The key holds the whole file, so that a result does not outlive what it is about."""
    digest = hashlib.sha256(source.encode())
    found = []
    for fault in faults_in(source):
        own = digest.copy()
        own.update(repr(fault).encode())
        found.append(Mutant(file, fault, own.hexdigest()[:16]))
    return found
