"""What reaches the classifier inside: frames with strings and gaps, texts, sparse rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from easy_mixture import easy_masked
from eulac import BestBinProportion, EulacClassifier, TwoStageEulacClassifier
from eulac.any_classifier.default_candidates import ordinal_columns

QUICK = {"n_folds": 3, "random_state": 0}
BOOSTING = HistGradientBoostingClassifier(max_iter=8, learning_rate=0.3, min_samples_leaf=5)

pytestmark = pytest.mark.filterwarnings("ignore::eulac.exceptions.OwnPoolWarning")


def animals(n_labeled=120, n_unlabeled=180, seed=0):
    """Return a frame with strings and gaps, masked labels, and the truth; wolves are new."""
    rng = np.random.default_rng(seed)
    kinds = np.append(
        np.resize(["cat", "dog"], n_labeled), np.resize(["cat", "dog", "wolf"], n_unlabeled)
    )
    voice = pd.Series(kinds).map({"cat": "meow", "dog": "bark", "wolf": "howl"}).astype(object)
    voice[rng.random(len(kinds)) < 0.05] = None
    weight = pd.Series(kinds).map({"cat": 4.0, "dog": 15.0, "wolf": 40.0})
    weight += rng.normal(size=len(kinds))
    weight[rng.random(len(kinds)) < 0.1] = np.nan
    X = pd.DataFrame({"voice": voice, "weight": weight})
    y = np.where(np.arange(len(kinds)) < n_labeled, kinds, "-1")
    return X, y, np.where(kinds == "wolf", "augmented", kinds)


class Witness(ClassifierMixin, BaseEstimator):
    """A forest that insists on getting frames with their kinds of columns."""

    def fit(self, X, y, sample_weight=None):
        assert isinstance(X, pd.DataFrame)
        assert X.dtypes.to_dict() == {"voice": np.dtype(object), "weight": np.dtype(float)}
        forest = ExtraTreesClassifier(10, min_samples_leaf=5, random_state=0)
        self.inner_ = make_pipeline(ordinal_columns(), forest).fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict_proba(self, X):
        assert isinstance(X, pd.DataFrame)
        return self.inner_.predict_proba(X)


def test_frames_reach_the_classifier_untouched():
    X, y, truth = animals()
    X["voice"] = X["voice"].astype(object)
    classifier = TwoStageEulacClassifier(Witness(), known_proportion=2 / 3, **QUICK).fit(X, y)
    np.testing.assert_array_equal(classifier.feature_names_in_, ["voice", "weight"])
    assert np.mean(classifier.predict(X) == truth) > 0.95


def test_strings_and_gaps_work_with_boosting_and_the_proportion_is_found():
    X, y, truth = animals()
    classifier = TwoStageEulacClassifier(make_pipeline(ordinal_columns(), BOOSTING), **QUICK).fit(
        X, y
    )
    assert classifier.proportion_.method == "refined"
    assert "own_scores" in classifier.proportion_.diagnostics["by_score"]
    assert abs(classifier.proportion_.total - 2 / 3) < 0.1
    assert np.mean(classifier.predict(X) == truth) > 0.95
    assert classifier.risk_.value < 0.1


def test_categories_work_natively_also_when_the_unlabeled_rows_have_others():
    X, y, truth = animals()
    X["voice"] = X["voice"].astype("category")
    masked = TwoStageEulacClassifier(BOOSTING, known_proportion=2 / 3, **QUICK).fit(X, y)
    assert np.mean(masked.predict(X) == truth) > 0.9
    labeled = y != "-1"
    apart = TwoStageEulacClassifier(BOOSTING, known_proportion=2 / 3, **QUICK)
    apart.fit(X[labeled], y[labeled], X_unlabeled=X[~labeled])
    np.testing.assert_array_equal(masked.predict(X), apart.predict(X))


def test_the_order_of_rows_in_a_frame_does_not_matter():
    X, y, _ = animals()
    order = np.random.default_rng(1).permutation(len(y))
    base = make_pipeline(ordinal_columns(), ExtraTreesClassifier(10))
    options = {"known_proportion": 2 / 3, **QUICK}
    one = TwoStageEulacClassifier(base, **options).fit(X, y)
    two = TwoStageEulacClassifier(base, **options).fit(X.iloc[order], y[order])
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_missing_numbers_reach_classifiers_that_take_them_and_infinite_ones_never_do():
    split, X, y = easy_masked()
    X[::7, 1] = np.nan
    forest = TwoStageEulacClassifier(ExtraTreesClassifier(20), known_proportion=0.6, **QUICK)
    assert np.mean(forest.fit(X, y).predict(split.X_test) == split.y_test) > 0.9
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="Input X contains infinity"):
        forest.fit(X, y)
    with pytest.raises(ValueError, match="Input X contains infinity"):
        forest.predict(X)


@pytest.mark.parametrize("base", [None, HistGradientBoostingClassifier(max_iter=3)])
def test_strings_for_a_classifier_of_numbers_get_advice(base):
    X = pd.DataFrame({"voice": np.resize(["meow", "bark", "howl"], 60)}, dtype=object)
    y = np.where(np.arange(60) < 30, np.resize(["cat", "dog"], 60), "-1")
    with pytest.raises(ValueError, match=r"takes no strings.*OrdinalEncoder.*EulacClassifier"):
        TwoStageEulacClassifier(base, known_proportion=0.6, random_state=0).fit(X, y)


@pytest.mark.parametrize(
    ("unlabeled", "words"),
    [
        (pd.DataFrame({"a": [0.0]}), r"it has no \['b'\]\. Pass `X_unlabeled\[X.columns\]`"),
        (pd.DataFrame({"a": [0.0], "b": [1.0], "c": [2.0]}), r"it has also \['c'\]"),
        (pd.DataFrame({"b": [0.0], "a": [1.0]}), "it has them in another order"),
        (np.zeros((3, 5)), "the features of `X`, 2 of them; got 5"),
    ],
)
def test_unlabeled_rows_of_another_shape_are_refused_by_name(unlabeled, words):
    X = pd.DataFrame({"a": np.arange(20.0), "b": 1.0})
    with pytest.raises(ValueError, match=words):
        TwoStageEulacClassifier().fit(X, np.arange(20) % 2, X_unlabeled=unlabeled)


@pytest.mark.parametrize(
    ("base", "words"),
    [
        (GaussianNB, r"Pass an instance: GaussianNB\(\)"),
        ("forest", "got 'forest'. Pass one, such as"),
        (StandardScaler(), "Pass one, such as"),
        (LinearSVC(), r"got LinearSVC\(\)\. Wrap it in CalibratedClassifierCV"),
    ],
)
def test_what_gives_no_probabilities_is_refused_with_advice_that_helps(base, words):
    _, X, y = easy_masked()
    with pytest.raises(TypeError, match=words):
        TwoStageEulacClassifier(base).fit(X, y)


def test_a_pipeline_that_fills_gaps_gets_them():
    split, X, y = easy_masked()
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), GaussianNB())
    model = TwoStageEulacClassifier(pipeline, n_folds=3, known_proportion=0.6, random_state=0)
    assert model.fit(X, y).score(split.X_test, split.y_test) > 0.9
    with pytest.raises(ValueError, match="contains NaN"):
        model.set_params(estimator=make_pipeline(PCA(1), GaussianNB())).fit(X, y)


def test_texts_work_through_a_pipeline():
    rng = np.random.default_rng(0)
    words = {"a": "red green blue", "b": "one two three", "new": "oak elm ash"}
    kinds = np.append(np.resize(["a", "b"], 60), np.resize(["a", "b", "new"], 90))
    X = [" ".join(rng.choice(words[kind].split(), 6)) for kind in kinds]
    y = np.where(np.arange(150) < 60, kinds, "-1")
    base = make_pipeline(CountVectorizer(), LogisticRegression(max_iter=1000))
    classifier = TwoStageEulacClassifier(base, known_proportion=2 / 3, **QUICK).fit(X, y)
    np.testing.assert_array_equal(
        classifier.predict(["red blue", "one three", "oak ash elm"]), ["a", "b", "augmented"]
    )


def test_sparse_rows_are_as_good_as_dense_ones():
    split, X, y = easy_masked()
    X, X_test = np.round(X), np.round(split.X_test)
    options = {"known_proportion": 0.6, **QUICK}
    dense = TwoStageEulacClassifier(LogisticRegression(max_iter=1000), **options).fit(X, y)
    thin = TwoStageEulacClassifier(LogisticRegression(max_iter=1000), **options).fit(
        sparse.csr_array(X), y
    )
    assert np.mean(thin.predict(sparse.csr_array(X_test)) == dense.predict(X_test)) > 0.95


def test_the_default_answers_sparse_rows_that_come_later():
    split, X, y = easy_masked()
    X, X_test = np.round(X), np.round(split.X_test)
    clf = EulacClassifier(known_proportion=0.6, drift=False, **QUICK).fit(sparse.csr_array(X), y)
    assert np.mean(clf.predict(sparse.csr_array(X_test)) == split.y_test) > 0.8


def test_an_estimator_of_numbers_is_refused_for_strings():
    X, y, _ = animals()
    base = make_pipeline(ordinal_columns(), BOOSTING)
    classifier = TwoStageEulacClassifier(base, known_proportion=BestBinProportion(), **QUICK)
    with pytest.raises(ValueError, match="from rows of finite numbers"):
        classifier.fit(X, y)


def test_priors_of_a_given_proportion_come_from_the_scores_where_rows_are_strings():
    X, y, _ = animals()
    base = make_pipeline(ordinal_columns(), BOOSTING)
    options = {"known_proportion": 0.6, "shift": True, **QUICK}
    per_class = TwoStageEulacClassifier(base, **options).fit(X, y).proportion_.per_class
    np.testing.assert_allclose(per_class, [0.3, 0.3], atol=0.08)


def test_huge_numbers_do_not_stop_the_proportion():
    _, X, y = easy_masked()
    classifier = TwoStageEulacClassifier(GaussianNB(), **QUICK).fit(1e80 * X, y)
    assert classifier.proportion_.method == "refined"
    assert "own_scores" in classifier.proportion_.diagnostics["by_score"]


@pytest.mark.parametrize(
    ("module", "name", "settings"),
    [
        ("xgboost", "XGBClassifier", {"n_estimators": 10, "n_jobs": 1}),
        ("lightgbm", "LGBMClassifier", {"n_estimators": 10, "n_jobs": 1, "verbose": -1}),
    ],
)
def test_boosting_of_other_libraries(module, name, settings):
    library = pytest.importorskip(module, reason=f"{module} is not installed")
    split, X, y = easy_masked()
    base = getattr(library, name)(**settings)
    classifier = TwoStageEulacClassifier(base, known_proportion=0.6, n_folds=3, random_state=0)
    assert classifier.fit(X, y).score(split.X_test, split.y_test) > 0.9
