# Help, lists, version, and what is generated from the tables.
# shellcheck disable=SC2016,SC2002,SC2154,SC2030,SC2031
setup() { load common; common_setup; topics='units border alpha nan pipelines times masks formats'; }

@test "--help shows examples first and names every command" {
    run halo --help
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == *"halo run gauss:2 in.png"* ]]
    for command in run stats hist scan info list help; do [[ "$output" == *"  $command"* ]]; done
    [ "$(wc -l <<< "$output")" -le 40 ]
    for line in "${lines[@]}"; do [ "${#line}" -le 86 ] || { echo "$line"; false; }; done
    [[ "$output" == *'halo help TOPIC'*'units, border, '*'halo help WORD'*'halo help noise'* ]]
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

@test "help on an unknown word suggests a known one" {
    run --separate-stderr halo help gaus
    [ "$status" -eq 2 ]
    says "did you mean 'gauss'?"
    run --separate-stderr halo help untis
    [ "$status" -eq 2 ]
    says "did you mean 'units'?"
    run --separate-stderr halo help qqqqqq
    [ "$status" -eq 2 ]
    says "no command, operation or topic 'qqqqqq'; see 'halo --help'"; says 'topics: units'
}

# The commands that a topic shows, one a line.
topic_commands() { halo help "$1" | grep '^  halo '; }

# run_commands: each line of standard input as a command.
run_commands() {
    while read -r line; do
        bash -euo pipefail -c "halo() { \"$HALO\" \"\$@\"; }; $line" > said < /dev/null ||
            { echo "$line"; return 1; }
    done
}

