"""What every classifier of known classes or *augmented* must do, whatever it is made of.

Written like scikit-learn's common tests: a test module names its instances in one line and every
check runs on each of them. The mixture is easy, so that any sensible classifier gets it right.

    @parametrize_with_contract([MyClassifier(random_state=0)])
    def test_contract(classifier, check):
        check(classifier)
"""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version
from sklearn.utils.validation import has_fit_parameter

from easy_mixture import easy_masked, easy_split
from eulac.data.labels import AUGMENTED
from eulac.exceptions import NoUnlabeledRowsWarning
from recorded_tasks import RecordedTasks

# Before 1.7 scikit-learn cannot be told to be strict.
STRICTLY = (
    {"xfail_strict": True} if parse_version(sklearn.__version__) >= parse_version("1.7") else {}
)
CHECKS = []


@dataclass(frozen=True)
class Tolerance:
    """What a classifier must reach: less where it sees no unlabeled rows, or has random columns.

    `renamed` is the share of answers that may not change when classes get names in another order.
    `places` says that columns are known by their places: in another order they are other columns.
    """

    accuracy: float = 0.9
    renamed: float = 1.0
    places: bool = False


TOLERANCES = {}


PLAIN_FITS, SHUFFLED_FITS, WATCHED_FITS = {}, {}, {}


def tolerance_of(classifier):
    return TOLERANCES.get(classifier, Tolerance())


def fitted_on_easy_rows(classifier):
    """Return the classifier fitted on the easy mixture: one fit, which all checks share.

    A check that fits it again compares with a model of another test, so that what a test leaves
    behind is found too. Checks only ask this model; those that change a model fit their own.
    """
    if classifier not in PLAIN_FITS:
        _, X, y = easy_masked()
        np.random.seed(0)  # noqa: NPY002
        PLAIN_FITS[classifier] = clone(classifier).fit(X, y)
    return PLAIN_FITS[classifier]


def fitted_on_shuffled_rows(classifier):
    """Return a permutation, and the classifier fitted on the easy mixture in that order."""
    _, X, y = easy_masked()
    order = np.random.default_rng(1).permutation(len(y))
    if classifier not in SHUFFLED_FITS:
        SHUFFLED_FITS[classifier] = clone(classifier).fit(X[order], y[order])
    return order, SHUFFLED_FITS[classifier]


def fitted_while_watched(classifier):
    """Return a recorder of callbacks, and the classifier made anew from its parameters."""
    if classifier not in WATCHED_FITS:
        _, X, y = easy_masked()
        recorder = RecordedTasks()
        again = type(classifier)(**fitted_on_easy_rows(classifier).get_params(deep=False))
        if hasattr(again, "set_callbacks"):  # scikit-learn 1.9 and later
            again.set_callbacks(recorder)
        WATCHED_FITS[classifier] = recorder, again.fit(X, y)
    return WATCHED_FITS[classifier]


def parametrize_with_contract(classifiers, *also, tolerance=None):
    """Decorate ``test(classifier, check)`` to run every check on every classifier.

    What happens without unlabeled rows is not the same for all: the checks of it are named.
    """
    if tolerance is not None:
        TOLERANCES.update(dict.fromkeys(classifiers, tolerance))
    return pytest.mark.parametrize(
        ("classifier", "check"),
        [
            pytest.param(classifier, check, id=f"{type(classifier).__name__}{i}-{check.__name__}")
            for i, classifier in enumerate(classifiers)
            for check in (*CHECKS, *also)
        ]
        + [
            pytest.param(
                classifier,
                check_every_spelling_of_labels,
                id=f"{type(classifier).__name__}{i}-check_every_spelling_of_labels",
                marks=pytest.mark.slow,
            )
            for i, classifier in enumerate(classifiers)
        ],
    )


def parametrize_with_scikit_learn_checks(classifiers, **also_expected_to_fail):
    """Decorate ``test(estimator, check)`` to run scikit-learn's checks on every classifier.

    One fails by design; further ones are named with their reason.
    """
    failing = {
        "check_classifiers_classes": "-1 is a class there; here it marks an unlabeled row",
        **also_expected_to_fail,
    }
    checks = parametrize_with_checks(
        classifiers, expected_failed_checks=lambda estimator: failing, **STRICTLY
    )
    quiet = pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
    return lambda test: quiet(checks(test))


