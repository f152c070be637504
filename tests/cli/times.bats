# Tables with a column of times: it is kept, moved with the frames, and gives the rate.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

rows() { paste -sd ' ' "$1"; }

minute() { # a row every ten seconds
    printf 'time,temp,press\n'
    for i in 0 1 2 3 4 5; do printf '2024-03-01T12:00:%02d,%d,%d\n' $((10 * i)) $((20 + i)) $((1000 - i)); done
}

@test "the time comes back, and gives the rate" {
    minute > in.csv
    [[ "$(halo info in.csv)" == *"0.1 Hz"*"times     2024-03-01T12:00:00 to 2024-03-01T12:00:50"* ]]
    halo run gain:2 in.csv -o out.csv
    [ "$(sed -n 3p out.csv)" = 2024-03-01T12:00:10,42,1998 ]
    [ "$(head -n 1 out.csv)" = time,temp,press ]
    halo run '' in.csv -o same.csv
    cmp in.csv same.csv
    halo run '' - --raw csv -o - --to csv < in.csv | cmp - in.csv
    cat in.csv | halo run '' - --raw csv -o - --to csv | cmp - in.csv
    [ "$(halo run --time none --columns 2 '' in.csv -o - --to csv | rows -)" = 'temp 20 21 22 23 24 25' ]
}

@test "the time is cut, reversed, decimated and interpolated with the frames" {
    minute > in.csv
    [ "$(halo run trim:20s,40s in.csv -o - --to csv | sed -n 2p)" = 2024-03-01T12:00:20,22,998 ]
    [ "$(halo run reverse in.csv -o - --to csv | sed -n 2p)" = 2024-03-01T12:00:50,25,995 ]
    halo run reverse in.csv -o back.csv
    [ "$(halo run reverse back.csv -o - --to csv)" = "$(cat in.csv)" ]
    [ "$(halo run pad:10s in.csv -o - --to csv | sed -n 2p | cut -d, -f1)" = 2024-03-01T11:59:50 ]
    [ "$(halo run rate:0.05 in.csv -o - --to csv | cut -d, -f1 | tail -n +2 | rows -)" = \
        "2024-03-01T12:00:00 2024-03-01T12:00:20 2024-03-01T12:00:40" ]
    [ "$(halo run rate:0.4 in.csv -o - --to csv | sed -n 3p | cut -d, -f1)" = 2024-03-01T12:00:02.5 ]
    halo join in.csv in.csv -o two.csv
    [ "$(sed -n 8p two.csv)" = 2024-03-01T12:00:00,20,1000 ]
    sed 's/12:00/12:01/' in.csv > next.csv
    halo join in.csv next.csv -o two.csv --force
    [[ "$(halo info --json two.csv)" == *'"even":true'* ]]
}

@test "times in many notations come back as they were" {
    for list in '01.03.2024 12:00:00|01.03.2024 12:00:01' '2024-03-01 12:00|2024-03-01 12:01' \
        '2024-03-01T12:00:00.000+01:00|2024-03-01T12:00:00.500+01:00' '23:59:59|00:00:00' \
        '1700000000|1700000060' \
        '1700000000000|1700000000020' '0.00|0.25' '2024-03-01|2024-03-02'; do
        printf 'timestamp;x\n%s;1\n%s;2\n' "${list%|*}" "${list#*|}" > in.csv
        halo run '' in.csv -o out.tsv --force
        [ "$(cut -f1 out.tsv | tail -n +2 | paste -sd '|')" = "$list" ]
    done
    printf '03/04/2024 1:05 PM,1\n03/04/2024 1:06 PM,2\n' > us.csv
    run --separate-stderr halo stats us.csv
    [ "$status" -eq 1 ]; says "line 1, column 1: '03/04/2024 1:05 PM' is not a time that is recognised"
    halo run --time-format '%m/%d/%Y %I:%M %p' '' us.csv -o out.csv
    [ "$(tail -n 1 out.csv)" = '03/04/2024 1:06 PM,2' ]
    run --separate-stderr halo stats --time-format '%Q' us.csv
    [ "$status" -eq 2 ]; says "halo: --time-format: %Q is not supported"
    printf 'a,b\n0,1\n2,3\n' > plain.csv
    [ "$(halo run --time a '' plain.csv -o - --to csv | tail -n 1)" = 2,3 ]
    [[ "$(halo info --time 1 plain.csv)" == *"0.5 Hz"*"channels  1: b"* ]]
    run --separate-stderr halo stats --time c plain.csv
    [ "$status" -eq 1 ]; says "there is no column 'c'"
}

