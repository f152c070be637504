# What users of SoX, ffmpeg and SciPy type: values without keys, seconds, decibels, loudspeakers,
# names of other tools.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# The same steps, or the same samples.
same() { cmp <(halo run "$1" "$3" -o x.wav --explain) <(halo run "$2" "$3" -o x.wav --explain); }
frames() { halo info "$1" --json | grep -o '"width":[0-9]*' | cut -d: -f2; }
wrong() {
    run --separate-stderr halo run "$1" "$2" -o x.wav -f
    [ "$status" -ne 0 ] && [[ $stderr == *"$3"* ]]
}
rows() { halo run "$1" rows.csv -o - --to csv -q | tail -n +2 | paste -sd ' '; }

@test "values without keys fill the parameters in their order" {
    make_wav a.wav 8000
    same bandpass:300,3400 bandpass:low=300,high=3400 a.wav
    same notch:50,10,3 notch:frequency=50,q=10,harmonics=3 a.wav
    same clamp:0.15,25% clamp:min=0.15,max=25% a.wav
    same fade:0.1,0.2,cosine fade:times=0.1s,0.2s,shape=cosine a.wav
    same savgol:21,3,interp savgol:window=21,order=3,edge=interp a.wav
    same shelf:200,-6dB,phase=causal shelf:frequency=200,gain=-6dB,phase=causal a.wav
    same silence:-50dB,0.1,all silence:level=-50dB,min=100ms,all=1 a.wav
    make_gray g.pgm 40 30
    same levels:10%,90% levels:black=10%,white=90% g.pgm
    same box:9,5 box:width=9,height=5 g.pgm
    same crop:16x12,1+1 crop:size=16x12,at=1+1 g.pgm
    same 'pad:"8",1,2,3,4,constant=5' pad:8,left=1,right=2,top=3,bottom=4,border=constant=5 g.pgm
    same normalize:0,200,2,98 normalize:min=0,max=200,percentiles=2,98 g.pgm
    same 'reduce:"max(a,b)",0,"v*v" | gauss:1' 'reduce:expr="max(a,b)",identity=0,map="v*v" | gauss:1' g.pgm
    same 'stats:5,95,full | gauss:1' 'stats:percentiles=5,95,full=1 | gauss:1' g.pgm
}

@test "too many values, and values behind keys, are refused with the keys in order" {
    make_wav a.wav 800
    wrong gauss:2,4,1 a.wav "gauss: '1' is one value too many: the keys in order are sigma, truncate"
    wrong bandpass:low=300,3400 a.wav \
        "bandpass: '3400' follows a value with a key, so it needs its own: the keys in order are low, high, taps"
    wrong trim:length=1,2,3 a.wav "trim: '2' follows a value with a key"
    wrong gauss:2,sigma=3 a.wav 'gauss: sigma is given twice'
    wrong gauss:truncate=3,sigma a.wav 'sigma needs a value: sigma='
    wrong invert:1 a.wav "invert takes no parameters"
    wrong fade:0.1,0.2,cosin a.wav "did you mean 'cosine'"
}

@test "positions and durations are seconds, f is frames, and windows are samples" {
    make_wav a.wav 8000 1000 # eight seconds
    halo run trim:1,3 a.wav -o o.wav && [ "$(frames o.wav)" = 2000 ]
    halo run trim:1,length=2.5 a.wav -o o.wav -f && [ "$(frames o.wav)" = 2500 ]
    halo run trim:480f,0:01.5 a.wav -o o.wav -f && [ "$(frames o.wav)" = 1020 ]
    halo run trim:-0.5 a.wav -o o.wav -f && [ "$(frames o.wav)" = 500 ]
    halo run pad:0.5,20f a.wav -o o.wav -f && [ "$(frames o.wav)" = 8520 ]
    halo run pad:1min a.wav -o o.wav -f && [ "$(frames o.wav)" = 68000 ]
    halo run pad:1:02:03.5 a.wav -o o.wav -f && [ "$(frames o.wav)" = $((8000 + 3723500)) ]
    halo run 'pad:1h | trim:0.5h' a.wav -o o.wav -f && [ "$(frames o.wav)" = $((8000 + 1800000)) ]
    same fade:2 fade:2000f a.wav
    same 'add:[gain:0.5],1.5' 'add:[gain:0.5],at=1500f' a.wav
    same silence:-50dB,0.3 silence:-50dB,min=300f a.wav
    same echo:0.3 echo:delay=300f a.wav
    same compress:-20dB,4,0.005,0.1 compress:-20dB,4,attack=5ms,release=100f a.wav
    same gate:-50dB,0.001,0.05,0.1 gate:-50dB,attack=1ms,hold=50ms,release=100ms a.wav
    same limit:-1dB,0.005,0.05 limit:-1dB,lookahead=5ms,release=50ms a.wav
    wrong limit:-1dB,50 a.wav 'lookahead: 50000 samples is outside 1 to'
    same average:9 average:9ms a.wav
    same average:5f average:5ms a.wav
    halo join --crossfade 0.5 a.wav a.wav -o o.wav -f && [ "$(frames o.wav)" = 15500 ]
    wrong trim:10m a.wav 'expected times such as 1.5 (seconds), 20ms, 5min, 1:30 or 480f (frames)'
    wrong trim:1.5f a.wav 'expected times'
    make_gray g.pgm 9 9
    wrong box:5f g.pgm 'is for audio only'
}

