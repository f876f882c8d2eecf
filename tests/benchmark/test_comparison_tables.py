import numpy as np
import pytest

from benchmark.made_up import comparison
from eulac.benchmark.comparison_tables import comparison_table
from eulac.benchmark.records import Record
from eulac.benchmark.trial import Draw, Trial


def test_means_and_deviations_are_those_of_the_values_in_percent():
    records = comparison({"kernel": 0.9, "osnn": 0.7}, n=8)
    cell = comparison_table(records, "macro_f1").rows["usps"]["osnn"]
    values = [100 * r.metrics["macro_f1"] for r in records if r.trial.method == "osnn"]
    assert cell.mean == pytest.approx(np.mean(values))
    assert cell.std == pytest.approx(np.std(values, ddof=1))
    assert cell.n == 8


def test_the_order_of_records_does_not_matter_to_the_last_bit():
    records = comparison({"kernel": 0.9, "osnn": 0.89, "evm": 0.7}, n=20)
    assert comparison_table(records, "auc") == comparison_table(records[::-1], "auc")


def test_wins_ties_and_losses_are_counted_from_eulac_s_side():
    records = comparison({"kernel": 0.9, "osnn": 0.7, "evm": 0.99}, dataset="usps")
    records += comparison({"kernel": 0.9, "osnn": 0.9, "evm": 0.99}, dataset="mnist", seed=3)
    table = comparison_table(records, "macro_f1")
    assert table.wins("evm") == (0, 0, 2)
    assert table.wins("osnn") == (1, 1, 0)
    assert table.n_first == 0
    assert [row["evm"].best for row in table.rows.values()] == [True, True]


def test_the_best_is_found_on_draws_that_all_methods_have():
    # EULAC's further draws are easy ones: over all of its own it would look better.
    values = {"kernel": [0.5, 0.5, 0.99, 0.99], "osnn": [0.6, 0.6]}
    records = [
        Record(Trial("table1", Draw("usps", i), method), metrics={"accuracy": value})
        for method, own in values.items()
        for i, value in enumerate(own)
    ]
    row = comparison_table(records, "accuracy").rows["usps"]
    assert row["osnn"].best
    assert not row["kernel"].best
    assert row["kernel"].n == 4
    assert row["osnn"].comparison.n_pairs == 2


def test_failed_trials_are_counted_and_have_no_value():
    records = comparison({"kernel": 0.9, "evm": 0.5}, n=3)
    records += [Record(Trial("table1", Draw("usps", 9), "evm"), "failed", "ValueError: no")]
    cell = comparison_table(records, "macro_f1").rows["usps"]["evm"]
    assert (cell.n, cell.n_failed) == (3, 1)


def test_a_method_that_always_failed_has_an_empty_cell():
    records = comparison({"kernel": 0.9}, n=3)
    records += [Record(Trial("table1", Draw("usps", 9), "evm"), "failed", "ValueError: no")]
    table = comparison_table(records, "macro_f1")
    assert table.rows["usps"]["evm"].mean is None
    assert table.wins("evm") == (0, 0, 0)


def test_the_paper_stands_beside_with_the_sign_of_auc_corrected():
    records = comparison({"kernel": 0.9, "lacu_svm": 0.8})
    cells = comparison_table(records, "auc").rows["usps"]
    assert cells["lacu_svm"].paper == (85.95, 4.86)
    assert cells["kernel"].difference == pytest.approx(cells["kernel"].mean - 97.05, abs=0.006)


def test_w_svm_has_no_auc():
    records = comparison({"kernel": 0.9, "w_svm": 0.8})
    assert comparison_table(records, "auc").methods == ("kernel",)
    assert comparison_table(records, "accuracy").methods == ("w_svm", "kernel")


def test_datasets_come_in_the_paper_s_order():
    records = [
        r for name in ("digits", "mnist", "usps") for r in comparison({"kernel": 1}, 1, name)
    ]
    assert list(comparison_table(records, "auc").rows) == ["usps", "mnist", "digits"]
