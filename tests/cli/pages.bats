# Pages: those of secondary inputs, pages:, --split, `halo pages`.
# shellcheck disable=SC2154
setup() {
    load common
    common_setup
    for k in 1 2 3 4 5; do
        make_gray "f$k.pgm" 20 10
        halo run "gain:0.$k" "f$k.pgm" -o "g$k.pgm" 2> /dev/null
    done
    cat g?.pgm > all.pgm
    halo run '' all.pgm -o all.tif
    halo run '' all.pgm -o all.npy
}

# wrong STATUS TEXT COMMAND…: it fails so, and leaves no x.
wrong() {
    run --separate-stderr "${@:3}"
    [ "$status" -eq "$1" ] && says "$2" && ! compgen -G 'x*' || { echo "${*:3}: $status $stderr"; return 1; }
}

@test "a secondary input is read page by page: a stack minus itself is 0" {
    for input in all.tif all.pgm "all.npy --axes nhw"; do
        read -r file options <<< "$input"
        for side in all.tif all.pgm; do
            # shellcheck disable=SC2086
            halo run "subtract:$side | depth:u8" $file $options -o out.tif -f
            halo stats --json out.tif | grep -c '"max":0,' | grep -qx 5 ||
                { echo "$side from $input"; return 1; }
        done
        # shellcheck disable=SC2002
        cat all.pgm | halo run subtract:all.tif - -o - | halo stats --json - | grep -c '"max":0,' | grep -qx 5
    done
}

@test "one page serves all pages, and an operand named after its input has a page for each" {
    halo run subtract:g1.pgm all.tif -o out.tif
    for k in 1 2 3 4 5; do
        halo run subtract:g1.pgm "g$k.pgm" -o - --to pgm
    done > want
    halo run '' out.tif -o - --to pgm | cmp - want
    cp all.pgm all.dark.pgm
    halo run 'subtract:"{stem}.dark.pgm"' all.tif -o zero.tif
    halo stats --json zero.tif | grep -c '"max":0,' | grep -qx 5
    halo run 'pages:2-3 | subtract:all.tif' all.pgm -o two.tif
    halo stats --json two.tif | grep -c '"max":0,' | grep -qx 2
}

@test "different numbers of pages are refused, in advance if they are known" {
    halo run pages:1-3 all.tif -o three.tif
    wrong 1 "three.tif has 3 pages, and the input has 5" halo run subtract:three.tif all.tif -o x.tif
    wrong 1 "three.tif has 3 pages, and the input has more" halo run subtract:three.tif all.pgm -o x.tif
    cat g1.pgm g2.pgm > two.pgm
    wrong 1 "three.tif has 3 pages, and the input has 2" halo run subtract:three.tif two.pgm -o x.tif
    wrong 1 "three.tif has 3 pages, and the input has 1" halo run subtract:three.tif g1.pgm -o x.tif
}

@test "pages: selects, in files and streams, from the start and from the end" {
    for input in all.tif all.pgm "all.npy --axes nhw"; do
        read -r file options <<< "$input"
        is() { # PAGES NUMBERS…
            local n
            # shellcheck disable=SC2086
            halo run "pages:$1" $file $options -o - --to pgm > found
            for n in "${@:2}"; do cat "g$n.pgm"; done | cmp - found || { echo "$1 of $input"; return 1; }
        }
        is 3 3; is 2-4 2 3 4; is 4- 4 5; is -1 5; is -2- 4 5; is -4--2 2 3 4; is 2--2 2 3 4; is 1-5 1 2 3 4 5
    done
    # shellcheck disable=SC2002
    cat all.pgm | halo run pages:2-3 - -o - | cmp - <(cat g2.pgm g3.pgm)
    halo run pages:2 all.tif -o one.png
    halo run '' one.png -o - --to pgm | cmp - g2.pgm
    [ "$(halo run --json 'pages:4 | stats' all.pgm | grep -o '"index":4')" = '"index":4' ]
}

