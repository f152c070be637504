"""The programs, called so that arrays go in and arrays come out; and the samples they are given."""

import functools
import json
import os
import re
import subprocess
from pathlib import Path

import cv2
import numpy as np
from scipy.io import wavfile

PYTHON = os.environ.get("PEERS_PYTHON", "python3")
MAGICK = "convert-im6.q16"
RATE = 48000
WHITE = {"u8": 255, "u16": 65535, "f32": 1}


def colours(image):
    """OpenCV's order of channels to ours, and back."""
    if image.ndim == 2:
        return image
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB if image.shape[2] == 3 else cv2.COLOR_BGRA2RGBA)


@functools.cache
def has(module):
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


class Programs:
    def __init__(self, halo, folder):
        self.program, self.folder, self.count = halo, Path(folder), 0

    def run(self, argv):
        done = subprocess.run([str(arg) for arg in argv], cwd=self.folder, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, argv))}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def python(self, module, expression, **arrays):
        """What a module makes that PEERS_PYTHON has, another Python than this one's; None where it has not."""
        if not has(module):
            return None
        out, code = self.path(".npy"), f"import numpy, {module}\n"
        for name, values in arrays.items():
            code += f"{name} = numpy.load({str(self.write(values, '.npy'))!r})\n"
        self.run([PYTHON, "-W", "ignore", "-c", f"{code}numpy.save({str(out)!r}, {expression})"])
        return np.load(out)

    def path(self, suffix):
        self.count += 1
        return self.folder / f"{self.count}{suffix}"

    def write(self, samples, suffix):
        """`suffix` says how: .npy, .wav, or an image, whose floats become TIFF."""
        path = self.path(suffix)
        if suffix == ".npy":
            np.save(path, samples)
        elif suffix == ".wav":
            wavfile.write(path, RATE, samples)
        elif not cv2.imwrite(str(path), colours(samples)):
            raise RuntimeError(f"cannot write {path}")
        return path

    def halo(self, pipeline, samples, suffix=".npy", *options):
        """The result as NPY holds it: f32 and not rounded to levels unless the pipeline says so."""
        out = self.path(".npy")
        if suffix == ".npy" and samples.dtype.kind == "f" and "--rate" not in options:
            options = ("--white", "1", *options) # floats of an array have no full scale by themselves
        self.run([self.program, "run", pipeline, self.write(samples, suffix), "-o", out, *options])
        return np.load(out)

    def halo_result(self, pipeline, samples, suffix=".npy", *options):
        return json.loads(self.run([self.program, "run", pipeline, self.write(samples, suffix), "--json",
                                    *options]).splitlines()[0])

    def image(self, argv, samples, written=None):
        """A program that reads one image and writes another; IN and OUT stand for them in `argv`."""
        suffix = ".tif" if samples.dtype == np.float32 else ".png"
        source, out = self.write(samples, suffix), self.path(written or suffix)
        self.run([{"IN": source, "OUT": out}.get(arg, arg) for arg in argv])
        made = cv2.imread(str(out), cv2.IMREAD_UNCHANGED)
        return colours(made)

    def vips(self, operation, samples, *arguments):
        return self.image(["vips", operation, "IN", "OUT", *arguments], samples)

    def vips_table(self, operation, samples):
        """What libvips makes of a whole image, as f32: in PNG a count of 300 would become 255."""
        source, table, out = (self.write(samples, ".tif" if samples.dtype == np.float32 else ".png"),
                              self.path(".v"),
                              self.path(".tif"))
        self.run(["vips", operation, source, table])
        self.run(["vips", "cast", table, out, "float"])
        return cv2.imread(str(out), cv2.IMREAD_UNCHANGED)

    def sox_stat(self, samples):
        """The numbers that SoX's stat prints, by their names."""
        done = subprocess.run(["sox", self.write(samples, ".wav"), "-n", "stat"], capture_output=True,
                              text=True,
                              check=True)
        pairs = (line.split(":") for line in done.stderr.splitlines() if line.count(":") == 1)
        return {" ".join(key.split()): float(value) for key,
                value in pairs if value.strip().replace(".", "").lstrip("-").isdigit()}

    def ffmpeg_loudness(self, samples):
        """Integrated loudness, and true peak."""
        done = subprocess.run(["ffmpeg", "-nostats", "-i", self.write(samples, ".wav"), "-af",
                               "ebur128=peak=true", "-f",
                               "null", "-"], capture_output=True, text=True, check=True)
        wanted = r"I:\s+(-?[0-9.]+) LUFS", r"Peak:\s+(-?[0-9.]+) dBFS"
        return [float(re.findall(text, done.stderr)[-1]) for text in wanted]

    def ffmpeg_loudnorm(self, samples):
        """What loudnorm measures in its first pass, as it prints it."""
        done = subprocess.run(["ffmpeg", "-nostats", "-i", self.write(samples, ".wav"), "-af",
                               "loudnorm=I=-30:TP=-1:print_format=json", "-f", "null", "-"],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stderr[done.stderr.rindex("{"):])

    def ffmpeg(self, samples, effects):
        source, out = self.write(samples, ".wav"), self.path(".wav")
        self.run(["ffmpeg", "-nostats", "-i", source, "-af", effects, "-c:a", "pcm_f32le", out])
        return wavfile.read(out)[1]

    def magick(self, arguments, samples):
        """In 16 bits, which this program computes in: where it writes 8 it cuts off the rest. PNG, which it
        would write with fewer bits where they do, is for alpha only."""
        alpha = samples.ndim == 3 and samples.shape[2] == 4
        options = ["-depth", 16, *(["-define", "png:bit-depth=16"] if alpha else [])]
        written = ".pgm" if samples.ndim == 2 else ".png" if alpha else ".ppm"
        return self.image([MAGICK, "IN", *arguments, *options, "OUT"], samples, written)

    def matrix(self, taps, divisor=1):
        path = self.path(".mat")
        rows = "\n".join(" ".join(f"{tap:.17g}" for tap in row) for row in np.atleast_2d(taps))
        path.write_text(f"{np.atleast_2d(taps).shape[1]} {np.atleast_2d(taps).shape[0]} {divisor}\n{rows}\n")
        return path

    def sox(self, samples, *effect):
        source, out = self.write(samples, ".wav"), self.path(".wav")
        self.run(["sox", "-D", source, out, *effect])
        return wavfile.read(out)[1]


def picture(dtype, channels=1, height=121, width=173):
    """Waves, an edge and noise; every level may come up, and no side is a multiple of anything."""
    random = np.random.default_rng(1)
    y, x = np.mgrid[0:height, 0:width]
    planes = [0.5 + 0.3 * np.sin(x / (9 + c)) * np.cos(y / (7 + c)) + 0.12 * (x > 60 + 20 * c)
              for c in range(channels)]
    values = np.clip(np.stack(planes, -1) + random.normal(scale=0.12, size=(height, width, channels)), 0, 1)
    if channels == 1:
        values = values[:, :, 0]
    if dtype == "f32":
        return values.astype(np.float32)
    return np.rint(values * WHITE[dtype]).astype({"u8": np.uint8, "u16": np.uint16}[dtype])


def recording(dtype, frames=20011):
    random = np.random.default_rng(2)
    t = np.arange(frames) / RATE
    wave = 0.5 * np.sin(2 * np.pi * (200 + 3000 * t) * t) + 0.1 * random.normal(size=frames)
    wave = np.clip(wave, -0.99, 0.99)
    return wave.astype(np.float32) if dtype == "f32" else np.rint(wave * 32767).astype(np.int16)
