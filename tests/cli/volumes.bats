# Volumes: NRRD, NIfTI, MRC and MetaImage, and TIFF as ImageJ has it, with spacing and origin; NPZ; and formats
# that are only named.
# shellcheck disable=SC2154
setup() {
    load common; common_setup
    { printf 'NRRD0004\ntype: short\ndimension: 3\nsizes: 4 3 2\nendian: little\nencoding: raw\n'
      printf 'space: left-posterior-superior\nspace directions: (0.5,0,0) (0,0.25,0) (0,0,2)\n'
      printf 'space origin: (10,20,30)\nspace units: "mm" "mm" "mm"\ncontent: a head\n\n'
      for ((v = 0; v < 24; v++)); do printf "\\x$(printf %02x $v)\\x01"; done; } > in.nrrd
}

# grid_of FILE: spacing and origin, as `halo info` has them.
grid_of() { halo info "$1" | sed -n '/^  spacing\|^  origin/p'; }

@test "from one format to the next samples, spacing, origin and pages stay" {
    need_numpy
    halo run '' in.nrrd -o want.npy
    grid_of in.nrrd | grep -q 'spacing *0.5 x 0.25 x 2 mm'
    last=in.nrrd
    for to in nii nii.gz mha nrrd; do
        halo convert "$last" -o "out.$to"
        [ "$(grid_of "out.$to")" = "$(grid_of in.nrrd)" ]
        halo run '' "out.$to" -o got.npy -f
        cmp want.npy got.npy
        last=out.$to
    done
    halo run '' in.nrrd -o out.mrc
    grid_of out.mrc | grep -q 'spacing *5e+06 x 2.5e+06 x 2e+07 A'
    halo run '' out.mrc -o got.npy -f
    cmp want.npy got.npy
}

@test "to TIFF and back with spacing" {
    halo list formats | grep -q '^ *tiff' || skip "this build has no TIFF"
    halo convert in.nrrd -o out.tif
    grep -a -q 'unit=mm' out.tif
    [ "$(grid_of out.tif | sed 's/ to the.*//')" = "$(grid_of in.nrrd | sed 's/ to the.*//')" ]
    halo run 'resize:2x3,fit=stretch' out.tif -o half.tif || halo run 'resize:50%' out.tif -o half.tif
    halo convert out.tif -o back.nrrd
    halo run '' in.nrrd -o want.npy
    halo run '' back.nrrd -o got.npy
    cmp want.npy got.npy
    grid_of back.nrrd | grep -q 'spacing *0.5 x 0.25 x 2 mm'
}

@test "spacing and origin follow what is cut out, resized, turned and selected" {
    halo run 'pages:2 | crop:2x2+1+1' in.nrrd -o out.nii
    grid_of out.nii | grep -q 'origin *10.5, 20.25, 32 mm'
    halo run 'flip:x' in.nrrd -o out.mha
    grid_of out.mha | grep -q 'origin *11.5, 20, 30 mm'
    halo info --json out.mha | grep -q '"steps":\[-0.5,0,0,0,0.25,0,0,0,2\]'
    run --separate-stderr halo run '' in.nrrd -o out.png --white 512
    says 'left out, since the output cannot hold it: text Description, spacing and origin' ||
        says 'spacing and origin'
}

@test "a turned grid keeps its spacing where the output has no directions, and a note names what is lost" {
    run --separate-stderr halo run flip:x in.nrrd -o out.mrc
    says 'left out, since the output cannot hold it: directions of axes'
    grid_of out.mrc | grep -q 'spacing *5e+06 x 2.5e+06 x 2e+07 A'
    halo list formats | grep -q '^ *tiff' || skip "this build has no TIFF"
    run --separate-stderr halo run flip:x in.nrrd -o out.tif
    says 'directions of axes, origin'
    grid_of out.tif | grep -q 'spacing *0.5 x 0.25 x 2 mm'
}

@test "signed counts have no full scale, and go into a picture with one" {
    run --separate-stderr halo run 'pages:1' in.nrrd -o out.png
    [ "$status" -ne 0 ]; says '--white'
    halo run 'pages:1 | normalize' in.nrrd -o out.png
}

