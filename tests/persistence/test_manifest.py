import json
from types import SimpleNamespace

import numpy as np
import pytest

from eulac.exceptions import ModelFileError
from eulac.persistence.manifest import FORMAT_VERSION, Manifest, data_fingerprint, describe
from eulac.proportion.estimate import ProportionEstimate


@pytest.fixture
def manifest():
    model = SimpleNamespace(
        classes_=np.array([0, 1, -2]),
        n_features_in_=3,
        proportion_=ProportionEstimate(np.array([0.2, 0.3]), (0.4, 0.6), "made up", 5, 6),
        risk_=SimpleNamespace(value=float("nan"), interval=(0.0, 0.1)),
    )
    return describe(model, b"payload", fingerprint="abc")


def changed(manifest, **values):
    return json.dumps({**json.loads(manifest.to_json()), **values}).encode()


def test_a_manifest_survives_its_file(manifest):
    assert Manifest.from_json(manifest.to_json(), "m.eulac") == manifest


def test_it_says_what_the_model_is(manifest):
    assert manifest.classes == [0, 1, -2]
    assert manifest.n_features == 3
    assert manifest.known_proportion["total"] == pytest.approx(0.5)
    assert manifest.known_proportion["method"] == "made up"
    assert manifest.risk == {"value": None, "interval": [0.0, 0.1]}  # JSON has no NaN
    assert len(manifest.sha256) == 64


@pytest.mark.parametrize(
    ("version", "remedy"), [(FORMAT_VERSION - 1, "Fit the model again"), (99, "Update eulac")]
)
def test_other_formats_are_refused_with_what_to_do(manifest, version, remedy):
    content = changed(manifest, format_version=version)
    with pytest.raises(ModelFileError, match=f"it is of format {version}, .*{remedy}"):
        Manifest.from_json(content, "m.eulac")


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format": "eulac model"}', b"\xff"])
def test_damaged_manifests_are_refused(content):
    with pytest.raises(ModelFileError, match="its manifest is damaged"):
        Manifest.from_json(content, "m.eulac")


def test_another_kind_of_file_is_named(manifest):
    with pytest.raises(ModelFileError, match="it holds 'recipes'"):
        Manifest.from_json(changed(manifest, format="recipes"), "m.eulac")


def test_missing_entries_are_named(manifest):
    said = json.loads(manifest.to_json())
    del said["classes"]
    with pytest.raises(ModelFileError, match="it lacks classes"):
        Manifest.from_json(json.dumps(said).encode(), "m.eulac")


def test_fingerprints_follow_content_not_order():
    X, names = np.arange(6.0).reshape(3, 2), np.array(["a", "b", "c"])
    assert data_fingerprint(X, names) == data_fingerprint(X[[2, 0, 1]], names[::-1])
    assert data_fingerprint(X) != data_fingerprint(X + 1e-12)
    assert data_fingerprint(X) != data_fingerprint(X.ravel()[:, None])
    assert data_fingerprint(np.array([[0.0]])) == data_fingerprint(np.array([[-0.0]]))
