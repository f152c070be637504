#!/usr/bin/env bash
# bench/gpu.sh [PART ...]: everything that needs a GPU, in one go. Parts: tests sanitize same batch ladder peers
# beside (all by default). Runs programs from .gpu/ (a bundle of build/cuda with the libraries it needs) where
# there is one, else from build/cuda. Results go to $OUT, or build/bench/gpu; `bench/record.py $OUT
# bench/results/h200.json --commit ID` takes them into the machine's record.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
out=${OUT:-build/bench/gpu}
mkdir -p "$out"
: >"$out/verdicts.txt"
parts=${*:-tests sanitize same batch ladder peers beside}
cases=${HALO_CASES:-3} # times as many cases as usual
failed=0

program() { # path of a program of the build
    if [ -x .gpu/run ]; then
        echo ".gpu/bin/$1"
    elif [ "$1" = halo ]; then
        echo "build/cuda/halo"
    else
        echo "build/cuda/tests/$1"
    fi
}
# Only halo's own programs see the bundle's libraries: other programs of that machine need newer ones.
bundled=()
[ -d .gpu/lib ] && bundled=(env LD_LIBRARY_PATH="$PWD/.gpu/lib")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
halo=$work/halo
[ -x "$(program halo)" ] || { echo "bench/gpu.sh: $(program halo) is not there" >&2; exit 1; }
printf '#!/bin/sh\nexec %s "%s" "$@"\n' "${bundled[*]:-}" "$PWD/$(program halo)" >"$halo"
chmod +x "$halo"
wants() { case " $parts " in *" $1 "*) return 0 ;; *) return 1 ;; esac }
say() { printf '\n== %s\n' "$*"; }
verdict() { # NAME STATUS
    local said=ok
    [ "$2" -eq 0 ] || { said=FAILED; failed=$((failed + 1)); }
    printf '%-7s %s\n' "$said" "$1"
    printf '%-7s %s\n' "$said" "$1" >>"$out/verdicts.txt"
}

device() {
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | head -1
    "$halo" --version
    git rev-parse --short HEAD 2>/dev/null || true
}
device | tee "$out/device.txt"

# Every property test on the GPU alone (the CPU's variants are tested where there is no GPU), then, with fewer
# cases, under each tool of compute-sanitizer.
primitives="conv sep map combine reduce fold powers hist scan scan_sound rank mean mean_lines bilateral equalize
    gather resample mix chain regions distance objects groups morphology expr
    expr_language color elements"
others="device_arrays rate fast sep_fast sep_fast_design conv_sizes conv_zeros conv_integer rank_shapes
    rank_sizes curves
    detail pipeline filters windows local warp definitions sound device_memory ladder along_time team stretched
    blurred strips confine"
# Programs stand in line for the cores more than for the GPU: their oracles run there. So some run side by side.
jobs=${HALO_JOBS:-8}
check() { # LOG SECONDS CASES PROGRAM COMMAND...: runs a property test on the GPU, by COMMAND where there is one
    local log=$1 limit=$2 cases=$3 name=$4
    shift 4
    local exe
    exe=$(program "$name")
    if [ ! -x "$exe" ]; then
        echo "ERROR: $exe is not there" >"$log"
        echo 127 >"$log.status"
        return
    fi
    HALO_DEVICE=cuda HALO_CASES=$cases timeout "$limit" "${bundled[@]}" "$@" "$exe" >"$log" 2>&1
    echo $? >"$log.status"
}
verdicts() { # LOG NAME, of each line: what a test said
    local log name status
    while read -r log name; do
        status=$(cat "$log.status")
        verdict "$name" "$status"
        [ "$status" -eq 0 ] || { grep -E '=========|FAILED|ERROR|differs|error' "$log" | head -12; }
    done
}
in_turn() { # waits until there is room for one more
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
}
if wants tests; then
    say "property tests, HALO_CASES=$cases"
    for name in $primitives $others; do
        in_turn
        check "$out/check_$name.log" 300 "$cases" "check_$name" &
    done
    wait
    for name in $primitives $others; do echo "$out/check_$name.log check_$name"; done >"$work/logs"
    verdicts <"$work/logs"
    cat "$out"/check_*.log >"$out/tests.log" && rm -f "$out"/check_*.log*
fi

if wants sanitize; then
    say "compute-sanitizer"
    for tool in memcheck racecheck initcheck synccheck; do
        for name in $primitives; do
            # Parents of runs change while others read them: any ancestor will do (cuda/regions/join.cu).
            [ "$tool $name" != 'racecheck regions' ] || continue
            in_turn
            check "$out/$tool.$name.log" 240 "${HALO_SANITIZE_CASES:-0.05}" "check_$name" \
                compute-sanitizer --tool "$tool" --error-exitcode 9 &
            echo "$out/$tool.$name.log $tool check_$name" >>"$work/sanitized"
        done
    done
    wait
    verdicts <"$work/sanitized"
    for tool in memcheck racecheck initcheck synccheck; do
        cat "$out/$tool".*.log
    done | tail -c 400000 >"$out/sanitize.log"
    rm -f "$out"/{memcheck,racecheck,initcheck,synccheck}.*.log*
