# Help, lists, version, and what is generated from the tables.
# shellcheck disable=SC2016,SC2002,SC2154
setup() { load common; common_setup; }

@test "--help shows examples first and names every command" {
    run halo --help
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == *"halo run gauss:2 in.png"* ]]
    for command in run stats hist scan info list help; do [[ "$output" == *"  $command"* ]]; done
    [ "${#lines[@]}" -le 42 ]
}

@test "every command has a page, by --help and by help" {
    for command in run stats hist scan info list help; do
        run halo "$command" --help
        [ "$status" -eq 0 ]
        [[ "${lines[0]}" == "halo $command: "* ]]
        [ "$output" = "$(halo help "$command")" ]
    done
}

@test "every operation has a page with every parameter" {
    for op in $(halo list ops --json | sed 's/.*"name":"\([a-z0-9]*\)","help".*/\1/'); do
        run halo help "$op"
        [ "$status" -eq 0 ]
    done
    run halo help gauss
    [[ "$output" == *"sigma"* && "$output" == *"truncate=4"* && "$output" == *"border"* ]]
}

@test "help on what does not exist suggests what does" {
    run --separate-stderr halo help gaus
    [ "$status" -eq 2 ]
    says "did you mean 'gauss'?"
    run --separate-stderr halo help unit
    [ "$status" -eq 2 ]
    says "did you mean 'units'?"
    run --separate-stderr halo help qqqqqq
    [ "$status" -eq 2 ]
    says "'qqqqqq' is no command, operation or topic; see 'halo --help'"; says 'topics: units'
}

@test "topics are in --help, the manual page and completions, and their examples run" {
    halo --help | grep -q '^  units  *full scale, numbers'
    halo --generate man | grep -q '^\.SS units'
    for shell in bash zsh fish; do halo --generate "complete-$shell" | grep -q 'bench help units '; done
    run halo help units
    [ "$status" -eq 0 ] && [ "${#lines[@]}" -le 40 ]
    [[ "$output" == 'units: '* && "$output" == *65535* && "$output" == *'--white 1 '* && "$output" == *'--axes hwc,alpha'* ]]
    make_gray frame.pgm 9 7 65535; halo run '' frame.pgm -o frame.png
    make_gray dark.pgm 9 7 200; halo run 'depth:f32 | gain:1' dark.pgm -o dark.npy
    halo help units | grep '^  halo ' > examples
    [ "$(wc -l < examples)" -eq 3 ]
    while read -r line; do bash -c "halo() { \"$HALO\" \"\$@\"; }; $line"; done < examples
    halo info g.png | grep -q '16-bit integers' && halo info light.png | grep -q '16-bit integers'
    run halo help gauss units # one after the other
    [ "$status" -eq 0 ] && [[ "$output" == *$'\nunits: full scale'* ]]
}

@test "help stays within 80 columns" {
    for page in run stats hist scan info list gauss conv lowpass units; do
        run halo help "$page"
        for line in "${lines[@]}"; do [ "${#line}" -le 80 ] || { echo "$line"; false; }; done
    done
}

@test "list names operations, masks, formats and devices" {
    run halo list ops
    [ "$status" -eq 0 ]
    [[ "$output" == *gauss* && "$output" == *savgol* ]]
    run halo list masks
    [[ "$output" == *sobel* ]]
    run halo list formats
    [[ "$output" == *png* && "$output" == *npy* && "$output" == *wav* ]]
    run halo list devices
    [[ "$output" == *cpu* ]]
    run --separate-stderr halo list opps
    [ "$status" -eq 2 ]
    says "did you mean 'ops'?"
}

@test "lists and the version are JSON when asked" {
    need_numpy
    for list in ops masks formats devices; do
        halo list $list --json | "$PYTHON" -c 'import json,sys
for line in sys.stdin: assert json.loads(line)["type"] in ("op", "mask", "format", "device")'
    done
    halo --version --json | "$PYTHON" -c 'import json,sys; assert json.load(sys.stdin)["version"]'
}

@test "--version names the version" {
    run halo --version
    [ "$status" -eq 0 ]
    [[ "$output" =~ ^halo\ [0-9]+\.[0-9]+\.[0-9]+ ]]
}

@test "options may stand before the command, and -- ends them" {
    make_worked ./-odd.pgm
    run halo --json stats -- -odd.pgm
    [ "$status" -eq 0 ]
    [[ "$output" == '{"type":"stats","file":"-odd.pgm"'* ]]
}

