"""LineFile: a thread writes lines to a file, compressed and in several parts if wanted.

put      waits while too many blocks are waiting to be written; none is lost
thread   writes block by block, and flushes after each
part     a file that has become too large is closed after a whole block; the next part begins
         with a line of its own

A tick must not wait for a disk, a crash must not lose what led to it, and neither must memory grow
without limit where the disk is too slow. So the thread makes the text as well as writing it, a
process that is killed leaves a file that can be read up to the last block, and ``put`` waits when
the queue is full. An error in the thread is raised where the next block is put.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator
from itertools import count, takewhile
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import BinaryIO, Final, Generic, TypeVar

from bthtn.errors import unwritable

B = TypeVar("B")

WAITING: Final = 256
"""Blocks that may wait to be written."""


def part_of(path: Path, number: int) -> Path:
    """The path of a part: ``run.jsonl.gz`` is the first, ``run.2.jsonl.gz`` the second one."""
    if number == 1:
        return path
    ending = ".gz" if path.suffix == ".gz" else ""
    name = Path(path.name.removesuffix(ending))
    return path.with_name(f"{name.stem}.{number}{name.suffix}{ending}")


def further_parts(path: Path) -> Iterator[Path]:
    return takewhile(Path.is_file, (part_of(path, number) for number in count(2)))


class LineFile(Generic[B]):
    """Writes blocks, of which ``texts`` makes lines, in a thread of its own.

    A name that ends in ``.gz`` is compressed. ``begin`` makes the first line of each part after
    the first, from its number; ``max_bytes`` is the size after which another part is begun.
    """

    def __init__(
        self,
        path: Path,
        texts: Callable[[B], Iterable[str]],
        begin: Callable[[int], str],
        max_bytes: int | None = None,
    ) -> None:
        """Create the file. Raises InputError if that is not possible."""
        self._path, self._texts, self._begin = path, texts, begin
        self._max_bytes = max_bytes
        self._part = 1
        self._blocks: Queue[B | None] = Queue(WAITING)
        self._error: Exception | None = None
        try:
            self._raw, self._file = self._opened()
            for part in further_parts(path):  # would be read as parts of this recording
                part.unlink()
        except OSError as error:
            raise unwritable(self._path, error) from None
        self._thread = Thread(target=self._write_all, name=f"recording {path.name}", daemon=True)
        self._thread.start()

    def put(self, block: B) -> None:
        """Have a block written. Raises InputError if an earlier one could not be."""
        self._check()
        self._blocks.put(block)

    def close(self) -> None:
        """Write all that is waiting, and close the file. Raises InputError if that failed."""
        if self._thread.is_alive():
            self._blocks.put(None)
            self._thread.join()
        self._check()

    def _check(self) -> None:
        if isinstance(self._error, OSError):
            raise unwritable(self._path, self._error)
        if self._error is not None:
            raise self._error

    def _write_all(self) -> None:
        """In the thread: write until there is no more; after an error, only take blocks."""
        while (block := self._blocks.get()) is not None:
            if self._error is None:
                # The default binds it now, since the loop goes on; mypy cannot infer its type.
                self._contain(lambda block=block: self._write(block))  # type: ignore[misc]  # above
        self._contain(self._close)

    def _contain(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:  # noqa: BLE001 - raised again in the thread that writes
            self._error = self._error or error

    def _write(self, block: B) -> None:
        if self._max_bytes is not None and self._raw.tell() >= self._max_bytes:
            self._close()
            self._part += 1
            self._raw, self._file = self._opened()
            self._file.write(f"{self._begin(self._part)}\n".encode())
        for text in self._texts(block):
            self._file.write(f"{text}\n".encode())
        self._file.flush()

    def _opened(self) -> tuple[BinaryIO, BinaryIO | gzip.GzipFile]:
        raw = part_of(self._path, self._part).open("wb")
        if self._path.suffix != ".gz":
            return raw, raw
        # Neither a name nor a time: the same lines are the same bytes.
        return raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)

    def _close(self) -> None:
        try:
            self._file.close()
        finally:
            self._raw.close()
