#!/usr/bin/env bash
# Looks for faults of whole commands for some minutes: damaged inputs of every format, command lines drawn at
# random, paths that collide, allocations and system calls that fail, signals. A fault is a crash, a leak, a
# hang, more memory or time than a small input may cost, half an output, another length or other samples than an
# input is known to have, control characters in messages, or invalid JSON and SVG. Prints one line a fault, with
# the command that shows it in a folder that is kept, and then how many cases of each kind it ran; exit 1 where
# there was a fault.
#   tests/long/campaign.sh HALO [MINUTES [SEED [PART…]]]
# It takes an hour with the seed of the day; a PART is inputs, texts, commands, paths, known, failures or
# signals. A build without sanitizers shows memory and time more exactly. CAMPAIGN_FAULTS names the folder for
# findings, CAMPAIGN_CORPUS one of further files to damage.
set -euo pipefail
here=$(dirname "$(realpath "$0")")/campaign
halo=$(realpath "$1") minutes=${2:-60} seed=${3:-$(date +%Y%m%d)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CC:-cc}" -shared -fPIC -O2 "$here/shim.c" -o "$work/shim.so" -ldl
PYTHONDONTWRITEBYTECODE=1 python3 "$here/campaign.py" "$halo" "$work" "$minutes" "$seed" "${@:4}"
