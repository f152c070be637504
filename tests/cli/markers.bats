# Markers and loops of AIFF: they follow their samples, and are converted to WAVE and back.
setup() { load common; common_setup; }

# aiff FILE: 2000 frames of silence, markers "one" at 500 and "two" at 900, and a loop from 100 to 400.
aiff() {
    {
        printf 'FORM'; be 4 $((4 + 26 + 8 + 46 + 28 + 16 + 4000)); printf 'AIFFCOMM'
        be 4 18; be 2 1; be 4 2000; be 2 16; printf '\x40\x0b\xfa\0\0\0\0\0\0\0'
        printf 'MARK'; be 4 46; be 2 4
        be 2 7; be 4 500; printf '\x03one'
        be 2 9; be 4 900; printf '\x05two B'
        be 2 3; be 4 100; printf '\x05begin'
        be 2 4; be 4 400; printf '\x02to\0'
        printf 'INST'; be 4 20; printf '\x3c\0\0\x7f\0\x7f'; be 2 0; be 2 1; be 2 3; be 2 4; be 2 0; be 2 0
        be 2 0
        printf 'SSND'; be 4 4008; be 4 0; be 4 0; head -c 4000 /dev/zero
    } > "$1"
}

# number FILE NAME OFFSET: a little-endian word of a chunk, from its first byte on.
number() {
    local at
    at=$(LC_ALL=C grep -a -b -o "$2" "$1" | head -n 1 | cut -d: -f1)
    od -An -tu4 -j$((at + 8 + $3)) -N4 "$1" | tr -d ' '
}

@test "markers and loops of AIFF are written to WAVE, at their samples" {
    aiff a.aiff
    halo run trim:10ms a.aiff -o o.wav
    [ "$(number o.wav 'cue ' 0)" -eq 4 ]
    [ "$(number o.wav 'cue ' 24)" -eq 420 ]
    [ "$(number o.wav 'cue ' 48)" -eq 820 ]
    [ "$(number o.wav smpl 44)" -eq 20 ]
    [ "$(number o.wav smpl 48)" -eq 319 ]
    LC_ALL=C grep -a -q 'two B' o.wav
    run --separate-stderr halo run trim:0,100ms a.aiff -o short.wav # 800 frames
    [ "$status" -eq 0 ]; says markers
    [ "$(number short.wav 'cue ' 0)" -eq 3 ]
}

@test "markers are written into AIFF; what it cannot hold is reported" {
    aiff a.aiff
    run --separate-stderr halo run trim:10ms a.aiff -o o.aiff
    [ "$status" -eq 0 ]; says chunks # the loop
    halo run '' o.aiff -o o.wav
    [ "$(number o.wav 'cue ' 0)" -eq 4 ]
    [ "$(number o.wav 'cue ' 24)" -eq 420 ]
    [ "$(number o.wav 'cue ' 48)" -eq 820 ]
    LC_ALL=C grep -a -q 'two B' o.wav
    halo run '' o.wav -o again.aiff
    halo run '' again.aiff -o again.wav
    cmp o.wav again.wav
    make_wav plain.wav 100
    run --separate-stderr halo run '' plain.wav -o plain.aiff
    [ "$status" -eq 0 ]; [ -z "$stderr" ]
    run ! grep -a -q MARK plain.aiff
}

