#!/usr/bin/env bash
# bench/instructions.sh [--record]: instructions that fixed cases execute, by callgrind, beside the recorded
# ones. Times on a shared machine say little; these counts repeat to a few parts in 100,000. Fails where one has
# grown by more than 2 %; --record keeps the new ones in bench/results/instructions.tsv. HALO names another
# program than build/release/halo. The v3 variant: valgrind has no AVX-512.
set -euo pipefail
cd "$(dirname "$0")/.."
record=bench/results/instructions.tsv
halo=${HALO:-build/release/halo}
[ $# -eq 0 ] || [ "$*" = --record ] || { echo "usage: bench/instructions.sh [--record]" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# NAME VARIANT ARGUMENT...; one thread, so that the scheduler has no say
cases() {
    cat << 'END'
start v3 --version
copy v3 run depth:u8 samples/lake.png -o WORK/out.ppm -f -j 1
gauss-u8 v3 run gauss:2 WORK/lake.ppm -o WORK/out.ppm -f -j 1
gauss-u8-baseline baseline run gauss:2 WORK/lake.ppm -o WORK/out.ppm -f -j 1
dense-u8 v3 run conv:mask=WORK/k9.mat WORK/lake.ppm -o WORK/out.ppm -f -j 1
dense-f32 v3 run conv:mask=WORK/k9.mat WORK/lake.npy -o WORK/out.npy -f -j 1
chain v3 run gray|gauss:1.5|sobel|normalize WORK/lake.ppm -o WORK/out.pgm -f -j 1
alpha v3 run gauss:2 samples/sticker.png -o WORK/out.png -f -j 1
stats-u8 v3 stats WORK/lake.ppm -j 1
stats-f32 v3 stats WORK/lake.npy -j 1
hist-u16 v3 hist samples/cells.png -j 1
scan-u8 v3 scan WORK/lake.ppm -o WORK/out.npy -f -j 1
scan-f32 v3 scan WORK/lake.npy -o WORK/out.npy -f -j 1
png v3 run gauss:1 samples/lake.png -o WORK/out.png -f -j 1
fir v3 run lowpass:cutoff=2000,taps=255 samples/notes.wav -o WORK/out.wav -f -j 1
END
}

count() { # VARIANT ARGUMENT...
    local log=$work/callgrind.log
    HALO_CPU=$1 valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$log" \
        "$halo" "${@:2}" < /dev/null > /dev/null 2> "$work/stderr" || { cat "$work/stderr" >&2; return 1; }
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$log"
}

"$halo" run depth:u8 samples/lake.png -o "$work/lake.ppm"
"$halo" run gain:0.5 samples/lake.png -o "$work/lake.npy"
{ echo 9 9; for _ in 1 2 3 4 5 6 7 8 9; do echo 1 2 3 4 5 4 3 2 -1; done; } > "$work/k9.mat"

grown=0
printf '%-20s %15s %15s %8s\n' case instructions recorded change
while read -r name variant arguments; do
    read -ra words <<< "${arguments//WORK/$work}"
    now=$(count "$variant" "${words[@]}")
    before=$([ ! -f "$record" ] || awk -v name="$name" '$1 == name { print $2 }' "$record")
    printf '%s\t%s\n' "$name" "$now" >> "$work/new.tsv"
    [ -n "$before" ] || { printf '%-20s %15s\n' "$name" "$now"; continue; }
    change=$(awk -v a="$now" -v b="$before" 'BEGIN { printf "%+.1f", 100 * (a - b) / b }')
    printf '%-20s %15s %15s %7s%%\n' "$name" "$now" "$before" "$change"
    [ $((now * 50)) -le $((before * 51)) ] || grown=$((grown + 1))
done < <(cases)

if [ "${1-}" = --record ]; then
    cp "$work/new.tsv" "$record"
elif [ "$grown" -gt 0 ]; then
    echo "$grown cases have grown" >&2
    exit 1
fi
