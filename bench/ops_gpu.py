#!/usr/bin/env python3
"""ops_gpu.py HALO RESULTS: halo's own rows for the works that peers are timed on, by `halo bench ops`."""
import itertools
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from works import WORKS

RUNS = 7


def shape(work):
    return work.width, work.height, work.dtype, work.channels, work.content


def write_masks(folder):
    draw = random.Random(1)
    for width, height in {work.mask for work in WORKS if work.mask is not None}:
        rows = [
            " ".join(f"{draw.uniform(0.5, 1.5) / (width * height):.9g}" for _ in range(width))
            for _ in range(height)
        ]
        Path(folder, f"{width}x{height}.mat").write_text(f"{width} {height}\n" + "\n".join(rows) + "\n",
                                                         encoding="ascii")


def time_group(halo, folder, group):
    """One process for all pipelines of one shape: a context costs more than most of them."""
    width, height, dtype, channels, content = shape(group[0])
    run = subprocess.run([
        halo, "bench", "ops", *(work.pipeline for work in group), "--size", f"{width}x{height}", "--dtype",
        dtype, "--channels",
        str(channels), "--content", content, "--device", "gpu", "--runs",
        str(RUNS), "--json"
    ],
                         cwd=folder,
                         stdout=subprocess.PIPE,
                         check=False)
    lines = run.stdout.splitlines()
    if run.returncode != 0 or len(lines) != len(group):
        print(
            f"ops_gpu.py: {halo} bench ops ended with {run.returncode} after {len(lines)} of {len(group)} pipelines",
            file=sys.stderr)
    return [{"work": work.name, **json.loads(line)} for work, line in zip(group, lines)]


def main():
    halo, results = Path(sys.argv[1]).resolve(), sys.argv[2]
    missing = 0
    with tempfile.TemporaryDirectory() as folder, open(results, "w", encoding="utf-8") as out:
        write_masks(folder)
        for _, works in itertools.groupby(sorted(WORKS, key=shape), key=shape):
            group = list(works)
            rows = time_group(str(halo), folder, group)
            missing += len(group) - len(rows)
            out.writelines(json.dumps(row) + "\n" for row in rows)
            out.flush()
    sys.exit(missing > 0)


main()