# marked FILE FRAMES RATE PAUSE: a sine with silence from a quarter of its frames on, for so many; the marker 1
# at an eighth with a region of a quarter, which ends in the silence; the marker 2 at the end; a loop of the
# second half.
marked() {
    python3 - "$@" << 'END'
import math, struct, sys
frames, rate, pause = (int(v) for v in sys.argv[2:5])
quarter = frames // 4
sound = b''.join(struct.pack('<h', 0 if quarter <= i < quarter + pause else
    round(9000 * math.cos(i / 3))) for i in range(frames))
def chunk(name, data): return name + struct.pack('<I', len(data)) + data + bytes(len(data) % 2)
def point(number, at): return struct.pack('<II4sIII', number, at, b'data', 0, 0, at)
body = chunk(b'fmt ', struct.pack('<HHIIHH', 1, 1, rate, 2 * rate, 2, 16)) + chunk(b'data', sound)
body += chunk(b'cue ', struct.pack('<I', 2) + point(1, frames // 8) + point(2, frames))
body += chunk(b'LIST', b'adtl' + chunk(b'ltxt', struct.pack('<II4sHHHH', 1, quarter, b'rgn ', 0, 0, 0, 0)) +
    chunk(b'labl', struct.pack('<I', 1) + b'first\0'))
body += chunk(b'smpl', struct.pack('<9I', 0, 0, 10 ** 9 // rate, 60, 0, 0, 0, 1, 0) +
    struct.pack('<6I', 1, 0, frames // 2, frames - 1, 0, 0))
open(sys.argv[1], 'wb').write(b'RIFF' + struct.pack('<I', 4 + len(body)) + b'WAVE' + body)
END
}

# marks FILE: the two markers, the length of the region, the first and last frame of the loop.
marks() {
    echo "$(number "$1" 'cue ' 24) $(number "$1" 'cue ' 48) $(number "$1" ltxt 4) $(number "$1" smpl 44)" \
        "$(number "$1" smpl 48)"
}

@test "regions and loops of another rate are so much longer, to the end" {
    marked in.wav 8000 48000 0
    [ "$(marks in.wav)" = '1000 8000 2000 4000 7999' ]
    halo run rate:96k in.wav -o up.wav
    [ "$(marks up.wav)" = '2000 16000 4000 8000 15999' ]
    halo run rate:24k in.wav -o down.wav
    [ "$(marks down.wav)" = '500 4000 1000 2000 3999' ]
    halo run speed:2 in.wav -o fast.wav
    [ "$(marks fast.wav)" = '500 4000 1000 2000 3999' ]
    halo run reverse in.wav -o back.wav
    [ "$(marks back.wav)" = '5000 0 2000 0 3999' ]
    halo run channels:1,1 in.wav -o two.wav
    [ "$(marks two.wav)" = '1000 8000 2000 4000 7999' ]
    halo run trim:10f in.wav -o later.wav
    [ "$(marks later.wav)" = '990 7990 2000 3990 7989' ]
    run --separate-stderr halo run trim:0,7990f in.wav -o short.wav
    says markers
    [ "$(number short.wav 'cue ' 0) $(number short.wav ltxt 4)" = '1 2000' ]
}

@test "a loop that reaches the end does so at every rate" {
    local frames rate
    for frames in 8001 8002 8003 8005; do
        marked in.wav $frames 48000 0
        for rate in 8000 11025 16000 44100 96000; do
            run --separate-stderr halo run rate:$rate in.wav -o out.wav -f
            [[ "$status" -eq 0 && -z "$stderr" ]]
            halo info --json out.wav > out.json
            echo "$frames frames at $rate Hz: $(marks out.wav)"
            grep -q '"width":'$(($(number out.wav smpl 48) + 1))'[,}]' out.json
            [ "$(number out.wav 'cue ' 48)" -eq $(($(number out.wav smpl 48) + 1)) ]
        done
    done
    halo run '' in.wav -o in.flac --tag LOOPSTART=2400 --tag LOOPLENGTH=48
    halo run rate:96k in.flac -o up.flac
    grep -a -q LOOPSTART=4800 up.flac
    grep -a -q LOOPLENGTH=96 up.flac
}

@test "a region that ends in a pause ends where that is cut out" {
    marked in.wav 8000 8000 4000
    halo run silence:-50dB,min=50ms,all=1 in.wav -o out.wav
    local length
    length=$(number out.wav ltxt 4)
    echo "$length of $(wc -c < out.wav) bytes"
    [ "$length" -ge 999 ]; [ "$length" -le 1600 ]
    [ "$(number out.wav 'cue ' 24)" -eq 1000 ]
}

@test "join moves markers and regions by the frames before them" {
    marked a.wav 8000 48000 0
    marked b.wav 4000 48000 0
    run --separate-stderr halo join a.wav b.wav a.wav -o all.wav
    says 'markers or loops' # the loops of b.wav and the second a.wav
    [ "$(number all.wav 'cue ' 0)" -eq 6 ]
    local i places=''
    for i in 0 1 2 3 4 5; do
        places+=" $(number all.wav 'cue ' $((4 + 24 * i))):$(number all.wav 'cue ' $((24 + 24 * i)))"
    done
    [ "$places" = ' 1:1000 2:8000 3:8500 4:12000 5:13000 6:20000' ]
    [ "$(LC_ALL=C grep -a -o ltxt all.wav | wc -l)" -eq 3 ]
    halo run trim:8000f,12000f all.wav -o b2.wav
    [ "$(number b2.wav 'cue ' 24) $(number b2.wav ltxt 4)" = '0 1000' ] ||
        [ "$(number b2.wav 'cue ' 48) $(number b2.wav ltxt 4)" = '500 1000' ]
    halo join a.wav b.wav --crossfade 10ms -o faded.wav
    [ "$(number faded.wav 'cue ' 72)" -eq 8020 ]
    halo run '' a.wav -o a.flac --tag CHAPTER001=00:00:00.100 --tag CHAPTER001NAME=one
    halo join a.flac a.flac -o both.flac
    grep -a -q CHAPTER002=00:00:00.267 both.flac
    grep -a -q CHAPTER002NAME=one both.flac
    make_wav c.wav 100 48000
    halo run '' c.wav -o d.wav --tag title=Two
    run --separate-stderr halo join c.wav d.wav -o e.wav
    says 'left out, since the output cannot hold it: text title'
    run --separate-stderr halo join d.wav d.wav c.wav -o f.wav
    [ -z "$stderr" ]
}

@test "chapters of MP3 are markers" {
    make_wav s.wav 16000
    halo run '' s.wav -o s.mp3 || skip "this libsndfile writes no MP3"
    {
        printf 'ID3\x04\0\0\0\0\0\x5a' # 43 and 47 bytes follow
        printf 'CHAP\0\0\0\x21\0\0ch0\0'; be 4 0; be 4 300; be 4 $((0xffffffff)); be 4 $((0xffffffff))
        printf 'TIT2\0\0\0\x03\0\0\3A\0'
        printf 'CHAP\0\0\0\x25\0\0ch1\0'; be 4 300; be 4 1000; be 4 $((0xffffffff)); be 4 $((0xffffffff))
        printf 'TIT2\0\0\0\x07\0\0\1\xff\xfeB\0\xe9\0'
    } > tag
    cat tag s.mp3 > c.mp3
    halo run trim:100ms c.mp3 -o c.flac
    run ! grep -a -q CHAPTER001 c.flac
    grep -a -q CHAPTER002=00:00:00.200 c.flac
    grep -a -q CHAPTER002NAME=Bé c.flac
    # ID3v2.3 with a zero behind every 0xff, and one frame of ID3v2.4 with them
    {
        printf 'ID3\x03\0\x80\0\0\0\x2f'
        printf 'CHAP\0\0\0\x21\0\0ch0\0'; be 4 250; be 4 300; printf '\xff\0\xff\0\xff\0\xff\0'; be 4 0
        printf 'TIT2\0\0\0\x03\0\0\0A\xe9'
    } > tag
    cat tag s.mp3 > d.mp3
    halo run '' d.mp3 -o d.flac
    grep -a -q CHAPTER001=00:00:00.250 d.flac
    grep -a -q CHAPTER001NAME=Aé d.flac
    {
        printf 'ID3\x04\0\0\0\0\0\x33'
        printf 'CHAP\0\0\0\x29\0\x03\0\0\0\x21ch0\0'; be 4 250; be 4 300
        printf '\xff\0\xff\0\xff\0\xff\0'; be 4 0; printf 'TIT2\0\0\0\x03\0\0\0A\xe9'
    } > tag
    cat tag s.mp3 > e.mp3
    halo run '' e.mp3 -o e.flac
    grep -a -q CHAPTER001=00:00:00.250 e.flac
    grep -a -q CHAPTER001NAME=Aé e.flac
}
