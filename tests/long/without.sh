#!/usr/bin/env bash
# Builds without each optional library of pictures, one after the other and then without all of them:
# the formats are left out with a message that names it, and the tests of formats pass.
#   tests/long/without.sh [NAME…]      names as in HALO_WITHOUT, by default these nine, then ALL
set -euo pipefail
cd "$(dirname "$0")/../.."
every=(WEBP GIF HEIF JXL FITS EXR TIFF JPEG LCMS)
names=("$@")
[ $# -gt 0 ] || names=("${every[@]}" ALL)
build=build/without
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=(check_recognise check_left_out check_codecs check_fuzz check_io)

fail() { echo "without $name: $1" >&2; exit 1; }

# refuses FILE BYTES MESSAGE: a file that begins so is refused with this message
refuses() {
    printf '%b' "$2" > "$work/$1"
    if "$build/halo" info "$work/$1" > /dev/null 2> "$work/said"; then fail "$1 is read"; fi
    grep -qF "$3" "$work/said" || fail "$1: $(cat "$work/said")"
    ! "$build/halo" list formats | grep -q "^ *${1##*.} " || fail "$1 is listed"
}

# said NAME: what the build says of its formats
said() {
    case $1 in
    WEBP) refuses a.webp 'RIFF\0\0\0\0WEBPVP8 ' '(libwebp)' ;;
    GIF) refuses a.gif 'GIF89a\1\0\1\0' '(giflib)' ;;
    HEIF)
        refuses a.avif '\0\0\0\034ftypavif\0\0\0\0avif' '(libheif)'
        refuses a.heic '\0\0\0\034ftypheic\0\0\0\0heic' '(libheif)'
        ;;
    JXL) refuses a.jxl '\377\012\0\0' '(libjxl)' ;;
    FITS) refuses a.fits "$(printf '%-30s' 'SIMPLE  =                    T')" '(CFITSIO)' ;;
    EXR) refuses a.exr 'v/1\001\2\0\0\0' '(OpenEXR)' ;;
    JPEG) refuses a.jpeg '\377\330\377\340' '(libjpeg)' ;;
    LCMS)
        printf 'P6 1 1 255\n\1\1\1' > "$work/a.ppm"
        printf x > "$work/a.icc"
        ! "$build/halo" run "icc:$work/a.icc" "$work/a.ppm" -o "$work/b.ppm" 2> "$work/said" ||
            fail 'a profile is read'
        grep -qF 'without Little CMS' "$work/said" || fail "icc: $(cat "$work/said")"
        ;;
    TIFF) refuses a.tiff 'II*\0\10\0\0\0' '(libtiff)' ;;
    esac
}

for name in "${names[@]}"; do
    left_out=$name
    [ "$name" != ALL ] || left_out=$(IFS=';'; echo "${every[*]}")
    scripts/build cpu "$build" "-DHALO_WITHOUT=$left_out" --target halo "${tests[@]}"
    for one in ${left_out//;/ }; do
        "$build/halo" --version | grep -qi " no $one[,;]" || fail "--version does not say so"
        said "$one"
    done
    for test in "${tests[@]}"; do
        HALO_CASES=0.1 "$build/tests/$test" > "$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; fail "$test"; }
    done
    printf 'P5 1 1 255\n\1' > "$work/in.pgm"
    "$build/halo" run gauss:1 "$work/in.pgm" -o "$work/out.png" -f
    echo "without $name: passes"
done
