"""Repair, tempo and dither beside programs that choose other samples: what they are used for is measured."""

import numpy as np
from scipy import signal
from scipy.io import wavfile

from fidelity import Errors
from fidelity_cuts import chirp
from fidelity_peers import RATE, recording
from fidelity_sound import full_scale


def level(x):
    return 10 * np.log10(np.mean(np.square(x)) + 1e-30)


def prompt(x, like):
    """Without the delay of the program that made it."""
    lags = signal.correlate(x[: len(like)], like)
    delay = int(np.argmax(lags)) - len(like) + 1
    return np.pad(np.roll(x, -delay)[: len(like)], (0, max(0, len(like) - len(x))))


def chords(seconds=4.0):
    """Notes of eight partials that decay, a half second each, and silence in the first half second."""
    t, out = np.arange(int(RATE / 2)) / RATE, [np.zeros(RATE // 2)]
    for note in range(int(2 * seconds) - 1):
        root = 220 * 2 ** ((5 * note % 12) / 12)
        out.append(sum(np.sin(2 * np.pi * root * k * t + k) * np.exp(-3 * k * t) / k for k in range(1, 9)))
    x = np.concatenate(out)
    return 0.6 * x / np.abs(x).max()


def denoisers(c, p):
    clean = chords()
    noisy = (clean + 0.01 * np.random.default_rng(6).normal(size=len(clean))).astype(np.float32)
    quiet, loud = slice(RATE // 10, 2 * RATE // 5), slice(RATE, len(clean) - RATE // 5)
    profile, source = p.path(".prof"), p.write(noisy, ".wav")
    p.run(["sox", source, "-n", "trim", 0, 0.5, "noiseprof", profile])
    call = "denoise:profile=0s-0.5s"
    ours = p.halo(call, noisy, ".wav")[:, 0]
    wanted = (
        ("noise in the pause, reduced by", lambda x: level(noisy[quiet]) - level(x[quiet]), 11, 13),
        ("sound against what is not it, improved by",
         lambda x: level(noisy[loud] - clean[loud]) - level(x[loud] - clean[loud]), 3, np.inf),
        ("level of the sound, changed by", lambda x: level(x[loud]) - level(clean[loud]), -0.1, 0.1))
    for peer, peer_call, made in (
            ("SoX", "noisered PROFILE 0.21", full_scale(p.sox(noisy, "noisered", profile, 0.21))),
            ("FFmpeg", "afftdn=nr=12:nf=-40", p.ffmpeg(noisy, "afftdn=nr=12:nf=-40"))):
        made = prompt(made, noisy)
        for what, of, least, most in wanted:
            c.measure(call, peer, peer_call, "sound f32", what, "dB", of(ours), of(made), least, most)


def tone(x):
    """The frequency of the strongest partial, and how far all that is not a sine lies below it, in dB."""
    x = x[len(x) // 4 : len(x) * 3 // 4].astype(np.float64)
    t = np.arange(len(x)) / RATE
    spectrum = np.abs(np.fft.rfft(x * np.hanning(len(x)), 16 * len(x)))
    hz = np.argmax(spectrum) * RATE / (16 * len(x))
    best = min((np.linalg.lstsq(np.stack([np.cos(2 * np.pi * f * t), np.sin(2 * np.pi * f * t)], 1), x,
                                rcond=None)[1][0], f) for f in hz + np.linspace(-0.05, 0.05, 41))
    return best[1], level(x) - 10 * np.log10(best[0] / len(x) + 1e-30)


def stretches(c, p):
    t = np.arange(4 * RATE) / RATE
    x = (0.5 * np.sin(2 * np.pi * 437.3 * t)).astype(np.float32)
    for call, factor, raised, peers in (
            ("tempo:1.25", 1.25, 1, (("SoX", ("tempo", "1.25")), ("FFmpeg", "atempo=1.25"))),
            ("tempo:0.8", 0.8, 1, (("SoX", ("tempo", "0.8")), ("FFmpeg", "atempo=0.8"))),
            ("pitch:2", 1, 2 ** (2 / 12), (("SoX", ("pitch", "200")),))):
        ours = p.halo(call, x, ".wav")[:, 0]
        for peer, how in peers:
            made = p.ffmpeg(x, how) if peer == "FFmpeg" else full_scale(p.sox(x, *how))
            name = how if peer == "FFmpeg" else " ".join(how)
            sides = [tone(side) for side in (ours, made)]
            c.measure(call, peer, name, "sound f32", "length / (length of the input / factor)", "",
                      len(ours) * factor / len(x), len(made) * factor / len(x), 0.9999, 1.0001)
            c.measure(call, peer, name, "sound f32", f"frequency of {437.3 * raised:.5g} Hz", "Hz",
                      sides[0][0], sides[1][0], 437.3 * raised * 0.999, 437.3 * raised * 1.001)
            c.measure(call, peer, name, "sound f32", "a sine above all that is not it", "dB", sides[0][1],
                      sides[1][1], 30)
    for factor in 1.25, 0.8:
        made = p.sox(chirp(RATE).astype(np.float32), "speed", factor, "rate", "-v", RATE)
        ours = p.halo(f"speed:{factor}", chirp(RATE).astype(np.float32), ".wav")[:, 0]
        at = np.arange(len(ours)) / RATE * factor
        exact = 0.8 * np.sin(np.pi * at / 0.5) ** 4 * np.sin(2 * np.pi * (100 * at + 4900 * at * at))
        c.add(f"speed:{factor}", "SoX", f"speed {factor} rate -v 48000, of a sweep", "sound f32", ours,
              made[: len(ours)], Errors("precision: halo adds up in f32, SoX in f64", exact, 200, 400, 1.0))


def repairs(c, p):
    clean = chords()[RATE // 2 :]
    random = np.random.default_rng(7)
    clicked = clean.copy()
    bad = np.zeros(len(clean), bool)
    for at in random.integers(2000, len(clean) - 2000, 40):
        n = random.integers(2, 12)
        clicked[at : at + n] += random.choice([-1, 1]) * random.uniform(0.3, 0.9) * random.uniform(0.5, 1, n)
        bad[at : at + n] = True
    clicked = np.clip(clicked, -1, 1).astype(np.float32)
    clipped = np.clip(4 * clean, -1, 1).astype(np.float32) / 2
    cut = np.abs(clipped) >= 0.5
    for call, effect, damaged, where, wanted, best in (
            ("declick", "adeclick", clicked, bad, clean, 20),
            ("declip:50%", "adeclip", clipped, cut, 2 * clean, 3)):
        ours, made = p.halo(call, damaged, ".wav")[:, 0], prompt(p.ffmpeg(damaged, effect), damaged)
        before, *after = [level((side - wanted)[where]) for side in (damaged, ours, made)]
        c.measure(call, "FFmpeg", effect, "sound f32", "error of the damaged samples, reduced by", "dB",
                  before - after[0], before - after[1], best)
        c.measure(call, "FFmpeg", effect, "sound f32", "error of all others, below full scale", "dB",
                  -level((ours - wanted)[~where]), -level((made - wanted)[~where]), 50)


def dithers(c, p):
    x = (0.4 * np.sin(2 * np.pi * 997 * np.arange(8 * RATE) / RATE)).astype(np.float32)
    for call, effect in ("dither:tpdf", ("dither",)), ("dither:shaped", ("dither", "-s")):
        ours, source, out = p.halo(call, x, ".wav")[:, 0], p.write(x, ".wav"), p.path(".wav")
        p.run(["sox", source, "-b", 16, out, *effect])
        errors = [(side - full_scale(x)) * 32768 for side in (ours, full_scale(wavfile.read(out)[1]))]
        rms = [np.sqrt(np.mean(error**2)) for error in errors]
        if effect == ("dither",):
            c.measure(call, "SoX", "-b 16, dither", "sound f32", "error, RMS", "steps", *rms, 0.495, 0.505)
        low = [10 * np.log10(np.mean(signal.welch(error, RATE, nperseg=4096)[1][43:427]) * RATE / 2)
               for error in errors]
        c.measure(call, "SoX", f"-b 16, {' '.join(effect)}", "sound f32",
                  "error from 500 Hz to 5 kHz, of a step, as if of all frequencies", "dB", *low, -40, 0)


def pages(c, p):
    x = (full_scale(recording("f32", 3000)) * 100 + 128).astype(np.uint8).reshape(5, 20, 30)
    c.add("pages:2-4", "NumPy", "x[1:4]", "u8", p.halo("pages:2-4", x, ".npy", "--axes", "nyx"), x[1:4])


def rows(c, p):
    for part in denoisers, stretches, repairs, dithers, pages:
        part(c, p)
