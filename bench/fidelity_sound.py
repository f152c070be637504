"""Filters of sound. halo writes f32 here; what a file of integers holds is rounded from that."""

import numpy as np
from scipy import ndimage, signal

from fidelity import Asked, Errors, bound, rounding
from fidelity_filters import MODES
from fidelity_peers import RATE, recording

KAISER = {"lowpass": (4000, True), "highpass": (2000, False), "bandpass": ((1000, 5000), False)}


def full_scale(x):
    return x.astype(np.float64) / (32768 if x.dtype == np.int16 else 1)


def taps_text(taps):
    return f'"{len(taps)}x1: {",".join(f"{tap:.9g}" for tap in taps)}"'


def convolutions(c, p):
    taps = np.hamming(63) / np.hamming(63).sum() * (1 + 0.3 * np.cos(np.arange(63)))
    taps = taps.astype(np.float32).astype(np.float64)
    path = p.path(".txt")
    path.write_text("\n".join(f"{tap:.9g}" for tap in taps) + "\n")
    for kind in "s16", "f32":
        x = recording(kind)
        wide = full_scale(x)
        exact = ndimage.convolve1d(wide, taps, mode="constant")
        ours = p.halo(f"fir:file={path},border=zero", x, ".wav")[:, 0]
        why = rounding(exact, 63, 1.3)
        c.add("fir:FILE,border=zero", "SciPy", "signal.oaconvolve(x, taps, 'same')", f"sound {kind}", ours,
              signal.oaconvolve(wide, taps, "same"), why)
        c.add("fir:FILE,border=zero", "NumPy", "convolve(x, taps, 'same'), f64", f"sound {kind}", ours,
              np.convolve(wide, taps, "same"), why)
        made = full_scale(p.sox(x, "fir", path))
        if kind == "f32":
            c.add("fir:FILE,border=zero", "SoX", "fir FILE", f"sound {kind}", ours, made,
                  Errors("precision: SoX computes with samples of 32-bit integers", exact, 32))
        else:
            levels = np.rint(ours.astype(np.float64) * 32768).astype(np.int16)
            c.add("fir:FILE,border=zero", "SoX", "-D, fir FILE", f"sound {kind}", levels, p.sox(x, "fir", path),
                  rounding(exact * 32768, 63, 1.3 * 32768))
        mirrored = ndimage.convolve1d(wide, taps, mode="mirror")
        c.add("fir:FILE", "SciPy", "ndimage.convolve1d(x, taps, mode='mirror'), f64", f"sound {kind}",
              p.halo(f"fir:file={path}", x, ".wav")[:, 0], mirrored, rounding(mirrored, 63, 1.3))
    asymmetric = np.array([0.1, 0.5, 0.3, -0.2, 0.7])
    for border, (mode, _) in MODES.items():
        exact = ndimage.correlate1d(wide, asymmetric, mode=mode)
        c.add(f"conv:mask=M,border={border}", "SciPy", f"ndimage.correlate1d(x, M, mode='{mode}'), f64",
              "sound f32",
              p.halo(f"conv:mask={taps_text(asymmetric)},border={border}", x, ".wav")[:, 0], exact,
              rounding(exact, 5, 1.8))


