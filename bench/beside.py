#!/usr/bin/env python3
"""beside.py HALO DEVICE RESULTS [RECORD]: times over the floor of secondary cases; see beside.sh."""
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from record import secondary
from records import load, of_group

AREA = {"cpu": 1 << 21, "gpu": 1 << 24}  # samples of a picture, or pixels where it has one channel
RUNS, RISE, TRIES = 5, 1.2, 3
DTYPES = "u8", "u16", "f32"

# Of every shape, and of 1 to 5 and 8 channels.
EVERYWHERE = ("gauss:2", "box:9", "box:101", "conv:mask=gauss5", "erode:5", "sobel", "unsharp", "threshold:50",
              "scan", "stats", "hist",
              "reduce:a+b,map=v*v", "flip", "rotate:90")
# Of one channel, picture-shaped.
OPTIONS = ("gauss:2,nan=ignore", "box:9,nan=ignore", "conv:mask=gauss5,nan=ignore",
           "gauss:2,border=constant=300",
           "box:9,border=constant=300", "erode:5,border=constant=300", "median:3,border=constant=300",
           "gauss:2,border=keep",
           "conv:mask=gauss5,dilation=4", "conv:mask=gauss5,anchor=0+0", "conv:mask=gauss5,stride=2",
           "scan:max", "integral",
           "local:sd,width=9", "bilateral:1", "median:5", "gamma:2.2", "resize:50%", "resize:200%",
           "stats:full", "stats:percentiles=50", "equalize", "clahe",
           "local:mode,width=9", "local:mad,width=9", "local:entropy,width=9",
           'erode:mask="5x5: 0,0,1,0,0, 0,1,1,1,0, 1,1,1,1,1, 0,1,1,1,0, 0,0,1,0,0"',
           'hitmiss:"3x3: -1,1,-1, 0,1,1, 0,0,-1"',
           "label", "distance", "canny", "fillholes", "thin:3")
MASKS = ((127, 1), (1, 127), (127, 3), (3, 127), (33, 33), (63, 63))

# How many times the floor a row may take; what is bound by its comparisons or its curves has no limit on a CPU.
LIMIT = {"gpu": 3, "cpu": 4}
OBJECTS = "label", "distance", "canny", "fillholes", "thin", "local:mode", "local:mad", "local:entropy", \
    "erode:mask", "hitmiss"
LIMITS = {"gpu": {"stats:full": 12, "reduce": 6, "equalize": 6, "clahe": 6} | dict.fromkeys(OBJECTS),
          "cpu": dict.fromkeys(("median", "bilateral", "equalize", "clahe", "stats:full", "gamma") + OBJECTS)}


def shapes(area):
    """(width, height, channels) and what is run of it."""
    side = int(area ** 0.5)
    for channels in 1, 2, 3, 4, 5, 8:
        yield side, area // side // channels, channels, EVERYWHERE + (OPTIONS if channels == 1 else ())
    for width in 1, 16, 64:
        yield width, area // width, 1, EVERYWHERE
    yield area, 1, 1, EVERYWHERE


def write_masks(folder):
    draw = random.Random(1)
    for width, height in MASKS:
        rows = [" ".join(f"{draw.uniform(0.5, 1.5) / (width * height):.9g}" for _ in range(width))
                for _ in range(height)]
        Path(folder, f"{width}x{height}.mat").write_text(f"{width} {height}\n" + "\n".join(rows) + "\n",
                                                         encoding="ascii")
    return tuple(f"conv:mask={width}x{height}.mat" for width, height in MASKS)


def measure(halo, device, folder, width, height, channels, dtype, pipelines):
    """One program for all pipelines of a shape: it makes its samples once."""
    run = subprocess.run([halo, "bench", "ops", *pipelines, "--size", f"{width}x{height}", "--dtype", dtype,
                          "--channels", str(channels),
                          "--device", device, "--runs", str(RUNS), "--json"], cwd=folder,
                          stdout=subprocess.PIPE, check=True)
    found = [json.loads(line) for line in run.stdout.splitlines()]
    return [{"pipeline": row["pipeline"], "width": width, "height": height, "channels": channels,
             "dtype": dtype,
             "isa": instruction_set(row["device"]), "ms": row["kernel_ms"], "floor_ms": row["floor_ms"],
             "times": row["kernel_ms"] / row["floor_ms"]} for row in found]


def instruction_set(device):
    """Of a CPU, "Intel(R) Xeon(R) Processor, v4, 1 thread"; None of a GPU."""
    found = re.search(r", (v\d|baseline), \d+ threads?$", device)
    return found and found[1]


def key(row):
    """As a record names it."""
    named = secondary([row])[0]
    return named["work"], named["type"], named["size"]


def recorded(path, rows):
    """Times over the floor in the record's group of the same instruction set."""
    isa = rows[0]["isa"]
    return {(row["work"], row["type"], row["size"]): row["halo_ms"] / row["floor_ms"]
            for row in of_group(load(path), "secondary" + (f"-{isa}" if isa else ""))}


def limit(device, pipeline):
    found = [most for name, most in LIMITS[device].items() if pipeline.startswith(name)]
    return found[0] if found else LIMIT[device]


def text(row):
    return f"{row['pipeline']:<30} {row['dtype']:>4} x {row['channels']} {row['width']} x {row['height']}"


def rises(before, row):
    was = before.get(key(row))
    return was is not None and row["times"] > RISE * was


def main():
    halo, device, results = str(Path(sys.argv[1]).resolve()), sys.argv[2], sys.argv[3]
    rows, before = [], {}
    with tempfile.TemporaryDirectory() as folder:
        masks = write_masks(folder)
        for dtype in DTYPES:
            for width, height, channels, pipelines in shapes(AREA[device]):
                if OPTIONS[0] in pipelines and dtype == "f32":
                    pipelines += masks
                found = measure(halo, device, folder, width, height, channels, dtype, pipelines)
                if len(sys.argv) > 4 and not before:
                    before = recorded(sys.argv[4], found)
                for _ in range(TRIES - 1):  # other work may be why
                    risen = [i for i, row in enumerate(found) if rises(before, row)]
                    again = measure(halo, device, folder, width, height, channels, dtype,
                                    [found[i]["pipeline"] for i in risen]) if risen else []
                    for i, row in zip(risen, again):
                        found[i] = min(found[i], row, key=lambda of: of["times"])
                rows += found
    Path(results).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    past = [row for row in rows if limit(device, row["pipeline"])
            and row["times"] > limit(device, row["pipeline"])]
    print(f"{len(rows)} rows, {len(past)} past their limit, times the floor:")
    for row in sorted(past, key=lambda of: -of["times"]):
        print(f"{row['times']:8.1f}  {text(row)}   {row['ms']:.3f} ms, floor {row['floor_ms']:.3f}")
    risen = [row for row in rows if rises(before, row)]
    for row in risen:
        print(f"risen: {before[key(row)]:.1f} to {row['times']:.1f}  {text(row)}")
    sys.exit(bool(risen))


main()
