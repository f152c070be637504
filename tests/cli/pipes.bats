# Standard input and output, raw samples, lists of files.
# shellcheck disable=SC2016,SC2002,SC2154
setup() { load common; common_setup; make_worked in.pgm; }

@test "an image through standard input and output keeps its format" {
    halo run box:3 in.pgm -o straight.pgm
    halo run box:3 - -o - < in.pgm > piped.pgm
    cmp straight.pgm piped.pgm
    cat in.pgm | halo run box:3 - --to png -o - > piped.png
    halo run '' piped.png -o back.pgm
    cmp straight.pgm back.pgm
}

@test "a sound through standard input and output" {
    make_wav in.wav 2000
    halo run average:5ms in.wav -o straight.wav
    cat in.wav | halo run average:5ms - -o - | cat > piped.wav
    cmp straight.wav piped.wav
}

@test "results go to standard error when the image goes to standard output" {
    run --separate-stderr bash -c '"$HALO" run "box:3 | stats" in.pgm -o - --json > out.pgm'
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [[ "$stderr" == '{"type":"stats"'* ]]
    halo run box:3 in.pgm -o straight.pgm
    cmp straight.pgm out.pgm
}

@test "raw samples in and out" {
    printf 'abcdefghijkl' > in.raw
    halo run '' --raw u8:4x3 in.raw -o out.pgm
    [ "$(tail -c 12 out.pgm)" = abcdefghijkl ]
    halo run '' --raw u8:4x3x1 - -o - < in.raw > out.raw
    cmp in.raw out.raw
    run --separate-stderr halo stats --raw u8:5x3 in.raw
    [ "$status" -eq 1 ]
    [[ "$(halo stats --json --raw u8:2x2x3 in.raw)" == *'"channels":3'* ]]
}

@test "raw sound has a rate" {
    head -c 4000 /dev/zero > in.raw
    [[ "$(halo stats --json --raw f32,8000,2 in.raw)" == \
        *'"kind":"audio","width":500,"height":1,"channels":2,"dtype":"f32","rate":8000'* ]]
}

@test "lists of inputs, by lines and by zero bytes" {
    cp in.pgm 'a b.pgm'
    printf 'in.pgm\na b.pgm\n' > list
    [ "$(halo stats --json --files-from list | wc -l)" -eq 2 ]
    printf 'in.pgm\0a b.pgm\0' | halo run box:3 --files0-from - --out-dir out
    [ -s 'out/a b.pgm' ]
    [ -s out/in.pgm ]
    : > empty
    run --separate-stderr halo stats --files-from empty
    [ "$status" -eq 1 ]
}

@test "lists with CR LF, a byte order mark, and names that end with CR" {
    cp in.pgm 'a b.pgm'; cp in.pgm $'c.pgm\r'
    printf '\xef\xbb\xbfin.pgm\r\n\r\na b.pgm\r\nc.pgm' > list
    run halo info --json --files-from list
    [ "${#lines[@]}" -eq 3 ]
    [[ "${lines[0]}" == *'"file":"in.pgm"'* && "${lines[1]}" == *'"file":"a b.pgm"'* ]]
    [ "${lines[2]}" = "halo: c.pgm: No such file or directory" ]
    printf 'c.pgm\r\0' | halo info --files0-from - | grep -q 'format    pgm\|format    pnm'
    run --separate-stderr halo info --files0-from <(printf 'in.pgm\0\0')
    [ "$status" -eq 1 ]; says "name 2 is empty"
}

@test "lists that never end, and what is no list, are refused in little memory" {
    refused() { run --separate-stderr bash -c "ulimit -v 1500000; $1 | timeout 30 \"\$HALO\" $2"; [ "$status" \
        -eq "$3" ]; says "$4"; }
    refused 'cat /dev/zero' 'stats --files-from -' 1 \
        "standard input: contains NUL bytes: use --files0-from for such a list"
    refused 'cat /dev/zero' 'stats --files0-from -' 1 "standard input: name 1 is empty"
    refused 'tr "\0" a < /dev/zero' 'info --files-from -' 1 "standard input: line 1 has more than 65536 bytes"
    refused 'tr "\0" a < /dev/zero' 'info --files0-from -' 1 "standard input: line 1 has more than 65536 bytes"
    refused 'yes in.pgm' 'stats --max-memory 1M --files-from -' 5 \
        "its paths need more memory than 1024 KiB; raise the limit with --max-memory"
    refused 'yes in.pgm' 'info --max-memory 1M --files-from -' 5 \
        "its paths need more memory than 1024 KiB; raise the limit with --max-memory"
}

@test "a named pipe is written directly and stays" {
    mkfifo pipe
    cat pipe > got.pgm &
    halo run box:3 in.pgm -o pipe --to pnm
    wait $!
    [ -p pipe ]
    halo run box:3 in.pgm -o straight.pgm
    cmp straight.pgm got.pgm
}

@test "a PNG on a pipe gives the samples and messages of a file" {
    make_rgb noise.ppm 1100 1000
    halo run '' noise.ppm -o noise.png
    cat noise.png noise.png | halo run invert - -o - --to pnm > piped.ppm
    halo run invert noise.png -o straight.ppm
    cat straight.ppm straight.ppm | cmp - piped.ppm
    mkfifo pipe
    # near its end, at its end, and without its end: the file has to be read again
    size=$(stat -c %s noise.png)
    cp noise.png bad.png && printf 'xx' | dd of=bad.png bs=1 seek=$((size - 30000)) conv=notrunc status=none
    cp noise.png sum.png && printf 'x' | dd of=sum.png bs=1 seek=$((size - 14)) conv=notrunc status=none
    head -c $((size - 20000)) noise.png > cut.png
    for name in bad sum cut; do
        run -1 --separate-stderr halo stats $name.png
        inside=${stderr/$name.png/pipe}
        cat $name.png > pipe &
        run -1 --separate-stderr halo stats pipe
        wait $!
        [ "$stderr" = "$inside" ]
    done
    # without memory to keep it in, libpng reads it
    cat noise.png | halo stats --json --max-memory 1M - > little
    cat noise.png | halo stats --json - | diff - little
}
