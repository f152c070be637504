# Faults, their messages and exit statuses.
# shellcheck disable=SC2016,SC2002,SC2154
setup() { load common; common_setup; make_worked in.pgm; }

@test "an unknown option, command, operation and key get a suggestion" {
    run --separate-stderr halo run gauss:2 in.pgm --ouput x.png
    [ "$status" -eq 2 ]; says "did you mean '--output'?"
    run --separate-stderr halo rnu
    [ "$status" -eq 2 ]; says "did you mean 'run'?"
    run --separate-stderr halo reduce in.pgm
    [ "$status" -eq 2 ]; says "is an operation: halo run 'reduce:expr="; says "' INPUT; see 'halo help reduce'"
    run --separate-stderr halo gauss:2 in.pgm -o x.png
    [ "$status" -eq 2 ]; says "is a pipeline: halo run 'gauss:2' INPUT -o OUTPUT"
    run --separate-stderr halo run gaus:2 in.pgm -o x.png
    [ "$status" -eq 2 ]; says "did you mean 'gauss'?"
    run --separate-stderr halo run blur:2 in.pgm -o x.png
    [ "$status" -eq 2 ]; says "did you mean 'gauss' or 'box' or 'disk' or 'bilateral'?"
    for word in Gaussian-Blur gaussian_filter GAUSS; do
        run --separate-stderr halo run $word:2 in.pgm -o x.png
        [ "$status" -eq 2 ]; says "did you mean 'gauss'?"
    done
    run --separate-stderr halo run wobble:2 in.pgm -o x.png
    [ "$status" -eq 2 ]; says "see 'halo list ops'"
    run --separate-stderr halo help invrt
    [ "$status" -eq 2 ]; says "did you mean 'invert'?"
    run --separate-stderr halo run gauss:sgma=2 in.pgm -o x.png
    [ "$status" -eq 2 ]; says "did you mean 'sigma'?"
    run --separate-stderr halo run sobel:axis=z in.pgm -o x.png
    [ "$status" -eq 2 ]; says "axis"
    run --separate-stderr halo hist --bin 3 in.pgm
    [ "$status" -eq 2 ]; says "did you mean '--bins'?"
    run --separate-stderr halo run gauss:2 in.pgm -o x.out --to pgn
    [ "$status" -eq 2 ]; says "did you mean"
    [ ! -e x.png ]
}

@test "invalid values are named" {
    for option in "--jobs 0" "--jobs x" "--device gpu:x" "--alpha none" "--max-pixels -3" "--raw u8:3x" \
        "--raw s8,1,1" "--raw s16:3x3" \
        "--progress loud" "--max-memory 0"; do
        # shellcheck disable=SC2086
        run --separate-stderr halo run gauss:2 in.pgm -o x.png $option
        [ "$status" -eq 2 ]
        says "${option%% *}"
    done
    run --separate-stderr halo run gauss:two in.pgm -o x.png
    [ "$status" -eq 2 ]
    says sigma
    run --separate-stderr halo hist --bins '[1' in.pgm
    [ "$status" -eq 2 ]; says "halo: --bins: a quotation mark, comma, | or bracket is not allowed in '[1'"
    run --separate-stderr halo run conv:mask=/dev/zero in.pgm -o x.png
    [ "$status" -eq 2 ]; says "halo: /dev/zero is too large for a mask: at most 64 MiB are read"
    run --separate-stderr halo run gauss:1 in.pgm -o x.png --max-memory 1
    [ "$status" -eq 5 ]; says "and 1 byte is allowed"
}

@test "missing commands, pipelines, inputs and outputs" {
    run --separate-stderr halo
    [ "$status" -eq 2 ]; says "--help"
    run --separate-stderr halo run
    [ "$status" -eq 2 ]; says "pipeline is missing"
    run --separate-stderr halo run gauss:2
    [ "$status" -eq 2 ]; says "input is missing"
    run --separate-stderr halo run gauss:2 in.pgm
    [ "$status" -eq 2 ]; says "--out-dir"
    run --separate-stderr halo run in.pgm gauss:2 -o x.png
    [ "$status" -eq 2 ]; says "pipeline comes first"
    run --separate-stderr halo gauss in.pgm
    [ "$status" -eq 2 ]; says "halo run 'gauss:2'"
}

@test "options that the command lacks, or that exclude each other" {
    run --separate-stderr halo stats in.pgm --plot x.svg
    [ "$status" -eq 2 ]; says "halo stats"
    run --separate-stderr halo run gauss:2 in.pgm -o x.png --out-dir y
    [ "$status" -eq 2 ]
    run --separate-stderr halo run gauss:2 in.pgm -o x.png --name '{stem}'
    [ "$status" -eq 2 ]; says "--out-dir"
    run --separate-stderr halo run gauss:2 in.pgm in.pgm -o x.png
    [ "$status" -eq 2 ]; says "--out-dir"
    run --separate-stderr halo run gauss:2 in.pgm --out-dir y --name '{stm}.png'
    [ "$status" -eq 2 ]; says "did you mean 'stem'?"
}

