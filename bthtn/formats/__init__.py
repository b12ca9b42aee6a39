"""HOW IS IT WRITTEN DOWN? Files that people keep beside their code.

Readers make what the packages below define; nothing below knows that there are files.
"""

from bthtn.formats.lottery import read_lottery

__all__ = ["read_lottery"]
