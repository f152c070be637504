#!/usr/bin/env bash
# bench/peers_cpu.sh [RESULTS]: halo's CPU backend beside OpenCV, Pillow and libvips as PyPI has them (in a
# virtual environment that this makes), and libvips, GraphicsMagick, ImageMagick, SoX and FFmpeg from Debian's
# packages, on the same samples and files in turns. Prints every goal with the ratio reached, and for kernels
# the floor that this machine sets; keeps all values in RESULTS (build/bench/cpu.json), from which
# bench/record.py makes rows of a machine's record. HALO names another program than build/release/halo, TURNS
# another number of turns than 5, and WORKS, a regular expression, the works to compare ("resize|flip"). Takes
# a quarter of an hour, and is meaningful only while nothing else runs; the load before and after is kept, too.
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")/.."
results=${1:-build/bench/cpu.json}
halo=${HALO:-build/release/halo}

scripts/deps --bench
python=$(bench/venv.sh)
[ -x "$halo" ] || scripts/build release build/release -DHALO_CUDA=OFF
mkdir -p "$(dirname "$results")"

# In memory where there is space, so that programs are compared and not the disk.
folder=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$folder"' EXIT

versions() {
    {
        dpkg-query -W -f '${Package} ${Version}\n' libvips-tools graphicsmagick imagemagick sox ffmpeg
        "$python" -m pip list --format freeze | grep -E '^(opencv|pillow|pyvips-binary|scipy|scikit-image)' |
            tr -s '=' ' '
    } | paste -sd ','
}
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
load=$(cut -d ' ' -f 1 /proc/loadavg)
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
form='{"type":"machine","date":"%s","commit":"%s","halo":"%s","cpu":"%s","cores":%s,"load":%s,"peers":"%s"}'
# shellcheck disable=SC2059
printf "$form\n" "$(date -u +%F)" "$commit" \
    "$("$halo" --version)" "$processor" "$(nproc)" "$load" "$(versions)" > "$results"
echo "$processor, $(nproc) cores, load $load, commit $commit"

"$halo" bench ops stats --size 64x64 --device cpu --json | "$python" -c 'import json, sys
row = json.load(sys.stdin)
print(json.dumps({"type": "ceilings", "isa": row["device"].split(", ")[-2]}
                 | {name: row[name] for name in ("fma_gflops", "read_gbs", "copy_gbs")}))' |
    tee -a "$results"
"$python" bench/peers_opencv.py "$halo" "$results"
"$python" bench/inputs.py "$folder"
"$python" bench/peers_tools.py "$halo" "$folder" "$results"
printf '{"type":"end","load":%s}\n' "$(cut -d ' ' -f 1 /proc/loadavg)" >> "$results"
