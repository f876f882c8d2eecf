"""
My model is frozen
==================

A classifier of the digits 0 to 5 is deployed and may not be retrained. Where it runs, digits 6 to 9
come too. Its scores on some labeled rows and on the pool are all there is. How much of the pool is
known, how often are its answers wrong, and how far does the answer depend on *which* scores it
gives?
"""

import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors

from eulac import AUGMENTED, FrozenEulacClassifier
from eulac.exceptions import EulacWarning

X, y = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
known = rng.permutation(np.flatnonzero(y < 6))
new = rng.permutation(np.flatnonzero(y >= 6))
train, held_out = known[:400], known[400:700]  # rows it was trained on, and labeled ones it was not
pool = np.concatenate([known[700:], new[:250]])
truth = np.where(y[pool] < 6, y[pool], AUGMENTED)

deployed = LogisticRegression(C=0.01, max_iter=1000).fit(X[train], y[train])
neighbors = NearestNeighbors(n_neighbors=1).fit(X[train])
print(f"its accuracy on held-out rows: {deployed.score(X[held_out], y[held_out]):.3f}")
print(f"its error in the pool:         {np.mean(deployed.predict(X[pool]) != truth):.3f}")

# %%
# Four tables of scores of the same rows: nothing but the label it gives; probabilities; logits;
# logits, and the distance to the nearest row it was trained on.

tables = {
    "its label alone": lambda rows: np.eye(6)[deployed.predict(rows)],
    "probabilities": deployed.predict_proba,
    "logits": deployed.decision_function,
    "logits and distance": lambda rows: np.column_stack(
        [deployed.decision_function(rows), neighbors.kneighbors(rows)[0]]
    ),
}
settings = {
    "its label alone": {},
    "probabilities": {},
    "logits": {"scores": "logits"},
    "logits and distance": {"scores": "logits", "oddness_column": -1},
}
fitted, errors = {}, {}
for name, score in tables.items():
    clf = FrozenEulacClassifier(**settings[name], random_state=0)
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always", EulacWarning)
        answers = clf.fit_predict(score(X[held_out]), y[held_out], score(X[pool]))
    fitted[name], errors[name] = clf, np.mean(answers != truth)
    print(f"{name}\n  {clf.proportion_}\n  error {clf.risk_}; in truth {errors[name]:.3f}")
    for doubt in doubts:
        print(f"  {doubt.category.__name__}: {doubt.message}")

# %%
# A label alone tells nothing of new rows, and the interval says so. A better score gives a narrower
# one, and better answers. The truth is the dashed line, and the crosses.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.0), layout="constrained", sharey=True)
for place, clf in enumerate(fitted.values()):
    for panel, value, interval in (
        (left, clf.proportion_.total, clf.proportion_.interval),
        (right, clf.risk_.value, clf.risk_.interval),
    ):
        panel.plot(interval, [place, place], color="#0072b2", linewidth=3, alpha=0.4)
        panel.plot(value, place, "o", color="#0072b2", label="estimated" if place == 0 else None)
left.axvline(np.mean(truth != AUGMENTED), color="black", linestyle="--", linewidth=1)
left.set_yticks(range(len(fitted)), fitted)
left.set(xlabel="known share of the pool", xlim=(0, 1), ylim=(3.5, -0.5))
right.plot(list(errors.values()), range(len(errors)), "x", color="black", label="truth")
right.set(xlabel="error of the answers", xlim=(0, 1))
right.legend(frameon=False)
figure.get_layout_engine().set(w_pad=0.12)

# %%
# The same from two files, without Python: ``eulac audit``.

folder = Path(tempfile.mkdtemp())
columns = [*"012345", "distance"]
score = tables["logits and distance"]
labeled = pd.DataFrame(score(X[held_out]), columns=columns).assign(digit=y[held_out])
labeled.to_csv(folder / "scores_labeled.csv", index=False)
pd.DataFrame(score(X[pool]), columns=columns).to_csv(folder / "scores_pool.csv", index=False)
command = "audit scores_labeled.csv scores_pool.csv --label-column digit --scores logits"
command += " --oddness-column distance --seed 0"
ran = subprocess.run(
    [sys.executable, "-m", "eulac", *command.split()],
    cwd=folder,
    capture_output=True,
    text=True,
    check=True,
)
print(f"$ eulac {command}\n{ran.stdout}")

# %%
# Before you believe it
# ---------------------
#
# - **Were the labeled rows held out?** A classifier is too sure of rows it was trained on, and the
#   pool then looks newer than it is.
# - **Look at the separation**, ``proportion_.diagnostics["separation"]``: 0.5 says that the scores
#   cannot tell new rows from known ones. Then the interval begins at zero, and
#   ``WeakScoreWarning`` says why.
# - **New rows that the model takes for a known class, sure of itself, stay hidden.** Add a second
#   score of oddness and see whether the share moves; label some twenty rows of the pool.
# - **If the features are at hand**, fit ``EulacClassifier`` beside it: it sees more.
