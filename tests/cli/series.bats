# Tables of numbers (CSV): sound with a frame a line.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

@test "a filtered table keeps its names" {
    printf 't,"x, raw"\r\n0,1\r\n1,4\r\n2,1\r\n3,1\r\n' > in.csv
    halo run gain:2 in.csv -o out.csv
    [ "$(cat out.csv)" = "$(printf 't,"x, raw"\n0,2\n2,8\n4,2\n6,2')" ]
    halo run --columns 2 median:3 in.csv -o out.tsv
    [ "$(head -n 1 out.tsv)" = '"x, raw"' ]
    halo run '' in.csv -o both.tsv
    [ "$(sed -n 2p both.tsv)" = "$(printf '0\t1')" ]
    halo run '' both.tsv -o again.csv
    [ "$(head -n 1 again.csv)" = 't,"x, raw"' ]
}

@test "a table with a byte order mark before an empty line is read by every command" {
    printf '\xef\xbb\xbf\n1,2\n' > mark.csv
    printf '1,2\n' > plain.csv
    for command in hist stats 'run average:3 -o - --to csv' 'run reverse -o - --to csv' \
        'run add:mark.csv -o - --to csv'; do
        # shellcheck disable=SC2086
        timeout 20 "$HALO" $command mark.csv > marked.txt
        # shellcheck disable=SC2086
        timeout 20 "$HALO" $command plain.csv > plain.txt
        diff <(sed 's/mark/plain/' marked.txt) plain.txt
    done
    timeout 20 "$HALO" info mark.csv | grep -q 'channels  2'
    timeout 20 "$HALO" compare mark.csv plain.csv | grep -q identical
    timeout 20 "$HALO" join mark.csv mark.csv -o joined.csv
    [ "$(paste -sd ' ' joined.csv)" = "channel1,channel2 1,2 1,2" ]
}

@test "quotation marks, line breaks and numbers that are too large" {
    printf '"two\nlines",5" disk\n1,2\n' > in.csv
    halo run '' in.csv -o out.csv
    [ "$(cat out.csv)" = "$(printf '"two\nlines","5"" disk"\n1,2')" ]
    halo run '' out.csv -o again.tsv
    [ "$(cat again.tsv)" = "$(printf '"two\nlines"\t"5"" disk"\n1\t2')" ]
    halo run '' in.csv -o in.flac
    halo run '' in.flac -o back.csv
    [ "$(head -n 2 back.csv)" = "$(head -n 2 out.csv)" ]
    printf '1e309,1\n2,3\n' > large.csv
    run --separate-stderr halo stats large.csv
    [ "$status" -eq 1 ]; says "large.csv: line 1, column 1: '1e309' is too large for a 64-bit float"
    printf 'x,1999\n1,2\n' > year.csv
    [ "$(halo run --columns 2 '' year.csv -o - --to csv)" = "$(printf 'channel1\n2')" ]
}

@test "a written table is read back with the names, columns and rows it had" {
    comes_back() { # OUT INPUT HEADER OPTION…
        printf "$2" > in.csv
        halo convert in.csv -o "$1" -f "${@:4}"
        [ "$(head -n 1 "$1")" = "$(printf "$3")" ]
        halo convert "$1" -o again.csv -f
        halo convert in.csv -o once.csv -f "${@:4}"
        cmp again.csv once.csv
    }
    comes_back o.csv 'room temp,b\n1,2\n3,4\n' '"room temp"' --columns 1
    comes_back o.csv '"a;b",c\n1,2\n3,4\n' '"a;b",c'
    comes_back o.csv '"a\tb",c\n1,2\n3,4\n' '"a\tb",c'
    comes_back o.csv 'c,"a;b"\n1,2\n3,4\n' 'c,"a;b"'
    comes_back o.tsv '"a;b",c d\n1,2\n3,4\n' 'a;b\tc d'
    comes_back o.csv '\xef\xbb\xbf\xef\xbb\xbf,b\n1,2\n' '"\xef\xbb\xbf"' --columns 1
    comes_back o.csv 'null,b\n1,2\n3,4\n' channel1 --columns null
    comes_back o.csv '2026-01-02,b\n1,2\n3,4\n' channel1 --columns 1
    comes_back o.csv 'time,2019,2020\n2026-01-02,1,2\n2026-01-03,3,4\n' time,2019,2020
}

@test "a table of too many columns is refused" {
    { printf 'a,%.0s' {1..200000}; echo; } > wide.csv
    run -5 --separate-stderr halo stats wide.csv
    says 'wide.csv: more than 4096 columns'
}

