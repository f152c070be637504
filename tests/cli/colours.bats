# Colours in other spaces, white balance, tables, few levels.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

bytes() { # PIPELINE FILE: the samples of a PPM of one row, rounded to bytes
    halo run -q "$1${1:+ | }depth:u8" "$2" -o - --to ppm | tail -c +12 | od -An -v -t u1 | tr -s ' ' |
        tr -d '\n'
}

make_colours() {
    printf 'P3\n3 1\n255\n255 0 0  128 128 128  10 20 30\n' > a.ppm
}

@test "color: coordinates of CSS, named in results, and back" {
    make_colours
    halo run color:lab a.ppm -o lab.npy
    halo run 'color:oklch | stats' a.ppm | grep -qE '^ +l +c +h +all$'
    halo run -q 'color:lab>srgb' lab.npy -o back.ppm
    [ "$(bytes '' back.ppm)" = ' 255 0 0 128 128 128 10 20 30' ]
    for space in hsv hsl ycbcr xyz oklab lch oklch linear; do
        [ "$(bytes "color:$space | color:$space>srgb" a.ppm)" = ' 255 0 0 128 128 128 10 20 30' ]
    done
    [ "$(halo run 'color:lab | channels:1 | reduce:expr="a+b",identity=0' a.ppm --json |
        grep -o '"value":[0-9.]*' | head -1 | cut -c 9-13)" = 113.7 ]
}

@test "color: what is no picture is not written as one" {
    make_colours
    run --separate-stderr halo run color:lab a.ppm -o x.png
    [ "$status" -eq 1 ]; says 'full scale'
    run --separate-stderr halo run color:cmyk a.ppm -o x.png
    [ "$status" -eq 2 ]; says "found 'cmyk'"
    run --separate-stderr halo run 'color:lab>' a.ppm -o x.png
    [ "$status" -eq 2 ]
    run --separate-stderr halo run 'gray | color:lab' a.ppm -o x.npy
    [ "$status" -eq 1 ]; says 'three colours'
    halo run color:lab a.ppm -o lab.npy
    run --separate-stderr halo run color:oklab lab.npy -o x.npy
    [ "$status" -eq 1 ]; says 'color:lab>srgb'
    [ ! -e x.png ] && [ ! -e x.npy ]
}

@test "saturation, hue, sepia and balance" {
    make_colours
    [ "$(bytes saturation:0 a.ppm)" = ' 54 54 54 128 128 128 19 19 19' ]
    [ "$(bytes saturation:1 a.ppm)" = ' 255 0 0 128 128 128 10 20 30' ]
    [ "$(bytes hue:360 a.ppm)" = ' 255 0 0 128 128 128 10 20 30' ]
    [ "$(bytes hue:120 a.ppm)" = "$(bytes hue:-240 a.ppm)" ]
    [ "$(bytes sepia a.ppm)" = ' 100 89 69 173 154 120 25 22 17' ]
    [ "$(bytes sepia:0 a.ppm)" = ' 255 0 0 128 128 128 10 20 30' ]
    [ "$(bytes balance:white=2,0 a.ppm)" = ' 255 0 0 255 128 85 20 20 20' ]
    [ "$(bytes balance:white=10,20,30 a.ppm)" = ' 255 0 0 255 128 85 20 20 20' ]
    printf 'P3\n2 1\n255\n100 50 25  100 50 25\n' > cast.ppm
    [ "$(bytes balance cast.ppm)" = ' 58 58 58 58 58 58' ]
    [ "$(bytes balance:gray cast.ppm)" = ' 58 58 58 58 58 58' ]
    run --separate-stderr halo run balance:white=3,0 a.ppm -o x.ppm
    [ "$status" -eq 1 ]; says 'there is no pixel 3,0'
    run --separate-stderr halo run balance:white=0,0 a.ppm -o x.ppm
    [ "$status" -eq 1 ]; says 'green is 0'
    run --separate-stderr halo run balance:white=here a.ppm -o x.ppm
    [ "$status" -eq 2 ]; says "found 'here'"
    [ ! -e x.ppm ]
}

