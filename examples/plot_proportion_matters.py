"""
What if the proportion is wrong?
================================

The known proportion is estimated, so it is a little wrong. Taken too large, some new rows are
called known; too small, known rows are called new. Scores rank rows well all along.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from eulac import KernelEulacClassifier
from eulac.data.splits import draw_split
from eulac.evaluation.metrics import evaluate

X, y = load_digits(return_X_y=True)
split = draw_split(X, y, n_labeled=300, n_unlabeled=600, n_test=500, random_state=2)
is_new = ~np.isin(split.y_test, split.known_classes)
given = np.linspace(0.2, 0.9, 8)
metrics = []
for proportion in given:
    clf = KernelEulacClassifier(float(proportion), random_state=0).fit(*split.sample.as_masked())
    metrics.append(evaluate(clf, split.X_test, split.y_test))

figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
axes.plot(given, [m.accuracy for m in metrics], "o-", color="#0072b2", label="accuracy")
axes.plot(given, [m.macro_f1 for m in metrics], "s-", color="#009e73", label="macro-F1")
axes.plot(given, [m.auc for m in metrics], "^-", color="#e69f00", label="AUC of new rows")
axes.axvline(1 - is_new.mean(), color="black", linewidth=1, linestyle="--", label="true proportion")
axes.set(xlabel="known proportion that was given", ylim=(0.5, 1.02))
axes.legend(frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0), fontsize="small")
