"""The explorer's level as a picture."""

import zlib
from types import SimpleNamespace

from bthtn.examples.trees.explorer.picture import png


def test_pixels_become_a_png():
    red, blue = b"\xff\0\0", b"\0\0\xff"
    made = png(2, 1, red + blue)
    assert made.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x01\x08\x02")
    data = made.partition(b"IDAT")[2].partition(b"IEND")[0][:-8]
    assert zlib.decompress(data) == b"\0" + red + blue
    assert made.endswith(b"IEND\xaeB`\x82")


class Frame:
    """Pixels, as numpy has them."""

    shape = (1, 2, 3)

    def tobytes(self):
        return bytes(6)


def test_the_body_shows_the_level_as_minigrid_draws_it(trial):
    trial = trial(">.k", "get to the red key")
    assert trial.agent.body._repr_png_() is None, "this environment draws nothing"

    def get_frame(*, highlight, tile_size):
        return Frame()

    trial.world.unwrapped = SimpleNamespace(max_steps=200, get_frame=get_frame)
    assert trial.agent.body._repr_png_() == png(2, 1, bytes(6))
