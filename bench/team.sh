#!/usr/bin/env bash
# bench/team.sh [RESULTS]: one large image on all GPUs of a machine (`--device all`), beside one of them: the
# property tests of teams, the same bytes, kernels alone with their efficiency (one GPU's time over that of all
# times their number), and whole commands as the program chooses. Keeps what it prints in RESULTS
# (build/bench/team.txt), from which bench/record.py makes rows of a record. HALO names another program than
# build/cuda/halo, CHECK a folder of test programs, SHIFT makes images smaller by that many powers of two.
set -euo pipefail
cd "$(dirname "$0")/.."
halo=${HALO:-build/cuda/halo} check=${CHECK:-build/cuda/tests} record=${1:-build/bench/team.txt}
side=$((32768 >> ${SHIFT:-0}))
mkdir -p "$(dirname "$record")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec > >(tee "$record") 2>&1

say() { printf '\n== %s\n' "$*"; }
kernels() { # DEVICE PIPELINE SIZE DTYPE: median of the kernels' time, ms
    "$halo" bench ops "$2" --size "$3x$3" --dtype "$4" --device "$1" --runs 5 --json |
        python3 -c 'import json, sys
for row in map(json.loads, sys.stdin):
    if "kernel_ms" in row: print(row["kernel_ms"])'
}
seconds() { # COMMAND...: least of three, ms
    for _ in 1 2 3; do
        local begin
        begin=$(date +%s%N)
        "$@" >"$work/said" 2>&1
        echo $((($(date +%s%N) - begin) / 1000000))
    done | sort -n | head -1
}

say "machine"
nvidia-smi --query-gpu=index,name,driver_version --format=csv,noheader
"$halo" --version
gpus=$(nvidia-smi --query-gpu=index --format=csv,noheader | wc -l)

say "check_team, check_team_failures on real GPUs"
for name in check_team check_team_failures; do
    HALO_DEVICE=cuda "$check/$name" | grep -E 'OK|FAILED|PASSED|SKIPPED'
done

say "the same bytes: cpu, gpu:0, all"
{ printf 'P6 6000 4000 255\n' && head -c 72000000 /dev/urandom; } >"$work/in.ppm"
for pipeline in gauss:2 median:13 'unsharp:2 | stats | hist' 'gray | sobel | depth:f32 | stats' 'bilateral:4'; do
    for device in cpu gpu:0 all; do
        "$halo" run "$pipeline" "$work/in.ppm" -o "$work/$device.npy" -f --device "$device" >"$work/$device.txt"
    done
    for device in gpu:0 all; do
        cmp "$work/cpu.npy" "$work/$device.npy" && cmp "$work/cpu.txt" "$work/$device.txt"
    done
    echo "same     $pipeline"
done

say "kernels, one and all: ms, efficiency"
while read -r dtype size pipeline; do
    one=$(kernels gpu:0 "$pipeline" "$size" "$dtype")
    all=$(kernels all "$pipeline" "$size" "$dtype")
    awk -v name="$pipeline" -v what="$dtype ${size}^2" -v one="$one" -v all="$all" -v gpus="$gpus" \
        'BEGIN { printf "%-24s %-12s %9.3f %9.3f  %3.0f%%\n", name, what, one, all, 100 * one / (all * gpus) }'
done <<END
u8 $side gauss:2|depth:u8
u8 $side box:101|depth:u8
u8 $side median:21
u8 $side disk:15
f32 $((side / 2)) sobel
f32 $((side / 2)) median:101
END

say "whole commands as the program chooses, one and all: ms, least of three"
{ printf 'P5 12288 12288 255\n' && head -c $((12288 * 12288)) /dev/urandom; } >"$work/in.pgm"
for pipeline in gauss:2 median:101 bilateral:20; do
    one=$(seconds "$halo" run "$pipeline" "$work/in.pgm" -o "$work/one.pgm" -f --device gpu:0)
    all=$(seconds "$halo" run "$pipeline" "$work/in.pgm" -o "$work/all.pgm" -f --device all)
    cmp "$work/one.pgm" "$work/all.pgm"
    printf '%-24s %6d %6d\n' "$pipeline" "$one" "$all"
done