def smoothers(c, p):
    x = recording("f32")
    wide = full_scale(x)
    blur, mean = ndimage.gaussian_filter1d, ndimage.uniform_filter1d
    pascal = np.array([1, 4, 6, 4, 1]) / 16
    for pipeline, call, made, terms in (
            ("gauss:3", "ndimage.gaussian_filter1d(x, 3, mode='mirror')", blur(wide, 3, mode="mirror"), 25),
            ("average:49", "ndimage.uniform_filter1d(x, 49, mode='mirror')", mean(wide, 49, mode="mirror"), 49),
            ("box:49", "ndimage.uniform_filter1d(x, 49, mode='mirror')", mean(wide, 49, mode="mirror"), 49),
            ("binomial:5", "ndimage.correlate1d(x, [1, 4, 6, 4, 1] / 16, mode='mirror')",
             ndimage.correlate1d(wide, pascal, mode="mirror"), 5),
            ("envelope:49", "ndimage.uniform_filter1d(abs(x), 49, mode='mirror')",
             mean(np.abs(wide), 49, mode="mirror"), 49),
            ("preemphasis:0.97,border=zero", "signal.lfilter([1, -.97], 1, x)",
             signal.lfilter([1, -0.97], 1, wide), 2),
            ("dog:3", "gaussian_filter1d(x, 3) - gaussian_filter1d(x, 4.8)",
             blur(wide, 3, mode="mirror") - blur(wide, 4.8, mode="mirror"), 64)):
        ours = p.halo(pipeline, x, ".wav")[:, 0]
        c.add(pipeline, "SciPy", f"{call}, f64", "sound f32", ours, made, rounding(made, terms, 2.0))
    c.add("median:window=9", "SciPy", "ndimage.median_filter(x, 9, mode='mirror')", "sound f32",
          p.halo("median:window=9", x, ".wav")[:, 0], ndimage.median_filter(x, 9, mode="mirror"))
    for op, call in ("open", "grey_opening"), ("close", "grey_closing"):
        c.add(f"{op}:9", "SciPy", f"ndimage.{call}(x, 9, mode='mirror')", "sound f32",
              p.halo(f"{op}:9", x, ".wav")[:, 0], getattr(ndimage, call)(x, 9, mode="mirror"))
    c.add("median:window=9,border=zero", "SciPy", "signal.medfilt(x, 9)", "sound f32",
          p.halo("median:window=9,border=zero", x, ".wav")[:, 0], signal.medfilt(x, 9))
    c.add("gain:0.5", "SoX", "-D, vol 0.5", "sound f32", p.halo("gain:0.5", x, ".wav")[:, 0],
          p.sox(x, "vol", 0.5),
          Errors("precision: SoX computes with samples of 32-bit integers", wide * 0.5, 4))


def polynomials(c, p):
    x = recording("f32")
    wide = full_scale(x)
    for order, window in (3, 21), (4, 101):
        for halo_edge, mode in (
            (",edge=interp", "interp"),
            ("", "mirror"),
            (",border=replicate", "nearest"),
            (",border=wrap", "wrap"),
        ):
            exact = signal.savgol_filter(wide, window, order, mode=mode)
            taps = signal.savgol_coeffs(window, order)
            c.add(f"savgol:window={window},order={order}{halo_edge}", "SciPy",
                  f"signal.savgol_filter(x, {window}, {order}, mode='{mode}'), f64", "sound f32",
                  p.halo(f"savgol:window={window},order={order}{halo_edge}", x, ".wav")[:, 0], exact,
                  rounding(exact, window, 2 * np.abs(taps).sum()))


def bands(c, p):
    x = recording("f32")
    wide = full_scale(x)
    beta = signal.kaiser_beta(80)
    for op, (edges, low) in KAISER.items():
        taps = signal.firwin(255, edges, window=("kaiser", beta), pass_zero=low, fs=RATE)
        if op == "bandpass":  # firwin's gain is 1 in the middle of the band, as halo's
            assert abs(abs(np.sum(taps * np.exp(-2j * np.pi * 3000 / RATE * np.arange(255)))) - 1) < 1e-12
        exact = ndimage.convolve1d(wide, taps, mode="mirror")
        call = f"{op}:cutoff={edges},taps=255" if op != "bandpass" else "bandpass:low=1000,high=5000,taps=255"
        c.add(call, "SciPy", f"signal.firwin(255, {edges}, window=('kaiser', kaiser_beta(80))), f64",
              "sound f32",
              p.halo(call, x, ".wav")[:, 0], exact, rounding(exact, 255, np.abs(taps).sum()))
    effects = {"lowpass": ["-4000"], "highpass": ["2000"], "bandpass": ["1000-5000"]}
    for op, effect in effects.items():
        call = "bandpass:low=1000,high=5000,taps=255"
        if op != "bandpass":
            call = f"{op}:cutoff={KAISER[op][0]},taps=255"
        made = p.sox(x, "sinc", "-a", 80, "-n", 255, *effect)
        impulse = np.zeros(4001, np.float32)
        impulse[2000] = 0.5
        taps = p.sox(impulse, "sinc", "-a", 80, "-n", 255,
                     *effect).astype(np.float64)[2000 - 127 : 2000 + 128] * 2
        turned = ", and inverts the sign of a band-pass" if taps[127] < 0 else ""
        again = p.halo(f"conv:mask={taps_text(taps)},border=zero", x, ".wav")[:, 0]
        ours = p.halo(f"{call},border=zero", x, ".wav")[:, 0]
        c.add(call, "SoX", f"sinc -a 80 -n 255 {effect[0]}", "sound f32", ours, made,
              Asked(f"definition: SoX designs other taps from the same parameters{turned}; precision: its "
                    "samples are 32-bit "
                    "integers", "with its response to an impulse as the mask", again, made,
                    bound(again, 255, 8.0)))