@test "a bad mask: file, line, column, and what was expected" {
    printf '3 3\n1 2 1\n2 x 2\n1 2 1\n' > k.mat
    run --separate-stderr halo run conv:mask=k.mat in.pgm -o x.png
    [ "$status" -eq 2 ]
    says "k.mat:3:3: expected a number, found 'x'"
}

@test "a missing input, and a folder" {
    run --separate-stderr halo run gauss:2 none.png -o x.png
    [ "$status" -eq 1 ]
    [ "$stderr" = "halo: none.png: No such file or directory" ]
    # A name is printed once, also where the message begins like it, as "no known format" does.
    echo 'neither image nor sound' > no
    run --separate-stderr halo run gauss:2 no -o x.png
    [[ "$stderr" = "halo: no: no known image or audio format"* ]]
    run --separate-stderr halo merge none.json
    [ "$stderr" = "halo: merge: none.json: No such file or directory" ]
    mkdir folder
    run --separate-stderr halo stats folder
    [ "$status" -eq 1 ]; says "folder: is a folder; -r"
}

@test "an unknown format, and a known one that is refused" {
    echo 'nothing of the kind' > x.foo
    run --separate-stderr halo stats x.foo
    [ "$status" -eq 1 ]; says "halo list formats"
    printf 'GIF89a\1\0\1\0' > x.gif
    run --separate-stderr halo stats x.gif
    [ "$status" -eq 1 ]; says GIF
    run --separate-stderr halo run gauss:2 in.pgm -o x.xyz
    [ "$status" -eq 2 ]; says xyz
}

@test "a truncated PNG: the reason, no output; --tolerate uses the rows that exist" {
    make_gray big.pgm 64 64
    halo run '' big.pgm -o big.png
    head -c "$(($(stat -c %s big.png) / 2))" big.png > cut.png
    run --separate-stderr halo run gauss:2 cut.png -o out.png
    [ "$status" -eq 1 ]; says "cut.png: "
    [ ! -e out.png ]
    run halo run gauss:2 cut.png -o out.png --tolerate
    [ "$status" -eq 0 ]
    [ -s out.png ]
    [ "$(find . -name '.*halo*')" = "" ]
}

@test "an output that exists is left alone without --force" {
    echo old > out.png
    run --separate-stderr halo run gauss:2 in.pgm -o out.png
    [ "$status" -eq 1 ]; says "--force"; says "--skip-existing"
    [ "$(cat out.png)" = old ]
    run halo run gauss:2 in.pgm -o out.png --skip-existing
    [ "$status" -eq 0 ]
    [ "$(cat out.png)" = old ]
    run halo run gauss:2 in.pgm -o out.png -f
    [ "$status" -eq 0 ]
    [ "$(cat out.png)" != old ]
}

@test "an output that is the input is refused, by any name and also with -f" {
    before=$(cksum < in.pgm)
    ln in.pgm hard.pgm
    ln -s in.pgm soft.pgm
    for name in in.pgm ./in.pgm hard.pgm soft.pgm; do
        run --separate-stderr halo run gauss:2 in.pgm -f -o $name
        [ "$status" -eq 2 ]; says "input"
    done
    run --separate-stderr halo hist in.pgm -f --plot soft.pgm
    [ "$status" -ne 0 ]
    [ "$(cksum < in.pgm)" = "$before" ]
}

@test "an output that is a folder is refused" {
    mkdir folder.png
    run --separate-stderr halo run gauss:2 in.pgm -f -o folder.png
    [ "$status" -eq 2 ]; says "folder.png"
    [ -d folder.png ]
}

@test "/dev/full: exit 4, and the device still exists" {
    [ -c /dev/full ] || skip "there is no /dev/full"
    run --separate-stderr halo run gauss:2 in.pgm -o /dev/full
    [ "$status" -eq 4 ]; says "No space left on device"
    [ -c /dev/full ]
    run --separate-stderr halo run gauss:2 in.pgm -o - > /dev/null
    run --separate-stderr bash -c '"$HALO" stats in.pgm > /dev/full'
    [ "$status" -eq 4 ]; says "cannot write standard output: No space left on device"
    run --separate-stderr bash -c '"$HALO" --help > /dev/full'
    [ "$status" -eq 4 ]
    run --separate-stderr bash -c '"$HALO" run gauss:2 in.pgm -o - > /dev/full'
    [ "$status" -eq 4 ]
}

@test "standard output closed: an error, and no file takes its place" {
    run --separate-stderr bash -c '"$HALO" stats in.pgm >&-'
    [ "$status" -eq 4 ]; says "standard output"
    run bash -c '"$HALO" run gauss:2 in.pgm -o out.png >&- <&-'
    [ "$status" -eq 0 ]
    [ -s out.png ]
}

