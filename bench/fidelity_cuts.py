"""Sound that is cut, turned, mixed, levelled and given another rate."""

import numpy as np
from scipy import signal
from scipy.io import wavfile

from fidelity import Errors, rounding
from fidelity_peers import RATE, recording
from fidelity_sound import full_scale, taps_text


def cuts(c, p):
    x = recording("f32")
    both = np.stack([x, x[::-1] / 2], axis=1)
    for call, peer_call, made in (
            ("trim:100ms,250ms", "x[4800:12000]", x[RATE // 10 : RATE // 4]),
            ("trim:100ms,length=50ms", "x[4800:7200]", x[RATE // 10 : RATE // 10 + RATE // 20]),
            ("reverse", "x[::-1]", x[::-1])):
        c.add(call, "NumPy", peer_call, "sound f32", p.halo(call, x, ".wav")[:, 0], made)
    quiet = np.concatenate([np.full(4800, 1e-3), x, np.full(2400, -1e-3), x[:100],
                            np.full(4000, 1e-3)]).astype(np.float32)
    loud = np.flatnonzero(np.abs(quiet) >= 0.01)
    ours = p.halo("silence:1%,min=20ms", quiet, ".wav")[:, 0]
    c.add("silence:1%,min=20ms", "NumPy", "x[loud[0] : loud[-1] + 1], loud = flatnonzero(abs(x) >= 0.01)",
          "sound f32", ours,
          quiet[loud[0] : loud[-1] + 1])
    one_end = "silenceremove=start_periods=1:start_threshold=0.01:detection=peak:window=0"
    c.add("silence:1%,min=20ms", "FFmpeg", f"{one_end}, areverse, and so once more", "sound f32", ours,
          p.ffmpeg(quiet, f"{one_end},areverse,{one_end},areverse"))
    c.add("channels:2,1", "NumPy", "x[:, ::-1]", "sound f32", p.halo("channels:2,1", both, ".wav"),
          np.ascontiguousarray(both[:, ::-1]))
    for call, weights in ("channels:mono", (0.5, 0.5)), ("channels:0.75*1-0.25*2", (0.75, -0.25)):
        exact = both.astype(np.float64) @ np.array(weights)
        c.add(call, "NumPy", f"x @ {weights}, f64", "sound f32", p.halo(call, both, ".wav")[:, 0], exact,
              rounding(exact, 2, 1.0))


def gains(c, p):
    x = recording("f32")
    wide = full_scale(x)
    n = RATE // 10
    ramp = np.ones(len(x))
    ramp[:n] = (np.arange(n) + 0.5) / n
    for shape, gain in (("linear", ramp), ("cosine", 0.5 - 0.5 * np.cos(np.pi * ramp))):
        exact = wide * gain
        call = f"fade:100ms,0,shape={shape}"
        slope = "(i + 0.5) / n" if shape == "linear" else "(1 - cos(pi (i + 0.5) / n)) / 2"
        c.add(call, "NumPy", f"x * {slope}, f64", "sound f32",
              p.halo(call, x, ".wav")[:, 0], exact,
              Errors("definition: halo interpolates linearly between 4097 gains", exact, 0.0, 16, 1.0))
    loud = np.tile(x, 8)
    found = p.ffmpeg_loudness(loud)[0]
    exact = full_scale(loud) * 10 ** ((-30 - found) / 20)
    c.add("loudnorm:-30", "FFmpeg", "ebur128, of x, and x * 10^((-30 - I) / 20)", "sound f32",
          p.halo("loudnorm:-30", loud, ".wav")[:, 0], exact,
          Errors("precision: FFmpeg prints I in tenths", exact, 0.0, 2, 0.006 * 2**24 / 2))
    told = p.ffmpeg_loudnorm(loud)
    gain = (f"measured_I={told['input_i']}:measured_TP={told['input_tp']}:"
            f"measured_LRA={told['input_lra']}:measured_thresh={told['input_thresh']}")
    c.add("loudnorm:-30", "FFmpeg", "loudnorm=I=-30:TP=-1:linear=true, with what a first pass measured",
          "sound f32",
          p.halo("loudnorm:-30", loud, ".wav")[:, 0],
          p.ffmpeg(loud, f"loudnorm=I=-30:TP=-1:LRA=50:linear=true:{gain}"),
          Errors("precision: FFmpeg measures I in hundredths, and halo is compared with that",
                 full_scale(loud) * 10 ** ((-30 - float(told["input_i"])) / 20),
                 8, 2, 0.0006 * 2**24 / 2))
    frames = wide[: len(wide) // 480 * 480].reshape(-1, 480)
    exact = 20 * np.log10(np.stack([np.sqrt((frames**2).mean(axis=1)), np.abs(frames).max(axis=1)], axis=1))
    c.add("level:10ms", "NumPy", "20 log10 of the RMS, and of the peak, of 480 samples, f64", "sound f32",
          p.halo("level:10ms", x, ".wav")[: len(frames)], exact, rounding(exact))


def rates(c, p):
    x = recording("f32")
    wide = full_scale(x)
    for to, up, down in (16000, 1, 3), (96000, 2, 1), (44100, 147, 160):
        reach = int(157.5 * max(up, down))
        at = np.arange(-reach, reach + 1) / max(up, down)
        taps = np.sinc(0.975 * at) * np.i0(12.375 * np.sqrt(np.maximum(0, 1 - (at / 157.5) ** 2)))
        taps *= up / taps.sum()
        exact = signal.resample_poly(wide, up, down, window=taps / up)
        ours = p.halo(f"rate:{to}", x, ".wav")[:, 0]
        c.add(f"rate:{to}", "SciPy", f"signal.resample_poly(x, {up}, {down}, window=taps), f64", "sound f32",
              ours, exact,
              rounding(exact, 400, 2.0))


def chirp(rate, seconds=0.5):
    """From 100 Hz to 5 kHz, out of silence and back: what it is at any rate is known."""
    t = np.arange(int(seconds * rate)) / rate
    return 0.8 * np.sin(np.pi * t / seconds) ** 4 * np.sin(2 * np.pi * (100 * t + 4900 * t * t / (2 * seconds)))


def rates_by_hand(c, p):
    x = chirp(RATE).astype(np.float32)
    for to in 16000, 44100, 96000:
        ours, made = p.halo(f"rate:{to}", x, ".wav")[:, 0], p.sox(x, "rate", "-v", to)
        c.add(f"rate:{to}", "SoX", f"rate -v {to}, of a sweep that is faded in and out", "sound f32", ours,
              made,
              Errors("precision: halo adds up in f32, SoX in f64",
                     chirp(to), 100, 400, 1.0))


def mixes(c, p):
    x = recording("f32") / 2
    y = x[::-3].copy()
    late = np.zeros(len(x) + RATE // 10)
    late[: len(x)] = x
    late[RATE // 10 + len(x) - len(y) :] += y
    begin = RATE // 10 + len(x) - len(y)
    side = p.write(y, ".wav")
    ours = p.halo(f"add:{side},at={begin}f", x, ".wav")[:, 0]
    c.add("add:FILE,at=Nf", "NumPy", "x, zeros behind it, += y from N on, f64", "sound f32", ours, late,
          rounding(late, 2, 1.0))
    source, out = p.write(x, ".wav"), p.path(".wav")
    p.run(["sox", "-D", "-m", "-v", 1, source, "-v", 1, f"|sox {side} -p pad {begin}s", out])
    c.add("add:FILE,at=Nf", "SoX", "-D -m -v 1 x -v 1 y, padded by N samples", "sound f32", ours,
          wavfile.read(out)[1],
          Errors("precision: SoX computes with samples of 32-bit integers", late, 4))
    taps = np.array([0.5, -0.25, 0.125, 0.7, 0.1])
    wide = full_scale(x)
    for tail, call, made in (("", "signal.lfilter(taps, 1, x), f64", signal.lfilter(taps, 1, wide)),
                             (",tail=1", "convolve(x, taps), f64", np.convolve(wide, taps))):
        c.add(f"fir:TAPS,phase=causal{tail}", "NumPy" if tail else "SciPy", call, "sound f32",
              p.halo(f"fir:{taps_text(taps)},phase=causal{tail}", x, ".wav")[:, 0], made,
              rounding(made, 5, 1.7))


def rows(c, p):
    for part in cuts, gains, rates, rates_by_hand, mixes:
        part(c, p)
