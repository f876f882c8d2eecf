import subprocess
import sys

import numpy as np

import eulac
from eulac.persistence.skops_import import estimator_names, import_skops


def test_loading_a_model_imports_no_engine_of_arrays(tmp_path):
    X, y = np.array([[0.0], [0.1], [5.0], [5.1]]), np.array(["a", "a", "b", "b"])
    eulac.save(eulac.OsnnClassifier(ratio=0.5).fit(X, y), tmp_path / "ab.eulac")
    code = (
        "import sys, eulac\n"
        f"eulac.load({str(tmp_path / 'ab.eulac')!r})\n"
        "print(sorted({'torch', 'dask', 'cupy'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "[]", result.stderr


def test_finders_are_left_as_they_were():
    before = list(sys.meta_path)
    assert hasattr(import_skops(), "dumps")
    assert all(name.startswith("sklearn.") for name in estimator_names())
    assert sys.meta_path == before
