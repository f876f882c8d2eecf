"""Made-up outputs of held-out rows, for tests of evidence and decision rules."""

import numpy as np

from eulac.data.synthetic import make_gaussian_task
from eulac.maths.losses import LOSSES as ALL_LOSSES
from eulac.risk.held_out import HeldOut

LOSSES = [name for name, loss in ALL_LOSSES.items() if loss.certainty is not None]
"""Losses whose scores become class shares."""


def draw_posterior(n_known_classes=2, n_rows=60, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(n_known_classes + 1, 0.4), size=n_rows)


def scores_of(posterior, loss, shrinkage=0.4):
    """Scores a perfect learner would give: shrunk under the square loss, log-odds, or signs."""
    if loss == "square":
        return shrinkage * (2 * posterior - 1)
    if loss == "logistic":
        return np.log(np.maximum(posterior, 1e-12)) - np.log1p(-np.minimum(posterior, 1 - 1e-12))
    return np.sign(2 * posterior - 1)


def held_out_scores(
    n_known_classes=2, loss="square", *, known_proportion=0.6, n_labeled=150, seed=0
):
    """Noisy scores of labeled and unlabeled rows of a mixture, with labels and weights."""
    task = make_gaussian_task(n_known_classes, 1, separation=2.0, known_proportion=0.6)
    sample = task.draw(n_labeled, 301, random_state=seed).sample
    rng = np.random.default_rng(seed)

    def scores(X):
        clean = 0.5 * scores_of(task.posterior(X), loss)
        return clean + 0.02 * rng.standard_normal(clean.shape)

    labeled, unlabeled = scores(sample.X_labeled), scores(sample.X_unlabeled)
    return HeldOut(labeled, unlabeled, sample.y_labeled, np.full(n_labeled, known_proportion))


def calibrated_rows(sharpness=1.0, seed=0):
    """Return calibrated probabilities raised to a power, and the true codes of unlabeled rows."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, 1500, p=[0.3, 0.3, 0.4])
    y = np.resize([0, 1], 900)
    spread = 1.5 * np.eye(3)
    parts = []
    for codes in (y, truth):
        points = spread[codes] + rng.normal(size=(len(codes), 3))
        density = np.exp(-0.5 * ((points[:, None] - spread) ** 2).sum(axis=2)) * [0.3, 0.3, 0.4]
        power = density**sharpness
        parts.append(power / power.sum(axis=1, keepdims=True))
    return HeldOut(*parts, y, np.full(900, 0.6)), truth
