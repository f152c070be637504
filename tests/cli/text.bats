# Text: what is read and printed does not depend on the locale; what is said has its right form.
# shellcheck disable=SC2154
setup() { load common; common_setup; make_gray g.pgm 20 10; make_wav s.wav 3000; root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd); }

@test "floats are read and printed by core/text.c alone, in the library; the program sets no locale" {
    # shellcheck disable=SC2046
    set -- $(ls "$root"/{core,filters,io,api,cpu,cpu/variant,cuda,include/halo}/*.{c,h,cu,cuh} 2> /dev/null | grep -v core/text.c)
    [ $# -gt 100 ]
    run grep -nE '<ctype.h>|\<(strto(d|f|ld)|atof|v?f?scanf|setlocale|strcasecmp)\(' "$@"
    [ "$status" -eq 1 ] || { echo "$output"; return 1; }
    run grep -PzoH '(?s)\b(?<!halo_)v?[fsd]n?printf\((?:[^;"]|"(?:[^"\\]|\\.)*")*?%[-+ #0-9.*]*[aefgAEFG][^;]*;' "$@"
    [ "$status" -eq 1 ] || { echo "$output" | tr '\0' '\n'; return 1; }
    run grep -nE '\<(strto(d|f|ld)|atof|setlocale)\(' "$root"/cli/*.c
    [ "$status" -eq 1 ] || { echo "$output"; return 1; }
}

@test "LC_ALL changes nothing that the program reads or prints" {
    printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n' > comma.src
    localedef -c --quiet --no-archive -i ./comma.src ./comma.UTF-8 2> log || [ -d comma.UTF-8 ] || skip "there is no localedef"
    all() {
        for c in 'stats --json' hist 'run --explain gauss:1.5'; do eval "halo $c g.pgm"; done
        halo info --json g.pgm s.wav
        halo run gain:0.5 s.wav -o - --to wav | cksum
        halo run 'conv:mask="3x1: .25,.5,.25"' g.pgm -o - --to pfm | cksum
        halo hist g.pgm --plot plot.svg -f && cat plot.svg
        halo list masks
    }
    all > c.txt
    LOCPATH=$PWD LC_ALL=comma.UTF-8 all 2> /dev/null > comma.txt
    [ -s c.txt ] && cmp c.txt comma.txt
}
