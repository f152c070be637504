#!/usr/bin/env python3
"""png_inputs.py FOLDER: pictures of the kinds that PNG holds, as PNM, the same in every run."""
import sys
from pathlib import Path

import numpy as np


def enlarge(small, height, width):
    """Linear interpolation to this size."""
    for axis, size in ((0, height), (1, width)):
        at = np.linspace(0, small.shape[axis] - 1.001, size).astype(np.float32)
        low = at.astype(int)
        part = (at - low).reshape([-1 if a == axis else 1 for a in range(3)])
        small = np.take(small, low, axis) * (1 - part) + np.take(small, low + 1, axis) * part
    return small


def photo(height, width, channels, grain, draw):
    """Octaves of noise and a little grain, of 0 to 255."""
    image = np.full((height, width, channels), 128, np.float32)
    for octave in range(2, 9):
        small = draw.normal(size=((height >> octave) + 2, (width >> octave) + 2, channels)).astype(np.float32)
        image += (1 << octave) * 0.22 * enlarge(small, height, width)
    return image + draw.normal(scale=grain, size=image.shape).astype(np.float32)


def screen(height, width, draw):
    """Flat windows with lines of something like text."""
    image = np.full((height, width, 3), (238, 238, 240), np.uint8)
    letters = draw.random((64, 14, 8, 1)) < 0.35
    for _ in range(40):
        y, x = draw.integers(0, height - 200), draw.integers(0, width - 300)
        h, w = draw.integers(100, 900), draw.integers(200, 1400)
        window = image[y:y + h, x:x + w]
        window[:] = draw.integers(200, 256, 3)
        window[:22] = draw.integers(40, 160, 3)
        for line in range(30, window.shape[0] - 16, 18):
            for place in range(8, min(int(draw.integers(100, 1400)), window.shape[1]) - 8, 9):
                if draw.random() < 0.85:
                    window[line:line + 14, place:place + 8][letters[draw.integers(64)][..., 0]] = 30
    return image


def scan(height, width, draw):
    """Gray paper with dark marks, blurred by the lens and grained by the sensor."""
    page = np.full((height // 2, width // 2, 1), 225, np.float32)
    for line in range(60, height // 2 - 60, 24):
        for place in range(80, width // 2 - 80, 11):
            if draw.random() < 0.8:
                page[line:line + 14, place:place + 8][draw.random((14, 8)) < 0.3] = 50
    return enlarge(page, height, width) + draw.normal(scale=1.5, size=(height, width, 1))


def save(path, image, most=255):
    image = np.clip(image, 0, most).astype(">u2" if most > 255 else np.uint8)
    kind = {1: b"P5", 3: b"P6"}[image.shape[2]]
    path.write_bytes(kind + b" %d %d %d\n" % (image.shape[1], image.shape[0], most) + image.tobytes())


def main():
    folder, draw = Path(sys.argv[1]), np.random.default_rng(1)
    save(folder / "photo.ppm", photo(2880, 5120, 3, 1.2, draw))
    save(folder / "smooth.ppm", photo(2880, 5120, 3, 0, draw))
    save(folder / "screen.ppm", screen(1440, 2560, draw))
    save(folder / "scan.pgm", scan(3508, 2480, draw))
    save(folder / "noise.ppm", draw.integers(0, 256, (1024, 1536, 3)))
    save(folder / "deep.ppm", photo(1440, 2560, 3, 0.1, draw) * 256, 65535)
    save(folder / "deep.pgm", photo(2048, 2048, 1, 1.2, draw) * 64, 65535)


main()
