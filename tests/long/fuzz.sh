#!/usr/bin/env bash
# Runs the fuzzers of tests/fuzz under libFuzzer for some time each, from their seeds on: more than twenty
# seconds for one input (the sanitizers take four times as long as halo), or more than a gigabyte, is a fault as
# a crash is. What they find lies in build/fuzz/found, what they learn in build/fuzz/corpus, where the next run
# goes on. Exit 1 where one found something. `scripts/deps --fuzz` installs what it needs.
#   tests/long/fuzz.sh [SECONDS [FUZZER…]]      300 seconds for each of all; a FUZZER is csv, pipeline, run, …
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-300}
shift $(($# > 0))
[ $# -gt 0 ] || set -- $(cd tests/fuzz && printf '%s\n' fuzz_*.c | sed 's/fuzz_\(.*\)\.c/\1/')
scripts/build fuzz build/fuzz --target fuzz_seeds fuzz_any
mkdir -p build/fuzz/found
export LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
build/fuzz/tests/fuzz_seeds build/fuzz/corpus
found=0
for name in "$@"; do
    log=build/fuzz/$name.log
    leaks=1 # of which libheif 1.15 has some where dav1d or libde265 refuses a picture
    case $name in avif | heic | open | run) leaks=0 ;; esac
    if HALO_FUZZER=$name ASAN_OPTIONS=detect_leaks=$leaks build/fuzz/tests/fuzz_any -max_total_time="$seconds" \
        -timeout=20 -rss_limit_mb=1024 -max_len=4096 -artifact_prefix="build/fuzz/found/$name-" \
        -print_final_stats=1 "build/fuzz/corpus/$name" > "$log" 2>&1; then
        echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
    else
        found=1
        echo "FAULT $name: $(grep -m1 -E 'ERROR|runtime error' "$log"), see $log"
    fi
done
exit $found
