#!/usr/bin/env bash
# bench/peers_fidelity.sh [RESULTS]: every operation of halo beside NumPy, SciPy, scikit-image, OpenCV, libvips,
# ImageMagick, SoX and FFmpeg, all from Debian's packages, and beside pandas and librosa where the Python that
# PEERS_PYTHON names (python3) has them, on the same samples. Prints the largest difference of each pair and the
# reason for it, which is tested, and fails where there is none. Keeps the rows in RESULTS
# (bench/results/fidelity.json), from which bench/fidelity_page.py makes docs/fidelity.md. HALO names another
# program than build/release/halo. Takes half a minute.
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")/.."
results=${1:-bench/results/fidelity.json}
halo=${HALO:-build/release/halo}
python=/usr/bin/python3 # the one that Debian's packages are for

scripts/deps --bench
[ -x "$halo" ] || scripts/build release build/release -DHALO_CUDA=OFF
mkdir -p "$(dirname "$results")"

# "NAME": "VERSION", of each package, without Debian's epoch and revision.
versions() {
    local name package
    while read -r name package; do
        printf '"%s": "%s"\n' "$name" "$(dpkg-query -W -f '${Version}' "$package" |
            sed 's/^[0-9]*://; s/[-+].*//')"
    done <<< "NumPy python3-numpy
SciPy python3-scipy
scikit-image python3-skimage
OpenCV python3-opencv
libvips libvips-tools
ImageMagick imagemagick
SoX sox
FFmpeg ffmpeg"
    for name in pandas librosa; do
        "${PEERS_PYTHON:-python3}" -c "import $name as it; print(f'\"$name\": \"{it.__version__}\"')" \
            2> /dev/null || true
    done
}
facts=$(printf '{"date": "%s", "commit": "%s", "halo": "%s", "peers": {%s}}' "$(date -u +%F)" \
    "$(git rev-parse --short HEAD 2> /dev/null || echo unknown)" "$("$halo" --version | head -1)" \
    "$(versions | paste -sd ',')")
"$python" bench/peers_fidelity.py "$halo" "$facts" "$results"
python3 bench/fidelity_page.py > docs/fidelity.md
