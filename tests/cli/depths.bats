# Samples of sound in files: their depth, raw samples by other tools' names, arrays as series, results as
# tables.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

@test "--bits sets the depth of sound" {
    make_wav a.wav 300
    for bits in 8 16 24 32; do
        for to in wav aiff flac raw; do
            [ $to$bits = flac32 ] || halo run '' a.wav -o b.$to -f --bits $bits
            [ $to = raw ] || [ $to$bits = flac32 ] || halo info b.$to | grep -q "$bits-bit"
        done
        [ "$(wc -c < b.raw)" -eq $((300 * bits / 8)) ]
        if [ $bits -ge 16 ]; then halo compare a.wav b.aiff | grep -q identical; fi
    done
    halo run gain:3 a.wav -o loud.wav --bits float
    halo info loud.wav | grep -q '32-bit float'
    [[ "$(halo stats --json loud.wav)" == *'"max":0.9'* ]]
    for bad in 'x.flac --bits float' 'x.flac --bits 32' 'x.ogg --bits 16' 'x.csv --bits 16' \
        'x.wav --bits 12'; do
        # shellcheck disable=SC2086
        run --separate-stderr halo run '' a.wav -o $bad
        [ "$status" -eq 2 ]
        [ ! -e x.flac ] && [ ! -e x.ogg ] && [ ! -e x.csv ] && [ ! -e x.wav ]
    done
}

@test "raw samples by the names of other tools, and of 64 bits" {
    need_numpy
    "$PYTHON" -c "
import numpy as np
a = np.random.default_rng(3).integers(-30000, 30000, (50, 2))
a.astype('<i2').tofile('a.s16'); (a / 32768).astype('<f8').tofile('a.f64')
(a / 32768).astype('<f4').tofile('a.f32')
a.astype('>i2').tofile('b.s16'); (a << 16).astype('>i4').tofile('b.s32')
(a << 16).astype('<i4').tofile('a.s32')
(a / 32768).astype('>f8').tofile('b.f64'); (a / 32768).astype('>f4').tofile('b.f32')
np.frombuffer((a << 8).astype('>i4').tobytes(), 'u1').reshape(-1, 4)[:, 1:].tofile('b.s24')
np.frombuffer((a << 8).astype('<i4').tobytes(), 'u1').reshape(-1, 4)[:, :3].tofile('a.s24')
u = np.arange(12) * 1000; u.astype('>u2').tofile('b.u16'); u.astype('<u2').tofile('a.u16')"
    halo run --raw u16be:4x3 '' b.u16 -o b.pgm
    halo run --raw u16:4x3 '' a.u16 -o a.pgm
    cmp a.pgm b.pgm
    for rate in 48k 48000 48kHz; do
        halo run --raw s16,$rate,2 '' a.s16 -o $rate.wav
        cmp $rate.wav 48k.wav
    done
    halo info --json 48k.wav | grep -q '"rate":48000,'
    halo run --raw s16,44.1k,2 '' a.s16 -o - --to wav | halo info --json - | grep -q '"rate":44100,'
    for spec in s16le:a.s16 s16:a.s16 f64:a.f64 f64le:a.f64 f32le:a.f32 s24:a.s24 s32:a.s32 s16be:b.s16 \
        s24be:b.s24 s32be:b.s32 f64be:b.f64 f32be:b.f32; do
        halo run --raw "${spec%:*},8000,2" '' "${spec#*:}" -o "$spec.npy"
        "$PYTHON" -c "
import numpy as np
a, b = np.load('$spec.npy'), np.load('s16le:a.s16.npy')
wide = '$spec'[1:].startswith(('64', '32')) and '$spec'[:3] != 'f32'
assert a.dtype == ('f8' if wide else 'f4') and (a == b).all()"
    done
    head -c 799 a.f64 > short.f64
    run --separate-stderr halo run --raw f64,8000,2 '' short.f64 -o b.npy
    [ "$status" -eq 1 ]
    says truncated
    for bad in f16,8000,2 s16be:4x3 s16,8k s16,8kB,2 s16,44.15555k,2 s16,-8k,2 be,8k,1; do
        run --separate-stderr halo run --raw $bad '' a.s16 -o b.npy
        [ "$status" -eq 2 ] || { echo "$bad"; false; }
    done
}

@test "an array is a series where --rate is given, and smoothers run along time" {
    need scipy.signal
    "$PYTHON" -c "
import numpy as np
r = np.random.default_rng(1)
np.save('a.npy', r.normal(0, 3, (500, 2))); np.save('u.npy', r.integers(0, 60000, 700).astype('u2'))"
    halo run savgol:21,order=3 a.npy --rate 100 -o b.npy
    npy "from scipy.signal import savgol_filter
assert np.abs(savgol_filter(a, 21, 3, axis=0, mode='mirror') - b).max() < 1e-5"
    halo run median:window=50ms u.npy --rate 100 -o b.npy -f
    npy "from scipy.ndimage import median_filter
assert (median_filter(np.load('u.npy'), 5, mode='mirror') == b[:, 0]).all()"
    halo info a.npy --rate 100 | grep -q '5.000 s, 500 frames'
    halo run 'gauss:2 | average:3' - --rate 10 -o piped.npy < a.npy
    halo run 'gauss:2 | average:3' a.npy --rate 10 -o file.npy
    cmp piped.npy file.npy
    head -c 3000 a.npy > short.npy
    run --separate-stderr halo run '' short.npy --rate 10 -o c.npy
    [ "$status" -eq 1 ]
    says 'of 500 frames'
    "$PYTHON" -c "import numpy as np; np.save('cube.npy', np.zeros((2, 3, 4)))"
    run --separate-stderr halo run '' cube.npy --rate 10 -o c.npy
    [ "$status" -eq 1 ]
    says 'frames by channels'
}

