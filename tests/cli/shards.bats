# Many machines: the selection of inputs, the parts, and totals that do not depend on them.
# shellcheck disable=SC2016,SC2002,SC2154
setup() {
    load common; common_setup
    mkdir -p in/sub/thumbs
    for i in 1 2 3 4 5 6 7; do make_gray in/$i.pgm $((10 + i)) 7 $((50 + i)); done
    for i in 1 2 3; do make_rgb in/sub/c$i.ppm $((5 + i)) 4; done
    make_gray in/sub/thumbs/1.pgm 3 3
}

@test "--include and --exclude, by name and by path, of walks and of lists" {
    run halo run '' in -r --out-dir out -n --exclude thumbs --include '*[12].p?m'
    [ "$output" = \
        $'in/1.pgm -> out/1.pgm\nin/2.pgm -> out/2.pgm\nin/sub/c1.ppm -> out/sub/c1.ppm\nin/sub/c2.ppm -> out/sub/c2.ppm' ]
    run halo run '' in -r --out-dir out -n --include 'sub/*' --exclude '*/thumbs/*'
    [ "${#lines[@]}" -eq 3 ]
    run halo run '' in/*.pgm --out-dir out -n --include 3.pgm --include 4.pgm
    [ "${#lines[@]}" -eq 2 ]
    run --separate-stderr bash -c \
        'find in -name "*.p?m" -print0 | "$HALO" stats --files0-from - --exclude "*.pgm" --json'
    [ "${#lines[@]}" -eq 3 ]
    run --separate-stderr halo stats in -r --include '*.xyz'
    [ "$status" -eq 1 ]; says "--include and --exclude leave no input"
}

@test "raw samples in folders need no known extension" {
    mkdir raw; head -c 12 /dev/zero > raw/a.dat; head -c 12 /dev/zero > raw/b
    run halo stats raw -r --raw u8:4x3 --json
    [ "${#lines[@]}" -eq 2 ]
}

@test "{index:04}" {
    run halo run '' in/1.pgm in/2.pgm --out-dir out -n --name '{stem}_{index:04}.{ext}'
    [ "${lines[1]}" = "in/2.pgm -> out/2_0002.pgm" ]
    run --separate-stderr halo run '' in/1.pgm --out-dir out -n --name '{stem:04}'
    [ "$status" -eq 2 ]; says "{index:04}"
}

@test "parts are disjoint and complete, and names are those of the whole" {
    halo run '' in -r --out-dir out -n --name '{index}_{stem}.{ext}' > whole
    for n in 1 2 3 5 11 20; do
        for ((i = 1; i <= n; i++)); do halo run '' in -r --out-dir out -n --name '{index}_{stem}.{ext}' \
            --shard $i/$n; done > parts
        cmp whole parts
    done
}

# VARIABLE=VALUE… of which the last is the index, then the indices: all tasks together process what is in
# `whole`.
tasks() {
    local -a set=("$@"); local index=${set[-1]} id
    unset "set[-1]"
    for id in $index; do
        env "${set[@]}$id" "$HALO" run '' in -r --out-dir out -n --shard auto
    done > parts
    cmp whole parts
}
refused() { # VARIABLE=VALUE… MESSAGE
    run --separate-stderr env "${@:1:$#-1}" "$HALO" run '' in -r --out-dir out -n --shard auto
    [ "$status" -eq 2 ]; says "${!#}"
}

@test "--shard auto: arrays of Slurm, SGE, LSF, PBS, AWS, Google and Kubernetes" {
    halo run '' in -r --out-dir out -n > whole
    tasks SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=20 SLURM_ARRAY_TASK_STEP=5 SLURM_ARRAY_TASK_COUNT=3 \
        SLURM_PROCID=0 SLURM_ARRAY_TASK_ID= '10 15 20'
    tasks SGE_TASK_FIRST=2 SGE_TASK_LAST=9 SGE_TASK_STEPSIZE=3 SGE_TASK_ID= '2 5 8' # the last need not be one
    tasks LSB_JOBINDEX_END=4 LSB_JOBINDEX_STEP=1 LSB_JOBNAME='a[1-4]' LSB_JOBINDEX= '1 2 3 4'
    tasks LSB_JOBINDEX_END=10 LSB_JOBINDEX_STEP=1 LSB_JOBNAME='a[5-10]%2' LSB_JOBINDEX= '5 6 7 8 9 10'
    tasks LSB_JOBINDEX_END=9 LSB_JOBINDEX_STEP=3 LSB_JOBNAME='a[2-9:3]' LSB_JOBINDEX= '2 5 8'
    tasks LSB_JOBINDEX_END=8 LSB_JOBINDEX_STEP=3 LSB_JOBNAME=a HALO_SHARDS=3 LSB_JOBINDEX= '2 5 8'
    tasks HALO_SHARDS=2 LSB_JOBINDEX= '1 2'
    tasks HALO_SHARDS=3 PBS_ARRAY_INDEX= '1 2 3'
    tasks HALO_SHARDS=3 PBS_ARRAYID= '1 2 3'
    tasks AWS_BATCH_JOB_ARRAY_SIZE=3 AWS_BATCH_JOB_ARRAY_INDEX= '0 1 2'
    tasks BATCH_TASK_COUNT=2 BATCH_TASK_INDEX= '0 1'
    tasks CLOUD_RUN_TASK_COUNT=1 CLOUD_RUN_TASK_INDEX= 0
    tasks HALO_SHARDS=4 JOB_COMPLETION_INDEX= '0 1 2 3'
}

@test "--shard auto: the tasks of an srun, alone and in each task of an array" {
    halo run '' in -r --out-dir out -n > whole
    tasks SLURM_STEP_NUM_TASKS=3 SLURM_PROCID= '0 1 2'
    local -a array=(SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=2)
    for id in 1 2; do for task in 0 1 2; do
        env "${array[@]}" SLURM_ARRAY_TASK_ID=$id SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=$task \
            "$HALO" run '' in -r --out-dir out -n --shard auto
    done; done > parts
    cmp whole parts
    # A batch script has a SLURM_PROCID without srun, too.
    refused SLURM_PROCID=0 SLURM_NTASKS=4 'auto needs a scheduler'
}

@test "--shard auto: -v names the variable" {
    run --separate-stderr env AWS_BATCH_JOB_ARRAY_INDEX=1 AWS_BATCH_JOB_ARRAY_SIZE=5 \
        "$HALO" stats in -r --shard auto -v
    [ "$status" -eq 0 ]; says 'shard 2 of 5, by AWS_BATCH_JOB_ARRAY_INDEX'
    run --separate-stderr env SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 SGE_TASK_ID=undefined LSB_JOBINDEX=0 \
        "$HALO" stats in -r --shard auto -v
    [ "$status" -eq 0 ]; says 'shard 2 of 2, by SLURM_PROCID'
}

@test "--shard auto: what does not add up is refused" {
    refused X=1 'SLURM_ARRAY_TASK_ID'
    refused X=1 'JOB_COMPLETION_INDEX'
    refused JOB_COMPLETION_INDEX=1 'set HALO_SHARDS to it'
    refused JOB_COMPLETION_INDEX=4 HALO_SHARDS=4 'is 4, which is not among the indices of 4 tasks from 0'
    refused PBS_ARRAY_INDEX=0 HALO_SHARDS=4 \
        'PBS_ARRAY_INDEX is 0, which is not among the indices of 4 tasks from 1'
    refused SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 'SLURM_ARRAY_TASK_MAX is not set'
    refused SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=3 \
        'not evenly spaced'
    refused SGE_TASK_ID=3 SGE_TASK_FIRST=1 SGE_TASK_LAST=9 SGE_TASK_STEPSIZE=0 'SGE_TASK_STEPSIZE is 0'
    refused SGE_TASK_ID=3 SGE_TASK_FIRST=1 SGE_TASK_LAST=9 SGE_TASK_STEPSIZE=4 \
        'SGE_TASK_ID is 3, which is not'
    # LSF has no variable for the first index.
    local -a lsf=(LSB_JOBINDEX=5 LSB_JOBINDEX_END=10 LSB_JOBINDEX_STEP=1)
    refused "${lsf[@]}" 'nothing tells its first value: set HALO_SHARDS'
    refused "${lsf[@]}" LSB_JOBNAME='a[5]' 'nothing tells its first value'
    refused "${lsf[@]}" LSB_JOBNAME='a[1-2,5-10]' 'not evenly spaced'
    refused "${lsf[@]}" LSB_JOBNAME='a[5-12]' 'but LSB_JOBINDEX_END is 10'
    refused "${lsf[@]}" LSB_JOBNAME='a[5-10:2]' 'in steps of 1'
    refused "${lsf[@]}" LSB_JOBNAME='a[5-10]' HALO_SHARDS=7 'LSB_JOBINDEX has 6 tasks'
    refused "${lsf[@]}" HALO_SHARDS=5 'is 5, which is not among the indices of 5 tasks from 6'
    refused "${lsf[@]}" HALO_SHARDS=11 'HALO_SHARDS is 11, but LSB_JOBINDEX_END is 10'
    refused BATCH_TASK_INDEX=3 'BATCH_TASK_COUNT is not set'
    refused BATCH_TASK_INDEX=x BATCH_TASK_COUNT=4 "BATCH_TASK_INDEX is 'x', not a number"
    refused BATCH_TASK_INDEX=0 BATCH_TASK_COUNT=4 AWS_BATCH_JOB_ARRAY_INDEX=0 \
        'both AWS_BATCH_JOB_ARRAY_INDEX and'
    refused BATCH_TASK_INDEX=1 BATCH_TASK_COUNT=4 HALO_SHARDS=8 \
        'HALO_SHARDS is 8, but BATCH_TASK_INDEX has 4 tasks'
    # One task of an array, submitted again.
    refused SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=7 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=1 \
        HALO_SHARDS=64 'HALO_SHARDS is 64, but SLURM_ARRAY_TASK_ID has 1 task:'
    refused SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1000000000 AWS_BATCH_JOB_ARRAY_INDEX=0 \
        AWS_BATCH_JOB_ARRAY_SIZE=2 'the limit is'
    for bad in 0/3 4/3 3 3/ /3 a/b 1/3x -1/3 1/99999999999; do
        run --separate-stderr halo stats in -r --shard "$bad"
        [ "$status" -eq 2 ]; says "expected i/n"
    done
}

@test "samples/slurm.sh: what Slurm granted, and statistics in spite of a bad input" {
    mkdir bin
    printf '#!/bin/sh\nshift 2\necho "$@" >> said\nexec "$@"\n' > bin/srun
    chmod +x bin/srun
    ln -s "$HALO" bin/halo
    echo broken > in/bad.png
    for id in 1 2; do
        run env PATH="$PWD/bin:$PATH" SLURM_ARRAY_TASK_ID=$id SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=2 \
            SLURM_ARRAY_TASK_COUNT=2 SLURM_CPUS_PER_TASK=2 SLURM_MEM_PER_CPU=100 \
            "$BATS_TEST_DIRNAME/../../samples/slurm.sh" in out
        [ "$status" -eq $((id == 2)) ]
    done
    [ "$(grep -c -- '-j 2 --max-memory 157286400' said)" -eq 4 ]
    [ "$(ls out/images/*.p?m out/images/*/*.p?m out/images/*/*/*.pgm | wc -l)" -eq 11 ]
    run --separate-stderr halo merge out/stats/*.json
    [ "$status" -eq 1 ]
    printf '%s\n' "$output" > merged
    halo stats in -r --total --json | cmp - merged
}

# Kinds that do not mix: two depths, colours, floats, sound; and a file that fails.
mixed() {
    halo run 'gain:1.7|depth:f32' in/3.pgm -o in/f3.pfm
    halo run 'gain:0.1|depth:f32' in/4.pgm -o in/f4.pfm
    halo run 'gain:0.3|depth:f32' in/7.pgm -o in/sub/f7.pfm
    halo run 'offset:-9|depth:f32' in/6.pgm -o in/sub/f6.pfm
    make_wav in/s1.wav 500; make_wav in/sub/s2.wav 900
    make_gray in/deep.pgm 9 9 65535
    echo broken > in/sub/bad.png
}

@test "halo merge: the parts' outputs are one machine's, to the byte" {
    mixed
    for command in 'stats' 'hist --bins 5' 'run stats|hist:bins=3'; do
        # shellcheck disable=SC2086
        run --separate-stderr halo $command in -r --total --json
        [ "$status" -eq 1 ]
        printf '%s\n' "$output" > one.json
        [ "$(grep -c '"file":null' one.json)" -ge 4 ]
        for n in 1 3 7 30; do
            rm -f part*.json
            for ((i = 1; i <= n; i++)); do
                # shellcheck disable=SC2086
                halo $command in -r --total --json --shard $i/$n > part$i.json 2> said.txt || [ $? -eq 1 ]
            done
            # shellcheck disable=SC2046
            run --separate-stderr halo merge $(ls part*.json | sort -r)
            [ "$status" -eq 1 ]; says "1 of "
            printf '%s\n' "$output" | cmp - one.json
        done
    done
}

@test "--total is what NumPy makes of all samples" {
    need_numpy
    rm -r in/sub/thumbs
    for f in in/*.pgm; do halo run '' "$f" -o "$f.npy" ; halo run 'gain:0.37|depth:f32' "$f" -o "$f.pfm"; halo \
        run '' "$f.pfm" -o "$f.f.npy"; done
    halo stats in/*.pgm in/*.pfm --total --json | grep '"file":null' > totals.json
    halo hist in/*.pgm --bins 7 --total --json | tail -1 > hist.json
    "$PYTHON" - << 'ENDPY'
import glob, json, math
import numpy as np
for line, pattern in zip(open('totals.json'), ('in/?.pgm.npy', 'in/*.f.npy')):
    r = json.loads(line)
    files = sorted(glob.glob(pattern))
    arrays = [np.load(f).astype(np.float64) for f in files]
    v = np.concatenate([a.ravel() for a in arrays])
    c = r['all']
    assert r['files'] == len(files) == 7 and c['count'] == v.size
    assert c['min'] == v.min() and c['max'] == v.max()
    for key, best in (('min', v.min()), ('max', v.max())):
        k = next(i for i, a in enumerate(arrays) if best in a)
        y, x = np.argwhere(arrays[k] == best)[0]
        assert c[key + '_at'] == [x, y] and c[key + '_file'][:8] == files[k][:8], key
    assert math.isclose(c['sum'], math.fsum(v), rel_tol=1e-12)
    assert math.isclose(c['mean'], v.mean(), rel_tol=1e-12)
    assert math.isclose(c['sd'], v.std(), rel_tol=1e-12)
    assert math.isclose(c['rms'], math.sqrt((v * v).mean()), rel_tol=1e-12)
    assert c['zero'] == int((v == 0).sum())
h = json.load(open('hist.json'))
v = np.concatenate([np.load(f).ravel() for f in sorted(glob.glob('in/?.pgm.npy'))])
assert h['files'] == 7 and h['channel'][0]['counts'] == np.histogram(v, bins=7, range=(0, 256))[0].tolist()
ENDPY
}

@test "--total as text, and with outputs" {
    run halo stats in/1.pgm in/2.pgm --total
    [[ "$output" == *"2 files together: image, gray, u8"* && "$output" == *"min in in/"* ]]
    run halo run 'stats | gauss:1' in -r --out-dir out --total --json
    [ "$status" -eq 0 ]
    [[ "${lines[-3]}" == '{"type":"stats","file":null,"files":8,"kind":"image","channels":1,"dtype":"u8",'* ]]
    [[ "${lines[-2]}" == '{"type":"stats","file":null,"files":3,"kind":"image","channels":3,"dtype":"u8",'* ]]
    [[ "${lines[-1]}" == '{"type":"summary",'* ]]
}

@test "merging outputs: the summaries add up" {
    for i in 1 2; do halo run gauss:1 in -r --out-dir out --json --shard $i/2 > $i.json; done
    run halo merge 2.json 1.json
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 12 ]
    [[ "${lines[11]}" == '{"type":"summary","ok":11,"failed":0,"skipped":0,'*'"backend":"cpu"'* ]]
    halo run gauss:1 in -r --out-dir out2 --json | sed 's/"ms".*//; s/out2/out/; /summary/d' > one
    printf '%s\n' "${lines[@]:0:11}" | sed 's/"ms".*//' | cmp - one
    sed -i '/"summary"/ s/"backend":"cpu","device":"[^"]*"/"backend":"cuda","device":"A GPU"/' 2.json
    run halo merge 1.json 2.json
    [[ "${lines[11]}" == *'"backend":"several","device":"'*'; A GPU"'* ]]
}

