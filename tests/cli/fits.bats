# FITS: types, blank values, HDUs and planes as pages, keywords; beside astropy.
# shellcheck disable=SC2154
setup() { load common; common_setup; need_format fits; }

need_format() { "$HALO" list formats | grep -q "^ *$1 " || skip "this build has no $1"; }
identical() { [[ "$(halo compare "$1" "$2")" == *identical* ]]; }

# card TEXT: of 80 characters; header CARDS…: with END, filled up to a block.
card() { printf '%-80s' "$1"; }
header() {
    for text; do card "$text"; done
    card END
    printf "%$(((36 - ($# + 1) % 36) % 36 * 80))s" ''
}
fill() { head -c $(((2880 - $1 % 2880) % 2880)) /dev/zero; }
number() { printf '%-8s= %20s' "$1" "$2"; }

# image BITPIX WIDTH HEIGHT CARDS…: a primary header
image() {
    local bits=$1 width=$2 height=$3
    shift 3
    header "$(number SIMPLE T)" "$(number BITPIX "$bits")" "$(number NAXIS 2)" "$(number NAXIS1 "$width")" \
        "$(number NAXIS2 "$height")" "$@"
}

@test "FITS: u8, u16, i16, i32 and floats are read, and written as they were" {
    { image 8 3 2; printf '\1\2\3\4\5\377'; fill 6; } > u8.fits
    { image 16 2 1 "$(number BZERO 32768)" "$(number BSCALE 1)"; printf '\200\1\177\377'; fill 4; } > u16.fits
    { image 16 2 1; printf '\377\376\0\5'; fill 4; } > i16.fits
    { image 32 2 1; printf '\377\377\377\376\0\1\0\0'; fill 8; } > i32.fits
    { image -32 2 1; printf '\77\200\0\0\300\0\0\0'; fill 8; } > f32.fits
    { image -64 1 1; printf '\77\271\231\231\231\231\231\232'; fill 8; } > f64.fits
    [ "$(halo run '' u8.fits -o - --to pgm | od -An -tu1 -j 11 | xargs)" = '1 2 3 4 5 255' ]
    halo run '' u16.fits -o u16.pgm
    [ "$(tail -c 4 u16.pgm | od -An -tx1 | xargs)" = '00 01 ff ff' ]
    halo stats --json i16.fits | grep -q '"min":-2,'
    halo stats --json i32.fits | grep -q '"max":65536'
    halo stats --json f32.fits | grep -q '"min":-2,'
    for f in u8 u16 i16 i32 f32 f64; do
        halo run '' $f.fits -o again.fits -f
        cmp <(head -c 80 $f.fits) <(head -c 80 again.fits)
        grep -aq "$(grep -ao 'BITPIX  = *[-0-9]*' $f.fits)" again.fits
        cmp <(tail -c 2880 $f.fits) <(tail -c 2880 again.fits)
    done
}

@test "FITS: BSCALE and BZERO apply, BLANK is NaN, and keywords go to the output" {
    { image 16 3 1 "$(number BSCALE 0.5)" "$(number BZERO 10)" "$(number BLANK -32768)" \
        "$(number EXPTIME 30.0)" "OBJECT  = 'M 31    '" "$(number CRPIX1 1.0)"
      printf '\0\2\0\4\200\0'; fill 6; } > b.fits
    halo stats --json b.fits | grep -q '"max":12'
    halo stats --json b.fits | grep -q '"nan":1'
    halo run '' b.fits -o c.fits
    grep -aq "EXPTIME = *30.0" c.fits && grep -aq "OBJECT  = 'M 31" c.fits && grep -aq CRPIX1 c.fits
    ! grep -aq 'BLANK ' c.fits
    run --separate-stderr halo run flip:x b.fits -o d.fits
    [ "$status" -eq 0 ]; says 'longer be true: FITS world coordinates'
    grep -aq EXPTIME d.fits
    ! grep -aq CRPIX1 d.fits
    run --separate-stderr halo run '' b.fits -o d.png
    [ "$status" -ne 0 ]; says 'full scale'
}

