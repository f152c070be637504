# The commands that documents show: every one of the cookbook's and of the README's beginning runs, in order, in
# a folder with the samples; then the outputs are checked.
# shellcheck disable=SC2016,SC2154
ROOT=$BATS_TEST_DIRNAME/../..
load fenced

# has_formats FILE HEADING: does this build have the formats of optional libraries that a recipe names?
has_formats() {
    local kind
    for kind in $(fenced "$@" | grep -oE '\b(webp|avif|heic|jxl|fits|exr)\b|phone/' | sort -u); do
        case $kind in
        phone/) ls phone/* > /dev/null 2>&1 || return 1 ;;
        *) halo list formats | grep -q "^ *$kind " || return 1 ;;
        esac
    done
}

# commands FILE [HEADING]: run what a document shows, stopping at the first that fails.
commands() {
    fenced "$@" > commands.sh
    grep -q '^halo\|| halo' commands.sh || { echo "no command in $*"; return 1; }
    bash -euo pipefail commands.sh
}

setup_file() {
    load common
    common_setup
    mkdir "$BATS_FILE_TMPDIR/kitchen"
    cd "$BATS_FILE_TMPDIR/kitchen" || return 1
    cp "$ROOT"/samples/*.{png,wav,mat} .
    export -f halo
    "$ROOT/docs/cookbook/inputs"
    mkdir said
    while read -r heading; do
        has_formats "$ROOT/docs/cookbook.md" "$heading" || continue
        commands "$ROOT/docs/cookbook.md" "$heading" > "said/$heading" 2> error ||
            { echo "$heading:"; cat error; } >> failures
    done < <(headings "$ROOT/docs/cookbook.md" | grep -vE '^(Compare CPU and GPU|Use all GPUs)$')
}

setup() {
    load common
    common_setup
    cd "$BATS_FILE_TMPDIR/kitchen" || return 1
}

# measure FILE KEY: of all channels, as stats says.
measure() { halo stats --full --json "$1" | sed 's/.*"all"://' | sed -En 's/.*"'"$2"'":(-?[0-9][^,}]*).*/\1/p' |
    grep .; }

# within VALUE LOW HIGH
within() { awk -v v="$1" "BEGIN { exit !(v != \"\" && v >= $2 && v <= $3) }" ||
    { echo "$1 is not in $2 to $3"; return 1; }; }

# fits COMPARISON A B KEY: the same measure of two files compares so.
fits() {
    local a b
    a=$(measure "$2" "$4") || { echo "no $4 of $2"; return 1; }
    b=$(measure "$3" "$4") || { echo "no $4 of $3"; return 1; }
    awk "BEGIN { exit !($a $1 $b) }" || { echo "$4 of $2 is $a, of $3 $b"; return 1; }
}

# fall FILE: from the median of its left 12 columns to that of its right.
fall() {
    halo run 'conv:mask="2x1: 1,0",dilation=180,border=valid' "$1" -o left.png -f
    halo run 'conv:mask="2x1: 0,1",dilation=180,border=valid' "$1" -o right.png -f
    echo $(($(measure left.png 50) - $(measure right.png 50)))
}

@test "every recipe runs" {
    if [ -e failures ]; then cat failures; return 1; fi
    [ "$(headings "$ROOT/docs/cookbook.md" | wc -l)" -ge 30 ]
}

