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


def test_panels_may_stand_in_lines():
    figure, panels = new_figure(4, width=3.0, height=2.0, n_lines=2)
    assert len(panels) == 4
    assert figure.get_size_inches().tolist() == [6.0, 4.0]


def test_long_curves_have_few_markers_and_short_ones_all():
    with styled():
        _, [axes] = new_figure(1)
        for length in (12, 200):
            draw_curve(axes, "kernel", tuple(Point(i, 90.0, None, 1) for i in range(length)))
    assert [line.get_markevery() for line in axes.lines] == [1, 11]
