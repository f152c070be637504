# Opus is written and read, MP3 is read, and their metadata is kept.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

need_mp3() { "$HALO" list formats | grep -q MP3 || skip 'this build reads no MP3'; }
# frames COUNT: MP3 of COUNT silent frames of 1152 samples, 128 kbit/s, 44.1 kHz, without a header that counts
# them
frames() { for ((i = 0; i < $1; i++)); do printf '\377\373\220\004'; head -c 413 /dev/zero; done; }
count() { halo stats --json "$@" | grep -o '"count":[0-9]*' | head -n 1; }

@test "Opus is written with its tags, and read" {
    make_wav a.wav 16000 8000
    halo run '' a.wav -o a.flac
    command -v metaflac > /dev/null && metaflac --set-tag=TITLE=Song --set-tag=ARTIST=Me a.flac
    halo run '' a.flac -o a.opus
    [ "$(tail -c +29 a.opus | head -c 8)" = OpusHead ]
    halo info a.opus | grep -q 'Opus'
    halo info a.opus | grep -q '16,000 frames'
    if command -v metaflac > /dev/null; then grep -aq 'TITLE=Song' a.opus && grep -aq 'ARTIST=Me' a.opus; fi
    halo run '' a.flac -o b.opus
    cmp a.opus b.opus
    halo compare a.wav a.opus --at-least correlation=0.9 > /dev/null
    halo run '' a.opus -o a.ogg
    halo info a.ogg | grep -q Vorbis
    make_wav odd.wav 1000 11025
    run --separate-stderr halo run '' odd.wav -o odd.opus
    [ "$status" -ne 0 ]
    says 48000
    [ ! -e odd.opus ]
}

@test "MP3 is read with its tags, and not written" {
    command -v ffmpeg > /dev/null || skip 'there is no ffmpeg'
    make_wav a.wav 6000 22050
    ffmpeg -v error -i a.wav -metadata title=Song -metadata artist=Me a.mp3 || skip 'ffmpeg writes no MP3'
    need_mp3
    halo info a.mp3 | grep -q 'MPEG layer III'
    halo run '' a.mp3 -o a.flac
    grep -aq 'Song' a.flac
    [ "$(halo stats --json a.mp3 | grep -o '"count":[0-9]*' | head -n 1)" = '"count":6000' ]
    # shellcheck disable=SC2002
    cat a.mp3 | halo run '' - -o b.flac
    cmp a.flac b.flac
    run --separate-stderr halo run '' a.mp3 -o b.mp3
    [ "$status" -eq 2 ]
    says 'can be read but not written'
    printf 'ID3 and nothing else' > bad.mp3
    run --separate-stderr halo stats bad.mp3
    [ "$status" -eq 1 ]
    says 'not a readable mp3 file'
}

@test "MP3 without a header is read to its end: with tags, joined, from a pipe; cut off it is refused" {
    need_mp3
    frames 20 > a.mp3
    [ "$(count a.mp3)" = '"count":23040' ]
    { frames 20; printf 'TAG'; head -c 125 /dev/zero; frames 10; } > b.mp3
    [ "$(count b.mp3)" = '"count":34560' ]
    # shellcheck disable=SC2002
    [ "$(cat b.mp3 | count -)" = '"count":34560' ]
    head -c 8000 a.mp3 > cut.mp3
    run --separate-stderr halo run '' cut.mp3 -o cut.wav
    [ "$status" -eq 1 ]; says truncated; says --tolerate
    [ ! -e cut.wav ]
    [ "$(count --tolerate cut.mp3)" = '"count":23040' ]
}

@test "--tolerate: sound ends after its last frame, whatever its header claims" {
    make_wav a.wav 5000
    halo run '' a.wav -o a.flac
    { head -c 21 a.flac; printf '\377\377\377\377\377'; tail -c +27 a.flac; } > bomb.flac # 2^36 - 1 frames
    run timeout 20 "$HALO" stats --json --tolerate bomb.flac
    [ "$status" -eq 0 ]
    [[ "$output" == *'"count":5000'* ]]
    halo run '' a.wav -o a.npy -q
    { head -c 128 a.npy | sed 's/(5000,)/(1000000000,)/; s/(5000, 1)/(1000000000, 1)/' |
        head -c 127; echo; tail -c +129 a.npy; } > bomb.npy
    run timeout 20 "$HALO" stats --json --tolerate --rate 8000 bomb.npy
    [ "$status" -eq 0 ]
    [[ "$output" == *'"count":5000'* ]]
}
