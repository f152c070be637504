# Sound beyond full scale: reported, and attenuated by --guard.
# shellcheck disable=SC2154
setup() { load common; common_setup; make_wav s.wav 9000; }

field() { grep -o "\"$1\":[^,}]*" | head -1 | cut -d: -f2; } # of the first object of a line

@test "clipped sound is reported with its peak, other sound is not" {
    loud=$(awk -v m="$(halo stats --json s.wav | field peak)" 'BEGIN { print 1.5 / m }')
    run --separate-stderr halo run "gain:$loud" s.wav -o loud.wav
    [ "$status" -eq 0 ]
    says \
        'samples are clipped (33%), the peak is 1.5 times full scale; --guard attenuates sound to prevent clipping'
    run --separate-stderr halo run -q "gain:$loud" s.wav -o loud.wav -f
    [ -z "$stderr" ]
    run --separate-stderr halo run gain:0.5 s.wav -o low.wav
    [ -z "$stderr" ]
    halo run "gain:$loud" s.wav -o loud.wav -f --json 2> messages | field peak |
        awk '{ exit !($1 > 1.499 && $1 < 1.501) }'
    [ "$(halo run gain:0.5 s.wav -o low.wav -f --json | field peak)" = null ]
}

@test "--guard: the peak is full scale, at 16 and 24 bits, in blocks and as a whole" {
    halo run --raw s24,48000,1 '' <(head -c 30000 /dev/urandom) -o t.wav -q
    halo run '' s.wav -o u.flac
    for pipeline in 'gain:7' 'gain:7 | gauss:3' 'gain:9 | normalize:min=-4,max=4'; do
        for f in s.wav t.wav u.flac; do
            run --separate-stderr halo run --guard "$pipeline" $f -o "out.${f##*.}" -f
            [ "$status" -eq 0 ] && [ -z "$stderr" ]
            bits=16; [ $f != t.wav ] || bits=24
            halo stats --json "out.${f##*.}" | field peak |
                awk -v bits=$bits '{ exit !($1 > 0.9999 && $1 <= 1 - 2 ^ (1 - bits)) }'
        done
    done
    run --separate-stderr halo run --guard -v gain:7 s.wav -o out.wav -f
    says ', 0 samples clipped; scaled by 0.'
}

@test "--guard does not change sound within full scale, floats and images" {
    make_rgb c.ppm 20 10
    halo run --raw f32,48000,1 '' <(head -c 4000 /dev/zero) -o f.wav
    for f in s.wav f.wav c.ppm; do
        halo run 'gain:0.5 | offset:0.1' $f -o "a.${f##*.}" -f
        halo run --guard 'gain:0.5 | offset:0.1' $f -o "b.${f##*.}" -f
        cmp "a.${f##*.}" "b.${f##*.}"
    done
    halo run 'offset:3' f.wav -o a.wav -f
    halo run --guard 'offset:3' f.wav -o b.wav -f
    cmp a.wav b.wav
}

@test "NaN is reported and does not cause scaling" {
    { head -c 4000 /dev/zero | tr '\0' '>'; printf '\0\0\300\177'; } > nan.f32 # 0.18…, and NaN
    run --separate-stderr halo run --raw f32,48000,1 '' nan.f32 -o a.flac --json
    [ "$status" -eq 0 ]; says '1 sample is NaN and became 0'
    [[ "$output" == *'"clipped":1,"peak":null'* ]]
    run --separate-stderr halo run --guard --raw f32,48000,1 '' nan.f32 -o b.flac
    [ "$status" -eq 0 ]; says '1 sample is NaN and became 0'
    cmp a.flac b.flac
}

@test "--guard accepts files, not pipes; results are those of the pipeline" {
    run --separate-stderr halo run --guard gain:7 - -o out.wav < s.wav
    [ "$status" -eq 2 ]; says 'use files, not pipes'; [ ! -e out.wav ]
    run --separate-stderr halo run --guard gain:7 s.wav -o -
    [ "$status" -eq 2 ]; says 'use files, not pipes'
    halo run 'gain:7 | stats' s.wav -o a.wav --json 2> messages | grep -v '"type":"[fs][iu]' > plain
    halo run --guard 'gain:7 | stats' s.wav -o a.wav -f --json | grep -v '"type":"[fs][iu]' | diff plain -
    mkdir in && cp s.wav in/1.wav && cp s.wav in/2.wav
    halo run --guard gain:7 in/*.wav --out-dir out -j 2 && cmp out/1.wav out/2.wav
}
