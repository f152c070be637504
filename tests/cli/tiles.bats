# TIFF in tiles, and with overviews.
# shellcheck disable=SC2154,SC2002
setup() { load common; common_setup; make_rgb text.ppm 333 201; halo run "" text.ppm -o in.ppm; }

@test "--tile and --pyramid: the same samples, whatever the threads" {
    if "$HALO" --version | grep -q 'no TIFF'; then skip "this build has no TIFF"; fi
    for how in "--tile 64" --pyramid "--pyramid --tile 32" ""; do
        # shellcheck disable=SC2086
        for jobs in 1 3; do halo run '' in.ppm -o $jobs.tif -f -j$jobs $how; done
        cmp 1.tif 3.tif
        halo run '' 1.tif -o out.ppm -f
        cmp out.ppm in.ppm
        case $how in
            "") expected="RGB, strips" ;;
            *pyramid*) expected="RGB, tiles, overviews" ;;
            *) expected="RGB, tiles" ;;
        esac
        halo info 1.tif | grep -q "encoding  $expected\$"
    done
    halo run '' in.ppm -o - --to tiff --pyramid --tile 32 > pipe.tif
    halo run '' in.ppm -o file.tif --pyramid --tile 32
    cmp pipe.tif file.tif
}

@test "--tile and --pyramid without TIFF are reported" {
    expected='halo: in.ppm: written without tiles or overviews, which only TIFF has'
    for how in "--tile 64" --pyramid "--pyramid --tile 32"; do
        # shellcheck disable=SC2086
        run --separate-stderr halo run '' in.ppm -o x.png -f $how
        [ "$status" -eq 0 ] && [ "$stderr" = "$expected" ]
    done
    run --separate-stderr halo run '' in.ppm -o x.png -f
    [ "$status" -eq 0 ] && [ -z "$stderr" ]
}

@test "overviews are not pages" {
    if "$HALO" --version | grep -q 'no TIFF'; then skip "this build has no TIFF"; fi
    cat in.ppm in.ppm > two.ppm
    cat two.ppm | "$HALO" run '' - -o - --to tiff --pyramid --tile 64 > two.tif
    halo info two.tif | grep -q 'images    2$'
    halo run '' two.tif -o out.ppm
    cmp out.ppm two.ppm
}

@test "--tile accepts multiples of 16" {
    for n in 0 17 8208 x -16; do
        run --separate-stderr halo run '' in.ppm -o x.tif --tile "$n"
        [ "$status" -eq 2 ]; says "multiple of 16"
    done
}
