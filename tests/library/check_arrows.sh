#!/usr/bin/env bash
# The dependencies of this tree follow the layers, and scripts/arrows finds violations.
#   check_arrows.sh BUILD_FOLDER
set -euo pipefail
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$root/scripts/arrows" "$build"

# wrong FILE LINE SAYS: with this line at its end the file breaks a rule, which is reported.
wrong() {
    cp "$work/$1" "$work/as-it-was"
    printf '%s\n' "$2" >> "$work/$1"
    if "$work/scripts/arrows" > "$work/log" 2>&1 || ! grep -qF "$3" "$work/log"; then
        echo "$1 may have the line $2" >&2
        cat "$work/log" >&2
        exit 1
    fi
    mv "$work/as-it-was" "$work/$1"
}
(cd "$root" && cp -r --parents scripts/arrows api cli core cpu cuda filters include io "$work")
"$work/scripts/arrows" > "$work/log"
wrong core/session.c '#include "formats.def"' "neither include/halo nor the own folder"
wrong core/session.c '#include "../io/meta/meta.h"' "neither include/halo nor the own folder"
wrong io/bytes/sink.c '#include "meta/meta.h"' "includes against the layers"
wrong core/base/text.c '#include "plan/plan.h"' "includes against the layers"
wrong include/halo/status.h '#include "halo/buffer.h"' "files that include each other"
wrong core/plan/plan.h '#include "run/run.h"' "parts that include each other"
echo "wrong arrows are seen"
