"""Models come back from files as they were, and what is no model is refused with a sentence."""

import io
import json
import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import eulac
from easy_mixture import easy_masked, easy_split
from eulac.any_classifier.default_candidates import ordinal_columns
from eulac.data.reading.drafts import replacing
from eulac.exceptions import ModelFileError
from eulac.persistence import files
from eulac.persistence.files import load, read_manifest, save
from eulac.persistence.manifest import FORMAT_VERSION, data_fingerprint
from eulac.tables.table_model import fit_table_model
from persistence.forging import MANIFEST, MODEL, SCHEMA, forged, members, packed, states

HAS_TORCH = find_spec("torch") is not None
OUTPUTS = ("predict", "predict_proba", "augmented_score", "decision_function")
QUICK = {
    "TwoStageEulacClassifier": {
        "estimator": RandomForestClassifier(3),
        "n_folds": 3,
    },
    "EulacClassifier": {
        "candidates": {"kernel": eulac.KernelEulacClassifier(bandwidth=2.0, penalty=0.1)},
        "n_folds": 3,
    },
    "PacIForestClassifier": {"n_estimators": 4},
    "FrozenEulacClassifier": {"scores": "logits", "oddness_column": -1},
    "LandmarkEulacClassifier": {"n_landmarks": 20},
    "OvrShiftClassifier": {"known_proportion": [0.2, 0.2, 0.2]},
    "DeepEulacClassifier": {"max_epochs": 2},
    "HeadEulacClassifier": {
        "estimator": eulac.KernelEulacClassifier(0.6, bandwidth=2.0, penalty=0.1),
        "encoder": SimpleImputer().fit(easy_split().X_test),
    },
    **(
        {"EnsembleEulacClassifier": {"estimator": eulac.DeepEulacClassifier(max_epochs=1)}}
        if HAS_TORCH
        else {}
    ),
    "SoftmaxThresholdClassifier": {"max_epochs": 1},
    "OpenMaxClassifier": {"max_epochs": 1},
    "GenerativeOpenMaxClassifier": {"max_epochs": 1, "generator_epochs": 1},
    "CounterfactualClassifier": {
        "max_epochs": 1,
        "generator_epochs": 1,
        "n_steps": 2,
        "n_generated": 4,
    },
}
CLASSIFIERS = [
    name
    for name in eulac.__all__
    if name.endswith("Classifier") and (HAS_TORCH or ".deep." not in eulac.HOMES[name])
]
OTHER_CASES = {
    "logistic loss": lambda: eulac.KernelEulacClassifier(
        0.6, loss="logistic", bandwidth=2.0, penalty=0.1, random_state=0
    ),
    "linear kernel, standard scale": lambda: eulac.KernelEulacClassifier(
        0.6, kernel="linear", scale="standard", random_state=0
    ),
    "a proportion estimator": lambda: eulac.KernelEulacClassifier(
        eulac.BestBinProportion(random_state=0), random_state=0
    ),
    "forests": lambda: eulac.NoveltyClassifier(
        IsolationForest(n_estimators=3), RandomForestClassifier(2), random_state=0
    ),
    "boosting": lambda: eulac.TwoStageEulacClassifier(
        HistGradientBoostingClassifier(max_iter=3), n_folds=3, random_state=0
    ),
    "repeats": lambda: eulac.TwoStageEulacClassifier(
        RandomForestClassifier(2), n_repeats=2, n_folds=3, random_state=0
    ),
    "label-free threshold": lambda: eulac.OsnnClassifier(
        threshold="label_free", known_proportion=0.6, random_state=0
    ),
}

pytestmark = pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")


def fitted(classifier, *, text=False):
    sample = easy_split().sample
    y = np.array(["ant", "bee", "fly"])[sample.y_labeled] if text else sample.y_labeled
    return classifier.fit(sample.X_labeled, y, X_unlabeled=sample.X_unlabeled)


@pytest.fixture(scope="module")
def model():
    return fitted(eulac.KernelEulacClassifier(0.6, random_state=0), text=True)


@pytest.fixture
def file(model, tmp_path):
    return save(model, tmp_path / "model.eulac")


def assert_same(one, other, X):
    for name in OUTPUTS:
        assert hasattr(one, name) == hasattr(other, name)
        if hasattr(one, name):
            np.testing.assert_array_equal(getattr(one, name)(X), getattr(other, name)(X))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_classifier_comes_back_bit_for_bit(name, tmp_path):
    classifier = getattr(eulac, name)(random_state=0)
    if "known_proportion" in classifier.get_params(deep=False):
        classifier.set_params(known_proportion=0.6)  # estimating it is not what takes place here
    fitted(classifier.set_params(**QUICK.get(name, {})))
    same = load(save(classifier, tmp_path / "model.eulac"))
    assert type(same) is type(classifier)
    assert set(vars(same)) == set(vars(classifier))
    X = np.vstack([easy_split().X_test, np.full((1, 4), 1e6)])
    assert_same(classifier, same, X)