@test "every output of a recipe exists and has the size of its input" {
    fenced "$ROOT/docs/cookbook.md" | grep -o -- '-o [a-z0-9-]*\.[a-z0-9]*' | sed 's/-o //' |
        grep -v '^plan.png$\|^same.png$\|\.svg$' > outputs
    [ "$(wc -l < outputs)" -ge 35 ]
    # shellcheck disable=SC2094 # no output is called info
    while read -r output; do
        axes=()
        [ "$output" != smooth.npy ] || axes=(--axes nhw) # pages
        halo info --json "$output" "${axes[@]}" > info || { echo "$output"; return 1; }
        case $output in
        spectrogram.png) grep -q '"width":345,"height":257' info ;;
        small.png) grep -q '"width":96,"height":64' info ;;
        spectrogram.png) grep -q '"width":345,"height":257' info ;;
        clear.png | equal.png | even.png | spots.png | sharp16.png | positive.png | integral.npy)
            grep -q '"width":224,"height":168' info ;;
        parted.png | large.png | canny.png | wide.png) grep -q '"width":160,"height":120' info ;;
        left.png | right.png) grep -q '"width":230,"height":200' info ;;
        panorama.png) grep -q '"width":328,"height":206' info ;;
        shaken.png | steady.png) grep -q '"width":190,"height":140' info ;;
        defects.png) grep -q '"width":160,"height":112' info ;;
        hills.npy | coins.npy) grep -q '"width":160,"height":120,.*"dtype":"f32"' info ;;
        *.png | *.jpg)
            size='384,"height":256|192,"height":112|224,"height":168|160,"height":160|64,"height":48'
            grep -qE "\"width\":($size)" info
            ;;
        paused.wav) grep -q '"kind":"audio","width":61740,' info ;;
        lecture.wav) grep -q '"kind":"audio","width":167580,' info ;;
        twice.wav) grep -q '"kind":"audio","width":87759,' info ;;
        16k.wav) grep -q '"width":32000,.*"rate":16000,' info ;;
        faster.wav) grep -q '"kind":"audio","width":35280,' info ;;
        echo.wav) grep -q '"kind":"audio","width":46746,' info ;;
        mixed.wav) grep -q '"kind":"audio","width":77175,' info ;;
        part.wav) grep -q '"kind":"audio","width":38588,' info ;;
        *.wav | *.flac) grep -qE '"kind":"audio","width":(44100|400),' info ;;
        esac || { echo "$output"; cat info; return 1; }
    done < outputs
    [ ! -e plan.png ]
    [ "$(cd parts && echo *)" = 'lecture-001.wav lecture-002.wav lecture-003.wav' ]
}

@test "a plot of a trace has all of its points" {
    grep -q '>Voltage</text>' trace.svg
    grep 'polyline' trace.svg | head -1 | grep -o ',' | wc -l | grep -qx 400
}

@test "photographs: sharper, softer, brighter, smaller" {
    fits '>' print.png lake.png sd
    fits '<' soft.png lake.png sd
    fits '<' motion.png lake.png sd
    fits '>' bright.png lake.png mean
    fits '>' local.png lake.png sd
    fits '>' defocus.png lake.png min
    [ "$(measure edges.png min)" = 0 ]
    [ "$(measure edges.png max)" = 255 ]
    within "$(measure small.png mean)" 60 130
}

@test "scans and microscopy: no specks, even light, 16 bits" {
    [ "$(measure page.pgm min)" = 0 ]
    within "$(measure clean.png min)" 10 255
    fits '<' clean.png page.pgm sd
    # The page's right edge is darker than its left by 90 levels; flattened, the two are nearly alike.
    within "$(fall clean.png)" 80 110
    within "$(fall flat.png)" -20 20
    [ "$(halo run 'reduce:expr="a+b",map="v>0&&v<255"' text.png | awk '/^gray/ { print $2 }')" = 0 ]
    within "$(measure text.png mean)" 200 250
    # Only ink and paper, as much ink left as right; cells have a small share of the image, equal in its
    # corners.
    for output in ink found; do
        [ "$(halo run 'reduce:expr="a+b",map="v>0&&v<255"' $output.png | awk '/^gray/ { print $2 }')" = 0 ]
    done
    within "$(measure ink.png mean)" 200 240
    within "$(measure found.png mean)" 20 50
    within "$(halo run 'threshold:otsu' cells.png -o plain.png -f && measure plain.png mean)" 12000 65535
    for output in clear equal even spots sharp16 positive; do
        halo info $output.png | grep -q 'read as u16'
        fits '>' $output.png cells.png sd
    done
    [ "$(measure clear.png max)" = 65535 ]
    within "$(measure equal.png mean)" 30000 35500
    fits '<' even.png equal.png 50
    halo info eight.png | grep -q 'read as u8'
    # The percentiles in the recipe are those that stats prints before it.
    for value in 9,364 11,031; do grep -q "$value" 'said/From 16 bits to 8, by the percentiles'; done
}

