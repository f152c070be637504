#!/usr/bin/env bash
# bench/public.sh [RESULTS]: what other projects publish as their benchmarks, by halo and by them on this
# machine: libvips, Pillow, OpenCV and SciPy as PyPI has them today (in a virtual environment that this makes),
# and ImageMagick, SoX and FFmpeg from Debian. bench/public_page.py prints RESULTS, bench/results/public.json,
# as docs/benchmarks.md. HALO names another program than build/release/halo, TURNS another number than 5.
# Takes a quarter of an hour, 2 GB of space, and means something only while nothing else runs.
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")/.."
results=${1:-bench/results/public.json}
halo=${HALO:-build/release/halo}
[ -x "$halo" ] || scripts/build release build/release -DHALO_CUDA=OFF
python=$(bench/venv.sh)

# In memory where there is space, so that programs are compared and not the disk.
folder=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$folder"' EXIT
rows=$folder/rows.json
"$python" bench/public_inputs.py "$folder"
load=$(cut -d ' ' -f 1 /proc/loadavg)
"$python" bench/public.py "$halo" "$python" "$folder" "$rows"
library=$(dirname "$halo")/libhalo.so
for cores in 0 "0-$(($(nproc) - 1))"; do
    HALO_LIBRARY=$library PYTHONPATH=python taskset -c "$cores" "$python" bench/public_arrays.py |
        tee -a "$rows"
done
"$python" bench/public_record.py "$rows" "$results" "$load" "$("$halo" --version | head -1)"
