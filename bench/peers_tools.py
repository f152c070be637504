#!/usr/bin/env python3
"""peers_tools.py HALO FOLDER RESULTS: whole programs beside halo on the files of inputs.py, in turns.

The kernel counts a child's peak memory from before it starts the program, so this file keeps small: no
NumPy."""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from rows import TURNS, WORKS, Table, in_turns

VIPS, GM, MAGICK, SOX, FFMPEG = "vips", "gm", "convert-im6.q16", "sox", "ffmpeg"
# It says itself how long it took without its imports.
PEER = str(Path(__file__).resolve().parent / "public_peer.py")


def python_blurs(source, target):
    """Libraries of Python, and their command for a Gaussian of sigma 2."""
    for name, library in ("libvips of PyPI", "pyvips"), ("Pillow", "pillow"):
        yield name, [sys.executable, PEER, library, "blur", "2", source, target]


class Failed(Exception):
    """A program that ended with an error: one that cannot read the format, for example libvips of PyPI PPM."""


class Programs:
    def __init__(self, halo, folder, results):
        self.halo, self.folder, self.table = os.path.abspath(halo), Path(folder), Table(results)

    def run(self, argv, peaks):
        """Milliseconds; the peak in MiB goes to `peaks`."""
        start = time.perf_counter()
        child = subprocess.Popen(argv, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        said = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        elapsed = (time.perf_counter() - start) * 1e3
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise Failed(f"'{' '.join(argv)}' ended with {child.returncode}")
        peaks.append(usage.ru_maxrss / 1024)
        return json.loads(said)["seconds"] * 1e3 if PEER in argv else elapsed

    def row(self, work, peer, peer_argv, halo_argv, goal=None, memory=None, size=None):
        """`memory` is a goal for the peak as well; `size` the two outputs whose sizes are compared."""
        if not WORKS.search(work):
            return
        try:
            self.run(peer_argv, [])
        except (Failed, OSError) as error:
            print(f"peers_tools.py: {peer} is left out of {work}: {error}", file=sys.stderr)
            return
        peer_peaks, halo_peaks = [], []
        a, b = in_turns(lambda: self.run(peer_argv, peer_peaks),
                        lambda: self.run([self.halo, *halo_argv], halo_peaks))
        self.table.add(work, peer, a, b, goal)
        self.table.add(work + ", memory", peer, peer_peaks, halo_peaks, memory, "MiB")
        if size is not None:
            kib = [(self.folder / name).stat().st_size / 1024 for name in size]
            self.table.add(work + ", size", peer, kib[:1], kib[1:], 1, "KiB")

    def start(self):
        times = [self.run([self.halo, "--version"], []) for _ in range(21)]
        self.table.add("halo --version", "(limit)", [5.0], times, 1)

    def gauss_ppm(self):
        halo = ["run", "gauss:2", "large.ppm", "-o", "halo.ppm", "-f"]
        work = "gauss 2, 5120x2880 PPM"
        self.row(work, "vips, integer", [VIPS, "gaussblur", "large.ppm", "vips.ppm", "2"], halo, 2, 1)
        self.row(work, "vips, float", [VIPS, "gaussblur", "large.ppm", "vips.ppm", "2", "--precision", "float"],
                 halo)
        self.row(work, "gm -blur", [GM, "convert", "large.ppm", "-blur", "0x2", "gm.ppm"], halo)
        self.row(work, "ImageMagick -blur", [MAGICK, "large.ppm", "-blur", "0x2", "magick.ppm"], halo)
        for name, argv in python_blurs("large.ppm", "python.ppm"):
            self.row(work, name, argv, halo)
        self.row(work, "ffmpeg gblur", [FFMPEG, "-y", "-i", "large.ppm", "-vf", "gblur=sigma=2", "ffmpeg.ppm"],
                 halo)

    def dense_ppm(self):
        halo = ["run", "conv:k9.mat", "large.ppm", "-o", "halo.ppm", "-f"]
        taps = (self.folder / "k9.txt").read_text(encoding="ascii")
        work = "dense 9x9, 5120x2880 PPM"
        self.row(work, "vips conv, float", [VIPS, "conv", "large.ppm", "vips.ppm", "k9.mat"], halo, 2, 1)
        self.row(work, "gm -convolve", [GM, "convert", "large.ppm", "-convolve", taps, "gm.ppm"], halo)

    def png(self):
        halo = ["run", "gauss:2", "megapixel.png", "-o", "halo.png", "-f"]
        work = "gauss 2, 1 megapixel PNG"
        self.row(work, "vips", [VIPS, "gaussblur", "megapixel.png", "vips.png", "2"], halo, 1)
        self.row(work, "gm -blur", [GM, "convert", "megapixel.png", "-blur", "0x2", "gm.png"], halo, 1)
        self.row(work, "ImageMagick -blur", [MAGICK, "megapixel.png", "-blur", "0x2", "magick.png"], halo, 1)
        for name, argv in python_blurs("megapixel.png", "python.png"):
            self.row(work, name, argv, halo)
        halo = ["run", "gauss:2", "large.png", "-o", "halo.png", "-f"]
        work = "gauss 2, 5120x2880 PNG"
        for name, target in ("vips", "vips.png"), ("vips, compression 1", "vips.png[compression=1]"):
            self.row(work, name, [VIPS, "gaussblur", "large.png", target, "2"], halo, 1,
                     size=("vips.png", "halo.png"))

    def fir(self):
        for n in 63, 1023:
            work, halo = f"FIR {n}, 57.6 M samples s16", ["run", f"fir:fir{n}.txt", "long.wav", "-o",
                                                          "halo.wav", "-f"]
            self.row(work, "sox fir", [SOX, "-D", "long.wav", "sox.wav", "fir", f"fir{n}.txt"], halo, 2)
            self.row(work, "ffmpeg afir", [FFMPEG, "-y", "-i", "long.wav", "-f", "f32le", "-ar", "48000", "-ac",
                                           "1", "-i",
                                           f"fir{n}.f32", "-filter_complex", "afir=gtype=none", "ffmpeg.wav"],
                                           halo)


def main():
    programs = Programs(*sys.argv[1:4])
    programs.table.head(f"Whole programs, medians of {TURNS} turns")
    programs.start()
    programs.gauss_ppm()
    programs.dense_ppm()
    programs.png()
    programs.fir()


main()