@test "less colour noise, a sharp band, an aligned burst and a panorama" {
    fits '<' calm.png specks.png sd
    halo compare lake.png miniature.png --json | grep -q '"differing":[1-9]'
    halo run -q crop:384x10+0+113 lake.png -o band.ppm -f
    halo run -q crop:384x10+0+113 miniature.png -o same.ppm -f
    cmp band.ppm same.ppm
    fits '>' steady.png shaken.png sd
    [ "$(awk -F, 'END { printf "%.0f %.0f", $2, $3 }' shift.csv)" = '98 6' ]
}

@test "masks: feathered, grown, opened; transparency without a fringe" {
    fits '<' feather.png level.png sd
    fits '>' grown.png level.png mean
    # Opening never adds.
    halo run 'gray | threshold:90' lake.png -o hard.png -f
    fits '<' opened.png hard.png mean
    # A dark fringe would be darker than every visible colour of the petals.
    halo run 'gauss:4' sticker.png -o straight.png --alpha straight -f
    fits '>' glow.png straight.png mean
}

@test "numbers: totals, percentiles, sums, your own measures" {
    grep -q '^3 files together' 'said/Mean and standard deviation of a data set'
    grep -q '^count *9,216' 'said/Mean and standard deviation of a data set'
    grep -q '^median' 'said/Percentiles of a raster'
    grep -q '<svg' histogram.svg
    grep -q '^all  *100$' 'said/A measure of your own'
    grep -q '0.89996' 'said/A measure of your own'
    # The integral image ends with the sum of all samples.
    [ "$(tail -c 8 integral.npy | od -An -t d8 | tr -d ' ')" = "$(measure cells.png sum)" ]
}

@test "sound: the hum and the click are removed, the notes are kept" {
    grep -q 'LUFS' 'said/Loudness and peak of a recording'
    for sound in notes no-hum; do
        halo run 'bandpass:low=40,high=60,taps=4001' $sound.wav -o $sound-50.wav -f
    done
    within "$(awk "BEGIN { print $(measure no-hum-50.wav rms) / $(measure notes-50.wav rms) }")" 0 0.05
    within "$(awk "BEGIN { print $(measure no-hum.wav rms) / $(measure notes.wav rms) }")" 0.9 1
    within "$(measure notes.wav max)" 0.89 0.91
    within "$(measure no-click.wav max)" 0.3 0.6
    within "$(measure envelope.wav min)" 0 0.1
    fits '<' voice.flac notes.wav rms
    fits '<' live.wav notes.wav rms
    halo info --json bird.png | grep -q '"channels":3'
    fits '<' fir.wav notes.wav sd
    within "$(measure loud.wav max)" 0.9999 0.99997
    within "$(halo run abs peak.wav -o abs.wav -f && measure abs.wav max)" 0.891 0.8913
}

