#!/usr/bin/env bash
# bench/beside.sh RECORD [DEVICE [BEFORE]]: what lies beside the favourites: one to five and eight channels, one row, few columns,
# borders, options and sample types, on DEVICE (cpu or gpu), as times over the floor that `halo bench ops` prints. Keeps all rows in RECORD,
# prints those past their limit, and fails where one has risen by a fifth since the record BEFORE. HALO names another program than
# build/release/halo, HALO_CPU an instruction set.
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")/.."
halo=${HALO:-build/release/halo}
[ -x "$halo" ] || scripts/build release build/release
mkdir -p "$(dirname "$1")"
python3 bench/beside.py "$halo" "${2:-cpu}" "$1" "${@:3}"
