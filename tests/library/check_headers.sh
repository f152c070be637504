#!/usr/bin/env bash
# Every header compiles alone, as C17 and as C++17, with nothing to warn of.
#   check_headers.sh INCLUDE_FOLDER
set -euo pipefail
include=$1
failed=0
headers=0
for path in "$include"/halo/*.h; do
    header=halo/${path##*/}
    # Twice, since headers may be included again.
    source="#include <$header>"$'\n'"#include <$header>"
    for language in "c -std=c17 -Wstrict-prototypes" "c++ -std=c++17"; do
        read -ra options <<< "-x $language -Wall -Wextra -Wpedantic -Werror -fsyntax-only"
        gcc "${options[@]}" -I"$include" - <<< "$source" ||
            { echo "$header does not compile alone as ${language%% *}" >&2; failed=1; }
    done
    headers=$((headers + 1))
done
# halo.h does not include what only extensions need.
for header in op plan primitive backend format mask tables; do
    guard=HALO_$(tr a-z A-Z <<< "$header")_H
    printf '#include <halo/halo.h>\n#ifdef %s\n#error halo.h brings %s.h\n#endif\n' "$guard" "$header" |
        gcc -x c -std=c17 -fsyntax-only -I"$include" - || failed=1
done
# HALO_PARAMS stands in an initialiser of either language.
for language in "c -std=c17" "c++ -std=c++17" "c++ -std=c++20"; do
    read -ra options <<< "-x $language -Wall -Wextra -Wpedantic -Werror -fsyntax-only"
    first='.a = 1'
    [ "$language" != "c++ -std=c++17" ] || first=1
    printf '#include <halo/op.h>\nstatic const int x[2] = {1, 2};\n%s = {%s, HALO_PARAMS(x)};\n' \
        'const struct Row { int a; const int *param; int params; } row' "$first" |
        gcc "${options[@]}" -I"$include" - ||
        { echo "HALO_PARAMS does not compile as ${language#* -std=}" >&2; failed=1; }
done
# A compiler that evaluates f32 in a wider type is refused.
for language in "c -std=c17" "c++ -std=c++17"; do
    read -ra options <<< "-x $language -fsyntax-only"
    said=$(printf '#include <float.h>\n#undef FLT_EVAL_METHOD\n%s\n#include <halo/numerics.h>\n' \
        '#define FLT_EVAL_METHOD 1' | LC_ALL=C gcc "${options[@]}" -I"$include" - 2>&1) || true
    [[ $said == *"evaluated in a wider type"* ]] ||
        { echo "numerics.h takes FLT_EVAL_METHOD 1 in ${language%% *}" >&2; failed=1; }
done
[ "$failed" = 0 ] && echo "$headers headers compile alone, as C and as C++"
exit "$failed"