@test "sensor traces: smoother, without delay, with their peaks" {
    cut -d, -f2 trace.csv | sed 's/0*$//' | tail -n +2 > there
    tail -n +2 back.csv | cmp - there
    for sound in mean smooth; do
        [ "$(head -n 1 $sound.csv)" = volts ]
        fits '<' $sound.csv trace.wav sd
    done
    fits '>' smooth.csv mean.csv max
    halo run --columns 2 '' spikes.csv -o spikes.wav -f
    within "$(measure spikes.wav max)" 0.99 1.01
    within "$(measure spikes.wav min)" 0 0.1
    for sound in calm despiked; do
        within "$(measure $sound.csv max)" 0.6 0.8
        within "$(measure $sound.csv min)" 0.25 0.35
    done
    # Gravity and the hum are removed, the steps remain; the hum is 0.2 / sqrt(2), -17 dB.
    [ "$(head -n 1 walk.csv)" = x,y,z ]
    within "$(measure walk.csv rms)" 0.69 0.73
    within "$(sed -n 6p hum.csv | cut -d, -f2)" -17.1 -16.9
    # The running sums end with the sum.
    within "$(tail -c 8 sums.npy | od -An -t f8 | tr -d ' ')" 160 200
    within "$(awk "BEGIN { print $(tail -c 8 sums.npy | od -An -t f8) - $(measure trace.wav sum) }")" -1e-6 1e-6
}

@test "many files and pipes: the same as one by one" {
    for i in 1 2 3; do
        halo run sharpen photos/$i.pgm -o one.pgm -f
        cmp one.pgm out/${i}_sharp.pgm
    done
    halo run gauss:2 lake.png -o one.png -f
    halo run '' one.png -o one.ppm -f
    halo run '' frame.png -o frame.ppm -f
    cmp one.ppm frame.ppm
    halo run '' notes.flac -o back.wav -f
    halo run '' back.wav -o back.raw -f
    halo run '' notes.wav -o notes.raw -f
    cmp back.raw notes.raw
    halo stats --total --json photos/ -r | cmp - 'said/Share a folder among machines'
    grep -q '^backend' "said/See what would be done"
}

@test "the README's first commands run" {
    mkdir -p first/photos
    cd first
    cp ../lake.png in.png
    cp ../notes.wav in.wav
    cp ../lake.png photos/lake.png
    halo run '' in.png -o in.ppm -f
    commands "$ROOT/README.md" 'Ten commands to begin with' > said 2> results
    # shellcheck disable=SC2094 # no output is called info
    for output in out.png edges.png sharp.png out/lake_s.png out.wav out.flac h.png integral.npy out.ppm; do
        halo info "$output" > info
    done
    grep -q '^median' said
    grep -q '^mean' results # beside the image on standard output
}

@test "CPU and GPU compared, where there is a GPU" {
    halo list devices | grep -qi cuda || skip "there is no GPU"
    halo run '' lake.png -o here.png --device gpu -f || skip "there is no GPU"
    sed -n '/^```sh gpu$/,/^```$/p' "$ROOT/docs/cookbook.md" | grep '^halo' > gpu.sh
    bash -euo pipefail gpu.sh
    halo info same.png
}

@test "the cookbook's pictures are small, used, and what its commands make today" {
    mkdir -p "$BATS_TEST_TMPDIR/pictures"
    "$ROOT/docs/cookbook/make" "$BATS_TEST_TMPDIR/pictures"
    (cd "$ROOT/docs/cookbook" && ls -- *.png) > here
    (cd "$BATS_TEST_TMPDIR/pictures" && ls -- *.png) | diff here -
    grep -o 'cookbook/[a-z0-9-]*\.png' "$ROOT/docs/cookbook.md" | sed 's/cookbook.//' | sort -u |
        diff <(sort here) -
    while read -r picture; do
        # Another zlib may give other bytes, but the same image.
        halo run '' "$ROOT/docs/cookbook/$picture" -o old.pam -f
        halo run '' "$BATS_TEST_TMPDIR/pictures/$picture" -o new.pam -f
        cmp old.pam new.pam || { echo "$picture: docs/cookbook/make makes it anew"; return 1; }
        [ "$(stat -c %s "$ROOT/docs/cookbook/$picture")" -le 25600 ]
    done < here
}

@test "the README's strip of pictures is what its commands make today" {
    mkdir strip
    "$ROOT/docs/readme/make" strip
    halo run '' "$ROOT/docs/readme/strip.png" -o old.pam -f
    halo run '' strip/strip.png -o new.pam -f
    cmp old.pam new.pam
}