@test "lut: .cube and plain tables" {
    make_colours
    { echo 'TITLE "swap red and blue"'; echo '# a comment'; echo LUT_3D_SIZE 2
        for b in 0 1; do for g in 0 1; do for r in 0 1; do echo "$b $g $r"; done; done; done; } > swap.cube
    [ "$(bytes lut:swap.cube a.ppm)" = ' 0 0 255 128 128 128 30 20 10' ]
    printf '255\n0\n' > invert.txt
    [ "$(bytes lut:invert.txt,white=255 a.ppm)" = ' 0 255 255 127 127 127 245 235 225' ]
    printf 'LUT_1D_SIZE 2\r\nDOMAIN_MIN 0 0 0\r\nDOMAIN_MAX 0.5 0.5 0.5\r\n0 0 0\r\n1 1 0.5\r\n' > up.cube
    [ "$(bytes lut:up.cube a.ppm)" = ' 255 0 0 255 255 128 20 40 30' ]
    [ "$(bytes lut:1,0 a.ppm)" = ' 0 255 255 127 127 127 245 235 225' ]
    printf '0,0.5\n' > two.csv
    printf '0\n0.5\n' > half.csv
    printf 'P2\n2 1\n255\n100 200\n' > gray.pgm
    [ "$(halo run -q lut:half.csv gray.pgm -o - | tail -c 2 | od -An -t u1)" = '  50 100' ]
    run --separate-stderr halo run lut:two.csv gray.pgm -o x.pgm
    [ "$status" -eq 1 ]; says 'two.csv: line 1: expected three numbers'
    run --separate-stderr halo run lut:swap.cube gray.pgm -o x.pgm
    [ "$status" -eq 1 ]; says 'three colours'
}

@test "lut: Hald images" {
    make_colours
    awk 'BEGIN { print "P3 8 8 255"; for (i = 0; i < 64; i++)
        print 85 * int(i / 16), 85 * (int(i / 4) % 4), 85 * (i % 4) }' > hald.ppm # red and blue exchanged
    [ "$(bytes lut:hald.ppm a.ppm)" = ' 0 0 255 128 128 128 30 20 10' ]
    halo run -q depth:u16 hald.ppm -o hald.png
    [ "$(bytes lut:hald.png a.ppm)" = ' 0 0 255 128 128 128 30 20 10' ]
    run --separate-stderr halo run lut:a.ppm a.ppm -o x.ppm
    [ "$status" -eq 1 ]; says 'a.ppm: this is no Hald image'
    [ ! -e x.ppm ]
}

@test "lut: damaged files end with a message" {
    make_colours
    refuses() { # TEXT WORDS
        printf "$1" > bad.cube
        run --separate-stderr halo run lut:bad.cube a.ppm -o x.ppm
        [ "$status" -eq 1 ]; says "$2"; [ ! -e x.ppm ]
    }
    refuses 'LUT_3D_SIZE 2\n0 0 0\n' 'it has 1 entries, expected 8'
    refuses 'LUT_3D_SIZE 999999\n' 'a size from 2 to 256'
    refuses 'LUT_3D_SIZE 1\n0 0 0\n' 'a size from 2 to 256'
    refuses 'LUT_1D_SIZE 2\n0 0 0\nLUT_3D_SIZE 2\n' 'a second table'
    refuses 'LUT_1D_SIZE 2\n0 0 0\n1 nan 1\n' 'line 3: expected three numbers'
    refuses 'LUT_1D_SIZE 2\n0 0 0\n1 1 1\n1 1 1\n' 'more than 2 entries'
    refuses 'LUT_1D_SIZE 2\nDOMAIN_MIN 1 1 1\n0 0 0\n1 1 1\n' 'its domain from 1 to 1 is empty'
    refuses 'HELLO 2\n' 'a keyword of .cube'
    refuses '1e300\n2\n' 'line 1'
    refuses '' 'it has 0 entries'
    refuses 'LUT_1D_SIZE 2\n0 0 0\n\0 1 1\n' 'no text'
    head -c 5000 /dev/zero | tr '\0' 1 > bad.cube
    run --separate-stderr halo run lut:bad.cube a.ppm -o x.ppm
    [ "$status" -eq 1 ]
    run --separate-stderr halo run lut:none.cube a.ppm -o x.ppm
    [ "$status" -ne 0 ]; says 'none.cube'
}

@test "match: the histogram of another picture" {
    printf 'P2\n4 1\n255\n10 20 30 40\n' > a.pgm
    printf 'P2\n2 2\n255\n100 200\n50 150\n' > b.pgm
    [ "$(halo run -q match:b.pgm a.pgm -o - | tail -c 4 | od -An -t u1)" = '  50 100 150 200' ]
    [ "$(halo run -q 'match:[invert]' a.pgm -o - | tail -c 4 | od -An -t u1)" = ' 215 225 235 245' ]
    halo run -q 'depth:u16 | match:b.pgm | depth:u8' a.pgm -o c.pgm
    [ "$(tail -c 4 c.pgm | od -An -t u1)" = '  50 100 150 200' ]
    make_colours
    run --separate-stderr halo run match:a.ppm a.pgm -o x.pgm
    [ "$status" -eq 1 ]; says 'the input has 1 colours, its reference 3'
}

