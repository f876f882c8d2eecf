import json

import numpy as np
import pytest

import eulac
from cli.birds import rows

SLOW = pytest.mark.slow


@pytest.mark.parametrize("method", ["kernel", "landmark", pytest.param("auto", marks=SLOW)])
def test_export_agrees_with_the_model(method, birds, run):
    runtime = pytest.importorskip("onnxruntime")
    files = ("train.csv", "--unlabeled", "pool.csv", "--model", "m.eulac")
    run("fit", *files, "--label-column", "species", "--method", method)
    code, out, err = run("export", "m.eulac", "--output", "m.onnx", "--json")
    assert (code, err) == (0, "")
    fresh = rows(np.arange(2000) % 4, np.random.default_rng(5))
    inputs = json.loads(out)["inputs"]
    given = {
        "X": fresh[inputs["X"]].to_numpy(dtype=float),
        "categories": fresh[inputs["categories"]].fillna("").to_numpy(dtype=object),
    }
    labels = runtime.InferenceSession("m.onnx").run(["label"], given)[0]
    assert np.mean(labels == eulac.load("m.eulac").predict(fresh)) >= 0.999
