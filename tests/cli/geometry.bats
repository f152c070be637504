# Crop, pad, rotate and resize: spellings of sizes, bands and pipes, and EXIF of the result.
# shellcheck disable=SC2154
setup() {
    load common
    common_setup
    printf 'P2 3 2 255\n1 2 3 4 5 6\n' > six.pgm
}

@test "crop, pad, flip, rotate and transpose move pixels" {
    [ "$(moved_samples crop:2x1+1+1)" = '2 1: 5 6' ]
    [ "$(moved_samples crop:1x2)" = '1 2: 2 5' ]
    [ "$(moved_samples crop:2x2,at=1+0)" = '2 2: 2 3 5 6' ]
    [ "$(moved_samples crop:9x9+2-1,fit=1)" = '1 2: 3 6' ]
    [ "$(moved_samples 'pad:left=1,bottom=1,border=constant=9')" = '4 3: 9 1 2 3 9 4 5 6 9 9 9 9' ]
    [ "$(moved_samples 'pad:left=2,border=mirror')" = '5 2: 3 2 1 2 3 6 5 4 5 6' ]
    [ "$(moved_samples flip)" = '3 2: 3 2 1 6 5 4' ]
    [ "$(moved_samples flip:y)" = '3 2: 4 5 6 1 2 3' ]
    [ "$(moved_samples flip:both)" = "$(moved_samples rotate:180)" ]
    [ "$(moved_samples rotate:90)" = '2 3: 4 1 5 2 6 3' ]
    [ "$(moved_samples rotate:270)" = '2 3: 3 6 2 5 1 4' ]
    [ "$(moved_samples transpose)" = '2 3: 1 4 2 5 3 6' ]
    [ "$(moved_samples 'rotate:90 | rotate:90 | rotate:90 | rotate:90')" = '3 2: 1 2 3 4 5 6' ]
}

@test "pad to a size: letterboxed, at any side, in any color" {
    [ "$(moved_samples 'pad:to=4x4,color=white')" = '4 4: 255 255 255 255 1 2 3 255 4 5 6 255 255 255 255 255' ]
    [ "$(moved_samples 'pad:to=4x3,at=bottom-right,border=constant=9')" = '4 3: 9 9 9 9 9 1 2 3 9 4 5 6' ]
    [ "$(moved_samples 'pad:to=5x2,at=left,border=constant=9')" = '5 2: 1 2 3 9 9 4 5 6 9 9' ]
    [ "$(moved_samples 'pad:to=3x3,at=top,color=#070707')" = '3 3: 1 2 3 4 5 6 7 7 7' ]
    [ "$(moved_samples 'pad:to=3x2')" = '3 2: 1 2 3 4 5 6' ]
    printf 'P3 1 2 255\n1 2 3 4 5 6\n' > two.ppm
    halo run 'pad:right=1,top=1,color=#ff8001' two.ppm -o out.ppm
    [ "$(tail -c 18 out.ppm | od -An -tu1 -w18 | tr -s ' ')" = \
        " 255 128 1 255 128 1 1 2 3 255 128 1 4 5 6 255 128 1" ]
    printf 'P7\nWIDTH 1\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\1\2\3\1\4\5\6\4' > two.pam
    halo run 'pad:left=1,color=red' two.pam -o out.pam
    [ "$(tail -c 16 out.pam | od -An -tu1 -w16 | tr -s ' ')" = " 255 0 0 255 1 2 3 1 255 0 0 255 4 5 6 4" ]
    halo run 'pad:left=1,color=transparent' out.pam -o clear.pam
    [ "$(tail -c 24 clear.pam | head -c 8 | od -An -tu1 | tr -s ' ')" = " 0 0 0 0 255 0 0 255" ]
    refused() { run --separate-stderr halo run "$1" "$2" -o x.ppm; [ "$status" -eq "$3" ] && says "$4"; }
    refused pad:to=2x9 six.pgm 1 "the picture is 3 x 2, larger than 2 x 9; resize:2x9"
    refused pad:to=9 six.pgm 2 "pad: to: expected WxH"
    refused pad:9x9 six.pgm 2 "write pad:to=9x9"
    refused pad:1,to=9x9 six.pgm 2 "the sides follow"
    refused pad:1,at=top six.pgm 2 "to=800x600,at=top"
    refused pad:1,color=red six.pgm 1 "channels:1,1,1 before makes three of one"
    refused pad:1,color=rot six.pgm 2 "#ff8000, found 'rot'"
    refused pad:1,color=#12345 six.pgm 2 "expected a color"
    refused pad:1,color=#0000 six.pgm 1 "has no alpha"
    refused pad:1,color=red,border=zero six.pgm 2 "exclude each other"
    make_wav in.wav 100
    run --separate-stderr halo run pad:to=9x9 in.wav -o x.wav
    [ "$status" -eq 2 ] && says "sound has no sides, size or color"
}

