# Arrays of more dimensions: --axes, and pages in one NPY.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

make_arrays() {
    need_numpy
    "$PYTHON" - << 'END'
import numpy as np
r = np.random.default_rng(2)
a = r.integers(0, 256, (4, 11, 13, 3)).astype(np.uint8)
np.save("nhwc.npy", a); np.save("nchw.npy", np.ascontiguousarray(a.transpose(0, 3, 1, 2)))
np.save("chw.npy", np.ascontiguousarray(a[0].transpose(2, 0, 1)))
np.save("hwc.npy", a[0]); np.save("nhw.npy", np.ascontiguousarray(a[..., 1]))
np.save("hw.npy", np.ascontiguousarray(a[0, ..., 1]))
np.save("chw64.npy", np.ascontiguousarray(a[0].transpose(2, 0, 1)).astype(">f8"))
np.save("hwc64.npy", a[0].astype(np.float64))
np.save("mean.npy", a[..., 1].mean(0).astype(np.float32))
END
}

@test "--axes says what dimensions are: channels first or last, pages" {
    make_arrays
    halo run '' chw.npy -o out.npy --axes chw
    cmp <(tail -c 429 out.npy) <(tail -c 429 hwc.npy)
    halo run '' nchw.npy -o out.npy --axes nchw -f
    cmp out.npy nhwc.npy
    halo run '' nhwc.npy -o out.npy --axes nhwc -f
    cmp out.npy nhwc.npy
    halo run '' nhwc.npy -o out.npy -f # so does halo write pages: it says itself what they are
    cmp out.npy nhwc.npy
    halo run '' nhw.npy -o out.npy --axes nhw -f
    cmp out.npy nhw.npy
    halo run '' - -o out.npy --axes nhw -f < nhw.npy
    cmp out.npy nhw.npy
    cat nhw.npy | halo run '' - -o out.npy --axes nhw -f
    cmp out.npy nhw.npy
    cat nchw.npy | halo run '' - -o out.npy --axes nchw -f
    cmp out.npy nhwc.npy
    halo run '' chw64.npy -o out.npy --axes chw -f
    halo run '' hwc64.npy -o want.npy
    cmp out.npy want.npy
    halo run gauss:1 chw.npy -o one.npy --axes chw -j 1
    halo run gauss:1 hwc.npy -o two.npy
    cmp one.npy two.npy
    halo info nhw.npy --axes nhw | grep -q 'images *4'
    halo info nhw.npy --axes nhw | grep -q '13 x 11'
    halo stats nhw.npy --axes nhw --json | wc -l | grep -qx 4
}

@test "arrays in Fortran order are read like others, from files and pipes" {
    make_arrays
    "$PYTHON" - << 'END'
import numpy as np
a = np.load("nhwc.npy")
np.save("f_nhwc.npy", np.asfortranarray(a)); np.save("f_hwc.npy", np.asfortranarray(a[0]))
np.save("f_hw.npy", np.asfortranarray(a[0, ..., 1]))
np.save("f_tzyx.npy", np.asfortranarray(a[..., 1].reshape(2, 2, 11, 13).astype(">i2")))
np.save("zyx.npy", a[..., 1].astype(np.int16)); np.save("series.npy", a[0, ..., 0].astype(np.float64))
np.save("f_series.npy", np.asfortranarray(a[0, ..., 0].astype(">f8")))
np.save("f_line.npy", np.asfortranarray(a[0, 0, :, 0])); np.save("line.npy", a[0, :1, :, 0])
END
    for name in nhwc hwc hw line; do
        grep -q True "f_$name.npy" || [ "$name" = line ]
        halo run '' "f_$name.npy" -o out.npy -f
        cmp out.npy "$name.npy"
        cat "f_$name.npy" | halo run '' - -o out.npy -f
        cmp out.npy "$name.npy"
    done
    halo run '' f_tzyx.npy -o out.npy -f --axes tzyx
    cmp out.npy zyx.npy
    halo run gain:1 --rate 10 f_series.npy -o out.npy -f
    cmp out.npy series.npy
    halo stack mean f_tzyx.npy --axes tzyx -o stacked.npy
    cmp stacked.npy mean.npy
    halo run 'pages:2-3' f_tzyx.npy --axes tzyx -o some.npy
    halo run 'pages:2-3' zyx.npy --axes zyx -o want.npy
    cmp some.npy want.npy
    halo run subtract:f_tzyx.npy f_tzyx.npy --axes tzyx -o zero.npy
    halo stats zero.npy --axes nhw --json | grep -o '"max":[0-9.]*' | grep -cx '"max":0' | grep -qx 8
    rm zero.npy
    halo run subtract:f_hw.npy hw.npy -o zero.npy
    halo stats zero.npy --json | grep -q '"max":0'
    run --separate-stderr halo run '' f_hwc.npy -o x.npy --max-memory 700
    [ "$status" -eq 5 ]
    head -c 500 f_hwc.npy > cut.npy
    run --separate-stderr halo run '' cut.npy -o x.npy
    [ "$status" -eq 1 ] && says "truncated: 372 of 429 samples" && [ ! -e x.npy ]
    run --separate-stderr bash -c 'cat cut.npy | "$HALO" run "" - -o x.npy'
    [ "$status" -eq 1 ] && says "truncated: 372 of 429 samples" && [ ! -e x.npy ]
    halo run '' cut.npy -o x.npy --tolerate
    halo run channels:1,2 hwc.npy -o two.npy # whole channels stand before the cut
    halo run channels:1,2 x.npy -o x2.npy
    cmp x2.npy two.npy
    # 109 of 143 samples: the first 9 channels of 11 frames, and 10 samples of the next
    head -c 1000 f_series.npy > cut.npy
    run --separate-stderr halo run gain:1 --rate 10 cut.npy -o y.npy
    [ "$status" -eq 1 ] && says "truncated: 109 of 143 samples"
    halo run gain:1 --rate 10 cut.npy -o y.npy --tolerate
    [ "$(halo run gain:1 --rate 10 y.npy -o - --to csv | cut -d, -f1-9)" = \
        "$(halo run gain:1 --rate 10 series.npy -o - --to csv | cut -d, -f1-9)" ]
}

