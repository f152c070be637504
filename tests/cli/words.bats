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
    same gain:2x gain:2 a.wav
    same gain:-1x gain:-100% a.wav
    same normalize:-3dB normalize:peak=-3dB a.wav
    wrong normalize:-3dB,1 a.wav 'follows a value with a key'
    printf '%s\n' v 1 -2 > rows.csv
    [ "$(rows gain:-3x)" = '-3 6' ]
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
EOF
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
