# Arithmetic on samples.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

rows() { # PIPELINE FILE: samples, rounded to bytes
    halo run -q "$1 | depth:u8" "$2" -o - --to pgm -f | od -An -v -t u1 -w3 -j 11 | tr -s ' '
}

make_bands() {
    printf 'P2\n3 2\n255\n10 20 30\n40 50 60\n' > nir.pgm
    printf 'P2\n3 2\n255\n30 20 10\n10 50 20\n' > red.pgm
    printf 'P3\n2 1\n255\n10 20 30  200 100 50\n' > rgb.ppm
}

@test "an expression of samples and another picture" {
    make_bands
    [ "$(rows 'expr:"100*(v-a)/(v+a)+100",a=red.pgm' nir.pgm | tr '\n' ';')" = ' 50 100 150; 160 100 150;' ]
    [ "$(rows 'expr:select(v>a,v,0),a=red.pgm' nir.pgm | tr '\n' ';')" = ' 0 0 30; 40 0 60;' ]
    [ "$(rows 'expr:v+a,a=[flip:x]' nir.pgm | tr '\n' ';')" = ' 40 40 40; 100 100 100;' ]
    [ "$(rows 'expr:x*10+y' nir.pgm | tr '\n' ';')" = ' 0 10 20; 1 11 21;' ]
    [ "$(rows 'expr:50%' nir.pgm | tr '\n' ';')" = ' 128 128 128; 128 128 128;' ]
    halo run -q --explain 'expr:v+1' nir.pgm | grep -q 'expression of 3 steps'
}

@test "channels by their numbers give one channel, v gives all" {
    make_bands
    halo run -q 'expr:"r*0.5+b" | depth:u8' rgb.ppm -o - --to pgm | od -An -v -t u1 -j 11 | grep -q ' 35 150$'
    halo run -q 'expr:"v+v1" | depth:u8' rgb.ppm -o - --to ppm | od -An -v -t u1 -j 11 |
        grep -q ' 20  30  40 255 255 250$'
    run --separate-stderr halo run 'expr:v4' rgb.ppm -o x.ppm
    [ "$status" -eq 2 ]; says 'not so many channels'
}

@test "a table is computed in 64 bits" {
    printf 'time,a\n0,1\n1,16777217\n2,3\n' > t.csv
    halo run -q 'expr:"v*2+t"' t.csv -o o.csv
    grep -q '^1,33554435$' o.csv
}

@test "mistakes are shown where they are" {
    make_bands
    run --separate-stderr halo run 'expr:"v*(a+"' nir.pgm -o x.pgm
    [ "$status" -eq 2 ]; says 'column 6: expected a value'
    run --separate-stderr halo run 'expr:"v*b"' nir.pgm -o x.pgm
    [ "$status" -ne 0 ]; says 'column 3: r, g and b are colours'
    run --separate-stderr halo run 'expr:(v,1' nir.pgm -o x.pgm
    [ "$status" -eq 2 ]; says "expected ')'"
    run --separate-stderr halo run 'expr:"v+a",a=rgb.ppm' nir.pgm -o x.pgm
    [ "$status" -ne 0 ]; says 'rgb.ppm'
    [ ! -e x.pgm ]
}

@test "z is the page, from 0" {
    printf 'P2 2 1 255\n7 8\n' > one.pgm
    cat one.pgm one.pgm one.pgm > three.pgm
    halo run 'expr:v+z*10' three.pgm -o three.npy
    [ "$(tail -c 24 three.npy | od -An -tf4 -v -w24 | tr -s ' ')" = ' 7 8 17 18 27 28' ]
    halo run 'pages:2- | expr:z' three.pgm -o two.npy
    [ "$(tail -c 16 two.npy | od -An -tf4 -v -w16 | tr -s ' ')" = ' 1 1 2 2' ]
}
