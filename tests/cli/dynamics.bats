# Dynamics and echo, as users type them.
# shellcheck disable=SC2016,SC2154
setup() {
    load common
    common_setup
}

# Noise of two channels, loud in its first half.
make_noise() {
    need_numpy
    "$PYTHON" -c 'import numpy, sys
r = numpy.random.default_rng(4)
x = r.standard_normal((48000, 2)) * numpy.where(numpy.arange(48000) < 24000, 0.5, 0.02)[:, None]
sys.stdout.buffer.write(x.astype("<f4").tobytes())' > noise.raw
    halo run --raw f32,48000,2 '' noise.raw -o noise.wav
}

# measured FILE KEY: of the loudness.
measured() { halo stats --full --json "$1" | sed -En 's/.*"loudness":.*"'"$2"'":(-?[0-9.]+).*/\1/p'; }

@test "limit holds the true peak, keeps what is quiet, and does not depend on how the file is cut" {
    make_noise
    halo run limit:-3dB,release=10ms noise.wav -o out.wav
    awk -v v="$(measured out.wav true_peak)" 'BEGIN { exit !(v <= -3 && v > -3.02) }'
    halo run 'trim:800ms,1s' noise.wav -o a.wav
    halo run 'trim:800ms,1s' out.wav -o b.wav
    cmp a.wav b.wav
    halo run limit:-3dB,release=10ms noise.wav -o again.wav --jobs 1
    cmp out.wav again.wav
    cat noise.wav | halo run limit:-3dB,release=10ms - -o - --latency 20ms > piped.wav
    cmp <(halo run '' out.wav -o - --to csv) <(halo run '' piped.wav -o - --to csv)
}

@test "--explain tells what a limiter looks ahead" {
    make_wav in.wav 8000
    run halo run --explain 'limit:-1dB,lookahead=10ms' in.wav -o out.wav
    [[ "$output" == *'true-peak limiter at -1 dB, look-ahead '*', release 50 ms'* ]]
    run halo run --explain 'compress | gate | echo:300ms,repeats=2' in.wav -o out.wav
    [[ "$output" == *'compressor of peaks, 4:1 above -20 dB, no look-ahead'* ]]
    [[ "$output" == *'gate, 60 dB less, no look-ahead'* ]]
    [[ "$output" == *'2 echoes, 300 ms apart'* ]]
}

@test "loudnorm with limit=1 reaches its target where the peak would not allow it" {
    make_noise
    run --separate-stderr halo run loudnorm:-9 noise.wav -o plain.wav
    [[ "$stderr" == *'quieter than requested'* ]]
    halo run loudnorm:-9,limit=1 noise.wav -o out.wav
    awk -v v="$(measured out.wav integrated)" 'BEGIN { exit !(v < -8.95 && v > -9.05) }'
    awk -v v="$(measured out.wav true_peak)" 'BEGIN { exit !(v <= -1) }'
    cat noise.wav | halo run loudnorm:-9,limit=1 - -o piped.wav
    cmp out.wav piped.wav
    halo run loudnorm:-9,limit=1 noise.wav -o small.wav --jobs 1
    cmp out.wav small.wav
    run --separate-stderr halo run loudnorm:0,limit=1,peak=-20dB noise.wav -o out.wav -f
    [ "$status" -eq 0 ]
    [[ "$stderr" == *'quieter than requested'* ]]
    halo run gain:0 noise.wav -o silence.wav
    halo run loudnorm:-16,limit=1 silence.wav -o still.wav
    cmp silence.wav still.wav
}

@test "limits hold by FFmpeg's meter at rates that it converts to 192 kHz" {
    command -v ffmpeg > /dev/null || skip "ffmpeg is missing"
    make_noise
    for rate in 11025 44100 48000; do
        halo run --raw f32,$rate,2 'gain:12dB | limit:-1dB' noise.raw -o out.wav -f
        ffmpeg -hide_banner -nostdin -i out.wav -af ebur128=peak=true:metadata=1,ametadata=print:file=said \
            -f null - 2> /dev/null || skip "this ffmpeg has no ebur128"
        awk -F= '/true_peaks/ && $2 > most { most = $2 }
            END { print most; exit !(most > 0.8 && most <= 0.892) }' said
    done
}

# echoed OPTIONS: of a short series, in one line.
echoed() { halo run "echo:$1" in.csv -o - --to csv | tail -n +2 | paste -sd' '; }

@test "echo repeats samples, and its tail makes sound longer" {
    printf '1\n2\n0\n0\n0\n' > in.csv
    [ "$(echoed 2,gain=0.5)" = '1 2 0.5 1 0' ]
    [ "$(echoed 2,gain=0.5,repeats=2,mix=200%)" = '1 2 1 2 0.5' ]
    [ "$(echoed 4,gain=0.5,tail=1)" = '1 2 0 0 0.5 1 0 0 0' ]
    make_wav in.wav 8000
    [[ "$(halo run echo:1000f,tail=1 in.wav -o out.wav && halo info --json out.wav)" == *'"width":9000'* ]]
    cat in.wav | halo run echo:1000f,tail=1 - -o piped.wav
    cmp out.wav piped.wav
    halo run 'loudnorm:-16,limit=1 | echo:1000f,tail=1 | stats' in.wav -o out.wav -f
}

@test "dynamics of what has no sound, and nonsense parameters" {
    printf '0.5\nnan\n0.25\n' > in.csv
    for op in limit compress gate; do
        halo run $op --rate 48000 in.csv -o - --to csv | sed -n 3p | grep -q -i nan
    done
    make_wav in.wav 100
    for pipeline in limit:-100dB limit:-1dB,release=0 limit:0 limit:-1dB,lookahead=10s \
        compress:-20dB,ratio=0.5 compress:-20dB,detect=sum compress:-20dB,knee=-6dB gate:-50dB,range=6dB \
        echo:0 echo:1000s echo:10s,repeats=90 echo:300ms,repeats=0 echo:300ms,repeats=1.5 \
        loudnorm:-16,limit=2; do
        run --separate-stderr halo run "$pipeline" in.wav -o out.wav
        [ "$status" -eq 2 ]
        [ -n "$stderr" ]
        [ ! -e out.wav ]
    done
    make_gray a.pgm 8 8
    run --separate-stderr halo run limit a.pgm -o b.pgm
    [ "$status" -eq 2 ]; says audio
}

@test "help answers with dynamics to the words of other tools" {
    for word in limiter alimiter; do [[ "$(halo help $word)" == *'  limit '* ]]; done
    for word in compressor compand acompressor; do [[ "$(halo help $word)" == *'  compress '* ]]; done
    [[ "$(halo help agate)" == *'  gate '* ]]
    [[ "$(halo help echos)" == *'  echo '* ]]
}

@test "limits and true peaks are the same with any vectors" {
    make_noise
    halo run limit:-6dB noise.wav -o best.wav
    halo stats --json noise.wav > best
    for cpu in baseline v3 v4 neon; do
        HALO_CPU=$cpu halo stats --json noise.wav > this 2> why || continue # this processor cannot run it
        diff best this
        HALO_CPU=$cpu halo run limit:-6dB noise.wav -o this.wav -f
        cmp best.wav this.wav
    done
    HALO_CPU=baseline halo run limit:-6dB noise.wav -o this.wav -f
}
