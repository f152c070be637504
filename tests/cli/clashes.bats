# Outputs and inputs of a command: two names of one file are found before anything is written.
# shellcheck disable=SC2154
setup() {
    load common; common_setup
    make_gray a.pgm 9 7; make_gray b.pgm 9 7
}

all_files() { find . -type f ! -name 'separate-stderr-*' -exec cksum {} + | sort -k3; }

# refused TEXT ARGUMENTS…: with status 2 and these words, and all files are as they were.
refused() {
    local text=$1; shift
    before=$(all_files)
    run --separate-stderr halo "$@"
    [ "$status" -eq 2 ] || { echo "exit $status: $*"; return 1; }
    says "$text" && [ "$(all_files)" = "$before" ]
}

@test "an output and a plot" {
    refused 'b.png: the output and --plot would be the same file' \
        run 'gauss:1 | hist' a.pgm -o b.png --plot b.png -f
    refused 'the same file' run 'gauss:1 | hist' a.pgm -o b.png --plot ./x/../b.png
    refused 'the same file' run 'gauss:1 | hist' a.pgm --out-dir new/./deep --name b.png --plot new/deep/b.png
    mkdir real; ln -s real link
    refused 'the same file' run 'gauss:1 | hist' a.pgm -o link/b.png --plot real/b.png
    ln -s real/to-be.png dangling.png
    refused 'the same file' run 'gauss:1 | hist' a.pgm -o dangling.png --plot real/to-be.png
    halo run '' a.pgm -o c.png; ln c.png hard.png
    refused 'the same file' run 'gauss:1 | hist' a.pgm -o hard.png --plot c.png -f
    halo run 'gauss:1 | hist' a.pgm -o link/b.png --plot link/c.png > /dev/null
}

@test "two outputs of a batch" {
    mkdir out; ln -s a.pgm out/b.pgm
    refused 'a.pgm and b.pgm would become out/a.pgm and out/b.pgm, which are the same file' \
        run gauss:1 a.pgm b.pgm \
        --out-dir out -f
    rm out/b.pgm; cp a.pgm out; ln out/a.pgm out/b.pgm
    refused 'which are the same file' run gauss:1 a.pgm b.pgm --out-dir out -f
    rm -r out; mkdir elsewhere; ln -s elsewhere out
    halo run gauss:1 a.pgm b.pgm --out-dir out -q
    [ -s elsewhere/a.pgm ] && [ -s elsewhere/b.pgm ]
}

@test "the journal, and what is printed" {
    refused 'out/.halo-journal: the output and the journal would be the same file' \
        run gauss:1 a.pgm --out-dir out \
        --name .halo-journal
    run bash -c '"$HALO" hist a.pgm --plot h.svg -f > h.svg'
    [ "$status" -eq 2 ]; [[ $output == *'--plot and what is printed would be the same file'* ]]
    run bash -c '"$HALO" run "gauss:1 | hist" a.pgm -o - --plot p.png -f > p.png'
    [ "$status" -eq 2 ]; [[ $output == *'standard output: the output and --plot would be the same file'* ]]
    halo hist a.pgm --plot h.svg -f > table
    halo run gauss:1 a.pgm -o /dev/stdout -f > out.pgm; [ -s out.pgm ]
    halo run 'gauss:1 | hist' a.pgm -o /dev/null --plot h.svg -f > /dev/null
}

@test "inputs, and files that are named after them" {
    refused './b.pgm is an input' run gauss:1 a.pgm b.pgm --out-dir . -f --exclude a.pgm
    ln -s b.pgm mask.svg
    refused 'mask.svg is an input' run hist mask.svg --plot mask.svg -f
    refused 'mask.svg is an input' run hist b.pgm --plot mask.svg -f
    cp a.pgm a.mask.png; cp a.pgm b.mask.png
    refused 'a.mask.png is read by the pipeline' run 'add:{stem}.mask.png | hist' a.pgm -o o.pgm \
        --plot a.mask.png -f
    refused './b.mask.png is read by the pipeline' run 'add:[add:{stem}.mask.png]' b.pgm a.pgm --out-dir . \
        --name '{stem}.mask.png' -f
    mkdir in out; cp a.pgm in/1.pgm; cp a.pgm in/2.pgm; cp a.pgm out/2.png
    refused './out/2.png is read by the pipeline' run 'add:out/{stem}.png' in/2.pgm in/1.pgm --out-dir ./out \
        --to png -f
    printf '0\n1\n' > curve.csv; ln -s curve.csv curve.pgm
    refused 'curve.pgm is read by the pipeline' run lut:curve.csv a.pgm -o curve.pgm -f
    refused 'curve.pgm is read by the pipeline' run 'add:[icc:curve.csv]' a.pgm -o curve.pgm -f
    printf '0\n1\n0\n' > ir.svg
    refused 'ir.svg is read by the pipeline' run fir:file=ir.svg --plot-response ir.svg -f
    run --separate-stderr halo run gauss:1 --plot-response r.svg -o s.wav
    [ "$status" -eq 2 ]; says 'give no input and no output'; [ ! -e r.svg ]
}

@test "an input that does not exist yet is not another input's output" {
    refused 'out/2.pgm is an input' run gauss:1 out/2.pgm a.pgm --out-dir out --name '{index}.pgm'
}
