#!/usr/bin/env python3
"""performance.py [RECORD...]: prints docs/performance.md from bench/results, or the tables of RECORDs alone."""
import sys
import textwrap
from pathlib import Path
from statistics import median

from records import load, of_group

ORDER = "h200", "h100", "h100x2", "emr", "spr", "zen5", "zen3"

INTRO = """# Performance

Made by `bench/performance.py` from the records in `bench/results`; not edited by hand.

- **halo** is the time that halo takes. On a GPU it is the median kernel time by the device's events, without
  transfers and without the launch of the first kernel. On a CPU it is the median wall time, with all cores of
  the machine.
- **floor** is the least time that the machine could take: the greater of the bytes, read and written once at
  the measured memory bandwidth, and the multiply-adds, at the measured arithmetic rate. 1 × is as fast as
  possible.
- **goal** is the time that the project set itself: a share of the floor, or a multiple of a peer's speed.
  ✓ is met, ✗ is missed; a work without a goal has –.
- **peer** is the fastest other program or library that was measured in the same run, on the same samples.
  **× peer** is the peer's time over halo's: 2 is twice as fast as the peer.
- Times are in milliseconds. All results use `--precision exact`: the same bytes on every device. Samples are
  random, and images have one channel, where nothing else is said.
- `halo bench ops` times what a command computes: results are of the type that `halo run` would write, so
  images of bytes become bytes, and numbers without a full scale, such as labels, floats; `--to npy` keeps
  floats. Secondary benchmarks until commit 365f8a03 left floats, unless a pipeline named a `depth`.
- AVX2 and AVX-512 are instruction sets: `HALO_CPU=v3` and `v4`.

| to measure | run |
|---|---|
| kernels on a GPU beside CUB, NPP, PyTorch, CuPy, cuCIM and CV-CUDA; tests on a GPU | `bench/gpu.sh` |
| on a CPU, beside OpenCV, Pillow, libvips, GraphicsMagick, ImageMagick, SoX, FFmpeg | `bench/peers_cpu.sh` |
| times by the width of a window | `bench/growth.sh` |
| secondary benchmarks: other shapes, channels and options | `bench/beside.sh` |
| one image on several GPUs | `bench/team.sh` |
| one operation on this machine | `halo bench ops gauss:2` |

`bench/record.py` takes what these leave into a record. What was tried and did not pay is in
[tried](tried/README.md). Results beside other programs, sample for sample, are in [fidelity.md](fidelity.md).
"""

CHARTS = """
## Charts by width

Time by the width of the window, one channel, logarithmic axes: an H200 with 8192 x 8192 samples, two cores of a
Zen 3 with 2048 x 2048.

![GPU, u8](growth-gpu-u8.svg)
![GPU, f32](growth-gpu-f32.svg)
![CPU, u8](growth-cpu-u8.svg)
![CPU, f32](growth-cpu-f32.svg)
"""

SETS = {"v2": "SSE4", "v3": "AVX2", "v4": "AVX-512", "neon": "NEON"}


def number(value):
    if value is None:
        return "–"
    return f"{value:.4f}" if value < 0.1 else f"{value:#.3g}".rstrip(".") if value < 1000 else f"{value:.0f}"


def times(over, under):
    return "–" if over is None or not under else f"{over / under:.1f}"


def cell(text):
    return str(text or "–").replace("|", "\\|")


def table(heads, rows):
    cells = ("| " + " | ".join(map(cell, row)) + " |" for row in rows)
    return ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *cells, ""]


def met(row):
    goal = row.get("goal_ms")
    return "–" if goal is None else "✓" if row["halo_ms"] <= goal else "✗"


def facts(group):
    """Commit, date and conditions of a group, as the line above its table."""
    said = [f"commit {group['commit']}" if group.get("commit") else "commit not recorded", group["date"]]
    if "read_gbs" in group:
        said.append(f"read {group['read_gbs']} GB/s, copy {group['copy_gbs']} GB/s, "
                    f"{group['fma_gflops'] / 1e3:.1f} Tflop/s")
    if "cores" in group:
        said.append("one core" if group["cores"] == 1 else f"{group['cores']} cores")
    if "workers" in group:
        said.append(f"{group['files']} files, {group['workers']} threads")
    said += [group[key] for key in ("conditions",) if key in group]
    said = "; ".join(said) + "."
    return said[0].upper() + said[1:]