fi

# The same bytes from both backends, for every operation by its example, on every sample file, of all and of a
# part in the middle, and for what is done in strips of large images, on a large one; where an operation refuses
# an input, both refuse it in the same words. That a GPU has no code for it is said of one alone.
run_on() { # DEVICE PIPELINE INPUT EXTENSION FOLDER
    "$halo" run "$2" "$3" -o "$5/$1.$4" -f --device "$1" >"$5/said" 2>&1
    local status=$?
    sed '/has no GPU code/d' "$5/said" >"$5/$1.txt"
    return $status
}
same_case() { # PIPELINE INPUT EXTENSION FOLDER
    run_on cpu "$@"
    local status=$?
    run_on gpu "$@"
    [ $? -eq $status ] && cmp "$4/cpu.txt" "$4/gpu.txt" || return 1
    [ $status -ne 0 ] || cmp "$4/cpu.$3" "$4/gpu.$3"
}
compare() { # PIPELINE INPUT EXTENSION: beside others of its kind
    compared=$((compared + 1))
    in_turn
    {
        folder=$(mktemp -d "$work/case.XXXXXX")
        same_case "$@" "$folder" || echo "$1 $2" >>"$work/differ"
        rm -rf "$folder"
    } &
}
large_cases() { # pipelines, one a line
    local k border
    for k in 3 5 7 9; do
        awk -v k=$k 'BEGIN {
            srand(k); print k, k
            for (i = 1; i <= k * k; i++) printf "%g%s", rand(), i % k ? " " : "\n"
        }' >"$work/$k.mat"
        for border in replicate constant=3; do
            echo "conv:mask=$work/$k.mat,normalize=1,border=$border"
            echo "gauss:sigma=$((k / 2)),truncate=1,border=$border"
        done
    done
    printf '%s\n' median:3 median:5 'gauss:4|median:9' rank:0.9,radius=9
}
if wants same; then
    say "the same bytes: every operation, --device cpu and gpu"
    compared=0
    : >"$work/differ"
    { echo P5 7001 6003 255 && head -c $((7001 * 6003)) /dev/urandom; } >"$work/large.pgm"
    "$halo" run linear "$work/large.pgm" -o "$work/large.npy" --device cpu
    while read -r pipeline; do
        for input in pgm npy; do compare "$pipeline" "$work/large.$input" "$input"; done
    done < <(large_cases)
    wait
    rm -f "$work"/large.*
    while IFS=$'\t' read -r kinds example; do
        for input in samples/*.png samples/*.wav; do
            case "$input:$kinds" in *.png:*image* | *.wav:*audio*) ;; *) continue ;; esac
            extension=${input##*.}
            part='crop:60x50+70+40'
            [ "$extension" = png ] || part=trim:0.3,length=0.2
            case "$example" in scan*) extension=npy ;; esac
            compare "$example" "$input" "$extension"
            compare "$example | $part" "$input" "$extension"
        done
    done < <("$halo" list ops --json | python3 -c 'import json,sys
for line in sys.stdin:
    op = json.loads(line)
    print(",".join(op["kinds"]), op["example"], sep="\t")')
    wait
    sed 's/^/differs: /' "$work/differ"
    echo "$compared comparisons, $(wc -l <"$work/differ") different" | tee "$out/same.txt"
    [ ! -s "$work/differ" ]
    verdict same $?
fi

# A batch of PNG, stage by stage, on the GPU and on the cores, and the same files by libvips where it is (VIPS).
if wants batch; then
    say "batch"
    mkdir -p "$work/batch/out"
    bash bench/batch.sh "$halo" "$work/batch" "$out/batch.json" "${VIPS:-vips}"
    verdict batch $?
fi
if wants ladder; then
    say "ladder"
    "$halo" bench ladder --device gpu --json >"$out/ladder.json" &&
        "$halo" bench ladder --device gpu | tee "$out/ladder.txt"
    verdict ladder $?
fi
if wants peers; then
    say "peers"
    HALO=$halo bash bench/peers_gpu.sh "$out"
    verdict peers $?
fi
if wants beside; then
    say "secondary benchmarks"
    HALO=$halo bash bench/beside.sh "$out/beside.json" gpu >"$out/beside.txt"
    verdict beside $?
    head -40 "$out/beside.txt"
fi
say "$failed failed"
exit "$((failed > 0))"
