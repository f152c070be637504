#!/usr/bin/env bash
# bench/beside.sh [RESULTS [DEVICE [RECORD]]]: secondary benchmarks, as times over the floor that `halo bench
# ops` prints: one to five and eight channels, one row, narrow images, borders, options and sample types, on
# DEVICE (cpu or gpu). Keeps all rows in RESULTS (build/bench/beside.json), prints those past their limit, and
# fails where one has risen by a fifth since RECORD, such as bench/results/h200.json. HALO names another program
# than build/release/halo, HALO_CPU an instruction set.
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")/.."
results=${1:-build/bench/beside.json}
halo=${HALO:-build/release/halo}
[ -x "$halo" ] || scripts/build release build/release
mkdir -p "$(dirname "$results")"
python3 bench/beside.py "$halo" "${2:-cpu}" "$results" "${@:3}"
