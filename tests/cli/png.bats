# PNG files, checked by other programs.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# make_pam FILE WIDTH HEIGHT CHANNELS MAXVAL: samples that repeat here and there, with alpha where channels are
# even.
make_pam() {
    local types=('' GRAYSCALE GRAYSCALE_ALPHA RGB RGB_ALPHA) bytes=$(($2 * $3 * $4 * ($5 > 255 ? 2 : 1)))
    printf 'P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n' "$2" "$3" "$4" "$5" \
        "${types[$4]}" > "$1"
    while cat noise; do :; done 2> /dev/null | head -c $bytes >> "$1"
}

@test "pngcheck accepts every PNG that is written: types, depths, sizes, levels, threads and metadata" {
    command -v pngcheck > /dev/null || skip "pngcheck is not installed"
    make_rgb rgb.ppm 500 400
    halo run gauss:1 rgb.ppm -o soft.ppm
    { tail -c 500000 soft.ppm; seq 100000 130000; head -c 70000 /dev/zero; } > noise
    local size level channels most count=0
    for channels in 1 2 3 4; do
        for most in 255 65535; do
            for size in 1x1 3x2 701x503; do
                make_pam in.pam "${size%x*}" "${size#*x}" $channels $most
                for level in 0 1 2 6 9; do
                    [ $size$most != 701x50365535 ] || [ $level != 9 ] || continue # slow
                    halo run -j $((1 + level % 3)) --png-level $level '' in.pam \
                        -o $channels-$most-$size-$level.png
                    count=$((count + 1))
                done
            done
        done
    done
    [ $count -ge 100 ]
    halo run '' rgb.ppm -o rgb.jpg
    halo run invert rgb.jpg -o - --to png > piped.png
    cat piped.png | halo run resize:50% - -o again.png
    run pngcheck -q ./*.png
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
}
