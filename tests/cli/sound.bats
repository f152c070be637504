# Sound that is trimmed, joined and normalised.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# The samples that a pipeline makes of 1 … 8, a frame a second, from a file and from a pipe; both have to be the
# same.
made() {
    local from_file piped
    from_file=$(halo run "$1" eight.csv -o - --to csv | tail -n +2 | paste -sd ' ')
    piped=$(halo run --raw csv "$1" - -o - --to csv < eight.csv | cat | tail -n +2 | paste -sd ' ')
    [ "$from_file" = "$piped" ] || { echo "'$from_file' of the file, but '$piped' of the pipe"; return 1; }
    echo "$from_file"
}

make_eight() { seq 8 > eight.csv; }

@test "trim keeps a part: by frames, times and clocks, from the end, by a length" {
    make_eight
    [ "$(made trim:2,5)" = '3 4 5' ]
    [ "$(made trim:5)" = '6 7 8' ]
    [ "$(made trim:5s,6500ms)" = '6' ]
    [ "$(made trim:0:02,0:00:04)" = '3 4' ]
    [ "$(made trim:-3)" = '6 7 8' ]
    [ "$(made 'trim: -3s, -1s')" = '6 7' ]
    [ "$(made trim:-50,2)" = '1 2' ]
    [ "$(made trim:2,length=3)" = '3 4 5' ]
    [ "$(made trim:6,99)" = '7 8' ]
    [ "$(made 'trim:1 | trim:1,4 | trim:1')" = '4 5' ]
}

@test "pad puts silence around sound, or extends it by the border; reverse plays it backwards" {
    make_eight
    [ "$(made 'trim:0,2 | pad:1,2')" = '0 1 2 0 0' ]
    [ "$(made 'trim:0,2 | pad:1s')" = '0 1 2' ]
    [ "$(made 'trim:0,2 | pad:2,1,border=replicate')" = '1 1 1 2 2' ]
    [ "$(made 'pad:0,3 | trim:0,10')" = '1 2 3 4 5 6 7 8 0 0' ]
    [ "$(made reverse)" = '8 7 6 5 4 3 2 1' ]
    [ "$(made 'trim:2,5 | reverse | pad:1')" = '0 5 4 3' ]
}

@test "empty results and invalid parameters are reported" {
    make_eight
    local wrong
    for wrong in trim:8 trim:5,2 trim:1,1; do
        run --separate-stderr halo run "$wrong" eight.csv -o x.csv
        [ "$status" -eq 1 ]
        [ ! -e x.csv ]
    done
    for wrong in trim:1.5f trim:1:75 trim:1:2:3:4 trim:1,2,length=3 trim trim:x pad:-1 pad:left=1 pad:1,2,3; do
        run --separate-stderr halo run "$wrong" eight.csv -o x.csv
        [ "$status" -eq 2 ]
    done
    printf 'P5 2 1 255\n\001\002' > in.pgm
    run --separate-stderr halo run pad:1,2 in.pgm -o x.pgm
    [ "$status" -eq 2 ]
    run --separate-stderr halo run trim:1 in.pgm -o x.pgm
    [ "$status" -eq 2 ]
}

@test "a part of endless sound is written as soon as it is read" {
    live seq 9
    [ "$(timeout 20 "$HALO" run --raw csv trim:2,4 - -o - --to csv -j1 < live 2> /dev/null | sed -n '2p;3q')" \
        = 3 ]
    live_ends
}

@test "a part of long sound needs no memory for the rest" {
    head -c 60000000 /dev/zero > long.raw
    printf '\001\002' >> long.raw
    halo run --raw s16,48000,1 --max-memory 8M 'trim:29999000f | pad:1s' long.raw -o end.raw --to raw
    [ "$(stat -c %s end.raw)" -gt 96000 ]
    halo run --raw s16,48000,1 --max-memory 8M trim:1s,2s long.raw -o second.raw --to raw
    # shellcheck disable=SC2002
    cat long.raw | halo run --raw s16,48000,1 --max-memory 8M trim:10:00 - -o - --to raw |
        cmp - <(tail -c +57600001 long.raw)
}

