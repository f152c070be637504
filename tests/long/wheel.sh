#!/usr/bin/env bash
# Builds the wheel and uses it where nothing else is installed: in an empty virtual environment of each Python
# that is named, without NumPy, and with NumPy and pytest for the tests of the package.
#   tests/long/wheel.sh [--wheel FILE] [PYTHON…]     python3 by default; CMAKE_ARGS as for scripts/wheel
# --wheel tries one that was built before. Needs the network, for pip.
set -euo pipefail
cd "$(dirname "$0")/../.."
wheel=
if [ "${1-}" = --wheel ]; then
    wheel=$(realpath "$2")
    shift 2
fi
[ $# -gt 0 ] || set -- python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "$wheel" ]; then
    CMAKE_ARGS=${CMAKE_ARGS--DHALO_CUDA=OFF} scripts/wheel "$work/wheels"
    wheel=$(echo "$work"/wheels/*.whl)
fi
case $wheel in
*-py3-none-manylinux*.whl) ;;
*) echo "$wheel: expected a wheel py3-none-manylinux" >&2; exit 1 ;;
esac
unset HALO_LIBRARY HALO_PROGRAM PYTHONPATH
cp -r python/tests docs README.md "$work"

for python in "$@"; do
    echo "== $("$python" -c 'import sys; print(sys.version)')"
    "$python" -m venv "$work/venv"
    "$work/venv/bin/pip" -q install "$wheel"
    cd "$work"
    venv/bin/python - << 'END'
import os
import halofilters as hf
picture = memoryview(bytearray(range(200))).cast("B", (10, 20))
assert hf.gauss(picture, 2).shape == (10, 20)
for name in ("png", "tif", "jpg", "webp", "jxl"):
    hf.write(f"a.{name}", picture, replace=True)
    assert hf.read(f"a.{name}").shape[:2] == (10, 20), name
sound = hf.Sound(memoryview(bytes(4 * 4800)).cast("f"), 48000)
for name in ("wav", "flac"):
    hf.write(f"a.{name}", sound, replace=True)
    assert hf.read(f"a.{name}").rate == 48000, name
# What the wheel leaves to the system works, or is named.
cards = {"SIMPLE": "T", "BITPIX": 8, "NAXIS": 2, "NAXIS1": 20, "NAXIS2": 10}
header = "".join(f"{key:8}= {value:>20}".ljust(80) for key, value in cards.items()) + "END"
fits = header.ljust(2880).encode() + bytes(2880)
for library, file in ("libcfitsio.so", fits), ("libheif.so", None):
    try:
        file = file or hf.write(None, picture, format="avif")
        assert hf.read(file).shape[:2] == (10, 20), library
    except hf.Error as error:
        assert library in str(error), error
        print(error)
assert os.access(hf.program(), os.X_OK)
END
    venv/bin/halo --version
    if venv/bin/pip -q install --only-binary :all: numpy pytest; then
        venv/bin/python -m pytest -q -p no:cacheprovider tests
    else
        echo "no NumPy for this Python: its tests are left out"
    fi
    rm -rf venv
    cd - > /dev/null
done