@test "a stack of a compressed volume; pages of a pipe, whose number is not known" {
    halo convert in.nrrd -o in.nii.gz
    halo stack mean in.nii.gz -o a.npy
    halo stack mean in.nrrd -o b.npy
    cmp a.npy b.npy
    cat in.nii.gz | halo run '' - -o c.nrrd
    halo run '' c.nrrd -o c.npy
    halo run '' in.nrrd -o d.npy
    cmp c.npy d.npy
    make_worked p.pgm
    halo run '' p.pgm -o q.pgm
    for to in nrrd nii nii.gz mha mrc; do
        cat q.pgm q.pgm q.pgm | halo run '' - -o "o.$to"
        halo info "o.$to" | grep -q 'images *3'
        cat q.pgm q.pgm q.pgm | halo run '' - -o - --to nii > /dev/null && false
        halo info --json "o.$to" > /dev/null
    done
    gzip -t o.nii.gz
}

@test "pages of several files have the header of the first, whatever the others say" {
    LC_ALL=C sed 's/content: a head/content: another head, with more text/; s/(10,20,30)/(1,2,3)/' \
        in.nrrd > more.nrrd
    halo pages in.nrrd -o want.npy
    for to in nrrd nii nii.gz mha; do
        halo pages in.nrrd more.nrrd -o "both.$to"
        [ "$(grid_of "both.$to")" = "$(grid_of in.nrrd)" ]
        halo info "both.$to" | grep -q 'images *4'
        halo run pages:1-2 "both.$to" -o got.npy -f
        cmp want.npy got.npy
    done
}

@test "dots per inch become spacing, and names with two extensions are taken apart" {
    make_worked p.pgm
    halo run '' p.pgm -o p.bmp
    printf '\xd0\x07\0\0\xe8\x03\0\0' | dd of=p.bmp bs=1 seek=38 conv=notrunc status=none
    halo run '' p.bmp -o p.nrrd
    grid_of p.nrrd | grep -q 'spacing *0.5 x 1 mm'
    halo convert in.nrrd --out-dir out --to nii.gz
    halo run 'pages:1 | normalize' out/in.nii.gz --out-dir out --to png
    [ -s out/in.nii.gz ] && [ -s out/in.png ]
}

@test "what is not read is named, with the way out" {
    { head -c 128 /dev/zero; printf 'DICM'; } > a.dcm
    cp a.dcm without-extension
    printf '\211HDF\r\n\032\n' > b.h5
    echo text > c.nef
    mkdir d.zarr
    for row in 'a.dcm dcm2niix' 'without-extension dcm2niix' 'b.h5 gdal_translate' 'c.nef darktable' \
        'd.zarr zarr'; do
        run --separate-stderr halo info "${row% *}"
        [ "$status" -eq 1 ]; says 'is not a format that halo reads'; says "${row#* }"
    done
    halo list formats | grep -q 'DICOM: dcm2niix'
    halo list formats --json | grep '"name":"bmp"' |
        grep -q '"alpha":true,"pages":"in pipes","metadata":\["ICC profile"'
}

# place_of FILE: its origin alone.
place_of() { halo info --json "$1" | grep -o '"origin":[^]]*'; }

# bytes N: so many, counting.
bytes() { for ((v = 0; v < $1; v++)); do printf "\\x$(printf %02x "$v")"; done; }

