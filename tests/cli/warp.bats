# Geometry at any angle: rotate, affine, perspective, warp, undistort, deskew.
# shellcheck disable=SC2154
setup() {
    load common
    common_setup
    printf 'P2 3 2 255\n1 2 3 4 5 6\n' > six.pgm
}

@test "rotate: right angles move pixels, in any spelling" {
    [ "$(moved_samples rotate:90)" = '2 3: 4 1 5 2 6 3' ]
    [ "$(moved_samples rotate:450)" = '2 3: 4 1 5 2 6 3' ]
    [ "$(moved_samples rotate:-270.0)" = '2 3: 4 1 5 2 6 3' ]
    [ "$(moved_samples rotate:180)" = '3 2: 6 5 4 3 2 1' ]
    [ "$(moved_samples rotate:0)" = '3 2: 1 2 3 4 5 6' ]
    [ "$(moved_samples 'rotate:180,fit=keep,size=3x2')" = '3 2: 6 5 4 3 2 1' ]
    [ "$(halo run --explain rotate:270 six.pgm -o x.pgm | grep -c 'gather ')" -eq 1 ]
}

@test "rotate: fit, at and size set the result" {
    make_rgb in.ppm 200 100
    size() {
        halo run "$1" in.ppm -o out.ppm -f
        halo info out.ppm | sed -n 's/^ *size *\([0-9]*\) x \([0-9]*\).*/\1 \2/p'
    }
    [ "$(size rotate:30)" = '224 187' ]
    [ "$(size rotate:30,fit=keep)" = '200 100' ]
    [ "$(size rotate:30,size=50x40)" = '50 40' ]
    read -r width height <<< "$(size rotate:30,fit=crop)"
    [ "$width" -lt 200 ] && [ "$height" -lt 100 ] && [ "$width" -gt 60 ]
    run --separate-stderr halo run rotate:30,at=5+5 in.ppm -o x.ppm
    [ "$status" -eq 2 ]; says 'needs fit=keep'
    # The point stays: a translation by the same point afterwards is none.
    halo run 'rotate:20,fit=keep,at=10+20 | crop:1x1+10+20' in.ppm -o a.ppm
    halo run 'crop:1x1+10+20' in.ppm -o b.ppm
    cmp a.ppm b.ppm
}

@test "affine and perspective: moves by whole pixels are exact, nonsense is refused" {
    [ "$(moved_samples affine:1,0,1,0,1,0)" = '3 2: 0 1 2 0 4 5' ]
    [ "$(moved_samples affine:1,0,1,0,1,0,border=replicate)" = '3 2: 1 1 2 4 4 5' ]
    [ "$(moved_samples 'affine:1,0,-1,0,1,0,border=constant=9,kernel=lanczos3')" = '3 2: 2 3 9 5 6 9' ]
    [ "$(moved_samples 'affine:2,0,0,0,2,0,kernel=nearest,fit=grow')" = \
        '6 4: 1 1 2 2 3 3 1 1 2 2 3 3 4 4 5 5 6 6 4 4 5 5 6 6' ]
    [ "$(moved_samples perspective:1,0,1,0,1,0,0,0)" = '3 2: 0 1 2 0 4 5' ]
    [ "$(moved_samples perspective:0,0,1,0,2,0,3,0,0,1,1,1,2,1,3,1)" = '3 2: 0 1 2 0 4 5' ]
    [ "$(moved_samples perspective:corners=1,0,2,0,2,1,1,1,size=2x2)" = '2 2: 2 3 5 6' ]
    for bad in affine:1,2,3 affine:1,1,0,1,1,0 affine:1,0,0,0,1,x affine:nan,0,0,0,1,0 perspective \
        perspective:1,2,3 perspective:corners=0,0,1,1,2,2,3,3 \
        perspective:1,0,0,0,1,0,0,0,corners=0,0,1,0,1,1,0,1 undistort undistort:1,x rotate:x rotate:inf warp; do
        run --separate-stderr halo run "$bad" six.pgm -o x.pgm
        [ "$status" -eq 2 ] || { echo "$bad: $status $stderr"; return 1; }
    done
    run --separate-stderr halo run affine:1e9,0,0,0,1e9,0,fit=grow six.pgm -o x.pgm
    [ "$status" -ne 0 ]; says 'a side of more than'
}

@test "warp: a map of places, of the size of the result" {
    python3 - << 'PY'
import struct
rows = [(2, 1), (1, 1), (0, 1), (0, 0)]
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 2), }"
head += ' ' * (117 - len(head)) + '\n'
with open('map.npy', 'wb') as f:
    f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
    for x, y in rows:
        f.write(struct.pack('<2f', x, y))
PY
    [ "$(moved_samples warp:map.npy)" = '2 2: 6 5 4 1' ]
    run --separate-stderr halo run warp:six.pgm six.pgm -o x.pgm
    [ "$status" -ne 0 ]; says 'a map has two channels'
}

