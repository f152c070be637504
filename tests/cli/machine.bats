# Limits of the system: small stacks, some of the processors, no memory for the loader of libraries.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# The main thread has 128 KiB of stack, with arguments and environment in it; other threads have one of a stated
# size.
small_stack() {
    (ulimit -s 128; exec env -i LC_ALL=C.UTF-8 "$HALO" "$@") || { echo "exit $?: $*"; return 1; }
}

@test "a stack of 128 KiB is enough to read and write every picture" {
    make_rgb in.ppm 150 130
    for name in png jpg tif ppm pam pfm npy bmp tga hdr qoi; do
        op=gauss:1; [ $name != hdr ] || op='depth:f32'
        small_stack run "$op" in.ppm -o "out.$name"
        small_stack stats --full "out.$name" > /dev/null
    done
    small_stack run 'gray | threshold:99' in.ppm -o out.pbm
    for jobs in 1 3; do
        small_stack run gauss:2 in.ppm --tile 64 --pyramid -o tiled.tif -f -j $jobs
        small_stack run 'clahe | median:5' tiled.tif -o out.png -f -j $jobs
        small_stack stack median in.ppm out.png tiled.tif -o out.tif -f -j $jobs
        small_stack stack mean:clip=2 in.ppm out.png tiled.tif -o out.tif -f -j $jobs
        small_stack run 'subtract:[gauss:20] | normalize:percentiles=1,99' in.ppm -o out.npy -f -j $jobs
        small_stack run 'depth:f32 | scan' in.ppm -o out.npy -f -j $jobs
        small_stack run --out-dir o --resume --to tif sharpen in.ppm out.png tiled.tif -f -j $jobs
        small_stack hist in.ppm --plot hist.png -f -j $jobs > /dev/null
        small_stack run 'reduce:expr="min(a,b)*1",map="v*v+1"' in.ppm -j $jobs > /dev/null
        small_stack compare in.ppm in.ppm -j $jobs > /dev/null
    done
}

@test "a stack of 128 KiB is enough to read and write every sound" {
    head -c 40000 /dev/urandom > in.raw
    halo run '' --raw s16,8000,1 in.raw -o in.wav
    for name in wav w64 flac aiff au ogg opus npy csv; do
        small_stack run gain:0.5 in.wav -o "out.$name" -j 1
        small_stack stats --full "out.$name" > /dev/null
    done
    small_stack run 'highpass:1kHz,design=butterworth | loudnorm | silence' in.wav -o out.wav -f
    small_stack run spectrogram in.wav -o out.png
    small_stack run level in.wav --plot out.svg -f > /dev/null
    small_stack join in.wav out.wav -o joined.wav
}

@test "threads follow the affinity mask, and --explain says how many and how much memory" {
    command -v taskset > /dev/null || skip "there is no taskset"
    make_gray in.pgm 20 20
    first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    taskset -c "$first" "$HALO" run --explain gauss:2 in.pgm -o out.pgm > said
    grep -E '^jobs    1 thread \(' said
    [ "$(nproc --all)" -eq 1 ] ||
        grep -E "1 of the machine's [0-9]+ processors may be used|a cgroup's quota" said
    grep -E "^limit   [0-9.]+ MB in memory \(three quarters of (the machine's|a cgroup's limit), .* MiB\)" said
    taskset -c "$first" "$HALO" list devices | grep -E '^cpu .*, 1 thread$'
    cp in.pgm b.pgm
    halo run --explain gauss:2 in.pgm b.pgm --out-dir o --max-memory 20M -j 2 > said
    grep -x 'jobs    1 thread for each of 2 files at a time (--jobs)' said
    grep -Ex 'limit   1[0-9.]+ MB in memory for each of them \(--max-memory\)' said
}