@test "a part of a value that is only computed as a whole" {
    local whole
    for whole in equalize clahe:2 'integral | normalize'; do
        halo run --force "$whole | depth:u8" six.pgm -o whole.pgm
        halo run --force "$whole | crop:2x1+1+1 | depth:u8" six.pgm -o part.pgm
        halo run crop:2x1+1+1 whole.pgm -o - --to pgm | cmp - part.pgm
    done
}

@test "two geometry operations in a row are one step" {
    [ "$(halo run --explain 'rotate:90 | flip:x | crop:2x2' six.pgm -o x.pgm | grep -c 'gather ')" -eq 1 ]
    [ "$(halo run --explain 'pad:2 | crop:7x6 | rotate:90' six.pgm -o x.pgm | grep -c 'gather ')" -eq 1 ]
    [ "$(halo run --explain 'crop:2x2 | pad:1' six.pgm -o x.pgm | grep -c 'gather ')" -eq 2 ]
}

@test "a rectangle outside of the picture is refused with both sizes" {
    run --separate-stderr halo run crop:4x2 six.pgm -o x.pgm
    [ "$status" -eq 1 ]
    says 'crop: 4x2+0+0 reaches out of the picture, which is 3 x 2; use fit=1 to clip the rectangle'
    [ ! -e x.pgm ]
    run --separate-stderr halo run 'crop:1x1+5+5,fit=1' six.pgm -o x.pgm
    says 'the rectangle is outside the picture, which is 3 x 2'
    run --separate-stderr halo run crop:4y2 six.pgm -o x.pgm
    [ "$status" -eq 2 ]; says "expected WxH or WxH+X+Y (for example 640x480+10+20), found '4y2'"
    run --separate-stderr halo run crop:1x1+1+1,at=2+2 six.pgm -o x.pgm
    [ "$status" -eq 2 ]; says 'given twice'
}

# size PIPELINE: of what it makes of 60 x 40.
size() { halo run "$1" in.pgm -o - --to pgm | head -2 | tail -1; }

@test "sizes are accepted in every usual spelling" {
    make_gray in.pgm 60 40
    [ "$(size resize:30x30)" = '30 20' ]
    [ "$(size resize:30x5)" = '8 5' ]
    [ "$(size resize:30x30,fit=exact)" = '30 30' ]
    [ "$(size resize:30x30,fit=cover)" = '30 30' ]
    [ "$(size resize:15x)" = '15 10' ]
    [ "$(size resize:x100)" = '150 100' ]
    [ "$(size resize:30)" = '30 20' ]
    [ "$(size 'rotate:90 | resize:30')" = '20 30' ]
    [ "$(size resize:25%)" = '15 10' ]
    [ "$(size resize:1)" = '1 1' ]
    [ "$(size resize:90,only=shrink)" = '60 40' ]
    [ "$(size resize:30,only=grow)" = '60 40' ]
    [ "$(size resize:90x90,fit=cover,only=shrink)" = '60 40' ]
    run --separate-stderr halo run resize:0x5 in.pgm -o x.pgm
    [ "$status" -eq 2 ]; says 'expected WxH, Wx, xH, a longer side or a percentage'
    run --separate-stderr halo run resize:50,fit=cover in.pgm -o x.pgm
    [ "$status" -eq 2 ]; says 'needs width and height'
}

@test "files, pipes and threads give the same image" {
    make_rgb in.ppm 200 450
    for pipeline in resize:71 resize:300x,kernel=cubic crop:90x33+100+80 pad:30,border=wrap \
        pad:top=200,border=zero flip:y \
        rotate:90 'flip:y | resize:50% | pad:9' 'gauss:2 | crop:20x20 | resize:400%'; do
        halo run "$pipeline" in.ppm -o whole.ppm -f -j 1
        for jobs in 2 3; do
            halo run "$pipeline" in.ppm -o other.ppm -f -j $jobs
            cmp whole.ppm other.ppm || { echo "$pipeline with $jobs threads"; return 1; }
        done
        halo run "$pipeline" - -o - --to ppm < in.ppm | cmp - whole.ppm
    done
}

