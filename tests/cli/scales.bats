# Full scale from file to file: outputs read back as the same image, or the same numbers.
# shellcheck disable=SC2154
setup() {
    load common
    common_setup
    make_gray a.pgm 30 20 65535
    halo run 'depth:f32' a.pgm -o a.npy # counts, which have no full scale
}

@test "numbers in TIFF stay numbers; --white sets full scale" {
    halo run gauss:1 a.npy -o g.tif
    halo run '' g.tif -o back.npy
    halo run gauss:1 a.npy -o direct.npy
    cmp back.npy direct.npy
    run --separate-stderr halo run '' g.tif -o g.png
    [ "$status" -eq 1 ]; says 'needs a full scale, which the input lacks'; says '--white=65535'
    halo run --white 65535 '' g.tif -o g.png
    halo run gauss:1 a.pgm -o direct.png
    cmp <(halo run '' g.png -o - --to pgm) <(halo run '' direct.png -o - --to pgm)
    halo run subtract:a.pgm g.tif -o counts.npy # counts from counts
    halo run subtract:a.npy direct.npy -o same.npy
    cmp counts.npy same.npy
    halo run '' g.tif -o tiles.tif --tile 16 --pyramid
    halo run '' tiles.tif -o tiles.npy
    cmp tiles.npy direct.npy
}

@test "numbers with --white are a picture, in TIFF too" {
    halo run --white 65535 '' a.npy -o w.tif
    halo run depth:u16 w.tif -o w16.pgm
    cmp w16.pgm <(halo run '' a.pgm -o - --to pgm)
}

@test "TIFF of floats: SMaxSampleValue is white" {
    {
        printf 'II*\0'; le 4 8; le 2 9
        for t in 256:4:2 257:4:1 258:3:32 262:3:1 273:4:122 277:3:1 279:4:8 339:3:3; do
            IFS=: read -r id type value <<< "$t"
            le 2 "$id"; le 2 "$type"; le 4 1; le 4 "$value"
        done
        le 2 341; le 2 11; le 4 1; printf '\0\0\200\103' # 256
        le 4 0
        printf '\0\0\000\103\0\0\200\103' # 128, 256
    } > m.tif
    cmp <(halo run depth:u8 m.tif -o - --to pgm) <(printf 'P5\n2 1\n255\n\200\377')
}

@test "depth names the type of what formats of any type hold, wherever it stands" {
    type_of() { # PIPELINE
        halo run "$1" a.pgm -o type.npy -f
        head -c 80 type.npy | tr -d '\0' | grep -ao "'descr': '...'" | cut -d "'" -f 4
    }
    [ "$(type_of 'depth:u8 | crop:9x9+1+1')" = '|u1' ]
    [ "$(type_of 'depth:u8 | gauss:1')" = '|u1' ]
    [ "$(type_of 'depth:f32 | flip')" = '<f4' ]
    [ "$(type_of 'depth:u8 | gauss:1 | depth:u16 | crop:9x9+1+1')" = '<u2' ]
    [ "$(type_of 'depth:u8 | scan')" = '<i8' ]  # sums are not cut off
    [ "$(type_of 'depth:u8 | label')" = '<f4' ] # nor are numbers without full scale
}
