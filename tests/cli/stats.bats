# Results of stats beyond one reduction, and loudness.
# shellcheck disable=SC2016,SC2154
setup() { load common; common_setup; make_worked in.pgm; }

@test "stats --full of known samples, keys and all" {
    [[ "$(halo stats --full --percentiles '10 50' --json in.pgm)" == \
        *'"zero":2,"skewness":-0.42140957464649'*',"kurtosis":-0.7703297626629'*',"entropy":3.19285199793036'*',"percentile":{"10":1.8000000000000007,"50":6}}],"all":'* ]]
    [[ "$(halo stats --percentiles 100 --json in.pgm)" == *'"zero":2,"percentile":{"100":9}}],"all":'* ]]
    [[ "$(halo stats --json in.pgm)" != *percentile* ]]
    [ "$(halo stats --full in.pgm | tr -s ' ' |
        grep -c -e '^skewness -0.4214096$' -e '^median 6$' -e '^99% 9$')" -eq 3 ]
}

@test "stats without the product is otherwise the same, of files and of all together" {
    make_rgb c.ppm 137 93
    make_wav s.wav 9000
    halo run 'gain:0.003' c.ppm -o f.npy
    for f in in.pgm c.ppm f.npy s.wav; do
        halo stats --json --product $f | sed 's/"product":[^}]*"nan"/"nan"/g' > with
        halo stats --json $f > without
        [ "$(grep -o '"product":null,"product_sign":0,"product_log2":null' without | wc -l)" -eq \
            "$(grep -o '"product"' without | wc -l)" ]
        sed 's/"product":[^}]*"nan"/"nan"/g' without | diff with -
    done
    [[ "$(halo stats --total in.pgm in.pgm --json | tail -1)" == *'"sum":506,'*'"product":null'* ]]
    [ "$(halo stats in.pgm | grep -c product)" -eq 0 ]
    [ "$(halo stats --product in.pgm | tr -s ' ' | grep -c '^product 0$')" -eq 1 ]
}

@test "NumPy agrees: percentiles, skewness, kurtosis, entropy" {
    need_numpy
    make_rgb c.ppm 137 93
    make_gray d.pgm 241 119 65535
    make_wav s.wav 9000
    halo run 'gauss:1.5 | gain:0.003' c.ppm -o f.npy
    for f in c.ppm d.pgm s.wav f.npy; do
        halo run '' $f -o $f.all.npy
        halo stats --full --percentiles 0,1,12.5,50,99.9,100 $f --json > $f.json
    done
    "$PYTHON" - << 'END'
import json
import numpy as np
def check(c, v, audio):
    w = v.astype(np.float64)
    for p, x in c['percentile'].items(): assert x == np.percentile(w, float(p)), (p, x,
        np.percentile(w, float(p)))
    d = w - w.mean()
    m2, m3, m4 = (d ** 2).mean(), (d ** 3).mean(), (d ** 4).mean()
    assert np.isclose(c['skewness'], m3 / m2 ** 1.5, rtol=1e-9, atol=1e-9)
    assert np.isclose(c['kurtosis'], m4 / m2 ** 2 - 3, rtol=1e-9, atol=1e-9)
    if v.dtype == np.float32: n = np.histogram(w, 256, (-1, 1) if audio else (0, 1))[0]
    else: n = np.bincount(v)
    q = n[n > 0] / n.sum()
    assert np.isclose(c['entropy'], -(q * np.log2(q)).sum(), rtol=1e-12)
for name in ('c.ppm', 'd.pgm', 's.wav', 'f.npy'):
    a = np.load(name + '.all.npy')
    r = json.load(open(name + '.json'))
    audio = r['kind'] == 'audio'
    a = a.reshape(-1, a.shape[-1]) if audio or a.ndim == 3 else a.reshape(-1, 1)
    for k, c in enumerate(r['channel']): check(c, a[:, k], audio)
    check(r['all'], a.ravel(), audio)
END
}

@test "invalid percentiles" {
    for bad in 101 -1 1,x '' ' ' nan 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17; do
        run --separate-stderr halo stats "--percentiles=$bad" in.pgm
        [ "$status" -eq 2 ]
        says "stats: percentiles: "
    done
}

