"""
Which digits are new?
=====================

Half of the digits are never labeled. The classifier learns from 300 labeled rows of the other half
and 700 unlabeled rows of all ten, and says for each new row: one of the five, or new.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from eulac import AUGMENTED, KernelEulacClassifier
from eulac.data.splits import draw_split

X, y = load_digits(return_X_y=True)
split = draw_split(X, y, n_labeled=300, n_unlabeled=700, n_test=500, random_state=1)
clf = KernelEulacClassifier(random_state=1).fit(*split.sample.as_masked())
print("labeled:", clf.known_classes_)
print("known share of the unlabeled rows:", clf.proportion_)
print("estimated error:", clf.risk_)
print("true error:     ", round(1 - clf.score(split.X_test, split.y_test), 3))

# %%
# How new a row looks is one number; rows of hidden digits lie to the right. No label of theirs was
# used.

score = clf.augmented_score(split.X_test)
is_new = ~np.isin(split.y_test, clf.known_classes_)
bins = np.linspace(score.min(), score.max(), 40)
figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
axes.hist(score[~is_new], bins, color="#0072b2", alpha=0.75, label="labeled digits")
axes.hist(score[is_new], bins, color="#e69f00", alpha=0.75, label="hidden digits")
axes.axvline(0.0, color="black", linewidth=1)
axes.set(xlabel="augmented score (new to the right of the line)", ylabel="test rows")
axes.legend(frameon=False)

# %%
# The rows to look at first.

rows = np.argsort(-score)[:10]
figure, panels = plt.subplots(1, 10, figsize=(8, 1.1), layout="constrained")
for panel, row in zip(panels, rows, strict=True):
    panel.imshow(split.X_test[row].reshape(8, 8), cmap="gray_r")
    panel.set_axis_off()
print("called new:", np.mean(clf.predict(split.X_test[rows]) == AUGMENTED))
