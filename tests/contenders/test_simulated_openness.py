import numpy as np
import pytest

from eulac.contenders.open_set_classifier import OpenSetEvidence
from eulac.contenders.simulated_openness import simulated_openness_threshold

CANDIDATES = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0]


class Nearest:
    """Nearest class mean; the distance to it is the augmented evidence."""

    def __init__(self, X, y):
        self.threshold = np.nan
        self.centers = np.array([X[y == k].mean(axis=0) for k in range(y.max() + 1)])

    def evidence(self, X):
        distance = np.linalg.norm(X[:, None] - self.centers, axis=2)
        return OpenSetEvidence(-distance, distance.min(axis=1))


class Spy(Nearest):
    """Remembers every fit and every row it was asked about."""

    seen: list

    def __init__(self, X, y):
        super().__init__(X, y)
        self.X, self.y, self.asked = X, y, []
        Spy.seen.append(self)

    def evidence(self, X):
        self.asked.append(X)
        return super().evidence(X)


def draw(n_classes=4, n=20, spread=0.5, random_state=0):
    rng = np.random.default_rng(random_state)
    y = rng.permutation(np.arange(n) % n_classes)
    return rng.normal(8.0 * np.eye(n_classes)[y], spread), y


def spy_on(X, y, candidates=CANDIDATES, **options):
    """Return the threshold and the models fitted on the way."""
    Spy.seen = []
    return simulated_openness_threshold(Spy, X, y, candidates, **options), Spy.seen


def classes_of(rows, X, y):
    return np.array([y[np.flatnonzero(np.all(row == X, axis=1))[0]] for row in rows])


def test_threshold_lies_between_known_rows_and_other_classes():
    X, y = draw()
    threshold = simulated_openness_threshold(Nearest, X, y, np.linspace(0, 20, 201))
    assert 0.5 < threshold < 11


def test_middle_of_equally_good_candidates_is_taken():
    X, y = draw(spread=0.01)
    assert simulated_openness_threshold(Nearest, X, y, [5.0, 3.0, 4.0]) == 4.0


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
def test_half_of_the_classes_play_unknown_and_half_of_the_other_rows_train(n_classes):
    X, y = draw(n_classes, n=10 * n_classes)
    _, models = spy_on(X, y, n_draws=3)
    assert len(models) == 3
    for model in models:
        unknown, tested = model.asked
        playing, known = set(classes_of(unknown, X, y)), set(classes_of(tested, X, y))
        assert len(playing) == n_classes // 2
        assert playing | known == set(range(n_classes))
        assert set(classes_of(model.X, X, y)) == known
        np.testing.assert_array_equal(np.bincount(model.y), np.full(len(known), 5))
        assert len(unknown) + len(tested) + len(model.X) == len(y)


def test_best_candidate_maximizes_the_mean_of_both_accuracies():
    X, y = draw(spread=4.0, n=60)
    threshold, models = spy_on(X, y, n_draws=4, random_state=3)
    merits = []
    for candidate in CANDIDATES:
        merit = 0.0
        for model in models:
            unknown, tested = model.asked[:2]
            names = np.unique(classes_of(model.X, X, y))
            found, right = 0, 0
            for row in unknown:
                found += model.evidence(row[None]).augmented[0] > candidate
            for row, label in zip(tested, classes_of(tested, X, y), strict=True):
                known, augmented = model.evidence(row[None])
                right += augmented[0] <= candidate and names[known[0].argmax()] == label
            merit += 0.5 * found / len(unknown) + 0.5 * right / len(tested)
        merits.append(merit)
    assert threshold == CANDIDATES[int(np.argmax(merits))]
    assert len(set(merits)) > 1


def test_copies_of_a_row_train_together_or_not_at_all():
    X, y = draw(n=24)
    X, y = np.repeat(X, 3, axis=0), np.repeat(y, 3)
    _, models = spy_on(X, y, n_draws=10)
    for model in models:
        tested = {tuple(row) for row in model.asked[1]}
        assert tested.isdisjoint(tuple(row) for row in model.X)


def test_names_of_classes_do_not_matter():
    X, y = draw(spread=4.0, n=60)
    renamed = np.array([2, 0, 3, 1])[y]
    candidates = np.linspace(0, 20, 201)
    one, two = (simulated_openness_threshold(Nearest, X, z, candidates) for z in (y, renamed))
    assert one == two


def test_same_seed_gives_the_same_threshold_and_candidates_come_in_any_order():
    X, y = draw(spread=4.0, n=60)
    expected = simulated_openness_threshold(Nearest, X, y, CANDIDATES, random_state=5)
    again = simulated_openness_threshold(Nearest, X, y, CANDIDATES[::-1], random_state=5)
    assert expected == again


def test_draws_without_known_rows_to_test_say_nothing():
    X, y = draw(n=4)  # one row per class: all known ones train
    threshold, models = spy_on(X, y, [1.0, 2.0, 3.0])
    assert threshold == 2.0
    assert models == []
