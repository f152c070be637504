# Spectra, correlations, peaks and features of sound and series, beside SciPy.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

make_series() {
    need scipy.signal
    "$PYTHON" -c "
import numpy as np
r = np.random.default_rng(1)
t = np.arange(4000)
x = (np.cumsum(r.normal(0, .05, 4000)) + .5 * np.sin(2 * np.pi * t / 20) + 2 * (t % 250 == 0)).astype('<f4')
x.tofile('x.raw'); np.save('a.npy', x)"
}

series() { halo run -q -f --raw f32,100,1 "$1" x.raw -o "${2:-b.npy}"; }

close_to() {
    npy "from scipy import signal
x = a.astype(float)
w = $1
assert b.shape[0] == w.shape[0] and np.abs(b.ravel() - w).max() <= ${2:-1e-6} * np.abs(w).max()"
}

@test "psd is SciPy's welch, for any window, with a column of frequencies" {
    make_series
    series psd:window=10s,detrend=linear
    close_to "signal.welch(x, 100, nperseg=1000, detrend='linear')[1]"
    series psd:window=255,scale=spectrum,overlap=0%
    close_to "signal.welch(x, 100, nperseg=255, noverlap=0, scaling='spectrum')[1]"
    series psd:64 b.csv
    [ "$(head -n 3 b.csv | cut -d, -f1 | paste -sd ' ')" = 'frequency 0.0000 1.5625' ]
    [ "$(wc -l < b.csv)" -eq 34 ]
    run --separate-stderr halo run --raw f32,100,1 psd:5000 x.raw -o c.csv
    [ "$status" -eq 1 ]; says 'longer than the input'; says window=4000
    run --separate-stderr halo run --raw f32,100,1 psd:overlap=100% x.raw -o c.csv
    [ "$status" -eq 2 ]; says 'below 100%'
    [ ! -e c.csv ]
}

@test "xcorr is SciPy's correlate, by lag, and finds a delay" {
    make_series
    series xcorr
    close_to "signal.correlate(x, x)"
    series 'xcorr:[trim:100f,4000f],lag=1s,scale=coefficient' b.csv
    [ "$(wc -l < b.csv)" -eq 202 ]
    [ "$(sed -n 2p b.csv | cut -d, -f1)" = -1.00 ]
    # What was cut off is found again: there the correlation is greatest.
    [ "$(tail -n +2 b.csv | sort -t, -k2 -g | tail -n 1 | cut -d, -f1)" = 1.00 ]
    cat x.raw | halo run -q --raw f32,100,1 xcorr - -o c.npy
    series xcorr
    cmp b.npy c.npy
}

@test "what is long is analysed in passes: xcorr at few lags, decibels below the greatest, in any blocks" {
    need scipy.signal
    "$PYTHON" -c "import numpy as np
r = np.random.default_rng(2)
x = r.normal(size=(90000, 2))
x[:, 1] = np.roll(x[:, 0], 40) + x[:, 1]
np.save('x.npy', x); np.save('y.npy', x[500:40000, ::-1].copy())
np.save('z.npy', np.sin(np.arange(1100) ** 1.5) * np.linspace(1, 1e-6, 1100))"
    halo run -q --rate 1000 xcorr:lag=700f x.npy -o a.npy
    halo run -q --rate 1000 xcorr:y.npy,lag=2000f,scale=coefficient x.npy -o b.npy
    cat x.npy | halo run -q --rate 1000 xcorr:lag=700f - -o c.npy
    cmp a.npy c.npy
    npy "from scipy import signal
x, y = np.load('x.npy'), np.load('y.npy')
for c in 0, 1:
    w = signal.correlate(x[:, c], x[:, c])[len(x) - 701:len(x) + 700]
    assert np.abs(a[:, c] - w).max() <= 1e-12 * np.abs(w).max()
    w = signal.correlate(x[:, c], y[:, c])[len(y) - 2001:len(y) + 2000]
    w /= np.sqrt((x[:, c] ** 2).sum() * (y[:, c] ** 2).sum())
    assert np.abs(b[:, c] - w).max() <= 1e-12"
    # 1.1 million values: more than are kept.
    halo run -q --rate 1000 mel:bands=1024,window=16,hop=1,fft=2048,scale=db z.npy -o a.npy -f
    halo run -q --rate 1000 mel:bands=1024,window=16,hop=1,fft=2048,scale=db,range=0 z.npy -o b.npy -f
    npy "assert b.min() < b.max() - 80 and np.array_equal(a, np.maximum(b, b.max() - 80))"
    # Gaps of many lengths, at both ends, and across the borders of what is processed at a time.
    "$PYTHON" -c "import numpy as np
r = np.random.default_rng(4)
x = r.normal(size=2_200_000)
for at in r.integers(0, len(x), 300): x[at:at + r.integers(1, 3000)] = np.nan
x[:50] = x[-70:] = np.nan
np.save('a.npy', x)"
    halo run -q --rate 1000 fill a.npy -o b.npy -f
    npy "gone, i = np.isnan(a), np.arange(len(a))
assert np.array_equal(a[~gone], b.ravel()[~gone])
assert np.abs(b.ravel() - np.interp(i, i[~gone], a[~gone])).max() < 1e-12"
}