@test "three dimensions with a long last one are refused, also beside another picture" {
    make_arrays
    for command in "run ''" stats info 'run subtract:nhw.npy hw.npy -o x.npy' 'stack mean -o x.npy'; do
        run --separate-stderr bash -c "\"$HALO\" $command nhw.npy -o x.npy"
        [ "$status" -ne 0 ]
    done
    run --separate-stderr halo stats nhw.npy
    [ "$status" -eq 1 ] &&
        says \
        'nhw.npy: an array of 3 dimensions, the last of 13: use --axes=nhw (or zyx) for pages, --axes=hwc for'
    run --separate-stderr halo run subtract:nhw.npy hw.npy -o x.npy
    [ "$status" -eq 1 ] && says 'the last of 13: --axes nhw (or zyx)' && [ ! -e x.npy ]
    halo run '' nhw.npy -o out.npy --axes zyx
    cmp out.npy nhw.npy
    halo info nhw.npy --axes hwc | grep -q 'channels  13'
    halo run channels:1,2,3,1,2 hwc.npy -o five.npy
    halo run '' five.npy -o again.npy --axes hwc
    cmp again.npy five.npy
}

@test "pages of one size go to one NPY, and come from one" {
    make_arrays
    halo run '' nhw.npy -o pages.tif --axes nhw
    halo run '' pages.tif -o back.npy
    cmp back.npy nhw.npy
    halo stack mean nhw.npy --axes nhw -o mean1.npy
    cmp mean1.npy mean.npy
    halo run '' nhw.npy -o frames.npy --axes nhw
    halo compare nhw.npy frames.npy --axes nhw | grep -c identical | grep -qx 4
    make_gray a.pgm 30 20; make_gray b.pgm 20 30
    cat a.pgm a.pgm b.pgm a.pgm > several.pgm
    halo run '' - -o several.tif --to tiff < several.pgm
    run --separate-stderr halo run '' several.tif -o two.npy
    [ "$status" -eq 0 ] && says "images from the first one of another size or kind on are left out"
    halo info two.npy --axes nhw | grep -q 'images *2'
}

@test "impossible values of --axes are refused" {
    make_arrays
    run --separate-stderr halo run '' nchw.npy -o x.npy
    [ "$status" -eq 1 ] &&
        says "an array of 4 dimensions, the last of 13: name them with --axes, such as nhwc or tzyx"
    run --separate-stderr halo run '' hw.npy -o x.npy --axes hwc
    [ "$status" -eq 1 ] && says "an array of 2 dimensions"
    run --separate-stderr halo run '' hw.npy -o x.npy --axes wwc
    [ "$status" -eq 2 ] && says "--axes"
    run --separate-stderr bash -c '"$HALO" run "" nhw.npy -o - --axes nhw > x'
    [ "$status" -eq 1 ] && says "several images"
    head -c 500 nhw.npy > cut.npy
    run --separate-stderr halo run '' cut.npy -o x.npy --axes nhw
    [ "$status" -eq 1 ] && says "page 3" && says "truncated"
}

@test "integers that are only moved stay integers in NPY" {
    make_gray in.pgm 12 9
    for pipeline in crop:5x4+1+2 'flip | rotate:90' transpose pad:2 'pad:1,border=constant=7'; do
        halo run "$pipeline" in.pgm -o moved.npy -f
        halo run "$pipeline" in.pgm -o moved.pgm -f
        halo info moved.npy --json | grep -q '"dtype":"u8"' && halo compare moved.npy moved.pgm -q
    done
    for pipeline in gain:1 pad:1,border=constant=0.5 'crop:5x5 | depth:f32' 'flip | gauss:1'; do
        halo run "$pipeline" in.pgm -o floats.npy -f
        halo info floats.npy --json | grep -q '"dtype":"f32"'
    done
}
