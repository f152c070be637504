#!/usr/bin/env python3
"""growth.py HALO RESULTS DEVICE...: times by the width of the window, as tables and plots; see growth.sh."""
import csv
import itertools
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from statistics import median

try:
    import cv2
    import numpy as np
except ImportError:
    cv2 = None

WIDTHS = 3, 5, 9, 15, 31, 63, 127, 255, 511
SIDE = {"cpu": 2048, "gpu": 8192}
RUNS, PATIENCE_MS = 5, 4000  # wider windows of what takes longer than that are left out
STEP = 1.5  # times what the definition asks from one width to the next


@dataclass(frozen=True)
class Operation:
    name: str
    pipeline: str      # {w} is the width, {radius} its half, {sigma} that of a Gaussian with so many taps
    power: float = 0   # time may grow as the width to this power
    peer: object = None
    channels: tuple = (1, 3)

    def text(self, width):
        sigma = (width - 1) / 8  # truncated at 4 sigma: w / 2 samples to each side
        return self.pipeline.format(w=width, radius=width // 2, sigma=repr(sigma))


def box(k):
    return np.ones((k, k), np.uint8)


OPERATIONS = (
    Operation("box", "box:{w}", peer=lambda a, k: cv2.blur(a, (k, k))),
    Operation("local:sd", "local:sd,width={w}"),
    Operation("erode", "erode:{w}", peer=lambda a, k: cv2.erode(a, box(k))),
    Operation("erode disk", "erode:{w},shape=disk", 1,
              lambda a, k: cv2.erode(a, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (k, k)))),
    Operation("median", "median:window={w}", 1,
              lambda a, k: cv2.medianBlur(a, k) if a.dtype == np.uint8 or k <= 5 else None),
    Operation("gauss", "gauss:{sigma}", 1, lambda a, k: cv2.GaussianBlur(a, (k, k), (k - 1) / 8)),
    Operation("disk", "disk:{radius}", 2),
    Operation("canny", "canny:{sigma}", 1, channels=(1,)),
    Operation("motion", "motion:{w},angle=30", 1),
    Operation("row of box", "box:width={w},height=1"),
    Operation("row of medians", "median:width={w},height=1", 0.3),
)


def halo_ms(halo, device, operation, dtype, channels, widths):
    """All of them by one program: it makes its samples once."""
    run = subprocess.run([halo, "bench", "ops", *(operation.text(width) for width in widths), "--size",
                          f"{SIDE[device]}x{SIDE[device]}", "--dtype", dtype, "--channels", str(channels),
                          "--device", device,
                          "--runs", str(RUNS), "--json"], stdout=subprocess.PIPE, check=True)
    return [json.loads(line)["kernel_ms"] for line in run.stdout.splitlines()]


def peer_ms(operation, dtype, channels, widths):
    shape = (SIDE["cpu"], SIDE["cpu"]) + ((channels,) if channels > 1 else ())
    random = np.random.default_rng(1)
    image = random.integers(0, 256, shape, np.uint8) if dtype == "u8" else random.random(shape, np.float32)
    found = []
    for width in widths:
        times = []
        for _ in range(RUNS):
            start = time.perf_counter()
            if operation.peer(image, width) is None:
                return found
            times.append((time.perf_counter() - start) * 1e3)
        found.append(median(times))
    return found


def measure(times_of, operation):
    """Times by width: of the small ones together, then of each that is likely to end in time."""
    found = times_of(WIDTHS[:6])
    for last, width in zip(WIDTHS[5:], WIDTHS[6:]):
        if (not found or len(found) < WIDTHS.index(width)
                or found[-1] * (width / last) ** operation.power > PATIENCE_MS):
            break
        found += times_of([width])
    return found


def cells(times, power):
    for i, ms in enumerate(times):
        asked = (WIDTHS[i] / WIDTHS[i - 1]) ** power if i > 0 else 1
        steps = i > 0 and ms > STEP * asked * times[i - 1]
        yield f"{ms:.3g}" + (" *" if steps else "")
    yield from ["–"] * (len(WIDTHS) - len(times))


def draw(halo, path, device, dtype, found):
    """Of one channel: <results>-<device>-<dtype>.svg."""
    stem = f"{os.path.splitext(path)[0]}-{device}-{dtype}"
    columns = [(row["operation"] if row["who"] == "halo" else f"{row['operation']}, {row['who'].split()[0]}",
                row["ms"]) for row in found
               if (row["device"], row["dtype"], row["channels"]) == (device, dtype, 1)]
    table = subprocess.Popen([halo, "plot", "-", "-o", f"{stem}.svg", "-f", "--log", "--log-x",
                              "--title", f"ms on the {device}, {SIDE[device]} x {SIDE[device]} {dtype}"],
                             stdin=subprocess.PIPE, text=True)
    rows = csv.writer(table.stdin)
    rows.writerow(["width"] + [name for name, _ in columns])
    for i, width in enumerate(WIDTHS):
        rows.writerow([width] + [ms[i] if i < len(ms) else "" for _, ms in columns])
    table.stdin.close()
    if table.wait() != 0:
        sys.exit(f"{stem}.svg was not drawn")


def main():
    halo, path, devices = sys.argv[1], sys.argv[2], sys.argv[3:]
    found = []
    with open(path, "w", encoding="utf-8") as file:
        for device in devices:
            print(f"\n{device}, {SIDE[device]} x {SIDE[device]}, ms by width; * : more than {STEP} times what "
                  "was asked")
            print("| operation | samples | " + " | ".join(map(str, WIDTHS)) + " |")
            print("|---" * (len(WIDTHS) + 2) + "|")
            for operation in OPERATIONS:
                for dtype, channels in itertools.product(("u8", "f32"), operation.channels):
                    rows = [("halo", lambda widths: halo_ms(halo, device, operation, dtype, channels, widths))]
                    if cv2 and device == "cpu" and operation.peer:
                        rows.append((f"OpenCV {cv2.__version__}",
                                     lambda widths: peer_ms(operation, dtype, channels, widths)))
                    for who, times_of in rows:
                        times = measure(times_of, operation)
                        found.append({"device": device, "operation": operation.name, "who": who, "dtype": dtype,
                                      "channels": channels, "widths": WIDTHS[:len(times)], "ms": times})
                        file.write(json.dumps(found[-1]) + "\n")
                        file.flush()
                        name = operation.name if who == "halo" else f"{operation.name}, {who}"
                        print(f"| {name} | {dtype} × {channels} | " + " | ".join(cells(times, operation.power))
                              + " |", flush=True)
            for dtype in "u8", "f32":
                draw(halo, path, device, dtype, found)


main()
