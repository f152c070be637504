# What a run lost or changed without request is reported in one line; requested changes are not.
# shellcheck disable=SC2154
setup() { load common; common_setup; make_rgb c.ppm 20 10; }

# The whole of standard error of a command that succeeds.
said() { run --separate-stderr halo "$@"; [ "$status" -eq 0 ]; }
is() { [ "$stderr" = "$1" ] || { echo "expected: $1"; echo "found:    $stderr"; return 1; }; }

# The text chunk of a PNG, put in behind its header by hand: tEXt "Title\0lake".
with_title() {
    head -c 33 "$1"
    printf '\0\0\0\012tEXtTitle\0lake\011\150\222\152'
    tail -c +34 "$1"
}

@test "clipped samples of images are counted and reported once" {
    printf 'P2 4 1 255\n0 100 200 255\n' > g.pgm
    said run gain:2 g.pgm -o a.png
    is 'halo: g.pgm: 2 samples are clipped (50%); normalize or depth:f32 avoids clipping'
    said run gain:2 g.pgm -o b.png -q; is ''
    said run gain:1 g.pgm -o d.png; is ''
    said run gain:1.3 g.pgm -o e.png
    is 'halo: g.pgm: 2 samples are clipped (50%); normalize or depth:f32 avoids clipping'
    said run gain:1.2 g.pgm -o f.png
    is 'halo: g.pgm: 1 sample is clipped (25%); normalize or depth:f32 avoids clipping'
    said run gain:2 g.pgm -o h.png -v # said there already
    [ "$(grep -c clipped <<< "$stderr")" -eq 1 ]; says ', 2 samples clipped'
    said run gain:2 - -o i.png < g.pgm
    is 'halo: standard input: 2 samples are clipped (50%); normalize or depth:f32 avoids clipping'
}

@test "a batch reports it in one line, with the number of inputs" {
    printf 'P2 4 1 255\n0 100 200 255\n' > 1.pgm
    cp 1.pgm 2.pgm
    printf 'P2 1 1 255\n9\n' > 3.pgm
    halo run '' 3.pgm -o plain.png; with_title plain.png > 4.png
    said run gain:2 1.pgm 2.pgm 3.pgm 4.png --out-dir out --name '{stem}.ppm' -j 2
    [ "${#stderr_lines[@]}" -eq 2 ]
    [ "${stderr_lines[0]}" = \
        'halo: 2 of 4 inputs: 4 samples are clipped (40%); 1 of 4 inputs: left out, since the output cannot hold it: text title; normalize or depth:f32 avoids clipping' ]
    said run gain:2 3.pgm 3.pgm --out-dir out2 --name '{index}.tif'
    [ "${#stderr_lines[@]}" -eq 1 ]
    said run gain:2 1.pgm 2.pgm --out-dir out3 -q; is ''
    said run gain:2 1.pgm 3.pgm --out-dir out4 --json
    [[ "$output" == \
        *'"output":"out4/1.pgm"'*'"notes":[{"kind":"clipped","loss":true,"count":2,"text":"2 samples are clipped (50%)"}]}'* ]]
    [[ "$output" == *'"output":"out4/3.pgm"'*'"notes":[]}'* ]]
    [[ "${lines[-1]}" == *'"notes":[{"kind":"clipped","loss":true,"inputs":1,"count":2,'* ]]
}

@test "metadata that the output cannot hold is reported; not with --strip, nor where all of it is kept" {
    halo run '' c.ppm -o plain.png
    with_title plain.png > titled.png
    said run '' titled.png -o a.ppm; says ': left out, since the output cannot hold it: text title'
    said run '' titled.png -o b.npy --json; [[ "$output" == *'"kind":"metadata"'* ]]
    said run '' titled.png -o c.ppm2 --to pnm --strip; is ''
    said run '' titled.png -o d.png; is ''
    said run '' plain.png -o e.ppm; is ''
    said stats titled.png; is ''
    said run '' titled.png plain.png titled.png --out-dir o --name '{index}.ppm'
    says 'halo: 2 of 3 inputs: left out, since the output cannot hold it: text title'
}

