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


def fitted(network):
    _, X, y = easy_masked()
    clf = eulac.DeepEulacClassifier(network, known_proportion=0.6, max_epochs=1, random_state=0)
    return clf.fit(X, y), X


def test_a_network_of_the_user_comes_back_where_its_function_is_trusted(tmp_path):
    from eulac.deep.networks import mlp

    clf, X = fitted(mlp)
    path = save(clf, tmp_path / "model.eulac")
    same = load(path, trusted_networks=["eulac.deep.networks:mlp"])
    np.testing.assert_array_equal(same.predict_proba(X), clf.predict_proba(X))
    assert same.network is mlp
    for trusted in ((), ["eulac.deep.networks:vgg"]):
        with pytest.raises(ModelFileError, match=r"'eulac.deep.networks:mlp', which is code"):
            load(path, trusted_networks=trusted)


def test_a_function_is_neither_imported_nor_called_without_consent(tmp_path, monkeypatch):
    (tmp_path / "not_asked_for.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    stored = without_networks(fitted("mlp")[0])
    stored.stored_factory_ = "not_asked_for:build"
    with pytest.raises(ModelFileError, match="'not_asked_for:build', which is code"):
        with_networks(stored)
    missing = without_networks(fitted("mlp")[0])
    missing.stored_factory_ = "eulac.deep.networks:nothing"
    with pytest.raises(ModelFileError, match="must be importable; it is not"):
        with_networks(missing, ["eulac.deep.networks:nothing"])


def test_networks_that_no_name_leads_to_are_refused(tmp_path):
    from eulac.deep.networks import mlp

    for network in (mlp((4,), 4), lambda shape, n: mlp(shape, n)):
        with pytest.raises(ModelFileError, match="a function that can be imported"):
            save(fitted(network)[0], tmp_path / "model.eulac")
    assert list(tmp_path.iterdir()) == []


def test_a_head_and_its_network_come_back(tmp_path):
    _, X, y = easy_masked(n_labeled=120, n_unlabeled=200)
    network = eulac.DeepEulacClassifier(known_proportion=0.6, max_epochs=2, random_state=0)
    head = eulac.KernelEulacClassifier(known_proportion=0.6, random_state=0)
    clf = eulac.HeadEulacClassifier(head, network).fit(X, y)
    same = load(save(clf, tmp_path / "model.eulac"))
    np.testing.assert_array_equal(same.predict_proba(X), clf.predict_proba(X))


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