def test_a_stream_goes_on_where_it_was_stored(tmp_path):
    split = easy_split()
    stream = fitted(eulac.StreamEulacClassifier(window=100, random_state=0))
    same = load(save(stream, tmp_path / "model.eulac"))
    one, other = stream.update(split.X_test), same.update(split.X_test)
    assert one.n_seen == other.n_seen == len(split.X_test)
    assert one.proportion.total == other.proportion.total
    assert one.evidence == other.evidence
    assert_same(stream, same, split.X_test)


@pytest.mark.parametrize("make", OTHER_CASES.values(), ids=OTHER_CASES)
def test_settings_that_hold_objects_come_back_too(make, tmp_path):
    classifier = fitted(make(), text=True)
    same = load(save(classifier, tmp_path / "model.eulac"))
    assert_same(classifier, same, easy_split().X_test)
    assert same.classes_.tolist() == classifier.classes_.tolist()
    assert repr(same) == repr(classifier)


def test_random_states_come_back(tmp_path):
    clf = eulac.OsnnClassifier(ratio=0.8, random_state=np.random.RandomState(3))
    same = load(save(fitted(clf), tmp_path / "model.eulac"))
    assert same.random_state.randint(10**9) == clf.random_state.randint(10**9)


def test_what_was_estimated_comes_back(model, file):
    same = load(file)
    assert repr(same.proportion_) == repr(model.proportion_)
    assert same.risk_ == model.risk_
    np.testing.assert_array_equal(same.proportion_.per_class, model.proportion_.per_class)


def test_table_models_come_back_with_their_columns(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=40), "color": ["red", "blue"] * 20})
    frame.loc[3, "size"] = np.nan
    y = np.array(["a", "b"] * 20)
    table_model = fit_table_model(eulac.OsnnClassifier(ratio=0.8), {"train.csv": frame}, y)
    same = load(save(table_model, tmp_path / "model.eulac"))
    assert_same(table_model, same, frame.assign(color="green"))
    assert same.columns.kinds == {"size": "number", "color": "category"}
    np.testing.assert_array_equal(same.X_labeled, table_model.X_labeled)
    assert read_manifest(tmp_path / "model.eulac").feature_names == ["size", "color"]


def test_manifest_says_what_is_inside(model, tmp_path):
    fingerprint = data_fingerprint(np.eye(2))
    path = save(model, tmp_path / "model.eulac", fingerprint=fingerprint)
    manifest = read_manifest(path)
    assert manifest.format_version == FORMAT_VERSION
    assert manifest.eulac_version == eulac.__version__
    assert manifest.estimator == "KernelEulacClassifier"
    assert manifest.classes == ["ant", "bee", "fly", "augmented"]
    assert manifest.n_features == 4
    assert manifest.known_proportion["total"] == pytest.approx(0.6)
    assert manifest.risk["value"] == model.risk_.value
    assert manifest.data_fingerprint == fingerprint


def test_a_file_of_an_older_format_is_refused_in_a_sentence(file):
    parts = members(file.read_bytes())
    said = json.loads(parts[MANIFEST]) | {"format_version": 1}
    file.write_bytes(packed({**parts, MANIFEST: json.dumps(said).encode()}))
    with pytest.raises(
        ModelFileError, match=r"of format 2; it is of format 1.*Fit the model again"
    ):
        load(file)


def test_saving_is_whole_or_not_at_all(model, tmp_path, monkeypatch):
    def failing(stream, parts):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write_stored", failing)
    with pytest.raises(OSError, match="No space"):
        save(model, tmp_path / "model.eulac")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced_unasked(model, file):
    before = file.read_bytes()
    with pytest.raises(FileExistsError, match=r"is not replaced unasked.*pass `overwrite=True`"):
        save(model, file)
    assert file.read_bytes() == before
    save(model, file, overwrite=True)


def test_targets_that_cannot_be_are_named(model, tmp_path):
    with pytest.raises(ValueError, match="is a folder"):
        save(model, tmp_path)
    with pytest.raises(FileNotFoundError, match=r"'[^']*nowhere' does not"):
        save(model, tmp_path / "nowhere" / "model.eulac")