@test "volumes over time: of one slice, without slices, and with time as the first axis" {
    { printf 'NRRD0005\ntype: uint8\ndimension: 3\nsizes: 3 2 4\nkinds: domain domain time\nencoding: raw\n'
      printf 'spacings: 0.5 0.25 2000\nunits: "mm" "mm" "ms"\n\n'; bytes 24; } > flat.nrrd
    { printf 'NRRD0005\ntype: uint8\ndimension: 4\nsizes: 3 2 1 4\nencoding: raw\n'
      printf 'kinds: domain domain domain time\nspace: left-posterior-superior\nspace origin: (1,2,3)\n'
      printf 'space directions: (0.5,0,0) (0,0.25,0) (0,0,3) none\nspace units: "mm" "mm" "mm"\n'
      printf 'spacings: nan nan nan 2\nunits: "" "" "" "s"\n\n'; bytes 24; } > slice.nrrd
    { printf 'NDims = 4\nDimSize = 3 2 1 4\nElementSpacing = 0.5 0.25 3 2\nOffset = 1 2 3 0\n'
      printf 'ElementType = MET_UCHAR\nElementDataFile = LOCAL\n'; bytes 24; } > slice.mha
    for file in flat.nrrd slice.nrrd slice.mha; do
        halo info "$file" | grep -q 'volumes *of 1 page each'
        halo info --json "$file" | grep -q '"interval":2[,}]'
        halo run pages:3 "$file" -o page.mha -f
        [ "$(place_of page.mha)" = "$(place_of "$file")" ]
        for to in nrrd nii mha; do
            halo convert "$file" -o "out.$to" -f
            halo info "out.$to" | grep -q 'volumes *of 1 page each'
            halo info --json "out.$to" | grep -q '"interval":2[,}]'
        done
        grep -a -x 'sizes: 3 2 1 4' out.nrrd
        halo run pages:2-3 "$file" -o part.nrrd -f
        grep -a -x 'sizes: 3 2 1 2' part.nrrd
        grep -a -x 'DimSize = 3 2 1 4 *' out.mha
    done
    { printf 'NRRD0005\ntype: uint8\ndimension: 4\nsizes: 2 3 2 2\nkinds: time domain domain domain\n'
      printf 'encoding: raw\n\n'; bytes 24; } > first.nrrd
    halo convert first.nrrd -o last.nrrd
    grep -a -x 'sizes: 3 2 2 2' last.nrrd
    [ "$(tail -c 24 last.nrrd | od -An -v -tu1 | xargs)" = \
        '0 2 4 6 8 10 12 14 16 18 20 22 1 3 5 7 9 11 13 15 17 19 21 23' ]
}

@test "with --axes spacing belongs to the dimensions that it is of" {
    halo info in.nrrd --axes zyx | grep -q 'spacing *0.5 x 0.25 x 2 mm'
    halo info in.nrrd --axes chw | grep -q 'spacing *0.5 x 0.25 mm'
    halo info in.nrrd --axes hwc --json | grep -q '"steps":\[0,0.25,0,0,0,2,0,0,0\]'
    { printf 'NRRD0005\ntype: uint8\ndimension: 4\nsizes: 3 2 2 2\nkinds: domain domain domain time\n'
      printf 'encoding: raw\nspacings: 1 2 3 4\n\n'; bytes 24; } > series.nrrd
    halo info series.nrrd --axes tzyx | grep -q 'volumes *of 2 pages each'
    halo info series.nrrd --axes nhwc | grep -q 'spacing *2 x 3, along turned axes'
    { printf 'NRRD0005\ntype: uint8\ndimension: 3\nsizes: 3 2 4\nkinds: domain domain time\nencoding: raw\n'
      printf 'spacings: 1 2 3\n\n'; bytes 24; } > time.nrrd
    run --separate-stderr halo run '' time.nrrd --axes hwc -o out.nrrd
    [ "$status" -eq 0 ]; says 'left out, since it would no longer be true: spacing and origin'
    [ -z "$(grid_of out.nrrd)" ]
}

@test "spacing in a unit that the output has no word for is left out with a note" {
    for unit in furlong ''; do
        { printf 'NRRD0005\ntype: float\ndimension: 2\nsizes: 1 1\nspacings: 2 3\nendian: little\n'
          printf 'units: "%s" "%s"\nencoding: raw\n\n' "$unit" "$unit"; bytes 4; } > unit.nrrd
        for to in mrc mha; do
            run --separate-stderr halo convert unit.nrrd -o "out.$to" -f
            if [ "$to$unit" = mha ]; then # whose unit is not said either
                [ -z "$stderr" ]; grid_of "out.$to" | grep -q 'spacing *2 x 3'
            else
                says 'left out, since the output cannot hold it: spacing and origin'
                [ -z "$(grid_of "out.$to" | grep spacing)" ]
            fi
        done
    done
}

@test "NPZ: damaged members, stored and compressed, are refused, and read with --tolerate" {
    need_numpy
    "$PYTHON" -c '
import numpy as np
a = np.arange(60, dtype="u1").reshape(3, 4, 5)
np.savez("a.npz", a); np.savez_compressed("b.npz", a); np.savez("c.npz", np.asfortranarray(a))
for name in "abc":
    whole = bytearray(open(name + ".npz", "rb").read())
    longer = whole.replace(b"(3, 4, 5)", b"(9, 4, 5)")
    whole[whole.rfind(b"PK\1\2") + 16] ^= 1
    open(name + "-sum.npz", "wb").write(whole)
    if name != "b": open(name + "-longer.npz", "wb").write(longer)'
    for name in a b c; do
        halo run '' "$name.npz" --axes nhw -o "$name.npy"
        run --separate-stderr halo run '' "$name-sum.npz" --axes nhw -o out.npy -f
        [ "$status" -eq 1 ]; says 'another checksum'
        [ ! -e out.npy ]
        halo run '' "$name-sum.npz" --axes nhw --tolerate -o out.npy -f
        cmp "$name.npy" out.npy
        rm out.npy
    done
    for name in a c; do
        run --separate-stderr halo run '' "$name-longer.npz" --axes nhw -o out.npy -f
        [ "$status" -eq 1 ]; says 'too few for the samples'
    done
}

