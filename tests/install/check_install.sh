#!/usr/bin/env bash
# Installs a build into a new folder, moves that elsewhere, and uses it as other projects do: by pkg-config,
# shared and static, and by find_package.
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

# The installed files are sufficient, and complete. None names the folders that it was built in.
! grep -l "^/\* For halo's own folders" "$work"/halo/include/halo/*.h || exit 1
for header in "$work"/halo/include/halo/*.h; do echo "#include <halo/${header##*/}>"; done > "$work/all.h"
for language in "c-header -std=c17" "c++-header -std=c++17"; do
    read -ra options <<< "-x $language -Wall -Wextra -Wpedantic -Werror -fsyntax-only"
    quietly gcc "${options[@]}" -I"$work/halo/include" "$work/all.h"
done
quietly "$root/tests/library/check_symbols.sh" "$lib/libhalo.so" "$work/halo/include"

test -s "$work/halo/share/doc/halo/NOTICES.md"
! grep -lF -e "$root" -e "$(realpath "$build")" "$work/halo/bin/halo" "$lib"/libhalo.* "$pc" || exit 1

# No other package's .pc file is needed, and no other package's flags are passed on.
flags=$(PKG_CONFIG_LIBDIR=$lib/pkgconfig pkg-config --cflags --libs halo)
folder='[^ ]*' # with .. in it
[[ "$flags" =~ ^-I$folder/include\ -L$folder/$(basename "$lib")\ -lhalo\ ?$ ]] ||
    { echo "pkg-config gives other flags: $flags"; exit 1; }

try() { # a program that was built of example.c
    "$1" "$root/samples/lake.png" "$work/out.png"
    cmp "$work/out.png" "$work/expected.png"
}

# The glow of a flat bright image is 100 + 100 / 2; nothing is above 0.5 of 255.
printf 'P5\n16 16\n255\n%s' "$(printf 'd%.0s' {1..256})" > "$work/flat.pgm"
try_extended() { # a program that was built of extend.c
    "$1" glow:3,amount=0.5,level=0 "$work/flat.pgm" "$work/bright.pgm"
    [ "$(tail -c 256 "$work/bright.pgm" | od -An -v -tu1 | tr -s ' \n' '\n' | sort -u | xargs)" = 150 ]
    "$1" 'glow:level=0.5 | gauss:1' "$work/flat.pgm" "$work/same.pgm"
    cmp "$work/same.pgm" "$work/flat.pgm"
    ! "$1" glwo:3 "$work/flat.pgm" "$work/none.pgm" 2> "$work/said" || exit 1
    grep -q "did you mean 'glow'" "$work/said"
    test ! -e "$work/none.pgm"
}

"$work/halo/bin/halo" run gauss:2 "$root/samples/lake.png" -o "$work/expected.png"
read -ra flags <<< "$(pkg-config --cflags --libs halo)"
strict=(-Wall -Wextra -Wpedantic -Werror)
c=(cc -std=c17 "${strict[@]}")
"${c[@]}" "$root/samples/example.c" -o "$work/by_pkg_config" "${flags[@]}"
try "$work/by_pkg_config"
read -ra static <<< "$(pkg-config --cflags --libs --static halo | sed 's/-lhalo/-l:libhalo.a/')"
"${c[@]}" "$root/samples/example.c" -o "$work/by_archive" "${static[@]}"
try "$work/by_archive"
"${c[@]}" "$root/samples/extend.c" -o "$work/extend" "${flags[@]}" -lm
try_extended "$work/extend"
"${c[@]}" "$root/samples/arrays.c" -o "$work/arrays" "${flags[@]}"
"$work/arrays" > "$work/said"
grep -qx 'mean 249' "$work/said"
for sample in example arrays extend; do # as C++ too
    c++ -x c++ -std=c++17 "${strict[@]}" "$root/samples/$sample.c" -x none -o "$work/by_cpp_$sample" \
        "${flags[@]}"
done
"$work/by_cpp_arrays" | cmp - "$work/said"
try "$work/by_cpp_example"
try_extended "$work/by_cpp_extend"

quietly cmake -G Ninja -S "$root/tests/install" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/halo" \
    -DSAMPLES="$root/samples"
quietly cmake --build "$work/build"
try "$work/build/example_halo"
try "$work/build/example_static"
try_extended "$work/build/extend_halo"
try_extended "$work/build/extend_static"
test -s "$work/halo/share/man/man1/halo.1"
echo "installed, moved, and used four ways"
