#!/usr/bin/env bash
# Programs and libraries of a hardened build bind every symbol at the start, make the table of addresses
# read-only then (full RELRO), and have no executable stack.
#   check_hardening.sh FILE…
set -euo pipefail
export LC_ALL=C
failed=0
lacks() { echo "$file $1" >&2; failed=1; }
for file in "$@"; do
    dynamic=$(readelf -dW "$file")
    segments=$(readelf -lW "$file")
    grep -qE 'BIND_NOW|FLAGS_1.*\bNOW\b' <<< "$dynamic" || lacks "binds symbols when they are first called"
    grep -qw GNU_RELRO <<< "$segments" || lacks "has no GNU_RELRO"
    grep -w GNU_STACK <<< "$segments" | grep -qE ' RW +0x' || lacks "has an executable stack"
done
[ "$failed" = 0 ] && echo "$# files have full RELRO and no executable stack"
exit "$failed"
