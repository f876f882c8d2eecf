import pytest

from benchmark.made_up import comparison, network_records
from eulac.benchmark.curves import Point
from eulac.benchmark.report_parts import csv_point, curve_table
from eulac.benchmark.summary import write_summary


def page_of(records, folder):
    return write_summary(records, folder, figures=False)[0].read_text()


def test_networks_stand_beside_the_paper(tmp_path):
    page = page_of(network_records({"deep_eulac": 0.99, "softmax": 0.95}), tmp_path)
    assert "| mnist | deep EULAC, paper's risk | 99.0 | 98.6 |" in page


def test_records_without_our_method_still_give_a_page(tmp_path):
    page = page_of(comparison({"osnn": 0.7}), tmp_path)
    assert "No records of the method the others are compared with." in page


def test_curves_of_different_points_share_a_table():
    curves = {
        "kernel": (Point(100, 90.0, 0.5, 3), Point(200, 95.0, None, 1)),
        "made up": (Point(200, 80.0, 1.0, 2),),
    }
    lines = curve_table("n_unlabeled", curves).splitlines()
    assert lines[0] == "| unlabeled rows | EULAC, kernel | made up |"
    assert lines[2:] == ["| 100 | 90.0 ± 0.5 | – |", "| 200 | 95.0 | 80.0 ± 1.0 |"]


@pytest.mark.parametrize(("error", "text"), [(0.5, "0.500000"), (None, "")])
def test_a_point_alone_has_no_error(error, text):
    assert csv_point(Point(0.1, 90.0, error, 3)) == f"0.1,90.000000,{text},3"