@test "series: diff, detrend, decimate, integrate and derivatives are SciPy's, from a pipe too" {
    make_series
    local call n=0
    while IFS='|' read -r op call; do
        n=$((n + 1))
        series "$op" b$n.npy
        cat x.raw | halo run -q -f --raw f32,100,1 "$op" - -o c.npy
        cmp b$n.npy c.npy
        echo "($n, $call)," >> calls
    done <<'END'
diff:2|np.diff(x, 2)
detrend|signal.detrend(x)
detrend:constant|signal.detrend(x, type='constant')
decimate:4|signal.decimate(x, 4)
decimate:5,method=fir|signal.decimate(x, 5, ftype='fir')
integrate|np.concatenate([[0], np.cumsum((x[1:] + x[:-1]) / 200)])
savgol:window=21,order=3,edge=interp,deriv=1,delta=0.01|signal.savgol_filter(x, 21, 3, 1, .01)
END
    "$PYTHON" -c "
import numpy as np
from scipy import signal
x = np.load('a.npy').astype(float)
for n, w in ($(cat calls)):
    b = np.load(f'b{n}.npy').ravel()
    assert b.shape == w.shape and np.abs(b - w).max() <= 3e-6 * np.abs(w).max(), n"
    run --separate-stderr halo run --raw f32,100,1 savgol:window=21,order=2,deriv=3 x.raw -o d.npy
    [ "$status" -eq 2 ]; says 'raise order'
    run --separate-stderr halo run --raw f32,100,1 despike:4 x.raw -o d.npy
    [ "$status" -eq 2 ]; says 'has to be odd'
    series 'trim:0f,1f | despike' b.csv
}

@test "peaks are SciPy's find_peaks: as text, JSON and CSV" {
    make_series
    halo run --raw f32,100,1 peaks:prominence=0.8,distance=50ms,width=1 x.raw --json > p.json
    "$PYTHON" -c "
import json
import numpy as np
from scipy import signal
x = np.load('a.npy').astype(float)
at, found = signal.find_peaks(x, prominence=.8, distance=5, width=1)
peaks = json.load(open('p.json'))['channel'][0]['peaks']
assert [p['frame'] for p in peaks] == list(at) and len(at) > 10
assert np.allclose([p['prominence'] for p in peaks], found['prominences'])
assert np.allclose([p['width'] for p in peaks], found['widths'])
assert np.allclose([p['time'] for p in peaks], at / 100)"
    grep -q '"type":"peaks"' p.json
    halo run --raw f32,100,1 peaks:height=99 x.raw | grep -q '0 peaks'
    halo run --raw f32,100,1 peaks:prominence=0.8 x.raw | grep -q 'prominence'
}

# The definitions of librosa: Slaney's scale and areas, a centred Hann window, 80 dB, DCT-II.
@test "mel and mfcc are librosa's" {
    make_series
    halo run -q --raw f32,16000,1 mel:bands=40 x.raw -o m.npy
    halo run -q --raw f32,16000,1 mfcc:13,bands=40 x.raw -o c.npy
    "$PYTHON" -c "
import numpy as np
from scipy import fft, signal
y = np.load('a.npy').astype(float)
mel = lambda f: np.where(f < 1000, f * 3 / 200, 15 + 27 * np.log(np.maximum(f, 1) / 1000) / np.log(6.4))
hz = lambda m: np.where(m < 15, m * 200 / 3, 1000 * 6.4 ** ((m - 15) / 27))
e = hz(np.linspace(0, mel(8000.), 42))
f = np.fft.rfftfreq(2048, 1 / 16000)
up = (f - e[:-2, None]) / np.diff(e)[:-1, None]
down = (e[2:, None] - f) / np.diff(e)[1:, None]
bank = np.maximum(0, np.minimum(up, down)) * (2 / (e[2:] - e[:-2]))[:, None]
w = signal.get_window('hann', 2048)
p = np.pad(y, 1024)
s = np.array([np.abs(np.fft.rfft(p[k:k + 2048] * w)) ** 2 for k in range(0, len(y) + 1, 512)]) @ bank.T
m = np.load('m.npy')
assert m.shape == s.shape and np.abs(m / s - 1).max() < 1e-5
d = 10 * np.log10(np.maximum(1e-10, s))
c = fft.dct(np.maximum(d, d.max() - 80), norm='ortho')[:, :13]
assert np.abs(np.load('c.npy') - c).max() < 1e-5 * np.abs(c).max()"
    halo run -q --raw f32,16000,1 mfcc:2 x.raw -o c.csv
    [ "$(head -n 1 c.csv)" = time,mfcc0,mfcc1 ]
    run --separate-stderr halo run --raw f32,16000,1 mfcc:13,bands=12 x.raw -o d.npy
    [ "$status" -eq 2 ]; says 'need as many bands'
    run --separate-stderr halo run --raw f32,16000,1 mel:high=9k x.raw -o d.npy
    [ "$status" -eq 2 ]; says 'half the sample rate'
}
