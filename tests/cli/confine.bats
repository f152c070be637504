# Operations on some channels, and where a mask says so.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

rows() { # PIPELINE FILE: samples, rounded to bytes
    halo run -q "$1" "$2" -o - --to "${3-pgm}" | od -An -v -t u1 -w99 -j 11 | tr -s ' '
}

make_pictures() {
    printf 'P2\n3 2\n255\n10 20 30\n40 50 60\n' > gray.pgm
    printf 'P2\n3 2\n255\n0 128 255\n255 0 51\n' > mask.pgm
    printf 'P3\n2 1\n255\n10 20 30  200 100 50\n' > rgb.ppm
}

@test "a mask mixes what an operation makes with what it was given" {
    make_pictures
    [ "$(rows 'invert:mask=mask.pgm' gray.pgm)" = ' 10 128 225 215 50 87' ]
    [ "$(rows 'invert:mask=[threshold:25]' gray.pgm)" = ' 10 20 225 215 205 195' ]
    [ "$(rows 'gain:2,mask=[mask.pgm | invert]' gray.pgm)" = ' 20 30 30 40 100 108' ]
    halo run --explain 'gauss:2,mask=mask.pgm' gray.pgm | grep -q 'mask *expression'
}

@test "a mask works on sound as well" {
    printf 'time,a\n0,1\n1,2\n2,3\n' > t.csv
    printf 'time,a\n0,0\n1,0.5\n2,1\n' > m.csv
    halo run -q 'gain:3x,mask=m.csv' t.csv -o o.csv
    [ "$(tail -n +2 o.csv | tr '\n' ' ')" = '0,1 1,4 2,9 ' ]
    run --separate-stderr halo run 'trim:0,2,mask=m.csv' t.csv -o x.csv
    [ "$status" -ne 0 ]; says 'keeps the length, and this one makes 2 frames of 3'
}

@test "operations on some channels" {
    make_pictures
    [ "$(rows 'invert:on=2,3' rgb.ppm ppm)" = ' 10 235 225 200 155 205' ]
    [ "$(rows 'invert:on=1-2' rgb.ppm ppm)" = ' 245 235 30 55 155 50' ]
    [ "$(rows 'on:2,3,[invert|gain:0.5]' rgb.ppm ppm)" = ' 10 118 112 200 78 102' ]
    [ "$(rows 'on:1,3,[channels:2,1]' rgb.ppm ppm)" = ' 30 20 10 50 100 200' ]
    [ "$(rows 'on:3,[channels:1 | invert],mask=[gray | threshold:50]' rgb.ppm ppm)" = ' 10 20 30 200 100 205' ]
}

@test "what cannot be put back is refused, with the reason" {
    make_pictures
    refuse() { # WORDS PIPELINE
        run --separate-stderr halo run "$2" rgb.ppm -o x.ppm
        [ "$status" -ne 0 ] && [ ! -e x.ppm ]
        says "$1"
    }
    refuse 'keeps the size, and this one makes 1 x 1 of 2 x 1' 'crop:1x1,mask=mask.pgm'
    refuse 'keeps the channels, and this one makes 1 of 3' 'gray:on=1-3'
    refuse 'changes what full scale is' 'depth:u16,mask=[gray]'
    refuse 'no channel 4: there are 3' 'invert:on=4'
    refuse 'code light alike' 'linear:on=1'
    refuse 'and gray' 'gauss:2,mask=[invert]'
    refuse "rising order, counted from 1, such as 2,3 or 1-3, found '2,1'" 'gauss:2,on=2,1'
    refuse "found '0'" 'gauss:2,on=0'
    refuse 'on needs a value' 'gain:2,on'
    refuse 'only measures' 'gauss:1,mask=[stats]'
    refuse "no parameter 'on'" 'stats:on=1'
    refuse 'keeps the channels' 'on:1,2,[channels:1]'
}

@test "a mask of its own stays an operation's own" {
    make_pictures
    [ "$(rows 'conv:mask="1x1: 2"' gray.pgm)" = ' 20 40 60 80 100 120' ]
    [ "$(rows 'conv:mask="1x1: 2",on=1' gray.pgm)" = ' 20 40 60 80 100 120' ]
    [ "$(rows 'on:1,[conv:"1x1: 2"],mask=mask.pgm' gray.pgm)" = ' 10 30 60 80 50 72' ]
    halo help conv | tr -s ' \n' ' ' | grep -q "mask=FILE"
    halo help invert | grep -q '\[mask\]'
}