def promise(check):
    """Add a check to the contract."""
    CHECKS.append(check)
    return check


def outputs(classifier, X):
    """Return everything a classifier says of rows, to be compared bit for bit."""
    methods = ("predict", "augmented_score", "predict_proba", "decision_function")
    return [getattr(classifier, name)(X) for name in methods if hasattr(classifier, name)]


def assert_same_outputs(one, two, X):
    for first, second in zip(outputs(one, X), outputs(two, X), strict=True):
        np.testing.assert_array_equal(first, second)


@promise
def check_easy_classes_are_told_apart_and_new_rows_found(classifier):
    split = easy_split()
    tolerance, classifier = tolerance_of(classifier), fitted_on_easy_rows(classifier)
    assert np.mean(classifier.predict(split.X_test) == split.y_test) > tolerance.accuracy
    assert classifier.score(split.X_test, split.y_test) == pytest.approx(
        np.mean(classifier.predict(split.X_test) == split.y_test)
    )


@promise
def check_classes_are_the_known_ones_sorted_then_the_augmented_label(classifier):
    split, classifier = easy_split(), fitted_on_easy_rows(classifier)
    np.testing.assert_array_equal(classifier.known_classes_, [0, 1, 2])
    np.testing.assert_array_equal(classifier.classes_, [0, 1, 2, AUGMENTED])
    predicted = classifier.predict(split.X_test)
    assert predicted.shape == split.y_test.shape
    assert predicted.dtype == classifier.classes_.dtype
    assert set(predicted) <= set(classifier.classes_)


@promise
def check_augmented_score_is_bigger_for_new_rows(classifier):
    split = easy_split()
    score = fitted_on_easy_rows(classifier).augmented_score(split.X_test)
    assert score.shape == split.y_test.shape
    assert roc_auc_score(split.y_test == AUGMENTED, score) > 0.9


@promise
def check_augmented_score_is_positive_exactly_where_the_answer_is_new(classifier):
    split = easy_split()
    fitted = fitted_on_easy_rows(classifier)
    new = fitted.predict(split.X_test) == AUGMENTED
    np.testing.assert_array_equal(fitted.augmented_score(split.X_test) > 0, new)


@promise
def check_masked_and_separate_unlabeled_rows_give_the_same_model(classifier):
    split, X, y = easy_masked()
    is_labeled = y != -1
    separate = clone(classifier).fit(X[is_labeled], y[is_labeled], X_unlabeled=X[~is_labeled])
    assert_same_outputs(fitted_on_easy_rows(classifier), separate, split.X_test)


def spellings():
    """Return the labels of the easy mixture in all ways to write them."""
    _, _, y = easy_masked()
    names = {-1: "-1", 0: "ant", 1: "bee", 2: "cow"}
    text = np.array([names[label] for label in y.tolist()])
    return {
        "objects": y.astype(object),
        "other_numbers": np.where(y < 0, y, 10 * y + 7).astype(np.int8),
        "categories": pd.Series(text, dtype="category"),
        "pandas": pd.Series(y),
        "polars": pl.Series(y.tolist()),
        "texts": text.astype(object),
        "plain_texts": text,
        "list": y.tolist(),
        "floats": y.astype(np.float64),
    }


@promise
def check_the_type_of_labels_does_not_matter(classifier):
    # One of each kind: `make test-slow` runs through all of them.
    check_spellings(classifier, ("objects", "other_numbers", "categories"))


def check_every_spelling_of_labels(classifier):
    """For `make test-slow`, of every classifier."""
    check_spellings(classifier, tuple(spellings()))


def check_spellings(classifier, kinds):
    split, X, _ = easy_masked()
    plain = fitted_on_easy_rows(classifier)
    expected = np.searchsorted(plain.known_classes_, plain.predict(split.X_test))
    expected[plain.predict(split.X_test) == AUGMENTED] = 3
    for other in (spellings()[kind] for kind in kinds):
        model = clone(classifier).fit(X, other)
        np.testing.assert_array_equal(model.predict(split.X_test), model.classes_[expected])
        np.testing.assert_array_equal(
            model.augmented_score(split.X_test), plain.augmented_score(split.X_test)
        )