@test "uneven times are said, and resample makes them even" {
    printf 'time,x\n0,1\n1,2\n2,3\n5,9\n6,11\n' > in.csv
    run --separate-stderr halo run gain:1 in.csv -o out.csv
    [ "$status" -eq 0 ]
    says "rows are not evenly spaced in time (row 4 comes 3 s after the one before it)"
    says "resample:1s makes them even"
    cmp in.csv out.csv
    run --separate-stderr halo run resample:1s in.csv -o even.csv
    [ -z "$stderr" ]
    [ "$(rows even.csv)" = 'time,x 0,1 1,2 2,3 3,5 4,7 5,9 6,11' ]
    halo run resample:2s,how=mean in.csv -o mean.csv --force
    [ "$(rows mean.csv)" = 'time,x 0,1.5 2,3 4,9 6,11' ]
    halo run 'resample:4s,how=mean | fill' in.csv -o mean.csv --force
    [ "$(rows mean.csv)" = 'time,x 0,2 4,10' ]
    halo run resample:500ms in.csv -o half.csv
    [ "$(sed -n 3p half.csv)" = 0.5,1.5 ]
    printf '2024-03-01T10:20:00,1\n2024-03-01T12:50:00,4\n' > hours.csv
    [ "$(halo run resample:1h hours.csv -o - --to csv | rows -)" = \
        'time,channel1 2024-03-01T11:00:00,1.8 2024-03-01T12:00:00,3' ]
    run --separate-stderr halo run resample:3x in.csv -o out.csv
    [ "$status" -eq 2 ]; says "expected an interval such as 1s"
    printf 'time,x\n0,1\n0,2\n' > none.csv
    run --separate-stderr halo stats none.csv
    [ "$status" -eq 1 ]; says "all rows have the same time"
    make_wav in.wav 8000
    run --separate-stderr halo run trim:2:00 in.wav -o out.wav
    [ "$status" -eq 1 ]; says "the beginning, frame 960000, is after the last of 8000 frames, which last 1 s"
}

@test "columns by name and range, and their names in results" {
    printf 'a,b,c,"d, e",f\n1,2,3,4,5\n2,3,4,5,6\n' > in.csv
    [ "$(halo run --columns 'f,2-3,"d, e"' '' in.csv -o - --to csv | rows -)" = 'f,b,c,"d, e" 5,2,3,4 6,3,4,5' ]
    [ "$(halo run --columns 4- '' in.csv -o - --to csv | head -n 1)" = '"d, e",f' ]
    [ "$(halo run channels:mono in.csv --columns c,f -o - --to csv | head -n 1)" = channel1 ]
    [[ "$(halo stats --json --columns f in.csv)" == *'"name":"f"'* ]]
    [[ "$(halo stats in.csv)" == *" d, e "* ]]
    [[ "$(halo hist --bins 3 --columns b in.csv)" == *"b: "* ]]
    run --separate-stderr halo stats --columns g in.csv
    [ "$status" -eq 1 ]; says "there is no column 'g': the table has a, b, c, d, e, f"
    run --separate-stderr halo stats --columns 3-2 in.csv
    [ "$status" -eq 2 ]; says "'3-2' is no range"
}

