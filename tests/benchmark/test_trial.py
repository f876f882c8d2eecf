import numpy as np
import pytest

from eulac.benchmark.trial import Draw, Trial, group_by_draw, seed_of


def test_a_trial_survives_its_own_content():
    draw = Draw("usps", 2, 3, {"n_unlabeled": 250, "known_proportion": 0.1}, seed=5)
    trial = Trial("theta", draw, "kernel", {"known_proportion": [0.1, 0.2]})
    assert Trial.from_dict(trial.as_dict()) == trial
    assert Trial.from_dict(trial.as_dict()).key == trial.key


def test_the_order_of_conditions_and_settings_does_not_matter():
    one = Trial("t", Draw("usps", conditions={"a": 1, "b": 2}), "m", {"c": 3, "d": 4})
    two = Trial("t", Draw("usps", conditions={"b": 2, "a": 1}), "m", {"d": 4, "c": 3})
    assert one == two
    assert one.key == two.key


@pytest.mark.parametrize(
    "other",
    [
        Trial("other", Draw("usps"), "m"),
        Trial("t", Draw("mnist"), "m"),
        Trial("t", Draw("usps", 1), "m"),
        Trial("t", Draw("usps", 0, 1), "m"),
        Trial("t", Draw("usps", conditions={"n_unlabeled": 9}), "m"),
        Trial("t", Draw("usps", seed=1), "m"),
        Trial("t", Draw("usps"), "other"),
        Trial("t", Draw("usps"), "m", {"penalty": 1}),
    ],
    ids=repr,
)
def test_every_part_of_the_content_is_in_the_key(other):
    assert other.key != Trial("t", Draw("usps"), "m").key


def test_seeds_know_the_draw_and_not_the_method():
    draw = Draw("usps", 1, 2)
    assert Trial("a", draw, "kernel").draw.fit_seed == Trial("b", draw, "osnn").draw.fit_seed
    assert len({draw.class_seed, draw.sample_seed, draw.fit_seed}) == 3


def test_conditions_change_the_fit_but_neither_classes_nor_the_stream_of_rows():
    plain, varied = Draw("usps", 1, 2), Draw("usps", 1, 2, {"n_unlabeled": 250})
    assert plain.class_seed == varied.class_seed
    assert plain.sample_seed == varied.sample_seed
    assert plain.fit_seed != varied.fit_seed


def test_draws_of_rows_share_their_classes():
    assert Draw("usps", 1, 0).class_seed == Draw("usps", 1, 7).class_seed
    assert Draw("usps", 1, 0).sample_seed != Draw("usps", 1, 7).sample_seed


def test_seeds_are_spread():
    seeds = np.array([seed_of("rows", i) for i in range(2000)])
    assert len(np.unique(seeds)) == 2000
    assert abs(seeds.mean() / 2**32 - 0.5) < 0.04


def test_groups_hold_every_trial_once():
    trials = [Trial("t", Draw("usps", i), m) for m in ("a", "b") for i in range(3)]
    groups = group_by_draw(trials)
    assert sorted(trial.key for group in groups for trial in group) == sorted(
        trial.key for trial in trials
    )
    assert all(len({trial.draw for trial in group}) == 1 for group in groups)
