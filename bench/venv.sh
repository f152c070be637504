#!/usr/bin/env bash
# bench/venv.sh: prints the Python of a virtual environment, build/bench/venv, that has OpenCV, Pillow, libvips,
# NumPy, SciPy and scikit-image as PyPI had them when this made it; makes it where something is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/bench/venv
python=$PWD/$venv/bin/python3
if ! "$python" -c 'import cv2, numpy, PIL, pyvips, scipy, skimage' 2> /dev/null; then
    python3 -m venv "$venv"
    "$python" -m pip install --quiet --disable-pip-version-check --upgrade pyvips pyvips-binary pillow \
        opencv-python-headless numpy scipy scikit-image >&2
fi
echo "$python"
