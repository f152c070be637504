# Sound between programs: the latency of its beginning, with the same samples.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# first.py FRAMES-IN BYTES-OUT ARGUMENT…: gives halo so many frames of s16 (behind a header where HEAD names
# one), without an end. So many bytes have to come back before it gets more.
make_first() {
    cat > first.py << 'EOF'
import os, select, subprocess, sys, time
head = open(os.environ['HEAD'], 'rb').read() if 'HEAD' in os.environ else b''
frames, wanted = int(sys.argv[1]), int(sys.argv[2])
halo = subprocess.Popen([os.environ['HALO']] + sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
halo.stdin.write(head + bytes(2 * frames))
halo.stdin.flush()
got, end = b'', time.time() + 20
while len(got) < wanted and time.time() < end:
    if select.select([halo.stdout], [], [], end - time.time())[0]:
        more = os.read(halo.stdout.fileno(), 65536)
        if not more: break
        got += more
early = len(got)
halo.stdin.close()
got += halo.stdout.read()
print(early >= wanted, len(got) - len(head))
sys.exit(halo.wait())
EOF
}

@test "the first sound is written before the last one is read" {
    make_first
    export HALO
    [ "$(python3 first.py 4801 9600 run --raw s16,48000,1 '' - -o -)" = "True 9602" ]
    [ "$(python3 first.py 961 1920 run --latency 20ms --raw s16,48000,1 '' - -o -)" = "True 1922" ]
    [ "$(python3 first.py 12000 19200 run --raw s16,48000,1 lowpass:1kHz - -o -)" = "True 24000" ]
    [ "$(python3 first.py 12000 19200 run -j1 --raw s16,48000,1 lowpass:1kHz - -o -)" = "True 24000" ]
    [ "$(python3 first.py 12000 19200 run --raw s16,48000,1 'lowpass:1kHz | stats' - -o - 2> said)" = \
        "True 24000" ]
    grep -q '^rms' said
    head -c 300000 /dev/zero > tone.raw
    halo run '' --raw s16,48000,1 tone.raw -o tone.wav
    [ "$(python3 first.py 961 1920 run --latency 20ms --raw s16,48000,1 add:with=tone.wav - -o -)" = \
        "True 300000" ]
}

@test "low latency after a header, at a low rate" {
    make_first
    export HALO
    # 44 bytes, of an endless recording
    python3 -c \
        'import struct, sys; sys.stdout.buffer.write(b"RIFF\xff\xff\xff\xffWAVEfmt " +
            struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16) + b"data\xff\xff\xff\xff")' > head
    [ "$(HEAD=head python3 first.py 801 1644 run '' - -o -)" = "True 1602" ]
}

@test "what is measured does not depend on the blocks" {
    python3 -c 'import random, struct, sys
draw = random.Random(7)
sys.stdout.buffer.write(struct.pack("<60000f", *(draw.gauss(0, 0.2) for i in range(60000))))' > in.f32
    local pipeline='average:2ms | stats | hist | reduce:expr="a*0.999+b"'
    halo run --raw f32,8000,2 "$pipeline" in.f32 -o out.f32 --to raw --json > whole
    for ms in 1 7 100 512 100000; do
        # shellcheck disable=SC2002
        cat in.f32 | halo run --latency $ms --raw f32,8000,2 "$pipeline" - -o - 2> parts --json |
            cat > piped.f32
        cmp out.f32 piped.f32
        sed 's/"file":"[^"]*"//' whole | head -n 3 > a
        sed 's/"file":"[^"]*"//' parts | head -n 3 > b
        cmp a b
    done
}

@test "the latency is reported" {
    head -c 96000 /dev/zero > in.raw
    # shellcheck disable=SC2002
    cat in.raw | halo run --explain --raw s16,48000,1 average:21 - -o - > said
    grep -qx \
        'latency blocks of 100 ms, the filters look 0.2083 ms ahead: the first output comes after 100.2 ms' said
    ! halo run --explain --raw s16,48000,1 average:21 in.raw -o - | grep latency
    run --separate-stderr halo run --latency 0 --raw s16,48000,1 average:21 in.raw -o -
    [ "$status" -eq 2 ]
}

@test "a long table on a pipe is not passed on row by row from thread to thread" {
    seq 300000 > in.csv
    cat in.csv | timeout 5 "$HALO" run gain:1 - --raw csv -o - --to csv | tail -n +2 | cmp - in.csv
}
