# --resume: interrupted work continues, finished outputs stay, and foreign files are not replaced.
# shellcheck disable=SC2016,SC2002,SC2154
setup() {
    load common; common_setup
    mkdir -p in/sub
    for i in 1 2 3 4; do make_gray in/$i.pgm $((10 + i)) 7; done
    make_gray in/sub/5.pgm 9 9
}

@test "a second run does nothing, a changed input or pipeline what is needed" {
    run --separate-stderr halo run gauss:1 in -r --out-dir out --resume
    [ "$status" -eq 0 ]; says "5 done, 0 failed, 0 skipped"
    run --separate-stderr halo run gauss:1 in -r --out-dir out --resume -j 3
    [ "$status" -eq 0 ]; says "0 done, 0 failed, 5 skipped"
    make_gray in/2.pgm 12 8
    run --separate-stderr halo run gauss:1 in -r --out-dir out --resume
    [ "$status" -eq 0 ]; says "1 done, 0 failed, 4 skipped"
    run --separate-stderr halo run gauss:1.5 in -r --out-dir out --resume
    [ "$status" -eq 0 ]; says "5 done"
    run --separate-stderr halo run gauss:1.5 in -r --out-dir out --resume --to pgm
    [ "$status" -eq 0 ]; says "5 done"
    halo run gauss:1.5 in -r --out-dir fresh
    diff -r -x .halo-journal out fresh
}

@test "a mask file that was edited makes its outputs out of date; options that change no byte do not" {
    printf '1,2,1\n' > k.csv
    halo run conv:k.csv in -r --out-dir out --resume -q
    run --separate-stderr halo run conv:k.csv in -r --out-dir out --resume --device cpu --json --max-memory 1G
    [[ "${lines[5]}" == *'"ok":0,"failed":0,"skipped":5'* ]]
    printf '1,2,2\n' > k.csv
    run --separate-stderr halo run conv:k.csv in -r --out-dir out --resume
    says "5 done"
}

@test "so does a table of lut" {
    for contents in '0\n1\n' '1\n0\n'; do
        printf "$contents" > curve.csv
        run --separate-stderr halo run lut:curve.csv in -r --out-dir out --resume
        [ "$status" -eq 0 ]; says "5 done"
        run --separate-stderr halo run lut:curve.csv in -r --out-dir out --resume
        says "5 skipped"
    done
}

@test "an output that was changed, cut short or removed is made again" {
    halo run gauss:1 in -r --out-dir out --resume -q
    cp -r out expected
    rm out/1.pgm
    head -c 20 expected/2.pgm > out/2.pgm
    printf x | dd of=out/3.pgm bs=1 seek=30 conv=notrunc 2> dd.txt
    run --separate-stderr halo run gauss:1 in -r --out-dir out --resume
    [ "$status" -eq 0 ]; says "3 done, 0 failed, 2 skipped"
    diff -r -x .halo-journal expected out
}

@test "a file that halo did not write is left alone" {
    mkdir out
    echo mine > out/3.pgm
    for i in 1 2; do
        run --separate-stderr halo run gauss:1 in -r --out-dir out --resume
        [ "$status" -eq 1 ]; says "out/3.pgm exists: use --force"
        [ "$(cat out/3.pgm)" = mine ]
    done
    says "0 done, 1 failed, 4 skipped"
}