@test "a table has a rate where --rate gives one, and is known by --raw in a pipe" {
    printf '1\n2\n3\n' > in.csv
    [[ "$(halo info in.csv)" == *"1 Hz"* ]]
    [[ "$(halo info --rate 0.5 in.csv)" == *"0.5 Hz"* ]]
    [ "$(halo run --raw csv gain:2 - -o - --to csv < in.csv | tail -n 1)" = 6 ]
    run --separate-stderr halo run --rate 0 gain:2 in.csv -o out.csv
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"frames per second"* ]]
}

@test "numbers come back with the fewest digits, gaps as nan, sums in full" {
    printf 'x\n0.1\n-12345.678\n\n1e-30\nnan\n0.30000001\n3e38\n' > in.csv
    halo run gain:1 in.csv -o out.csv
    [ "$(paste -sd ' ' out.csv)" = "x 0.1 -12345.678 1e-30 nan 0.30000001 3e+38" ]
    printf 'a,b\n1,\n2,5\n' > gap.csv
    [ "$(halo run gain:1 gap.csv -o - --to csv | sed -n 2p)" = 1,nan ]
    printf '0.1\n0.2\n' > sum.csv
    [ "$(halo run scan sum.csv -o - --to csv | tail -n 1)" = 0.30000000000000004 ]
    [ "$(halo run --precision single scan sum.csv -o - --to csv | tail -n 1)" = 0.30000000447034836 ]
}

@test "invalid numbers are reported by line and column, and nothing is written" {
    printf 'a,b\n1,2\n3,four\n' > bad.csv
    run --separate-stderr halo run gain:2 bad.csv -o out.csv
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"bad.csv: line 3, column 2: 'four' is not a number"* ]]
    [ ! -e out.csv ]
    halo run --tolerate gain:2 bad.csv -o out.csv
    [ "$(tail -n 1 out.csv)" = 6,nan ]
    : > empty.csv
    run --separate-stderr halo stats empty.csv
    [ "$status" -eq 1 ]
    run --separate-stderr halo stats --columns 3 bad.csv
    [[ "$stderr" == *"there is no column 3: the table has 2"* ]]
}

@test "a picture is no table, and a table no picture" {
    printf 'P5 2 1 255\n\001\002' > in.pgm
    run --separate-stderr halo run gain:1 in.pgm -o out.csv
    [ "$status" -ne 0 ]
    [ ! -e out.csv ]
    printf '1\n2\n' > in.csv
    run --separate-stderr halo run gain:1 in.csv -o out.png
    [ "$status" -ne 0 ]
    [ ! -e out.png ]
}

@test "tables in a folder are read on request" {
    mkdir in
    printf 'P5 2 1 255\n\001\002' > in/a.pgm
    printf '1\n2\n' > in/list.csv
    echo 'words' > in/notes.txt
    [ "$(halo stats -r in --json | wc -l)" -eq 1 ]
    [ "$(halo stats -r in --include '*.csv' --json | grep -c list.csv)" -eq 1 ]
}

@test "lines are processed while more are being written" {
    (printf 'x\n1\n2\n'; sleep 3; printf '3\n') |
        halo run --raw csv gain:2 - -o - --to csv --latency 10 > out.csv &
    for _ in $(seq 25); do
        sleep 0.1
        [ "$(wc -l < out.csv)" -lt 3 ] || break
    done
    [ "$(paste -sd ' ' out.csv)" = "x 2 4" ]
    wait
    [ "$(paste -sd ' ' out.csv)" = "x 2 4 6" ]
}

@test "a separator is one that leaves nothing behind closing quotation marks" {
    printf '"n,#Temp""","n b;"""\n"-2.5","1000000.0"\n' > t.csv
    halo run '' t.csv -o - --to csv > out.csv
    [ "$(tail -n 1 out.csv)" = '-2.5,1000000.0' ]
    printf '"a;b",c\n1,2\n' > t.csv
    [ "$(halo run '' t.csv -o - --to csv | head -n 1)" = '"a;b",c' ]
}

@test "integers of an array with a rate are computed as those of a table" {
    python3 -c "
import struct
head = b\"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }\"
head += b' ' * (117 - len(head)) + b'\\n'
open('i.npy', 'wb').write(b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', len(head)) + head +
    struct.pack('<3i', 16777217, 16777219, 2000000001))"
    run --separate-stderr halo run offset:1 --rate 10 i.npy -o o.csv
    [ "$status" -eq 0 ]
    [[ "$stderr" != *'32-bit floats'* ]]
    grep -q 16777218 o.csv
    grep -q 16777220 o.csv
    grep -q 2000000002 o.csv
}
