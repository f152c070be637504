# Drawings in the terminal, of sound, series and images; dates, panels, responses.
# shellcheck disable=SC2016,SC2154
setup() { load common; common_setup; export LC_ALL=C.UTF-8; }

# Every line of the output fits 80 columns.
fits() { [ "$(printf '%s\n' "$output" | wc -L)" -le 80 ]; }
sine() { # FILE CHANNELS: a second of 100 Hz at 8 kHz, half of full scale
    awk -v n="$2" 'BEGIN { for (i = 0; i < 8000; i++) for (c = 0; c < n; c++)
        printf "%.6f%s", 0.5 * sin(6.283185307 * i / 80), c + 1 < n ? "," : "\n" }' > sine.csv
    halo run --rate 8000 '' sine.csv -o "$1" -f
}

@test "halo plot draws in the terminal, within 80 columns, in UTF-8 and in ASCII" {
    sine a.wav 2
    printf 'x,y\n0,1\n1,4\n2,9\n' > t.csv
    printf 'what,n\nread,3\nwrite,5\n' > bars.csv
    make_rgb c.ppm 37 23
    for input in a.wav t.csv bars.csv c.ppm; do
        run halo plot $input
        [ "$status" -eq 0 ]; fits
        [[ $output == *$input* && $output == *└──* ]]
        LC_ALL=C run halo plot $input -o -
        [ "$status" -eq 0 ]; fits
        [[ $output == *$input* && $output == *+--* ]]
        [ -z "$(printf '%s' "$output" | LC_ALL=C tr -d '\000-\177')" ]
    done
    run halo hist c.ppm --plot -
    fits
    [[ $output == *'samples in 256 bins'* && $output != *'highest bar'* && $output != *$'\033'* ]]
    run halo run spectrogram:window=64 a.wav --plot -
    fits
    [[ $output == *'channel 2: Hz by seconds'* && $output == *'0 dB'* && $output == *'-100 dB'* ]]
    # Results go with it; what prints as well does not.
    [[ "$(halo run 'gain:0.5 | stats' a.wav --plot -)" == *channel*rms\ dBFS* ]]
    for also in --json --explain '-o -'; do
        run -2 --separate-stderr halo run gain:0.5 a.wav --plot - $also
        says 'mutually exclusive'
    done
}

@test "a waveform shows the least and the greatest sample, from any input, however long" {
    need_numpy
    sine a.wav 1
    for from in 'plot a.wav -o' 'run gain:1 a.wav --plot'; do
        halo $from w.svg -f
        "$PYTHON" - << 'END'
import re
text = open('w.svg').read()
y = [float(p.split(',')[1]) for line in re.findall(r'points="([^"]*)"', text) for p in line.split()
     if float(p.split(',')[0]) < 611]
assert abs(min(y) - (60 + 305 / 4)) < 0.1 and abs(max(y) - (365 - 305 / 4)) < 0.1, (min(y), max(y))
END
    done
    # Five million frames need little memory, and make no long line.
    run bash -c 'ulimit -v 400000; head -c 5000000 /dev/zero | "$HALO" plot --raw u8,8000,1 - -o long.svg'
    [ "$status" -eq 0 ]
    [ "$(stat -c %s long.svg)" -lt 200000 ]
    [[ "$(yes 1 | head -c 400000 | timeout 30 "$HALO" plot - --rate 1 | cat)" == *seconds* ]] # not row by row
    [[ "$(halo plot - < a.wav)" == *'standard input'* ]]
}

@test "a peak of one sample among a million shows" {
    { head -c 900000 /dev/zero; printf '\x7f'; head -c 100000 /dev/zero; } | tr '\0' '\200' |
        halo plot --raw u8,48000,1 - -o peak.svg
    grep -o '[0-9.]*,[0-9.]*' peak.svg | cut -d, -f2 | sort -n | uniq | wc -l > heights
    [ "$(cat heights)" -gt 1 ]
}

@test "a series is drawn over its dates, by columns, in panels of one unit" {
    awk 'BEGIN { print "when,in [K],out [K],press"
        for (i = 0; i < 96; i++)
            printf "2026-03-%02d %02d:00,%d,%d,%d\n", 27 + i / 24, i % 24, 290 + i % 5, 280 + i % 7,
                1000 + i }' > s.csv
    halo plot s.csv --panels -o s.svg
    grep -q 'viewBox="0 0 800 471"' s.svg # two panels
    for word in 'in \[K\]' 'out \[K\]' press 'by when, 2026-03-27 to 2026-03-30' 03-28 12:00 1040; do
        grep -q ">$word<" s.svg || { echo "$word"; return 1; }
    done
    run ! grep -q '>0<' s.svg # 0 is not forced into the range
    halo plot s.csv --columns press -o p.svg
    run ! grep -q '>in' p.svg
    grep -q '>press<' p.svg
    halo run 'average:3' s.csv --columns 'in [K]' --plot a.svg
    grep -q '>03-28<' a.svg
    # Ticks of years, and of seconds.
    printf 't,v\n1990-01-01,1\n2000-01-01,2\n2010-01-01,3\n' > years.csv
    [[ "$(halo plot years.csv)" == *1995*2005* ]]
    printf 'time,v\n12:00:00,1\n12:00:10,2\n12:00:20,1\n' > clock.csv
    [[ "$(halo plot clock.csv)" == *12:00:0*12:00:10* ]]
}

