#!/usr/bin/env bash
# bench/readme.sh [FOLDER]: the README's chart, anew: whole commands of halo beside other tools from Debian's
# packages, on the same files alternately, the median of TURNS (5). FOLDER (docs/readme) gets times.csv and
# times.svg, which halo draws. HALO names another program than build/release/halo. Meaningful only while nothing
# else runs.
set -euo pipefail
cd "$(dirname "$0")/.."
to=${1:-docs/readme}
halo=${HALO:-build/release/halo}
python=/usr/bin/python3 # the one that python3-opencv is for

scripts/deps --bench
[ -x "$halo" ] || scripts/build release build/release -DHALO_CUDA=OFF
mkdir -p "$to"

# In memory where there is space, so that programs are compared and not the disk.
folder=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$folder"' EXIT
"$python" bench/inputs.py "$folder"
PYTHONDONTWRITEBYTECODE=1 "$python" bench/readme.py "$halo" "$folder" > "$to/times.csv"
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
"$halo" plot "$to/times.csv" -o "$to/times.svg" --log --force \
    --title "Seconds, whole commands, $processor, $(nproc) cores"