@test "the reader of standard output has closed it: no message and exit 141" {
    make_gray big.pgm 400 400
    run bash -c '{ "$HALO" run gauss:2 big.pgm -o -; echo "$?" > code; } 2> said | true; cat code said'
    [ "$output" = 141 ]
    run bash -c \
        '{ "$HALO" hist --bins 100000 --json big.pgm; echo "$?" > code; } 2> said |
        head -c 1 > /dev/null; cat code said'
    [ "$output" = 141 ]
}

@test "a folder that cannot be written" {
    [ "$(id -u)" -ne 0 ] || skip "root may write everywhere"
    mkdir shut
    chmod 555 shut
    run --separate-stderr halo run gauss:2 in.pgm -o shut/out.png
    [ "$status" -eq 4 ]; says "Permission denied"
    run --separate-stderr halo run gauss:2 in.pgm --out-dir shut/deep
    [ "$status" -eq 4 ]; says "Permission denied"
}

@test "an output folder that is a file" {
    echo x > file
    run --separate-stderr halo run gauss:2 in.pgm --out-dir file/deep
    [ "$status" -eq 4 ]; says "file"
}

@test "too many pixels: size, limit and the option" {
    make_gray big.pgm 64 64
    run --separate-stderr halo stats big.pgm --max-pixels 1000
    [ "$status" -eq 5 ]; says "1000"; says "--max-pixels"
    run halo stats big.pgm --max-pixels 2^12
    [ "$status" -eq 0 ]
    run halo stats big.pgm --max-pixels 1M
    [ "$status" -eq 0 ]
    printf 'P5 100000 100000 255\n' > huge.pgm
    run --separate-stderr halo stats huge.pgm
    [ "$status" -eq 5 ]; says "--max-pixels"
}

@test "too much memory: needed against allowed" {
    make_gray big.pgm 600 600
    run --separate-stderr halo run 'gauss:2 | equalize' big.pgm -o x.png --max-memory 100K
    [ "$status" -eq 5 ]; says "--max-memory"
}

@test "an image larger than the memory allowed passes in bands" {
    make_gray big.pgm 600 600
    halo run gauss:2 big.pgm -o all.png
    halo run gauss:2 big.pgm -o bands.png --max-memory 100K
    cmp all.png bands.png
}

# repeated N TEXT BETWEEN
repeated() { awk -v n="$1" -v text="$2" -v between="$3" \
    'BEGIN { for (i = 0; i < n; i++) printf "%s%s", i ? between : "", text }'; }

@test "pipelines of thousands of operations are planned at once; beyond the limits they are refused" {
    make_worked in.pgm
    local nested
    nested() { echo "$(repeated "$1" 'add:[gauss:1 | ' '')invert$(repeated "$1" ']' '')"; }
    timeout 60 "$HALO" run "$(repeated 3000 gauss:1 ' | ')" in.pgm -o out.pgm
    timeout 60 "$HALO" run "$(repeated 2000 'add:[gauss:1]' ' | ')" in.pgm -f -o out.pgm
    timeout 60 "$HALO" run "$(nested 64)" in.pgm -f -o out.pgm
    run --separate-stderr halo run "$(repeated 4097 invert '|')" in.pgm -o none.pgm
    [ "$status" -eq 2 ]; says "more than 4096 operations"
    run --separate-stderr halo run "$(repeated 3000 'add:[gauss:1]' '|')" in.pgm -o none.pgm # branches count
    [ "$status" -eq 2 ]; says "more than 4096 operations"
    run --separate-stderr halo run "$(nested 65)" in.pgm -o none.pgm
    [ "$status" -eq 2 ]; says "nested more than 64 deep"
    [ ! -e none.pgm ]
}

@test "--device gpu without one: exit 3 and the cause" {
    halo list devices | grep -q '^gpu:0' && skip "there is a GPU"
    run --separate-stderr halo run gauss:2 in.pgm -o x.png --device gpu
    [ "$status" -eq 3 ]
    [ -n "$stderr" ]
    [ ! -e x.png ]
    run halo run gauss:2 in.pgm -o x.png --device auto
    [ "$status" -eq 0 ]
}

@test "border=valid without any output: exit 1" {
    run --separate-stderr halo run box:9,border=valid in.pgm -o x.png
    [ "$status" -eq 1 ]; says "in.pgm"
    [ ! -e x.png ]
}

@test "SIGTERM: exit 143, the number of finished files, nothing half-written" {
    mkfifo pipe
    "$HALO" stats in.pgm pipe > /dev/null 2> said &
    local pid=$!
    exec 7> pipe
    sleep 0.3
    kill -TERM $pid
    local code=0
    wait $pid || code=$?
    exec 7>&-
    [ "$code" -eq 143 ]
    grep -q "1 of 2 inputs done" said
}
