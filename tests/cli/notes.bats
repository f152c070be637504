# What a run lost or changed without being asked is said in one line; what it was asked for is not.
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

@test "clipped samples of pictures are said and counted, once" {
    printf 'P2 4 1 255\n0 100 200 255\n' > g.pgm
    said run gain:2 g.pgm -o a.png
    is 'halo: g.pgm: 2 samples are clipped (50%); normalize or depth:f32 keeps what is clipped'
    said run gain:2 g.pgm -o b.png -q; is ''
    said run gain:1 g.pgm -o d.png; is ''
    said run gain:1.3 g.pgm -o e.png; is 'halo: g.pgm: 2 samples are clipped (50%); normalize or depth:f32 keeps what is clipped'
    said run gain:1.2 g.pgm -o f.png; is 'halo: g.pgm: 1 sample is clipped (25%); normalize or depth:f32 keeps what is clipped'
    said run gain:2 g.pgm -o h.png -v # said there already
    [ "$(grep -c clipped <<< "$stderr")" -eq 1 ]; says ', 2 samples clipped'
    said run gain:2 - -o i.png < g.pgm
    is 'halo: standard input: 2 samples are clipped (50%); normalize or depth:f32 keeps what is clipped'
}

@test "a batch says it in one line, with the number of inputs" {
    printf 'P2 4 1 255\n0 100 200 255\n' > 1.pgm
    cp 1.pgm 2.pgm
    printf 'P2 1 1 255\n9\n' > 3.pgm
    halo run '' 3.pgm -o plain.png; with_title plain.png > 4.png
    said run gain:2 1.pgm 2.pgm 3.pgm 4.png --out-dir out --name '{stem}.ppm' -j 2
    [ "${#stderr_lines[@]}" -eq 2 ]
    [ "${stderr_lines[0]}" = 'halo: 2 of 4 inputs: 4 samples are clipped (40%); 1 of 4 inputs: left out, since the output cannot hold it: texts; normalize or depth:f32 keeps what is clipped' ]
    said run gain:2 3.pgm 3.pgm --out-dir out2 --name '{index}.tif'
    [ "${#stderr_lines[@]}" -eq 1 ]
    said run gain:2 1.pgm 2.pgm --out-dir out3 -q; is ''
    said run gain:2 1.pgm 3.pgm --out-dir out4 --json
    [[ "$output" == *'"output":"out4/1.pgm"'*'"notes":[{"kind":"clipped","loss":true,"count":2,"text":"2 samples are clipped (50%)"}]}'* ]]
    [[ "$output" == *'"output":"out4/3.pgm"'*'"notes":[]}'* ]]
    [[ "${lines[-1]}" == *'"notes":[{"kind":"clipped","loss":true,"inputs":1,"count":2,'* ]]
}

@test "metadata that the output cannot hold; none with --strip, and where all of it goes along" {
    halo run '' c.ppm -o plain.png
    with_title plain.png > titled.png
    said run '' titled.png -o a.ppm; is 'halo: titled.png: left out, since the output cannot hold it: texts'
    said run '' titled.png -o b.npy --json; [[ "$output" == *'"kind":"metadata"'* ]]
    said run '' titled.png -o c.ppm2 --to pnm --strip; is ''
    said run '' titled.png -o d.png; is ''
    said run '' plain.png -o e.ppm; is ''
    said stats titled.png; is ''
    said run '' titled.png plain.png titled.png --out-dir o --name '{index}.ppm'
    says 'halo: 2 of 3 inputs: left out, since the output cannot hold it: texts'
}

@test "--raw: what begins like a known file, and what does not divide into frames" {
    halo run '' c.ppm -o c.png
    said stats --raw u8:4x4 <(head -c 160 c.png); says '--raw takes for samples what begins like png'
    head -c 40 /dev/zero > r.raw
    said run --raw u8:4x4 '' r.raw -o r.png
    is 'halo: r.raw: the first of several images is taken; 8 bytes behind the last whole picture are left out'
    head -c 32 /dev/zero > r.raw
    said stats --raw u8:4x4 r.raw; is ''
    make_wav s.wav 100
    said stats --raw s16,8000,1 s.wav; is 'halo: s.wav: --raw takes for samples what begins like wav'
    said stats --raw s16,8000,1 - < <(tail -c +45 s.wav); is ''
}

@test "conversions are for who asks" {
    make_gray w.pgm 5 5 65535
    said run depth:u8 w.pgm -o w.png; is ''
    said run depth:u8 w.pgm -o x.png -v; says '; u16 samples are written as u8'
    said run '' c.ppm -o c.npy; is ''
}

@test "a sample rate that the output cannot hold, unless whoever ran it said the rate" {
    make_wav s.wav 100
    local rate; rate=$(halo info s.wav --json | grep -o '"rate":[0-9]*' | cut -d: -f2)
    said run '' s.wav -o s.npy; is "halo: s.wav: the output holds no sample rate: --rate $rate reads it back"
    said run '' s.wav -o s.csv; is "halo: s.wav: the output holds no sample rate: --rate $rate reads it back"
    said run '' s.wav -o t.npy -q; is ''
    said run '' s.wav -o s.raw; is ''
    said run '' s.csv -o t.csv; is ''
    said run '' --rate 8000 s.npy -o t.csv --force; is ''
    said run rate:4k --rate 8000 s.npy -o u.npy; is 'halo: s.npy: the output holds no sample rate: --rate 4000 reads it back'
    said run spectrogram:16 s.wav -o p.npy; is '' # a picture
    said join s.wav s.wav -o j.npy; says "--rate $rate reads it back"
}

@test "sound without a loudness stays as it was, and that is said" {
    make_wav s.wav 900
    said run loudnorm:-20 s.wav -o o.wav
    is 'halo: s.wav: as loud as it was: it is shorter than 0.4 s, or silent, and has no loudness'
    make_wav l.wav 8000
    said run loudnorm:-20 l.wav -o o.wav -f; [[ "$stderr" != *'as loud as it was'* ]]
}

@test "borders of other tools are named by halo's words" {
    make_gray b.pgm 5 4
    run --separate-stderr halo run gauss:1,border=reflect101 b.pgm -o o.pgm
    [ "$status" -eq 2 ]; says "border: 'reflect101' of other tools is 'mirror' here"
    run --separate-stderr halo run gauss:1,border=edge b.pgm -o o.pgm
    [ "$status" -eq 2 ]; says "border: 'edge' of other tools is 'replicate' here"
}
