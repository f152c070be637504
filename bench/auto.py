#!/usr/bin/env python3
"""auto.py HALO SEED COUNT RESULTS: commands on the CPU, on the GPU and where `auto` takes them; see auto.sh."""
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

PIPELINES = (  # of pictures: from copies to what a core takes minutes for
    "gauss:2", "gauss:10", "gauss:50", "box:9", "box:101", "median:3", "median:7", "median:21",
    "rank:0,radius=25", "dilate:9", "sobel", "unsharp:2", "sharpen", "invert", "gamma:2.2", "normalize",
    "equalize", "clahe", "local:sd,width=15", 'conv:mask="15x15: ' + ",".join(["1"] * 225) + '",normalize=1',
    "gauss:2|sobel|median:3", "disk:9", "disk:31", "median:51", "rank:0.3,radius=5", "local:sd,width=101",
    "gauss:100", "median:11|gauss:3",
)
MEASURES = "stats", "hist"
SOUNDS = "gain:2", "average:1s", "median:41", "gauss:50", "highpass:200", "stats"
FORMATS = {"u8": ("pgm", "ppm"), "u16": ("pgm", "ppm"), "f32": ("pfm", "pfm")}
DEVICES = "cpu", "gpu", "auto"
PATIENCE = 2.0  # seconds for a command's turns,
FEWEST, MOST = 4, 12  # and how many there are
FAR = 1.5  # times as long as the best: another run of it would not change a thing
SURE = 2, 1.0  # after so many turns, or so many seconds of it


def draw(rng):
    """A command: what its files hold, how many there are, and the pipeline."""
    if rng.random() < 0.12:
        return {
            "kind": "wav", "frames": int(48000 * math.exp(rng.uniform(math.log(1), math.log(1200)))),
            "files": 1, "pipeline": rng.choice(SOUNDS)
        }
    dtype, channels = rng.choice(("u8", "u8", "u8", "u16", "f32")), rng.choice((1, 1, 3))
    files = rng.choice((1, 1, 1, 1, 8, 64))
    kind = FORMATS[dtype][channels == 3]
    if dtype == "u8" and rng.random() < 0.25:
        kind = "png"
    most = (1 << 28) / files ** 0.7 / channels
    pixels = most ** 0.5 * 256 * math.exp(
        rng.uniform(-1, 1) * math.log(most / 65536) / 2)  # from 65536 to `most`
    if kind == "png":
        pixels = min(pixels, (1 << 24) / files ** 0.5)
    pixels = max(pixels, 1 << 16) if rng.random() < 0.3 else min(most, 16 * pixels)  # the light ones say little
    width = max(16, int(math.sqrt(pixels * rng.uniform(0.5, 2))))
    height = max(16, int(pixels / width))
    pipeline = rng.choice(PIPELINES + MEASURES)
    if dtype == "u8" and pipeline == "sobel":
        pipeline += "|depth:u8"
    return {
        "kind": kind, "dtype": dtype, "channels": channels, "width": width, "height": height, "files": files,
        "pipeline": pipeline
    }


