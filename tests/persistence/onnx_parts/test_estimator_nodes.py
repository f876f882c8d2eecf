import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from eulac.any_classifier.default_candidates import kernel_logistic, small_boosting
from eulac.any_classifier.label_free_steps import SoftmaxRegression
from eulac.data.long_tails import EvenScaler
from eulac.maths.compact_forest import compact_forest
from eulac.persistence.onnx_parts.estimator_nodes import (
    CLASSIFIERS,
    TRANSFORMERS,
    estimator_probabilities,
)
from persistence.onnx_answers import computed

pytest.importorskip("onnx", reason="needs the extra `onnx`")
rng = np.random.default_rng(0)
ROWS = rng.normal(size=(150, 4)) * [1, 10, 100, 0.01]
NEW = rng.normal(size=(300, 4)) * [2, 20, 200, 0.02]
Y = np.resize([0, 1, 2], 150)
FORESTS = [ExtraTreesClassifier(5), RandomForestClassifier(5), DecisionTreeClassifier()]
PLAIN = [
    *FORESTS,
    ExtraTreeClassifier(),
    GradientBoostingClassifier(n_estimators=5),
    GradientBoostingClassifier(n_estimators=5, init="zero"),
    HistGradientBoostingClassifier(max_iter=5),
    SoftmaxRegression(),
    LogisticRegression(max_iter=5000),
    LinearDiscriminantAnalysis(),
    GaussianNB(),
    KNeighborsClassifier(3),
    DummyClassifier(),
    *(
        MLPClassifier((6,), activation=name, solver="lbfgs", max_iter=1000)
        for name in ("relu", "tanh", "logistic", "identity")
    ),
]
STEPS = [
    MinMaxScaler(),
    MinMaxScaler(feature_range=(-1, 2), clip=True),
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    RobustScaler(),
    EvenScaler(),
    RobustScaler(with_centering=False),
    MaxAbsScaler(),
    "passthrough",
]


def assert_agrees(model, X):
    found = computed(
        lambda graph, x: estimator_probabilities(graph, x, model), X, len(model.classes_)
    )
    np.testing.assert_allclose(found, model.predict_proba(X), atol=2e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", PLAIN, ids=repr)
def test_probabilities_are_those_of_scikit_learn(model, n_classes):
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    scaler = StandardScaler().fit(ROWS)
    assert_agrees(model.fit(scaler.transform(ROWS), Y % n_classes), scaler.transform(NEW))


@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_steps_before_a_classifier(step):
    model = make_pipeline(step, LogisticRegression(C=0.1, max_iter=5000))
    assert_agrees(model.fit(ROWS, Y), NEW)


def test_columns_with_long_tails_have_the_same_ranks():
    rows, new = ROWS.copy(), NEW.copy()
    rows[:, 1], new[:, 1] = np.exp(4 * ROWS[:, 0]), np.exp(2 * NEW[:, 0])
    model = make_pipeline(EvenScaler(), SoftmaxRegression()).fit(rows, Y)
    assert model[0].tails_.columns.tolist() == [1]
    assert_agrees(model, new)


def test_kernel_logistic_regression_and_gaps():
    assert_agrees(kernel_logistic().set_params(landmarks__random_state=0).fit(ROWS, Y), NEW)
    holes, fresh = (np.where(rng.random(X.shape) < 0.2, np.nan, X) for X in (ROWS, NEW))
    filled = make_pipeline(SimpleImputer(), MinMaxScaler(), LogisticRegression(max_iter=1000))
    trees = ExtraTreesClassifier(5)
    for model in (filled, trees, HistGradientBoostingClassifier(max_iter=5), small_boosting()):
        assert_agrees(model.fit(holes, Y), fresh)
    assert_agrees(compact_forest(trees), fresh)


def test_every_part_with_nodes_is_tested():
    tested = {type(one) for one in [*PLAIN, *STEPS]}
    listed = {cls for cls in (*CLASSIFIERS, *TRANSFORMERS) if cls.__module__.startswith("sklearn")}
    assert listed - tested == {SimpleImputer}


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SVC(), "SVC has no nodes of ONNX here"),
        (make_pipeline(SimpleImputer(add_indicator=True), GaussianNB()), "add_indicator=True"),
        (DummyClassifier(strategy="uniform"), "got 'uniform'"),
        (GradientBoostingClassifier(init=GaussianNB(), n_estimators=2), "Leave `init` out"),
    ],
    ids=["unknown", "indicator", "dummy", "init"],
)
def test_what_has_no_nodes_is_refused_in_a_sentence(model, message):
    with pytest.raises(ValueError, match=message):
        assert_agrees(model.fit(ROWS, Y), NEW)
