#!/usr/bin/env bash
# bench/batch.sh HALO FOLDER RESULTS [VIPS]: a batch of photograph-like PNG through gauss:2, stage by stage, on
# the GPU and on the cores alone, each beside its slowest stage; then the same files by libvips, one process a
# file, as many at a time as there are cores. FOLDER takes the files: best in memory. FILES and SIZE say how
# many, and how large.
set -euo pipefail
halo=$1 folder=$2 results=$3 vips=${4:-vips}
files=${FILES:-256} size=${SIZE:-2048x1536}
here=$(dirname "$0")
mkdir -p "$folder/in" "$folder/out"
python3 "$here/photo.py" "$size" > "$folder/photo.ppm"
"$halo" run '' "$folder/photo.ppm" -o "$folder/in/1.png" -f
for ((i = 2; i <= files; i++)); do cp "$folder/in/1.png" "$folder/in/$i.png"; done
: > "$results"
export TMPDIR=$folder
for device in gpu cpu; do
    for pipeline in gauss:2 'conv:mask="15x15: '"$(printf '1,%.0s' {1..224})1"'",normalize=1'; do
        "$halo" bench batch "$pipeline" "$folder"/in/*.png --device "$device" --json >> "$results" ||
            echo "no $device" >&2
    done
done
if command -v "$vips" > /dev/null; then
    begin=$(date +%s.%N)
    (cd "$folder/in" && printf '%s\n' *.png |
        VIPS_CONCURRENCY=1 xargs -P "$(nproc)" -I{} "$vips" gaussblur {} "../out/{}" 2)
    end=$(date +%s.%N)
    echo "$begin $end $files" | awk '{ printf "{\"type\":\"batch\",\"peer\":\"vips gaussblur\",\"files\":%d,\"seconds\":%.3f,\"files_per_second\":%.2f}\n",
        $3, $2 - $1, $3 / ($2 - $1) }' >> "$results"
fi
python3 - "$results" << 'END'
import json, sys
for row in map(json.loads, open(sys.argv[1], encoding="utf-8")):
    if "peer" in row:
        print(f'{row["peer"]:28} {row["files_per_second"]:8.1f} files/s')
        continue
    print(f'{row["pipeline"][:16]:16} {row["backend"]:5} {row["workers"]:3} workers {row["files_per_second"]:8.1f} files/s, '
          f'{row["of_slowest"]:.2f} of the slowest stage; ms a file: '
          + ", ".join(f"{key} {ms:.2f}" for key, ms in row["ms"].items() if ms))
END
