import numpy as np
import pytest

import eulac
from easy_mixture import easy_split
from eulac.tables.label_free_error import label_free_error, table_error

pytestmark = pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")


def test_label_free_error_is_near_the_true_one():
    split, fresh = easy_split(90, 150), easy_split(90, 300, random_state=1)
    sample = split.sample
    clf = eulac.OsnnClassifier(ratio=0.8).fit(sample.X_labeled, sample.y_labeled)
    risk, estimate = label_free_error(clf, fresh.sample)
    truth = np.mean(clf.predict(fresh.sample.X_unlabeled) != fresh.y_unlabeled)
    low, high = risk.interval
    assert low - 0.02 <= truth <= high + 0.02
    assert abs(estimate.total - 0.6) < 0.1


def test_a_class_without_labeled_rows_is_named():
    fresh = easy_split().sample
    clf = eulac.OsnnClassifier(ratio=0.8).fit(fresh.X_labeled, fresh.y_labeled)
    kept = fresh.y_labeled != 1
    sample = type(fresh)(
        fresh.X_labeled[kept], fresh.y_labeled[kept], fresh.X_unlabeled, clf.codec_
    )
    with pytest.raises(ValueError, match=r"there are none of \[1\]"):
        label_free_error(clf, sample)


def test_the_error_of_a_table_leaves_out_new_labels_and_doubts_known_rows(fit, files):
    error = table_error(fit.model, files / "test.csv", files / "pool.csv")
    assert (error.n_labeled, error.n_unlabeled, error.warnings) == (40, 120, [])
    assert error.risk.value < 0.2
    assert error.notes == ["Not known to the model, and left out: 'cow'."]
    again = table_error(fit.model, files / "train.csv", files / "pool.csv")
    assert "80 labeled rows are among those the model learned from" in again.warnings[0]
