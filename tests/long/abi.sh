#!/usr/bin/env bash
# Says whether the public interface has changed since an older commit: its functions, their parameters, and the
# structs and enums of the installed headers, by abidiff of libabigail. Only the files that define public
# functions are compiled, without optimisation: a minute.
#   tests/long/abi.sh OLD_COMMIT [NEW_COMMIT]      NEW_COMMIT: by default the files as they are
# Exit status 1: something of halo.h was removed or changed, which its soname promises not to be. One change is
# not against it: a struct that begins with its size may have grown at its end, by new members behind its last
# byte, not in its padding. What extend.h has beside halo.h may change; that is only told.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -ge 1 ] || { echo "usage: tests/long/abi.sh OLD_COMMIT [NEW_COMMIT]" >&2; exit 2; }
for tool in abidiff cmake ninja; do
    command -v $tool > /dev/null ||
        { echo "abi.sh: $tool is missing (Debian: abigail-tools, cmake, ninja-build)" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() { "$@" > "$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 2; }; }

# build NAME COMMIT: $work/NAME/libhalo.so.1, and in $work/NAME/stable the headers of halo.h alone
build() {
    local to=$work/$1 names header
    mkdir -p "$to/source" "$to/stable"
    if [ -n "$2" ]; then git archive "$2"; else git ls-files -z | tar c --null -T -; fi | tar x -C "$to/source"
    grep -q '^HALO_1 ' "$to/source/api/halo.map" ||
        { echo "abi.sh: $2 has no stable interface yet" >&2; exit 2; }
    quietly cmake -G Ninja -S "$to/source" -B "$to/build" -DCMAKE_BUILD_TYPE=Debug -DHALO_CUDA=OFF \
        -DHALO_TESTS=OFF
    names=$(awk '{ print $1 }' "$to/source/api/symbols.txt" | paste -sd'|')
    mapfile -t objects < <(cd "$to/source" &&
        grep -lrE "^[a-zA-Z].*\b($names)\(" --include='*.c' api core cpu filters io |
        sed -E 's|^([a-z]*)/.*|CMakeFiles/halo_\1.dir/&.o|')
    quietly ninja -C "$to/build" "${objects[@]}"
    (cd "$to/build" && cc -shared -Wl,-soname,libhalo.so.1 "-Wl,--version-script=$to/source/api/halo.map" \
        "${objects[@]}" -o "$to/libhalo.so.1")
    nm -D --defined-only "$to/libhalo.so.1" | sed -nE 's/.* T ([a-z0-9_]+)@@.*/\1/p' | LC_ALL=C sort |
        diff - <(awk '{ print $1 }' "$to/source/api/symbols.txt") > "$work/log" ||
        { echo "abi.sh: not all of api/symbols.txt was compiled:" >&2; cat "$work/log" >&2; exit 2; }
    for header in halo array options status; do cp "$to/source/include/halo/$header.h" "$to/stable"; done
}

# compare WHAT HEADERS [OPTION…]: sets `status` to the bits of abidiff
compare() {
    local what=$1 headers=$2
    shift 2
    status=0
    abidiff --headers-dir1 "$work/old/$headers" --headers-dir2 "$work/new/$headers" --drop-private-types "$@" \
        "$work/old/libhalo.so.1" "$work/new/libhalo.so.1" > "$work/said" || status=$?
    [ $((status & 3)) = 0 ] || { cat "$work/said" >&2; exit 2; }
    if [ $status = 0 ]; then
        echo "$what: no change"
    else
        echo "$what: changed"
        sed 's/^/    /' "$work/said"
    fi
}

build old "$1"
build new "${2-}"
compare extend.h source/include/halo
printf '[suppress_function]\nsymbol_version_regexp = ^HALO_EXTEND\n' > "$work/suppress"
compare halo.h stable --suppressions "$work/suppress" --no-added-syms
[ $status = 0 ] || exit 1
