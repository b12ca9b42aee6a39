"""A batch whose results are kept in a file of JSON lines, from which it goes on.

The lines are in the order of the items, so the same batch makes the same bytes, and an
interrupted one leaves the beginning of them. Every line names its batch, a digest of the
question: results of different batches never come into one file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from errno import EINVAL
from hashlib import sha256
from pathlib import Path
from typing import Any

from bthtn.errors import InputError
from bthtn.studio.batch.runner import Deaths, run_batch
from bthtn.studio.batch.workers import LOCAL, Workers

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Kept:
    """The file in which the results of a batch are kept, and its question, ``about``, as JSON.

    ``key`` is the name of the item in a line.
    """

    file: Path
    about: Row
    key: str = "item"

    @property
    def batch(self) -> str:
        """The digest of the question."""
        return sha256(json.dumps(self.about, sort_keys=True).encode()).hexdigest()[:12]

    def begun(self, items: Sequence[Any]) -> tuple[list[Row], int]:
        """The results that are there, and how many bytes their lines have.

        A last line without an end does not count. Raises InputError for a file that is not the
        beginning of this batch.
        """
        if self.file.is_char_device():  # which may never end
            raise self.unusable(OSError(EINVAL, "it is no file"))
        try:
            data = self.file.read_bytes()
        except FileNotFoundError:
            return [], 0
        except OSError as error:
            raise self.unusable(error) from None
        whole = data[: data.rfind(b"\n") + 1]
        if data and not whole:
            raise self._other(1, "it is no result")
        rows = [self._row(line, number) for number, line in enumerate(whole.splitlines(), 1)]
        for number, (row, item) in enumerate(zip(rows, items, strict=False), 1):
            if row[self.key] != item:
                raise self._other(number, f"it is of {row[self.key]}, and not of {item}")
        return rows[: len(items)], len(whole)

    def line(self, item: Any, result: Row) -> tuple[Row, bytes]:
        """The result with its item and batch, and the line of it."""
        row = {self.key: item, "batch": self.batch, **result}
        return row, json.dumps(row).encode() + b"\n"

    def unusable(self, error: OSError) -> InputError:
        """The error of the operating system, as one that names the file."""
        message = f"cannot keep results in {self.file}: {error.strerror}"
        return InputError("BT404", message, hint="is there such a folder, and room in it?")

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


def resumed(
    function: Callable[[Any], Row],
    items: Sequence[Any],
    kept: Kept | None,
    workers: Workers = LOCAL,
    deaths: Deaths | None = None,
) -> Generator[Row]:
    """The results of a batch: those that are kept, then the others, each kept as it comes.

    Raises InputError for a file that has something else in it or cannot be written.
    """
    if kept is None:
        yield from run_batch(function, items, workers, deaths)
        return
    rows, length = kept.begun(items)
    yield from rows
    left = items[len(rows) :]
    if not left:
        return
    try:
        with (
            kept.file.open("r+b" if length else "wb") as file,
            closing(run_batch(function, left, workers, deaths)) as results,
        ):
            file.truncate(length)
            file.seek(length)
            for item, result in zip(left, results, strict=True):
                row, line = kept.line(item, result)
                file.write(line)
                file.flush()
                yield row
    except OSError as error:
        raise kept.unusable(error) from None
