# Black and white alone: PBM.
setup() { load common; common_setup; }

@test "-o x.pbm holds a bit a pixel where all is black or white" {
    printf 'P2 9 2 255\n0 255 0 255 255 255 255 255 0 9 200 100 100 128 127 0 0 255\n' > a.pgm
    halo run threshold:128 a.pgm -o b.pbm
    cmp b.pbm <(printf 'P4\n9 2\n\240\200\267\000')
    halo run threshold:128 a.pgm -o - --to pbm | cmp - b.pbm
    cat a.pgm | halo run threshold:128 - -o - --to pbm | cmp - b.pbm
    halo run '' b.pbm -o c.pbm # and bits stay bits
    cmp b.pbm c.pbm
    printf 'P1 3 1\n1 0 1\n' > plain.pbm
    halo run '' plain.pbm -o d.pbm
    cmp d.pbm <(printf 'P4\n3 1\n\240')
    halo run 'threshold:128 | depth:u16' a.pgm -o e.pbm
    cmp b.pbm e.pbm
    mkdir out
    halo run median:7 b.pbm --out-dir out
    [ "$(head -c 2 out/b.pbm)" = P4 ]
}

@test "gray in PBM is refused, and the old file stays" {
    printf 'P2 3 1 255\n0 255 254\n' > a.pgm
    printf 'P1 3 1\n1 0 1\n' > b.pbm
    cp b.pbm old
    run --separate-stderr halo run '' a.pgm -o b.pbm -f
    [ "$status" -eq 1 ]
    says 'pbm stores black and white only, and sample 2 of row 0 is 254, of 255'
    says "'threshold'"
    says '.pgm'
    cmp b.pbm old
    printf 'P2 2 1 65535\n65534 0\n' > deep.pgm
    run --separate-stderr halo run '' deep.pgm -o c.pbm
    [ "$status" -eq 1 ]
    says 'is 65534, of 65535'
    [ ! -e c.pbm ]
    make_rgb c.ppm 3 2
    run --separate-stderr halo run '' c.ppm -o c.pbm
    [ "$status" -eq 1 ]
    says 'pbm cannot store images of 3 channels'
}

# What has no name follows the input's family, and that has gray.
@test "bits in a pipe become gray" {
    printf 'P1 3 1\n1 0 1\n' > a.pbm
    halo run box:3 - -o - < a.pbm > b
    [ "$(head -c 2 b)" = P5 ]
    halo info a.pbm | grep -q pnm
    mkdir in && cp a.pbm in
    halo run -r '' in --out-dir out
    cmp out/a.pbm <(printf 'P4\n3 1\n\240')
}

@test "--bits 1 writes PNG of one bit a sample" {
    printf 'P2 9 2 255\n0 255 0 255 255 255 255 255 0 255 0 0 0 0 255 255 255 255\n' > a.pgm
    halo run '' a.pgm -o a.png --bits 1
    [ "$(od -An -t u1 -j 24 -N 2 a.png)" = '   1   0' ] # depth and colour type
    halo run '' a.png -o b.pgm
    halo run '' a.pgm -o c.pgm
    cmp b.pgm c.pgm
    make_gray g.pgm 61 40
    halo run dither:error g.pgm -o g.png --bits 1
    halo run dither:error g.pgm -o g8.png
    halo compare g.png g8.png | grep -q identical
    halo run 'depth:u16 | dither:error' g.pgm -o g16.png --bits 1
    halo compare g.png g16.png | grep -q identical
    for type in u8 u16 f32; do
        halo run "depth:$type | dither:error" g.pgm -o g.tif --bits 1 -f
        halo compare g.tif g8.png | grep -q identical
        halo info g.tif | grep -q '1-bit'
    done
    run --separate-stderr halo run dither:error g.pgm -o x.tif --bits 1 --tile 256
    [ "$status" -eq 2 ]; says 'in strips'
    run --separate-stderr halo run '' g.pgm -o x.tif --bits 1
    [ "$status" -ne 0 ]; says 'black and white only'
    run --separate-stderr halo run '' g.pgm -o x.png --bits 1
    [ "$status" -ne 0 ]; says 'black and white only'
    run --separate-stderr halo run dither:error g.pgm -o x.pgm --bits 1
    [ "$status" -eq 2 ]; says '--bits 1 is for'
    make_rgb c.ppm 3 2
    run --separate-stderr halo run dither:error c.ppm -o x.png --bits 1
    [ "$status" -eq 2 ]; says 'one channel'
    make_wav s.wav 100
    run --separate-stderr halo run '' s.wav -o x.wav --bits 1
    [ "$status" -eq 2 ]
    [ ! -e x.png ] && [ ! -e x.pgm ] && [ ! -e x.wav ]
}
