"""Models in MLflow, by the real one: written, read again, answered by."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import eulac
from easy_mixture import easy_split
from eulac.persistence.mlflow_flavor import log_mlflow, mlflow_signature, save_mlflow
from eulac.tables.table_model import fit_table_model

WITHOUT = "import sys; sys.modules['mlflow'] = None; "


@pytest.mark.slow
def test_without_mlflow_the_extra_is_named():
    code = WITHOUT + (
        "from eulac.persistence.mlflow_flavor import save_mlflow\n"
        "try:\n    save_mlflow(None, 'nowhere')\nexcept ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Install the extra: eulac[mlflow]" in done.stdout


class TestWithMlflow:
    """With MLflow installed."""

    pytestmark = pytest.mark.filterwarnings("ignore")  # of MLflow's own

    @pytest.fixture(autouse=True)
    def mlflow(self, tmp_path, monkeypatch):
        mlflow = pytest.importorskip("mlflow", reason="needs MLflow: pip install 'eulac[mlflow]'")
        pytest.importorskip("mlflow.pyfunc", reason="this MLflow does not work with our pandas")
        monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        monkeypatch.chdir(tmp_path)
        mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
        return mlflow

    @staticmethod
    def machine():
        sample = easy_split().sample
        clf = eulac.KernelEulacClassifier(0.6, bandwidth=2.0, penalty=0.1, random_state=0)
        return clf, sample

    def table_model(self):
        clf, sample = self.machine()
        frames = {
            name: pd.DataFrame(X, columns=list("abcd")).assign(
                wild=X[:, 0] > 1, color=np.where(X[:, 1] > 2, "red", "blue")
            )
            for name, X in {"train": sample.X_labeled, "pool": sample.X_unlabeled}.items()
        }
        names = np.array(["ant", "bee", "fly"])[sample.y_labeled]
        return fit_table_model(clf, frames, names), frames["train"]

    def test_a_table_model_is_logged_loaded_and_answers_the_same(self, mlflow):
        model, frame = self.table_model()
        with mlflow.start_run():
            info = log_mlflow(model)
        assert [column.name for column in info.signature.inputs] == [*"abcd", "wild", "color"]
        loaded = mlflow.pyfunc.load_model(info.model_uri)
        answers = loaded.predict(frame.iloc[::-1])
        assert answers.index.tolist() == frame.index[::-1].tolist()
        assert answers["label"].tolist() == model.predict(frame.iloc[::-1]).tolist()
        np.testing.assert_allclose(
            answers[["p_ant", "p_bee", "p_fly", "p_augmented"]],
            model.predict_proba(frame.iloc[::-1]),
            atol=1e-2,
        )
        with pytest.raises(mlflow.exceptions.MlflowException, match="color"):
            loaded.predict(frame.drop(columns="color"))

    def test_a_classifier_of_arrays_is_a_folder_with_our_safe_file(self, mlflow, tmp_path):
        clf, sample = self.machine()
        clf.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)
        save_mlflow(clf, tmp_path / "folder")
        [file] = (tmp_path / "folder").rglob("*.eulac")
        assert not list((tmp_path / "folder").rglob("*.pkl"))
        X = easy_split().X_test
        np.testing.assert_array_equal(eulac.load(file).predict(X), clf.predict(X))
        loaded = mlflow.pyfunc.load_model(str(tmp_path / "folder"))
        assert loaded.predict(X)["label"].tolist() == clf.predict(X).tolist()

    def test_signature_gives_every_answer_a_type(self, mlflow):
        model, _ = self.table_model()
        found = {c.name: c.type.name for c in mlflow_signature(model).outputs}
        assert found["label"] == "string"
        assert found["augmented_score"] == "double"
        assert len(found) == 6