def recursive(c, p):
    x = recording("f32")
    wide = full_scale(x)

    def beside(call, name, sos):
        for phase, peer, made in (("", "sosfiltfilt", signal.sosfiltfilt(sos, wide)),
                                  (",phase=causal", "sosfilt", signal.sosfilt(sos, wide))):
            ours = p.halo(call + phase, x, ".wav")[:, 0]
            assert np.abs(ours - made).max() < 1e-6
            c.add(call + phase, "SciPy", f"signal.{peer}({name}, x), f64", "sound f32", ours, made,
                  rounding(made, 8 * len(sos), 2.0))

    for order, kind, edges, call in (
            (4, "low", 1000, "lowpass:1kHz,design=butterworth"),
            (5, "high", 80, "highpass:80,design=butterworth,order=5"),
            (3, "band", (300, 3400), "bandpass:low=300,high=3400,design=butterworth,order=3")):
        beside(call, f"butter({order}, {edges}, '{kind}', output='sos')",
               signal.butter(order, edges, kind, fs=RATE, output="sos"))
    notches = [signal.tf2sos(*signal.iirnotch(50 * k, 30 * k, RATE)) for k in (1, 2, 3)]
    beside("notch:50Hz,harmonics=3", "iirnotch(50 k, 30 k)", np.vstack(notches))
    for call, effect in (("peak:1kHz,gain=3dB,q=2", ("equalizer", 1000, "2q", 3)),
                         ("shelf:200Hz,gain=-6dB", ("bass", -6, 200, "0.7071q")),
                         ("shelf:3kHz,gain=-4dB,side=high", ("treble", -4, 3000, "0.7071q"))):
        ours, made = p.halo(call + ",phase=causal", x, ".wav")[:, 0], p.sox(x, *effect)
        c.add(call + ",phase=causal", "SoX", " ".join(map(str, effect)), "sound f32", ours, made,
              Errors("precision: SoX computes with samples of 32-bit integers", ours.astype(np.float64), 64))


def spectra(c, p):
    x = recording("f32")
    wide = full_scale(x)
    made = 2 * np.abs(signal.stft(wide, RATE, nperseg=512, noverlap=384)[2])[::-1]
    ours = p.halo("spectrogram:window=512,scale=linear", x, ".wav")
    made = made[:, : ours.shape[1]]
    c.add("spectrogram:window=512,scale=linear", "SciPy",
          "2 abs(signal.stft(x, nperseg=512, noverlap=384)), f64", "sound f32",
          ours, made, rounding(made, 9, 2.0))


def series(c, p):
    x = recording("f32")
    wide = full_scale(x)
    rate = RATE
    for call, peer, made, terms in (
            ("psd:1024", "signal.welch(x, fs, nperseg=1024)", signal.welch(wide, rate, nperseg=1024)[1], 9),
            ("psd:1000,detrend=linear", "signal.welch(x, fs, nperseg=1000, detrend='linear')",
             signal.welch(wide, rate, nperseg=1000, detrend="linear")[1], 9),
            ("detrend", "signal.detrend(x)", signal.detrend(wide), 9),
            ("detrend:constant", "signal.detrend(x, type='constant')", 
             signal.detrend(wide, type="constant"), 9),
            ("decimate:4", "signal.decimate(x, 4)", signal.decimate(wide, 4), 9),
            ("decimate:4,method=fir", "signal.decimate(x, 4, ftype='fir')", 
             signal.decimate(wide, 4, ftype="fir"),
             81),
            ("diff:2", "numpy.diff(x, 2)", np.diff(wide, 2), 9),
            ("savgol:window=21,order=3,deriv=1,edge=interp", "signal.savgol_filter(x, 21, 3, 1)",
             signal.savgol_filter(wide, 21, 3, 1), 21),
            ("xcorr:lag=1000", "signal.correlate(x, x)[n - 1001:n + 1000]",
             signal.correlate(wide, wide)[len(wide) - 1001:len(wide) + 1000], 9)):
        ours = p.halo(call, x, ".wav").reshape(-1)
        c.add(call, "SciPy", f"{peer}, f64", "sound f32", ours, made,
              rounding(made, terms, max(2.0, np.abs(made).max())))


def rows(c, p):
    for part in convolutions, smoothers, polynomials, bands, recursive, spectra, series:
        part(c, p)
