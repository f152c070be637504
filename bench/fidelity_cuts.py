"""Sound that is cut, turned, mixed, levelled and given another rate."""

import numpy as np
from scipy import signal

from fidelity import Errors, rounding
from fidelity_peers import RATE, recording
from fidelity_sound import full_scale


def cuts(c, p):
    x = recording("f32")
    both = np.stack([x, x[::-1] / 2], axis=1)
    for call, peer_call, made in (
            ("trim:100ms,250ms", "x[4800:12000]", x[RATE // 10 : RATE // 4]),
            ("trim:100ms,length=50ms", "x[4800:7200]", x[RATE // 10 : RATE // 10 + RATE // 20]),
            ("reverse", "x[::-1]", x[::-1])):
        c.add(call, "NumPy", peer_call, "sound f32", p.halo(call, x, ".wav")[:, 0], made)
    quiet = np.concatenate([np.full(4800, 1e-3), x, np.full(2400, -1e-3), x[:100], np.full(4000, 1e-3)]).astype(np.float32)
    loud = np.flatnonzero(np.abs(quiet) >= 0.01)
    ours = p.halo("silence:1%,min=20ms", quiet, ".wav")[:, 0]
    c.add("silence:1%,min=20ms", "NumPy", "x[loud[0] : loud[-1] + 1], loud = flatnonzero(abs(x) >= 0.01)", "sound f32", ours,
          quiet[loud[0] : loud[-1] + 1])
    one_end = "silenceremove=start_periods=1:start_threshold=0.01:detection=peak:window=0"
    c.add("silence:1%,min=20ms", "FFmpeg", f"{one_end}, areverse, and so once more", "sound f32", ours,
          p.ffmpeg(quiet, f"{one_end},areverse,{one_end},areverse"))
    c.add("channels:2,1", "NumPy", "x[:, ::-1]", "sound f32", p.halo("channels:2,1", both, ".wav"),
          np.ascontiguousarray(both[:, ::-1]))
    for call, weights in ("channels:mono", (0.5, 0.5)), ("channels:0.75*1-0.25*2", (0.75, -0.25)):
        exact = both.astype(np.float64) @ np.array(weights)
        c.add(call, "NumPy", f"x @ {weights}, f64", "sound f32", p.halo(call, both, ".wav")[:, 0], exact, rounding(exact, 2, 1.0))


def gains(c, p):
    x = recording("f32")
    wide = full_scale(x)
    n = RATE // 10
    ramp = np.ones(len(x))
    ramp[:n] = (np.arange(n) + 0.5) / n
    for shape, gain in (("linear", ramp), ("cosine", 0.5 - 0.5 * np.cos(np.pi * ramp))):
        exact = wide * gain
        call = f"fade:100ms,0,shape={shape}"
        c.add(call, "NumPy", f"x * {'(i + 0.5) / n' if shape == 'linear' else '(1 - cos(pi (i + 0.5) / n)) / 2'}, f64", "sound f32",
              p.halo(call, x, ".wav")[:, 0], exact,
              Errors("definition: between 4097 gains halo goes in straight lines", exact, 0.0, 16, 1.0))
    loud = np.tile(x, 8)
    found = p.ffmpeg_loudness(loud)
    exact = full_scale(loud) * 10 ** ((-30 - found) / 20)
    c.add("loudnorm:-30", "FFmpeg", "ebur128, of x, and x * 10^((-30 - I) / 20)", "sound f32",
          p.halo("loudnorm:-30", loud, ".wav")[:, 0], exact,
          Errors("precision: FFmpeg says I in tenths", exact, 0.0, 2, 0.006 * 2**24 / 2))
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
        c.add(f"rate:{to}", "SciPy", f"signal.resample_poly(x, {up}, {down}, window=taps), f64", "sound f32", ours, exact,
              rounding(exact, 400, 2.0))


def rows(c, p):
    for part in cuts, gains, rates:
        part(c, p)