@test "silence is removed from both ends, except pauses shorter than min" {
    printf '%s\n' 0 0 .5 0 0 .25 0 0 0 > in.csv
    for ways in '1:0.5 0 0 0.25' '2:0.5 0 0 0.25' '3:0 0 0.5 0 0 0.25' '4:0 0 0.5 0 0 0.25 0 0 0'; do
        [ "$(halo run "silence:min=${ways%%:*}" in.csv -o - --to csv | tail -n +2 | paste -sd ' ')" = \
            "${ways#*:}" ]
        [ "$(halo run --raw csv "silence:min=${ways%%:*}" - -o - --to csv < in.csv | tail -n +2 |
            paste -sd ' ')" = "${ways#*:}" ]
        [ "$(halo run --raw csv "silence:min=${ways%%:*}" - -o - --to csv < <(cat in.csv) | tail -n +2 |
            paste -sd ' ')" = "${ways#*:}" ]
    done
    [ "$(halo run silence:min=2,all in.csv -o - --to csv | tail -n +2 | paste -sd ' ')" = '0.5 0.25' ]
    [ "$(halo run silence:min=3,all in.csv -o - --to csv | tail -n +2 | paste -sd ' ')" = '0 0 0.5 0 0 0.25' ]
    [ "$(halo run --raw csv 'silence:min=1,all | reverse' - -o - --to csv < <(cat in.csv) | tail -n +2 |
        paste -sd ' ')" = '0.25 0.5' ]
    [ "$(halo run 'silence:-10dB,min=1s | pad:1,1' in.csv -o - --to csv | tail -n +2 | paste -sd ' ')" = \
        '0 0.5 0' ]
    # Preceding steps are part of the analysis, and the following ones know the length.
    [ "$(halo run 'trim:1 | gain:4 | silence:1,min=1 | fade:0,2 | reverse' in.csv -o - --to csv | tail -n +2 |
        paste -sd ' ')" = '0.25 0 0 2' ]
    run --separate-stderr halo run silence:0.9,min=2 in.csv -o x.csv
    [ "$status" -eq 1 ]
    [[ "$stderr" == *'in.csv: silence: nothing is left, since no sample has a magnitude of 0.9 or more'* ]]
    [ ! -e x.csv ]
    [[ "$(halo run --explain silence:min=1 in.csv -o x.wav)" == *'gather 4 x 1, from 2, 0 on'* ]]
}

@test "silence of long sound is found and cut in little memory" {
    { head -c 20000000 /dev/zero; head -c 20000000 /dev/zero |
        tr '\000' '\020'; head -c 20000000 /dev/zero; } > long.raw
    halo run --raw s16,48000,1 --max-memory 8M silence long.raw -o cut.raw --to raw
    cmp cut.raw <(head -c 20000000 /dev/zero | tr '\000' '\020')
}

@test "long sound is analysed first, and then processed in bands, with the same result" {
    # 40 MB of f32, of a file and through a pipe, which is kept as a whole.
    seq 1250000 | tr -dc '0-9' | head -c 2500000 > noise
    for _ in 1 2 3 4 5 6 7 8; do cat noise; done > noise.raw
    for pipeline in 'stats | normalize' 'gain:0.1 | loudnorm:-30 | fade:0,1s' threshold:otsu; do
        # where bins lie is not known before the end
        case $pipeline in threshold:otsu) limit=1G ;; *) limit=24M ;; esac
        run --separate-stderr halo run --raw s16,48000,1 --max-memory $limit "$pipeline" noise.raw \
            -o banded.wav -f
        [ "$status" -eq 0 ] || { echo "$pipeline: $stderr"; return 1; }
        said=$(sed 's/noise.raw/X/' <<< "$output$stderr")
        run --separate-stderr halo run --raw s16,48000,1 "$pipeline" - -o whole.wav -f < <(cat noise.raw)
        [ "$(sed 's/standard input/X/; s/^-:/X:/' <<< "$output$stderr")" = "$said" ] ||
            { echo "$pipeline: $said / $output$stderr"; return 1; }
        cmp banded.wav whole.wav || { echo "$pipeline"; return 1; }
    done
}