@test "halo merge refuses incomplete batches and garbage" {
    for i in 1 2 3; do halo stats in -r --total --json --shard $i/3 > $i.json; done
    halo stats in -r --total --json --shard 1/2 > half.json
    halo hist in -r --total --json --shard 2/3 > other.json
    refused() { run --separate-stderr halo merge "${@:2}"; [ "$status" -eq 1 ]; says "$1"; }
    refused "shard 2 of 3 is missing" 1.json 3.json
    refused "shard 3 of 3 is missing" 1.json 2.json
    refused "are both shard 1" 1.json 1.json 2.json 3.json
    refused "not shards of the same batch" 1.json half.json
    refused "not shards of the same batch" 1.json other.json 3.json
    refused "none.json: No such file" 1.json none.json
    head -n 1 2.json > first.json
    refused "first.json: is incomplete: the last object that 'halo … --shard i/n --json' prints is missing" \
        1.json first.json 3.json
    refused "in/1.pgm: line 1: character 1: expected a value" 1.json in/1.pgm 3.json
    head -c -40 2.json > torn.json
    refused "torn.json: line $(wc -l < 2.json): character " 1.json torn.json 3.json
    printf '{"type":"result"}\n\n{"type":"shard" "shard":2}\n' > typed.json
    refused 'typed.json: line 3: character 17: expected a comma' 1.json typed.json 3.json
    sed 's/"count":[0-9]*/"count":"x"/g' 2.json > text.json
    refused 'text.json: "count" is missing or not an integer' 1.json text.json 3.json
    sed 's/"at":[0-9]*,"channel"/"at":0,"channel"/g' 2.json > overlap.json
    refused "overlap" 1.json overlap.json 3.json
    sed 's/"channels":3/"channels":400000000/; s/"shard":\[/"shard":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[/' \
        2.json > wide.json
    run --separate-stderr halo merge 1.json wide.json 3.json
    [ "$status" -eq 0 ] || [ "$status" -eq 1 ]
    { printf '{"type":"shard",'; head -c 500 /dev/zero | tr '\0' '['; } > deep.json
    refused "deep.json: " 1.json deep.json 3.json
    { printf '{"type":"shard","a":'; head -c 500 /dev/zero | tr '\0' '['; } > deep.json
    refused "too deep" 1.json deep.json 3.json
    run --separate-stderr halo merge
    [ "$status" -eq 2 ]; says "the shards are missing"
}

