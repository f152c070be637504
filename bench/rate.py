#!/usr/bin/env python3
"""bench/rate.py HALO: the response of `rate` to tones: the least and greatest gain up to 0.95 of half the lower
rate, and the greatest gain from half of it on, in dB, for all pairs of the usual rates. Fails where the pass
band is off by more than 0.01 dB or the stop band is not below -120 dB."""
import subprocess
import sys

import numpy as np

RATES = 8000, 16000, 22050, 32000, 44100, 48000, 96000


def resampled(halo, x, rate, to):
    run = [
        halo, "run", "-q", "--device", "cpu", "--raw", f"f32,{rate},1", f"rate:{to}", "-", "-o", "-", "--to",
        "raw"
    ]
    return np.frombuffer(
        subprocess.run(run, input=x.astype("<f4").tobytes(), check=True, capture_output=True).stdout, "<f4")


def amplitudes(y, rate, tones):
    edge = len(y) // 6
    y = y[edge:len(y) - edge].astype(np.float64)
    window = np.kaiser(len(y), 20)
    t = np.arange(edge, edge + len(y)) / rate
    return np.array([2 * abs(np.sum(y * window * np.exp(-2j * np.pi * f * t))) / window.sum() for f in tones])


def main(halo):
    failed = False
    for rate in RATES:
        for to in RATES:
            if rate == to:
                continue
            half = min(rate, to) / 2
            t = np.arange(rate *
                          (1 if half > 6000 else 3)) / rate  # long enough to tell tones near the edge apart
            passes = half * np.linspace(0.003, 0.95, 40)
            phases = np.random.default_rng(1).uniform(0, 2 * np.pi, 40)
            x = sum(np.sin(2 * np.pi * f * t + p) / 40 for f, p in zip(passes, phases))
            y = resampled(halo, x, rate, to)
            gains = 20 * np.log10(40 * amplitudes(y, to, passes))
            worst = -999.0
            for f in half * np.array([1.0005, 1.003, 1.01, 1.03, 1.07, 1.15, 1.3, 1.6, 1.9]):
                if to < rate:  # what is above the new half comes back below it
                    if f >= rate / 2:
                        continue
                    tone, found = f, abs((f + to / 2) % to - to / 2)
                else:  # what is below the old half has an image above it
                    if f >= to / 2 or f >= rate:
                        continue
                    tone, found = rate - f, f
                y = resampled(halo, np.sin(2 * np.pi * tone * t + 0.3), rate, to)
                worst = max(worst, 20 * np.log10(amplitudes(y, to, [found])[0] + 1e-12))
            bad = abs(gains).max() > 0.01 or worst > -120
            failed |= bad
            print(
                f"{rate:6d} to {to:6d}: pass band {gains.min():+.6f} to {gains.max():+.6f} dB, stop band {worst:.1f} dB"
                f"{'   FAILS' if bad else ''}")
    return int(failed)


sys.exit(main(sys.argv[1]))