@test "pauses are removed, within bands and across them" {
    tone() { head -c "$1" /dev/zero | tr '\000' '\020'; }
    { tone 300000; head -c 200000 /dev/zero; tone 30; head -c 20000 /dev/zero; tone 500000; head -c 200000 \
        /dev/zero; } > short.raw
    { tone 300000; head -c 900000 /dev/zero; tone 30; head -c 20000 /dev/zero; tone 500000; } > long.raw
    { tone 300030; head -c 20000 /dev/zero; tone 500000; } > left.raw
    for sound in short long; do
        limit=$([ $sound = short ] && echo 4M || echo 40M)
        halo run --raw s16,48000,1 --max-memory "$limit" silence:min=300ms,all $sound.raw -o cut.raw --to raw -f
        cmp cut.raw left.raw
        halo run --raw s16,48000,1 'silence:min=300ms,all | average:1' - -o - --to raw < <(cat $sound.raw) |
            cmp - left.raw
    done
}

@test "fir by phase=causal begins with the sound, and tail=1 lets it ring out" {
    make_eight
    printf '%s\n' 1 0 10 > taps.txt
    [ "$(made 'trim:0,3 | fir:taps.txt,phase=causal')" = '1 2 13' ]
    [ "$(made 'trim:0,3 | fir:taps.txt,phase=causal,tail=1')" = '1 2 13 20 30' ]
    [ "$(made 'trim:0,3 | fir:taps.txt,border=zero')" = '2 13 20' ]
    for wrong in tail=1 phase=causal,border=zero; do
        run --separate-stderr halo run "fir:taps.txt,$wrong" eight.csv -o x.csv
        [ "$status" -eq 2 ]
    done
}

@test "sounds are mixed where the second begins, and the longer one lasts" {
    make_eight
    printf '%s\n' 10 20 30 > three.csv
    [ "$(made add:three.csv)" = '11 22 33 4 5 6 7 8' ]
    [ "$(made add:three.csv,at=2s)" = '1 2 13 24 35 6 7 8' ]
    [ "$(made add:three.csv,at=7)" = '1 2 3 4 5 6 7 18 20 30' ]
    [ "$(made add:three.csv,at=10s)" = '1 2 3 4 5 6 7 8 0 0 10 20 30' ]
    [ "$(made subtract:three.csv,at=-1s)" = '1 2 3 4 5 6 7 -2 -20 -30' ]
    [ "$(made 'trim:0,2 | add:three.csv')" = '11 22 30' ]
    [ "$(made 'trim:0,2 | blend:three.csv,amount=0.5,at=1')" = '0.5 6 10 15' ]
    [ "$(made 'trim:0,2 | multiply:three.csv,at=1')" = '1 20 20 30' ]
    # A branch is an echo; it is streamed where it has the length of the input.
    [ "$(made 'add:[gain:10],at=2')" = '1 2 13 24 35 46 57 68 70 80' ]
    [ "$(made 'trim:2,7 | add:[trim:1,3 | gain:10],at=6s')" = '3 4 5 6 7 0 40 50' ]
    [ "$(made 'add:[gain:10],at=-1')" = '1 2 3 4 5 6 7 18 20 30 40 50 60 70 80' ]
    # One frame is combined with all of them, unless it has a position.
    echo 100 > one.csv
    [ "$(made add:one.csv)" = '101 102 103 104 105 106 107 108' ]
    [ "$(made add:one.csv,at=1)" = '1 102 3 4 5 6 7 8' ]
    for wrong in max:three.csv divide:three.csv multiply:three.csv,unit=mean; do
        run --separate-stderr halo run "$wrong" eight.csv -o x.csv
        [ "$status" -eq 1 ]
        [[ "$stderr" == \
            *'three.csv is 3 frames of 1 channel, and the input is 8 frames of 1 channel: it has to be of the input'* ]]
    done
    printf 'P5 2 1 255\n\001\002' > in.pgm
    for wrong in "multiply:[invert],unit=max,at=1" add:three.csv,at=1.5f add:three.csv,at=1,2; do
        run --separate-stderr halo run "$wrong" eight.csv -o x.csv
        [ "$status" -eq 2 ]
    done
    run --separate-stderr halo run 'add:[invert],at=1' in.pgm -o x.pgm
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"add: at is a time, for sound; use 'over' to place pictures"* ]]
}

