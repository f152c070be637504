# Plots of histograms and tables, read back from the files.
# shellcheck disable=SC2016,SC2154
setup() { load common; common_setup; make_worked in.pgm; }

@test "--plot draws SVG and PNG that show the same counts" {
    need_numpy
    halo hist --bins 2 --min 0 --max 8 --plot h.svg in.pgm
    halo hist --bins 2 --min 0 --max 8 --plot h.png in.pgm
    halo run '' h.png -o h.npy
    "$PYTHON" - << 'END'
import re
import numpy as np
import xml.etree.ElementTree as tree
top = [365 - 305 * 13 / 33, 60] # of 13 and 33 samples between y = 365 and y = 60
root = tree.parse('h.svg').getroot()
assert root.get('viewBox') == '0 0 800 400'
path = [e.get('d') for e in root.iter() if e.tag.endswith('path')]
assert path == ['M70 365V%.2fH425.00V%.2fH780.00V365Z' % (top[0], top[1])], path
words = [e.text for e in root.iter() if e.tag.endswith('text')]
assert 'in.pgm' in words and 'samples in 2 bins' in words
assert all(str(v) in words for v in range(9)) and '30' in words
a = np.load('h.npy').astype(int)
assert a.shape == (400, 800, 3)
for x, y in ((200, top[0]), (650, top[1])):
    dark = 55 + np.nonzero(a[55:, x].sum(1) < 400)[0]          # below the words
    assert abs(dark[0] - y) <= 1.5, (x, dark, y)          # the outline
    assert abs(dark[-1] - 365) <= 1                        # the axis
    assert (a[dark[0] + 5:355, x].max() < 235)             # filled between them
    assert (a[55:dark[0] - 2, x].size == 0 or a[55:dark[0] - 2, x].min() > 220) # nothing but the grid above
assert a[20:26, 70:120].min() < 100                        # the title
END
}

@test "letters with accents are drawn without them" {
    printf 'time,Größe µm,Łódź ±°,日本\n0,1,2,3\n1,4,3,2\n' > a.csv
    printf 'time,Grosse um,Lodz +-deg,??\n0,1,2,3\n1,4,3,2\n' > b.csv
    halo plot a.csv -o a.png
    halo plot b.csv -o b.png
    halo run 'crop:800x300+0+60,fit=1' a.png -o a.ppm
    halo run 'crop:800x300+0+60,fit=1' b.png -o b.ppm
    cmp a.ppm b.ppm
    halo plot a.csv -o a.svg
    grep -q 'Größe µm' a.svg
}

@test "the legend names every channel in its colour" {
    need_numpy
    make_rgb c.ppm 37 23
    halo hist --plot h.png c.ppm
    halo hist --plot h.svg c.ppm
    halo run '' h.png -o h.npy
    "$PYTHON" - << 'END'
import numpy as np
a = np.load('h.npy')
for colour in ((0xd6, 0x27, 0x28), (0x2c, 0xa0, 0x2c), (0x1f, 0x77, 0xb4)):
    assert (a[39:49] == np.array(colour, np.uint8)).all(2).sum() == 100, colour # ten by ten pixels
END
    for name in r g b; do grep -q ">$name</text>" h.svg; done
}

@test "--log draws counts by their logarithm, on terminals too" {
    awk \
        'BEGIN { print "P2 10101 1 255"
                 for (i = 0; i < 10101; i++) print (i < 10000 ? 10 : i < 10100 ? 100 : 200) }' > l.pgm
    halo hist --log --plot l.svg l.pgm > l.txt
    grep -q 'highest bar (logarithmic): 10,000' l.txt
    # 100 samples lie at log(200) / log(20000) of the height, 1 at log(2) / log(20000).
    grep -q 'V201.83H' l.svg
    grep -q 'V343.65H' l.svg
    for mark in 1 10 100 1000 10k; do grep -q ">$mark</text>" l.svg; done
    [ "$(halo hist --log --json l.pgm)" = "$(halo hist --json l.pgm)" ]
}

@test "plots of many bins, of sound, of ranges without a middle" {
    make_gray d.pgm 31 17 65535
    halo hist --plot d.png d.pgm > /dev/null
    make_wav s.wav 900
    halo hist --log --plot s.png s.wav > /dev/null
    halo hist --bins 3 --min 1e6 --max 1000000.001 --plot n.svg s.wav > /dev/null
    halo hist --min -8e307 --max 8e307 --plot w.svg s.wav > /dev/null
    halo hist --bins 7 --min 1e-300 --max 2e-300 --plot t.png s.wav > /dev/null
    for f in d.png s.png t.png; do [[ "$(halo info $f)" == *'800 x 400'* ]]; done
    ! grep -q nan n.svg w.svg
}

@test "a plot whose extension is no image format is refused before any work" {
    for name in h.jpg h 'h.svg/' png; do
        run --separate-stderr halo hist in.pgm --plot "$name"
        [ "$status" -eq 2 ]
        says 'neither'
    done
}

