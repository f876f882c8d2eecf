"""A stream of mnist digits in which a new one appears: delay and false alarms of the monitor.

Five digits are known (600 labeled rows) and the stream starts from a pool of 1,000 unlabeled rows
of them. It goes on in chunks of 100 rows; after ten chunks a sixth digit takes a share of the
rows. The false alarm rate is set to 5 %: the chance that a stream in which nothing changes, however
long, ever raises the alarm. Control streams, in which nothing changes, show what it is.

    python examples/stream_monitor.py --seeds 50
    python examples/stream_monitor.py --seeds 0 --errors 20
    python examples/stream_monitor.py --seeds 0 --figure stream
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np

from eulac import LandmarkEulacClassifier, StreamEulacClassifier
from eulac.data.datasets import load_dataset
from eulac.exceptions import EulacWarning

N_LABELED, N_POOL, CHUNK, BEFORE = 600, 1000, 100, 10
SHARES = (0.0, 0.1, 0.2, 0.4)
RATE = 0.05


class Source:
    """Rows of five known digits and one new one, each row used at most once."""

    def __init__(self, X, y, seed):
        self.X, self.y = X, y
        self.rng = np.random.default_rng(seed)
        digits = self.rng.permutation(10)
        self.known, self.new = digits[:5], digits[5]
        order = self.rng.permutation(len(y))
        self.known_rows = list(order[np.isin(y[order], self.known)])
        self.new_rows = list(order[y[order] == self.new])

    def take(self, n_rows, share=0.0):
        n_new = self.rng.binomial(n_rows, share)
        rows = [self.new_rows.pop() for _ in range(n_new)]
        rows += [self.known_rows.pop() for _ in range(n_rows - n_new)]
        rows = self.rng.permutation(rows)
        return self.X[rows], self.y[rows]


def started(source, seed, n_landmarks=200):
    X, y = source.take(N_LABELED)
    inner = LandmarkEulacClassifier(
        n_landmarks=n_landmarks, bandwidth=8.0, penalty=[1e-4, 1e-3, 1e-2], random_state=seed
    )
    stream = StreamEulacClassifier(inner, window=N_POOL, false_alarm_rate=RATE)
    return stream.fit(X, y, source.take(N_POOL)[0])


def chunks_to_alarm(X, y, seed, share, n_chunks):
    """Return the chunk of the first alarm, counted from the change, or None."""
    source = Source(X, y, seed)
    stream = started(source, seed)
    for chunk in range(-BEFORE, n_chunks):
        rows, _ = source.take(CHUNK, share if chunk >= 0 else 0.0)
        if stream.update(rows, solve=False).alarm:
            return chunk
    return None


def table(X, y, seeds, n_chunks):
    print(f"{'share new':>9} {'streams':>8} {'too early':>9} {'found':>6} {'rows until alarm':>30}")
    for share in SHARES:
        alarms = [chunks_to_alarm(X, y, seed, share, n_chunks) for seed in range(seeds)]
        early = sum(alarm is not None and alarm < 0 for alarm in alarms)
        delays = [CHUNK * (alarm + 1) for alarm in alarms if alarm is not None and alarm >= 0]
        if share == 0.0:
            print(f"{'none':>9} {seeds:>8} {early + len(delays):>9} {'':>6} (control)", flush=True)
            continue
        spread = "-"
        if delays:
            low, middle, high = np.quantile(delays, [0.1, 0.5, 0.9])
            spread = f"median {middle:.0f}, 10-90 % {low:.0f} to {high:.0f}"
        print(f"{share:>9} {seeds:>8} {early:>9} {len(delays):>6} {spread:>30}", flush=True)


def growing(n_chunks):
    """Give chunks and the share of the new digit: from nothing to 40 % over ten of them."""
    for chunk in range(-BEFORE, n_chunks):
        yield 0.4 * min(max(chunk + 1, 0) / 10, 1.0)


def follow(X, y, seed, n_chunks):
    """Return one stream over time: estimates beside the truth."""
    source = Source(X, y, seed)
    stream = started(source, seed)
    truth, records = [1.0] * (N_POOL // CHUNK), []
    for share in growing(n_chunks):
        rows, labels = source.take(CHUNK, share)
        answers = stream.predict(rows)
        target = np.where(labels == source.new, -2, labels)
        report = stream.update(rows)
        truth = [*truth, np.mean(labels != source.new)][-N_POOL // CHUNK :]
        records.append(
            {
                "rows": report.n_seen,
                "share": share,
                "known": report.proportion.total,
                "low": report.proportion.interval[0],
                "high": report.proportion.interval[1],
                "true_known": float(np.mean(truth)),
                "window_error": report.risk.value,
                "error": report.newest.risk.value,
                "error_low": report.newest.risk.interval[0],
                "error_high": report.newest.risk.interval[1],
                "true_error": float(np.mean(answers != target)),
                "log_capital": report.evidence.log_capital,
            }
        )
    return {name: np.array([r[name] for r in records]) for name in records[0]}


def seconds_of_sums(X, y, seed, n_chunks):
    """Return processor seconds of sums and monitor, updated and added up anew."""
    source = Source(X, y, seed)
    stream = started(source, seed)
    window, seconds, refit_seconds = [], 0.0, 0.0
    for share in growing(n_chunks):
        rows, _ = source.take(CHUNK, share)
        window = [*window, rows][-N_POOL // CHUNK :]
        start = time.process_time()
        stream.update(rows, solve=False)
        middle = time.process_time()
        stream.plan_.moments(np.vstack(window), np.full(CHUNK * len(window), -1))
        if len(window) == N_POOL // CHUNK:
            seconds += middle - start
            refit_seconds += time.process_time() - middle
    return seconds, refit_seconds


def error_table(X, y, seeds, n_chunks):
    """Print the claimed error beside the true one while a digit grows, over streams."""
    streams = [follow(X, y, seed, n_chunks) for seed in range(seeds)]
    found = {name: np.array([stream[name] for stream in streams]) for name in streams[0]}
    print(f"{'share new':>9} {'true error':>10} {'newest rows':>11} {'window':>7} {'inside':>7}")
    inside = (found["error_low"] <= found["true_error"]) & (
        found["true_error"] <= found["error_high"]
    )
    for share in np.unique(found["share"].round(2)):
        here = found["share"].round(2) == share
        means = [found[name][here].mean() for name in ("true_error", "error", "window_error")]
        print(f"{share:>9} {means[0]:>10.3f} {means[1]:>11.3f} {means[2]:>7.3f} "
              f"{inside[here].mean():>7.2f}")  # fmt: skip
    for name in ("error", "window_error"):
        gap = found[name] - found["true_error"]
        print(f"{name}: {gap.mean():+.3f} on average, off by {np.abs(gap).mean():.3f}")
    print(f"{inside.mean():.0%} of intervals hold the error of their {CHUNK} rows")


def draw_figure(columns, stem):
    from eulac.benchmark.figure_style import BLACK, BLUE, GRAY, RED, new_figure, save_figure, styled

    rows = columns["rows"]
    with styled():
        figure, axes = new_figure(3, width=3.4)
        share, error, evidence = axes
        share.fill_between(rows, columns["low"], columns["high"], color=BLUE, alpha=0.2, lw=0)
        share.plot(rows, columns["known"], color=BLUE, label="estimated")
        share.plot(rows, columns["true_known"], color=BLACK, ls="--", label="true")
        share.set_title("known share of the window")
        low, high = columns["error_low"], columns["error_high"]
        error.fill_between(rows, low, high, color=BLUE, alpha=0.2, lw=0)
        error.plot(rows, columns["error"], color=BLUE, label="estimated")
        error.plot(rows, columns["true_error"], color=BLACK, ls="--", label="true")
        error.set_title("error of the newest 100 rows")
        error.set_ylim(bottom=0)
        evidence.plot(rows, columns["log_capital"] / np.log(10), color=BLUE)
        evidence.axhline(-np.log10(RATE), color=RED, lw=1, label=f"alarm, at rate {RATE:.0%}")
        evidence.set_title("log10 evidence of a change")
        for panel in axes:
            panel.axvline(CHUNK * BEFORE, color=GRAY, lw=1)
            panel.set_xlabel("rows of the stream")
            panel.legend(loc="best")
        save_figure(figure, Path(stem))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--chunks", type=int, default=20, help="chunks after the change")
    parser.add_argument("--errors", type=int, default=0, help="streams with a growing digit")
    parser.add_argument("--figure", metavar="STEM", help="one stream over time: STEM.png, .svg")
    options = parser.parse_args()
    warnings.simplefilter("ignore", EulacWarning)
    dataset = load_dataset("mnist")
    X, y = dataset.X, dataset.y.astype(int)
    if options.seeds:
        table(X, y, options.seeds, options.chunks)
    if options.errors:
        error_table(X, y, options.errors, options.chunks)
    if options.figure:
        columns = follow(X, y, 0, options.chunks)
        seconds, refit = seconds_of_sums(X, y, 0, options.chunks)
        draw_figure(columns, options.figure)
        gap = np.abs(columns["known"] - columns["true_known"])
        print(f"known share of the window: off by {gap.mean():.3f} on average")
        print(f"processor seconds of sums and monitor, updated: {seconds:.2f}")
        print(f"of the sums of the same windows, added up anew: {refit:.2f}")


if __name__ == "__main__":
    main()