@promise
def check_names_in_another_order_change_no_prediction(classifier):
    split, X, y = easy_masked()
    names = {-1: "-1", 0: "zebra", 1: "ant", 2: "moth", AUGMENTED: "augmented"}
    plain = fitted_on_easy_rows(classifier)
    renamed = clone(classifier).fit(X, [names[label] for label in y.tolist()])
    expected = [names[label] for label in plain.predict(split.X_test).tolist()]
    share = tolerance_of(classifier).renamed
    if share < 1.0:  # a network's columns start at random
        assert np.mean(renamed.predict(split.X_test) == expected) >= share
        return
    np.testing.assert_array_equal(renamed.predict(split.X_test), expected)
    # Columns in another order are summed in another order.
    np.testing.assert_allclose(
        renamed.augmented_score(split.X_test), plain.augmented_score(split.X_test), atol=1e-6
    )


@promise
def check_the_order_of_rows_does_not_matter(classifier):
    split, one = easy_split(), fitted_on_easy_rows(classifier)
    _, two = fitted_on_shuffled_rows(classifier)
    assert_same_outputs(one, two, split.X_test)
    shuffled = np.random.default_rng(2).permutation(len(split.X_test))
    np.testing.assert_array_equal(
        one.predict(split.X_test)[shuffled], one.predict(split.X_test[shuffled])
    )


@promise
def check_nothing_is_left_of_an_earlier_fit(classifier):
    split, X, y = easy_masked()
    one = fitted_on_easy_rows(classifier)
    two = copy.deepcopy(one)
    assert two.fit(X, y) is two
    assert_same_outputs(one, two, split.X_test)


@promise
def check_the_same_seed_gives_the_same_model_and_global_randomness_is_left_alone(classifier):
    split, X, y = easy_masked()
    one = fitted_on_easy_rows(classifier)  # with another seed
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    two = clone(classifier).fit(X, y)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert_same_outputs(one, two, split.X_test)


@promise
def check_clone_and_parameters_make_the_same_classifier(classifier):
    split, fitted = easy_split(), fitted_on_easy_rows(classifier)
    assert repr(fitted.get_params()) == repr(classifier.get_params())
    _, again = fitted_while_watched(classifier)
    assert_same_outputs(fitted, again, split.X_test)


@promise
def check_callbacks_see_the_fit_begin_and_end_and_leave_no_trace(classifier):
    recorder, watched = fitted_while_watched(classifier)
    if not hasattr(watched, "set_callbacks"):
        return
    recorder.assert_whole(type(classifier).__name__)
    assert repr(watched.get_params()) == repr(classifier.get_params())
    kept = {name for name in vars(watched) if "callback" in name}
    assert kept == {"_skl_callbacks"}
    watched.set_callbacks()
    assert vars(watched).keys() == vars(fitted_on_easy_rows(classifier)).keys()


@promise
def check_a_pickle_keeps_every_bit(classifier):
    split = easy_split()
    fitted = fitted_on_easy_rows(classifier)
    assert_same_outputs(fitted, pickle.loads(pickle.dumps(fitted)), split.X_test)


@promise
def check_it_works_at_the_end_of_a_pipeline(classifier):
    split, X, y = easy_masked()
    masked = make_pipeline(StandardScaler(), clone(classifier)).fit(X, y)
    accuracy = tolerance_of(classifier).accuracy
    assert np.mean(masked.predict(split.X_test) == split.y_test) > accuracy
    sample = split.sample
    with sklearn.config_context(enable_metadata_routing=True):
        last = clone(classifier).set_fit_request(X_unlabeled=True)
        steps = [("scale", StandardScaler()), ("classify", last)]
        separate = Pipeline(steps, transform_input=["X_unlabeled"])
        separate.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)
    assert np.mean(separate.predict(split.X_test) == split.y_test) > accuracy


@promise
def check_data_frames_are_as_good_as_arrays(classifier):
    split, X, y = easy_masked()
    # Sorted, as columns of arrays are; in another order for those who know columns by name.
    names, places = ["east", "north", "south", "west"], tolerance_of(classifier).places
    turned = names if places else ["south", "east", "west", "north"]
    plain, found = fitted_on_easy_rows(classifier), []
    for frame in (
        lambda A: pd.DataFrame(A, columns=names),
        lambda A: pl.DataFrame(A, names)[turned],
    ):
        fitted = clone(classifier).fit(frame(X), y)
        np.testing.assert_array_equal(fitted.feature_names_in_, list(frame(X).columns))
        found.append(outputs(fitted, frame(split.X_test)))
        np.testing.assert_array_equal(found[-1][0], plain.predict(split.X_test))
        other = frame(split.X_test)[frame(X).columns[::-1]]
        with pytest.raises(ValueError, match="same order as they were in fit"):
            fitted.predict(other)
        with pytest.raises(ValueError, match="in the same order; it has them in another order"):
            clone(classifier).fit(frame(X), y, X_unlabeled=other)
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)  # columns are known by their names


