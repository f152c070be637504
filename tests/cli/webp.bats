# WebP and GIF beside their own tools: samples, metadata, animations as pages.
# shellcheck disable=SC2154
setup() { load common; common_setup; need_format webp; }

need_format() { "$HALO" list formats | grep -q "^ *$1 " || skip "this build has no $1"; }
need_tool() { command -v "$1" > /dev/null || skip "there is no $1"; }
identical() { [[ "$(halo compare "$1" "$2")" == *identical* ]]; }

@test "WebP: lossless samples come back, lossy ones roughly, gray as RGB" {
    for size in '1 1' '7 5' '64 33'; do
        # shellcheck disable=SC2086
        make_rgb a.ppm $size
        halo run '' a.ppm -o a.webp -f --lossless
        identical a.ppm a.webp
    done
    halo run 'gauss:3' a.ppm -o s.ppm
    halo run '' s.ppm -o s.webp
    halo compare s.ppm s.webp --at-least psnr=25 > /dev/null
    make_gray g.pgm 9 4
    halo run '' g.pgm -o g.webp --lossless
    halo run gray g.webp -o g2.pgm
    identical g.pgm g2.pgm
    # shellcheck disable=SC2002
    cat a.webp | halo run '' - -o - --to ppm | cmp - <(halo run '' a.ppm -o -)
}

@test "--quality, --lossless and --effort of WebP" {
    make_rgb a.ppm 64 48
    halo run gauss:2 a.ppm -o s.ppm
    for q in 20 60 95; do halo run '' s.ppm -o $q.webp --quality $q; done
    [ "$(stat -c %s 20.webp)" -lt "$(stat -c %s 60.webp)" ]
    [ "$(stat -c %s 60.webp)" -lt "$(stat -c %s 95.webp)" ]
    for e in 1 9; do halo run '' s.ppm -o $e.webp --lossless --effort $e; identical s.ppm $e.webp; done
    ! cmp -s 1.webp 9.webp
    run --separate-stderr halo run '' a.ppm -o x.webp --lossless --quality 80
    [ "$status" -eq 2 ]; says 'mutually exclusive'
    run --separate-stderr halo run '' a.ppm -o x.jpg --lossless
    [ "$status" -eq 2 ]; says 'jpeg cannot be lossless'
    run --separate-stderr halo run '' a.ppm -o x.png --effort 5
    [ "$status" -eq 2 ]; says '--effort is for WebP'
    run --separate-stderr halo run '' a.ppm -o x.webp --effort 10
    [ "$status" -eq 2 ]; says 'from 1 to 9'
    { printf 'P5 16400 1 255\n'; head -c 16400 /dev/zero; } > wide.pgm
    run --separate-stderr halo run '' wide.pgm -o x.webp
    [ "$status" -ne 0 ]; says 'WebP holds at most 16383'
    [ ! -e x.webp ] && [ ! -e x.png ] && [ ! -e x.jpg ]
}

@test "WebP: dwebp reads what halo writes, and halo what cwebp writes" {
    need_tool dwebp; need_tool cwebp
    make_rgb a.ppm 33 21
    halo run '' a.ppm -o a.png
    halo run '' a.ppm -o lossy.webp --quality 80
    halo run '' a.ppm -o less.webp --lossless
    for f in lossy less; do dwebp -quiet $f.webp -o $f.png; identical $f.webp $f.png; done
    identical less.png a.ppm
    cwebp -quiet -q 80 a.png -o theirs.webp
    cmp theirs.webp lossy.webp
}

@test "WebP: profile, EXIF with its orientation, and XMP are kept; pages become an animation, and come back" {
    make_rgb a.ppm 8 5; make_rgb b.ppm 8 5; halo run invert b.ppm -o c.ppm
    halo run '' a.ppm -o a.png; with_orientation a.png > turned.png
    halo run '' turned.png -o turned.webp --lossless
    halo run orient turned.webp -o up1.ppm; halo run orient turned.png -o up2.ppm
    cmp up1.ppm up2.ppm
    cat a.ppm c.ppm a.ppm > three.pnm
    halo run '' - -o three.webp --lossless < three.pnm
    halo info three.webp | grep -q 'images *3'
    halo run '' three.webp -o - --to pnm | cmp - <(halo run '' - -o - --to pnm < three.pnm)
    halo run pages:2 three.webp -o two.ppm
    identical two.ppm c.ppm
    halo stack max three.webp -o m.ppm
    run --separate-stderr halo run '' - -o x.webp < <(cat a.ppm; printf 'P6 1 1 255\nabc')
    [ "$status" -ne 0 ]; says '--split writes a file for each page'
    [ ! -e x.webp ]
}

