"""Dynamics, beside their definitions and, where these agree, beside FFmpeg and SoX, on settled levels."""

import numpy as np

from fidelity import Errors, Near, rounding
from fidelity_peers import RATE, recording
from fidelity_sound import full_scale

HOLD = RATE // 100


def smoothed(wanted, attack, release, start=0.0):
    """The reduction in octaves, in the log domain; attack and release in frames."""
    up, down = np.exp(-1 / attack), np.exp(-1 / release)
    made, now = np.empty_like(wanted), start
    for i, to in enumerate(wanted):
        now = to + (now - to) * (up if to > now else down)
        if to == 0 and now < 2.0**-24:
            now = 0.0
        made[i] = now
    return made


def curve(level, threshold, ratio, knee):
    """In octaves: Giannoulis, Massberg, Reiss (2012), equation 4, as a reduction."""
    over = np.log2(np.maximum(level, 1e-9)) - np.log2(threshold)
    bent = (1 - 1 / ratio) * (over + knee / 2) ** 2 / (2 * knee) if knee else 0 * over
    return np.where(2 * over <= -knee, 0, np.where(2 * over >= knee, (1 - 1 / ratio) * over, bent))


def steps():
    """Constant levels, each for half a second; and where each has settled."""
    levels = np.array([0.02, 0.09, 0.11, 0.3, 0.9, 0.05, 0.5], np.float32)
    return np.repeat(levels, RATE // 2), np.arange(1, len(levels) + 1) * (RATE // 2) - 1


def compressors(c, p):
    x = recording("f32")
    wide = full_scale(x)
    held = np.array([np.abs(wide[max(0, i - HOLD + 1) : i + 1]).max() for i in range(len(wide))])
    exact = wide * 2 ** -smoothed(curve(held, 0.1, 4, np.log2(10 ** 0.3)), 0.005 * RATE, 0.1 * RATE)
    c.add("compress:-20dB", "NumPy", "x * 2 ** -smoothed(curve(max of 10 ms)), f64", "sound f32",
          p.halo("compress:-20dB", x, ".wav")[:, 0], exact, rounding(exact))
    levels, at = steps()
    call = "compress:-20dB,ratio=4,knee=0dB,release=20ms"
    ours = p.halo(call, levels, ".wav")[at, 0]
    exact = full_scale(levels[at]) * 2 ** -curve(full_scale(levels[at]), 0.1, 4, 0)
    peer = "acompressor=threshold=0.1:ratio=4:knee=1:attack=5:release=20:detection=peak"
    c.add(call, "FFmpeg", f"{peer}, settled", "sound f32", ours, p.ffmpeg(levels, peer)[at], rounding(exact))
    c.add(call, "SoX", "compand 0.005,0.02 -80,-80,-20,-20,0,-15, settled", "sound f32", ours,
          full_scale(p.sox(levels, "compand", "0.005,0.02", "-80,-80,-20,-20,0,-15")[at]),
          Errors("precision: SoX computes with samples of 32-bit integers", exact, 32))


def gates(c, p):
    x = np.concatenate([recording("f32") * gain for gain in (0.02, 1, 0.02)]).astype(np.float32)
    wide = full_scale(x)
    opened, quiet, wanted = False, 0, np.empty(len(x))
    for i, level in enumerate(np.abs(wide)):
        quiet = 0 if level >= 0.1 / 10 ** 0.15 else quiet + 1
        opened = level >= 0.1 or (opened and quiet <= RATE // 20)
        wanted[i] = 0 if opened else 2 * np.log2(10)
    exact = wide * 2 ** -smoothed(wanted, 0.1 * RATE, 0.001 * RATE, wanted[0])
    c.add("gate:-20dB,range=-40dB", "NumPy", "x * 2 ** -smoothed(closed * range), f64", "sound f32",
          p.halo("gate:-20dB,range=-40dB", x, ".wav")[:, 0], exact, rounding(exact))


def limiters(c, p):
    t = np.arange(RATE) / RATE
    x = (0.9 * np.sin(2 * np.pi * 1000 * t + 0.1)).astype(np.float32)
    exact = full_scale(x)[-4800:] * 0.5 / 0.9
    c.add("limit:0.5", "FFmpeg", "alimiter=limit=0.5:attack=5:release=50:level=0:latency=1, of a settled sine",
          "sound f32", p.halo("limit:0.5", x, ".wav")[-4800:, 0],
          p.ffmpeg(x, "alimiter=limit=0.5:attack=5:release=50:level=0:latency=1")[-4800:],
          Near("definition: halo limits what lies between samples, to 0.01 dB less", exact, 0.002, own=0.0008))


def echoes(c, p):
    x = recording("f32")
    wide = full_scale(x)
    exact = wide.copy()
    exact[4800:] += 0.5 * wide[:-4800]
    call = "echo:100ms,gain=0.5"
    ours = p.halo(call, x, ".wav")[:, 0]
    c.add(call, "NumPy", "x + 0.5 * x[n - 4800], f64", "sound f32", ours, exact, rounding(exact, 2, 1.5))
    c.add(call, "FFmpeg", "aecho=1:1:100:0.5, its tail cut", "sound f32", ours / 2,
          p.ffmpeg((wide / 2).astype(np.float32), "aecho=1:1:100:0.5")[: len(x)],
          rounding(exact / 2, 2, 1.5))
    c.add(call, "SoX", "echo 1 1 100 0.5, its tail cut", "sound f32", ours / 2,
          full_scale(p.sox((wide / 2).astype(np.float32), "echo", 1, 1, 100, 0.5)[: len(x)]),
          Errors("precision: SoX computes with samples of 32-bit integers", exact / 2, 32, 2, 1.5))


def rows(c, p):
    compressors(c, p)
    gates(c, p)
    limiters(c, p)
    echoes(c, p)
