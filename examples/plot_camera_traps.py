"""
Camera traps: species nobody has named yet
==========================================

An encoder turns each picture into a vector. Three kinds of pictures were labeled, from eight
cameras; most are empty. Six new cameras hang elsewhere. There are more animals there, and some
belong to species that no label names. Which pictures are those, and how many new species?

The vectors are made up: a center for each kind, one offset for each camera, noise. So pictures of
the same camera are alike, as they are in life.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

from eulac import EulacClassifier, find_new_classes
from eulac.exceptions import EulacWarning

rng = np.random.default_rng(3)
KINDS = ["empty", "deer", "fox", "badger", "boar"]
centers = rng.normal(scale=1.1, size=(5, 16))


def pictures(n_rows, shares, n_cameras):
    """Return vectors of unit length, and the kind of each."""
    kind = rng.choice(5, n_rows, p=shares)
    cameras = rng.normal(scale=0.25, size=(n_cameras, 16))
    rows = centers[kind] + cameras[rng.integers(n_cameras, size=n_rows)]
    rows += rng.normal(scale=0.8, size=rows.shape)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), np.array(KINDS)[kind]


X, y = pictures(200, [0.6, 0.2, 0.2, 0, 0], n_cameras=8)
pool, truth = pictures(400, [0.35, 0.15, 0.15, 0.2, 0.15], n_cameras=6)

clf = EulacClassifier(random_state=0)
with warnings.catch_warnings(record=True) as doubts:
    warnings.simplefilter("always", EulacWarning)
    answers = clf.fit_predict(X, y, X_unlabeled=pool)
for doubt in doubts:
    print(f"{doubt.category.__name__}: {doubt.message}\n")
print("known share:", clf.proportion_)
print("share of each known kind, then and now:")
for name, now in zip(clf.known_classes_, clf.proportion_.per_class, strict=True):
    print(f"  {name:6} {np.mean(y == name):.2f} {now:.2f}")
print("error, estimated:", clf.risk_)

# %%
# How many new species, and which pictures belong together? Known kinds are hidden in turn to find
# out how to group; no label of a new one is needed.

classes = find_new_classes(clf, pool, X, y)
print("new groups:", classes.n_classes, "plausible numbers:", classes.interval)
for group, rows in enumerate(classes.typical_rows):
    kinds, counts = np.unique(truth[classes.assignment == group], return_counts=True)
    found = ", ".join(f"{n} {kind}" for kind, n in zip(kinds, counts, strict=True))
    print(f"  group {group}: look at pictures {rows[:3].tolist()} first; in truth {found}")

# %%
# The pool on a map: answers on the left, the truth on the right.

place = PCA(2, random_state=0).fit(np.vstack([X, pool])).transform(pool)
colors = dict(zip(KINDS, ["#999999", "#56b4e9", "#0072b2", "#e69f00", "#d55e00"], strict=True))
shared = {"layout": "constrained", "sharex": True, "sharey": True}
figure, panels = plt.subplots(1, 2, figsize=(9, 4.4), **shared)
for kind in clf.known_classes_:
    rows = answers == kind
    panels[0].scatter(*place[rows].T, s=10, color=colors[kind], label=kind)
for group in range(classes.n_classes):
    rows = (classes.assignment == group) & (answers == "augmented")
    marker, shade = "^sDvP*X"[group % 7], plt.get_cmap("autumn")(group / max(classes.n_classes, 1))
    panels[0].scatter(*place[rows].T, s=16, marker=marker, color=shade, label=f"new, group {group}")
rows = (classes.assignment < 0) & (answers == "augmented")
panels[0].scatter(*place[rows].T, s=12, marker="x", color="black", label="new, no group")
for kind in KINDS:
    rows = truth == kind
    panels[1].scatter(*place[rows].T, s=10, color=colors[kind], label=kind)
for panel, title in zip(panels, ("answers", "truth"), strict=True):
    panel.set(title=title, xticks=[], yticks=[])
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "ncols": 3}
    panel.legend(frameon=False, fontsize="small", markerscale=1.5, **below)

expected = np.where(np.isin(truth, clf.known_classes_), truth, "augmented")
print(f"true known share {np.mean(expected != 'augmented'):.3f}", end=", ")
print(f"true error {np.mean(answers != expected):.3f}")

# %%
# Before you believe it
# ---------------------
#
# - **Cameras, not pictures, are the sample.** Keep one picture of each burst, and put all pictures
#   of a camera on one side: labeled or pool. Near copies on both sides make errors look small.
# - **New cameras move known kinds too**: another background, another lens, the night. A
#   ``DriftWarning`` says so; ``clf.proportion_.diagnostics["drift"]`` says what moved.
# - **What the encoder does not see, nobody finds.** A species it maps onto a known one is called
#   known, with confidence. Look at fifty pictures answered as known, too.
# - **Groups are suggestions.** Name them with somebody who knows the animals: ``eulac review``.
