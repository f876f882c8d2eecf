from eulac.benchmark.paper_results import PAPER_METHODS, PAPER_RESULTS, paper_result

METRICS = ("macro_f1", "accuracy", "auc")


def test_every_metric_has_the_nine_datasets_and_only_known_methods():
    for metric in METRICS:
        assert len(PAPER_RESULTS[metric]) == 9
        for row in PAPER_RESULTS[metric].values():
            assert set(row) <= set(PAPER_METHODS)


def test_eulac_ranks_first_on_eight_of_nine_datasets_as_the_paper_counts():
    first = sum(max(row, key=row.get) == "eulac" for row in PAPER_RESULTS["macro_f1"].values())
    assert first == 8


def test_flipped_auc_columns_are_turned_and_only_those():
    flipped = [
        PAPER_RESULTS["auc"][dataset][method][0]
        for dataset in PAPER_RESULTS["auc"]
        for method in ("ovr_svm", "lacu_svm")
    ]
    assert sum(value < 50 for value in flipped) == 17
    assert paper_result("auc", "usps", "ovr_svm") == (63.48, 4.70)
    assert paper_result("auc", "usps", "eulac") == (97.05, 1.08)
    assert paper_result("auc", "usps", "w_svm") is None
