#!/usr/bin/env python3
"""halo in Python beside cv2, SciPy, pyvips and scikit-image, on arrays of NumPy: in turns, medians (and least).

    PYTHONPATH=python HALO_LIBRARY=build/cpu/libhalo.so bench/python_cpu.py [--side 4096] [--json FILE]

Also the cost of a call on 64 x 64, by part. What is not installed is left out.
"""

import argparse
import importlib
import json
import statistics
import time

import halofilters as hf
import numpy as np


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def peers(x):
    """By task, by tool: a call. Tools use their own defaults for what halo's parameters do not say."""
    cv2, ndimage, pyvips = optional("cv2"), optional("scipy.ndimage"), optional("pyvips")
    filters, transform = optional("skimage.filters"), optional("skimage.transform")
    h, w = x.shape[:2]
    colours = x.ndim == 3
    size = (w * 37 // 100, h * 37 // 100)
    tasks = {
        "gauss 2": {"halo": lambda: hf.gauss(x, 2)},
        "median 5": {"halo": lambda: hf.median(x, 5)},
        "resize 50%": {"halo": lambda: hf.resize(x, "50%", kernel="area")},
        "resize 37%": {"halo": lambda: hf.resize(x, size, fit="exact", kernel="area")},
    }
    if cv2:
        tasks["gauss 2"]["cv2"] = lambda: cv2.GaussianBlur(x, (17, 17), 2, borderType=cv2.BORDER_REPLICATE)
        if x.dtype != np.float32:
            tasks["median 5"]["cv2"] = lambda: cv2.medianBlur(x, 5)
        tasks["resize 37%"]["cv2"] = lambda: cv2.resize(x, size, interpolation=cv2.INTER_AREA)
        tasks["resize 50%"]["cv2"] = lambda: cv2.resize(x, (w // 2, h // 2), interpolation=cv2.INTER_AREA)
    if ndimage:
        sigma, window = ((2, 2, 0), (5, 5, 1)) if colours else (2, 5)
        tasks["gauss 2"]["scipy"] = lambda: ndimage.gaussian_filter(x, sigma, mode="nearest")
        tasks["median 5"]["scipy"] = lambda: ndimage.median_filter(x, window, mode="nearest")
    if pyvips:
        image = pyvips.Image.new_from_array(x)
        tasks["gauss 2"]["pyvips"] = lambda: image.gaussblur(2).numpy()
        tasks["median 5"]["pyvips"] = lambda: image.median(5).numpy()
        tasks["resize 50%"]["pyvips"] = lambda: image.shrink(2, 2).numpy()
    if filters and transform:
        axis = -1 if colours else None
        tasks["gauss 2"]["skimage"] = lambda: filters.gaussian(x, 2, channel_axis=axis, mode="nearest")
        factors = (2, 2, 1) if colours else (2, 2)
        tasks["resize 50%"]["skimage"] = lambda: transform.downscale_local_mean(x, factors)
    return tasks


def in_turns(calls, least):
    """Medians and least in milliseconds; each tool once a round, for `least` seconds and 3 rounds."""
    found = {name: [] for name in calls}
    for call in calls.values():
        call()
    begin = time.perf_counter()
    while time.perf_counter() - begin < least or len(next(iter(found.values()))) < 3:
        for name, call in calls.items():
            before = time.perf_counter()
            call()
            found[name].append((time.perf_counter() - before) * 1e3)
    return {name: (statistics.median(values), min(values)) for name, values in found.items()}


def each(call, n=3000):
    """Microseconds of processor time a call, the least of several runs."""
    call()
    best = float("inf")
    for _ in range(5):
        before = time.process_time()
        for _ in range(n):
            call()
        best = min(best, (time.process_time() - before) / n * 1e6)
    return best


def parts():
    """The cost of hf.gauss(x, 2) on 64 x 64 uint8, by part."""
    from halofilters import _lib, _session

    x = np.random.default_rng(1).integers(0, 256, (64, 64), dtype="uint8")
    hf.gauss(x, 2)
    plan = list(_session.session().ready["gauss"].values())[-1].plan
    inputs, outputs, at, to = plan.structs()
    made = np.empty(plan.shape, plan.dtype)
    inputs[0].data, outputs.data = x.ctypes.data, made.ctypes.data
    whole = each(lambda: hf.gauss(x, 2))
    library = each(lambda: _lib.halo_plan_run(plan.handle, at, to, None, None))
    call = each(lambda: _lib.halo_free(None))
    return {"whole": whole, "library": library - call, "ctypes": call, "Python": whole - library}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--side", type=int, default=4096)
    options.add_argument("--seconds", type=float, default=4)
    options.add_argument("--json")
    given = options.parse_args()
    rows = []
    rng = np.random.default_rng(1)
    base = rng.integers(0, 256, (given.side, given.side, 3), dtype="uint8")
    print("a call on 64 x 64, in us of processor time:", {k: round(v, 1) for k, v in parts().items()})
    for name, x in (("u8", base[..., 0].copy()), ("u8 rgb", base), ("f32", base[..., 0].astype("float32"))):
        for task, calls in peers(x).items():
            found = in_turns(calls, given.seconds)
            rows.append({"array": f"{name} {given.side}", "task": task, **found})
            texts = [f"{tool} {middle:.1f} ({least:.1f}) ms" for tool, (middle, least) in found.items()]
            print(f"{name:7} {task:11}", "  ".join(texts))
    if given.json:
        with open(given.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
