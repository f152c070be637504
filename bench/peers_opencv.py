#!/usr/bin/env python3
"""peers_opencv.py HALO RESULTS: OpenCV's kernels beside halo's, each timed inside its own process, in turns.

Neither side reads or writes a file. Both have their samples in huge pages that have been touched before:
NumPy asks for them, and OpenCV is given its output; `halo bench ops` does the same. Without that the
kernel's clearing of fresh 4 KiB pages takes several times as long as a small mask. The floor of a row is
what `halo bench ops` says that this machine's ceilings leave it."""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from statistics import median

import cv2
import numpy as np

from peers_gpu import disks
from rows import TURNS, Table, in_turns

SIDE, RUNS = 4096, 5
DENSE = {"f32": {3: 3.5, 5: 4, 9: 5, 15: 9, 31: 3}, "u8": {3: None, 5: 3, 9: 6, 15: 7, 31: 2.5}}
BORDER = {"borderType": cv2.BORDER_REPLICATE}


def median_ms(call):
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return median(times)


class Comparison:
    def __init__(self, halo, results, folder):
        self.halo, self.folder, self.table = halo, folder, Table(results)
        random = np.random.default_rng(1)
        self.sample = {"f32": random.random((SIDE, SIDE), np.float32),
                       "u8": random.integers(0, 256, (SIDE, SIDE), np.uint8)}
        self.u16 = random.integers(0, 65536, (SIDE, SIDE), np.uint16)
        self.random = random

    def halo_timing(self, pipeline, dtype, content="random"):
        run = subprocess.run([self.halo, "bench", "ops", pipeline, "--size", f"{SIDE}x{SIDE}", "--dtype", dtype,
                              "--channels", "1", "--content", content, "--device", "cpu", "--runs", str(RUNS),
                              "--json"],
                             cwd=self.folder, stdout=subprocess.PIPE, check=True)
        return json.loads(run.stdout)

    def row(self, work, goal, peer, call, pipeline, dtype, share=1.0, content="random"):
        a, timings = in_turns(lambda: share * median_ms(call),
                              lambda: self.halo_timing(pipeline, dtype, content))
        self.table.add(work, peer, a, [timing["kernel_ms"] for timing in timings], goal,
                       floor=median(timing["floor_ms"] for timing in timings))

    def dense(self):
        for dtype, goals in DENSE.items():
            src = self.sample[dtype]
            dst = np.zeros_like(src)
            for k, goal in goals.items():
                taps = self.random.random((k, k), np.float32)
                taps /= taps.sum()
                rows = "\n".join(" ".join(f"{tap:.9g}" for tap in row) for row in taps)
                with open(f"{self.folder}/k{k}.mat", "w", encoding="ascii") as file:
                    file.write(f"{k} {k}\n{rows}\n")
                self.row(f"dense {dtype} k={k}", goal, "OpenCV filter2D",
                         lambda src=src, taps=taps, dst=dst: cv2.filter2D(src, -1, taps, dst, **BORDER),
                         f"conv:k{k}.mat" + ("|depth:u8" if dtype == "u8" else ""), dtype)

    def separable(self):
        f32, u8 = self.sample["f32"], self.sample["u8"]
        to_f32, to_u8 = np.zeros_like(f32), np.zeros_like(u8)
        for k in 3, 5, 9, 15, 31:
            sigma = (k // 2) / 3
            taps = cv2.getGaussianKernel(k, sigma, cv2.CV_32F)
            gauss = f"gauss:sigma={sigma!r},truncate=3"  # radius floor(3 sigma + 0.5) = k / 2
            self.row(f"separable f32 k={k}", 4, "OpenCV sepFilter2D",
                     lambda taps=taps: cv2.sepFilter2D(f32, -1, taps, taps, to_f32, **BORDER), gauss, "f32")
            self.row(f"gauss u8 k={k}", 1, "OpenCV GaussianBlur",
                     lambda k=k, sigma=sigma: cv2.GaussianBlur(u8, (k, k), sigma, to_u8, sigma, **BORDER),
                     gauss + "|depth:u8", "u8")

    def medians(self):
        sides = {"u8": (3, 5, 7, 11, 21, 51, 101), "u16": (3, 5), "f32": (3, 5)}  # OpenCV has no others
        for dtype, src in {**self.sample, "u16": self.u16}.items():
            dst = np.zeros_like(src)
            for k in sides[dtype]:
                self.row(f"median {dtype} k={k}", 1 if k <= 5 else 1.5, "OpenCV medianBlur",
                         lambda src=src, k=k, dst=dst: cv2.medianBlur(src, k, dst), f"median:{k}|depth:{dtype}",
                         dtype)

    def reductions(self):
        f32, u8 = self.sample["f32"], self.sample["u8"]
        integral = np.zeros((SIDE + 1, SIDE + 1), np.int32)
        copy = copier()
        for dtype, src in self.sample.items():
            share = src.nbytes / copy.bytes
            self.row(f"stats {dtype}", 0.7, "copy, two threads", copy, "stats:product=0", dtype, share)
            self.row(f"stats {dtype}, product", None, "copy, two threads", copy, "stats", dtype, share)
            self.row(f"stats {dtype}", None, "OpenCV minMaxLoc", lambda src=src: cv2.minMaxLoc(src),
                     "stats:product=0", dtype)
        self.row("histogram u8", 2.5, "OpenCV calcHist",
                 lambda: cv2.calcHist([u8], [0], None, [256], [0, 256]), "hist", "u8")
        self.row("integral u8", 3, "OpenCV integral", lambda: cv2.integral(u8, integral), "scan:axis=xy", "u8")


    def regions(self):
        x = disks(SIDE)
        made = {np.int32: np.zeros(x.shape, np.int32), np.float32: np.zeros(x.shape, np.float32)}
        edges = np.zeros_like(x)

        def row(work, goal, peer, call, pipeline):
            self.row(work, goal, peer, call, pipeline, "u8", content="blobs")
        row("label u8", None, "OpenCV connectedComponents", lambda: cv2.connectedComponents(x, made[np.int32]),
            "label")
        row("label and objects u8", 1.5, "OpenCV connectedComponentsWithStats",
            lambda: cv2.connectedComponentsWithStats(x), "objects")
        row("distance u8", 4, "OpenCV distanceTransform",
            lambda: cv2.distanceTransform(x, cv2.DIST_L2, cv2.DIST_MASK_PRECISE, made[np.float32]), "distance")
        row("canny u8", 1.5, "OpenCV GaussianBlur, Canny",
            lambda: cv2.Canny(cv2.GaussianBlur(x, (0, 0), 1.4), 50, 100, edges), "canny|depth:u8")
        row("otsu u8", None, "OpenCV THRESH_OTSU",
            lambda: cv2.threshold(x, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU, edges),
            "threshold:otsu|depth:u8")
        try:
            from scipy import ndimage
            row("label u8", None, "SciPy ndimage.label", lambda: ndimage.label(x, np.ones((3, 3))), "label")
            row("distance u8", None, "SciPy distance_transform_edt",
                lambda: ndimage.distance_transform_edt(x), "distance")
            row("fillholes u8", None, "SciPy binary_fill_holes", lambda: ndimage.binary_fill_holes(x),
                "fillholes|depth:u8")
            from skimage import feature, measure, morphology, segmentation
            row("canny u8", None, "scikit-image feature.canny", lambda: feature.canny(x, 1.4), "canny|depth:u8")
            row("skeleton u8", None, "scikit-image skeletonize", lambda: morphology.skeletonize(x > 0),
                "skeleton|depth:u8")
            row("label, watershed u8", None, "scikit-image label, watershed",
                lambda: segmentation.watershed(x, measure.label(x, connectivity=2), 2), "watershed:[label]")
        except ImportError as error:
            print(f"left out: {error}", file=sys.stderr)


def copier():
    """Copies more than the caches hold; `bytes` counts what is read and what is written."""
    half = 32 << 20
    src = [np.full(half, 1, np.float32), np.full(half, 1, np.float32)]
    dst = [np.zeros_like(part) for part in src]

    def copy():
        other = threading.Thread(target=np.copyto, args=(dst[1], src[1]))
        other.start()
        np.copyto(dst[0], src[0])
        other.join()
    copy.bytes = 2 * sum(part.nbytes for part in src)
    return copy


def main():
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(os.path.abspath(sys.argv[1]), sys.argv[2], folder)
        comparison.table.note(type="versions", opencv=cv2.__version__, threads=cv2.getNumThreads())
        comparison.table.head(f"Kernels, {SIDE}x{SIDE}, medians of {TURNS} turns of {RUNS}")
        comparison.dense()
        comparison.separable()
        comparison.medians()
        comparison.reductions()
        comparison.regions()


main()
