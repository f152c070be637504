"""Series beside pandas and SciPy; spectra on the mel scale beside librosa. f64 in, f64 out."""

import csv

import numpy as np
from scipy import integrate, signal

from fidelity import rounding
from fidelity_peers import RATE, recording
from fidelity_sound import full_scale

START = 1_700_000_000
INTERPOLATE = "pandas.Series(x).interpolate(limit_direction='both')"
MEAN = "pandas.Series(x, pandas.to_datetime(t, unit='ms')).resample('1s').mean()"
LINE = ("(lambda s, g: s.reindex(s.index.union(g)).interpolate('index').reindex(g))(pandas.Series(x, t), "
        "numpy.arange(-(-t[0] // 1000), t[-1] // 1000 + 1) * 1000)")


def gaps(c, p):
    x = full_scale(recording("f32", 3000))
    x[[0, 1, 40, 41, 42, 700, 2999]] = np.nan
    for call, peer, why in (
            ("fill:linear", INTERPOLATE, "rounding"),
            ("fill:previous", "pandas.Series(x).ffill()", None),
            ("fill:0", "pandas.Series(x).fillna(0)", None)):
        ours = p.halo(call, x, ".npy", "--rate", "1000").reshape(-1)
        made = p.python("pandas", peer, x=x)
        exact = x.copy()
        known = np.flatnonzero(~np.isnan(x))
        exact[np.isnan(x)] = np.interp(np.flatnonzero(np.isnan(x)), known, x[known])
        c.add(call, "pandas", peer, "series f64", ours, made, why and rounding(exact))


def means(c, p):
    x = full_scale(recording("f32"))
    for call, peer in (("ewma:span=20", "pandas.Series(x).ewm(span=20).mean()"),
                       ("ewma:alpha=0.1,adjust=0", "pandas.Series(x).ewm(alpha=0.1, adjust=False).mean()"),
                       ("ewma:halflife=12", "pandas.Series(x).ewm(halflife=12).mean()")):
        ours = p.halo(call, x, ".npy", "--rate", "1000").reshape(-1)
        made = p.python("pandas", peer, x=x)
        c.add(call, "pandas", peer, "series f64", ours, made, made is not None and rounding(made))
    x[[5, 6, 900, 4000, 4001, 9999]] = 3
    peer = ("(lambda s, m: s.where((s - m).abs() <= 3 * 1.4826 * s.rolling(5, center=True, min_periods=1)"
            ".apply(lambda w: numpy.median(abs(w - numpy.median(w))), raw=True), m))(pandas.Series(x), "
            "pandas.Series(x).rolling(5, center=True, min_periods=1).median())")
    c.add("despike:width=5,k=3", "pandas", "rolling(5, center=True, min_periods=1): median, and its MAD",
          "series f64", p.halo("despike:width=5,k=3", x, ".npy", "--rate", "1000").reshape(-1),
          p.python("pandas", peer, x=x))


def table(p, times, values):
    """A file of values at times in milliseconds since START; what halo makes of it, the column of values."""
    source, out = p.path(".csv"), p.path(".csv")
    rows = "".join(f"{START + t // 1000}.{t % 1000:03},{v:.17g}\n" for t, v in zip(times, values))
    source.write_text("time,v\n" + rows)

    def run(call):
        p.run([p.program, "run", call, source, "-o", out, "--force"])
        with open(out, encoding="utf-8") as lines:
            return np.array([float(row["v"] or "nan") for row in csv.DictReader(lines)])

    return run


def grids(c, p):
    random = np.random.default_rng(4)
    times = np.unique(np.cumsum(random.exponential(400, 900)).astype(np.int64))
    values = random.normal(size=len(times))
    run = table(p, times, values)
    for call, peer, name in (("resample:1s", LINE, "reindex, interpolate('index')"),
                             ("resample:1s,how=mean", MEAN, "resample('1s').mean()")):
        ours, made = run(call), p.python("pandas", peer, x=values, t=times)
        c.add(call, "pandas", name, "series f64", ours, made,
              made is not None and rounding(made))


def calculus(c, p):
    x = full_scale(recording("f32"))
    exact = integrate.cumulative_trapezoid(x, dx=1 / 1000, initial=0)
    c.add("integrate", "SciPy", "integrate.cumulative_trapezoid(x, dx=1 / rate, initial=0)", "series f64",
          p.halo("integrate", x, ".npy", "--rate", "1000").reshape(-1), exact, rounding(exact))
    smooth = signal.lfilter(np.hanning(81), 1, x)
    found = p.halo_result("peaks:prominence=0.1", smooth, ".npy", "--rate", "1000")["channel"][0]["peaks"]
    at, facts = signal.find_peaks(smooth, prominence=0.1, width=0)
    for name, made in (("frame", at), ("value", smooth[at]), ("prominence", facts["prominences"]),
                       ("width", facts["widths"])):
        c.add(f"peaks:prominence=0.1: {name}", "SciPy", "signal.find_peaks(x, prominence=0.1, width=0)",
              "series f64", np.array([peak[name] for peak in found], made.dtype), made,
              rounding(made))


def spectra(c, p):
    x = recording("f32")
    for call, function, options in (
            ("mel:80", "melspectrogram", "n_mels=80"),
            ("mel:40,formula=htk,norm=none,low=100,high=8000", "melspectrogram",
             "n_mels=40, htk=True, norm=None, fmin=100, fmax=8000"),
            ("mel:80,window=400,hop=160,fft=512", "melspectrogram",
             "n_mels=80, n_fft=512, win_length=400, hop_length=160"),
            ("mel:80,scale=db", "power_to_db(melspectrogram)", "n_mels=80"),
            ("mfcc:13", "mfcc", "n_mfcc=13"),
            ("mfcc:13,lifter=22", "mfcc", "n_mfcc=13, lifter=22")):
        made = f"librosa.feature.{function.removeprefix('power_to_db(').removesuffix(')')}(y=x, sr={RATE}, " \
               f"{options}, dtype=numpy.float64)"
        if function.startswith("power_to_db"):
            made = f"librosa.power_to_db({made})"
        made = p.python("librosa", made, x=full_scale(x))
        c.add(call, "librosa", f"{function}, {options}, f64", "sound f32", p.halo(call, x, ".wav"),
              None if made is None else made.T, made is not None and rounding(made.T))


def rows(c, p):
    for part in gaps, means, grids, calculus, spectra:
        part(c, p)
