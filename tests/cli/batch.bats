# Many inputs: names, folders, failures that do not stop the others.
# shellcheck disable=SC2016,SC2002,SC2154
setup() { load common; common_setup; make_gray a.pgm 20 10; }

@test "one bad file never stops the rest" {
    echo broken > bad.png
    cp a.pgm z.pgm
    run --separate-stderr halo run gauss:1 a.pgm bad.png none.pgm z.pgm --out-dir out
    [ "$status" -eq 1 ]
    says "halo: bad.png: "
    says "halo: none.pgm: No such file or directory"
    says "2 done, 2 failed"
    [ "$(ls out)" = $'a.pgm\nz.pgm' ]
    [ "$(find out -name '.*')" = out/.halo-journal ] # for --resume
}

@test "the JSON of a batch names every output and sums up" {
    echo broken > bad.png
    run --separate-stderr halo run gauss:1 a.pgm bad.png --out-dir out --json
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 3 ]
    [[ "${lines[0]}" == \
        '{"type":"file","file":"a.pgm","output":"out/a.pgm","status":"ok","error":null,"clipped":0,"peak":null,"ms":{"read":'* ]]
    [[ "${lines[1]}" == '{"type":"file","file":"bad.png","output":"out/bad.png","status":"failed","error":"'* ]]
    [[ "${lines[2]}" == \
        '{"type":"summary","ok":1,"failed":1,"skipped":0,"seconds":'*'"backend":"cpu","device":"'* ]]
}

@test "when all inputs fail alike the exit status is theirs" {
    run halo stats none1.pgm none2.pgm
    [ "$status" -eq 1 ]
    run halo stats a.pgm a.pgm --max-pixels 10
    [ "$status" -eq 5 ]
    printf 'P2 2 2 255 1 2 3 4\n' > small.pgm
    run halo stats a.pgm small.pgm --max-pixels 10
    [ "$status" -eq 1 ]
}

@test "outputs that would be the same are found before anything is written" {
    mkdir one two
    cp a.pgm one/x.pgm
    cp a.pgm two/x.pgm
    run --separate-stderr halo run gauss:1 one/x.pgm two/x.pgm --out-dir out
    [ "$status" -eq 2 ]
    says "one/x.pgm and two/x.pgm would both become out/x.pgm"
    [ ! -e out ]
    run halo run gauss:1 one/x.pgm two/x.pgm --out-dir out --name '{index}_{stem}.{ext}'
    [ "$status" -eq 0 ]
    [ "$(ls out)" = $'1_x.pgm\n2_x.pgm' ]
}

@test "an output that is another input is refused before anything is written" {
    cp a.pgm b.pgm
    before=$(cksum < b.pgm)
    run --separate-stderr halo run invert a.pgm b.pgm --out-dir . --name '{stem}.pgm' -f
    [ "$status" -eq 2 ]
    says "is an input"
    [ "$(cksum < b.pgm)" = "$before" ]
}

@test "folders: known formats, sorted, sub-folders kept, hidden ones and loops left out" {
    mkdir -p in/sub/deep in/.hidden
    cp a.pgm in/B.PGM
    cp a.pgm in/sub/c.pgm
    cp a.pgm in/sub/deep/d.pgm
    cp a.pgm in/.hidden/e.pgm
    cp a.pgm in/.f.pgm
    echo text > in/readme.txt
    ln -s .. in/sub/loop
    run halo run gauss:1 in -r --out-dir out --json
    [ "$status" -eq 0 ]
    [ "$(cd out && find . -type f | sort)" = $'./B.PGM\n./sub/c.pgm\n./sub/deep/d.pgm' ]
    [[ "${lines[0]}" == *'"in/B.PGM"'* && "${lines[2]}" == *'"in/sub/deep/d.pgm"'* ]]
    run halo stats -r in/.hidden --json
    [ "${#lines[@]}" -eq 1 ]
    mkdir nothing
    run --separate-stderr halo stats -r nothing
    [ "$status" -eq 1 ]
    says "nothing: no file of a known format"
}

@test "outputs inside of the input folder are not taken for inputs" {
    mkdir in
    cp a.pgm in/a.pgm
    halo run gauss:1 in -r --out-dir in/out
    run halo run gauss:1 in -r --out-dir in/out -f --json
    [ "${#lines[@]}" -eq 2 ]
}

@test "names from a template, and another format" {
    mkdir -p in/sub
    cp a.pgm in/sub/x.y.pgm
    halo run gauss:1 in -r --out-dir out --name '{dir}/{stem}_s.{ext}' --to png
    [ "$(find out -type f)" = out/sub/x.y_s.png ]
    halo run gauss:1 a.pgm --out-dir out2 --name '{dir}/{stem}.{ext}'
    [ -s out2/a.pgm ]
    run --separate-stderr halo run gauss:1 - --out-dir out3 < a.pgm
    [ "$status" -eq 2 ]
    says "--to"
    halo run gauss:1 - --out-dir out3 --to png < a.pgm
    [ -s out3/stdin.png ]
}

@test "names stay in the folder" {
    for name in '../{stem}.{ext}' '{stem}/../../x.{ext}' '{dir}/../{stem}.{ext}'; do
        run --separate-stderr halo run gauss:1 a.pgm --out-dir out --name "$name"
        [ "$status" -eq 2 ]; says "is outside the folder"
    done
}

