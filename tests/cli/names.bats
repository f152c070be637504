# Names and texts from files: control characters are escaped, not sent to a terminal, and drawings stay
# well-formed.
# shellcheck disable=SC2154,SC2016
setup() {
    load common; common_setup
    bad=$'e\033]0;title\007\033[31m\x7f\xc2\x85\xe2\x80\xaefdp\xff\nhalo: all is well.pgm'
    shown=$'e$\'\\033\']0;title$\'\\a\\033\'[31m$\'\\177\\302\\205\\342\\200\\256\'fdp'
    shown+=$'$\'\\377\\n\'halo: all is well.pgm'
    nice='größe 日本 é $x "a" tab.pgm'
    make_gray "$bad" 4 3; cp "$bad" "$nice"; cp "$bad" plain.pgm
}

# clean FILE…: no control character but tabs and line breaks, nothing that turns the direction, and UTF-8.
clean() { ! LC_ALL=C grep -lP \
    '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xff' "$@"; }

@test "results, messages and notes" {
    halo stats "$bad" plain.pgm > stats.txt; grep -qF "$shown: image" stats.txt
    halo stats "$bad" plain.pgm --total > total.txt; grep -qF "min in $shown, max in " total.txt
    halo stats --csv "$bad" > stats.csv # for programs: the name itself, in quotation marks
    printf '"%s",' "$bad" > quoted
    tail -n +2 stats.csv | head -c "$(wc -c < quoted)" | cmp - quoted
    script -qec "'$HALO' stats --csv '$bad'" log > tty.csv < /dev/null || cp /dev/null tty.csv
    halo hist "$bad" --bins 4 > hist.txt; halo info "$bad" > info.txt
    halo compare "$bad" plain.pgm > same.txt; grep -qF "$shown, plain.pgm" same.txt
    halo run gauss:1 "$bad" plain.pgm --out-dir out -n > dry.txt; grep -qF "$shown -> out/$shown" dry.txt
    halo run --explain "add:'$bad'" "$bad" plain.pgm > plan.txt; grep -qF "with    v1: $shown, " plan.txt
    halo run gauss:1 "$bad" -v -o v.pgm 2> verbose.txt; grep -qF "$shown -> v.pgm: " verbose.txt
    run --separate-stderr halo info "no$bad"
    [ "$status" -eq 1 ]; [ "$stderr" = "halo: no$shown: No such file or directory" ]
    printf '%s' "$stderr" > error.txt
    run --separate-stderr halo run "gauss:$bad" plain.pgm -o x.pgm
    [ "$status" -eq 2 ]; printf '%s' "$stderr" > pipeline.txt
    run --separate-stderr halo "$bad"; printf '%s' "$stderr" > command.txt
    run --separate-stderr halo run 'gauss:1' "$bad" -o "$bad" -f; printf '%s' "$stderr" > input.txt
    tr -d '\r' < tty.csv > tty.txt
    clean ./*.txt
}

@test "plain names, and JSON, are unchanged" {
    [ "$(halo stats "$nice" | head -n 1)" = "$nice: image, 4 x 3, gray, u8" ]
    [ "$(halo stats --csv "$nice" | tail -n 1 | cut -d, -f1)" = '"größe 日本 é $x ""a"" tab.pgm"' ]
    need json
    halo stats --json "$bad" |
        "$PYTHON" -c 'import json, sys; print(ascii(json.load(sys.stdin)["file"]))' > name
    [ "$(cat name)" = "'e\\x1b]0;title\\x07\\x1b[31m\\x7f\\x85\\u202efdp\\ufffd\\nhalo: all is well.pgm'" ]
}

@test "colours on a terminal are only halo's own" {
    command -v script > /dev/null || skip "there is no script(1)"
    TERM=xterm script -qec '"$HALO" stats plain.pgm e*' /dev/null < /dev/null | tr -d '\r' > typed
    grep -qF $'\033[1m'"$shown"$'\033[0m: image' typed
}

@test "a message may have several lines, but no name adds one" {
    run --separate-stderr halo run 'reduce:expr="a+"' plain.pgm
    [ "${stderr_lines[1]}" = '  a+' ]
    run --separate-stderr halo info $'x\nhalo: done'
    [ "${#stderr_lines[@]}" -eq 1 ]; says "x\$'\\n'halo: done: No such file"
}

@test "SVG is well-formed whatever names, titles and cells hold" {
    need xml.dom.minidom
    long=$(printf 'ä%.0s' {1..100}).pgm # cut between its letters
    cp plain.pgm "x$long"; cp plain.pgm "$long"
    text=$'\x01\x0b\xff\xc3(\xed\xa0\x80\xef\xbf\xbf\xef\xbf\xbe\x7f<&>]]>'
    printf 'x%s,y%s\n1,2\n3,4\n' "$text" "$text" > lines.csv
    printf 'what,n%s\na%s,2\nb,4\n' "$text" "$text" > bars.csv
    halo plot lines.csv -o lines.svg --title "$text"
    halo plot bars.csv -o bars.svg
    n=0
    for name in "$bad" "$nice" "$long" "x$long"; do
        n=$((n + 1)); halo hist "$name" --plot $n.svg > /dev/null
    done
    make_wav s$'\xff'$'\033'.wav 3000
    halo run spectrogram s$'\xff'$'\033'.wav --plot s.svg 2> /dev/null ||
        halo run level s$'\xff'$'\033'.wav --plot s.svg
    for svg in *.svg; do
        "$PYTHON" -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$svg" ||
            { echo "$svg"; return 1; }
    done
    grep -qF '>größe 日本' 2.svg
    ! grep -q "\\\\303" 3.svg 4.svg
}
