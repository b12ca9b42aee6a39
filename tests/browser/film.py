"""Film: pictures of a page at even times, with the pointer, as a GIF. Needs the extra `browser`."""

import io

from PIL import Image, ImageDraw

STEP = 16  # milliseconds from frame to frame of a page whose clock Playwright moves
STEPS = 13  # from picture to picture, which are a fifth of a second
LAST = 2500  # milliseconds for which the last picture stays
COMMON, RARE = 12, 48  # colours of large areas, and those that differ most from each other
POINTER = [(0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12)]


class Film:
    """Moves the clock of a page, which is paused, and takes pictures of a part of it, ``clip``.

    After each step it waits until ``is_ready``, a function in JavaScript, returns true.
    """

    def __init__(self, page, clip, is_ready):
        self.page, self.clip, self.is_ready = page, clip, is_ready
        self.pictures = []
        self.pointer = clip["x"] + clip["width"] / 2, clip["y"] + clip["height"] / 2

    def run(self, count, to=None):
        """Take so many pictures, while the pointer goes to ``to()``, a point of the page."""
        for left in range(count, 0, -1):
            if to is not None:
                self.pointer = tuple(
                    now + (then - now) / left for now, then in zip(self.pointer, to(), strict=True)
                )
                self.page.mouse.move(*self.pointer)
            for _ in range(STEPS):
                self.page.clock.run_for(STEP)
                self.page.wait_for_function(self.is_ready)
            self.pictures.append(self._picture())

    def _picture(self):
        shot = self.page.screenshot(clip=self.clip, animations="disabled")
        picture = Image.open(io.BytesIO(shot)).convert("RGB")
        x, y = self.pointer[0] - self.clip["x"], self.pointer[1] - self.clip["y"]
        outline = [(x + right, y + down) for right, down in POINTER]
        ImageDraw.Draw(picture).polygon(outline, fill="white", outline="black")
        return picture

    def gif(self):
        """The pictures with one palette and undithered, so that what rests costs no bytes."""
        width, height = self.pictures[0].size
        some = self.pictures[::8]
        sheet = Image.new("RGB", (width, height * len(some)))
        for number, picture in enumerate(some):
            sheet.paste(picture, (0, number * height))
        common = sheet.quantize(COMMON, Image.Quantize.MEDIANCUT).getpalette()[: 3 * COMMON]
        rare = sheet.quantize(RARE, Image.Quantize.MAXCOVERAGE).getpalette()[: 3 * RARE]
        palette = Image.new("P", (1, 1))
        palette.putpalette(common + rare)
        first, *others = (
            picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in self.pictures
        )
        file = io.BytesIO()
        times = [STEP * STEPS] * len(others) + [LAST]
        first.save(file, "gif", save_all=True, append_images=others, duration=times, loop=0)
        return file.getvalue()