@test "names get the extension of --to" {
    for to in pgm:out/a.pgm pnm:out/a.pgm jpeg:out/a.jpg jpg:out/a.jpg tif:out/a.tif tiff:out/a.tif; do
        [ "$(halo run gauss:1 a.pgm --out-dir out -n --to ${to%:*})" = "a.pgm -> ${to#*:}" ]
    done
    halo run '' a.pgm -o a.png
    [ "$(halo run gauss:1 a.png --out-dir out -n --to pgm)" = "a.png -> out/a.pgm" ]
    [ "$(halo run gauss:1 a.png --out-dir out -n --to pnm)" = "a.png -> out/a.ppm" ]
}

@test "--dry-run prints the outputs and writes nothing" {
    run halo run gauss:1 a.pgm --out-dir out -n
    [ "$status" -eq 0 ]
    [ "$output" = "a.pgm -> out/a.pgm" ]
    [ ! -e out ]
}

@test "--skip-existing leaves outputs that are there" {
    cp a.pgm b.pgm
    halo run gauss:1 a.pgm --out-dir out
    run halo run gauss:1 a.pgm b.pgm --out-dir out --skip-existing --json
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == *'"status":"skipped"'* && "${lines[1]}" == *'"status":"ok"'* ]]
    [[ "${lines[2]}" == *'"ok":1,"failed":0,"skipped":1'* ]]
}

@test "--explain prints the plan and writes nothing" {
    run halo run 'gauss:4 | sobel' a.pgm -o out.png --explain
    [ "$status" -eq 0 ]
    [[ "$output" == *gauss* && "$output" == *sobel* && "$output" == *cpu* ]]
    [ ! -e out.png ]
}

@test "--progress json counts the inputs" {
    cp a.pgm b.pgm
    run --separate-stderr halo stats a.pgm b.pgm --progress json
    [ "$status" -eq 0 ]
    says '{"type":"progress","done":2,"total":2,"failed":0,'
}

@test "-v says where it ran, -q says nothing" {
    run --separate-stderr halo run gauss:1 a.pgm -o x.pgm -v
    says "cpu"
    says "clipped"
    run --separate-stderr halo run gauss:1 a.pgm a.pgm --out-dir q --name '{index}.pgm' -q
    [ -z "$stderr$output" ]
}

@test "info as text and as JSON, of images and sound" {
    make_wav s.wav 4000
    run halo info a.pgm s.wav
    [ "$status" -eq 0 ]
    [[ "$output" == *"20 x 10"* && "$output" == *"8000 Hz"* && "$output" == *"0.500 s"* ]]
    run halo info --json a.pgm s.wav
    [[ "${lines[0]}" == \
        '{"type":"info","file":"a.pgm","format":"pnm","kind":"image","width":20,"height":10,'* ]]
    [[ "${lines[1]}" == *'"kind":"audio","width":4000,'*'"rate":8000,"seconds":0.5,'* ]]
    run --separate-stderr halo info a.pgm none.pgm
    [ "$status" -eq 1 ]
}

@test "parallel files: the same bytes and the same report, in the order of the inputs" {
    mkdir in
    for i in 1 2 3 4 5 6 7 8 9; do make_gray "in/$i.pgm" $((300 / i)) $((40 * i)); done
    head -c 100 in/1.pgm > in/5.pgm # one of them is bad
    for jobs in 1 3 20; do
        run --separate-stderr halo run 'gauss:1 | stats' in -r --out-dir "out$jobs" -j $jobs
        [ "$status" -eq 1 ]; says "5.pgm"; says "8 done, 1 failed"
        printf '%s\n' "$output" > "page$jobs"
        diff -r -x .halo-journal out1 "out$jobs"
        cmp page1 "page$jobs"
    done
    run --separate-stderr halo run gauss:1 in -r --out-dir out1 -j 3 --skip-existing
    [ "$status" -eq 1 ]; says "0 done, 1 failed, 8 skipped"
}

@test "a file that needs more memory than its share runs alone" {
    for i in 1 2 3; do make_gray $i.pgm 300 300; done
    make_gray large.pgm 600 600
    halo run 'gauss:1 | normalize' 1.pgm large.pgm 2.pgm 3.pgm --out-dir out --to pgm -j 4 --max-memory 3M
    [ -e out/large.pgm ] && [ -e out/3.pgm ]
}

@test "--explain says how the threads are shared" {
    make_gray a.pgm 20 20; make_gray b.pgm 20 20
    run halo run gauss:1 a.pgm -o x.png --explain -j 4 --device cpu
    [[ "$output" == *"jobs    4 threads that cut each file into slices"* ]]
    run halo run gauss:1 a.pgm b.pgm --out-dir out --explain -j 4 --device cpu
    [[ "$output" == *"jobs    2 threads for each of 2 files at a time"* ]]
}

@test "a hundred files of all kinds, twenty of them broken" {
    run "$BATS_TEST_DIRNAME/../long/mixed.sh" "$HALO" 100 5
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == "100 files, 20 bad: 80 done, each bad one named, the same with 1 job and 8" ]]
}
