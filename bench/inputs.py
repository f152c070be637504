#!/usr/bin/env python3
"""inputs.py FOLDER: the files that whole programs are compared on, the same in every run."""
import sys
import wave
from pathlib import Path

import cv2
import numpy as np

FRAMES = 57_600_000  # 20 minutes at 48 kHz


def photo(width, height, random):
    """Octaves of noise and a little grain: compresses about as a photograph does, where plain noise would
    not."""
    image = np.zeros((height, width, 3), np.float32)
    for octave in range(2, 9):
        small = random.normal(size=((height >> octave) + 2, (width >> octave) + 2, 3)).astype(np.float32)
        image += (1 << octave) * 0.22 * cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    image += 128 + random.normal(scale=1.2, size=image.shape).astype(np.float32)
    return np.clip(image, 0, 255).astype(np.uint8)


def recording(path, random):
    """A minute of noise that wanders, twenty times over."""
    minute = np.cumsum(random.normal(size=FRAMES // 20)) * 20
    minute = (8000 * np.sin(minute / 8000) + random.normal(scale=200, size=minute.size)).astype("<i2")
    with wave.open(str(path), "wb") as out:
        out.setparams((1, 2, 48000, FRAMES, "NONE", ""))
        for _ in range(20):
            out.writeframes(minute.tobytes())


def main():
    folder, random = Path(sys.argv[1]), np.random.default_rng(1)
    large = photo(5120, 2880, random)
    cv2.imwrite(str(folder / "large.ppm"), large)
    cv2.imwrite(str(folder / "large.png"), large)
    cv2.imwrite(str(folder / "megapixel.png"), photo(1024, 1024, random))
    taps = random.random((9, 9)) / 40
    rows = [" ".join(f"{tap:.6f}" for tap in row) for row in taps]
    (folder / "k9.mat").write_text("9 9\n" + "\n".join(rows) + "\n")
    (folder / "k9.txt").write_text(",".join(rows).replace(" ", ","))
    recording(folder / "long.wav", random)
    for n in 63, 1023:
        coefficients = (np.hamming(n) / np.hamming(n).sum()).astype("<f4")
        (folder / f"fir{n}.txt").write_text("\n".join(f"{c:.9g}" for c in coefficients) + "\n")
        coefficients.tofile(folder / f"fir{n}.f32")


if __name__ == "__main__":
    main()