@test "FITS: world coordinates stay where pixels stay, and move with pixels that are cut off" {
    { image 8 4 3 "CTYPE1  = 'RA---TAN'" "$(number CRPIX1 2.5) / [pixel]" "$(number CRVAL1 10.0)" \
        "$(number CRPIX2 1)" "$(number CRVAL2 20.0)"; printf '%012d' 0; fill 12; } > w.fits
    run --separate-stderr halo run gain:2 w.fits -o gain.fits
    [ "$status" -eq 0 ]; [ -z "$stderr" ]
    grep -aq "CRPIX1  =  *2.5 / .pixel" gain.fits && grep -aq 'CRPIX2  =  *1 ' gain.fits
    run --separate-stderr halo run crop:2x2+1+1 w.fits -o crop.fits
    [ "$status" -eq 0 ]; [ -z "$stderr" ]
    grep -aq "CRPIX1  =  *1.5 / .pixel" crop.fits && grep -aq 'CRPIX2  =  *0 ' crop.fits
    grep -aq "CTYPE1  = 'RA---TAN'" crop.fits && grep -aq 'CRVAL2  =  *20' crop.fits
    halo run pad:3 w.fits -o pad.fits
    grep -aq "CRPIX1  =  *5.5 / .pixel" pad.fits && grep -aq 'CRPIX2  =  *4 ' pad.fits
    run --separate-stderr halo run resize:50% w.fits -o half.fits
    says 'longer be true: FITS world coordinates'
    ! grep -aq CTYPE1 half.fits
}

@test "FITS: planes keep their place along a third axis; a primary header without an image is noted" {
    {
        header "$(number SIMPLE T)" "$(number BITPIX 8)" "$(number NAXIS 4)" "$(number NAXIS1 2)" \
            "$(number NAXIS2 1)" "$(number NAXIS3 2)" "$(number NAXIS4 2)" "CTYPE3  = 'FREQ    '" \
            "$(number CRPIX3 1.0)" "$(number CRVAL3 1.4E9)" "$(number CDELT3 1.0E6)" "$(number CRPIX4 1.0)"
        printf '\1\2\3\4\5\6\7\10'; fill 8
    } > cube.fits
    run --separate-stderr halo convert cube.fits -o o.fits
    [ "$status" -eq 0 ]; [ -z "$stderr" ]
    [ "$(grep -ao 'CRPIX3  = *[-0-9.]*' o.fits | sed 's/.* //' | xargs)" = '1.0 0 1.0 0' ]
    [ "$(grep -ao 'CRPIX4  = *[-0-9.]*' o.fits | sed 's/.* //' | xargs)" = '1.0 1.0 0 0' ]
    {
        header "$(number SIMPLE T)" "$(number BITPIX 8)" "$(number NAXIS 0)" "$(number EXTEND T)" \
            "TELESCOP= 'HST     '" 'COMMENT of the file'
        header "XTENSION= 'IMAGE   '" "$(number BITPIX 8)" "$(number NAXIS 2)" "$(number NAXIS1 2)" \
            "$(number NAXIS2 1)" "$(number PCOUNT 0)" "$(number GCOUNT 1)"
        printf '\1\2'; fill 2
    } > several.fits
    run --separate-stderr halo convert several.fits -o p.fits
    [ "$status" -eq 0 ]; says 'left out, since the output cannot hold it: text FITS primary header'
    halo info several.fits | grep -q "FITS primary header TELESCOP= 'HST"
}

@test "FITS: three planes that become gray lose the third axis" {
    {
        header "$(number SIMPLE T)" "$(number BITPIX 8)" "$(number NAXIS 3)" "$(number NAXIS1 2)" \
            "$(number NAXIS2 1)" "$(number NAXIS3 3)" "CTYPE1  = 'RA---TAN'" "CTYPE3  = 'FREQ    '" \
            "$(number CD1_1 1)" "$(number CD3_3 1)"
        printf '\1\2\3\4\5\6'; fill 6
    } > three.fits
    halo run gain:1 three.fits -o same.fits
    grep -aq CTYPE3 same.fits && grep -aq CD3_3 same.fits
    run --separate-stderr halo run gray three.fits -o gray.fits
    says 'longer be true: FITS world coordinates'
    grep -aq CTYPE1 gray.fits && grep -aq CD1_1 gray.fits
    ! grep -aq CTYPE3 gray.fits
    ! grep -aq CD3_3 gray.fits
}

