# Common mistakes on the command line.
# shellcheck disable=SC2154
setup() { load common; common_setup; make_gray in.pgm 8 6; }

# wrong TEXT ARGUMENT…: a usage error with this text, and no x.
wrong() {
    run --separate-stderr "$HALO" "${@:2}"
    [ "$status" -eq 2 ] && says "$1" && ! compgen -G 'x*' || { echo "${*:2}: $status $stderr"; return 1; }
}

@test "a file in place of the pipeline is copied; halo convert does the same" {
    halo run in.pgm -o a.png
    halo convert in.pgm b.png
    halo convert in.pgm -o c.png
    halo convert in.pgm --out-dir out --to png
    for copy in b.png c.png out/in.png; do cmp a.png $copy; done
    halo run '' a.png -o - --to pgm | cmp - <(halo run '' in.pgm -o -)
    wrong "use --out-dir DIR" convert in.pgm in.pgm in.pgm -o x.png
    wrong "an output is missing" convert in.pgm
}

@test "results need no output, whatever comes before them" {
    halo run 'crop:4x2+1+1 | stats' in.pgm --json | grep -q '"width":4,"height":2'
    halo run 'gauss:1 | hist' in.pgm > text
    [ "$(halo run 'gauss:1 | stats' in.pgm --json)" = \
        "$(halo run 'gauss:1 | stats' in.pgm --json -o f.npy 2>&1 | head -1)" ]
    wrong "an output is missing" run gauss:1 in.pgm
}

@test "misplaced words get a specific message" {
    wrong "the pipeline comes first, as in halo run 'gauss:2' in.pgm" run in.pgm gauss:2 -o x.png
    wrong "did you mean 'gauss'" run in.pgm gausss:2 -o x.png
    wrong "none.png: no such file, and not a pipeline" run none.png -o x.png
    wrong "x.png does not exist: use -o x.png to write it" run gauss:2 in.pgm x.png
    wrong "'sobel' is an operation, not a file: operations are joined by |" run gauss:2 sobel in.pgm -o x.png
    wrong "parameters follow a colon, as in gauss:" run 'gauss(2)' in.pgm -o x.png
    wrong "parameters follow a colon, as in gauss:" run gauss=2 in.pgm -o x.png
    wrong "parameters follow a colon, as in invert:" run invert,mask=g.png in.pgm -o x.png
    wrong "parameters follow a colon, as in label:" run label,on=1 in.pgm -o x.png
    wrong "--quality 80" run gauss:2 in.pgm -o x.jpg -q 80
    wrong "needs quotes" run gauss:2
    mkdir folder
    wrong "folder is a folder: use --out-dir to write into it" run gauss:2 in.pgm -o folder
    wrong "'jp2' is not a format that halo writes" run gauss:2 in.pgm -o x.jp2
    wrong "did you mean '--at-most'" compare in.pgm in.pgm --tolerance 1
    wrong "did you mean '--jobs'" run gauss:2 in.pgm -o x.png --threads 2
    wrong "did you mean the operation 'gauss'" blur in.pgm
    run --separate-stderr halo run gauss:2 in.pgm -o none/x.png
    [ "$status" -eq 4 ] && says "none/x.png: its folder does not exist"
}

@test "fractions, weights of gray, and at=center" {
    halo run gain:1/4 in.pgm -o a.npy
    halo run gain:0.25 in.pgm -o b.npy
    cmp a.npy b.npy
    halo run crop:3x2,at=center in.pgm -o a.pgm
    halo run crop:3x2+2+2 in.pgm -o b.pgm
    cmp a.pgm b.pgm
    make_rgb c.ppm 9 5
    halo run gray:0.299,0.587,0.114 c.ppm -o a.npy -f
    halo run gray:601 c.ppm -o b.npy -f
    cmp a.npy b.npy
    wrong "three weights such as 0.3,0.6,0.1" run gray:0.3,0.6 c.ppm -o x.png
    wrong "expected a number, found '1/0'" run gain:1/0 in.pgm -o x.png
}

