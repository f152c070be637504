#!/usr/bin/env bash
# Files of every format, kind and depth, some of them damaged in one of ten ways: all good ones are processed,
# each bad one is named, the exit status is 1, and one thread gives the result of eight.
#   tests/long/mixed.sh HALO [FILES [EVERY]]     1000 files, every 25th of them broken, by default
set -euo pipefail
halo=$(realpath "$1") files=${2:-1000} every=${3:-25}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "failed: $1"; exit 1; }

# ---- the files -----------------------------------------------------------------------------------------------
noise() { head -c "$1" /dev/urandom; }
mkdir -p seed
{ printf 'P5 61 47 255\n'; noise $((61 * 47)); } > seed/gray.pgm
{ printf 'P6 53 38 255\n'; noise $((53 * 38 * 3)); } > seed/colour.ppm
{ printf 'P5 33 29 65535\n'; noise $((33 * 29 * 2)); } > seed/deep.pgm
{ printf 'P7\nWIDTH 24\nHEIGHT 31\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'; noise \
    $((24 * 31 * 4)); } > seed/alpha.pam
noise 8000 > seed/sound.raw
made() { "$halo" run "$1" "$2" -o "seed/$3" "${@:4}" -q; }
made '' seed/gray.pgm gray.png
made '' seed/colour.ppm colour.png
made '' seed/deep.pgm deep.png
made '' seed/alpha.pam alpha.png
made '' seed/colour.ppm colour.npy
made 'depth:f32' seed/gray.pgm gray.pfm
made '' seed/sound.raw sound.wav --raw u8,8000,2
made '' seed/sound.raw sound.flac --raw u8,8000,1
for format in jpg tif; do # where this build has them
    if "$halo" list formats | grep -q "$format"; then
        made '' seed/colour.ppm colour.$format; made '' seed/gray.pgm gray.$format
    fi
done
rm seed/sound.raw
seeds=(seed/*)

damage() { # KIND FILE
    local size
    size=$(stat -c %s "$2")
    case $1 in
    0) : > "$2" ;;                                       # empty
    1) head -c $((size / 2)) "$2" > cut; mv cut "$2" ;;  # cut in half
    2) head -c 9 "$2" > cut; mv cut "$2" ;;              # a piece of the header
    3) echo 'this is no image' > "$2" ;;
    4) noise 4096 > "$2" ;;
    5) { printf 'GIF89a'; noise 300; } > "$2" ;;         # another format
    6) { printf '\x89PNG\r\n\x1a\n'; noise 200; } > "$2" ;;
    7) printf 'P5 99999999 99999999 255\n' > "$2" ;;     # larger than allowed
    8) rm "$2"; ln -s nowhere "$2" ;;
    9) head -c $((size / 4)) /dev/zero > "$2" ;;
    esac
}

mkdir -p in
bad=()
for ((i = 0; i < files; i++)); do
    seed=${seeds[i % ${#seeds[@]}]}
    name=in/d$((i % 7))/$i.${seed##*.}
    mkdir -p "${name%/*}"
    cp "$seed" "$name"
    [ $((i % every)) -eq $((every / 2)) ] || continue
    damage $((i / every % 10)) "$name"
    bad+=("$name")
done
find in -type f -o -type l | sort > list

# ---- the batch -----------------------------------------------------------------------------------------------
for jobs in 1 8; do
    status=0
    "$halo" run 'gauss:1 | stats' --files-from list --out-dir "out$jobs" --name '{index}.{ext}' --json \
        -j $jobs \
        > "page$jobs" 2> "said$jobs" || status=$?
    [ "$status" -eq 1 ] || fail "-j $jobs: exit status $status"
    for name in "${bad[@]}"; do
        grep -q "^halo: $name: \|^halo: $name is " "said$jobs" || fail "-j $jobs does not name $name"
    done
    named=$(grep -c '^halo: in/' "said$jobs") # and nothing else
    [ "$named" -eq ${#bad[@]} ] || fail "-j $jobs names $named files, and ${#bad[@]} are bad"
    done=$(find "out$jobs" -type f ! -name '.halo-journal' | wc -l)
    [ "$done" -eq $((files - ${#bad[@]})) ] || fail "-j $jobs made $done files"
    tail -n 1 "page$jobs" | grep -q "\"ok\":$done,\"failed\":${#bad[@]},\"skipped\":0" || fail 'the summary'
    sed -i 's/"ms":{[^}]*}//; /"summary"/d; s/"output":"out./"output":"out/' "page$jobs"
done
diff -r -x .halo-journal out1 out8 || fail 'one job and eight make different files'
cmp page1 page8 || fail 'one job and eight print different pages'
cmp said1 said8 > /dev/null || diff <(grep '^halo: in/' said1) <(grep '^halo: in/' said8) ||
    fail 'they complain differently'
echo "$files files, ${#bad[@]} bad: $((files - ${#bad[@]})) done, each bad one named, the same with 1 job and 8"
