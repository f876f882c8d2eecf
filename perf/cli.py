"""The command line: how long `--help` takes, and predicting a million rows of a CSV.

`--help` is compared with importing the two libraries it stands on. Predicting is compared with
reading the same CSV by pandas and the bare matrix products of the kernel machine on it, in the
same process, without exponentials, decisions, or writing the answers; and (`ratio_with_kernel`)
with the kernel matrix formed, which no predicting can do without. Memory is compared with that of
a tenth of the rows.
"""

import contextlib
import io
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import eulac
from eulac.cli.main import main as eulac_command
from eulac.maths.kernels import CHUNK_ROWS
from timing import THREADS, best_seconds, quietly, report, ten_classes

N_LABELED, N_UNLABELED, N_FEATURES, N_ROWS = 300, 700, 64, 1_000_000
HELP = "from eulac.cli.main import main; main(['--help'])"


def start(code: str) -> float:
    command = [sys.executable, "-c", code]
    return best_seconds(
        lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), repeats=15
    )


def quick_help() -> None:
    ours, theirs = start(HELP), start("import click, rich")
    report(
        "cli_help_vs_import_click_rich",
        ratio=ours / theirs,
        limit=1.5,
        help_seconds=ours,
        import_seconds=theirs,
        with_console_ratio=ours / start("import click, rich.console, rich.table"),
    )


def run(*arguments: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        eulac_command(list(arguments))


def write_tables(folder: Path, n_rows: int) -> None:
    sample = ten_classes(N_LABELED, N_UNLABELED, N_FEATURES)
    names = [f"x{column}" for column in range(N_FEATURES)]
    labels = [f"class {code}" for code in sample.y_labeled]
    pd.DataFrame(sample.X_labeled, columns=names).assign(label=labels).to_csv(
        folder / "train.csv", index=False, float_format="%.4f"
    )
    pool = pd.DataFrame(sample.X_unlabeled, columns=names)
    pool.to_csv(folder / "pool.csv", index=False, float_format="%.4f")
    text = (folder / "pool.csv").read_text().split("\n", 1)
    with (folder / "long.csv").open("w") as stream:
        stream.write(text[0] + "\n")
        for _ in range(n_rows // N_UNLABELED + 1):
            stream.write(text[1])


def bare(folder: Path, *, exponentials: bool) -> None:
    """Read the table and multiply, as many rows at once as the model does."""
    X = pd.read_csv(folder / "long.csv").to_numpy()
    expansion = eulac.load(folder / "model.eulac").classifier.model_.expansion
    if exponentials:
        expansion.scores(X)
        return
    rows, coefficients = np.ascontiguousarray(expansion.rows.T), expansion.coefficients
    for place in range(0, len(X), CHUNK_ROWS):
        (X[place : place + CHUNK_ROWS] @ rows) @ coefficients


PREDICT = ("predict", "model.eulac", "part.csv", "--output", "part_answers.csv", "--force")
FIT = ("fit", "train.csv", "--unlabeled", "part.csv", "--model", "part.eulac", "--force")
FIT += ("--method", "landmark")


def peak_megabytes(folder: Path, n_rows: int, arguments: tuple[str, ...]) -> float:
    """Return the memory of another process that works on the first rows (Linux only)."""
    with (folder / "long.csv").open() as whole, (folder / "part.csv").open("w") as part:
        for _, line in zip(range(n_rows + 1), whole, strict=False):
            part.write(line)
    # Not ru_maxrss: it carries over from the process that starts this one.
    code = (
        "import re, sys\nfrom pathlib import Path\nfrom eulac.cli.main import main\n"
        "main(sys.argv[1:])\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])"
    )
    command = [sys.executable, "-c", code, *arguments]
    said = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    return int(said.stdout.split()[-1]) * 1024 / 1e6


def a_million_rows(folder: Path, n_rows: int) -> None:
    write_tables(folder, n_rows)
    model, long, answers = (str(folder / n) for n in ("model.eulac", "long.csv", "answers.csv"))
    train, pool = str(folder / "train.csv"), str(folder / "pool.csv")
    quietly(lambda: run("fit", train, "--unlabeled", pool, "--model", model))()
    run("predict", model, pool, "--output", answers)  # imports are done
    ours = best_seconds(
        lambda: run("predict", model, long, "--output", answers, "--force"), repeats=2
    )
    theirs = best_seconds(lambda: bare(folder, exponentials=False), repeats=2)
    with_kernel = best_seconds(lambda: bare(folder, exponentials=True), repeats=2)
    report(
        "cli_predict_vs_read_csv_and_products",
        ratio=ours / theirs,
        limit=1.5,
        predict_seconds=ours,
        bare_seconds=theirs,
        ratio_with_kernel=ours / with_kernel,
        bare_with_kernel_seconds=with_kernel,
        sizes=f"{n_rows} rows x {N_FEATURES} columns, {N_LABELED}+{N_UNLABELED} rows learned from",
        threads=THREADS,
    )
    for name, arguments in {"predict": PREDICT, "fit_landmark": FIT}.items():
        few, many = (peak_megabytes(folder, n, arguments) for n in (n_rows // 10, n_rows))
        report(
            f"cli_{name}_memory_of_ten_times_the_rows",
            ratio=many / few,
            limit=1.1,
            megabytes=many,
            megabytes_of_a_tenth=few,
            rows=n_rows,
        )


def main() -> None:
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS
    quick_help()
    with tempfile.TemporaryDirectory() as folder:
        a_million_rows(Path(folder), n_rows)


if __name__ == "__main__":
    main()