@promise
def check_many_threads_predict_as_one_does(classifier):
    split = easy_split()
    fitted = fitted_on_easy_rows(classifier)
    expected = outputs(fitted, split.X_test)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: outputs(fitted, split.X_test), range(24)))
    for answer in answers:
        for first, second in zip(expected, answer, strict=True):
            np.testing.assert_array_equal(first, second)


@promise
def check_inputs_are_left_alone_and_the_pool_may_come_in_two_parts(classifier):
    split, X, y = easy_masked()
    arrays = [X[:-20].copy(), y[:-20].copy(), X[-20:].copy(), split.X_test.copy()]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    both = clone(classifier).fit(*arrays[:3])
    assert_same_outputs(fitted_on_easy_rows(classifier), both, arrays[3])
    for array, unchanged in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, unchanged)


@promise
def check_weights_are_taken_or_unknown(classifier):
    """Equal weights change nothing; unlabeled rows are deployment as it is, and weigh the same."""
    split, X, y = easy_masked()
    if not has_fit_parameter(classifier, "sample_weight"):
        with pytest.raises(TypeError, match="sample_weight"):
            clone(classifier).fit(X, y, sample_weight=np.ones(len(y)))
        return
    weighted = clone(classifier).fit(X, y, sample_weight=np.full(len(y), 3.0))
    assert_same_outputs(fitted_on_easy_rows(classifier), weighted, split.X_test)
    uneven = np.where(np.arange(len(y)) % 2, 2.0, 1.0)
    with pytest.raises(ValueError, match=r"must be the same for all unlabeled rows.* 1 to 2"):
        clone(classifier).fit(X, y, sample_weight=uneven)


@promise
def check_sparse_rows_are_taken_or_refused_with_advice(classifier):
    split, X, y = easy_masked()
    if not get_tags(classifier).input_tags.sparse:
        advice = r"dense for .*; got sparse ones, \d+ x 4\. Use EulacClassifier\(\), or TwoStage"
        with pytest.raises(TypeError, match=advice):
            clone(classifier).fit(csr_array(X), y)
        with pytest.raises(TypeError, match=advice):
            fitted_on_easy_rows(classifier).predict(csr_array(split.X_test))
        return
    model = clone(classifier).fit(csr_array(X), y)
    assert np.mean(model.predict(csr_array(split.X_test)) == split.y_test) > 0.75


@promise
def check_missing_and_infinite_features_are_refused(classifier):
    _, X, y = easy_masked()
    fitted = fitted_on_easy_rows(classifier)
    for value, words in ((np.nan, "Input X contains NaN"), (np.inf, "Input X contains infinity")):
        spoiled = X.copy()
        spoiled[3, 1] = value
        with pytest.raises(ValueError, match=words):
            clone(classifier).fit(spoiled, y)
        with pytest.raises(ValueError, match=words):
            clone(classifier).fit(X, y, X_unlabeled=spoiled)
        for method in (fitted.predict, fitted.augmented_score):
            with pytest.raises(ValueError, match=words):
                method(spoiled)


@promise
def check_rows_of_another_width_are_refused(classifier):
    split, X, y = easy_masked()
    with pytest.raises(ValueError, match="the features of `X`, 4 of them; got 3"):
        clone(classifier).fit(X, y, X_unlabeled=split.X_test[:, :3])
    fitted = fitted_on_easy_rows(classifier)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4 features"):
        fitted.predict(split.X_test[:, :3])


@promise
def check_methods_need_a_fit(classifier):
    X = easy_split().X_test
    for name in ("predict", "augmented_score", "predict_proba", "decision_function"):
        if hasattr(classifier, name):
            with pytest.raises(NotFittedError):
                getattr(clone(classifier), name)(X)
    with pytest.raises(NotFittedError):
        clone(classifier).score(X, np.zeros(len(X)))