@test "FITS: HDUs and planes are pages, three planes are colours, tables are passed over" {
    {
        header "$(number SIMPLE T)" "$(number BITPIX 8)" "$(number NAXIS 0)" "$(number EXTEND T)"
        header "XTENSION= 'IMAGE   '" "$(number BITPIX 8)" "$(number NAXIS 3)" "$(number NAXIS1 2)" \
            "$(number NAXIS2 1)" "$(number NAXIS3 4)" "$(number PCOUNT 0)" "$(number GCOUNT 1)"
        printf '\1\2\3\4\5\6\7\10'; fill 8
        header "XTENSION= 'IMAGE   '" "$(number BITPIX 8)" "$(number NAXIS 3)" "$(number NAXIS1 2)" \
            "$(number NAXIS2 1)" "$(number NAXIS3 3)" "$(number PCOUNT 0)" "$(number GCOUNT 1)"
        printf '\1\2\3\4\5\6'; fill 6
    } > p.fits
    halo info p.fits | grep -q 'images *5'
    halo run pages:3 p.fits -o - --to pgm | tail -c 2 | cmp - <(printf '\5\6')
    halo run pages:5 p.fits -o - --to ppm | tail -c 6 | cmp - <(printf '\1\3\5\2\4\6')
    halo run '' p.fits -o q.fits
    [ "$(grep -ao XTENSION q.fits | wc -l)" = 4 ]
    halo run '' q.fits -o - --to pnm | cmp - <(halo run '' p.fits -o - --to pnm)
    for k in 1 2 3; do { image 8 2 1; printf "\\$k\\$((k + 3))"; fill 2; } > $k.fits; done
    halo stack mean 1.fits 2.fits 3.fits -o m.fits
    halo stats --json m.fits | grep -q '"mean":3.5'
}

@test "FITS: damaged and truncated files, and absurd sizes, give a message" {
    { image 16 100 100; head -c 5000 /dev/zero; } > cut.fits
    run --separate-stderr halo run '' cut.fits -o o.npy
    [ "$status" -eq 1 ]; says truncated
    halo run --tolerate '' cut.fits -o o.npy
    { image 16 2147483647 2147483647; fill 1; } > big.fits
    run --separate-stderr timeout 20 "$HALO" run '' big.fits -o p.npy
    [ "$status" -ne 0 ]; [ -n "$stderr" ]
    { image 16 -5 3; fill 1; } > neg.fits
    run --separate-stderr timeout 20 "$HALO" run '' neg.fits -o p.npy
    [ "$status" -ne 0 ]; [ -n "$stderr" ]
    header "$(number SIMPLE T)" "$(number BITPIX 8)" "$(number NAXIS 0)" > none.fits
    run --separate-stderr halo run '' none.fits -o p.npy
    [ "$status" -eq 1 ]; says 'without an image'
    [ ! -e p.npy ]
}

@test "astropy reads what halo writes, and halo what astropy writes" {
    need astropy.io.fits
    "$PYTHON" - << 'END'
import numpy as np
from astropy.io import fits
rng = np.random.default_rng(5)
for name, data in {
        'u1': rng.integers(0, 256, (5, 7)).astype('u1'), 'u2': rng.integers(0, 65536, (5, 7)).astype('u2'),
        'i2': rng.integers(-999, 999, (5, 7)).astype('i2'),
        'i4': rng.integers(-9999, 9999, (5, 7)).astype('i4'),
        'f4': rng.normal(size=(5, 7)).astype('f4'), 'f8': rng.normal(size=(5, 7))}.items():
    fits.PrimaryHDU(data).writeto(f'{name}.fits')
packed = fits.CompImageHDU(rng.integers(0, 999, (64, 64)).astype('i2'))
fits.HDUList([fits.PrimaryHDU(), packed]).writeto('z.fits')
np.save('z.npy', fits.getdata('z.fits').astype('f4'))
END
    for t in u1 u2 i2 i4 f4 f8; do
        halo run '' $t.fits -o $t.npy
        halo run '' $t.npy -o $t-2.fits
        halo run '' $t.fits -o $t-3.fits
    done
    halo run '' z.fits -o z2.npy
    "$PYTHON" - << 'END'
import numpy as np
from astropy.io import fits
for t in ('u1', 'u2', 'i2', 'i4', 'f4', 'f8'):
    a = fits.getdata(f'{t}.fits')
    assert np.array_equal(np.load(f'{t}.npy').reshape(a.shape), a), t
    for k in (2, 3):
        b = fits.getdata(f'{t}-{k}.fits')
        assert np.array_equal(a, b), (t, k)
    fits.open(f'{t}-3.fits').verify('exception')
assert np.array_equal(np.load('z2.npy').reshape(64, 64), np.load('z.npy'))
END
}
