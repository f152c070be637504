# Text: input and output do not depend on the locale; messages have the right form.
# shellcheck disable=SC2154
setup() { load common; common_setup; make_gray g.pgm 20 10; make_wav s.wav \
    3000; root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd); }

@test "numbers are read, and floats printed, by core/base/text.c alone; the program sets no locale" {
    # shellcheck disable=SC2046
    set -- $(find "$root"/{core,filters,io,api,cpu,cuda,include/halo} -name '*.[ch]' -o -name '*.cu' -o \
        -name '*.cuh' | grep -v core/base/text.c)
    [ $# -gt 100 ]
    run grep -nE '<ctype.h>|\<(strto[a-z]+|ato(f|i|l|ll)|v?[fs]?scanf|setlocale|strcasecmp)\(' "$@"
    [ "$status" -eq 1 ] || { echo "$output"; return 1; }
    run grep -PzoH \
        '(?s)\b(?<!halo_)v?[fsd]n?printf\((?:[^;"]|"(?:[^"\\]|\\.)*")*?%[-+ #0-9.*]*[aefgAEFG][^;]*;' "$@"
    [ "$status" -eq 1 ] || { echo "$output" | tr '\0' '\n'; return 1; }
    run grep -nE '\<(strto[a-z]+|ato(f|i|l|ll)|v?[fs]?scanf|setlocale)\(' $(find "$root/cli" -name '*.c')
    [ "$status" -eq 1 ] || { echo "$output"; return 1; }
}

@test "LC_ALL changes nothing that the program reads or prints" {
    printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n' > comma.src
    localedef -c --quiet --no-archive -i ./comma.src ./comma.UTF-8 2> log || [ -d comma.UTF-8 ] ||
        skip "there is no localedef"
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

@test "singular and plural: 1 thread, 1 frame, 1 sample" {
    run halo run --explain -j 1 gauss:1 g.pgm
    [[ "$output" == *$'\njobs    1 thread (--jobs)\n'* ]]
    run halo run --explain -j 2 gauss:1 g.pgm
    [[ "$output" == *$'\njobs    2 threads that cut each file into slices (--jobs)\n'* ]]
    run halo run --explain -j 2 gauss:1 g.pgm g.pgm --out-dir out --name '{index}.pgm'
    [[ "$output" == *$'\njobs    1 thread for each of 2 files at a time'* ]]
    halo run --raw u8:1x1 '' <(printf x) -o one.pgm
    halo hist one.pgm | grep -F ': 1 sample in 256 bins'
    halo run --raw f32,8000,1 '' <(printf '\0\0\0\0') -o one.wav
    halo info one.wav | grep -F ', 1 frame'
    ! halo info one.wav | grep -F '1 frames'
    halo stats one.wav | grep -F '1 channel, 1 frame,'
    run --separate-stderr halo run --raw f32,8000,1 '' <(printf '\0\0\300\177') -o nan.flac -v
    says '1 sample is NaN and became 0'; says ' 1 sample clipped'
    run --separate-stderr halo run --raw f32,8000,1 '' <(printf '\0\0\0\100') -o loud.flac
    says '1 sample is clipped (100%), the peak is 2 times'
}

@test "an option that names a file may be given once; otherwise nothing is written" {
    for twice in '-o a.pgm -o b.pgm' '--output a.pgm -o a.pgm' '--out-dir a --out-dir b' \
        '--files-from l --files-from m' \
        '--name x.pgm --name y.pgm --out-dir a'; do
        # shellcheck disable=SC2086
        run --separate-stderr halo run gauss:1 g.pgm $twice
        [ "$status" -eq 2 ]; says 'is given twice, but accepts one'
        [ ! -e a.pgm ] && [ ! -e b.pgm ] && [ ! -e a ] && [ ! -e b ]
    done
    run --separate-stderr halo hist g.pgm --plot a.svg --plot b.svg
    [ "$status" -eq 2 ]; says '--plot is given twice, but accepts one FILE'
    halo run gauss:1 g.pgm -j 1 -j 2 --device gpu --device cpu -f -f -o a.pgm # of these the last one counts
    halo info --include '*.wav' --include '*.pgm' g.pgm s.wav
}

@test "switches of scan, stats and hist: alone, after = and as a separate word" {
    halo scan g.pgm -o plain.npy; halo scan --exclusive g.pgm -o exclusive.npy
    run cmp plain.npy exclusive.npy
    [ "$status" -eq 1 ]
    for one in '--exclusive 1' '--exclusive=1' '--exclusive yes' '--exclusive true'; do
        # shellcheck disable=SC2086
        halo scan $one g.pgm -o x.npy -f; cmp x.npy exclusive.npy
    done
    for none in '--exclusive 0' '--exclusive=0' '--exclusive off'; do
        # shellcheck disable=SC2086
        halo scan $none g.pgm -o x.npy -f; cmp x.npy plain.npy
    done
    halo scan g.pgm -o x.npy -f --exclusive 1; cmp x.npy exclusive.npy
    halo scan g.pgm -o x.npy -f --exclusive; cmp x.npy exclusive.npy
    halo stats --product 0 g.pgm --json | grep -F '"product":null'
    cp g.pgm 1 # a file of that name is an input
    [ "$(halo stats --full 1 g.pgm --json | grep -c '"file":"1"')" -eq 1 ]
    run --separate-stderr halo scan --exclusive=2 g.pgm -o y.npy
    [ "$status" -eq 2 ]; says "expected 1 or 0, found '2'"
    halo scan --help | grep -F -e '--exclusive [0|1]'
}

@test "help on several topics prints a page for each, and all have to exist" {
    [ "$(halo help run gauss)" = "$(halo help run; echo; halo help gauss)" ]
    [ "$(halo help gauss box)" = "$(halo help gauss; echo; halo help box)" ]
    run --separate-stderr halo help run gaus
    [ "$status" -eq 2 ] && [ -z "$output" ]
    says "no command, operation or topic 'gaus'; did you mean 'gauss'?"
    [ "$(halo help)" = "$(halo --help)" ]
}

@test "depth reports its effect on sound" {
    run --separate-stderr halo run depth:s24 s.wav -o x.wav
    [ "$status" -eq 2 ]
    says "'s24' is not u8, u16 or f32: depth is for images; for sound use --bits"
    run --separate-stderr halo run depth:u61 g.pgm -o x.pgm
    [ "$status" -eq 2 ]; says "did you mean 'u16'?"
    run --separate-stderr halo run depth:f64 g.pgm -o x.pgm
    [ "$status" -eq 2 ]; says "'f64' is not one of u8, u16, f32"
}

@test "--help and the manual page list every exit status" {
    for status in 0 1 2 3 4 5 70; do halo --help | tail -3 | grep -E "(Exit status:|,|^) ?$status [a-z]"; done
    halo --generate man | grep -F "70 an internal error"
}
