#!/usr/bin/env bash
# bench/auto.sh [SEED [COUNT [RESULTS]]]: does `--device auto` choose well? Draws COUNT commands (30) from SEED
# (1): pictures and sound, small and large, one file and batches, light and heavy pipelines. Each runs on the
# cores, on the GPU and by `auto`; the table has their seconds and what `--explain` predicted. Fails where
# `auto` is more than a tenth and more than 20 ms behind the better of the two. RESULTS (build/bench/auto.json)
# keeps all of it. HALO names another program than build/cuda/halo, TMPDIR the folder of the files: best in
# memory.
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")/.."
mkdir -p build/bench
exec python3 bench/auto.py "${HALO:-build/cuda/halo}" "${1:-1}" "${2:-30}" "${3:-build/bench/auto.json}"