@test "levels of sound" {
    need_numpy
    "$PYTHON" - << 'END'
import numpy as np
t = np.arange(48000) / 48000
x = np.stack([0.5 * np.sin(2 * np.pi * 1000 * t), 0.25 * np.sign(np.sin(2 * np.pi * 100 * t + 0.1)) + 0.125], 1)
x.astype(np.float32).tofile('x.f32')
END
    halo stats --raw f32,48000,2 x.f32 --json > x.json
    "$PYTHON" - << 'END'
import json
import numpy as np
r = json.load(open('x.json'))
x = np.fromfile('x.f32', np.float32).reshape(-1, 2).astype(np.float64)
for k, c in enumerate(r['channel']):
    v, l = x[:, k], c['level']
    peak, rms = np.abs(v).max(), np.sqrt((v ** 2).mean())
    assert l['peak'] == peak and np.isclose(l['peak_dbfs'], 20 * np.log10(peak), atol=1e-12)
    assert np.isclose(l['rms_dbfs'], 20 * np.log10(rms), atol=1e-12) and np.isclose(l['crest'], peak / rms)
    assert l['dc_offset'] == c['mean'] and np.isclose(l['dc_offset'], v.mean(), atol=1e-12)
assert abs(r['channel'][0]['level']['rms_dbfs'] - -9.03) < 0.01
END
    head -c 384000 /dev/zero | halo stats --raw f32,48000,2 - --json > silence.json
    grep -q '"level":{"peak":0,"peak_dbfs":"-inf","rms_dbfs":"-inf","crest":null,"dc_offset":0}' silence.json
}

# The signals of EBU Tech 3341 (loudness, true peak) and 3342 (range), made here, and the tolerances they allow.
@test "loudness of the published test signals" {
    need_numpy
    [[ "$(halo --version)" != *"no loudness"* ]] || skip "this build has no libebur128"
    "$PYTHON" - << 'END'
import numpy as np
rate = 48000
def tone(parts, hz=1000.0, channels=2):
    n = [int(round(s * rate)) for _, s in parts]
    t = np.arange(sum(n)) / rate
    level = np.repeat([10 ** (db / 20) for db, _ in parts], n)
    return np.repeat((level * np.sin(2 * np.pi * hz * t))[:, None], channels, 1)
five = tone([(0, 20)], channels=5) * 10 ** (np.array([-28, -28, -24, -30, -30]) / 20)
quarter = 0.5 * np.sin(np.pi / 2 * np.arange(rate) + np.pi / 4)[:, None].repeat(2, 1)
signals = {
    'l1': tone([(-23, 20)]), 'l2': tone([(-33, 20)]), 'l3': tone([(-36, 10), (-23, 60), (-36, 10)]),
    'l4': tone([(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)]),
    'l5': tone([(-26, 20), (-20, 20.1), (-26, 20)]), 'l6': five,
    'r1': tone([(-20, 20), (-30, 20)]), 'r2': tone([(-20, 20), (-15, 20)]),
    'r3': tone([(-40, 20), (-20, 20)]), 'r4': tone([(-50, 20), (-35, 20), (-20, 20), (-35, 20), (-50, 20)]),
    'p': quarter,
}
for name, x in signals.items(): x.astype(np.float32).tofile(name + '.f32')
END
    for f in l1 l2 l3 l4 l5 r1 r2 r3 r4 p; do halo stats --raw f32,48000,2 $f.f32 --json > $f.json; done
    halo stats --raw f32,48000,5 l6.f32 --json > l6.json
    "$PYTHON" - << 'END'
import json
def loudness(name): return json.load(open(name + '.json'))['loudness']
for name, lufs in (('l1', -23), ('l2', -33), ('l3', -23), ('l4', -23), ('l5', -23), ('l6', -23)):
    assert abs(loudness(name)['integrated'] - lufs) <= 0.1, (name, loudness(name))
for name, lu in (('r1', 10), ('r2', 5), ('r3', 20), ('r4', 15)):
    assert abs(loudness(name)['range'] - lu) <= 1, (name, loudness(name))
assert -0.4 <= loudness('p')['true_peak'] - -6 <= 0.2, loudness('p')
assert abs(json.load(open('p.json'))['all']['level']['peak_dbfs'] - -9.03) < 0.01
assert abs(loudness('l6')['true_peak'] - -24) <= 0.1, loudness('l6')
END
    halo stats --raw f32,48000,2 l1.f32 | grep -q '^loudness   -23.0 LUFS, range 0.0 LU, true peak -23.0 dB$'
}

