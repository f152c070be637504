#!/usr/bin/env bash
# A folder of images on several machines that share a file system, by GNU parallel over ssh.
#
#   ./parallel.sh photos out server1 server2 server3
#
# Without servers the parts run here, which -j does better; it shows that the result is the same.
set -euo pipefail
input=$1 output=$2
shift 2
parts=$((4 * ($# > 0 ? $# : 1)))
where=()
[ $# -eq 0 ] || where=(--sshlogin "$(IFS=,; echo "$*")" --workdir .)
mkdir -p "$output/stats"

parallel --jobs 1 "${where[@]}" halo run "'gauss:2 | unsharp'" "$input" -r --out-dir "$output/images" \
    --shard {}/$parts --resume -q ::: $(seq $parts)
parallel --jobs 1 "${where[@]}" halo stats "$input" -r --total --json --shard {}/$parts \
    '>' "$output/stats/{}.json" \
    ::: $(seq $parts)
halo merge "$output"/stats/*.json > "$output/stats.json"
