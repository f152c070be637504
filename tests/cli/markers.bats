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