@test "missing cells are NaN, which fill replaces and a recursive filter spreads" {
    printf 'x,y\nNA,1\n2,-\nnull,n/a\n,NaN\n8,6\n' > in.csv
    [ "$(halo run '' in.csv -o - --to csv | rows -)" = 'x,y NA,1 2,- null,n/a ,NaN 8,6' ]
    [ "$(halo run gain:1 in.csv -o - --to csv | rows -)" = 'x,y nan,1 2,nan nan,nan nan,nan 8,6' ]
    [ "$(halo run fill:linear in.csv -o - --to csv | rows -)" = 'x,y 2,1 2,2.25 4,3.5 6,4.75 8,6' ]
    [ "$(halo run fill:previous in.csv -o - --to csv | rows -)" = 'x,y nan,1 2,1 2,1 2,1 8,6' ]
    [ "$(halo run fill:-1.5 in.csv -o - --to csv | rows -)" = 'x,y -1.5,1 2,-1.5 -1.5,-1.5 -1.5,-1.5 8,6' ]
    run --separate-stderr halo run fill:next in.csv -o out.csv
    [ "$status" -eq 2 ]; says "expected linear, previous or a number"
    run --separate-stderr halo run notch:0.2Hz in.csv -o out.csv
    [ "$status" -eq 0 ]; says "a NaN reached a recursive filter"
    run --separate-stderr halo run 'fill | notch:0.2Hz' in.csv -o out.csv --force
    [ -z "$stderr" ]
}

@test "rows that are not even and run backwards: the note names what makes them even" {
    printf '%s\n' time,v 00:01:00,5 00:00:50,4 00:00:47,3 00:00:30,2 00:00:20,1 > back.csv
    run --separate-stderr halo run gain:2 back.csv -o out.csv
    says "(row 3 comes 3 s earlier than the one before it)"
    says "the usual 10 s: 'reverse | resample:10s' makes them even"
    halo run 'reverse | resample:10s' back.csv -o out.csv -f
    [ "$(sed -n 2p out.csv)" = 00:00:20,1 ]
}

@test "what runs along time refuses a table whose times fall" {
    printf '%s\n' time,v 00:00:30,5 00:00:20,4 00:00:10,3 > back.csv
    local step
    for step in integrate ewma:span=2 diff fill:previous savgol:3,1,deriv=1 \
        lowpass:0.01,design=butterworth,phase=causal; do
        run --separate-stderr halo run "$step" back.csv -o x.csv -f
        [ "$status" -eq 1 ] && says "the times of the rows fall; reverse turns a table that runs backwards"
        halo run -q "reverse | $step" back.csv -o x.csv -f
        halo run -q "reverse | $step | reverse" back.csv -o x.csv -f
        run --separate-stderr halo run "reverse | reverse | $step" back.csv -o y.csv
        [ "$status" -eq 1 ]
    done
    halo run -q 'reverse | integrate' back.csv -o x.csv -f
    [ "$(rows x.csv)" = 'time,v 00:00:10,0 00:00:20,35 00:00:30,80' ]
    halo run -q 'gauss:1 | savgol:3,1 | fill' back.csv -o x.csv -f
}

@test "rows in no order are told to be sorted" {
    printf '%s\n' time,v 00:00:10,1 00:00:20,2 00:00:30,3 00:00:50,4 00:00:40,5 > mixed.csv
    run --separate-stderr halo run gain:2 mixed.csv -o out.csv
    says "rows are not in the order of time (row 5 comes 10 s earlier than the one before it)"
    says "sort them by their times first; then resample:10s makes them even"
    run --separate-stderr halo run resample:10s mixed.csv -o out.csv -f
    [ "$status" -eq 1 ] && says "row 5 is before the one of row 4; others rise: sort the rows"
    printf '%s\n' 00:00:10,1 00:00:40,3 00:00:30,4 00:00:05,5 > mixed.csv
    run --separate-stderr halo run 'reverse | resample:10s' mixed.csv -o out.csv -f
    [ "$status" -eq 1 ] && says "sort the rows"
    printf '%s\n' date,v 2024-03-01,1 2024-03-05,2 2024-03-03,4 2024-03-09,4 > mixed.csv
    run --separate-stderr halo run trim:2024-03-02 mixed.csv -o out.csv -f
    [ "$status" -eq 1 ] && says "so a date is no place; sort the rows by their times"
}

