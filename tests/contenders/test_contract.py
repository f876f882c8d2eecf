"""Every contender through the shared contract and scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from estimators.contract import (
    check_unlabeled_rows_change_nothing,
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    parametrize_with_contract,
)
from eulac.contenders.ovr_svm import OvrSvmClassifier

LABELED_ONLY = [OvrSvmClassifier(bandwidth=0.2, cost=1.0, random_state=0)]
LABEL_FREE = [
    type(contender)(
        **{**contender.get_params(), "threshold": "label_free", "known_proportion": 0.6}
    )
    for contender in LABELED_ONLY
]
EXPECTED = {
    "check_classifiers_classes": "-1 is a class there; here it marks an unlabeled row",
}


@parametrize_with_contract(LABELED_ONLY, check_unlabeled_rows_change_nothing)
def test_contract_of_those_that_learn_from_labeled_rows(classifier, check):
    check(classifier)


@parametrize_with_contract(LABEL_FREE, check_without_unlabeled_rows_it_warns_and_knows_no_new_class)
def test_contract_of_those_that_learn_from_unlabeled_rows_too(classifier, check):
    check(classifier)


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
@parametrize_with_checks(
    [type(contender)() for contender in LABELED_ONLY],
    expected_failed_checks=lambda estimator: EXPECTED,
    xfail_strict=True,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
