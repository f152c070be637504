# The loudspeaker of a channel: WAVE's mask, and the comment of FLAC that holds it.
setup() { load common; common_setup; }

# wav FILE CHANNELS MASK: ten frames of 16 bits.
wav() {
    local bytes=$((20 * $2))
    {
        printf 'RIFF'; le 4 $((60 + bytes)); printf 'WAVEfmt '; le 4 40; le 2 65534; le 2 "$2"
        le 4 8000; le 4 $((16000 * $2)); le 2 $((2 * $2)); le 2 16; le 2 22; le 2 16; le 4 "$3"
        printf '\x01\0\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71data'; le 4 "$bytes"; head -c "$bytes" /dev/zero
    } > "$1"
}

mask() { od -An -tu4 -j40 -N4 "$1" | tr -d ' '; } # of a WAVE file that has one

comment() { LC_ALL=C grep -a -o "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x[0-9A-F]*" "$1" > mask &&
    cut -d= -f2 mask; }

@test "FLAC keeps an unusual channel mask of WAVE" {
    wav quad.wav 4 $((0x107)) # L R C BC, where quad is usual
    halo run '' quad.wav -o quad.flac
    [ "$(comment quad.flac)" = 0x0107 ]
    halo run gain:1 quad.flac -o again.flac
    [ "$(comment again.flac)" = 0x0107 ]
    halo run '' quad.flac -o quad2.wav
    [ "$(mask quad2.wav)" -eq $((0x107)) ]
    wav six.wav 6 $((0x3f))
    halo run '' six.wav -o six.flac
    run ! comment six.flac
    halo run '' six.flac -o six2.wav
    [ "$(mask six2.wav)" -eq $((0x3f)) ]
}

@test "the mask is that of the channels that are chosen" {
    wav quad.wav 4 $((0x107))
    halo run '' quad.wav -o quad.flac
    halo run channels:3,4 quad.flac -o two.flac
    [ "$(comment two.flac)" = 0x0104 ]
    halo run channels:1,2 quad.flac -o front.flac
    run ! comment front.flac
    halo run channels:4,3,2,1 quad.flac -o turned.flac
    [ "$(comment turned.flac)" = 0x0000 ]
    halo run channels:mono quad.flac -o mono.flac
    run ! comment mono.flac
}

@test "eight channels of FLAC are 7.1 with speakers at the sides" {
    wav eight.wav 8 $((0x63f))
    halo run '' eight.wav -o eight.flac
    run ! comment eight.flac
    halo run '' eight.flac -o eight2.wav
    [ "$(mask eight2.wav)" -eq $((0x63f)) ]
    wav three.wav 3 7
    halo run '' three.wav -o three.flac
    run ! comment three.flac
}

@test "loudness weighs channels by their loudspeakers" {
    [[ "$(halo --version)" != *"no loudness"* ]] || skip "this build has no libebur128"
    # sine.py FILE CHANNELS MASK CHANNEL: a sine in one channel, counted from 0; silence in the others.
    cat > sine.py << 'END'
import math, struct, sys
channels, mask, at = (int(v, 0) for v in sys.argv[2:5])
data = bytearray()
for i in range(16000):
    frame = [0] * channels
    frame[at] = round(8000 * math.sin(2 * math.pi * 997 * i / 16000))
    data += struct.pack(f'<{channels}h', *frame)
form = struct.pack('<HHIIHHHHIH', 65534, channels, 16000, 32000 * channels, 2 * channels, 16, 22, 16, mask, 1)
form += bytes.fromhex('000000001000800000aa00389b71')
open(sys.argv[1], 'wb').write(b'RIFF' + struct.pack('<I', 60 + len(data)) + b'WAVEfmt ' +
    struct.pack('<I', 40) + form + b'data' + struct.pack('<I', len(data)) + data)
END
    lufs() { halo stats --json "$@" | sed -E 's/.*"integrated":([^,]*).*/\1/'; }
    python3 sine.py mono.wav 1 4 0
    local mono
    mono=$(lufs mono.wav)
    # CHANNELS MASK CHANNEL WEIGHT; of 5.1, 7.1, 2.1, quad, 7.0 with a centre behind, and without any mask
    while read -r channels mask at weight; do
        python3 sine.py in.wav "$channels" "$mask" "$at"
        echo "$channels $mask $at $weight: $(lufs in.wav), $mono in mono"
        if [ "$weight" = 0 ]; then
            [[ $(lufs in.wav) == *inf* ]]
        else
            awk -v v="$(lufs in.wav)" -v m="$mono" -v w="$weight" \
                'BEGIN { d = v - m - 10 * log(w) / log(10); exit !(d > -0.01 && d < 0.01) }'
        fi
    done << 'END'
6 0x3f 0 1
6 0x3f 3 0
6 0x3f 4 1.41
6 0x60f 5 1.41
8 0x63f 2 1
8 0x63f 3 0
8 0x63f 4 1
8 0x63f 6 1.41
8 0x63f 7 1.41
3 0x0b 2 0
4 0x33 3 1.41
7 0x70f 4 1
7 0x70f 6 1.41
9 0 8 1
5 0 4 1.41
3 0 2 1
1 0x200 0 1
END
    python3 sine.py side.wav 8 0x63f 6
    [ "$(halo run 'channels:SL | stats' side.wav -o one.wav --json | head -n 1 |
        sed -E 's/.*"integrated":([^,]*).*/\1/')" = "$mono" ]
    halo run loudnorm:-30 side.wav -o quiet.wav
    awk -v v="$(lufs quiet.wav)" 'BEGIN { exit !(v > -30.02 && v < -29.98) }'
}

@test "a format of fewer channels says how many it holds" {
    wav eight.wav 8 $((0x63f))
    wav nine.wav 9 0
    run --separate-stderr halo run '' nine.wav -o nine.flac
    [ "$status" -eq 1 ]
    [[ "$stderr" == *'holds sound of up to 8 channels, and this has 9: channels:mono'* ]]
    run --separate-stderr halo run '' eight.wav -o eight.mp3
    [[ "$stderr" == *'holds sound of up to 2 channels, and this has 8: channels:mono'* ]]
    [[ "$stderr" != *picture* ]]
}