def samples(rng, size):
    """Bytes that are neither flat nor all noise: a block of them, again and again."""
    block = bytes((i * 7 + (i >> 9) + rng.randrange(32)) & 255 for i in range(1 << 18))
    return (block * (size // len(block) + 1))[:size]


def floats(rng, count):
    import array
    block = array.array("f", (rng.random() for _ in range(1 << 16)))
    return (block.tobytes() * (count // len(block) + 1))[:4 * count]


def write_input(rng, halo, command, folder):
    path = os.path.join(folder, "in")
    if command["kind"] == "wav":
        subprocess.run([halo, "run", "", "-", "-o", f"{path}.wav", "-f", "--raw", "f32,48000,2"],
                       input=floats(rng, 2 * command["frames"]), check=True)
        return [f"{path}.wav"]
    width, height, channels = command["width"], command["height"], command["channels"]
    count = width * height * channels
    kind = "ppm" if command["kind"] == "png" and channels == 3 else "pgm" if command[
        "kind"] == "png" else command["kind"]
    with open(f"{path}.{kind}", "wb") as file:
        if command["dtype"] == "f32":
            file.write(b"P%s\n%d %d\n-1.0\n" % (b"F" if channels == 3 else b"f", width, height) +
                       floats(rng, count))
        else:
            wide = command["dtype"] == "u16"
            file.write(b"P%d\n%d %d\n%d\n" % (6 if channels == 3 else 5, width, height, 65535 if wide else 255))
            file.write(samples(rng, count * (2 if wide else 1)))
    if command["kind"] == "png":
        subprocess.run(
            [halo, "run", "gauss:1|depth:u8", f"{path}.{kind}", "-o", f"{path}.png", "-f", "--device", "cpu"],
            check=True)
        os.remove(f"{path}.{kind}")
        kind = "png"
    files = [f"{path}.{kind}"]
    for i in range(1, command["files"]):
        files.append(f"{path}{i}.{kind}")
        shutil.copy(files[0], files[-1])
    return files


def arguments(command, files, folder):
    measures = command["pipeline"] in MEASURES
    words = ["run", command["pipeline"], *files, "-f", "-q", "--max-pixels", str(1 << 30)]
    if measures:
        return [command["pipeline"], *files, "--max-pixels", str(1 << 30)]
    if command["files"] > 1:
        return words + ["--out-dir", os.path.join(folder, "out")]
    return words + ["-o", os.path.join(folder, "out." + command["kind"])]


def run(halo, words, device):
    begun = time.perf_counter()
    done = subprocess.run([halo, *words, "--device", device], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        print(done.stderr.decode(errors="replace").strip()[-300:])
        return None
    return time.perf_counter() - begun


def seconds(halo, words):
    """The least of several runs on each device, in turn, since a machine is faster now and then, and slower
    behind some of them: each comes behind each other; None: it failed."""
    best = dict.fromkeys(DEVICES)
    begun = time.perf_counter()
    for turn in range(MOST):
        near = [d for d in DEVICES if turn == 0 or d == "auto" or best[d] <= FAR * min(best.values())
                or (turn < SURE[0] and best[d] < SURE[1])]
        for device in near if turn % 2 == 0 else near[::-1]:
            took = run(halo, words, device)
            if took is None:
                return best
            best[device] = took if best[device] is None else min(best[device], took)
        spent = time.perf_counter() - begun
        if turn + 1 >= FEWEST and spent > PATIENCE:
            break
    return best


def predictions(halo, words):
    words = words if words[0] == "run" else ["run", *words]
    text = subprocess.run([halo, *words, "--explain", "--device", "auto"], capture_output=True,
                          text=True).stdout
    said = re.search(r"predicted: ([0-9.e+-]+) ms on the CPU, ([0-9.e+-]+) ms on a GPU", text)
    chosen = re.search(r"^backend (\w+)", text, re.M)
    return (float(said[1]) / 1e3, float(said[2]) / 1e3) if said else (None, None), chosen[1] if chosen else "?"


def describe(command):
    if command["kind"] == "wav":
        what = f"{command['frames'] / 48000:.0f} s wav"
    else:
        what = f"{command['files']} x " if command["files"] > 1 else ""
        what += f"{command['width']}x{command['height']}x{command['channels']} {command['dtype']} {command['kind']}"
    pipeline = command["pipeline"] if len(command["pipeline"]) < 26 else command["pipeline"][:23] + "..."
    return f"{pipeline:26} {what}"


def shown(value):
    return "     -" if value is None else f"{value:6.3f}"


def main():
    halo, seed, count, results = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    rng = random.Random(seed)
    rows, behind = [], 0
    print(f"{'seconds':68} {'cpu':>6} {'gpu':>6} {'auto':>6}  predicted cpu, gpu; chosen")
    for _ in range(count):
        command = draw(rng)
        with tempfile.TemporaryDirectory() as folder:
            words = arguments(command, write_input(rng, halo, command, folder), folder)
            row = dict(command)
            row.update(seconds(halo, words))
            (row["predicted_cpu"], row["predicted_gpu"]), row["chosen"] = predictions(halo, words)
        known = [row[device] for device in ("cpu", "gpu") if row[device] is not None]
        row["behind"] = row["auto"] is None or row["auto"] > max(1.1 * min(known), min(known) + 0.02)
        behind += row["behind"]
        rows.append(row)
        print(
            f"{describe(command):68} {shown(row['cpu'])} {shown(row['gpu'])} {shown(row['auto'])}  "
            f"{shown(row['predicted_cpu'])} {shown(row['predicted_gpu'])} {row['chosen']}{'  BEHIND' if row['behind'] else ''}",
            flush=True)
    with open(results, "w", encoding="utf-8") as file:
        json.dump({"seed": seed, "rows": rows}, file, indent=1)
    print(
        f"{behind} of {count} commands are more than a tenth, and more than 20 ms, behind the better of the two"
    )
    return behind > 0


if __name__ == "__main__":
    sys.exit(main())