@test "of a table without a rate positions are rows, and the remedy for the rest is --rate" {
    printf '%s\n' v 1 2 3 4 5 6 7 8 > rows.csv
    [ "$(rows trim:2,5)" = '3 4 5' ]
    [ "$(rows trim:2f,5f)" = '3 4 5' ]
    [ "$(rows trim:-2)" = '7 8' ]
    [ "$(rows 'pad:1 | trim:0,3')" = '0 1 2' ]
    halo run notch:50 rows.csv --rate 1000 -o o.csv
    for pipeline in notch:50 lowpass:10 bandpass:1,5 trim:10ms average:10ms; do
        wrong "$pipeline" rows.csv '; --rate gives the sample rate of a table'
    done
    make_wav a.wav 800
    run --separate-stderr halo run notch:50k a.wav -o x.wav
    [[ $stderr == *'half the sample rate, not 50000' ]]
}

@test "a negative factor says what it is, and decibels are a peak" {
    make_wav a.wav 800
    wrong gain:-3 a.wav 'gain: factor: -3 needs a unit: -3dB for decibels, or -3x for a factor'
    wrong silence:-50 a.wav 'silence: level: -50 needs a unit: -50dB for decibels'
    wrong shelf:200,-6 a.wav '-6dB for decibels, or -6x for a factor'
    wrong gain:+3 a.wav '+3dB for decibels, or +3x for a factor'
    wrong normalize:-3 a.wav 'normalize: -3 needs a unit: -3dB for the peak'
    same gain:2x gain:2 a.wav
    same gain:-1x gain:-100% a.wav
    same normalize:-3dB normalize:peak=-3dB a.wav
    wrong normalize:-3dB,1 a.wav 'follows a value with a key'
    printf '%s\n' v 1 -2 > rows.csv
    [ "$(rows gain:-3x)" = '-3 6' ]
}

@test "where decibels are usual, a number without a unit is refused" {
    make_wav a.wav 800
    wrong compress:-20dB,knee=6 a.wav 'compress: knee: 6 needs a unit: 6dB for decibels, or 6x for a factor'
    for pipeline in compress:makeup=3 gate:hysteresis=3 denoise:reduce=12 denoise:threshold=6 peak:100,6 \
        shelf:200,6; do
        wrong "$pipeline" a.wav 'needs a unit'
    done
    same compress:-20dB,knee=2x compress:-20dB,knee=200% a.wav
    same peak:100,gain=2x peak:100,gain=200% a.wav
    wrong gate:-50dB,range=12dB a.wav 'gate: range: 12dB is outside -180dB to 0dB'
    wrong gate:-50dB,range=2 a.wav 'gate: range: 2 is outside 1e-09 to 1'
}

