# Texts that are set, removed and taken from other files, and what `halo info` shows of metadata.
# shellcheck disable=SC2154
setup() {
    load common
    common_setup
    make_gray in.pgm 8 6
    make_wav in.wav 200
    # LIST of the kind INFO: a title, an artist, and an engineer, whom halo has no name for
    {
        head -c 36 in.wav
        printf 'LIST\052\0\0\0INFOINAM\005\0\0\0lake\0\0IART\003\0\0\0me\0\0IENG\004\0\0\0bob\0'
        tail -c +37 in.wav
    } > titled.wav
}

texts() { halo info --json "$1" | sed 's/.*"texts":\({[^}]*}\).*/\1/'; }
texts_are() { [ "$(texts "$1")" = "$2" ] || { texts "$1"; return 1; }; }

@test "--tag sets, replaces and removes texts" {
    for to in wav flac ogg aiff w64; do
        halo list formats | grep -q "^ *$to" || continue
        halo run '' titled.wav -o "out.$to" --tag title=Sea --tag ARTIST= --tag comment='a = b' -q
        texts_are "out.$to" '{"comment":"a = b","title":"Sea"}'
    done
    halo convert in.pgm out.png --tag author=Me --tag 'Title=Größe' --tag mood=calm
    texts_are out.png '{"artist":"Me","mood":"calm","title":"Größe"}'
    halo convert out.png again.png --tag mood=
    texts_are again.png '{"artist":"Me","title":"Größe"}'
    halo convert out.png bare.png --strip --tag title=Only
    texts_are bare.png '{"title":"Only"}'
}

@test "entries of WAVE without a name stay beside tags, and the last of two equal options counts" {
    halo run '' titled.wav -o out.wav --tag title=one --tag Title=two
    texts_are out.wav '{"artist":"me","title":"two"}'
    grep -q bob out.wav
    ! grep -q lake out.wav
    halo run '' titled.wav -o none.wav --tag title= --tag artist=
    texts_are none.wav '{}'
}

@test "--tags-from takes the texts of a file; --tag has priority" {
    halo run '' in.wav -o out.wav --tag title=Sea --tags-from titled.wav
    texts_are out.wav '{"artist":"me","title":"Sea"}'
    halo run '' in.wav -o again.wav --tags-from titled.wav --tag title=Sea
    cmp out.wav again.wav
    halo run gain:0.5 in.wav -o titled.wav -f --tags-from titled.wav # it may be the output
    texts_are titled.wav '{"artist":"me","title":"lake"}'
    run --separate-stderr halo run '' in.wav -o x.wav --tags-from nowhere.wav
    [ "$status" -ne 0 ]
    [[ $stderr == *--tags-from*nowhere.wav* ]]
}

@test "a text that the output cannot hold is named, and a tag needs a name" {
    run --separate-stderr halo run '' titled.wav -o out.wav --tag mood=calm
    [ "$stderr" = 'halo: titled.wav: left out, since the output cannot hold it: text mood' ]
    run --separate-stderr halo convert titled.wav out.au
    [ "$stderr" = 'halo: titled.wav: left out, since the output cannot hold it: texts title, artist' ]
    run --separate-stderr halo convert titled.wav bare.au --strip --tag title=
    [ "$stderr" = '' ] || { echo "$stderr"; false; }
    for bad in title =x ''; do
        run --separate-stderr halo run '' in.wav -o x.wav --tag "$bad"
        [ "$status" -eq 2 ]
        [[ $stderr == *'expected NAME=TEXT'* ]]
    done
}

@test "outputs made with other tags are out of date" {
    halo run '' in.wav --out-dir out --resume --tag title=a --tag artist=b
    halo run '' in.wav --out-dir out --resume --force --tag title=c --tag artist=b
    texts_are out/in.wav '{"artist":"b","title":"c"}'
}

@test "info prints texts, and what EXIF says about a photograph" {
    [ -n "${PYTHON-}" ] || PYTHON=python3
    command -v "$PYTHON" > /dev/null || skip "no Python"
    "$PYTHON" - <<'END'
import struct, zlib
def entry(tag, kind, count, value): return struct.pack("<HHI", tag, kind, count) + value
def text(at, s): return struct.pack("<I", at) if len(s) > 4 else s.ljust(4, b"\0")
data, base = b"", 8 + 2 * 3 + 12 * (4 + 7 + 6) + 4 * 3
def put(b):
    global data
    at = base + len(data)
    data += b + b"\0" * (len(b) % 2)
    return struct.pack("<I", at)
def s(tag, t):
    value = put(t.encode() + b"\0") if len(t) > 3 else t.encode().ljust(4, b"\0")
    return entry(tag, 2, len(t) + 1, value)
def r(tag, *f): return entry(tag, 5, len(f), put(b"".join(struct.pack("<II", *x) for x in f)))
image = [s(0x10f, "NIKON CORPORATION"), s(0x110, "NIKON D750")]
exif = [r(0x829a, (1, 250)), r(0x829d, (28, 10)), entry(0x8827, 3, 1, struct.pack("<I", 400)),
        s(0x9003, "2024:05:01 12:30:00"), s(0x9011, "+02:00"), r(0x920a, (50, 1)), s(0xa434, "50mm f/1.8")]
gps = [s(1, "N"), r(2, (48, 1), (51, 1), (30, 1)), s(3, "W"), r(4, (2, 1), (15, 1), (0, 1)),
       entry(5, 1, 1, b"\0\0\0\0"), r(6, (35, 1))]
at = 8 + 2 + 12 * 4 + 4
image += [entry(0x8769, 4, 1, struct.pack("<I", at)), entry(0x8825, 4, 1, struct.pack("<I", at + 6 + 12 * 7))]
tiff = b"II*\0\x08\0\0\0" + b"".join(struct.pack("<H", len(d)) + b"".join(d) + b"\0\0\0\0"
                                    for d in (image, exif, gps)) + data
chunk = lambda n, d: struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d))
begin = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
open("photo.png", "wb").write(begin + chunk(b"eXIf", tiff) 
    + chunk(b"tEXt", b"Title\0a\x1b[1m") + chunk(b"IDAT", zlib.compress(b"\0\0"))
    + chunk(b"IEND", b""))
END
    run halo info photo.png
    echo "$output"
    [[ $output == *'camera    NIKON D750'* && $output == *'lens      50mm f/1.8'* ]]
    [[ $output == *'taken     2024-05-01 12:30:00+02:00'* ]]
    [[ $output == *'exposure  1/250 s, f/2.8, ISO 400, 50 mm'* ]]
    [[ $output == *'position  48.858333, -2.250000, 35.0 m'* ]]
    [[ $output == *"title     a\$'\\033'[1m"* ]] || { echo "$output"; false; }
    run halo info --json photo.png
    [[ $output == *'"photo":{"camera":"NIKON D750","lens":"50mm f/1.8","taken":"2024-05-01 12:30:00+02:00",'* ]]
    [[ $output == *'"exposure":0.0040000000000000001,"aperture":2.7999999999999998,"iso":400,'* ]]
    [[ $output == *'"focal_length":50,"latitude":48.858333333333334,"longitude":-2.25,"altitude":35}'* ]]
}
