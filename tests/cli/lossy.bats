# Opus, Ogg Vorbis and MP3 are written and read: metadata, quality and bit rate.
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
    says 'not 11025 Hz: convert it with rate:48k'
    [ ! -e odd.opus ]
}

@test "MP3 is read with its tags" {
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

# Does libsndfile have LAME? a.wav is a sound.
can_write_mp3() { halo run '' a.wav -o try.mp3 -f 2> /dev/null; }
# size FILE OPTIONS…: what a.wav takes
size() { halo run '' a.wav -o "$@" -f && stat -c %s "$1"; }

@test "--quality and --bitrate of Opus, Ogg Vorbis and MP3 take effect" {
    make_wav s.wav 8000 16000
    halo join s.wav s.wav s.wav s.wav s.wav s.wav -o a.wav # 3 seconds
    for kind in opus ogg mp3; do
        can_write_mp3 || [ $kind != mp3 ] || continue
        small=$(size a.$kind --quality 20) middle=$(size a.$kind --quality 60)
        large=$(size a.$kind --quality 100)
        echo "$kind $small $middle $large"
        [ "$small" -lt "$middle" ] && [ "$middle" -lt "$large" ]
        small=$(size a.$kind --bitrate 32k) large=$(size a.$kind --bitrate 64)
        echo "$kind $small $large"
        [ "$small" -lt "$large" ]
        # 64 kilobits per second for 3 seconds are 24,000 bytes. Vorbis' rate is a nominal one.
        [ $kind = ogg ] || { [ "$large" -gt 23000 ] && [ "$large" -lt 27000 ]; }
        run --separate-stderr halo run '' a.wav -o x.$kind --bitrate 2000k
        [ "$status" -eq 2 ]; says '--bitrate: '; says ', not 2000k'
        run --separate-stderr halo run '' a.wav -o x.$kind --bitrate 64k --quality 5
        [ "$status" -eq 2 ]; says 'mutually exclusive'
    done
    run --separate-stderr halo run '' a.wav -o x.flac --bitrate 64k
    [ "$status" -eq 2 ]; says '--bitrate is for Opus, Ogg Vorbis and MP3'
    run --separate-stderr halo run '' a.wav -o x.opus --bitrate fast
    [ "$status" -eq 2 ]; says 'such as 128k'
    [ ! -e x.opus ] && [ ! -e x.flac ]
}

@test "MP3 is written as long as its input, with all texts, and the same through a pipe" {
    need_mp3
    make_wav a.wav 10000 22050
    can_write_mp3 || skip 'this libsndfile writes no MP3'
    halo run '' a.wav -o a.mp3 --tag title=Größe --tag date=2024-05-01 --tag mood=calm --tag comment=日本
    [ "$(count a.mp3)" = '"count":10000' ]
    texts='"texts":{"comment":"日本","date":"2024-05-01","mood":"calm","title":"Größe"}'
    [[ "$(halo info --json a.mp3)" == *"$texts"* ]]
    halo compare a.wav a.mp3 --at-least correlation=0.9 > /dev/null
    halo run '' a.mp3 -o a.flac
    [[ "$(halo info --json a.flac)" == *'"mood":"calm","title":"Größe"}'* ]]
    halo run '' a.wav -o - --to mp3 --tag title=Sea > b.mp3
    halo run '' a.wav -o c.mp3 --tag title=Sea
    cmp b.mp3 c.mp3
    run --separate-stderr halo run rate:96k a.wav -o x.mp3
    [ "$status" -eq 1 ]; says 'not 96000 Hz: convert it with rate:44.1k'
    run --separate-stderr halo run channels:1,1,1 a.wav -o x.mp3
    [ "$status" -ne 0 ]; says channels
    [ ! -e x.mp3 ]
}

# covered FILE: does it hold the cover that this test made, and "Tür" as its description?
covered() {
    [[ "$(halo info --json "$1")" == *'"pictures":1,'* ]]
    halo run '' "$1" -o shown.flac -f
    grep -aq 'image/png.\{4,\}Tür' shown.flac && grep -aq COVERDATA shown.flac
}

@test "covers of MP3 are read and written" {
    need_mp3
    # encoding, media type, front cover, description, data
    printf '\003image/png\0\003T\303\274r\0COVERDATA' > apic
    size=$(wc -c < apic)
    {
        printf 'ID3\004\0\0\0\0\0'; be 1 $((size + 10))
        printf APIC; be 4 "$size"; be 2 0; cat apic
        frames 20
    } > a.mp3
    export LC_ALL=C
    covered a.mp3
    halo run '' - -o piped.flac < <(cat a.mp3)
    covered piped.flac
    halo run '' a.mp3 -o plain.wav 2> said
    grep -q 'left out, since the output cannot hold it: pictures' said
    { head -c 20 a.mp3; printf '\003image'; frames 20; } > cut.mp3 # the frame claims more than there is
    run halo info cut.mp3
    [ "$status" -le 1 ]
    cp plain.wav a.wav
    can_write_mp3 || skip 'this libsndfile writes no MP3'
    halo run '' a.mp3 -o b.mp3
    covered b.mp3
    halo run '' shown.flac -o c.mp3 --tag title=T
    covered c.mp3
    grep -q 'title *T' <(halo info c.mp3)
    halo run '' a.mp3 -o d.mp3 --strip
    [[ "$(halo info --json d.mp3)" == *'"pictures":0,'* ]]
}