@test "intervals in messages are written as people write them" {
    printf '%s\n' date,v 2024-01-01,1 2024-02-01,2 2024-03-01,3 2024-04-01,4 2024-05-01,4 2024-06-01,4 \
        > months.csv
    run --separate-stderr halo run gain:1 months.csv -o out.csv
    says "the usual 2678400 s: resample:31d makes them even"
    halo run -q resample:31d months.csv -o out.csv -f
    printf '%s\n' time,v 0,1 1704067200,2 1704067201,3 > far.csv
    run --separate-stderr halo run resample:1ms far.csv -o out.csv -f
    [ "$status" -eq 5 ]; says "19723 days apart, gives 1704067201001 frames, and 68719476736 are the most"
}

@test "fill:linear is linear in time where rows are not evenly spaced" {
    printf 'time,x\n12:00:00,0\n12:00:01,NA\n12:00:09,\n12:00:10,10\n' > in.csv
    [ "$(halo run -q fill:linear in.csv -o - --to csv | cut -d , -f 2 | rows -)" = 'x 0 1 9 10' ]
    [ "$(halo run -q 'reverse | fill:linear' in.csv -o - --to csv | cut -d , -f 2 | rows -)" = 'x 10 9 1 0' ]
    [ "$(halo run --time none --columns x fill:-1 in.csv -o - --to csv | rows -)" = 'x 0 -1 -1 10' ]
}

@test "statistics and peaks tell the times of rows" {
    printf 'time,x\n12:00:00,0\n12:00:01,3\n12:00:09,-1\n12:00:10,7\n12:00:20,2\n' > in.csv
    run halo stats -q in.csv
    [[ "$output" == *"  at       12:00:09"*"  at       12:00:10"* ]]
    run halo run -q 'trim:1f | stats' --json in.csv
    [[ "$output" == *'"min_at":1,"min_time":"12:00:09"'*'"max_at":2,"max_time":"12:00:10"'* ]]
    run halo run -q 'peaks:height=5' in.csv
    [[ "$output" == *": 1 peak"$'\n'*" 12:00:10 "* ]]
    run halo run -q 'peaks:height=2' in.csv --csv
    [ "${#lines[@]}" -eq 3 ]; [[ "${lines[1]}" == in.csv,,x,1,*,3,* ]]
    minute > even.csv
    run halo stats even.csv
    [[ "$output" == *"  at       2024-03-01T12:00:00  2024-03-01T12:00:50"* ]]
}

@test "compare tells times that differ" {
    minute > a.csv
    sed 's/12:00:40/12:00:41/' a.csv > b.csv
    run halo compare -q a.csv a.csv
    [ "$status" -eq 0 ]
    run halo compare a.csv b.csv
    [ "$status" -eq 6 ]
    [[ "$output" == *": different"*"times        of 1 row differ: that of row 5 is 1 s later in the second"* ]]
    run halo compare --json a.csv b.csv
    [ "$status" -eq 6 ]; [[ "$output" == *'"times_differing":1'* ]]
}