@test "flat images stay flat, and transparent colours do not show" {
    printf 'P5 40 40 255\n' > flat.pgm; head -c 1600 /dev/zero | tr '\0' '\310' >> flat.pgm
    for kernel in lanczos3 lanczos2 cubic mitchell linear area nearest; do
        halo run "resize:17x53,fit=exact,kernel=$kernel" flat.pgm -o out.pgm -f
        [ "$(tail -c 901 out.pgm | tr -d '\310' | wc -c)" -eq 0 ]
    done
    # Opaque red beside transparent green.
    { printf 'P7\nWIDTH 8\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'
      printf '\310\0\0\377\310\0\0\377\310\0\0\377\310\0\0\377\0\377\0\0\0\377\0\0\0\377\0\0\0\377\0\0'; } > \
          in.pam
    halo run 'resize:4x1,fit=exact,kernel=linear' in.pam -o out.pam
    [ "$(tail -c 16 out.pam | od -An -tu1 -v | tr -s ' ')" = ' 200 0 0 255 200 0 0 223 200 0 0 32 0 0 0 0' ] ||
        { tail -c 16 out.pam | od -An -tu1; return 1; }
}

@test "--linear resizes light" {
    { printf 'P5 64 64 255\n'; for ((i = 0; i < 2048; i++)); do printf '\0\377'; done; } > stripes.pgm
    halo run 'resize:8,kernel=area' stripes.pgm -o coded.pgm
    halo run --linear 'resize:8,kernel=area' stripes.pgm -o light.pgm
    [ "$(tail -c 1 coded.pgm | od -An -tu1)" -eq 128 ]
    [ "$(tail -c 1 light.pgm | od -An -tu1)" -eq 188 ]
}

@test "rows and tiles that are not needed are not read" {
    make_rgb in.ppm 300 260
    halo run '' in.ppm -o in.npy
    halo run '' in.ppm -o in.png
    [[ "$(halo --version)" == *"no TIFF"* ]] || halo run --tile 64 '' in.ppm -o in.tif
    for cut in 100x90+130+120 300x1+0+259 1x260+299+0 64x64+64+64 65x3+63+127; do
        halo run crop:$cut in.ppm -o whole.ppm -f
        halo run '' in.ppm -o - --to ppm | halo run crop:$cut - -o - --to ppm | cmp - whole.ppm
        for input in in.npy in.png in.tif; do
            [ -e $input ] || continue
            halo run "crop:$cut | depth:u8" $input -o out.ppm -f
            cmp out.ppm whole.ppm || { echo "$cut of $input"; return 1; }
            halo run "crop:$cut | depth:u8" $input -o - --to ppm | cmp - whole.ppm
        done
    done
    printf 'P5 16384 16000 255\n' > large.pgm
    truncate -s $((19 + 16384 * 16000)) large.pgm
    [ "$(halo run --max-memory 16M crop:100x100 large.pgm -o - | wc -c)" -eq 10015 ]
    halo run --explain crop:100x100 large.pgm -o - | grep -q 'read as they come, and written when all is made'
    # Missing rows are reported, although none of them is needed; with several images the next one follows.
    halo run '' in.ppm -o raw.ppm -f
    head -c 200000 raw.ppm > cut.ppm
    run --separate-stderr halo run crop:9x9+0+0 cut.ppm -o x.ppm
    [ "$status" -eq 1 ]; says 'truncated: 222 of 260 rows'
    cat raw.ppm raw.ppm | halo run crop:2x2+0+0 - -o - --to ppm > both.ppm
    [ "$(wc -c < both.ppm)" -eq $((2 * (11 + 12))) ]
}

@test "an array of planes is cropped like one of pixels" {
    need_numpy
    make_rgb in.ppm 60 50
    halo run '' in.ppm -o in.npy
    "$PYTHON" -c 'import numpy as np; np.save("planes.npy", np.load("in.npy").transpose(2, 0, 1).copy())'
    for cut in 9x8+20+30 60x1+0+49 5x5+0+0; do
        halo run "crop:$cut | depth:u8" in.npy -o whole.ppm -f
        halo run --axes chw "crop:$cut | depth:u8" planes.npy -o planes.ppm -f
        cmp planes.ppm whole.ppm
    done
}

# turned_jpeg FILE ORIENTATION: the same with EXIF that says it.
turned_jpeg() {
    printf '\377\330\377\341\000\042Exif\000\000II*\000\010\000\000\000\001\000\022\001\003\000\001\000\000\000'
    printf "\\00$2\\000\\000\\000\\000\\000\\000\\000"
    tail -c +3 "$1"
}

