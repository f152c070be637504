# Images of sound: levels over time, and spectrograms.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

make_sound() {
    need scipy.signal
    "$PYTHON" -c "
import numpy as np
r = np.random.default_rng(1)
x = (r.normal(0, .2, 20000) + .3 * np.sin(2 * np.pi * 1000 * np.arange(20000) / 8000)).astype('<f4')
x.tofile('x.raw'); np.save('a.npy', x)"
}

@test "spectrograms are SciPy's stft" {
    make_sound
    halo run --raw f32,8000,1 spectrogram:window=256,hop=64,scale=linear x.raw -o b.npy
    npy "from scipy.signal import stft
m = 2 * np.abs(stft(a.astype(float), 8000, nperseg=256, noverlap=192)[2])[::-1, :b.shape[1]]
assert b.shape == (129, 313) and np.abs(m - b).max() < 1e-6"
    halo run --raw f32,8000,1 spectrogram:window=256,hop=64,floor=-100 x.raw -o b.npy -f
    npy "from scipy.signal import stft
m = 2 * np.abs(stft(a.astype(float), 8000, nperseg=256, noverlap=192)[2])[::-1, :b.shape[1]]
assert np.abs(20 * np.log10(m) + 100 - b).max() < 1e-3"
    halo run --raw f32,8000,1 spectrogram x.raw -o s.png
    [[ "$(halo info s.png)" == *'79 x 513'* ]]
    run --separate-stderr halo run --raw f32,8000,1 spectrogram:window=1000 x.raw -o t.png
    [ "$status" -eq 2 ]
    says 'power of two'
}

@test "a spectrogram as a table has rows of times and columns of frequencies" {
    make_sound
    halo run --raw f32,8000,1 spectrogram:window=256,hop=64 x.raw -o b.npy
    halo run -q --raw f32,8000,1 spectrogram:window=256,hop=64 x.raw -o b.csv
    [ "$(sed -n 1,3p b.csv | cut -d, -f 1,3)" = "$(printf 'time,31.25Hz\n0,%s\n0.008,%s' \
        "$(sed -n 2p b.csv | cut -d, -f 3)" "$(sed -n 3p b.csv | cut -d, -f 3)")" ]
    npy "t = np.genfromtxt('b.csv', delimiter=',', skip_header=1)
assert t.shape == (313, 130) and np.abs(t[:, :0:-1].T + 120 - b).max() < 2e-5"
    halo run -q --raw f32,4000,2 spectrogram:window=16,scale=linear x.raw -o two.csv
    [ "$(head -n 1 two.csv | cut -d, -f 1,10,11)" = 'time,1:2000Hz,2:0Hz' ]
    halo run -q --raw f32,8000,1 mel:bands=2 x.raw -o m.csv
    [ "$(sed 3q m.csv | cut -d, -f 1 | paste -sd ' ')" = 'time 0 0.064' ]
    run halo run --raw f32,8000,1 spectrogram x.raw -o b.wav
    [[ "$output" == *'wav cannot store images'* ]]
}

@test "levels are RMS and peak in decibels, from a pipe too, and silence has a floor" {
    make_sound
    halo run --raw f32,8000,1 level:50ms x.raw -o b.npy
    npy "x = a.astype(float).reshape(-1, 400)
assert np.abs(20 * np.log10(np.sqrt((x ** 2).mean(1))) - b[:, 0]).max() < 1e-5
assert np.abs(20 * np.log10(np.abs(x).max(1)) - b[:, 1]).max() < 1e-5"
    halo run --raw f32,8000,1 level:70ms x.raw -o - --to csv > file.csv
    # shellcheck disable=SC2002
    cat x.raw | halo run --raw f32,8000,1 level:70ms - -o - --to csv > pipe.csv
    cmp file.csv pipe.csv
    [ "$(wc -l < file.csv)" -eq 37 ]
    [ "$(head -c 8000 /dev/zero | halo run --raw f32,8000,1 level:250ms,floor=-90 - -o - --to csv |
        tail -n 1)" = 0.125,-90,-90 ]
}

@test "--plot draws spectrograms and series, --plot-response frequency responses" {
    make_wav a.wav 4000
    halo run spectrogram:window=256 a.wav --plot s.png
    halo run spectrogram:window=256 a.wav --plot s.svg -o s.npy
    halo run level:20ms a.wav --plot l.svg
    grep -q '<svg' s.svg && grep -q 'peak' l.svg
    [[ "$(halo info s.png)" == *'800 x 400'* ]]
    halo run 'lowpass:1kHz,design=butterworth | notch:50Hz' --plot-response r.svg --rate 8000
    grep -q 'at 8000 Hz' r.svg
    run --separate-stderr halo run median:window=5 --plot-response m.svg
    [ "$status" -eq 2 ]
    says 'linear filters'
    run --separate-stderr halo run gauss:2 --plot-response r.svg
    [ "$status" -eq 1 ]
    says 'r.svg exists'
    run --separate-stderr halo run gauss:2 a.wav --plot-response m.svg
    [ "$status" -eq 2 ]
    make_gray g.pgm 9 9
    run --separate-stderr halo run stats g.pgm --plot m.svg
    [ "$status" -ne 0 ]
    says 'needs a histogram'
    [ ! -e m.svg ]
}

@test "spectra of two channels name their frequencies, and psd is no sound" {
    make_wav one.wav 3000
    halo join one.wav one.wav -o twice.wav
    halo run channels:1,1 twice.wav -o two.wav
    halo run spectrogram two.wav -o two.csv
    [[ "$(head -1 two.csv)" == 'time,1:0Hz,'*',2:0Hz,'* ]]
    halo run gain:2x two.csv -o again.csv # it is read back
    [ "$(head -1 again.csv)" = "$(head -1 two.csv)" ]
    run -1 --separate-stderr halo run psd one.wav -o psd.wav
    says '.csv'
}