@test "an echo is streamed" {
    live seq 9
    [ "$(timeout 6 "$HALO" run --raw csv 'add:[gain:10],at=3' - -o - --to csv -j1 < live 2> /dev/null |
        { sed -n '6p;7q'; live_ends; })" = 25 ]
}

@test "normalize takes sound to a peak about 0, and images to a range" {
    printf '0\n-0.25\n0.125\n' > in.csv
    [ "$(halo run normalize:peak=1 in.csv -o - --to csv | tail -n +2 | paste -sd ' ')" = '0 -1 0.5' ]
    [ "$(halo run normalize in.csv -o - --to csv | sed -n 3p)" = -0.8912509381337456 ]
    [ "$(halo run normalize:min=0 in.csv -o - --to csv | tail -n +2 | paste -sd ' ')" = \
        '0.6666666666666666 0 1' ]
    printf '0\n0\n' > silence.csv
    [ "$(halo run normalize silence.csv -o - --to csv | tail -n +2 | paste -sd ' ')" = '0 0' ]
    printf 'P5 2 1 255\n\001\002' > in.pgm
    run --separate-stderr halo run normalize:peak=1 in.pgm -o x.pgm
    [ "$status" -eq 2 ]
}

@test "rate gives the file its new rate and length, whatever the format" {
    make_wav in.wav 2205 22050
    local to
    for to in wav flac w64 aiff; do
        halo run rate:16k in.wav -o out.$to
        [[ "$(halo info --json out.$to)" == *'"width":1600,'*'"rate":16000,'* ]]
    done
    halo run rate:44.1kHz in.wav -o out.wav -f
    [[ "$(halo info --json out.wav)" == *'"width":4410,'*'"rate":44100,'* ]]
    halo run 'rate:22050' in.wav -o same.wav
    cmp <(tail -c 4410 in.wav) <(tail -c 4410 same.wav)
    [[ "$(halo run --explain rate:16k in.wav -o out.wav)" == *'resample by 320/441 to 16000 Hz, 435 taps'* ]]
    run --separate-stderr halo run rate:22051 in.wav -o x.wav
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"choose a rate nearby"* ]]
    run --separate-stderr halo run rate:10 in.wav -o x.wav
    [ "$status" -eq 2 ]
}

@test "endless sound is resampled as it is read, in little memory" {
    # a second of it, minus the look-ahead of the taps, while it waits for more
    live head -c 96000 /dev/zero
    [ "$(timeout 20 "$HALO" run --raw s16,48000,1 rate:8k - -o - --latency 20 -j1 < live |
        { head -c 15000; live_ends; } | wc -c)" -eq 15000 ]
    head -c 16000000 /dev/zero | halo run --raw s16,48000,2 --max-memory 12M rate:44.1k - -o - | wc -c > length
    [ "$(cat length)" -eq 14700000 ]
}

@test "channels are chosen, ordered and mixed, of sound and of pictures" {
    printf '1,10\n2,20\n' > in.csv
    [ "$(halo run channels:2 in.csv -o - --to csv | tail -n +2 | paste -sd ' ')" = '10 20' ]
    [ "$(halo run channels:2,1,2 in.csv -o - --to csv | tail -n +2 | paste -sd ' ')" = '10,1,10 20,2,20' ]
    [ "$(halo run channels:mono in.csv -o - --to csv | tail -n +2 | paste -sd ' ')" = '5.5 11' ]
    [ "$(halo run 'channels:0.5*1 + 0.25*2, 2-1' in.csv -o - --to csv | tail -n +2 | paste -sd ' ')" = \
        '3,9 6,18' ]
    [ "$(halo run --raw csv 'channels:-2' - -o - --to csv < in.csv | cat | tail -n +2 | paste -sd ' ')" = \
        '-10 -20' ]
    printf 'P6 1 1 255\n\001\002\003' > in.ppm
    halo run channels:3,2,1 in.ppm -o out.ppm
    [ "$(tail -c 3 out.ppm | od -An -tu1)" = '   3   2   1' ]
    halo run channels:2 in.ppm -o out.pgm
    [ "$(tail -c 1 out.pgm | od -An -tu1)" = '   2' ]
    local wrong
    run --separate-stderr halo run channels:4 in.ppm -o x.ppm
    [ "$status" -eq 1 ]
    [[ "$stderr" == *'there is no channel 4: there are 3'* ]]
    for wrong in channels channels:0 channels:1+ channels:1,,2 channels:stereo 'channels:1 2' channels:1.5; do
        run --separate-stderr halo run "$wrong" in.ppm -o x.ppm
        [ "$status" -eq 2 ]
    done
}

