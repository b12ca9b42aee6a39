"""The behaviour trees of the repository, whose folder a wheel has in place of this one."""

from pathlib import Path

__path__[0] = str(Path(__file__).resolve().parents[3] / "trees")
