#!/usr/bin/env bash
# Builds halo from two copies of this checkout, in folders of different names, and compares the program, the
# library and the archive byte by byte.
#   reproducible.sh [CMAKE_OPTION…]      CUDA is left out unless -DHALO_CUDA=ON is given
set -euo pipefail
cd "$(dirname "$0")/../.."
export CCACHE_DISABLE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
commit=$(git rev-parse HEAD)
for copy in first second/and-deeper; do
    mkdir -p "$work/$copy"
    git clone -q --no-checkout . "$work/$copy/halo" # `halo --version` names the commit
    git -C "$work/$copy/halo" checkout -q --detach "$commit"
    "$work/$copy/halo/scripts/build" release "$work/$copy/build" -DHALO_TESTS=OFF -DHALO_CUDA=OFF "$@" \
        --target halo halo_shared halo_static
done
for file in halo libhalo.so libhalo.a; do
    cmp "$work/first/build/$file" "$work/second/and-deeper/build/$file"
done
echo "the same bytes from two folders"