@test "samples are not written to a terminal, text is" {
    command -v script > /dev/null || skip "there is no script"
    run script -qec "'$HALO' run '' in.pgm -o -" /dev/null
    [ "$status" -eq 2 ] && [[ "$output" == *"pnm is binary, not for a terminal: use -o FILE"* ]]
    printf '1,2\n' > t.csv
    run script -qec "'$HALO' run gain:2 t.csv -o -" /dev/null
    [ "$status" -eq 0 ] && [[ "$output" == *"2,4"* ]]
}

@test "outputs that exist are counted in one line" {
    mkdir in out
    for k in 1 2 3; do cp in.pgm in/$k.pgm; done
    cp in.pgm out/2.pgm
    run --separate-stderr halo run gauss:1 in -r --out-dir out # one alone is named
    [ "$status" -eq 1 ] && says "out/2.pgm exists: use --force to replace it" && [ -e out/3.pgm ] &&
        cmp out/2.pgm in.pgm
    run --separate-stderr halo run gauss:1 in -r --out-dir out
    [ "$status" -eq 1 ] && says "3 of 3 outputs exist, such as out/1.pgm: use --force to replace them" &&
        [ "${#stderr_lines[@]}" -eq 2 ]
    run --separate-stderr halo run gauss:1 in -r --out-dir out --json
    [ "$(grep -c '"error":"out/[123].pgm exists' <<< "$output")" -eq 3 ]
    halo run gauss:1 in -r --out-dir out --skip-existing
}

@test "two operations without a bar between them" {
    wrong "operations are joined by |: 'gauss:2 | median:3'" run 'gauss:2 median:3' in.pgm -o x.png
    wrong "operations are joined by |: 'gray | stats'" run 'gray stats' in.pgm -o x.png
}

@test "a part without frames, and sounds of other channels, are told apart" {
    printf '1\n2\n3\n' > a.csv
    run --separate-stderr halo run --rate 0.1 trim:1,3 a.csv -o b.csv
    [ "$status" -eq 1 ]; says "no frame lies between the beginning and the end: both are frame 0"
    printf '1,2\n3,4\n' > two.csv
    run --separate-stderr halo compare a.csv two.csv
    [ "$status" -eq 1 ]; says "two.csv has 2 channels, and a.csv has 1"
}

# What stands twice in front of messages: "expr: expr: column 3".
doubled() { grep -E '(^|[ :])([A-Za-z0-9_.-]+): \2(:| )' "$1"; }

@test "messages name an operation once" {
    make_rgb in.ppm 8 6
    make_wav in.wav 2000
    halo list ops --json | sed -n 's/^{"type":"op","name":"\([^"]*\)".*/\1/p' > names
    [ "$(wc -l < names)" -gt 100 ]
    while read -r op; do
        for value in '' ':' ':zz' ':-1' ':"v+*"' ':[gauss:zz]' ':1,[gauss:zz]' ':[on:9,[gauss:1]]' \
            ':[resize:50%]'; do
            halo run -q "$op$value" in.ppm -o o.npy -f 2>> said || true
        done
        halo run -q "$op:[on:9,[gauss:1]]" in.wav -o o.npy -f 2>> said || true
    done < names
    for pipeline in 'on:1,[on:9,[gauss:1]]' 'on:1,[gauss:1],on=zz' 'on:1,[resize:50%]' gauss:1,on=9 \
        'gauss:1,mask=[on:9,[gauss:1]]' rate:zz limit:zz limit:-1dB,on=9 expr:v,on=9 rate:1,rate=2; do
        halo run -q "$pipeline" in.ppm -o o.npy -f 2>> said || true
        halo run -q "$pipeline" in.wav -o o.npy -f 2>> said || true
    done
    grep -q 'expr: column 3: expected a value' said
    grep -q 'on: there is no channel 9' said
    ! doubled said
}