@test "undistort: no distortion changes nothing, some moves the corners alone" {
    make_rgb made.ppm 60 40
    halo run "" made.ppm -o in.ppm
    halo run undistort:0 in.ppm -o out.ppm
    cmp in.ppm out.ppm
    [ "$(halo run 'undistort:-0.3' in.ppm -o - --to ppm | cmp -l - in.ppm | wc -l)" -gt 1000 ]
}

@test "transparent colours do not show" {
    # Opaque red beside transparent green.
    { printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'
      printf '\310\0\0\377\0\377\0\0'; } > in.pam
    halo run 'affine:1,0,-0.5,0,1,0,size=1x1' in.pam -o out.pam
    [ "$(tail -c 4 out.pam | od -An -tu1 | tr -s ' ')" = ' 200 0 0 128' ]
    halo run 'affine:1,0,-0.5,0,1,0,size=1x1,alpha=straight' in.pam -o out.pam -f
    [ "$(tail -c 4 out.pam | od -An -tu1 | tr -s ' ')" = ' 100 128 0 128' ]
}

@test "files, pipes and threads give the same image; memory is kept to" {
    make_rgb in.ppm 200 450
    for pipeline in rotate:7 rotate:100,fit=crop 'rotate:190,kernel=cubic | gauss:2' undistort:-0.4 \
        affine:0.3,0.1,0,0,0.3,5,fit=grow 'perspective:corners=20,10,180,40,190,400,5,440'; do
        halo run "$pipeline" in.ppm -o whole.ppm -f -j 1
        for jobs in 2 3; do
            halo run "$pipeline" in.ppm -o other.ppm -f -j $jobs
            cmp whole.ppm other.ppm || { echo "$pipeline with $jobs threads"; return 1; }
        done
        halo run "$pipeline" - -o - --to ppm < in.ppm | cmp - whole.ppm
    done
    run --separate-stderr halo run rotate:100 in.ppm -o x.ppm --max-memory 100K
    [ "$status" -ne 0 ]; says '--max-memory'
}

# Rows of dashes, like text, that fall by a slope to the right.
dashes() {
    awk -v slope="$1" 'BEGIN { print "P2 240 160 255"
        for (y = 0; y < 160; y++) { for (x = 0; x < 240; x++) {
            r = y - slope * (x - 119.5); r -= 12 * int(r / 12); if (r < 0) r += 12
            v = (r < 5 && (x * 7 + int(y / 12) * 5) % 11 > 3) ? 20 : 240; printf "%d ", v } print "" } }'
}

@test "deskew: the angle is found, printed and corrected" {
    dashes 0.07 > fall.pgm   # 4.004 degrees
    dashes -0.05 > rise.pgm  # 2.862 degrees
    run --separate-stderr halo run deskew fall.pgm -o out.pgm
    [ "$status" -eq 0 ]
    angle=$(sed -n 's/.*turned by -\([0-9.]*\) degrees.*/\1/p' <<< "$stderr")
    awk -v a="$angle" 'BEGIN { exit !(a > 3.85 && a < 4.15) }' || { echo "$stderr"; return 1; }
    run --separate-stderr halo run deskew rise.pgm -o out.pgm -f
    angle=$(sed -n 's/.*turned by \([0-9.]*\) degrees.*/\1/p' <<< "$stderr")
    awk -v a="$angle" 'BEGIN { exit !(a > 2.71 && a < 3.01) }' || { echo "$stderr"; return 1; }
    halo run deskew - -o - --to pgm < rise.pgm 2> said | cmp - out.pgm
    grep -q 'turned by' said
    run --separate-stderr halo run deskew out.pgm -o again.pgm
    angle=$(sed -n 's/.*turned by -*\([0-9.]*\) degrees.*/\1/p' <<< "$stderr")
    awk -v a="$angle" 'BEGIN { exit !(a < 0.15) }' || { echo "$stderr"; return 1; }
    printf 'P2 3 3 255\n5 5 5 5 5 5 5 5 5\n' > flat.pgm
    halo run deskew flat.pgm -o same.pgm
    [ "$(halo run deskew flat.pgm -o - --to pgm | tail -c 9 | od -An -tu1 | tr -s ' ')" = ' 5 5 5 5 5 5 5 5 5' ]
}

@test "right angles cropped: pictures of one row, and of one pixel" {
    printf 'P5 16 1 255\n0123456789abcdef' > row.pgm
    printf 'P5 1 1 255\n0' > one.pgm
    for turn in 0 90 180 270 360; do
        halo run "rotate:$turn,fit=crop" one.pgm -o "one$turn.pgm"
        halo compare one.pgm "one$turn.pgm"
    done
    halo run rotate:180,fit=crop row.pgm -o back.pgm
    halo run rotate:180 row.pgm -o moved.pgm
    cmp back.pgm moved.pgm
    [[ $(halo run rotate:90,fit=crop row.pgm -o tall.pgm && head -c 8 tall.pgm | tr '\n' ' ') == "P5 1 16 "* ]]
}