@test "what animations say of all frames is true of all frames" {
    make_rgb a.ppm 6 6; halo run rotate:90 a.ppm -o turned.ppm
    halo run '' a.ppm -o a.png; with_orientation a.png > lies.png # upright it is turned.ppm
    for format in webp apng; do
        lossless=(); [ $format = webp ] && lossless=(--lossless)
        run --separate-stderr halo pages a.png lies.png -o x.$format "${lossless[@]}"
        [ "$status" -eq 0 ]; says 'turned as EXIF says'
        halo run 'pages:1 | orient' x.$format -o x.ppm -f; identical x.ppm a.ppm
        halo run 'pages:2 | orient' x.$format -o x.ppm -f; identical x.ppm turned.ppm
        halo pages lies.png a.png -o y.tiff -f
        halo convert y.tiff -o y.$format "${lossless[@]}"
        halo run 'pages:1 | orient' y.$format -o x.ppm -f; identical x.ppm turned.ppm
        halo run 'pages:2 | orient' y.$format -o x.ppm -f; identical x.ppm a.ppm
        halo convert lies.png -o z.$format "${lossless[@]}" # alone it stays
        halo info --json z.$format | grep -q '"orientation":6'
    done
    command -v python3 > /dev/null || skip "there is no python3"
    rgb_profile swapped.icc green red; profiled swapped.icc b.png
    halo convert --strip b.png -o c.png -q
    for format in webp apng; do
        run --separate-stderr halo pages c.png b.png -o x.$format -f; says 'different ICC profiles'
        run --separate-stderr halo pages b.png b.png -o x.$format -f; [[ $stderr != *'different ICC'* ]]
    done
}

@test "WebP: damaged and truncated files give a message" {
    make_rgb a.ppm 64 64
    halo run '' a.ppm -o a.webp --lossless
    head -c 3000 a.webp > cut.webp
    run --separate-stderr halo run '' cut.webp -o o.ppm
    [ "$status" -eq 1 ]; says 'truncated: '; says 'of 64 rows'
    halo run --tolerate '' cut.webp -o o.ppm
    for n in 12 20 25 40; do
        head -c $n a.webp > cut.webp
        run --separate-stderr halo run '' cut.webp -o p.ppm
        [ "$status" -eq 1 ]; [ -n "$stderr" ]
    done
    printf 'RIFF\377\377\377\377WEBPVP8X\012\0\0\0\0\0\0\0\377\377\377\377\377\377' > big.webp
    run --separate-stderr halo run '' big.webp -o p.ppm
    [ "$status" -ne 0 ]; [ -n "$stderr" ]
    [ ! -e p.ppm ]
}

@test "GIF: frames are pages as they are shown, with what earlier ones left" {
    need_format gif; need PIL
    "$PYTHON" - << 'END'
from PIL import Image, ImageDraw
import random
random.seed(3)
frames = []
for i in range(4):
    im = Image.new('P', (37, 21), 0)
    im.putpalette([random.randrange(256) for _ in range(768)])
    d = ImageDraw.Draw(im)
    d.rectangle([i * 3, i * 2, i * 3 + 9, i * 2 + 7], fill=17 + i)
    d.ellipse([20, 3, 30, 15], fill=99)
    frames.append(im)
frames[0].save('plain.gif', save_all=True, append_images=frames[1:], duration=80)
frames[0].save('holes.gif', save_all=True, append_images=frames[1:], disposal=2, transparency=0)
frames[0].convert('L').save('woven.gif', interlace=1)
for name in ('plain', 'holes', 'woven'):
    g = Image.open(name + '.gif')
    for k in range(g.n_frames):
        g.seek(k)
        rgba = g.convert('RGBA')
        black = Image.new('RGBA', rgba.size)
        black.paste(rgba, mask=rgba)
        black.convert('RGB').save(f'{name}-{k + 1}.ppm')
END
    for name in plain holes woven; do
        for k in 1 2 3 4; do
            [ -e $name-$k.ppm ] || continue
            halo run "pages:$k | channels:1,2,3" $name.gif -o o.ppm -f
            identical o.ppm $name-$k.ppm
        done
    done
    halo info plain.gif | grep -q 'images *4'
    halo info plain.gif | grep -q 'channels *3'
    halo info holes.gif | grep -q 'channels *4'
    halo run '' holes.gif -o holes.webp --lossless
    cmp <(halo run '' holes.webp -o - --to pam) <(halo run '' holes.gif -o - --to pam)
    run --separate-stderr halo run '' plain.gif -o x.gif
    [ "$status" -eq 2 ]; says 'can be read but not written'
    head -c 300 plain.gif > cut.gif
    run --separate-stderr halo run '' cut.gif -o x.ppm
    [ "$status" -eq 1 ]; [ -n "$stderr" ]
    [ ! -e x.ppm ]
}