@test "existing outputs that no journal names stay" {
    halo run gauss:1 in -r --out-dir out -q # as if it had been killed after the journal went
    [ ! -e out/.halo-journal ]
    ls -i out/*.pgm out/sub/*.pgm > before
    run --separate-stderr halo run gauss:1 in -r --out-dir out --resume --dry-run
    [ "$status" -eq 0 ]; [[ $output == *"out/2.pgm (stays if it is the same)"* ]]
    printf x | dd of=out/3.pgm bs=1 seek=30 conv=notrunc 2> dd.txt
    cp out/3.pgm changed
    run --separate-stderr halo run gauss:1 in -r --out-dir out --resume
    [ "$status" -eq 1 ]; says "out/3.pgm exists: use --force"; says "4 done, 1 failed"
    cmp changed out/3.pgm
    ls -i out/*.pgm out/sub/*.pgm | diff before -
    [ -z "$(find out -name '.*.halo-*')" ]
    rm out/3.pgm
    run --separate-stderr halo run gauss:1 in -r --out-dir out --resume
    [ "$status" -eq 0 ]; says "1 done, 0 failed, 4 skipped"
    run --separate-stderr halo run gauss:2 in -r --out-dir out --resume # and it has become halo's own
    [ "$status" -eq 0 ]; says "5 done, 0 failed, 0 skipped"
    halo run gauss:2 in -r --out-dir fresh -q
    diff -r -x .halo-journal out fresh
}

@test "the journal is removed after success, and stays after failures or with --resume" {
    halo run gauss:1 in -r --out-dir out -q
    [ ! -e out/.halo-journal ]
    echo broken > in/bad.png
    run --separate-stderr halo run gauss:1 in -r --out-dir out2
    [ "$status" -eq 1 ]; says "--resume"
    make_gray one.pgm 5 5 && halo run '' one.pgm -o in/bad.png -f
    run --separate-stderr halo run gauss:1 in -r --out-dir out2 --resume
    [ "$status" -eq 0 ]; says "1 done, 0 failed, 5 skipped"
    [ -e out2/.halo-journal ]
}

@test "a journal of garbage, partial lines and strange names" {
    cp in/1.pgm $'in/tab\there \\ new\nline.pgm'
    halo run gauss:1 in -r --out-dir out --resume -q
    journal=$(cat out/.halo-journal; echo .)
    run --separate-stderr halo run gauss:1 in -r --out-dir out --resume
    says "0 done, 0 failed, 6 skipped"
    { printf '#\thalo 0\t'; head -c 3000 /dev/urandom; printf '%s' "${journal%?}"; printf '=\t1.pgm\t12\t'; } \
        > out/.halo-journal
    run --separate-stderr halo run gauss:2 in -r --out-dir out --resume
    [ "$status" -eq 0 ]; says "6 done"
    run --separate-stderr halo run gauss:2 in -r --out-dir out --resume
    [ "$status" -eq 0 ]; says "0 done, 0 failed, 6 skipped"
    rm out/.halo-journal && mkdir out/.halo-journal
    run --separate-stderr halo run gauss:2 in -r --out-dir out --resume
    [ "$status" -eq 4 ]; says "out/.halo-journal: cannot open it"
}

@test "a journal is read line by line, however long it is" {
    halo run gauss:1 in -r --out-dir out --resume -q
    cp out/.halo-journal lines
    { head -n 1 lines; head -c 100000 /dev/zero | tr '\0' a; echo; cat lines; } > out/.halo-journal
    truncate -s 600M out/.halo-journal
    run --separate-stderr bash -c 'ulimit -v 600000; "$HALO" run gauss:1 in -r --out-dir out --resume -j 1'
    [ "$status" -eq 0 ]; says "0 done, 0 failed, 5 skipped"
}

@test "a user's file with the journal's name is not changed, nor the target of a link of that name" {
    mkdir out; echo 'my diary' > out/.halo-journal; cp out/.halo-journal diary; : > empty
    for resume in '' --resume; do
        # shellcheck disable=SC2086
        run --separate-stderr halo run gauss:1 in -r --out-dir out $resume
        [ "$status" -eq 4 ]
        says "out/.halo-journal: cannot be the journal of this run, it was not written by halo: move it away"
        cmp diary out/.halo-journal
        for target in ../diary ../empty ../none; do
            rm out/.halo-journal; ln -s $target out/.halo-journal
            run --separate-stderr halo run gauss:1 in -r --out-dir out $resume
            [ "$status" -eq 4 ]; says "cannot be the journal of this run, it is a symbolic link: remove it"
        done
        [ "$(cat diary)" = 'my diary' ] && [ ! -s empty ] && [ ! -e none ]
        rm out/.halo-journal; cp diary out/.halo-journal
    done
    mv out/.halo-journal out/.halo-journal-old
    run --separate-stderr halo run gauss:1 in -r --out-dir out --resume
    [ "$status" -eq 4 ]; says "out/.halo-journal-old: cannot be the journal of this run"
    printf '#\tha' > out/.halo-journal; rm out/.halo-journal-old # the run was killed at once
    halo run gauss:1 in -r --out-dir out --resume -q
}

@test "temporaries of killed runs are removed, those of other outputs stay" {
    halo run gauss:1 in -r --out-dir out --resume -q
    printf '+\tsub/5.pgm\t0123456789abcdef\n' >> out/.halo-journal
    touch out/sub/.5.pgm.halo-aaaaaa out/sub/.6.pgm.halo-aaaaaa out/sub/.5.pgm.halo-bbbbbbb \
        out/.1.pgm.halo-cccccc
    chmod +t out/sub/.* out/.1* # halo's mark
    halo run gauss:1 in -r --out-dir out --resume -q
    [ "$(cd out && find . -name '.*.halo-*' | sort)" = \
        $'./.1.pgm.halo-cccccc\n./sub/.5.pgm.halo-bbbbbbb\n./sub/.6.pgm.halo-aaaaaa' ]
}

@test "a user's file with the name of a temporary stays" {
    mkdir out
    echo mine | tee .o.pgm.halo-000000 .o.pgm.halo-000002 > out/.1.pgm.halo-000000
    halo run gauss:1 in/1.pgm -o o.pgm; halo run gauss:2 in/1.pgm -o o.pgm -f
    printf '#\thalo 0\n+\t1.pgm\t0123456789abcdef\n' >> out/.halo-journal
    halo run gauss:1 in -r --out-dir out --resume -q
    for file in .o.pgm.halo-000000 .o.pgm.halo-000002 out/.1.pgm.halo-000000; do [ "$(cat $file)" = mine ]; done
    [ "$(find . -name '.*.halo-*' | wc -l)" -eq 3 ]
}

@test "--dry-run --resume prints what is left to do, and changes nothing" {
    halo run gauss:1 in -r --out-dir out --resume -q
    touch in/4.pgm
    before=$(cksum < out/.halo-journal)
    run halo run gauss:1 in -r --out-dir out --resume -n
    [ "$output" = "in/4.pgm -> out/4.pgm (replaced)" ]
    [ "$(cksum < out/.halo-journal)" = "$before" ]
}

@test "parts have journals of their own; resuming with other parts, or none, knows them all" {
    for i in 1 2 3; do halo run gauss:1 in -r --out-dir out --resume --shard $i/3 -q; done
    [ "$(cd out && ls -d .halo-journal*)" = \
        $'.halo-journal-1-of-3\n.halo-journal-2-of-3\n.halo-journal-3-of-3' ]
    run --separate-stderr halo run gauss:1 in -r --out-dir out --resume
    says "0 done, 0 failed, 5 skipped"
    run --separate-stderr halo run gauss:1 in -r --out-dir out --resume --shard 2/2
    says "0 done, 0 failed, 3 skipped"
}

@test "SIGINT and SIGTERM report how many are done, and how to continue" {
    mkfifo slow.pgm
    for signal in INT TERM; do
        # Shells start what is in the background with SIGINT ignored.
        env --default-signal=INT "$HALO" run gauss:1 in/1.pgm in/2.pgm slow.pgm in/3.pgm --out-dir out-$signal \
            -j 1 2> said &
        pid=$!
        until [ -e out-$signal/2.pgm ]; do sleep 0.01; done
        sleep 0.1
        kill -$signal $pid
        status=0; wait $pid || status=$?
        [ "$status" -eq $([ $signal = INT ] && echo 130 || echo 143) ]
        [ "$(cat said)" = "halo: stopped, 2 of 4 inputs done; the same command with --resume goes on" ]
        [ "$(ls out-$signal)" = $'1.pgm\n2.pgm' ]
    done
}

@test "a run that resumes waits for another in the same folder, and then finds its work done" {
    mkfifo slow.pgm
    halo run gauss:1 in/1.pgm slow.pgm in/2.pgm --out-dir out --resume -q & first=$!
    until [ -e out/1.pgm ]; do sleep 0.01; done
    halo run gauss:1 in/1.pgm in/2.pgm in/3.pgm --out-dir out --resume 2> said & second=$!
    until [ -s said ]; do sleep 0.01; done
    grep -q "waiting for another halo process that is using out/.halo-journal" said
    cat in/4.pgm > slow.pgm
    wait $first
    wait $second
    grep -q "1 done, 0 failed, 2 skipped" said
}

@test "runs that do not resume share a folder" {
    printf '%s\n' in/?.pgm | xargs -P 4 -n 2 "$HALO" run gauss:1 --out-dir out -q
    [ "$(ls out | wc -l)" -eq 4 ]
    halo run gauss:1 in -r --out-dir out2 -q
    diff out/1.pgm out2/1.pgm
}

@test "killed at thirty random moments" {
    run "$BATS_TEST_DIRNAME/../long/kill.sh" "$HALO" 30
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"nothing lost, nothing in part, nothing left behind" ]]
}

@test "options that exclude each other" {
    run --separate-stderr halo run gauss:1 in/1.pgm -o x.pgm --resume
    [ "$status" -eq 2 ]; says "--resume needs --out-dir"
    run --separate-stderr halo run 'stats | gauss:1' in -r --out-dir out --resume --total
    [ "$status" -eq 2 ]; says "--total needs every input"
}
