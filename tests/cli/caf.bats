# Core Audio Format, and formats that halo does not read, with the way out.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

@test "CAF holds all sample formats, and texts" {
    make_wav a.wav 1000
    halo run gain:0.7 a.wav -o float.wav --bits float
    for bits in 8 16 24 32 float; do
        halo run '' float.wav -o x.wav --bits $bits -f
        halo run '' float.wav -o x.caf --bits $bits -f
        halo compare x.wav x.caf > /dev/null
        [ "$(halo info --json x.wav | grep -o '"bits":[^}]*"encoding')" = \
            "$(halo info --json x.caf | grep -o '"bits":[^}]*"encoding')" ]
    done
    tags=(--tag title=Größe --tag date=2024 --tag license=free --tag track=7)
    halo run '' a.wav -o t.caf "${tags[@]}"
    texts='"texts":{"date":"2024","license":"free","title":"Größe","track":"7"}'
    [[ "$(halo info --json t.caf)" == *"$texts"* ]]
    run --separate-stderr halo run '' a.wav -o u.caf --tag mood=calm
    says 'cannot hold it: text mood'
    halo run '' a.wav -o - --to caf "${tags[@]}" > pipe.caf
    cmp t.caf pipe.caf
    halo run '' - -o back.wav < <(cat pipe.caf)
    halo compare a.wav back.wav > /dev/null
}

@test "CAF without a length is read to its end, and a truncated one is refused" {
    { printf 'caff\0\1\0\0desc'; be 4 0; be 4 32; printf '\x40\xbf\x40\0\0\0\0\0lpcm'
        be 4 2; be 4 2; be 4 1; be 4 1; be 4 16; printf 'data\xff\xff\xff\xff\xff\xff\xff\xff'
        be 4 0; printf '\1\0\2\0\3\0'; } > open.caf
    [[ "$(halo info --json open.caf)" == *'"width":3,'*'"rate":8000'* ]]
    [ "$(halo run '' open.caf -o - --to csv -q | tail -n 1)" = 0.000091552734 ]
    make_wav a.wav 1000
    halo run '' a.wav -o a.caf
    head -c 5000 a.caf > cut.caf
    run --separate-stderr halo stats cut.caf
    [ "$status" -eq 1 ]; says truncated; says --tolerate
    halo stats --tolerate cut.caf > /dev/null
}

@test "sound that halo does not read is named, with the command that converts it" {
    printf '\0\0\0\034ftypM4A \0\0\2\0' > a.m4a
    printf '\377\361\120\200\052\177\374\336' > a.aac
    printf '0&\262u\216f\317\021\246\331\0\252' > a.wma
    for kind in m4a aac wma; do
        run --separate-stderr halo run '' a.$kind -o x.wav
        [ "$status" -eq 1 ]
        says "${kind^^} is not a format that halo reads: convert it first: ffmpeg -i IN"
    done
}