@test "missing pages, and pages: in another place, are refused" {
    wrong 1 "all.tif: has 5 pages, and pages:6 was requested" halo run pages:6 all.tif -o x.png
    wrong 1 "all.pgm: has 5 pages, and page 6 was requested" halo run pages:6 all.pgm -o x.png
    wrong 1 "all.pgm: has 5 pages, and page 9 was requested" halo run pages:4-9 all.pgm -o x.tif
    wrong 1 "and pages:-6 was requested" halo run pages:-6 all.pgm -o x.png
    wrong 1 "g1.pgm: has 1 page, and page 2 was requested" halo run pages:2 g1.pgm -o x.png
    wrong 2 "counted from the end" bash -c 'cat all.pgm | "$HALO" run pages:-1 - -o x.png'
    wrong 2 "has to be the first operation" halo run 'gauss:1 | pages:2' all.tif -o x.png
    wrong 2 "has to be the first operation" halo run 'subtract:[pages:2]' all.tif -o x.png
    for text in 0 a 3-2 -1--2 1-2-3 2-0 '1-x'; do
        wrong 2 "expected a page or pages" halo run "pages:$text" all.tif -o x.png
    done
}

@test "--split writes a file for each page" {
    halo run gauss:1 all.tif --split -o 's{page}.pgm'
    for k in 1 2 3 4 5; do halo run gauss:1 "g$k.pgm" -o - | cmp - "s000$k.pgm"; done
    halo run pages:2-3 all.pgm all.tif --split --out-dir out --name '{index}_{page:2}.{ext}' --to pgm
    [ "$(cd out && echo *)" = "1_02.pgm 1_03.pgm 2_02.pgm 2_03.pgm" ]
    cmp out/2_03.pgm g3.pgm
    halo run '' all.npy --axes nhw --split --out-dir other --to png
    [ "$(cd other && echo *)" = "all-0001.png all-0002.png all-0003.png all-0004.png all-0005.png" ]
    wrong 2 "{page} in the name" halo run '' all.tif --split -o x.png
    wrong 2 "{page} in the name" halo run '' all.tif --split -o -
    wrong 2 "{page} needs --split" halo run '' all.tif --out-dir x --name '{stem}{page}.png'
    wrong 2 "--split needs a name" halo run stats all.tif --split
    wrong 2 "--split and --resume are mutually exclusive" halo run '' all.tif --split --out-dir x --resume
    wrong 1 "s0001.pgm exists" halo run '' all.tif --split -o 's{page}.pgm'
    cp g3.pgm s0003.pgm
    run halo run '' all.tif s0003.pgm --split --out-dir . --name 's{page}.pgm' -f
    [ "$status" -ne 0 ] && cmp s0003.pgm g3.pgm
}

@test "halo pages combines images and pages" {
    halo pages g?.pgm -o put.tif
    halo run '' put.tif -o - --to pgm | cmp - all.pgm
    halo pages g1.pgm - g5.pgm -o put.npy < <(cat g[234].pgm)
    cmp put.npy all.npy
    halo pages all.tif g1.pgm -o - --to pgm | cmp - <(cat all.pgm g1.pgm)
    run --separate-stderr halo pages g1.pgm g2.pgm -o noted.npy
    [ "$status" -eq 0 ] && says "--axes=nhw, with channels nhwc, reads it back"
    wrong 2 "can store one page" halo pages g1.pgm g2.pgm -o x.png
    make_gray small.pgm 5 5
    halo pages g1.pgm small.pgm -o sizes.tif
    wrong 4 "has another size" halo pages g1.pgm small.pgm -o x.npy
    cp g2.pgm keep.pgm
    wrong 2 "g2.pgm" halo pages g1.pgm g2.pgm -o g2.pgm -f
    cmp g2.pgm keep.pgm
    wrong 1 "none.pgm: No such file" halo pages g1.pgm none.pgm -o x.tif
    wrong 2 "an output is missing" halo pages g1.pgm
}

@test "--page is short for the operation pages" {
    make_gray a.pgm 3 2 1; make_gray b.pgm 3 2 2
    halo pages a.pgm b.pgm -o two.tif
    halo run 'pages:2 | gain:2' two.tif -o want.pgm
    halo run gain:2 two.tif -o got.pgm --page 2
    cmp want.pgm got.pgm
    halo run two.tif -o copy.pgm --page -1 && halo compare copy.pgm b.pgm --at-most max=0
    halo convert two.tif last.pgm --page 2 && cmp last.pgm copy.pgm
    [ "$(halo stats two.tif --page 1)" = "$(halo run 'pages:1 | stats' two.tif)" ]
    run --separate-stderr halo run gain:2 two.tif -o x.pgm --page 3
    [ "$status" -eq 1 ] && says "has 2 pages, and pages:3 was requested"
    run --separate-stderr halo stats two.tif --page x
    [ "$status" -eq 2 ] && says "expected a page or pages"
}