@test "fade in and out, linear, as a cosine, or in decibels" {
    printf '1\n1\n1\n1\n1\n1\n1\n1\n' > in.csv
    [ "$(halo run fade:4,2 in.csv -o - --to csv | tail -n +2 | paste -sd ' ')" = \
        '0.125 0.375 0.625 0.875 1 1 0.75 0.25' ]
    [ "$(halo run --raw csv fade:0,4s - -o - --to csv < in.csv | cat | tail -n +2 | paste -sd ' ')" = \
        '1 1 1 1 0.875 0.625 0.375 0.125' ]
    [ "$(halo run --raw csv fade:2 - -o - --to csv < in.csv | cat | tail -n +2 | paste -sd ' ')" = \
        '0.25 0.75 1 1 1 1 1 1' ]
    [ "$(halo run fade:1,1,shape=cosine in.csv -o - --to csv | sed -n 2p)" = 0.49999999999999994 ]
    [ "$(halo run fade:1,shape=db in.csv -o - --to csv | sed -n 2p)" = 0.03162277660168379 ]
    run --separate-stderr halo run fade:-1 in.csv -o x.csv
    [ "$status" -eq 2 ]
}

@test "loudnorm reaches the target, or reports that the peak does not allow it" {
    need_numpy
    "$PYTHON" -c 'import numpy, sys
t = numpy.arange(96000) / 48000
sys.stdout.buffer.write((0.05 * numpy.sin(2 * numpy.pi * 997 * t)).astype("<f4").tobytes())' > tone.raw
    halo run --raw f32,48000,1 loudnorm:-20 tone.raw -o out.wav
    [[ "$(halo stats out.wav --json)" == *'"loudness":{"integrated":-20.'* ||
        "$(halo stats out.wav)" == *'-20.0 LUFS'* ]]
    run --separate-stderr halo run --raw f32,48000,1 loudnorm:-1 tone.raw -o out.wav -f
    [ "$status" -eq 0 ]
    [[ "$stderr" == *'dB quieter than requested, since the true peak would be too high'* ]]
    [[ "$(halo stats --full out.wav)" == *'-1.0 dB'* ]]
    halo run --raw f32,48000,1 gain:0 tone.raw -o silence.wav
    halo run loudnorm silence.wav -o still.wav
    cmp silence.wav still.wav
}

@test "BW64 is read like RF64" {
    make_wav s.wav 100
    halo run '' s.wav -o s.rf64
    sed '1s/^RF64/BW64/' s.rf64 > b.wav
    [ "$(head -c 4 b.wav)" = BW64 ]
    cmp <(halo run '' s.wav -o - --to csv) <(halo run '' b.wav -o - --to csv)
}

@test "a rate that is not whole is refused or rounded, which is said" {
    printf 'time,v\n0,1\n10,2\n20,3\n30,4\n' > slow.csv
    run --separate-stderr halo run '' slow.csv -o slow.wav
    [ "$status" -eq 1 ]
    [[ "$stderr" == *'whole sample rates from 1 Hz on, and this is 0.1 Hz: --rate'* ]]
    make_wav in.wav 3000 8000
    run --separate-stderr halo run decimate:3 in.wav -o out.wav
    [ "$status" -eq 0 ]
    [[ "$stderr" == *'the sample rate of 2666.666667 Hz is rounded to 2667'* ]]
    run --separate-stderr halo run decimate:3 in.wav -o out.flac
    [[ "$stderr" == *'is rounded to 2667'* ]]
    run --separate-stderr halo run decimate:2 in.wav -o half.wav
    [ -z "$stderr" ]
}
