#!/usr/bin/env bash
# Kills a batch at random moments, again and again, and goes on with --resume: no output is ever incomplete, and
# in the end the folder is that of an undisturbed run, except for the journal.
#   tests/long/kill.sh HALO [KILLS [MOST]]     1000 kills, each within MOST seconds (0.1), take some minutes
set -euo pipefail
halo=$(realpath "$1") kills=${2:-1000} most=${3:-0.1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Inputs of all sizes, so that some are done at once and others are caught half-way.
mkdir -p in/sub
for i in {1..40}; do
    side=$((20 + i * i / 2))
    { printf 'P5 %d %d 255\n' "$side" "$side"; head -c $((side * side)) /dev/urandom; } > "in/$((i % 2)).$i.pgm"
done
mv in/1.* in/sub
batch=("$halo" run 'gauss:2 | unsharp' in -r --to png -j 4 -q)
"${batch[@]}" --out-dir expected

differs() { echo "kill $killed: $1"; grep -v Killed errors | tail -5; exit 1; }

whole() { # every file that has its name is whole
    local file
    while read -r file; do
        cmp -s "$file" "expected/${file#out/}" || differs "$file is not what it should be"
    done < <(find out -type f ! -name '.*')
}

finished() {
    [ "$(find out -name '.*' ! -name .halo-journal)" = '' ] || differs 'a temporary is left'
    diff -r -x .halo-journal expected out || differs 'the outputs are not those of an undisturbed run'
    rm -rf out
    resume=()
    rounds=$((rounds + 1))
}

killed=0 rounds=0 resume=()
while [ "$killed" -lt "$kills" ]; do
    "${batch[@]}" --out-dir out "${resume[@]}" & pid=$!
    sleep "$(awk -v r=$RANDOM -v most="$most" 'BEGIN { printf "%.3f", r / 32768 * most }')"
    if kill -KILL $pid 2> /dev/null; then
        status=0
        wait $pid 2> /dev/null || status=$?
        [ "$status" -eq 137 ] && killed=$((killed + 1))
        resume=(--resume)
        [ ! -d out ] || whole
        [ "$status" -ne 0 ] || finished
    else
        wait $pid || differs "the batch failed with $?"
        finished
    fi
done 2> errors
"${batch[@]}" --out-dir out --resume
finished
grep -v Killed errors || true
echo "$killed kills, $rounds batches finished: nothing lost, nothing in part, nothing left behind"
