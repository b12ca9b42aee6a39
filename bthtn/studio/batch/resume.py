"""A batch whose results are kept in a file of JSON lines, from which it goes on.

Lines that are there are not run again. Every line names its batch by a digest of the question, so
that results of other questions, or of files that were edited since, never come into one file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from errno import EINVAL
from hashlib import sha256
from pathlib import Path
from typing import Any

from bthtn.errors import InputError
from bthtn.studio.batch.runner import Report, run_batch

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Kept:
    """The file of a batch: ``about`` is the question as JSON, ``key`` an item's name in a row."""

    file: Path
    about: Row
    key: str

    @property
    def batch(self) -> str:
        """The digest of the question."""
        return sha256(json.dumps(self.about, sort_keys=True).encode()).hexdigest()[:12]

    def rows(self) -> tuple[dict[Any, Row], int]:
        """The results that are there, by their items, and how many bytes their lines have.

        A last line without an end does not count. Raises InputError for a file of something else.
        """
        with self.accessed():
            if self.file.exists() and not self.file.is_file():  # a device may never end
                raise OSError(EINVAL, "it is no file")
            data = self.file.read_bytes() if self.file.exists() else b""
        size = data.rfind(b"\n") + 1
        if data and not size:
            raise self._other(1, "it is no result")
        rows = [self._row(line, number) for number, line in enumerate(data[:size].splitlines(), 1)]
        return {row[self.key]: row for row in rows}, size

    def _row(self, line: bytes, number: int) -> Row:
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or self.key not in row:
            raise self._other(number, "it is no result")
        if row.get("batch") != self.batch:
            raise self._other(number, "something else was asked, or a file was edited since")
        return row

    def _other(self, number: int, why: str) -> InputError:
        message = f"the file does not belong to this batch: {why}"
        hint = "name another file, or remove this one"
        return InputError("BT493", message, f"{self.file}:{number}", hint)

    @contextmanager
    def accessed(self) -> Iterator[None]:
        """Inside, an error of the operating system is an InputError that names the file."""
        try:
            yield
        except OSError as error:
            message = f"cannot keep results in {self.file}: {error.strerror}"
            hint = "is there such a folder, and room in it?"
            raise InputError("BT404", message, hint=hint) from None


def resumed(
    function: Callable[[Any], Row], items: Sequence[Any], kept: Kept | None, report: Report
) -> Generator[Row]:
    """The results of a batch in the order of the items: those that are kept, and the others.

    The others are kept as they come. Raises InputError for a file that has something else in it or
    cannot be written, and what ``run_batch`` raises.
    """
    if kept is None:
        yield from run_batch(function, items, report)
        return
    rows, size = kept.rows()
    left = [item for item in items if item not in rows]
    with (
        kept.accessed(),
        kept.file.open("ab") as file,
        closing(run_batch(function, left, report)) as results,
    ):
        file.truncate(size)
        for item in items:
            if item not in rows:
                rows[item] = {**next(results), "batch": kept.batch}
                file.write(json.dumps(rows[item]).encode() + b"\n")
                file.flush()
            yield rows[item]
