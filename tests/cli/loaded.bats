# Which libraries a run loads: those of its files' formats, and no others.
# shellcheck disable=SC2154
setup() { load common; common_setup; command -v strace > /dev/null || skip 'there is no strace'; }

OPTIONAL='libtiff|libsndfile|libmpg123|libwebp|libgif|libheif|libjxl|libcfitsio|libOpenEXR'

# loaded ARGUMENTS…: the optional libraries that halo opens
loaded() {
    strace -f -qq -e trace=openat,open -o trace "$HALO" "$@" > /dev/null || return 1
    grep -v ENOENT trace | grep -oE "/($OPTIONAL)[-A-Za-z0-9_]*\.so" | sort -u | tr -d / | xargs
}

@test "start-up, and formats that need no library, load none" {
    make_rgb a.ppm 8 8
    make_wav a.wav 100
    [ -z "$(loaded --version)" ]
    [ -z "$(loaded help gauss)" ]
    [ -z "$(loaded list formats)" ]
    [ -z "$(loaded run gauss:2 a.ppm -o a.png)" ]
    [ -z "$(loaded run gauss:2 a.png -o a.jpg -q)" ]
    [ -z "$(loaded run gain:0.5 a.wav -o b.wav)" ]
    [ -z "$(loaded stats a.jpg)" ]
}

@test "a file loads the library of its format alone" {
    make_rgb a.ppm 8 8
    for row in webp:libwebp avif:libheif jxl:libjxl exr:libOpenEXRCore tif:libtiff; do
        kind=${row%%:*} library=${row##*:}
        halo run '' a.ppm -o "a.$kind" -q 2> /dev/null || continue
        found=$(loaded stats "a.$kind")
        [[ "$found" == *"$library"* ]]
        others=$(tr ' ' '\n' <<< "$found" | grep -v "^$library" || true)
        others=$(grep -vE '^libOpenEXR|^libIlm' <<< "$others" || true)
        case $kind in # which load libwebp themselves
        avif | tif) others=$(grep -v libwebp <<< "$others" || true) ;;
        esac
        [ -z "$others" ]
    done
    halo run '' a.ppm -o a.fits -q 2> /dev/null || skip 'this build has no FITS'
    [ -z "$(loaded run '' a.ppm -o b.fits)" ]
    [[ "$(loaded stats a.fits)" == libcfitsio* ]]
}
