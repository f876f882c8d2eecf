"""Answers and a page by a default model: seconds of `eulac predict` over its imports, and `report`.

Each command runs in a process of its own, whose processor seconds are counted. Imports are those of
the command, the loader of model files included.

    python perf/pace.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from tables import spent
from timing import THREADS, report, ten_classes

SIZE = (500, 1000, 16)
N_ANSWERED = 500
IMPORTS = (
    "import pandas, sklearn.ensemble, eulac.cli.predict, eulac.persistence.files;"
    "from eulac.persistence.skops_import import import_skops; import_skops()"
)
LIMITS = {"predict_over_imports": 1.5, "report_cpu_seconds": 10.0}


def write_tables(folder: Path) -> None:
    X, y = ten_classes(*SIZE).as_masked()
    frame = pd.DataFrame(X.round(5), columns=[f"x{j}" for j in range(X.shape[1])])
    labels = np.where(y < 0, "", np.char.add("k", y.astype(str)))
    frame.assign(label=labels).to_csv(folder / "train.csv", index=False)
    frame[y < 0].to_csv(folder / "pool.csv", index=False)
    frame[y < 0][:N_ANSWERED].to_csv(folder / "some.csv", index=False)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder)
        eulac = [sys.executable, "-m", "eulac"]
        model = str(folder / "m.eulac")
        fit = [*eulac, "fit", str(folder / "train.csv"), "--model", model]
        subprocess.run(fit, check=True, stdout=subprocess.DEVNULL)
        imports = spent([sys.executable, "-c", IMPORTS])["cpu_seconds"]
        answers = [str(folder / "some.csv"), "--output", str(folder / "answers.csv")]
        predict = spent([*eulac, "predict", model, *answers])["cpu_seconds"]
        page = ["--data", str(folder / "pool.csv"), "--output", str(folder / "page.html")]
        written = spent([*eulac, "report", model, *page])["cpu_seconds"]
        report(
            "pace_of_answers",
            imports_cpu_seconds=imports,
            predict_cpu_seconds=predict,
            predict_over_imports=predict / imports,
            report_cpu_seconds=written,
            model_megabytes=Path(model).stat().st_size / 1e6,
            limits=LIMITS,
            threads=THREADS,
        )


if __name__ == "__main__":
    main()