@test "every topic is half a page, and its commands run" {
    make_rgb in.ppm 24 20; halo run '' in.ppm -o in.png
    make_rgb mask.ppm 24 20; halo run 'gray' mask.ppm -o mask.png; halo run cutout:mask.png in.png -o logo.png
    make_wav notes.wav 400
    printf 'v\n1\n2\nnan\n4\n5\n6\n' > trace.csv
    for topic in ${topics#units }; do
        run halo help "$topic"
        [ "$status" -eq 0 ]; [[ "${lines[0]}" == "$topic: "* ]]
        [ "$(wc -l <<< "$output")" -le 25 ]
        [ "$(awk '{ print length }' <<< "$output" | sort -n | tail -n 1)" -le 78 ]
        [ "$(topic_commands "$topic" | wc -l)" -ge 2 ]
        topic_commands "$topic" | run_commands
    done
    [ "$(tail -n +2 filled.csv | tr '\n' ' ')" = '2 2 3 4.5 5 5 ' ] # no gap
    halo info inner.png | grep -q 'size  *16 x 12'
    halo info out.pam | grep -q '16-bit'
}

@test "topics are in --help, the manual page and completions, and their examples run" {
    for topic in $topics; do
        halo --help | grep -q "[ ,]$topic\b"
        halo --generate man | grep -q "^\.SS $topic$"
    done
    for shell in bash zsh fish; do halo --generate "complete-$shell" | grep -q "bench help $topics "; done
    run halo help units
    [ "$status" -eq 0 ] && [ "${#lines[@]}" -le 40 ]
    [[ "$output" == 'units: '* && "$output" == *65535* && "$output" == *'--white 1 '* &&
        "$output" == *'--axes hwc,alpha'* ]]
    make_gray frame.pgm 9 7 65535; halo run '' frame.pgm -o frame.png
    make_gray dark.pgm 9 7 200; halo run 'depth:f32 | gain:1' dark.pgm -o dark.npy
    halo help units | grep '^  halo ' > examples
    [ "$(wc -l < examples)" -eq 3 ]
    run_commands < examples
    halo info g.png | grep -q '16-bit integers' && halo info light.png | grep -q '16-bit integers'
    run halo help gauss units # one after the other
    [ "$status" -eq 0 ] && [[ "$output" == *$'\nunits: full scale'* ]]
}

# finds WORDS… -- LINE…: halo help of the words lists these lines.
finds() {
    local words=()
    while [ "$1" != -- ]; do words+=("$1"); shift; done
    shift
    run halo help "${words[@]}"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    for line in "$@"; do
        grep -qFe "$line" <<< "$output" || { echo "expected: $line"; echo "$output"; return 1; }
    done
}

@test "help by task: operations, names in other tools and recipes of the cookbook" {
    finds noise -- '  bilateral  ' '  median  ' '  Take noise away and keep edges' \
        "    halo run 'bilateral:3,range=8%' lake.png -o kept.png"
    finds 'flat field' -- '  divide  ' '  flat field: divide:flat.png,unit=mean' '  Divide by a flat field' \
        '    halo run divide:white.png,unit=mean '
    [ "$(halo help flat field)" = "$output" ]
    finds lens -- '  disk  ' '  bokeh, lens blur: disk, with --linear'
    finds background -- '  subtract  ' '  tophat  ' '  Subtract the background' "    halo run 'unsharp:sigma=20"
    finds Thumbnail -- '  resize  ' '  Make a thumbnail' '  Thumbnails of a folder'
    finds mask -- '  masks  ' '  conv  ' '  Feather a mask'
    finds top-hats -- '  tophat  '
    [ "$(halo help HighPass | tail -n +2)" = "$(halo help 'high pass' | tail -n +2)" ]
    finds units noise -- 'units: full scale' '  bilateral  '
    # Whole words: "lens" is none of "silenceremove", "edge" none of "Hedgehog".
    run halo help lens; [[ "$output" != *silence* ]]
    run --separate-stderr halo help oise; [ "$status" -eq 2 ]; [ -z "$output" ]
    for words in '' ' ' '-' '%s%n' $'\xff' '"' 's' 'es'; do
        run halo help "$words"; [ "$status" -eq 2 ] || [ "$status" -eq 0 ]
    done
}

@test "help by task finds every recipe and every name of the cookbook" {
    local page=$BATS_TEST_DIRNAME/../../docs/cookbook.md
    load fenced
    mapfile -t recipes < <(headings "$page")
    halo help "${recipes[@]}" > said
    for heading in "${recipes[@]}"; do grep -qxF "  $heading" said || { echo "$heading"; return 1; }; done
    sed -n '/^| elsewhere/,$p' "$page" | tail -n +3 | cut -d'|' -f2 | sed 's/ · /\n/g' | tr -d '\140' |
        sed 's/^ *//; s/ *$//' > names
    mapfile -t names < names
    [ "${#names[@]}" -gt 40 ]
    halo help "${names[@]%%,*}" > said # fails where one is unknown
    grep -qxF '  flat field: divide:flat.png,unit=mean' said
}

@test "the help of a command includes the operation of that name" {
    for command in stats hist scan pages; do
        run halo help "$command"
        [[ "$output" == "halo $command: "*"As an operation of a pipeline"*"Parameters; "*'Output'* ||
            "$output" == "halo $command: "*"As an operation of a pipeline"*"Parameters; "*'Input'* ]]
        for key in $(halo list ops --json | grep "\"name\":\"$command\"" | grep -o '"key":"[a-z]*"' |
            cut -d'"' -f4); do
            [[ "$output" == *$'\n  '"$key"[=\ ]* || "$output" == *$'\n  '"[$key]"* ]]
        done
    done
    halo help hist | grep -q -- '--bins'
    [[ "$(halo help info)" != *'As an operation'* ]]
}

@test "help says which values without keys an operation takes, and they mean what it says" {
    make_rgb c.ppm 20 10
    mapfile -t ops < <(halo list ops --json |
        sed -nE 's/.*"name":"([a-z0-9]*)".*/\1/p' | grep -vxE 'stats|hist|scan|pages')
    [ "${#ops[@]}" -ge 55 ]
    for op in "${ops[@]}"; do
        halo help "$op" | grep -q '^Parameters' || continue # it has none
        line=$(halo help "$op" | tr '\n' ' ' | tr -s ' ' | grep -o 'may be left out: [^ ]* is [^ ]*')
        short=${line#*: } short=${short% is *} long=${line##* is }
        [ "${short%%:*}" = "$op" ]
        [[ $short != *…* ]] || continue
        # What fails does so alike: sound, and files that are not there.
        halo run "$short" c.ppm -o x.ppm --explain > short.txt 2>&1 || true
        halo run "$long" c.ppm -o x.ppm --explain > long.txt 2>&1 || true
        cmp short.txt long.txt
    done
    halo help gauss | grep -q 'gauss:2 is gauss:sigma=2$'
    halo help clamp | tr '\n' ' ' | grep -q 'clamp:16,235 is clamp:min=16,max=235'
}

@test "help names the default border of pictures and of sound" {
    halo help gauss | tr '\n' ' ' | tr -s ' ' | grep -q "default: replicate for pictures, mirror for sound"
}

@test "help stays within 80 columns" {
    for page in run stats hist scan info list gauss conv lowpass $topics; do
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
    halo --version --json | "$PYTHON" -c 'import json,sys
v = json.load(sys.stdin)
assert v["version"] and v["compiler"].split()[0] in ("GCC", "Clang") and "baseline" in v["variants"]
assert all(type(have) in (bool, str) for have in v["features"].values())
names = "JPEG TIFF FLAC MP3 WebP GIF HEIF JXL FITS EXR loudness KissFFT ISA-L libdeflate LCMS CUDA"
assert set(v["features"]) == set(names.split())'
}

@test "--version names the version, and the commit of a checkout" {
    run halo --version
    [ "$status" -eq 0 ]
    [[ "$output" =~ ^halo\ [0-9]+\.[0-9]+\.[0-9]+\ \(([0-9a-f]{7,}\;\ )? ]]
}

@test "--version and --explain name the kernels that run here" {
    make_worked in.pgm
    best=$(halo list devices | sed -n 's/^cpu .*, \(.*\), [0-9]* threads*$/\1/p')
    for name in $best baseline; do
        export HALO_CPU=$name
        [[ "$(halo --version)" == *"; $name kernels)" ]]
        [[ "$(halo --version --json)" == *'"variant":"'$name'"'* ]]
        halo run gauss:2 in.pgm -o out.pgm --explain --device cpu | grep -q "^backend cpu $name ("
        halo run gauss:2 in.pgm -o out.pgm --explain --device cpu --json |
            grep -q "\"variant\":\"$name\""
    done
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

@test "a pipeline is completed by operations, keys and values" {
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

@test "other tools' names of an operation are accepted where they mean the same" {
    printf 'P5 2 1 255\n\001\002' > in.pgm
    halo run negate in.pgm -o negate.pgm
    halo run invert in.pgm -o invert.pgm
    cmp negate.pgm invert.pgm
    [ "$(halo help grayscale)" = "$(halo help gray)" ]
    halo help gray | grep -q '^Aliases: .*greyscale'
}

@test "list ops --json names the type of every parameter" {
    halo list ops --json | grep -o '"key":"[a-z]*","type":[^,]*' > types
    [ "$(grep -c . types)" -gt 100 ]
    grep -q '"key":"expr","type":"text"' types
    run grep -vE \
        ':"(number|integer|switch|choice|length|frequency|level|factor|mask|border|point|file|source|text)"$' \
        types
    [ -z "$output" ]
}

@test "the table of operations has a row for each" {
    [ "$(halo --generate ops-table | wc -l)" -eq "$(($(halo list ops --json | wc -l) + 2))" ]
}

@test "docs/operations.md has that table" {
    halo --generate ops-table > made.md
    sed '1,/^<!-- halo --generate ops-table -->$/d; /^<!-- end -->$/,$d' \
        "$BATS_TEST_DIRNAME/../../docs/operations.md" > found.md
    [ -s found.md ]
    diff made.md found.md
}

@test "help by task begins with what is called so, and an unknown command leads to it" {
    for word in limiter:limit echos:echo welch:psd mfccs:mfcc; do
        [[ "$(halo help "${word%:*}" | grep -A1 '^Operations' | tail -n 1)" == "  ${word#*:} "* ]]
    done
    run ! grep spectrogram <(halo help welch)
    run --separate-stderr halo podcast a.wav
    [ "$status" -eq 2 ]; says "unknown command 'podcast'; 'halo help podcast' finds what does it here"
    run --separate-stderr halo qqqqqq a.wav
    [ "$status" -eq 2 ]; says "see 'halo --help'"
}
