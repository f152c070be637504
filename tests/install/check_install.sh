#!/usr/bin/env bash
# Installs a build into a folder of its own, moves that elsewhere, and uses it there as others would: by
# pkg-config, shared and static, and by find_package.
#   check_install.sh BUILD_FOLDER
set -euo pipefail
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() { # a command whose output matters only when it fails
    "$@" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

quietly cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/halo"
pc=$(find "$work/halo" -name halo.pc)
lib=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib

# What is installed is enough by itself, and all of what the library offers.
! grep -l "^/\* For halo's own folders" "$work"/halo/include/halo/*.h || exit 1
quietly "$root/tests/library/check_headers.sh" "$work/halo/include"
quietly "$root/tests/library/check_symbols.sh" "$lib/libhalo.so" "$work/halo/include"

try() { # a program that was built
    "$1" "$root/samples/lake.png" "$work/out.png"
    cmp "$work/out.png" "$work/expected.png"
}

"$work/halo/bin/halo" run gauss:2 "$root/samples/lake.png" -o "$work/expected.png"
read -ra flags <<< "$(pkg-config --cflags --libs halo)"
cc -std=c17 -Wall -Wextra -Werror "$root/samples/example.c" -o "$work/by_pkg_config" "${flags[@]}"
try "$work/by_pkg_config"

quietly cmake -G Ninja -S "$root/tests/install" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/halo" \
    -DEXAMPLE="$root/samples/example.c"
quietly cmake --build "$work/build"
try "$work/build/example_halo"
try "$work/build/example_static"
test -s "$work/halo/share/man/man1/halo.1"
echo "installed, moved, and used three ways"
