#!/usr/bin/env bash
# Three lists of halo's functions have to be one: what libhalo.so exports, with versions, what the public
# headers declare (with HALO_API, all of them), and api/symbols.txt. Where a function is meant to come or go,
# change the list with it; those of HALO_1, which are halo.h's, do not go, nor do they change.
#   check_symbols.sh LIBHALO_SO INCLUDE_FOLDER
set -euo pipefail
export LC_ALL=C
library=$1
headers=$2
list=$(cd "$(dirname "$0")/../.." && pwd)/api/symbols.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@@/, " ", $3); print $3 }' | sort -u > "$work/exported"
awk '{ print $1 }' "$list" > "$work/names"
# Headers for halo's own folders say so in their first line: what they declare is not public.
mapfile -t public < <(grep -L "^/\* For halo's own folders" "$headers"/halo/*.h)
grep -hoE '^HALO_API .*' "${public[@]}" | grep -oE '\bhalo_[a-z0-9_]+\(' | tr -d '(' |
    sort -u > "$work/declared"
for header in halo array options status; do grep -hoE '^HALO_API .*' "$headers/halo/$header.h"; done |
    grep -oE '\bhalo_[a-z0-9_]+\(' | tr -d '(' | sort -u > "$work/stable"
awk '$2 == "HALO_1" { print $1 }' "$list" > "$work/first"

failed=0
same() { # LIST FILE, and what it says
    diff -u --label api/symbols.txt --label "$3" "$1" "$2" || failed=1
}
sort -uc "$list" || failed=1
same "$list" "$work/exported" "exported by ${library##*/}"
same "$work/names" "$work/declared" "declared with HALO_API in $headers"
same "$work/first" "$work/stable" "declared by halo.h"
# A program can ask for the version that it is compiled for.
number() { sed -n "s/^#define $1 \([0-9]*\).*/\1/p" "$headers/halo/$2.h"; }
node=HALO_EXTEND_$(number HALO_EXTEND_VERSION_MAJOR extend).$(number HALO_EXTEND_VERSION_MINOR extend)
if [ "$node" != "$(awk '$2 ~ /^HALO_EXTEND/ { print $2 }' "$work/exported" | sort -u)" ]; then
    echo "extend.h is of version $node, the symbols are not" >&2
    failed=1
fi
abi=HALO_$(number HALO_ABI_VERSION halo)
if ! grep -q " $abi\$" "$work/exported"; then
    echo "halo.h has HALO_ABI_VERSION ${abi#HALO_}, but no symbol has $abi" >&2
    failed=1
fi
if grep -nE '^[a-zA-Z].*\bhalo_[a-z0-9_]+\(' "${public[@]}" |
    grep -vE ':[0-9]+:(HALO_API|HALO_FN|HALO_FN_APART|HALO_CURVE|static inline|typedef) '; then
    echo "these are declared without HALO_API" >&2
    failed=1
fi
[ "$failed" = 0 ] && echo "$(wc -l < "$list") functions are exported, declared and listed"
exit "$failed"
