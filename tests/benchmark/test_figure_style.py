import pytest

from eulac.benchmark.curves import Point
from eulac.benchmark.experiments import EXPERIMENTS, find_experiment
from eulac.benchmark.figure_style import LOOKS, draw_curve, new_figure, save_figure, styled

DRAWN = ("unlabeled_size", "environments", "deep")


@pytest.mark.parametrize("name", DRAWN)
def test_every_method_that_is_drawn_has_a_look(name):
    assert name in EXPERIMENTS
    assert set(find_experiment(name).methods) <= set(LOOKS)


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    written = []
    for name in ("one", "two"):
        with styled():
            figure, [axes] = new_figure(1)
            draw_curve(axes, "kernel", (Point(1, 90.0, 0.5, 3), Point(2, 95.0, None, 1)))
            written.append([p.read_bytes() for p in save_figure(figure, tmp_path / name)])
    assert written[0] == written[1]
