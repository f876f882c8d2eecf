"""
Network intrusion: attacks nobody has seen, and traffic that moved
==================================================================

Somebody labeled connections of last spring: normal ones, port scans, guessed passwords. Since then
two new attacks have come, and normal traffic has changed too: it sends twice as much. Which
connections of this week are one of the three, and which are new?

All rows are made up here, so the truth is known at the end. The classifier never sees it.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from eulac import EulacClassifier
from eulac.exceptions import EulacWarning

rng = np.random.default_rng(0)

# For each kind: medians of seconds, bytes out, bytes in, packets a second; ports and failed logins.
KINDS = {
    "normal": (4.0, 2e3, 2e4, 12, ["web", "mail", "dns"], 0.05),
    "port scan": (0.05, 60, 60, 150, ["web", "ssh", "other"], 0.0),
    "password guessing": (2.0, 900, 1200, 8, ["ssh", "mail"], 4.0),
    "exfiltration": (300.0, 5e6, 3e4, 60, ["web", "dns"], 0.0),
    "mining": (3000.0, 4e4, 6e4, 1.5, ["other"], 0.0),
}


def connections(kinds, backup=1.0):
    """Return a table of one connection for each kind; `backup` multiplies what normal ones send."""
    seconds, sent, received, rate, ports, failed = zip(*(KINDS[k] for k in kinds), strict=True)
    n, is_normal = len(kinds), np.asarray(kinds) == "normal"
    table = pd.DataFrame(
        {
            "port": [rng.choice(choice) for choice in ports],
            "seconds": seconds * rng.lognormal(0, 0.7, n),
            "bytes_out": sent * rng.lognormal(0, 0.8, n) * np.where(is_normal, backup, 1.0),
            "bytes_in": received * rng.lognormal(0, 0.8, n),
            "packet_rate": rate * rng.lognormal(0, 0.5, n),
            "failed_logins": rng.poisson(failed),
        }
    )
    table.loc[rng.random(n) < 0.05, "packet_rate"] = np.nan  # the probe was busy
    return table


known = ["normal", "port scan", "password guessing"]
y_spring = rng.choice(known, 300, p=[0.6, 0.2, 0.2])
spring = connections(y_spring)
truth = rng.choice(list(KINDS), 600, p=[0.55, 0.1, 0.1, 0.15, 0.1])
this_week = connections(truth, backup=2.0)
print(this_week.head(3).to_string())

# %%
# ``fit_predict`` takes text, numbers and gaps as they are, and answers for the rows of this week
# themselves. It warns of what it doubts; the warnings are part of the answer, so they are printed.

clf = EulacClassifier(random_state=0)
with warnings.catch_warnings(record=True) as doubts:
    warnings.simplefilter("always", EulacWarning)
    answers = clf.fit_predict(spring, y_spring, X_unlabeled=this_week)
for doubt in doubts:
    print(f"{doubt.category.__name__}: {doubt.message}\n")
print("known share of this week:", clf.proportion_)
print("error there, estimated:  ", clf.risk_)

# %%
# Two readings of the same rows: as if known classes looked as in spring, and as if they had moved.
# The data alone cannot tell which is right. Where they differ, the interval spans both.

readings = clf.proportion_.diagnostics["readings"]
shown = {
    name: (readings[key]["known_proportion"], readings[key]["interval"])
    for name, key in (("as in spring", "as_labeled"), ("may have moved", "may_have_moved"))
}
shown["used"] = (clf.proportion_.total, clf.proportion_.interval)
is_known = np.isin(truth, known)
counts = pd.crosstab(truth, answers).reindex(index=list(KINDS), columns=[*known, "augmented"])
shares = counts.fillna(0).div(counts.sum(axis=1), axis=0)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for place, (value, (low, high)) in enumerate(shown.values()):
    left.plot([low, high], [place, place], color="#0072b2", linewidth=3, alpha=0.4)
    left.plot(value, place, "o", color="#0072b2")
left.axvline(is_known.mean(), color="black", linestyle="--", linewidth=1, label="truth")
left.set_yticks(range(len(shown)), shown)
left.set(xlim=(0, 1.02), ylim=(2.6, -0.6), xlabel="known share of this week")
left.legend(frameon=False, loc="lower left")
colors = dict(zip(shares, ["#56b4e9", "#009e73", "#cc79a7", "#e69f00"], strict=True))
start = np.zeros(len(shares))
for answer in shares:
    label = "new" if answer == "augmented" else answer
    right.barh(shares.index, shares[answer], left=start, color=colors[answer], label=label)
    start += shares[answer].to_numpy()
right.invert_yaxis()
right.set(xlabel="share of the answers", xlim=(0, 1))
right.legend(frameon=False, ncols=2, bbox_to_anchor=(0.5, 1.0), loc="lower center")
right.tick_params(left=False)

# %%
# With the truth at hand, which nobody has in deployment:

wrong = np.mean(answers != np.where(is_known, truth, "augmented"))
print(f"known share: {is_known.mean():.3f}, error of the answers: {wrong:.3f}")

# %%
# Before you believe it
# ---------------------
#
# - **Read the warnings.** Drift and new classes cannot be told apart by data alone
#   (:doc:`known classes that moved </drift>`). If the two readings differ, say both numbers.
# - **Label thirty connections** of this week, some called new and some not. That settles what no
#   method can.
# - **Is the pool what will come?** Take all connections of some days, not those an alarm chose.
# - **One column that gives everything away**, such as a time stamp or an address of a renumbered
#   network, makes all rows look new. Leave such columns out.
# - **Rare attacks**: a kind with fewer than some ten rows in the pool moves the share by less than
#   its interval. The rows still rank high by ``clf.held_out_probabilities_``; look at them first.