@test "quantize, and dither of pictures" {
    printf 'P2\n6 1\n255\n0 40 100 128 200 255\n' > a.pgm
    [ "$(halo run -q quantize:2 a.pgm -o - | tail -c 6 | od -An -t u1)" = '   0   0   0 255 255 255' ]
    [ "$(halo run -q quantize:4 a.pgm -o - | tail -c 6 | od -An -t u1)" = '   0   0  85 170 170 255' ]
    [ "$(halo run -q dither:error a.pgm -o - | tail -c 6 | od -An -t u1)" = '   0   0   0 255 255 255' ]
    make_gray g.pgm 64 48
    for kind in ordered tpdf error; do
        halo run "gauss:3 | dither:$kind" g.pgm -o $kind.pbm # black and white alone
        [ "$(head -c 2 $kind.pbm)" = P4 ]
        halo run "gauss:3 | dither:$kind" g.pgm -o - --to pbm -j 3 | cmp - $kind.pbm
        halo run "dither:$kind,bits=2" g.pgm -o two.pgm -f
        levels=$(tail -c 3072 two.pgm | od -An -v -t u1 -w1 | sort -un | tr -d ' ' | tr '\n' ' ')
        [ "$levels" = '0 85 170 255 ' ]
    done
    run --separate-stderr halo run dither:shaped a.pgm -o x.pgm
    [ "$status" -eq 2 ]; says 'shaped is for sound'
    run --separate-stderr halo run dither:error,bits=20 a.pgm -o x.pgm
    [ "$status" -eq 2 ]; says '1 to 16'
    run --separate-stderr halo run quantize:1 a.pgm -o x.pgm
    [ "$status" -eq 2 ]
}

@test "icc: samples of a profile become sRGB" {
    halo --version | grep -qv 'no LCMS' || skip "built without Little CMS"
    make_colours
    rgb_profile linear.icc red green
    rgb_profile swapped.icc green red
    [ "$(bytes icc:linear.icc a.ppm)" = "$(bytes srgb a.ppm)" ]
    [ "$(bytes icc:swapped.icc a.ppm)" = "$(bytes 'srgb | channels:2,1,3' a.ppm)" ]
    [ "$(bytes icc a.ppm)" = "$(bytes '' a.ppm)" ] # no profile: sRGB
    head -c 200 linear.icc > cut.icc
    for bad in cut.icc a.ppm; do
        run --separate-stderr halo run icc:$bad a.ppm -o x.ppm
        [ "$status" -eq 1 ]; says "$bad"
    done
    printf 'P2\n2 1\n255\n100 200\n' > gray.pgm
    run --separate-stderr halo run icc:linear.icc gray.pgm -o x.pgm
    [ "$status" -eq 1 ]; says 'is for RGB'
    run --separate-stderr halo run icc:none.icc a.ppm -o x.ppm
    [ "$status" -ne 0 ]; says 'none.icc'
    [ ! -e x.ppm ] && [ ! -e x.pgm ]
}

@test "lut and icc: files are read once, and what is in them counts" {
    make_colours
    printf '1\n0\n' > invert.csv
    halo run lut:invert.csv a.ppm -o b.ppm
    cp a.ppm c.ppm
    mkfifo pipe.csv; cat invert.csv > pipe.csv &
    timeout 20 "$HALO" run lut:pipe.csv a.ppm c.ppm --out-dir out -q
    cmp out/a.ppm b.ppm && cmp out/c.ppm b.ppm
    run --separate-stderr halo run 'lut:""' a.ppm -o x.ppm
    [ "$status" -eq 2 ]; says 'expected a file'
    halo --version | grep -qv 'no LCMS' || return 0
    rgb_profile p.icc red green
    halo run icc:p.icc a.ppm --out-dir made --resume -q
    rgb_profile p.icc green red
    run --separate-stderr halo run icc:p.icc a.ppm --out-dir made --resume --json
    [[ "$output" == *'"ok":1,"failed":0,"skipped":0'* ]]
}

@test "icc: the profile in a file, which is left out then" {
    halo --version | grep -qv 'no LCMS' || skip "built without Little CMS"
    command -v python3 > /dev/null || skip "there is no python3"
    make_colours
    rgb_profile swapped.icc green red
    profiled swapped.icc a.png
    [ "$(bytes icc a.png)" = "$(bytes icc:swapped.icc a.ppm)" ]
    halo run icc a.png -o b.png 2> said
    [ ! -s said ]
    ! grep -q iCCP b.png
    grep -q sRGB b.png
    halo run gauss:1 a.png -o c.png
    grep -q iCCP c.png
    run --separate-stderr halo run flip:x a.png -o d.png --strip
    says 'colour'
}

