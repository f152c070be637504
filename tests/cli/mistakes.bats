# What is often typed in place of what is meant.
# shellcheck disable=SC2154
setup() { load common; common_setup; make_gray in.pgm 8 6; }

# wrong TEXT ARGUMENT…: a usage error that says so, and no x.
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
    wrong "--out-dir DIR takes many" convert in.pgm in.pgm in.pgm -o x.png
    wrong "an output is missing" convert in.pgm
}

@test "results need no output, whatever comes before them" {
    halo run 'crop:4x2+1+1 | stats' in.pgm --json | grep -q '"width":4,"height":2'
    halo run 'gauss:1 | hist' in.pgm > text
    [ "$(halo run 'gauss:1 | stats' in.pgm --json)" = "$(halo run 'gauss:1 | stats' in.pgm --json -o f.npy 2>&1 | head -1)" ]
    wrong "an output is missing" run gauss:1 in.pgm
}

@test "words in the wrong place are told apart" {
    wrong "the pipeline comes first, as in halo run 'gauss:2' in.pgm" run in.pgm gauss:2 -o x.png
    wrong "did you mean 'gauss'" run in.pgm gausss:2 -o x.png
    wrong "none.png: no such file, and not a pipeline" run none.png -o x.png
    wrong "x.png does not exist: -o x.png writes it" run gauss:2 in.pgm x.png
    wrong "'sobel' is an operation, not a file: operations are joined by |" run gauss:2 sobel in.pgm -o x.png
    wrong "parameters follow a colon, as in gauss:" run 'gauss(2)' in.pgm -o x.png
    wrong "parameters follow a colon, as in gauss:" run gauss=2 in.pgm -o x.png
    wrong "--quality 80" run gauss:2 in.pgm -o x.jpg -q 80
    wrong "needs quotes" run gauss:2
    mkdir folder
    wrong "folder is a folder: --out-dir writes into it" run gauss:2 in.pgm -o folder
    wrong "'webp' is not a format that halo writes" run gauss:2 in.pgm -o x.webp
    wrong "did you mean '--at-most'" compare in.pgm in.pgm --tolerance 1
    wrong "did you mean '--jobs'" run gauss:2 in.pgm -o x.png --threads 2
    wrong "did you mean the operation 'gauss'" blur in.pgm
    run --separate-stderr halo run gauss:2 in.pgm -o none/x.png
    [ "$status" -eq 4 ] && says "none/x.png: its folder does not exist"
}
