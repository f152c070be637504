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

# Two files that call each other, and a third that both call: a cycle of the first two, seen in their objects
# alone.
objects=$work/build/CMakeFiles/halo_cpu.dir/cpu
mkdir -p "$objects"
echo 'int two(void), three(void); int one(void); int one(void) { return two() + three(); }' > "$work/cpu/one.c"
echo 'int one(void), three(void); int two(void); int two(void) { return one() + three(); }' > "$work/cpu/two.c"
echo 'int three(void); int three(void) { return 3; }' > "$work/cpu/three.c"
for name in one two three; do cc -c "$work/cpu/$name.c" -o "$objects/$name.c.o"; done
if "$work/scripts/arrows" "$work/build" > "$work/log" 2>&1 ||
    ! grep -qx '    cpu/one.c cpu/two.c' "$work/log"; then
    echo "files that call each other are not seen" >&2
    cat "$work/log" >&2
    exit 1
fi
sed -i 's/^core\/pipeline\/call.c.*/&\ncpu\//' "$work/scripts/arrows"
"$work/scripts/arrows" "$work/build" > "$work/log"
echo "wrong arrows are seen"