@test "a level between 0 and 1 of a larger full scale gets a hint" {
    printf 'P2 4 1 255\n0 100 200 255\n' > g.pgm
    printf 'P2 4 1 65535\n0 100 200 60000\n' > w.pgm
    said run threshold:0.5 g.pgm -o a.png
    is \
        'halo: g.pgm: threshold: level=0.5 is a sample value (0 to 255); use level=50% if you mean a part of full scale'
    said run 'gauss:1 | clamp:max=0.25' w.pgm -o b.png
    is \
        'halo: w.pgm: clamp: max=0.25 is a sample value (0 to 65535); use max=25% if you mean a part of full scale'
    said run levels:black=0.1,white=0.9 g.pgm -o c.png; says 'levels: white=0.9 is a sample value (0 to 255)'
    said run adaptive:3,offset=0.1 g.pgm -o d.png; says 'adaptive: offset=0.1 is a sample value (0 to 255)'
    said run threshold:0.5 g.pgm w.pgm g.pgm --out-dir o --name '{index}.pgm'
    says \
        'halo: 3 of 3 inputs: threshold: level=0.5 is a sample value (0 to 255); use level=50% if you mean a part of full scale'
    said run threshold:0.5 g.pgm -o e.png --json
    [[ "$output" == *'"notes":[{"kind":"level","loss":true,"count":1,"text":"threshold: level=0.5 '* ]]
    said run threshold:0.5 g.pgm -o f.png -q; is ''
    for pipeline in threshold:50% threshold:1 threshold:1.5 threshold:0 threshold:otsu clamp normalize:max=0.5 \
        adaptive:3,k=0.3,method=sauvola; do
        said run "$pipeline" g.pgm -o x.npy -f; is ''
    done
    halo run depth:f32 g.pgm -o g.pfm # full scale is 1
    said run threshold:0.5 g.pfm -o y.pfm; is ''
    said run threshold:0.5 x.npy -o z.npy; is '' # numbers
}

@test "--raw: what begins like a known file, and what does not divide into frames" {
    halo run '' c.ppm -o c.png
    said stats --raw u8:4x4 <(head -c 160 c.png); says '--raw reads as samples what looks like png'
    head -c 40 /dev/zero > r.raw
    said run --raw u8:4x4 '' r.raw -o r.png
    is \
        'halo: r.raw: only the first of several pages is read; 8 bytes after the last complete image are left out'
    head -c 32 /dev/zero > r.raw
    said stats --raw u8:4x4 r.raw; is ''
    make_wav s.wav 100
    said stats --raw s16,8000,1 s.wav; is 'halo: s.wav: --raw reads as samples what looks like wav'
    said stats --raw s16,8000,1 - < <(tail -c +45 s.wav); is ''
}