@test "--precision fast decodes a JPEG at a smaller scale for a resize, without moving what is in it" {
    [[ "$(halo --version)" == *"no JPEG"* ]] && skip "without libjpeg"
    make_rgb noise.ppm 640 483
    halo run 'gauss:8 | normalize' noise.ppm -o even.ppm
    halo run crop:635x480 even.ppm -o odd.ppm
    for name in even odd; do
        halo run '' $name.ppm -o $name.jpg
        for size in 240x,2 100x,2 79x,4 20,8 17x30,fit=exact,8; do
            halo run resize:${size%,*} $name.jpg -o exact.ppm -f
            halo run --precision fast resize:${size%,*} $name.jpg -o fast.ppm -f
            halo run --precision fast --explain resize:${size%,*} $name.jpg -o fast.ppm > said
            if [ $size = 240x,2 ]; then
                cmp exact.ppm fast.ppm
                grep -q 'changes nothing here' said
            else
                halo compare --at-least psnr=50 exact.ppm fast.ppm
                grep -q "read at 1/${size##*,} of its width and height" said
                grep -q 'fast    step 1 may differ' said
            fi
            halo run --precision fast resize:${size%,*} $name.jpg -o - --to pnm | cmp - fast.ppm
        done
    done
    [ "$(halo run --precision fast --json 'resize:100 | stats' even.jpg -o x.ppm -f |
        grep -c '"width":100,"height":75')" -eq 1 ]
    # Operations that need every pixel get all.
    for pipeline in 'stats | resize:50' 'resize:50,kernel=nearest' 'gauss:1 | resize:50' 'gray | resize:50'; do
        halo run "$pipeline" even.jpg -o exact.ppm -f 2> /dev/null
        halo run --precision fast "$pipeline" even.jpg -o fast.ppm -f 2> /dev/null
        cmp exact.ppm fast.ppm || { echo "$pipeline"; return 1; }
    done
    [[ "$(halo run --linear --precision fast --explain resize:50 even.jpg -o x.ppm)" != *'read at'* ]]
    # Rotated images are oriented as without it.
    for name in even odd; do
        for way in 1 2 3 4 5 6 7 8; do
            turned_jpeg $name.jpg $way > turned.jpg
            halo run resize:70 turned.jpg -o exact.jpg -f --quality 100
            halo run --precision fast resize:70 turned.jpg -o fast.jpg -f --quality 100
            halo compare --at-least psnr=44 exact.jpg fast.jpg
            [ "$(halo info --json exact.jpg | grep -o '"orientation":.')" = \
                "$(halo info --json fast.jpg | grep -o '"orientation":.')" ]
        done
    done
    # Messages about a damaged one name the file.
    head -c 9000 even.jpg > cut.jpg
    run --separate-stderr halo run resize:50 cut.jpg -o x.ppm
    [ "$status" -eq 1 ]; exact=$stderr
    run --separate-stderr halo run --precision fast resize:50 cut.jpg -o x.ppm
    [ "$status" -eq 1 ]; [ "${stderr##* of }" = "${exact##* of }" ]
}

@test "unambiguous names of other tools, and -90 degrees, are accepted" {
    make_rgb in.ppm 9 5
    for pair in mirror=flip flop=flip autorot=orient desaturate=gray negative=invert rotate:-90=rotate:270; do
        halo run "${pair%=*}" in.ppm -o a.ppm -f
        halo run "${pair#*=}" in.ppm -o b.ppm -f
        cmp a.ppm b.ppm
    done
    run --separate-stderr halo run pad:5% in.ppm -o x.ppm
    [ "$status" -eq 2 ] && says "pad: by: expected pixels, or for sound times such as 1,500ms, found '5%'"
}

@test "enlarging takes memory for rows, not for the image" {
    make_gray in.pgm 60 40
    memory() { halo run --explain "$1" in.pgm -o x.pgm --max-pixels 1000G |
        sed -n 's/.*at most \([0-9]*\)\..* MB in.*/\1/p'; }
    [ "$(memory resize:20000)" -lt 40 ] && [ "$(memory resize:200000)" -lt 200 ]
}

@test "limits hold for results of steps too, and are checked before work begins" {
    make_gray in.pgm 60 40
    local step
    for step in pad:100000000 resize:100000x100000,fit=exact 'resize:20000x20000,fit=exact | crop:10x10' \
        'add:[pad:20000 | crop:60x40]'; do
        run --separate-stderr halo run "$step" in.pgm -o x.pgm
        [ "$status" -eq 5 ]; says "with --max-pixels"; [ ! -e x.pgm ]
    done
    run --separate-stderr halo run pad:1 in.pgm -o x.pgm --max-pixels 2400
    [ "$status" -eq 5 ]; says "pad makes 62 x 42 pixels of 1 channels, more than the limit, 2400 of up to 4"
    halo run pad:1 in.pgm -o x.pgm --max-pixels 2604
    halo run 'crop:20x20 | pad:9' in.pgm -f -o x.pgm --max-pixels 2400
}

@test "info reads headers of images of any size" {
    printf 'P5 70000 70000 255\n' > huge.pgm
    halo info huge.pgm | grep -q '70000 x 70000'
    run --separate-stderr halo stats huge.pgm
    [ "$status" -eq 5 ] && says "with --max-pixels"
}