@test "channels by the names of loudspeakers, and stereo" {
    make_wav a.wav 80
    for one in stereo FL,FR 1,1; do
        halo run "channels:$one" a.wav -o two.wav -f
        halo run "channels:$one" a.wav -o two.flac -f
        cmp <(halo run channels:1 two.wav -o - --to raw) <(halo run '' a.wav -o - --to raw)
        cmp <(halo run channels:2 two.flac -o - --to raw) <(halo run '' a.wav -o - --to raw)
    done
    halo run channels:FL,FR a.wav -o two.flac -f
    run ! grep -a -q CHANNEL_MASK two.flac # the usual ones need no word
    halo run 'channels:FL,FR | channels:1,-0.5*2' a.wav -o lr.wav
    cmp <(halo run channels:FR,FL lr.wav -o - --to raw) <(halo run channels:2,1 lr.wav -o - --to raw)
    cmp <(halo run 'channels:0.5*FL+0.5*FR' lr.wav -o - --to raw) \
        <(halo run 'channels:0.5*1+0.5*2' lr.wav -o - --to raw)
    cmp <(halo run 'channels:FR,FL | channels:FL' lr.wav -o - --to raw) \
        <(halo run channels:1 lr.wav -o - --to raw)
    cmp <(halo run channels:stereo lr.wav -o - --to raw) <(halo run '' lr.wav -o - --to raw)
    wrong channels:FC lr.wav 'channels: there is no channel FC: the channels are FL FR'
    wrong channels:0 lr.wav 'counted from 1'
    wrong channels:XX lr.wav 'loudspeakers, such as FL,FR'
    wrong channels:3 lr.wav 'there is no channel 3: there are 2'
    halo run channels:1,2,1,2,1,2 lr.wav -o six.wav
    wrong channels:stereo six.wav 'stereo of 6 channels: choose two, as in channels:FL,FR'
    make_rgb c.ppm 9 9
    wrong channels:FL c.ppm 'loudspeakers are for sound'
}

@test "channels are counted from 1 in statistics, histograms, comparisons and tables" {
    make_wav a.wav 80
    halo run channels:1,1 a.wav -o two.wav
    halo run channels:1,0.5*2 two.wav -o other.wav
    halo stats two.wav | grep -q '^  *1  *2  *all$'
    halo stats two.wav --json | grep -o '"name":"[0-9]*"' | paste -sd ' ' | grep -qx '"name":"1" "name":"2"'
    halo stats two.wav --csv | cut -d, -f3 | paste -sd ' ' | grep -qx 'channel 1 2 all'
    halo hist two.wav | grep -q '^1: '
    [[ "$(halo compare two.wav other.wav)" == *', 2'* ]]
}

@test "a branch may begin with a file" {
    make_wav a.wav 800
    halo run gain:0.5 a.wav -o guest.wav
    halo run 'gain:-6dB' guest.wav -o ready.wav --bits float
    cmp <(halo run add:ready.wav a.wav -o - --to raw) \
        <(halo run 'add:[guest.wav | gain:-6dB]' a.wav -o - --to raw)
    cmp <(halo run add:guest.wav a.wav -o - --to raw) <(halo run 'add:[guest.wav]' a.wav -o - --to raw)
    cp guest.wav 'my guest, 1.wav'
    cmp <(halo run add:ready.wav,0.01 a.wav -o - --to raw) \
        <(halo run 'add:["my guest, 1.wav" | gain:-6dB],0.01' a.wav -o - --to raw)
    cmp <(halo run add:ready.wav,0.01 a.wav -o - --to raw) \
        <(cat a.wav | halo run 'add:[./guest.wav | gain:-6dB],0.01' - -o - --to raw)
    halo run rate:16k guest.wav -o fast.wav
    wrong 'add:[fast.wav | gain:2]' a.wav 'sample rate'
    halo run 'add:[fast.wav | rate:8k]' a.wav -o o.wav
    cp guest.wav a_b.wav
    cmp <(halo run add:ready.wav a.wav -o - --to raw) \
        <(halo run 'add:[{stem}_b.wav | gain:-6dB]' a.wav -o - --to raw)
    wrong 'add:[gone.wav | gain:2]' a.wav 'gone.wav'
    wrong 'add:[gaus:2 | gain:2]' a.wav "did you mean 'gauss'"
    make_gray g.pgm 9 9
    wrong 'add:[g.pgm | gain:2]' a.wav 'g.pgm is an image, and the input is audio'
    halo run 'subtract:[g.pgm | invert]' g.pgm -o o.pgm
}

