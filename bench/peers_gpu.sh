#!/usr/bin/env bash
# bench/peers_gpu.sh OUT_DIR: CUB, NPP, cuFFT, PyTorch, CuPy, cuCIM and CV-CUDA, then halo, on the same works on
# the same GPU. Writes OUT_DIR/peers.json and OUT_DIR/works.json (NDJSON), from which bench/record.py makes rows
# of a machine's record. Peers that are not installed are left out, which a message says: cupy-cuda13x,
# cucim-cu13 and cvcuda-cu13 are on PyPI. HALO names another program than the build's.
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
[ $# -eq 1 ] || { echo "usage: bench/peers_gpu.sh OUT_DIR" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
if [ -z "${HALO-}" ]; then
    for HALO in .gpu/bin/halo build/cuda/halo build/release/halo; do [ ! -x "$HALO" ] || break; done
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$(dirname "$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")
npp=()
for header in "$root"/include/npp.h "$root"/targets/*/include/npp.h; do
    [ ! -f "$header" ] || { npp=(-lnppif -lnppist -lnppc); break; }
done
for part in gpu npp; do
    "$root/bin/nvcc" -O3 -std=c++17 -arch="${GPU_ARCH:-sm_90}" -c "bench/peers_$part.cu" -o "$work/$part.o" &
done
wait -n
wait -n
"$root/bin/nvcc" "$work/gpu.o" "$work/npp.o" "${npp[@]}" -lcufft -o "$work/peers_gpu"

status=0
"$work/peers_gpu" "$out/peers.json" || status=1
python3 bench/peers_gpu.py "$out/peers.json" || status=1
python3 bench/ops_gpu.py "$HALO" "$out/works.json" || status=1
exit "$status"
