# Inputs that are not what halo reads, or not what they say: refused in words, and the rest goes on.
# shellcheck disable=SC2016,SC2002,SC2154
setup() { load common; common_setup; make_worked in.pgm; }

@test "formats that are only written are refused in words that say so" {
    halo run gauss:1 in.pgm -o x.bmp
    halo run 'depth:f32' in.pgm -o x.hdr
    halo run gauss:1 in.pgm -o x.tga
    cp x.bmp other.name
    cp x.hdr wrong.png
    for file in x.bmp x.hdr x.tga other.name wrong.png; do
        for what in info stats hist; do
            run --separate-stderr halo $what $file
            [ "$status" -eq 1 ]; says "$file: "; says "is only written, not read"; says "halo list formats"
        done
        run --separate-stderr halo run gauss:1 $file -o out.png
        [ "$status" -eq 1 ]; says "is only written, not read"
        [ ! -e out.png ]
        run --separate-stderr bash -c "cat $file | \"\$HALO\" run gauss:1 - -o out.png"
        [ "$status" -eq 1 ]
        [ ! -e out.png ]
    done
}

@test "one of them in a batch fails alone" {
    printf 'BM\x1a\0\0\0\0\0\0\0\x1a\0\0\0\x0c\0\0\0\1\0\1\0\1\0\x18\0' > bad.bmp
    cp in.pgm last.pgm
    run --separate-stderr halo info in.pgm bad.bmp last.pgm
    [ "$status" -eq 1 ]; says "bad.bmp: bmp is only written"
    [[ "$output" == *"last.pgm"* ]]
    run --separate-stderr halo run gauss:1 in.pgm bad.bmp last.pgm --out-dir out
    [ "$status" -eq 1 ]; says "bad.bmp: bmp is only written"
    [ -s out/in.pgm ] && [ -s out/last.pgm ]
    run --separate-stderr halo stats --json in.pgm bad.bmp last.pgm
    [ "$status" -eq 1 ]
    [[ "$output" == *'"file":"last.pgm"'* ]]
}
