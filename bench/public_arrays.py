#!/usr/bin/env python3
"""public_arrays.py: filters of arrays in memory by halo, OpenCV, Pillow and SciPy in turns, in one process.
Prints rows as NDJSON. All of them use as many threads as there are cores for this process (taskset)."""
import json
import os
import time

import cv2
import halofilters as hf
import numpy as np
from PIL import Image, ImageFilter
from scipy import ndimage

TURNS = int(os.environ.get("TURNS", "5"))
SIDE = 4096


def picture(channels):
    random = np.random.default_rng(1)
    shape = (SIDE // 8, SIDE // 8, channels)
    small = random.integers(0, 256, shape, dtype=np.uint8)
    smooth = cv2.resize(small, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
    noisy = smooth.reshape(SIDE, SIDE, channels) + random.normal(scale=4, size=(SIDE, SIDE, channels))
    return np.clip(noisy, 0, 255).astype(np.uint8).squeeze()


def works():
    """Name, halo's call, {peer: call}. Each call returns its result."""
    gray, rgb = picture(1), picture(3)
    gray_image, rgb_image = Image.fromarray(gray), Image.fromarray(rgb)
    half = SIDE // 2, SIDE // 2
    clahe = cv2.createCLAHE(clipLimit=2, tileGridSize=(8, 8))
    return [
        ("Gaussian, sigma 2, gray", lambda: hf.gauss(gray, 2),
         {"OpenCV": lambda: cv2.GaussianBlur(gray, (0, 0), 2, borderType=cv2.BORDER_REPLICATE),
          "SciPy": lambda: ndimage.gaussian_filter(gray, 2, mode="nearest"),
          "Pillow": lambda: gray_image.filter(ImageFilter.GaussianBlur(2))}),
        ("Gaussian, sigma 10, RGB", lambda: hf.gauss(rgb, 10),
         {"OpenCV": lambda: cv2.GaussianBlur(rgb, (0, 0), 10, borderType=cv2.BORDER_REPLICATE),
          "Pillow": lambda: rgb_image.filter(ImageFilter.GaussianBlur(10))}),
        ("median 5 x 5, gray", lambda: hf.median(gray, 5),
         {"OpenCV": lambda: cv2.medianBlur(gray, 5),
          "Pillow": lambda: gray_image.filter(ImageFilter.MedianFilter(5))}),
        ("CLAHE, 8 x 8 tiles, gray", lambda: hf.clahe(gray, 8, 2), {"OpenCV": lambda: clahe.apply(gray)}),
        ("half the size, area, RGB", lambda: hf.resize(rgb, "50%", kernel="area"),
         {"OpenCV": lambda: cv2.resize(rgb, half, interpolation=cv2.INTER_AREA),
          "Pillow": lambda: rgb_image.reduce(2)}),
        ("half the size, Lanczos, RGB", lambda: hf.resize(rgb, "50%"),
         {"Pillow": lambda: rgb_image.resize(half, Image.Resampling.LANCZOS)}),
        ("opening 15 x 15, gray", lambda: hf.open_(gray, 15),
         {"OpenCV": lambda: cv2.morphologyEx(gray, cv2.MORPH_OPEN, np.ones((15, 15), np.uint8))}),
        ("labels of regions", lambda: hf.label(gray),
         {"OpenCV": lambda: cv2.connectedComponents(gray),
          "SciPy": lambda: ndimage.label(gray, np.ones((3, 3)))[0]}),
        ("mean and deviation, gray", lambda: hf.stats(gray), {"OpenCV": lambda: cv2.meanStdDev(gray)}),
    ]


def timed(call):
    start = time.perf_counter()
    result = call()
    return (time.perf_counter() - start) * 1e3, result


def difference(a, b):
    """The largest difference of two pictures and the share of samples that differ; None: not to be compared."""
    if not isinstance(a, np.ndarray) or isinstance(b, tuple):
        return None
    a, b = np.asarray(a).astype(np.int32), np.asarray(b).astype(np.int32)
    if a.shape != b.shape:
        return None
    apart = np.abs(a - b)
    return {"most": int(apart.max()), "share": float(np.mean(apart > 0))}


def main():
    threads = len(os.sched_getaffinity(0))
    cv2.setNumThreads(threads)
    for name, ours, peers in works():
        calls = {"halo": ours, **peers}
        results = {who: timed(call)[1] for who, call in calls.items()}
        times = {who: [] for who in calls}
        for _ in range(TURNS):
            for who, call in calls.items():
                times[who].append(timed(call)[0])
        for who in calls:
            compared = who != "halo" and not name.startswith("labels")
            apart = difference(results["halo"], results[who]) if compared else None
            print(json.dumps({"task": name, "threads": threads, "program": who,
                              "ms": sorted(times[who])[TURNS // 2], "apart": apart}), flush=True)


main()
