#!/usr/bin/env bash
# bench/public.sh [RESULTS]: what other projects publish as their benchmarks, by halo and by them on this machine:
# libvips, Pillow, OpenCV and SciPy as PyPI has them today (in a virtual environment that this makes), and
# ImageMagick, SoX and FFmpeg from Debian. RESULTS (bench/results/public.json) is what bench/public_page.py prints
# as docs/benchmarks.md. HALO names another program than build/release/halo, TURNS another number of turns than 5.
# Takes a quarter of an hour, 2 GB of space, and means something only while nothing else runs.
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")/.."
results=${1:-bench/results/public.json}
halo=${HALO:-build/release/halo}
[ -x "$halo" ] || scripts/build release build/release -DHALO_CUDA=OFF
venv=build/bench/venv
python=$venv/bin/python3
if [ ! -x "$python" ]; then
    python3 -m venv "$venv"
    "$python" -m pip install --quiet --upgrade pyvips pyvips-binary pillow opencv-python-headless numpy scipy
fi

# In memory where there is space, so that programs are compared and not the disk.
folder=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$folder"' EXIT
rows=$folder/rows.json
"$python" bench/public_inputs.py "$folder"
load=$(cut -d ' ' -f 1 /proc/loadavg)
"$python" bench/public.py "$halo" "$python" "$folder" "$rows"
library=$(dirname "$halo")/libhalo.so
for threads in 1 "$(nproc)"; do
    HALO_LIBRARY=$library HALO_THREADS=$threads THREADS=$threads PYTHONPATH=python \
        "$python" bench/public_arrays.py | tee -a "$rows"
done
"$python" - "$rows" "$results" "$load" "$("$halo" --version | head -1)" << 'END'
import datetime, importlib.metadata, json, os, pathlib, re, subprocess, sys
rows, results, load, version = sys.argv[1:]
def first(*argv):
    return re.search(r"\d+[0-9.-]*\d", subprocess.run(argv, capture_output=True, text=True).stdout)[0]
names = {"libvips": "pyvips-binary", "Pillow": "pillow", "OpenCV": "opencv-python-headless", "SciPy": "scipy"}
peers = {name: importlib.metadata.version(package) for name, package in names.items()}
peers |= {"ImageMagick": first("convert", "--version"), "SoX": first("sox", "--version"),
          "FFmpeg": first("ffmpeg", "-version")}
cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1]
head = {"halo": version, "peers": peers, "machine": f"{cpu}, {os.cpu_count()} cores", "load": float(load),
        "date": f"{datetime.date.today()}"}
lines = pathlib.Path(rows).read_text().splitlines()
pathlib.Path(results).write_text('{"head": ' + json.dumps(head) + ',\n "rows": [\n  ' + ",\n  ".join(lines) + "\n]}\n")
END