@test "NPZ: the only array, one by its name, and what is written reads in NumPy" {
    need_numpy
    "$PYTHON" -c '
import numpy as np
a, b = np.arange(12, dtype="u1").reshape(3, 4), np.linspace(0, 1, 6, dtype="f2").reshape(2, 3)
np.save("a.npy", a); np.save("b.npy", b)
np.savez("one.npz", a); np.savez_compressed("two.npz", a=a, b=b)'
    halo run '' one.npz -o got.npy
    halo run '' a.npy -o want.npy
    cmp want.npy got.npy
    halo run '' two.npz:b -o got.npy -f
    halo run '' b.npy -o want.npy -f
    cmp want.npy got.npy
    cat one.npz | halo run '' - -o - --to npz > piped.npz
    halo run '' one.npz -o filed.npz
    cmp piped.npz filed.npz
    halo run subtract:two.npz:a a.npy -o zero.npy
    run --separate-stderr halo info two.npz
    [ "$status" -eq 1 ]; says 'holds 2 arrays'; says 'FILE.npz:NAME'; says 'a, b'
    run --separate-stderr halo info two.npz:c
    [ "$status" -eq 1 ]; says 'no array of that name'
    run --separate-stderr halo info none.npz:c
    [ "$status" -eq 1 ]; says 'No such file'
    "$PYTHON" -c '
import numpy as np
assert (np.load("filed.npz")["arr_0"] == np.load("a.npy")).all()'
}

# imagej FILE CHANNELS: 6 pages that ImageJ's description lays out, with slices 2 um apart.
imagej() {
    need_numpy
    "$PYTHON" - "$@" << 'END'
import struct, sys
channels = int(sys.argv[2])
text = b'ImageJ=1.54f\nimages=6\nchannels=%d\nslices=%d\nhyperstack=true\nspacing=2.0\nunit=um\n\0' % (
    channels, 6 // channels)
out = b'II*\0' + struct.pack('<I', 0)
at = 4
for page in range(6):
    strip = len(out)
    out += bytes([page] * 4) + (text if page == 0 else b'') + b'\0' * (len(text) % 2 if page == 0 else 0)
    where = len(out)
    tags = [(256, 3, 1, 2), (257, 3, 1, 2), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, strip),
            (278, 3, 1, 2), (279, 4, 1, 4)]
    if page == 0:
        tags.insert(5, (270, 2, len(text), strip + 4))
    out = out[:at] + struct.pack('<I', where) + out[at + 4:]
    out += struct.pack('<H', len(tags)) + b''.join(struct.pack('<HHII', *t) for t in tags)
    at = len(out)
    out += struct.pack('<I', 0)
open(sys.argv[1], 'wb').write(out)
END
}

@test "slices between which an ImageJ hyperstack has channels have no spacing as pages" {
    halo list formats | grep -q '^ *tiff' || skip "this build has no TIFF"
    imagej one.tif 1
    imagej two.tif 2
    grid_of one.tif | grep -q 'spacing *1 x 1 x 2 um'
    ! grid_of two.tif | grep -q 'x 2 um'
    halo convert one.tif -o one.nii
    grid_of one.nii | grep -q 'spacing *1 x 1 x 2 um'
    run --separate-stderr halo convert two.tif -o two.nii
    says 'longer be true: spacing of slices (channels are pages between them)'
    ! grid_of two.nii | grep -q 'x 2 um'
    run --separate-stderr halo convert two.tif -o again.tif
    [ -z "$stderr" ]; grep -aq spacing=2 again.tif
    run --separate-stderr halo run pages:1-2 two.tif -o cut.tif
    says 'spacing of slices'
    ! grep -aq spacing=2 cut.tif
}