@test "rates have a k, and what is no table of numbers says what to do" {
    printf 'a,b\n1,on\n2,off\n' > in.csv
    [[ "$(halo run --rate 48k --columns a level:1 in.csv -o - --to csv
        halo stats --json --rate 44.1kHz --columns a in.csv)" == *'"rate":44100,'* ]]
    run --separate-stderr halo stats in.csv
    [ "$status" -eq 1 ]; says "line 2, column 2: 'on' is not a number; --columns leaves columns out, --tolerate"
    printf 'Date,v\n2024-01-01,1\n2024-01-01,2\n' > two.csv
    run --separate-stderr halo stats two.csv
    [ "$status" -eq 1 ]; says "all rows have the same time: --time names another column, or none"
}

@test "trim takes dates, and times of day of one day" {
    printf 't,v\n' > in.csv
    for day in 01 02; do
        printf '2024-03-%s %s,%s\n' $day 06:00 1$day $day 12:00 2$day $day 18:00 3$day
    done >> in.csv
    cut_to() { halo run "trim:$1" "${2-in.csv}" -o - --to csv | tail -n +2 | cut -d, -f2 | rows -; }
    [ "$(cut_to 2024-03-01,2024-03-02)" = '101 201 301' ]
    [ "$(cut_to '2024-03-01 12:00,2024-03-02T12:01:00Z')" = '201 301 102 202' ]
    [ "$(cut_to 2024-03-02)" = '102 202 302' ]
    [ "$(halo run 'reverse | reverse | trim:6h | trim:2024-03-02 18:00' in.csv -o - --to csv | tail -n 1)" = \
        '2024-03-02 18:00,302' ]
    for wrong in '8:00,9:00|comes on several days of this table: give the date too' \
        '2024-04-01|no row has a time from .2024-04-01. on' \
        '2024-03-01 13:00,2024-03-01 14:00|no row has a time from .* and before .2024-03-01 14:00' \
        '2024-03-01,length=2024-03-02|is a date, and a length is expected'; do
        run halo run "trim:${wrong%|*}" in.csv -o x.csv
        [ "$status" -ne 0 ]; [[ "$output" =~ ${wrong#*|} ]]
    done
    head -n 4 in.csv > day.csv
    [ "$(cut_to 08:00,18:00 day.csv)" = 201 ]
    printf 'clock,v\n22:00:00,1\n23:00:00,2\n00:00:00,3\n01:00:00,4\n' > night.csv
    [ "$(cut_to 23:00,1:00 night.csv)" = '2 3' ]
    printf 't,v\n2024-03-01T08:00:00+01:00,1\n2024-03-01T09:00:00+01:00,2\n' > zone.csv
    [ "$(cut_to 2024-03-01T08:30 zone.csv) $(cut_to 2024-03-01T07:30Z zone.csv)" = '2 2' ]
    printf 'time,v\n0,1\n90,2\n180,3\n' > plain.csv
    [ "$(cut_to 1:30 plain.csv)" = '2 3' ] # minutes: these times show no clock
    run halo run trim:2024-03-01 plain.csv -o x.csv
    [[ "$output" == *"'2024-03-01' is a date, and the times of this table have none" ]]
    (sed 3q in.csv; sed 3,4d in.csv | tail -n 2) > uneven.csv
    [ "$(cut_to 2024-03-01T10:00,2024-03-02T13:00 uneven.csv)" = '201 202' ]
}

@test "a date and a time of day in two columns are one time" {
    printf 'date,time,v\n2024-03-01,23:59:00,1\n2024-03-02,00:00:00,2\n' > in.csv
    for input in in.csv -; do
        [ "$(halo run '' $input --raw csv -o - --to csv < in.csv)" = "$(cat in.csv)" ]
        [ "$(halo run 'pad:1min | gain:2' $input --raw csv -o - --to csv < in.csv | rows -)" = "date,time,v $(
            )2024-03-01,23:58:00,0 2024-03-01,23:59:00,2 2024-03-02,00:00:00,4" ]
    done
    [[ "$(halo info in.csv)" == *"times     2024-03-01 23:59:00 to 2024-03-02 00:00:00"* ]]
    [ "$(halo run --rate 0.0166666666667 gain:2 - --raw csv -o - --to csv < in.csv | tail -n 1)" = \
        2024-03-02,00:00:00,4 ]
    sed 's|2024-03-\(..\)|\1/03/2024|; s/time/at/' in.csv > slashes.csv
    halo run --time-format '%d/%m/%Y %H:%M:%S' gain:1 slashes.csv -o out.csv
    halo run --time-format 'dd/mm/yyyy hh:mm:ss' gain:1 slashes.csv -o letters.csv
    cmp out.csv letters.csv
    cmp slashes.csv out.csv
    tail -n 1 in.csv | sed 's/,/ , /' > bare.csv
    [ "$(halo run gain:2 bare.csv -o - --to csv | rows -)" = 'date,time,channel1 2024-03-02,00:00:00,4' ]
    printf '2024-03-01\n' >> in.csv
    run halo stats in.csv
    [ "$status" -eq 1 ]
    [[ "$output" == *"line 4, column 1: '2024-03-01' is not a time as in the rows before it" ]]
}

@test "a decimal comma is read and written" {
    printf 'zeit;x\n01.03.2024 12:00:00;1,5\n01.03.2024 12:00:01;-2,25\n' > in.csv
    halo run --decimal , '' in.csv -o out.csv
    cmp in.csv out.csv
    halo run --decimal , '' in.csv -o out.tsv
    [ "$(tail -n 1 out.tsv)" = "$(printf '01.03.2024 12:00:01\t-2,25')" ]
    run --separate-stderr halo run '' in.csv -o bad.csv
    [ "$status" -eq 1 ]; says "line 2, column 2: '1,5' is not a number; --decimal=, reads decimal commas"
}

@test "from a pipe --rate says what the times are, and they are checked" {
    (printf 'time,x\n12:00:00,1\n12:00:01,2\n'; sleep 2; printf '12:00:02,3\n') |
        halo run --raw csv --rate 1 gain:2 - -o - --to csv --latency 10 > out.csv &
    for _ in $(seq 18); do
        sleep 0.1
        [ "$(wc -l < out.csv)" -lt 3 ] || break
    done
    [ "$(rows out.csv)" = 'time,x 12:00:00,2 12:00:01,4' ]
    wait
    printf 'time,x\n12:00:00,1\n12:00:03,2\n' > in.csv
    run --separate-stderr bash -c "cat in.csv | '$HALO' run --raw csv --rate 1 gain:2 - -o - --to csv"
    [ "$status" -eq 1 ]; says "'12:00:03' is not the time that follows from the first one and --rate"
}

@test "what cannot hold times says so" {
    minute > in.csv
    run --separate-stderr halo run '' in.csv -o out.npy
    [ "$status" -eq 0 ]; says "left out, since the output cannot hold it: times of rows, names of columns"
    run --separate-stderr halo run 'reduce:max | spectrogram:window=20s' in.csv -o out.npy --force
    [ "$status" -ne 0 ] || says "times of rows"
}

@test "rows with two UTC offsets have the first one, which is said" {
    printf '%s\n' time,v 2024-03-31T00:00:00+01:00,1 2024-03-31T01:00:00+01:00,2 2024-03-31T03:00:00+02:00,3 \
        2024-03-31T04:00:00+02:00,4 > t.csv
    run --separate-stderr halo run offset:0.5 t.csv -o o.csv
    [ "$status" -eq 0 ]
    says 'the UTC offsets +01:00 and +02:00: days, and times that are computed, are those of +01:00'
    diff o.csv - << 'END'
time,v
2024-03-31T00:00:00+01:00,1.5
2024-03-31T01:00:00+01:00,2.5
2024-03-31T02:00:00+01:00,3.5
2024-03-31T03:00:00+01:00,4.5
END
    run --separate-stderr halo run resample:1d t.csv -o day.csv
    [[ "$stderr" == *'+02:00'* ]]
    grep -q '^2024-03-31T00:00:00+01:00,' day.csv
    sed '/+02/d' t.csv > winter.csv
    run --separate-stderr halo run '' winter.csv -o same.csv
    [ -z "$stderr" ]
}
