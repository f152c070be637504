#!/usr/bin/env bash
# The tests of the Python package (python/tests) with the library and the program of a build; 77, which ctest
# takes for skipped, where Python, pytest or NumPy is missing.
#   check_python.sh LIBHALO_SO HALO
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-python3}
if ! missing=$("$python" -c 'import sys, pytest, numpy; assert sys.version_info >= (3, 9)' 2>&1); then
    echo "skipped: ${missing##*$'\n'}"
    exit 77
fi
export HALO_LIBRARY=$1 HALO_PROGRAM=$2 PYTHONDONTWRITEBYTECODE=1
exec "$python" -m pytest -q -p no:cacheprovider "$root/python/tests"