def test_what_is_no_fitted_model_of_ours_is_not_saved(tmp_path):
    path = tmp_path / "model.eulac"
    with pytest.raises(ModelFileError, match="must be a classifier of eulac; got LogisticRegress"):
        save(LogisticRegression(), path)
    with pytest.raises(NotFittedError):
        save(eulac.KernelEulacClassifier(), path)
    detector = fitted(eulac.NoveltyClassifier(KernelDensity(), random_state=0))
    with pytest.raises(ModelFileError, match=r"'sklearn.neighbors._\w+_tree.\w+Tree'"):
        save(detector, path)
    assert not path.exists()


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"'[^']*none.eulac' does not"):
        load(tmp_path / "none.eulac")
    with pytest.raises(ModelFileError, match="is a folder"):
        load(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"garbage" * 99, b"PK\x05\x06" + bytes(18)], ids=["empty", "garbage", "no zip"]
)
def test_garbage_is_no_model(content, tmp_path):
    path = tmp_path / "model.eulac"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"a whole zip archive as|must have the member"):
        load(path)


def test_truncated_files_are_refused_at_every_length(file):
    content = file.read_bytes()
    for length in range(0, len(content), len(content) // 40):
        file.write_bytes(content[:length])
        with pytest.raises(ModelFileError):
            load(file)


def test_files_of_the_future_ask_for_an_update(file):
    parts = members(file.read_bytes())
    said = json.loads(parts[MANIFEST]) | {"format_version": 99, "eulac_version": "9.9"}
    file.write_bytes(packed({**parts, MANIFEST: json.dumps(said).encode()}))
    with pytest.raises(ModelFileError, match=r"of format 99, written by eulac 9\.9\. Update eulac"):
        load(file)


@pytest.mark.parametrize("name", [MANIFEST, MODEL])
def test_missing_parts_are_named(name, file):
    parts = members(file.read_bytes())
    del parts[name]
    file.write_bytes(packed(parts))
    with pytest.raises(ModelFileError, match=f"must have the member '{name}'"):
        load(file)


@pytest.mark.parametrize(
    "manifest", [b"", b"[]", b"{}", b"\xff", b'{"format": "x", "format_version": 1}']
)
def test_damaged_manifests_are_refused(manifest, file):
    parts = members(file.read_bytes())
    file.write_bytes(packed({**parts, MANIFEST: manifest}))
    with pytest.raises(ModelFileError, match=r"manifest|must hold a model"):
        load(file)


def test_a_manifest_that_lies_about_the_model_is_refused(file):
    parts = members(file.read_bytes())
    said = json.loads(parts[MANIFEST]) | {"estimator": "OsnnClassifier"}
    file.write_bytes(packed({**parts, MANIFEST: json.dumps(said).encode()}))
    with pytest.raises(
        ModelFileError, match="says 'OsnnClassifier', and holds 'KernelEulacClassifier'"
    ):
        load(file)


def test_a_changed_payload_is_seen_by_its_checksum(file):
    parts = members(file.read_bytes())
    payload = bytearray(parts[MODEL])
    payload[len(payload) // 2] ^= 1
    file.write_bytes(packed({**parts, MODEL: bytes(payload)}))
    with pytest.raises(ModelFileError, match="damaged"):
        load(file)


def test_packed_members_are_refused_before_they_are_unpacked(file):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in (MANIFEST, MODEL):
            archive.writestr(name, bytes(10**7))
    file.write_bytes(stream.getvalue())
    with pytest.raises(ModelFileError, match=r"must be stored as they are; 'manifest.json'"):
        load(file)


def files_of(part):
    return [state["file"] for state in states(part) if "file" in state]


def test_the_outermost_object_must_be_a_classifier(file):
    def only_the_codec(schema, parts):
        [codec] = [s for s in states(schema) if s["__class__"] == "LabelCodec"][:1]
        for name in [name for name in parts if name not in (SCHEMA, *files_of(codec))]:
            del parts[name]
        return {**codec, "protocol": schema["protocol"], "_skops_version": "0"}

    with pytest.raises(ModelFileError, match="must be a classifier of eulac; got LabelCodec"):
        load(forged(file, only_the_codec))


def test_drafts_are_beside_the_target(tmp_path):
    with replacing(tmp_path / "a") as draft:
        assert draft.parent == tmp_path
        draft.write_bytes(b"")


def plants(n=90):
    rng = np.random.default_rng(0)
    kinds = np.arange(n) % 3
    leaf = np.array(["oval", "round", "star"])[kinds]
    frame = pd.DataFrame({"leaf": leaf, "height": rng.normal(3 * kinds, 0.5)})
    frame["soil"] = np.where(rng.random(n) < 0.1, None, "clay")
    y = np.where((np.arange(n) < n // 2) & (kinds < 2), leaf, "-1")
    return frame, y


ENCODED = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore"), ["leaf", "soil"]),
    remainder="passthrough",
    sparse_threshold=0,
)


@pytest.mark.parametrize(
    "base",
    [
        make_pipeline(ENCODED, ExtraTreesClassifier(5)),
        make_pipeline(ordinal_columns(), RandomForestClassifier(5)),
        make_pipeline(ordinal_columns(), SimpleImputer(), PCA(2), ExtraTreesClassifier(5)),
    ],
    ids=["one-hot", "ordinal", "components"],
)
def test_pipelines_of_tables_come_back(base, tmp_path):
    X, y = plants()
    model = eulac.TwoStageEulacClassifier(
        base, known_proportion=0.67, n_folds=3, random_state=0
    ).fit(X, y)
    save(model, tmp_path / "m.eulac")
    again = load(tmp_path / "m.eulac")
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))


def test_models_of_texts_come_back(tmp_path):
    words = np.array(["sun sea", "snow ice", "rain mud"])
    X = np.resize(words, 90)
    y = np.where((np.arange(90) < 45) & (np.arange(90) % 3 < 2), X, "-1")
    base = make_pipeline(TfidfVectorizer(), ExtraTreesClassifier(5))
    model = eulac.TwoStageEulacClassifier(
        base, known_proportion=0.67, n_folds=3, random_state=0
    ).fit(X, y)
    save(model, tmp_path / "m.eulac")
    np.testing.assert_array_equal(load(tmp_path / "m.eulac").predict(words), model.predict(words))


MODELS = [
    eulac.KernelEulacClassifier(0.6, bandwidth=2.0, penalty=0.1, random_state=0),
    eulac.LandmarkEulacClassifier(0.6, n_landmarks=20, bandwidth=0.5, random_state=0),
    eulac.TwoStageEulacClassifier(
        RandomForestClassifier(3, random_state=0), known_proportion=0.6, random_state=0
    ),
    eulac.OsnnClassifier(random_state=0),
    eulac.EulacClassifier(known_proportion=0.6, shift=False, n_folds=2, random_state=0),
]
if HAS_TORCH:
    MODELS.append(
        eulac.DeepEulacClassifier(known_proportion=0.6, max_epochs=1, random_state=0, batch_size=32)
    )


@pytest.mark.parametrize("classifier", MODELS, ids=lambda model: type(model).__name__)
def test_the_same_fit_gives_the_same_bytes(classifier, tmp_path):
    _, X, y = easy_masked(n_labeled=45, n_unlabeled=60)
    one, two = (save(clone(classifier).fit(X, y), tmp_path / name) for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    again = save(load(one), tmp_path / "again")  # what was loaded is stored as it was
    assert again.read_bytes() == one.read_bytes()


def test_a_stream_that_went_on_and_was_loaded_is_stored_as_it_was(tmp_path):
    split, X, y = easy_masked()
    inner = eulac.LandmarkEulacClassifier(0.6, n_landmarks=20, bandwidth=0.5)
    stream = eulac.StreamEulacClassifier(inner, window=100, random_state=0).fit(X, y)
    stream.update(split.X_test)
    one = save(stream, tmp_path / "one")
    two = save(load(one), tmp_path / "two")
    assert one.read_bytes() == two.read_bytes()


SAVED = """
import sys; sys.path[:0] = sys.argv[2:]
from easy_mixture import easy_masked
from eulac import EulacClassifier, KernelEulacClassifier, save
_, X, y = easy_masked(n_labeled=45, n_unlabeled=60)
kernel = KernelEulacClassifier(0.6, bandwidth=2.0, penalty=0.1, random_state=0)
default = EulacClassifier(known_proportion=0.6, shift=False, n_folds=2, random_state=0)
for classifier in (kernel, default):
    save(classifier.fit(X, y), f"{sys.argv[1]}.{type(classifier).__name__}")
"""


@pytest.mark.slow
def test_processes_with_other_hashes_and_threads_write_the_same_bytes(tmp_path):
    contents = []
    for seed, threads in (("1", "1"), ("2", "2")):
        path = tmp_path / seed
        settings = {"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads}
        arguments = [sys.executable, "-c", SAVED, str(path), *sys.path]
        subprocess.run(arguments, env={**os.environ, **settings}, check=True)
        contents.append([part.read_bytes() for part in sorted(tmp_path.glob(f"{seed}.*"))])
    assert len(contents[0]) == 2
    assert contents[0] == contents[1]


def test_members_that_nothing_refers_to_are_refused(file):
    def more(schema, parts):
        parts["surplus.npy"] = parts[next(name for name in parts if name.endswith(".npy"))]

    with pytest.raises(ModelFileError, match=r"must be part of the model; 'surplus\.npy' is not"):
        load(forged(file, more))
