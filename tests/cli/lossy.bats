# Opus is written and read, MP3 is read, and what they say of themselves is kept.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

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
    halo info a.mp3 2> said | grep -q 'MPEG layer III' || { grep -q 'not a readable mp3' said && skip 'libsndfile reads no MP3'; }
    halo run '' a.mp3 -o a.flac
    grep -aq 'Song' a.flac
    [ "$(halo stats --json a.mp3 | grep -o '"count":[0-9]*' | head -n 1)" = '"count":6000' ]
    # shellcheck disable=SC2002
    cat a.mp3 | halo run '' - -o b.flac
    cmp a.flac b.flac
    run --separate-stderr halo run '' a.mp3 -o b.mp3
    [ "$status" -eq 2 ]
    says 'only read'
    printf 'ID3 and nothing else' > bad.mp3
    run --separate-stderr halo stats bad.mp3
    [ "$status" -eq 1 ]
    says 'not a readable mp3 file'
}