def goals(rows):
    asked = [row for row in rows if "goal_ms" in row]
    return f" {sum(met(row) == '✓' for row in asked)} of {len(asked)} goals are met." if asked else ""


def kernels(group, rows):
    heads = ("work", "type", "size", "floor", "goal", "peer", "peer's time", "halo", "halo / floor", "× peer",
             "met")
    return [facts(group) + goals(rows), "", *table(heads, (
        (row["work"], row.get("type"), row.get("size"), number(row.get("floor_ms")), number(row.get("goal_ms")),
         row.get("peer"), number(row.get("peer_ms")), number(row["halo_ms"]),
         times(row["halo_ms"], row.get("floor_ms")), times(row.get("peer_ms"), row["halo_ms"]), met(row))
        for row in rows))]


def kernels_cpu(group, rows, older):
    """Both instruction sets in one table; floor, goal and peer are those of the run with AVX-512."""
    before = {(row["work"], row["type"], row["peer"]): row for row in older}
    heads = ("work", "type", "floor", "goal", "peer", "peer's time", "halo, AVX2", "halo, AVX-512",
             "halo / floor",
             "× peer", "met")
    cells = []
    for row in rows:
        avx2 = before.get((row["work"], row["type"], row["peer"]))
        cells.append((row["work"], row["type"], number(row["floor_ms"]), number(row.get("goal_ms")),
                      row["peer"],
                      number(row["peer_ms"]), number(avx2 and avx2["halo_ms"]), number(row["halo_ms"]),
                      times(row["halo_ms"], row["floor_ms"]), times(row["peer_ms"], row["halo_ms"]), met(row)))
    return [facts(group) + f" {rows[0]['size']}." + goals(rows), "", *table(heads, cells)]


def commands(group, rows):
    """Whole commands: start, reading, computing and writing, files in memory."""
    memory = any("halo_mib" in row for row in rows)
    heads = ("command", "goal", "peer", "peer's time", "halo", "× peer", "met",
             *(("peer, MiB", "halo, MiB") if memory else ()))
    return [facts(group) + goals(rows), "", *table(heads, (
        (row["work"], number(row.get("goal_ms")), row.get("peer"), number(row.get("peer_ms")),
         number(row["halo_ms"]), times(row.get("peer_ms"), row["halo_ms"]), met(row),
         *((number(row.get("peer_mib")), number(row.get("halo_mib"))) if memory else ())) for row in rows))]


def ratio(row):
    return row["halo_ms"] / row["floor_ms"]


def secondary(group, rows):
    """495 rows are too many for a page: the operations that are farthest from their floors."""
    over = sorted(map(ratio, rows))
    works = {}
    for row in rows:
        works.setdefault(row["work"], []).append(row)
    worst = [(max(found, key=ratio), found) for found in works.values()]
    worst = sorted(worst, key=lambda pair: -ratio(pair[0]))[:12]
    said = (f" {len(rows)} combinations of operation, sample type, channels and shape: half of them take at "
            "most "
            f"{median(over):.1f} × their floor, nine tenths at most {over[len(over) * 9 // 10]:.1f} ×, "
            f"{sum(times > 10 for times in over)} more than 10 ×. The 12 operations with the largest ratio:")
    return [facts(group) + said, "", *table(
        ("operation", "median halo / floor", "largest", "its type", "its size", "its floor", "its time"),
        ((row["work"], f"{median(map(ratio, found)):.1f}", f"{ratio(row):.1f}", row["type"], row["size"],
          number(row["floor_ms"]), number(row["halo_ms"])) for row, found in worst))]