def check_the_pool_is_answered_by_models_that_have_not_seen_the_row(classifier):
    """For classifiers with `fit_predict`: shape, order and labels, whichever way rows come."""
    split, X, y = easy_masked()
    hidden = np.flatnonzero(y == -1)
    masked = clone(classifier)
    labels = masked.fit_predict(X, y)
    assert labels.shape == hidden.shape
    assert labels.dtype == masked.classes_.dtype
    assert set(labels) <= set(masked.classes_)
    assert np.mean(labels == split.y_unlabeled) > 0.9
    if hasattr(masked, "held_out_labels_"):
        np.testing.assert_array_equal(labels, masked.held_out_labels_[hidden])
    # Unlabeled rows of `X` come first, then those of `X_unlabeled`, each in its order.
    order = np.random.default_rng(0).permutation(len(y))
    later = np.isin(order, order[-40:]) & (y[order] == -1)
    kept, more = order[~later], order[later]
    found = clone(classifier).fit_predict(X[kept], y[kept], X_unlabeled=X[more])
    asked = np.append(kept[y[kept] == -1], more)
    np.testing.assert_array_equal(found, labels[np.searchsorted(hidden, asked)])


def check_held_out_answers_follow_the_rows_as_given(classifier):
    """For classifiers that keep the held-out answers of all rows."""
    _, _, y = easy_masked()
    one, (order, two) = fitted_on_easy_rows(classifier), fitted_on_shuffled_rows(classifier)
    probabilities = one.held_out_probabilities_
    assert probabilities.shape == (len(y), len(one.classes_))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(two.held_out_probabilities_, probabilities[order])
    np.testing.assert_array_equal(one.held_out_labels_, one.classes_[probabilities.argmax(axis=1)])
    np.testing.assert_array_equal(one.held_out_codes_, y)  # the known classes are 0, 1 and 2
    np.testing.assert_array_equal(two.held_out_codes_, y[order])
    is_labeled = y != -1
    assert np.mean(one.held_out_labels_[is_labeled] == y[is_labeled]) > 0.9
    assert not hasattr(clone(classifier), "held_out_labels_")


def check_markers_of_unlabeled_and_augmented_rows_may_be_others(classifier):
    split, X, y = easy_masked()
    plain = fitted_on_easy_rows(classifier)
    marked = clone(classifier).set_params(unlabeled_label=99, augmented_label=77)
    marked.fit(X, np.where(y == -1, 99, y))
    np.testing.assert_array_equal(marked.classes_, [0, 1, 2, 77])
    expected = plain.predict(split.X_test)
    np.testing.assert_array_equal(
        marked.predict(split.X_test), np.where(expected == AUGMENTED, 77, expected)
    )


def check_without_unlabeled_rows_it_warns_and_knows_no_new_class(classifier):
    split = easy_split()
    sample = split.sample
    with pytest.warns(NoUnlabeledRowsWarning, match="no unlabeled rows"):
        closed = clone(classifier).fit(sample.X_labeled, sample.y_labeled)
    np.testing.assert_array_equal(closed.classes_, closed.known_classes_)
    known = split.y_test != AUGMENTED
    assert set(closed.predict(split.X_test)) <= {0, 1, 2}
    assert np.mean(closed.predict(split.X_test[known]) == split.y_test[known]) > 0.9
    if hasattr(classifier, "fit_predict"):
        with pytest.warns(NoUnlabeledRowsWarning, match="no unlabeled rows"):
            labels = clone(classifier).fit_predict(sample.X_labeled, sample.y_labeled)
        assert labels.shape == (0,)


def check_unlabeled_rows_change_nothing(classifier):
    split = easy_split()
    sample = split.sample
    alone = clone(classifier).fit(sample.X_labeled, sample.y_labeled)
    both = clone(classifier).fit(sample.X_labeled, sample.y_labeled, sample.X_unlabeled)
    np.testing.assert_array_equal(alone.classes_, [0, 1, 2, AUGMENTED])
    assert_same_outputs(alone, both, split.X_test)


POOL = (
    check_the_pool_is_answered_by_models_that_have_not_seen_the_row,
    check_markers_of_unlabeled_and_augmented_rows_may_be_others,
)
"""What classifiers promise besides that learn from a pool."""

HELD_OUT = (
    *POOL,
    check_held_out_answers_follow_the_rows_as_given,
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
)
"""And those that keep the held-out answers of all rows."""
