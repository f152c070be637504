#!/usr/bin/env python3
"""public_inputs.py FOLDER: the files of public.py, the same in every run."""
import sys
import wave
from pathlib import Path

import cv2
import numpy as np

from inputs import photo


def main():
    folder, random = Path(sys.argv[1]), np.random.default_rng(1)
    quarter = photo(5000, 5000, random)
    half = np.concatenate([quarter, quarter[:, ::-1]], 1)
    large = np.concatenate([half, half[::-1]])
    cv2.imwrite(str(folder / "large.tif"), large, [cv2.IMWRITE_TIFF_COMPRESSION, 1])
    cv2.imwrite(str(folder / "photo.jpg"), photo(2725, 2225, random), [cv2.IMWRITE_JPEG_QUALITY, 92])
    camera = photo(6000, 4000, random)
    for i in range(20):
        picture = np.roll(camera, 331 * i, 1)
        cv2.imwrite(str(folder / f"camera{i:02}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
    screen = photo(3000, 2000, random)
    for i in range(8):
        cv2.imwrite(str(folder / f"screen{i}.png"), np.roll(screen, 331 * i, 1))
    (folder / "sharpen.mat").write_text("3 3 8 0\n-1 -1 -1\n-1 16 -1\n-1 -1 -1\n")
    taps = np.hamming(1023) / np.hamming(1023).sum()
    (folder / "taps.txt").write_text("\n".join(f"{tap:.9g}" for tap in taps) + "\n")
    minutes = np.cumsum(random.normal(size=(44100 * 60, 2)), axis=0) * 20
    sound = (8000 * np.sin(minutes / 8000) + random.normal(scale=200, size=minutes.shape)).astype("<i2")
    with wave.open(str(folder / "sound.wav"), "wb") as out:
        out.setparams((2, 2, 44100, 0, "NONE", ""))
        for _ in range(10):
            out.writeframes(sound.tobytes())


main()
