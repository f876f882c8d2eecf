import xml.etree.ElementTree as ET

import pytest

from benchmark.made_up import network_records, of_experiment
from eulac.benchmark.experiments import EXPERIMENTS, find_experiment
from eulac.benchmark.summary import write_summary

PNG = b"\x89PNG"
NAMES = [name for name in EXPERIMENTS if name != "mine"]  # which needs a table


@pytest.mark.parametrize("name", [name for name in NAMES if find_experiment(name).figure])
def test_experiments_with_a_figure_show_it(name, tmp_path):
    page = write_summary(of_experiment(name), tmp_path)[0].read_text()
    assert ET.parse(tmp_path / f"{name}.svg").getroot().tag.endswith("svg")
    assert (tmp_path / f"{name}.png").read_bytes().startswith(PNG)
    assert f"({name}.svg)" in page


def test_networks_are_drawn_along_training(tmp_path):
    write_summary(network_records({"deep_eulac": 0.99, "softmax": 0.95}), tmp_path)
    assert "deep EULAC" in (tmp_path / "deep.svg").read_text()
