#!/usr/bin/env bash
# bench/growth.sh [RESULTS [DEVICE…]]: the time of every windowed operation by the width of its window, on each
# DEVICE (cpu, and gpu where there is one), for u8 and f32 and for one and three channels, with OpenCV beside
# the CPU where it is installed. Keeps all values in RESULTS (build/bench/growth.json), from which
# bench/record.py makes rows of a machine's record; prints a table a device, where times that grow faster than
# the definition requires are marked; and draws one channel beside RESULTS (-cpu-u8.svg, …). HALO names another
# program than build/release/halo.
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")/.."
results=${1:-build/bench/growth.json}
halo=${HALO:-build/release/halo}
[ -x "$halo" ] || scripts/build release build/release
mkdir -p "$(dirname "$results")"
devices=("${@:2}")
if [ ${#devices[@]} -eq 0 ]; then
    devices=(cpu)
    "$halo" bench ops abs --size 64x64 --device gpu > /dev/null 2>&1 && devices+=(gpu)
fi
python=python3
/usr/bin/python3 -c 'import cv2' 2> /dev/null && python=/usr/bin/python3 # the one that python3-opencv is for
"$python" bench/growth.py "$halo" "$results" "${devices[@]}"
