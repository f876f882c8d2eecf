"""`eulac fit` of tables by default: seconds over reading the file, memory, growth and accuracy.

Tables of 20 columns are written to a temporary folder, a tenth of their rows labeled, the others
drawn as deployment draws: half of them of classes nobody labeled. Each fit runs in a process of its
own; its processor seconds and its peak memory are those of that process. The last table has as many
labeled as unlabeled rows, which are thinned alike.

    python perf/tables.py --rows 10000 100000 1000000 --labeled 500000
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from eulac.data.row_chunks import writing_table
from timing import THREADS, report

N_COLUMNS, N_KNOWN = 20, 5
CENTERS = np.random.default_rng(0).normal(0, 1.3, (2 * N_KNOWN, N_COLUMNS))
CHUNK = 100_000
FRESH = 50_000
"""Rows the accuracy is taken on; its standard error is then a thirtieth of a percent."""
LIMIT = 1.05


def rows(n: int, seed: int, n_labeled: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of known classes, and rows of ten classes, half of which are known."""
    rng = np.random.default_rng(seed)
    known = rng.integers(0, N_KNOWN, n_labeled)
    kind = np.append(known, rng.integers(0, 2 * N_KNOWN, n - n_labeled))
    return CENTERS[kind] + rng.standard_normal((n, N_COLUMNS)), kind


def write(path: Path, n: int, seed: int, labeled_share: float) -> None:
    """Write a table piece by piece; a blank label where a row has none."""
    with writing_table(path, label_column="label") as table:
        for start in range(0, n, CHUNK):
            n_rows = min(CHUNK, n - start)
            n_labeled = round(labeled_share * n_rows)
            X, kind = rows(n_rows, seed + start, n_labeled)
            frame = pd.DataFrame(X.round(4), columns=[f"x{j}" for j in range(N_COLUMNS)])
            labels = np.where(np.arange(n_rows) < n_labeled, kind.astype(str), "")
            frame.insert(0, "label", labels)
            order = np.random.default_rng(start).permutation(n_rows)
            table.write(frame.iloc[order])


def spent(command: list[str]) -> dict[str, float]:
    """Return processor seconds and peak memory of a process, measured by one around it."""
    run = subprocess.run(
        [sys.executable, __file__, "--measure", *command], capture_output=True, text=True
    )
    if run.returncode:
        raise RuntimeError(run.stderr[-2000:])
    return json.loads(run.stdout.splitlines()[-1])


def measure(command: list[str]) -> None:
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = {
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "wall_seconds": time.perf_counter() - begun,
        "megabytes": used.ru_maxrss / 1024,
    }
    print(json.dumps(found))


def accuracy(model: Path) -> float:
    from eulac.persistence.files import load_table_model

    X, kind = rows(FRESH, 10**6)
    frame = pd.DataFrame(X.round(4), columns=[f"x{j}" for j in range(N_COLUMNS)])
    fitted = load_table_model(model)
    true = np.where(kind < N_KNOWN, kind, fitted.classes_[-1])
    return float(np.mean(fitted.predict(frame) == true))


def one_table(folder: Path, n: int, labeled_share: float, name: str) -> tuple[float, float]:
    table, model = folder / f"{name}_{n}.csv", folder / f"{name}_{n}.eulac"
    write(table, n, 1, labeled_share)
    reading = spent([sys.executable, "-c", f"import pandas; pandas.read_csv({str(table)!r})"])
    command = [sys.executable, "-m", "eulac", "fit", str(table), "--label-column", "label"]
    fit = spent([*command, "--model", str(model)])
    over = fit["cpu_seconds"] - reading["cpu_seconds"]
    found = accuracy(model)
    report(
        name,
        rows=n,
        columns=N_COLUMNS,
        labeled_share=labeled_share,
        cpu_seconds=fit["cpu_seconds"],
        cpu_seconds_over_reading=over,
        reading_cpu_seconds=reading["cpu_seconds"],
        wall_seconds=fit["wall_seconds"],
        megabytes=fit["megabytes"],
        model_megabytes=model.stat().st_size / 1e6,
        accuracy=found,
        threads=THREADS,
    )
    table.unlink()
    return over, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--labeled", type=int, default=0, help="rows of a table of labeled rows")
    parser.add_argument("--measure", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure)
        return
    with tempfile.TemporaryDirectory() as name:
        found = [one_table(Path(name), n, 0.1, "default_table_fit") for n in options.rows]
        large = [(n, over) for n, (over, _) in zip(options.rows, found, strict=True) if n >= 1e5]
        if len(large) > 1:
            sizes, seconds = np.log(np.array(large)).T
            exponent = float(np.polyfit(sizes, seconds, 1)[0])
            report("default_table_growth", exponent=exponent, limit=LIMIT, from_rows=100_000)
        if options.labeled:
            one_table(Path(name), 2 * options.labeled, 0.5, "default_table_fit_many_labeled")


if __name__ == "__main__":
    main()
