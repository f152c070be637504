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
