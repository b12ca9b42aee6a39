"""A picture of a level, as PNG: the one that MiniGrid draws."""

from __future__ import annotations

import zlib
from struct import pack
from typing import Any, Final

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
TILE: Final = 24
"""Pixels of a cell's side."""


def picture_of(environment: Any) -> bytes | None:
    """The whole grid, with what is seen lit up; None for an environment that draws nothing."""
    draw = getattr(environment.unwrapped, "get_frame", None)
    if draw is None:
        return None
    frame = draw(highlight=True, tile_size=TILE)
    height, width, _ = frame.shape
    return png(width, height, frame.tobytes())


def png(width: int, height: int, pixels: bytes) -> bytes:
    """Pixels of red, green and blue, row by row, as a file in PNG."""
    row = 3 * width
    lines = (b"\0" + pixels[row * y : row * (y + 1)] for y in range(height))
    head = pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(lines))
    return SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data))
