# Pauses of sounds, and sounds cut at them.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# Two sounds of 0.5 s, 8 kHz, with silence of 0.4 s before, between and behind.
make_talk() {
    {
        for part in 1 2; do
            awk 'BEGIN { for (i = 0; i < 3200; i++) print 0 }'
            awk -v p=$part 'BEGIN { for (i = 0; i < 4000; i++) print (i % 2 ? 0.5 : -0.5) * p / 2 }'
        done
        awk 'BEGIN { for (i = 0; i < 3200; i++) print 0 }'
    } > talk.csv
    halo convert talk.csv talk.wav --rate 8000 --bits 16
}

frames() { halo info --json "$1" | grep -o '"width":[0-9]*' | cut -d: -f2; }

@test "silences lists the pauses as text, CSV and JSON, with the parameters of silence" {
    make_talk
    run halo silences talk.wav
    [ "${lines[0]}" = 'talk.wav: 3 silences, 1.200 s of 2.200 s' ]
    [ "$(halo silences --csv talk.wav | tail -n 1)" = 'talk.wav,1.8,2.2000000000000002,0.40000000000000002' ]
    halo silences --json talk.wav | grep -q '"start":0.90000000000000002,"end":1.3,"from":7200,"to":10400'
    [ "$(halo silences --min 500ms --csv talk.wav | wc -l)" -eq 1 ]
    [ "$(halo silences --level -10dB --csv talk.wav | wc -l)" -eq 3 ]
    # shellcheck disable=SC2002
    [ "$(cat talk.wav | halo silences --csv - | cut -d, -f2- | tail -n 2)" = \
        "$(halo silences --csv talk.wav | cut -d, -f2- | tail -n 2)" ]
    run --separate-stderr halo silences --all talk.wav
    [ "$status" -eq 2 ]
    [[ $stderr == *"unknown option '--all'"* ]]
    run ! grep -e --all <(halo help silences)
    make_gray p.pgm 4 4
    run --separate-stderr halo silences p.pgm
    [ "$status" -eq 1 ]
    [[ $stderr == *'only sound has pauses'* ]]
}

@test "split cuts at pauses, and keeps some of each" {
    make_talk
    halo split talk.wav --out-dir parts
    [ "$(cd parts && echo *)" = 'talk-001.wav talk-002.wav' ]
    [ "$(frames parts/talk-001.wav)" -eq $((4000 + 800 + 800)) ]
    halo split talk.wav --at silence:min=100ms,keep=0s --name '{stem}_{part:02}.{ext}' --to flac
    [ "$(frames talk_01.flac)" -eq 4000 ]
    halo run trim:10400f,14400f talk.wav -o second.flac
    halo compare talk_02.flac second.flac --at-most max=0
    run --separate-stderr halo split talk.wav --at silence:1,min=1ms
    [ "$status" -eq 1 ]
    [[ $stderr == *'silent from beginning to end'* ]]
}

@test "split cuts at times, in steps, and by channel; parts put together are the input" {
    make_talk
    halo split talk.wav --at 0.25,0:01,12000f
    [ "$(frames talk-001.wav)" -eq 2000 ]
    [ "$(frames talk-004.wav)" -eq 5600 ]
    halo join talk-00?.wav -o all.wav
    halo compare all.wav talk.wav --at-most max=0,differing=0
    halo split talk.wav --at every:1s -f
    [ "$(frames talk-003.wav)" -eq 1600 ]
    halo run channels:1,0.5*1 talk.wav -o two.wav
    halo split two.wav --at channels
    halo compare two-001.wav talk.wav --at-most max=0
    halo compare two-002.wav talk.wav --at-most max=0.3 > /dev/null
}

@test "split cuts at markers" {
    make_talk
    size=$(wc -c < talk.wav)
    {
        printf 'RIFF'; le 4 $((size - 8 + 60)); tail -c +9 talk.wav
        printf 'cue '; le 4 52; le 4 2
        for at in 9000 300; do le 4 "$at"; le 4 "$at"; printf 'data'; le 4 0; le 4 0; le 4 "$at"; done
    } > marked.wav
    halo split marked.wav --at cue
    [ "$(frames marked-001.wav) $(frames marked-002.wav) $(frames marked-003.wav)" = '300 8700 8600' ]
    run --separate-stderr halo split talk.wav --at cue
    [ "$status" -eq 1 ]
    [[ $stderr == *'no markers and no chapters'* ]]
}

@test "split refuses what it cannot do, and writes nothing" {
    make_talk
    for bad in nonsense 2,1 100 every:0s silence:foo=1 silence:keep=x 5,; do
        run --separate-stderr halo split talk.wav --at "$bad" --out-dir none
        [ "$status" -ne 0 ] || { echo "$bad"; return 1; }
    done
    run --separate-stderr halo split talk.wav --name same.wav --out-dir none
    [ "$status" -eq 2 ]
    run --separate-stderr halo split - --at 1 < talk.wav
    [ "$status" -eq 2 ]
    run --separate-stderr halo run gain:1 talk.wav --out-dir none --name '{part}.wav'
    [ "$status" -eq 2 ]
    [ ! -e none ]
    halo split talk.wav --at 1 --dry-run --out-dir none
    [ ! -e none ]
    halo split talk.wav --at 1
    run --separate-stderr halo split talk.wav --at 1
    [ "$status" -eq 1 ]
    [[ $stderr == *exists* ]]
}
