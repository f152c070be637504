# --strip reports when colours look different without the metadata that it leaves out.
setup() {
    load common
    common_setup
    make_rgb c.ppm 6 4
    halo run '' c.ppm -o c.png
}

said() { run --separate-stderr halo "$@"; [ "$status" -eq 0 ]; }

xyz() { printf 'XYZ \0\0\0\0'; be 4 "$1"; be 4 "$2"; be 4 "$3"; }

# profile GAMMA RED: an ICC profile of RGB: a gamma in 256ths, and X of red in 65536ths.
profile() {
    local i names=(rXYZ gXYZ bXYZ rTRC gTRC bTRC)
    be 4 278; head -c 12 /dev/zero; printf 'RGB XYZ '; head -c 12 /dev/zero; printf acsp; head -c 88 /dev/zero
    be 4 6
    for i in 0 1 2; do printf '%s' "${names[i]}"; be 4 $((204 + 20 * i)); be 4 20; done
    for i in 3 4 5; do printf '%s' "${names[i]}"; be 4 264; be 4 14; done
    xyz "$2" 14582 911; xyz 25238 46983 6364; xyz 9378 3972 46800
    printf 'curv\0\0\0\0'; be 4 1; be 2 "$1"
}

# tiff PROFILE: one pixel.
tiff() {
    printf 'MM\0*'; be 4 8; be 2 8
    for t in 256:3:1:1 257:3:1:1 258:3:1:8 262:3:1:2 273:4:1:110 277:3:1:3 279:4:1:3 34675:7:278:114; do
        IFS=: read -r id type count value <<< "$t"
        be 2 "$id"; be 2 "$type"; be 4 "$count"
        if [ "$type" = 3 ]; then be 2 "$value"; be 2 0; else be 4 "$value"; fi
    done
    be 4 0; printf '\1\2\3\0'; cat "$1"
}

@test "a gamma that is not sRGB's" {
    halo run linear c.png -o l.png # which says gamma 1
    said run --strip '' l.png -o o.png
    says 'colours will look different without what --strip leaves out: colour space'; says 'vips icc_transform'
    said run --strip linear c.png -o o2.png # the gamma of the result is what matters
    says 'colours will look different'
    said run --strip invert c.png -o o3.png
    [ -z "$stderr" ]
    said run --strip srgb l.png -o o4.png
    [ -z "$stderr" ]
}

@test "a profile that is not sRGB's" {
    profile 563 28580 > srgb.icc # gamma 2.2
    profile 461 33750 > wide.icc # 1.8, and a deeper red
    tiff srgb.icc > s.tif
    tiff wide.icc > w.tif
    halo info w.tif | grep -q 'ICC *278 bytes'
    said run --strip '' w.tif -o w.png
    says 'colours will look different without what --strip leaves out: ICC profile'
    said run --strip '' s.tif -o s.png
    [ -z "$stderr" ]
    said run '' w.tif -o kept.png
    [ -z "$stderr" ]
    said -q run --strip '' w.tif -o quiet.png
    [ -z "$stderr" ]
}

@test "sound, and what --strip leaves out besides colours" {
    make_wav s.wav 100
    said run --strip '' s.wav -o o.wav
    [ -z "$stderr" ]
    with_orientation c.png > t.png
    said run --strip '' t.png -o o.png
    [[ "$stderr" != *colours* ]]
}