# make_numbers FILE TYPE BYTES…: a row of numbers, as octal bytes of printf.
make_numbers() {
    local file=$1 type=$2 bytes head
    bytes=$(printf "$3" | wc -c)
    head="{'descr': '$type', 'fortran_order': False, 'shape': (1, $((bytes / ${type#??}))), }"
    { printf '\223NUMPY\1\0'; le 2 $((${#head} + 1)); printf '%s\n' "$head"; printf "$3"; } > "$file"
}

@test "overshoot of resampling is no loss to act on" {
    printf 'P2 8 2 255\n0 0 0 0 255 255 255 255\n0 0 0 0 255 255 255 255\n' > edge.pgm
    for pipeline in resize:20 'resize:5 | pad:1 | flip' 'gray | rotate:30,kernel=cubic | depth:u8'; do
        said run "$pipeline" edge.pgm -o x.pgm -f; is ''
    done
    said run -v resize:20 edge.pgm -o x.pgm -f
    [[ "$stderr" == *'samples at edges, where resampling overshoots, are clipped'* ]]
    halo run resize:20 edge.pgm -o x.pgm -f --json | grep -q '"kind":"overshot","loss":false,"count":'
    for pipeline in 'resize:20 | gain:2' 'add:[resize:50% | resize:8x2,fit=exact]' pad:1,border=constant=300; do
        said run "$pipeline" edge.pgm -o x.pgm -f
        [[ "$stderr" == *'normalize or depth:f32 avoids clipping' ]]
    done
    halo run depth:f32 edge.pgm -o edge.pfm
    said run 'resize:20 | depth:u8' edge.pfm -o x.pgm -f; [[ "$stderr" == *'clipped'* ]]
}

@test "numbers that 32-bit floats do not hold are counted, once, with the remedy" {
    local remedy='subtract an offset first (--columns leaves columns of a table out)'
    local one="1 sample is rounded to the 24 bits of a 32-bit float as it is read: $remedy"
    local two="2 samples are rounded to the 24 bits of 32-bit floats as they are read: $remedy"
    printf 't,v\n1700000000.5,1\n1700000001.5,2.1\n16777216,3\n' > t.csv
    local single='--precision single'
    for pipeline in gain:1 normalize 'average:3 | normalize' stats; do
        said run $single "$pipeline" t.csv -o t.tsv -f; is "halo: t.csv: $two"
        said run $single "$pipeline" - --raw csv -o t.tsv -f < t.csv; is "halo: standard input: $two"
        said run "$pipeline" t.csv -o t.tsv -f; is '' # in 64 bits
    done
    said run $single reverse t.csv -o t.tsv -f; is ''
    said stats $single t.csv; is "halo: t.csv: $two"
    said run $single gain:1 --columns 2 t.csv -o v.csv; is ''
    said run $single gain:1 t.csv -o t.tsv -f -q; is ''
    said run $single gain:1 t.tsv -o u.tsv; is '' # what halo wrote is what it reads
    printf '0.1\n123456.789\n1e20\n' > plain.csv
    said run $single gain:1 plain.csv -o p.csv; is ''
    printf '1e-60\n2\n' > small.csv
    said run $single gain:1 small.csv -o p.csv -f
    is 'halo: small.csv: 1 sample is too small for a float and became 0: multiply it first'
    # the advice about columns is for tables alone
    one=${one% (*}
    make_numbers i.npy '<i4' '\1\0\0\1\1\0\0\0'
    make_numbers zero.npy '<f4' '\0\0\0\0\0\0\0\0'
    for pipeline in gain:1 normalize 'gauss:1 | normalize' subtract:zero.npy; do
        said run "$pipeline" i.npy -o o.npy -f; is "halo: i.npy: $one"
        said run "$pipeline" - -o o.npy -f < i.npy; is "halo: standard input: $one"
    done
    said run gain:1 i.npy zero.npy --out-dir out; [ "${stderr_lines[0]}" = "halo: 1 of 2 inputs: $one" ]
    said run gain:1 i.npy -o o.npy -f --json; [[ "$output" == *'{"kind":"rounded","loss":true,"count":1,'* ]]
    said run $single --raw f64,10,1 gain:1 - -o o.npy -f \
        < <(printf '\0\0\0\0\0\0\340\77\0\0\40\100\374\124\331\101')
    is "halo: standard input: $one"
    said stack mean i.npy zero.npy i.npy i.npy -o o.npy -f; [[ "$stderr" == *': 3 samples are rounded'* ]]
    said run subtract:i.npy zero.npy -o o.npy -f
    [[ "$stderr" == *'numbers of a secondary input are rounded'* ]]
    said join t.csv t.csv -o joined.csv; is ''
    make_numbers j.npy '<i4' '\0\0\0\1\1\0\0\0'
    run --separate-stderr halo compare i.npy j.npy
    [ "$status" -eq 6 ]; is ''
    make_numbers k.npy '<i8' '\1\0\0\0\0\0\100\0\1\0\0\0\0\0\0\0'
    said convert k.npy -o k2.npy; is 'halo: k.npy: 1 integer is rounded to the 53 bits of a 64-bit float'
}

@test "conversions are reported on request" {
    make_gray w.pgm 5 5 65535
    said run depth:u8 w.pgm -o w.png; is ''
    said run depth:u8 w.pgm -o x.png -v; says '; u16 samples are written as u8'
    said run '' c.ppm -o c.npy; is ''
}

@test "a sample rate that the output cannot hold is reported, unless --rate gave it" {
    make_wav s.wav 100
    local rate; rate=$(halo info s.wav --json | grep -o '"rate":[0-9]*' | cut -d: -f2)
    said run '' s.wav -o s.npy
    is "halo: s.wav: the output has no sample rate: use --rate=$rate to read it back"
    said run '' s.wav -o s.csv
    is "halo: s.wav: the output has no sample rate: use --rate=$rate to read it back"
    said run '' s.wav -o t.npy -q; is ''
    said run '' s.wav -o s.raw; is ''
    said run '' s.csv -o t.csv; is ''
    said run '' --rate 8000 s.npy -o t.csv --force; is ''
    said run rate:4k --rate 8000 s.npy -o u.npy
    is 'halo: s.npy: the output has no sample rate: use --rate=4000 to read it back'
    said run spectrogram:16 s.wav -o p.npy; is '' # a picture
    said join s.wav s.wav -o j.npy; says "use --rate=$rate to read it back"
}

@test "sound without a loudness is not changed, which is reported" {
    make_wav s.wav 900
    said run loudnorm:-20 s.wav -o o.wav
    is 'halo: s.wav: level unchanged: sound shorter than 0.4 s, or silent, has no loudness'
    make_wav l.wav 8000
    said run loudnorm:-20 l.wav -o o.wav -f; [[ "$stderr" != *'level unchanged'* ]]
}

@test "names of borders in other tools are translated" {
    make_gray b.pgm 5 4
    run --separate-stderr halo run gauss:1,border=reflect101 b.pgm -o o.pgm
    [ "$status" -eq 2 ]; says "border: 'reflect101' of other tools is 'mirror' here"
    run --separate-stderr halo run gauss:1,border=edge b.pgm -o o.pgm
    [ "$status" -eq 2 ]; says "border: 'edge' of other tools is 'replicate' here"
}