# The last line of a part with one member changed at a time: null, gone, of another type, out of any range.
@test "merge: any member is merged or refused by its name" {
    command -v python3 > /dev/null || skip "there is no python3"
    halo stats in/1.pgm in/2.pgm --total --json --shard 1/1 > stats.json
    halo hist --bins 3 in/1.pgm in/2.pgm --total --json --shard 1/1 > hist.json
    run python3 - << 'END'
import copy, json, os, subprocess, sys
wrong, gone = 0, object()
def members(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield path + (key,)
        yield from members(inner, path + (key,))
def changed(record, path, value):
    record = copy.deepcopy(record)
    at = record
    for key in path[:-1]: at = at[key]
    if value is gone: del at[path[-1]]
    else: at[path[-1]] = value
    return record
for name in 'stats.json', 'hist.json':
    lines = open(name).read().splitlines()
    record = json.loads(lines[-1])
    for path in members(record):
        for value in None, gone, {}, [], 'x', True, -1, 2 ** 63 - 1, 2 ** 64, 1e300:
            if path == ('type',): continue
            text = '\n'.join(lines[:-1]
                + [json.dumps(changed(record, path, value), separators=(',', ':'))]) + '\n'
            open('part.json', 'w').write(text)
            done = subprocess.run([os.environ['HALO'], 'merge', 'part.json'], capture_output=True, text=True)
            needed = value in (None, {}) and path[-1] not in ('sum', 'mean', 'm2', 'product')
            needed = needed or value is gone and isinstance(path[-1], str)
            refused = done.returncode == 1 and done.stderr.startswith('halo: merge: part.json: ')
            fine = done.returncode == 0 and not needed or refused
            if not fine:
                wrong += 1
                print(name, path, value, done.returncode, done.stderr)
sys.exit(wrong > 0)
END
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "parts from pipes are merged to the same bytes; endless ones are refused in little memory" {
    for i in 1 2; do halo stats in -r --total --json --shard $i/2 > $i.json; done
    halo merge 1.json 2.json > files.json
    halo merge <(cat 1.json) <(cat 2.json) > pipes.json
    cmp files.json pipes.json
    refused() { run --separate-stderr bash -c "ulimit -v 2000000; timeout 30 $1"; [ "$status" -eq "$2" ]; says \
        "$3"; }
    refused '"$HALO" merge /dev/zero' 1 "/dev/zero: contains a NUL byte: it is not JSON"
    run --separate-stderr bash -c '"$HALO" merge 1.json 2.json > /dev/full'
    [ "$status" -eq 4 ]; says "cannot write standard output"
}

@test "a list with zero bytes is no list of lines" {
    printf 'in/1.pgm\0in/2.pgm\0' > list
    run --separate-stderr halo stats --files-from list
    [ "$status" -eq 1 ]; says "list: contains NUL bytes: use --files0-from for such a list"
    run halo stats --files0-from list --json
    [ "${#lines[@]}" -eq 2 ]
}

@test "merge: a line with control characters, or that is no UTF-8, is damaged" {
    make_gray a.pgm 9 9
    halo stats --shard 1/1 --json a.pgm > part.json
    for byte in '\001' '\377'; do
        { printf '{"type":"x","a":"'; printf "$byte"; printf '"}\n'; cat part.json; } > bad.json
        run --separate-stderr halo merge bad.json
        [ "$status" -ne 0 ]; says "bad.json: line 1 contains bytes invalid in JSON: it is damaged"
    done
}