@test "words of other tools find what there is, and near words do not mislead" {
    for word in limiter compressor gate echo denoise psd welch mfcc mel \
        declick dither xcorr peaks diff detrend \
        decimate despike integrate resample split silences fill ewma; do
        halo help "$word" > "$word.txt" || { echo "$word"; false; }
    done
    # Where an operation exists its own words find it.
    while read -r op words; do
        halo list ops --json | grep -q "\"name\":\"$op\"" || continue
        for word in $words; do
            halo help "$word" | grep -qE "^  $op |^$op: " || { echo "$word does not find $op"; false; }
        done
    done << 'EOF'
limit limiter alimiter
compress compressor acompressor compand
gate agate noisegate
denoise afftdn noisered
declick adeclick
declip adeclip
speed asetrate
tempo atempo rubberband
pitch rubberband
echo aecho
psd welch periodogram
xcorr correlate
peaks find_peaks
mel melspectrogram
mfcc mfccs
ewma ewm
diff derivative
detrend baseline
decimate downsample
despike hampel
integrate cumtrapz
fill fillna
spectrogram stft
clamp clip
flatten flatten background
EOF
    halo help 'max projection' | grep -q 'halo stack max'
    for word in projection 'z project' mip; do halo help "$word" | grep -q 'halo stack'; done
    for word in concat append montage gif palette colormap; do halo help "$word" > "$word.txt"; done
    run ! grep declip append.txt
    halo help strip | grep -q -- '--strip of every command'
    make_wav a.wav 80
    run --separate-stderr halo run psdd a.wav -o x.wav
    [[ $stderr != *"'pad'"* ]]
    halo help periodogram | grep -q psd
    run --separate-stderr halo run xsd a.wav -o x.wav
    [[ $stderr != *'did you mean'* ]]
    run --separate-stderr halo run gian:2 a.wav -o x.wav
    [[ $stderr == *"did you mean 'gain'"* ]]
    for bits in f32 pcm_f32le 32f; do
        run --separate-stderr halo convert a.wav -o x.wav --bits $bits
        [[ $stderr == *"did you mean 'float'"* ]]
    done
    run --separate-stderr halo convert a.wav -o x.wav --bits s16
    [[ $stderr == *"did you mean '16'"* ]]
}

@test "ratios, percentages, and left and right are understood" {
    ramp_sound() { printf 'l,r\n'; for i in 1 2 3 4 5 6 7 8 9 10; do echo "0.0$i,-0.0$i"; done; }
    ramp_sound > in.csv
    halo run --rate 8000 compress:-40dB,ratio=4:1 in.csv -o a.csv
    halo run --rate 8000 compress:-40dB,4 in.csv -o b.csv
    cmp a.csv b.csv
    for form in 125% 5:4; do
        halo run --rate 8000 speed:$form in.csv -o a.csv -f
        halo run --rate 8000 speed:1.25 in.csv -o b.csv -f
        cmp a.csv b.csv
    done
    run halo run compress:-40dB,4:0 in.csv -o c.csv
    [ "$status" -eq 2 ]; [[ "$output" == *"ratio: 4:0 is outside 1 to"* ]]
    halo run --rate 8000 '' in.csv -o in.wav
    for word in left:1 right:2 right,left:2,1; do
        halo run "channels:${word%%:*}" in.wav -o a.wav -f
        halo run "channels:${word##*:}" in.wav -o b.wav -f
        halo compare a.wav b.wav
    done
}

@test "despike says how many samples it replaced, each once" {
    seq 1 40000 | awk '{print NR % 1000 == 500 ? 999 : NR % 3}' > in.csv
    for more in '' ' | average:31' ' | normalize'; do
        run --separate-stderr halo run "despike$more" in.csv -o out.csv -f
        says 'in.csv: 40 samples are replaced'
    done
    yes 1 | head -n 100 > flat.csv
    run --separate-stderr halo run despike flat.csv -o same.csv
    [ -z "$stderr" ]
}

@test "messages name the formats and what to do" {
    printf '1\n' > one.csv
    run halo run psd one.csv -o x.csv
    [[ "$output" == *'needs at least 2 samples, and the input has 1'* ]]
    run halo run '' one.csv --bits 16 -o x.csv
    [[ "$output" == *'CAF'* ]]
    run halo run '' one.csv -o x.m4a
    [ "$status" -eq 2 ]; [[ "$output" == *"convert it with 'ffmpeg -i a.flac a.m4a'"* ]]
    printf 'a,b\n1,100\n2,300\n' > in.csv
    [[ "$(halo info in.csv)" == *'64-bit floats, read as f64'* ]]
    [[ "$(halo info --json in.csv)" == *'"dtype":"f64"'* ]]
    [[ "$(halo hist in.csv)" == *'all columns have the same bins'*'--columns NAME'* ]]
    [[ "$(halo hist --columns b in.csv)" != *'all columns'* ]]
}

@test "a plot of many channels is a picture of them" {
    head -c 8000 /dev/urandom > x.raw
    [[ "$(halo run --raw s16,8000,1 mel:bands=40,scale=db x.raw --plot -)" == *'mel0 to mel39 by seconds'* ]]
    printf 'time%s\n' "$(printf ',c%d' {1..25})" > wide.csv
    for i in 1 2 3; do printf '2024-03-0%d%s\n' $i "$(printf ',%d' {1..25})"; done >> wide.csv
    halo run '' wide.csv --plot w.svg
    grep -q 'c1 to c25 by time' w.svg
}