@test "a table is plotted: points at their values, gaps at empty cells, a dot for a single value" {
    need_numpy
    printf '"x value",a,"a, peer",b\r\n0,0,10,\n1,5,,4\n\n2,10,7,\n' > t.csv
    halo plot t.csv -o t.svg --title 'a < b'
    halo plot t.csv -o t.png
    halo run '' t.png -o t.npy
    "$PYTHON" - << 'END'
import numpy as np
import xml.etree.ElementTree as tree
lines = [e for e in tree.parse('t.svg').getroot().iter() if e.tag.endswith('polyline')]
assert [e.get('points') for e in lines
    if float(e.get('points').split(',')[0]) < 600] == ['70.00,365.00 340.00,212.50 610.00,60.00']
# the legend: only the peer is dashed
assert [e.get('stroke-dasharray') for e in lines][-3:] == [None, '6 4', None]
assert lines[-3].get('stroke') == lines[-2].get('stroke') != lines[-1].get('stroke')
words = [e.text for e in tree.parse('t.svg').getroot().iter() if e.tag.endswith('text')]
assert words[:2] == ['a < b', 'by x value'] and 'a, peer' in words
a = np.load('t.npy').astype(int)
# on the line, and beside it
assert a[210:215, 338:342].sum(2).min() < 450 and a[212, 200:330].sum(1).min() > 600
assert (a[241:245, 338:342] == (0xd6, 0x27, 0x28)).all(2).sum() >= 9                   # the only b: 4 of 10
END
    run -2 --separate-stderr halo plot t.csv -o t.gif
    says "'t.gif' is neither"
}

@test "logarithmic axes of a table, and values that they cannot show" {
    printf 'w\tms\n1\t0.01\n10\t0.1\n1000\t10\n' > t.tsv
    halo plot t.tsv -o l.svg --log --log-x
    grep -q '"70.00,[0-9.]* 250.00,[0-9.]* 610.00,' l.svg # a third of three decades
    for mark in 1 10 100 1000 0.1; do grep -q ">$mark</text>" l.svg; done
    printf 'w,ms\n0,1\n1,2\n' > zero.csv
    run -1 --separate-stderr halo plot zero.csv -o z.svg --log-x
    says 'row 1, column 1 (w): 0 cannot be drawn on a logarithmic axis'
    [ ! -e z.svg ]
}

@test "tables that cannot be drawn are refused with the position" {
    refuse() { printf "$1" > bad.csv; run -1 --separate-stderr halo plot bad.csv -o b.svg; says "$2"; [ ! -e \
        b.svg ]; }
    refuse 'x,y\n1,2\n1,two\n' "line 3, column 2 (y): 'two' is not a number"
    refuse 'x,y\n1,2,3\n' 'line 2 has more cells than the 2 of the first line'
    refuse 'x\n1\n' '1 column: the first and up to 20'
    refuse 'x,y\n' 'there is nothing to draw'
    refuse 'x,y\n1,1e999\n' 'inf cannot be drawn'
    refuse 'x,y\n1,\0\n' 'NUL byte'
    refuse '' 'has no rows'
    refuse 'x,y\n1,"2\n' 'line 2, column 2: a quotation mark is not closed'
    for endless in 'cat /dev/zero' 'tr "\0" a < /dev/zero'; do
        run --separate-stderr bash -c "ulimit -v 1000000; $endless | timeout 30 \"\$HALO\" plot - -o b.svg"
        [ "$status" -eq 1 ]; says 'plot: standard input: '
    done
    printf 'a%.0s,' {1..70} > bad.csv
    run -5 --separate-stderr halo plot bad.csv -o b.svg
    says 'more than 64 columns'
    printf 'x,y\n3,5\n' > one.csv
    halo plot one.csv -o one.png
    run -1 --separate-stderr halo plot one.csv -o one.png
    says 'exists'
    cp one.csv own.svg
    run -2 --separate-stderr halo plot own.svg -o own.svg -f
    says 'the input'
    cmp one.csv own.svg
    run -2 --separate-stderr halo plot
    says 'expected one input, found 0'
}

@test "tables that are drawn may have a byte order mark, quotation marks in words, and CR alone" {
    printf '\xef\xbb\xbfsize 5",n\r1,2\r2,3\r' > quote.csv
    halo plot quote.csv -o quote.svg
    grep -q '>by size 5&quot;<\|>by size 5"<' quote.svg
    printf 'what;ms\n"two\n""lines""";3\n#1;4\n' > lines.csv
    halo plot lines.csv -o lines.svg
    grep -q '>#1<' lines.svg
}

@test "a table whose rows are named is drawn as bars" {
    printf 'what,before,after\nread,40,20\n"write, all of it",,10\n' > bars.csv
    halo plot bars.csv -o bars.svg
    halo plot bars.csv -o bars.png
    grep -q '>write, all of it</text>' bars.svg
    # Three bars, in the colours of their columns, as long as their values; the empty cell has none.
    [ "$(sed -n 's/.* width="\([0-9]*\)\.00" .*fill="#1f77b4"\/>/\1/p' bars.svg | sort -n | tail -n 1)" -eq \
        "$((2 * $(sed -n 's/.* width="\([0-9]*\)\.00" .*fill="#d62728"\/>/\1/p' bars.svg | sort -n |
        tail -n 1)))" ]
    [ "$(grep -c 'fill="#1f77b4"/>' bars.svg)" -eq 2 ] # one of them in the legend
    [ "$(grep -c 'fill="#d62728"/>' bars.svg)" -eq 3 ]
    seq 200 | sed 's/.*/r&,1/' | { echo name,value; cat; } > many.csv
    run ! halo plot many.csv -o many.svg
    [[ "$output" == *"200 rows"* ]]
    printf 'a,b\nx,1\ny,z\n' > bad.csv
    run ! halo plot bad.csv -o bad.svg
    [[ "$output" == *"line 3, column 2 (b): 'z' is not a number"* ]]
}