@test "the manual page is free of roff mistakes" {
    halo --generate man > halo.1
    [ "$(head -c 9 halo.1)" = ".TH HALO " ]
    command -v groff > /dev/null || skip "there is no groff"
    run groff -man -Tutf8 -ww -z halo.1
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "bash completes commands, operations, options and values" {
    halo --generate complete-bash > halo.bash
    bash -n halo.bash
    cat > try.bash << 'END'
source ./halo.bash
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _halo; echo "${COMPREPLY[@]}"
END
    [ "$(bash try.bash halo stat)" = stats ]
    [ "$(bash try.bash halo run gauss:2 --out-)" = --out-dir ]
    [ "$(bash try.bash halo run --device c)" = cpu ]
    [ "$(bash try.bash halo hist --bi)" = --bins ]
    [ "$(bash try.bash halo list fo)" = formats ]
}

@test "a pipeline that is being typed goes on with operations, keys and values" {
    [ "$(halo --complete gaus)" = "$(printf 'gauss\ngauss:')" ]
    [ "$(halo --complete 'gray | gaus' | tail -n 1)" = 'gray | gauss:' ]
    [ "$(halo --complete 'gauss:2,bor')" = gauss:2,border= ]
    [ "$(halo --complete 'gauss:2,border=rep')" = gauss:2,border=replicate ]
    [ "$(halo --complete 'subtract:[media' | head -n 1)" = 'subtract:[median' ]
    [ "$(halo --complete 'blend:[sobel],am')" = 'blend:[sobel],amount=' ]
    [ "$(halo --complete 'divide:[gauss:2 | box:3],unit=me')" = 'divide:[gauss:2 | box:3],unit=mean' ]
    [ "$(halo --complete 'subtract:[add:[gain:2],a')" = 'subtract:[add:[gain:2],at=' ]
    [ "$(halo --complete 'subtract:[gauss:2] | gaus' | head -n 1)" = 'subtract:[gauss:2] | gauss' ]
    halo --complete sobel: | grep -q '^sobel:axis=$'
    [ -z "$(halo --complete 'nothing:a')" ]
}

@test "bash completes inside of a pipeline, in quotes and without" {
    halo --generate complete-bash > halo.bash
    cat > try.bash << 'END'
source ./halo.bash
COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=(halo run "${1##* }") COMP_CWORD=2; _halo; echo "${COMPREPLY[@]}"
END
    PATH=$(dirname "$HALO"):$PATH
    [ "$(bash try.bash 'halo run gaus')" = "gauss gauss:" ]
    [ "$(bash try.bash "halo run 'gauss:2 | gaus")" = "gauss:2 | gauss gauss:2 | gauss:" ]
    [ "$(bash try.bash 'halo run gauss:sig')" = "sigma=" ]
    [[ "$(bash try.bash 'halo run gauss:2 --out')" == *--out-dir* ]]
}

@test "what other tools call an operation is taken where it means the same" {
    printf 'P5 2 1 255\n\001\002' > in.pgm
    halo run negate in.pgm -o negate.pgm
    halo run invert in.pgm -o invert.pgm
    cmp negate.pgm invert.pgm
    [ "$(halo help grayscale)" = "$(halo help gray)" ]
    halo help gray | grep -q '^Also taken: .*greyscale'
}

@test "completions for zsh and fish are well-formed" {
    halo --generate complete-zsh > _halo
    halo --generate complete-fish > halo.fish
    [ "$(head -n 1 _halo)" = "#compdef halo" ]
    if command -v zsh > /dev/null; then zsh -n _halo; fi
    if command -v fish > /dev/null; then fish -n halo.fish; fi
}

@test "list ops --json names the type of every parameter" {
    halo list ops --json | grep -o '"key":"[a-z]*","type":[^,]*' > types
    [ "$(grep -c . types)" -gt 100 ]
    grep -q '"key":"expr","type":"text"' types
    run grep -vE ':"(number|integer|switch|choice|length|frequency|level|factor|mask|border|point|file|source|text)"$' types
    [ -z "$output" ]
}

@test "the table of operations has a row for each" {
    [ "$(halo --generate ops-table | wc -l)" -eq "$(($(halo list ops --json | wc -l) + 2))" ]
}

@test "README has that table" {
    halo --generate ops-table > made.md
    sed '1,/^<!-- halo --generate ops-table -->$/d; /^<!-- end -->$/,$d' "$BATS_TEST_DIRNAME/../../README.md" > found.md
    [ -s found.md ]
    diff made.md found.md
}