@test "results as tables" {
    make_wav 'a,b.wav' 200
    make_gray c.pgm 5 4
    halo stats --csv 'a,b.wav' c.pgm > s.csv
    [ "$(wc -l < s.csv)" -eq 3 ]
    [[ "$(sed -n 2p s.csv)" == '"a,b.wav",,1,200,0,0,'* ]]
    [ "$(sed -n 3p s.csv | tr -cd , | wc -c)" -eq "$(sed -n 1p s.csv | tr -cd , | wc -c)" ]
    run --separate-stderr halo stats --csv --json c.pgm
    [ "$status" -eq 2 ]
    says json
    halo stats --csv --percentiles 5,50 c.pgm | head -n 1 | grep -q ',p5,p50$'
    halo hist --csv --bins 4 c.pgm > h.csv
    [ "$(head -n 1 h.csv)" = file,image,channel,from,to,count ]
    [ "$(awk -F, 'NR > 1 { n += $6 } END { print NR, n }' h.csv)" = '5 20' ]
}

@test "info says which integers are scaled as they are read, and by what" {
    printf 'P2 2 1 1000\n500 1000\n' > a.pgm
    halo info a.pgm | grep -q '10-bit integers, read as u16: times 65.535, from full scale 1000 to 65535$'
    halo info --json a.pgm | grep -q '"factor":65.53'
    printf 'P2 2 1 100\n50 100\n' > b.pgm
    halo info b.pgm | grep -q '7-bit integers, read as u8: times 2.55, from full scale 100 to 255$'
    make_gray c.pgm 2 2 65535
    halo info c.pgm | grep -q '16-bit integers, read as u16$'
    ! halo info --json c.pgm | grep -q factor
    make_worked d.pgm
    halo info d.pgm | grep -q '8-bit integers, read as u8$'
    halo help units | grep -q "PGM's maxval .*halo info"
    halo list formats | grep -q '^ *tiff' || skip "this build has no TIFF"
    { # a pixel of 12 bits, 0x800
        printf 'II*\0\10\0\0\0\7\0'
        printf '\0\1\3\0\1\0\0\0\1\0\0\0\1\1\3\0\1\0\0\0\1\0\0\0\2\1\3\0\1\0\0\0\14\0\0\0'
        printf '\6\1\3\0\1\0\0\0\1\0\0\0\21\1\4\0\1\0\0\0\142\0\0\0\26\1\3\0\1\0\0\0\1\0\0\0'
        printf '\27\1\4\0\1\0\0\0\2\0\0\0\0\0\0\0\200\0'
    } > e.tif
    halo info e.tif | grep -q '12-bit integers, read as u16: times 16.00366, from full scale 4095 to 65535$'
    halo stats --json e.tif | grep -q '"max":32776'
}

@test "info says that the integers of NIfTI are such, where the file has a slope for them" {
    printf 'NRRD0004\ntype: short\ndimension: 2\nsizes: 2 1\nendian: little\nencoding: raw\n\n\1\0\2\0' > a.nrrd
    halo convert a.nrrd -o a.nii
    halo info a.nii | grep -q '16-bit integers, read as f32$'
    { head -c 112 a.nii; printf '\0\0\0\77'; tail -c +117 a.nii; } > half.nii # scl_slope 0.5
    halo info half.nii | grep -q '16-bit integers that the file scales, read as f32$'
    halo info --json half.nii | grep -q '"bits":16,"real":false'
    halo stats --json half.nii | grep -q '"max":1,'
}

@test "integers of raw sound without sign have their zero in the middle" {
    printf '\x80\x00\xff\x40' > a.u8
    halo run --raw u8,8000,1 '' a.u8 -o a.wav
    tail -c 4 a.wav | cmp - a.u8
    halo run '' a.wav -o b.raw
    cmp a.u8 b.raw
    halo run --raw u8,8000,1 '' a.u8 -o c.raw
    cmp a.u8 c.raw
    printf '\x00\x80\x00\x00\xff\xff' > a.u16
    printf '\x80\x00\x00\x00\xff\xff' > b.u16
    printf '\x00\x00\x00\x80\xff\x7f' > signed
    halo run --raw u16,8000,1 '' a.u16 -o a.raw
    cmp a.raw signed
    halo run --raw u16be,8000,1 '' b.u16 -o b.wav
    tail -c 6 b.wav | cmp - signed
}
