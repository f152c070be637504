# Recursive filters: against SciPy, in blocks, and their messages.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

@test "Butterworth filters and notches are SciPy's, both ways and causal" {
    need scipy.signal
    make_wav a.wav 3000
    halo run '' a.wav -o a.npy
    while IFS=';' read -r call sos; do
        for phase in zero causal; do
            halo run "$call,phase=$phase" a.wav -o b.npy --force
            npy "import scipy.signal as s
sos = $sos
peer = s.sosfiltfilt if '$phase' == 'zero' else s.sosfilt
assert np.abs(peer(sos, a.astype(float), axis=0) - b).max() < 1e-6"
        done
    done << 'SOS'
lowpass:1kHz,design=butterworth;s.butter(4, 1000, fs=8000, output='sos')
lowpass:2kHz,design=butterworth,order=1;s.butter(1, 2000, fs=8000, output='sos')
highpass:80,design=butterworth,order=5;s.butter(5, 80, 'high', fs=8000, output='sos')
bandpass:low=300,high=3400,design=butterworth,order=3;s.butter(3, (300, 3400), 'band', fs=8000, output='sos')
notch:50Hz,q=10,harmonics=4;np.vstack([s.tf2sos(*s.iirnotch(50 * k, 10 * k, 8000)) for k in range(1, 5)])
SOS
}

@test "causal filters carry their state from block to block, also with --latency" {
    make_wav a.wav 6000
    pipeline='lowpass:900,design=butterworth,phase=causal | gauss:2 | notch:50Hz,phase=causal'
    halo run "$pipeline" a.wav -o whole.wav
    for memory in 120k 200k; do
        halo run "$pipeline" a.wav -o bands.wav -f --max-memory $memory
        cmp whole.wav bands.wav
    done
    halo run "$pipeline" a.wav -o whole.raw --to raw
    # shellcheck disable=SC2002
    cat a.wav | halo run "$pipeline" - -o - --to raw | cat > piped.raw
    cmp whole.raw piped.raw
    halo run --explain 'notch:50Hz,phase=causal' a.wav -o b.wav | grep -q '1 recursive section, causal'
}

@test "parameters that contradict each other are reported" {
    make_wav a.wav 100
    for bad in 'lowpass:1kHz,order=4' 'lowpass:1kHz,design=butterworth,taps=5' \
        'lowpass:1kHz,design=butterworth,border=zero' \
        'highpass:1kHz,phase=causal' 'notch:50kHz' 'peak:1kHz,gain=0' 'notch:50Hz,q=0.001'; do
        run --separate-stderr halo run "$bad" a.wav -o b.wav
        [ "$status" -eq 2 ]
        [ ! -e b.wav ]
    done
}

@test "long sound on a pipe is filtered both ways in little memory, with the bytes of a file" {
    head -c 18000000 /dev/urandom > noise.raw
    halo run --raw s16le,48000,1 'notch:50' noise.raw -o file.wav
    # shellcheck disable=SC2002
    cat noise.raw | halo run --raw s16le,48000,1 'notch:50' - -o pipe.wav --max-memory 24M
    cmp file.wav pipe.wav
}
