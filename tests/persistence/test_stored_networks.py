import numpy as np
import pytest

import eulac
from easy_mixture import easy_masked
from eulac.exceptions import ModelFileError
from eulac.persistence.files import load, save
from eulac.persistence.stored_networks import with_networks, without_networks
from persistence.forging import MODEL, members

pytest.importorskip("torch")


def test_image_networks_come_back(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, -1], 20)
    X = rng.normal(y[:, None, None] * 2.0, 1.0, (60, 8, 8))
    clf = eulac.DeepEulacClassifier(known_proportion=0.5, max_epochs=1, random_state=0).fit(X, y)
    clf.checkpoint = tmp_path / "unused.pt"
    same = load(save(clf, tmp_path / "model.eulac"))
    np.testing.assert_array_equal(same.predict_proba(X), clf.predict_proba(X))
    assert (same.checkpoint, clf.checkpoint) == (None, tmp_path / "unused.pt")
    assert "torch" not in str(members((tmp_path / "model.eulac").read_bytes())[MODEL][:2000])


def test_a_network_of_the_user_is_refused(tmp_path):
    from eulac.deep.networks import mlp

    _, X, y = easy_masked()
    clf = eulac.DeepEulacClassifier(mlp, known_proportion=0.6, max_epochs=1, random_state=0)
    clf.fit(X, y)
    with pytest.raises(ModelFileError, match=r"a network must be one of ours.*got function"):
        save(clf, tmp_path / "model.eulac")
    assert list(tmp_path.iterdir()) == []


def test_layers_of_another_shape_are_refused():
    _, X, y = easy_masked()
    clf = eulac.DeepEulacClassifier(known_proportion=0.6, max_epochs=1, random_state=0).fit(X, y)
    stored = without_networks(clf)
    arrays = stored.stored_networks_["network_"]
    name = next(iter(arrays))
    arrays[name] = arrays[name][:-1]
    with pytest.raises(ModelFileError, match=f"layer '{name}'"):
        with_networks(stored)


def test_what_has_no_network_stays_as_it_is():
    clf = eulac.OsnnClassifier()
    assert without_networks(clf) is clf
    assert with_networks(clf) is clf


@pytest.mark.parametrize(
    ("name", "value"), [("row_shape_", (10**9,)), ("stored_outputs_", 10**9), ("n_latent", 10**9)]
)
def test_a_network_is_built_once_it_is_as_large_as_what_is_stored(name, value):
    _, X, y = easy_masked()
    clf = eulac.CounterfactualClassifier(max_epochs=1, random_state=0).fit(X, y)
    stored = without_networks(clf)
    setattr(stored, name, value)
    with pytest.raises(ModelFileError, match=r"must have the shape \(.*(10{9}|9{9})"):
        with_networks(stored)


def test_a_path_in_a_file_is_not_followed(tmp_path):
    _, X, y = easy_masked()
    settings = {"known_proportion": 0.6, "max_epochs": 1, "random_state": 0}
    clf = eulac.DeepEulacClassifier(**settings).fit(X, y)
    stored = without_networks(clf)
    stored.checkpoint = str(tmp_path / "elsewhere.pt")
    assert with_networks(stored).checkpoint is None