def widths(group, rows):
    """One channel; a peer has its own line."""
    single = [row for row in rows if " x " not in row["type"]]
    columns = sorted({row["width"] for row in single})
    lines = {}
    for row in single:
        peer = f"{row['work']}, {row.get('peer', '').split(' ')[0]}"
        for name, key in (row["work"], "halo_ms"), (peer, "peer_ms"):
            if key in row:
                lines.setdefault((name, row["type"]), {})[row["width"]] = row[key]
    return [facts(group) + f" {single[0]['size']}, one channel; width of the window in samples.", "", *table(
        ("operation", "type", *map(str, columns)),
        ((name, dtype, *(number(cells.get(width)) for width in columns))
         for (name, dtype), cells in lines.items()))]


def batch(group, rows):
    return [facts(group), "", *table(("batch of PNG", "device", "ms a file"), (
        (row["work"], row.get("type"), number(row.get("halo_ms", row.get("peer_ms")))) for row in rows))]


def team(group, rows):
    heads = "work", "type", "size", "one GPU", "both", "speed-up"
    return [facts(group), "", *table(heads, (
        (row["work"], row["type"], row["size"], number(row["peer_ms"]), number(row["halo_ms"]),
         f"{row['peer_ms'] / row['halo_ms']:.2f}") for row in rows))]


def png(group, rows):
    """Levels are many: 1 is the default, 6 libpng's."""
    shown = "level 1", "level 6", "level 9"
    rows = [row for row in rows if row["type"] in shown or "level" not in row["type"]]
    sizes = "halo_mb" in rows[0]
    heads = ("image", "file", "libpng 1.6.39", "halo", "× libpng",
             *(("libpng, MB", "halo, MB") if sizes else ("floor", "halo / floor")))
    return [facts(group), "", *table(heads, (
        (row["work"], row["type"], number(row["peer_ms"]), number(row["halo_ms"]),
         times(row["peer_ms"], row["halo_ms"]),
         *((number(row["peer_mb"]), number(row["halo_mb"])) if sizes else
           (number(row["floor_ms"]), times(row["halo_ms"], row["floor_ms"])))) for row in rows))]


def memory(group, rows):
    return [facts(group), "", *table(("operation", "sound, file to file", "peak, MiB"), (
        (row["work"], row["size"], number(row["halo_mib"])) for row in rows))]


GROUPS = {"kernels": ("Kernels beside peers", kernels), "commands": ("Whole commands", commands),
          "batch": ("Batches", batch), "team": ("One image on two GPUs", team),
          "png reading": ("Decoding PNG", png),
          "png writing": ("Encoding PNG", png), "widths": ("By width of the window", widths),
          "memory": ("Memory of long sound", memory), "secondary": ("Secondary benchmarks", secondary)}


def tests(record):
    for name, found in record["tests"].items():
        failed = found["failed"]
        names = f" ({', '.join(failed)})" if isinstance(failed, list) and failed else ""
        count = failed if isinstance(failed, int) else len(failed)
        yield (f"- {name[0].upper()}{name[1:]}, commit {found['commit']}, {found['date']}: {found['passed']} "
               "passed, "
               f"{count} failed{names}.")


def machine(record):
    """All groups of a machine; of two instruction sets the newer one, in kernels both."""
    lines = [f"## {record['machine']}", ""]
    if "driver" in record:
        lines += [f"Driver {record['driver']}, memory {record['memory']}.", ""]
    lines += [*tests(record), ""] if record["tests"] else []
    for base, (title, show) in GROUPS.items():
        names = sorted(name for name in record["groups"] if name == base or name.startswith(base + "-v"))
        if not names:
            continue
        name = names[-1]
        rows, group = of_group(record, name), record["groups"][name]
        both = base == "kernels" and len(names) > 1
        isa = f", {SETS[name[-2:]]}" if name != base and not both else ""
        lines += [f"### {title}{isa}", ""]
        if base == "kernels" and name != base:
            lines += kernels_cpu(group, rows, of_group(record, names[0]) if both else [])
        else:
            lines += show(group, rows)
    return "\n".join(line if line.startswith("|") else textwrap.fill(line, 118) for line in lines)


def main():
    if len(sys.argv) > 1:
        print("\n".join(machine(load(path)) for path in sys.argv[1:]), end="")
        return
    results = Path(__file__).parent / "results"
    machines = [machine(load(results / f"{name}.json")) for name in ORDER]
    print(INTRO + "\n" + "\n".join(machines) + CHARTS, end="")


main()