@test "without times the first column is the axis; --rate makes a series of all" {
    printf 'f,a,b\n10,1,5\n20,2,6\n40,4,7\n' > t.csv
    halo plot t.csv --columns f,b -o b.svg
    grep -q '>by f<' b.svg
    run ! grep -q '>a<' b.svg
    halo plot t.csv --rate 2 -o r.svg
    grep -q '>by seconds<' r.svg && grep -q '>f<' r.svg
    printf '5\n7\n6\n' > one.csv
    halo plot one.csv --rate 1 -o one.svg
    grep -q polyline one.svg
    halo plot t.csv --columns 2 -o c.svg
}

@test "levels have names and times" {
    sine a.wav 1
    sine s.wav 2
    halo run level:250ms a.wav -o a.csv
    [ "$(head -n 1 a.csv)" = time,rms,peak ]
    [ "$(cut -d, -f1 a.csv | xargs)" = 'time 0.125 0.375 0.625 0.875' ]
    halo run level:250ms s.wav -o s.csv
    [ "$(head -n 1 s.csv)" = time,rms1,peak1,rms2,peak2 ]
    halo run level:20ms s.wav --plot l.svg
    for name in rms1 peak2; do grep -q ">$name<" l.svg; done
    run --separate-stderr halo run level:250ms a.wav -o a.npy
    [[ $stderr != *times* ]]
    [[ "$(halo stats a.csv)" == *'4 Hz'* ]] # the times give the rate
}

@test "numbers are drawn by a scale of colours, images in theirs" {
    need_numpy
    "$PYTHON" -c "
import numpy as np
np.save('n.npy', np.linspace(-3, 5, 600, dtype=np.float32).reshape(20, 30))"
    halo plot n.npy -o n.png
    halo run '' n.png -o p.npy
    "$PYTHON" - << 'END'
import numpy as np
a = np.load('p.npy').astype(int)
frame = a[62:360, 72:500].sum(2)
assert frame[0, 0] < 60 and frame[-1, 400] > 700 # black is the least, white the greatest
END
    [[ "$(halo plot n.npy)" == *4*-2* ]]
    make_rgb c.ppm 37 23
    halo run gauss:1 c.ppm --plot c.svg
    grep -q '>pixels<' c.svg
}

@test "a frequency response shows nulls and resonances between its points" {
    need_numpy
    halo run 'notch:50Hz,harmonics=5,q=10' --plot-response r.svg
    "$PYTHON" - << 'END'
import re, math
text = open('r.svg').read()
points = [tuple(map(float, p.split(','))) for p in re.findall(r'points="([^"]*)"', text)[0].split()]
labels = dict((float(v), float(y)) for y, v in
              re.findall(r'y="([0-9.]*)" font-size="12" text-anchor="end">(-?[0-9]+)<', text))
deep = (labels[-40.0] - 4) # the height of -40 dB
x = lambda hz: 70 + 540 * math.log(hz / 10) / math.log(2400)
for hz in (50, 100, 150, 200, 250):
    near = [b for a, b in points if abs(a - x(hz)) < 2]
    assert max(near) > deep, (hz, max(near), deep)
END
    halo run 'peak:1kHz,gain=20dB,q=2000' --plot-response p.svg
    grep -q '>20<\|>15<' p.svg
    [[ "$(halo run notch:1kHz --plot-response -)" == *'by Hz'* ]]
}

@test "halo waveform draws sound and series of any length, and says what draws images" {
    sine a.wav 2
    halo waveform a.wav -o w.svg --title 'Side A'
    halo plot a.wav -o p.svg --title 'Side A'
    cmp w.svg p.svg
    halo waveform a.wav -o w.png && halo info w.png
    [[ "$(halo waveform - < a.wav)" == *'standard input'*'└──'* ]]
    [[ "$(halo waveform --rate 8000 sine.csv)" == *seconds* ]]
    run bash -c 'ulimit -v 400000; head -c 5000000 /dev/zero | "$HALO" waveform --raw u8,8000,1 - -o long.svg'
    [ "$status" -eq 0 ]
    make_rgb c.ppm 37 23
    run -1 --separate-stderr halo waveform c.ppm -o c.svg
    says 'halo: waveform: c.ppm: an image has no waveform: halo plot draws it'
    [ ! -e c.svg ]
    run -2 --separate-stderr halo waveform a.wav --log
    says "--log is not an option of 'halo waveform'"
    run -2 --separate-stderr halo waveform
    says 'waveform: expected one input, found 0'
    [[ "$(halo help waveform)" == *'halo waveform recording.wav'* ]]
    halo --generate man | grep -q '^.B halo waveform'
}