@test "--to-srgb: images with a profile become sRGB, others stay" {
    halo --version | grep -qv 'no LCMS' || skip "built without Little CMS"
    command -v python3 > /dev/null || skip "there is no python3"
    make_colours
    rgb_profile swapped.icc green red
    profiled swapped.icc a.png
    halo run 'icc | invert' a.png -o expected.png
    halo run --to-srgb invert a.png -o b.png
    cmp b.png expected.png
    halo run --to-srgb 'pages:1 | invert' a.png -o c.png
    cmp c.png expected.png
    halo run --to-srgb --page 1 invert a.png -o d.png
    cmp d.png expected.png
    halo run icc a.png -o plain.png
    run --separate-stderr halo convert --to-srgb --strip a.png e.png
    [ "$status" -eq 0 ]; [ -z "$stderr" ]
    [ "$(bytes '' e.png)" = "$(bytes '' plain.png)" ]
    halo run linear a.ppm -o light.png # which says gamma 1, and has no profile
    for file in a.ppm light.png; do
        halo convert "$file" x.png -f
        halo convert --to-srgb "$file" y.png -f
        cmp x.png y.png
    done
    halo run '' a.ppm -o numbers.npy
    halo run gain:0.5 numbers.npy -o halves.npy
    halo convert --to-srgb halves.npy numbers.npy -f
    cmp halves.npy numbers.npy
    run --separate-stderr halo convert --to-srgb --linear a.png x.png -f
    [ "$status" -eq 2 ]; says 'mutually exclusive'
    run --separate-stderr halo convert --strip a.png x.png -f
    [ "$status" -eq 0 ]; says 'colours will look different'; says '--to-srgb'
}

@test "icc: a file that is combined with the input has its own profile" {
    halo --version | grep -qv 'no LCMS' || skip "built without Little CMS"
    command -v python3 > /dev/null || skip "there is no python3"
    make_colours
    rgb_profile swapped.icc green red
    profiled swapped.icc a.png
    halo convert a.ppm plain.png
    halo run icc a.png -o srgb.png
    combined() { # WANT OPTIONS
        run --separate-stderr halo run "${@:2}" -o x.png -f
        [ "$status" -eq 0 ]; [[ $stderr != *'different ICC'* ]]
        [ "$(bytes '' x.png)" = "$(bytes '' "$1")" ]
    }
    ! cmp -s <(bytes '' a.png) <(bytes '' srgb.png)
    combined srgb.png 'over:[a.png | icc]' plain.png
    combined plain.png 'over:[plain.png | icc]' a.png
    for other in a.png '[a.png]' '[a.png | icc]' '[a.png | rotate:180 | rotate:180'{,' | icc'}]; do
        combined srgb.png --to-srgb "over:$other" plain.png
    done
    combined srgb.png --to-srgb expr:a,a=a.png plain.png
    combined srgb.png --to-srgb 'over:[icc]' a.png
    combined plain.png --to-srgb over:plain.png a.png
    for other in '[a.png | icc]' '[icc]'; do
        run --separate-stderr halo run "over:$other" a.png -o x.png -f
        [ "$status" -eq 0 ]; says 'different ICC profiles'
    done
    run --separate-stderr halo run 'over:[a.png | flip:x]' plain.png -o x.png -f
    says 'different ICC profiles'
}

@test "--to-srgb without Little CMS" {
    halo --version | grep -q 'no LCMS' || skip "built with Little CMS"
    command -v python3 > /dev/null || skip "there is no python3"
    make_colours
    rgb_profile swapped.icc green red
    profiled swapped.icc a.png
    run --separate-stderr halo convert --to-srgb a.png x.png
    [ "$status" -eq 1 ]; says 'Little CMS'; [ ! -e x.png ]
    halo convert --to-srgb a.ppm x.png
}

@test "what changes the coding of light works on all of a picture, and a profile is used once" {
    printf 'P6 2 1 255\n\100\100\100\200\200\200' > a.ppm
    run -2 --separate-stderr halo run 'on:1-3,[color:linear]' a.ppm -o b.ppm
    [[ $stderr == *"code light alike"* ]]
    run -2 --separate-stderr halo run 'color:linear,mask=[gray]' a.ppm -o b.ppm
    [[ $stderr == *"code light alike"* ]]
    run -2 --separate-stderr halo run 'icc | icc' a.ppm -o b.ppm
    [[ $stderr == *"put it first"* ]]
}

@test "shares of a mask are numbers, with --linear too" {
    printf 'P5 1 1 255\n\100' > a.pgm
    printf 'P5 1 1 255\n\200' > half.pgm
    halo run expr:255,mask=half.pgm a.pgm -o file.pgm --linear
    halo run 'expr:255,mask=[expr:128]' a.pgm -o branch.pgm --linear
    cmp file.pgm branch.pgm
}

@test "match gives more than four colours the reference's histograms" {
    python3 -c 'import struct
head = b"{\"descr\": \"|u1\", \"fortran_order\": False, \"shape\": (4, 5, 6), }"
head = head.ljust(117) + b"\n"
open("a.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(range(20, 140)))'
    halo run --axes=hwc --white=255 match:a.npy a.npy -o b.npy
    halo compare --axes=hwc a.npy b.npy
}
