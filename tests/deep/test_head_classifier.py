import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from torch import nn  # noqa: E402

from easy_mixture import easy_masked  # noqa: E402
from eulac.contenders.osnn import OsnnClassifier  # noqa: E402
from eulac.data.labels import AUGMENTED  # noqa: E402
from eulac.deep.deep_classifier import DeepEulacClassifier  # noqa: E402
from eulac.deep.head_classifier import (  # noqa: E402
    HeadEulacClassifier,
    encoded,
    mean_of,
    network_share,
)
from eulac.exceptions import NoUnlabeledRowsWarning  # noqa: E402
from eulac.kernel.kernel_classifier import KernelEulacClassifier  # noqa: E402
from eulac.proportion.estimate import estimate_with_error  # noqa: E402
from eulac.risk.held_out import HeldOut, brier_terms  # noqa: E402

HEAD = KernelEulacClassifier(0.6, random_state=0)
NETWORK = DeepEulacClassifier(max_epochs=8, random_state=0)


@pytest.fixture(scope="module")
def task():
    return easy_masked(n_labeled=300, n_unlabeled=600)


@pytest.fixture(scope="module")
def both(task):
    return HeadEulacClassifier(HEAD, NETWORK).fit(*task[1:])


def test_a_head_on_rows_a_network_held_out_answers_with_it(task, both):
    split = task[0]
    assert both.score(split.X_test, split.y_test) > 0.9
    assert 0.0 <= both.network_share_ <= 1.0
    assert len(both.estimator_.held_out_probabilities_) == 300 // 5 + 600 // 5
    assert both.features(split.X_test).shape[1] == 256
    np.testing.assert_array_equal(both.classes_, [0, 1, 2, AUGMENTED])


def test_its_error_is_judged_on_rows_neither_has_seen(task, both):
    split = task[0]
    error = 1.0 - both.score(split.X_test, split.y_test)
    assert abs(both.risk_.raw - error) < 4 * both.risk_.standard_error + 0.02


def test_scores_are_positive_just_where_rows_are_called_new(task, both):
    X_test = task[0].X_test
    is_new = both.predict(X_test) == AUGMENTED
    np.testing.assert_array_equal(both.augmented_score(X_test) > 0, is_new)
    np.testing.assert_allclose(both.predict_proba(X_test).sum(axis=1), 1.0)


@pytest.mark.parametrize(
    "encoder",
    [lambda rows: rows[:, :3], nn.Linear(4, 6), HEAD],
    ids=["function", "module", "neither"],
)
def test_any_encoder_will_do_and_the_head_answers_alone(task, encoder):
    split, X, y = task
    if encoder is HEAD:
        with pytest.raises(TypeError, match=r"`encoder` must be .* got Kernel"):
            HeadEulacClassifier(HEAD, encoder).fit(X, y)
        return
    fitted = HeadEulacClassifier(HEAD, encoder).fit(X, y)
    alone = clone(HEAD).fit(encoded(encoder, X), y)
    features = encoded(encoder, split.X_test)
    np.testing.assert_array_equal(fitted.predict(split.X_test), alone.predict(features))
    assert fitted.network_share_ == 0.0
    assert fitted.risk_.raw == alone.risk_.raw


def test_labels_may_have_names_and_rows_come_apart(task):
    split, _, _ = task
    sample = split.sample
    names = np.array(["ant", "bee", "cat"])[sample.y_labeled]
    head = HeadEulacClassifier(HEAD, lambda rows: rows)
    head.fit(sample.X_labeled, names, X_unlabeled=sample.X_unlabeled)
    assert set(head.predict(split.X_test)) == {"ant", "bee", "cat", "augmented"}


def test_without_unlabeled_rows_the_network_answers(task):
    split = task[0]
    head = HeadEulacClassifier(HEAD, clone(NETWORK).set_params(max_epochs=3))
    with pytest.warns(NoUnlabeledRowsWarning):
        head.fit(split.sample.X_labeled, split.sample.y_labeled)
    assert head.network_share_ == 1.0
    np.testing.assert_array_equal(head.predict(split.X_test), head.encoder_.predict(split.X_test))


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_a_head_that_keeps_nothing_of_unseen_rows_cannot_be_mixed(task):
    head = HeadEulacClassifier(
        OsnnClassifier(ratio=0.5, threshold="label_free"), clone(NETWORK).set_params(max_epochs=1)
    )
    with pytest.raises(ValueError, match=r"held_out_probabilities_.* got OsnnClassifier"):
        head.fit(*task[1:])


def test_the_share_has_the_smallest_label_free_risk_of_all():
    rng = np.random.default_rng(0)
    y, weights = np.arange(60) % 2, np.full(60, 0.6)
    one, two = (
        HeldOut(*(rng.dirichlet(np.ones(3), n) for n in (60, 90)), y, weights) for _ in range(2)
    )
    one = HeldOut(np.eye(3)[y] * 0.7 + 0.1, one.unlabeled, y, weights)
    found = network_share(one, two)

    def risk(share):
        parts = (
            share * getattr(one, name) + (1 - share) * getattr(two, name)
            for name in ("labeled", "unlabeled")
        )
        return sum(terms.mean() for terms in brier_terms(HeldOut(*parts, y, weights)))

    assert risk(found) <= min(map(risk, np.linspace(0, 1, 51))) + 1e-9


@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_a_head_must_know_new_rows(task, estimator):
    with pytest.raises(ValueError, match=r"`estimator` must be .* got (None|LogisticReg)"):
        HeadEulacClassifier(estimator).fit(*task[1:])


def estimated(total, standard_error, priors=(0.5, 0.5)):
    return estimate_with_error(
        *(total, np.array(priors), standard_error), method="made up", n_labeled=9, n_unlabeled=9
    )


def test_estimates_that_disagree_are_less_certain_and_lie_in_between():
    one, near, far = estimated(0.6, 0.02, (0.2, 0.8)), estimated(0.61, 0.02), estimated(0.8, 0.02)
    both = mean_of(one, far)
    np.testing.assert_allclose(both.per_class, 0.5 * (one.per_class + far.per_class))
    assert both.total == pytest.approx(0.7)
    assert both.standard_error > 4 * mean_of(one, near).standard_error
    assert both.interval[0] < 0.6 < 0.8 < both.interval[1]


@pytest.mark.slow
def test_a_proportion_that_was_given_counts_alone(task, both):
    assert both.proportion_.method == "given"  # that of the head
    assert both.encoder_.proportion_.method != "given"
    assert both.proportion_.total == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("y", "words"), [(None, "target y is None"), (5, "a label for each row of `X`, 4 of them; got")]
)
def test_labels_that_are_none_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        HeadEulacClassifier(KernelEulacClassifier()).fit(np.eye(4), y)