# BS.1770-4 asks for 192 kHz at least; the grid here is 16 times as fine as the samples at every rate.
@test "the true peak of noise, against sums of sin(x)/x" {
    need_numpy
    cat > peaks.py << 'END'
import json, subprocess, sys
import numpy as np
for rate in (32000, 44100, 48000, 96000):
    x = np.random.default_rng(rate).uniform(-0.4, 0.4, rate // 4).astype(np.float32)
    x.tofile('n.f32')
    peak, side = np.abs(x).max(), 128
    for part in range(1, 16):
        t = np.arange(-side + 1, side + 1) - part / 16
        peak = max(peak,
            np.abs(np.convolve(x, (np.sinc(t) * (0.5 + 0.5 * np.cos(np.pi * t / side)))[::-1])).max())
    said = subprocess.run([sys.argv[1], 'stats', '--json', '--raw', f'f32,{rate},1', 'n.f32'],
        capture_output=True)
    got = json.loads(said.stdout.splitlines()[0])['loudness']['true_peak']
    assert abs(got - 20 * np.log10(peak)) < 0.3, (rate, got, 20 * np.log10(peak))
END
    "$PYTHON" peaks.py "$HALO"
}

@test "the reason is printed where there is no loudness" {
    python3 -c \
        'import struct, sys; sys.stdout.buffer.write(
            struct.pack("<f", 0.5) * 9000 + struct.pack("<f", float("nan")))' > nan.f32
    halo stats --raw f32,48000,1 nan.f32 | grep -qx 'loudness   not known: some samples are NaN or infinite'
    halo stats --json --raw f32,48000,1 nan.f32 |
        grep -q \
        '"loudness":{"integrated":null,"range":null,"true_peak":null,"unknown":"some samples are NaN or infinite"}'
    head -c 8000 /dev/zero > in.raw
    if [[ "$(halo --version)" == *"no loudness"* ]]; then
        halo stats --raw f32,48000,1 in.raw |
            grep -qx 'loudness   not known: this build has no libebur128, true peak -inf dB'
        halo stats --json --raw f32,48000,1 in.raw |
            grep -q '"integrated":null,"range":null,.*"unknown":"this build has no libebur128"'
    else
        halo stats --raw f32,48000,1 in.raw | grep -q '^loudness   -inf LUFS'
        halo stats --raw f32,1,1 in.raw | grep -q '^loudness   not known: loudness is undefined'
    fi
}

@test "sound in bands has the loudness of the whole" {
    [[ "$(halo --version)" != *"no loudness"* ]] || skip "this build has no libebur128"
    need_numpy
    "$PYTHON" -c \
        'import numpy as np
(np.random.default_rng(1).standard_normal(400000) / 9).astype(np.float32).tofile("s.f32")'
    halo stats --full --raw f32,48000,2 s.f32 --json | grep -o '"loudness":.*"range":[^,]*' > whole
    halo run --raw f32,48000,2 'average:1 | stats' s.f32 -o t.wav --json | head -1 |
        grep -o '"loudness":.*"range":[^,]*' > parts
    diff whole parts
    ! grep -q '"integrated":null' whole
}

@test "a series has percentiles in place of decibels and loudness, and a histogram of its own range" {
    printf 't,temperature\n1,20.5\n2,21\n3,\n4,25\n' > s.csv
    run halo stats s.csv
    [[ $output == *'series, 2 channels'* && $output == *mean* && $output == *median* && $output == *99%* ]]
    [[ $output != *dB* && $output != *'dc offset'* && $output != *loudness* && $output != *crest* ]]
    [ "$(halo hist --bins 4 --json s.csv | grep -o '"range":[^]]*')" = '"range":[1,25' ]
    halo stats --json s.csv > s.json
    grep -q '"numbers":true' s.json && grep -q '"50":21,' s.json
    run ! grep -qE '"level"|"loudness"' s.json
    # One header serves sound, which has no percentiles, and series.
    make_wav a.wav 900
    halo stats --csv s.csv a.wav > both.csv
    [ "$(sed 's/[^,]//g' both.csv | sort -u | wc -l)" -eq 1 ]
    head -n 1 both.csv | grep -q 'p25,p50,p75'
    run halo stats --percentiles none s.csv
    [[ $output != *median* ]]
    # Beside an output, which may be a stream, there are none.
    run --separate-stderr halo run 'average:3 | stats' s.csv -o o.csv
    [[ $output != *median* && $output == *mean* ]]
    # What a pipeline makes of sound in decibels is a series; of sound itself the level stays.
    [[ "$(halo run 'level:50ms | stats' a.wav)" != *dBFS* ]]
    [[ "$(halo stats a.wav)" == *dBFS* ]]
    # The parts of a sharded run know it, too.
    for i in 1 2; do halo stats --total --json --shard $i/2 s.csv s.csv > $i.json; done
    [[ "$(halo merge 1.json 2.json)" != *dBFS* ]]
}

@test "a clamp of a series has no upper limit unless one is given, and percentages are refused" {
    printf '1\n-5\n7000\n' > s.csv
    [ "$(halo run clamp:min=0 s.csv -o - --to csv | tail -n 3 | xargs)" = '1 0 7000' ]
    run --separate-stderr halo run clamp:min=10% s.csv -o o.csv
    [ "$status" -eq 1 ]
    says 'needs a full scale, which the input lacks: give a number'
}
