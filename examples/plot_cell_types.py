"""
Cell types: what the reference does not have
============================================

A reference of labeled blood cells has three types. A new sample has them too, in other shares, and
two types that the reference lacks. Label transfer would give each cell one of the three names.
``annotate_anndata`` takes an AnnData object with labels for some cells, and writes back to ``obs``
one of the three, or new, for all of them.

The counts are made up: some marker genes for each type, and a depth that differs between samples.
This page needs ``pip install "eulac[anndata]"``.
"""

import warnings

import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

from eulac import annotate_anndata
from eulac.exceptions import EulacWarning

rng = np.random.default_rng(0)
TYPES = ["B", "T", "NK", "monocyte", "platelet"]
expression = rng.lognormal(-1.5, 1.0, 200) * np.ones((5, 1))
for place in range(5):
    expression[place, 20 * place : 20 * place + 20] *= 4  # marker genes of the type
expression[2, 20:30] *= 3  # NK cells share some markers with T cells


def sample(n_cells, shares, depth):
    """Return counts and the type of each cell."""
    kind = rng.choice(5, n_cells, p=shares)
    size = depth * rng.lognormal(0, 0.3, (n_cells, 1))
    return rng.poisson(size * expression[kind]), np.array(TYPES)[kind]


reference, labels = sample(250, [0.3, 0.5, 0.2, 0, 0], depth=1.0)
query, truth = sample(450, [0.2, 0.35, 0.15, 0.2, 0.1], depth=0.8)
counts = np.vstack([reference, query]).astype(np.float32)
obs = pd.DataFrame(
    {"cell_type": [*labels, *["Unknown"] * len(query)]},
    index=[f"cell{number}" for number in range(len(counts))],
)
adata = anndata.AnnData(counts, obs=obs)

# %%
# The usual way to a few numbers a cell: same depth, logarithm, principal components. With scanpy
# that is ``normalize_total``, ``log1p`` and ``pca``.

adata.X = np.log1p(adata.X / adata.X.sum(axis=1, keepdims=True) * 100)
adata.obsm["X_pca"] = PCA(15, random_state=0).fit_transform(adata.X)

with warnings.catch_warnings(record=True) as doubts:
    warnings.simplefilter("always", EulacWarning)
    clf = annotate_anndata(adata, "cell_type", unlabeled="Unknown", random_state=0)
for doubt in doubts:
    print(f"{doubt.category.__name__}: {doubt.message}\n")
print(adata.obs.iloc[[0, 300, 301, 302]].round(3).to_string())
for key, value in adata.uns["eulac"].items():
    print(f"{key}: {np.round(value, 3) if key != 'known_classes' else value}")

# %%
# The cells on their first two components. Nobody labeled a monocyte or a platelet.

is_query = (adata.obs["cell_type"] == "Unknown").to_numpy()
answers = adata.obs["eulac_label"].astype(str).to_numpy()
place = adata.obsm["X_pca"]
colors = dict(zip(TYPES, ["#56b4e9", "#0072b2", "#009e73", "#e69f00", "#d55e00"], strict=True))
colors["augmented"] = "#e69f00"
shown = {
    "reference, labeled": (~is_query, labels, ["B", "T", "NK"]),
    "new sample, answers": (is_query, answers[is_query], ["B", "T", "NK", "augmented"]),
    "new sample, truth": (is_query, truth, TYPES),
}
shared = {"layout": "constrained", "sharex": True, "sharey": True}
figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), **shared)
for panel, (title, (rows, names, kinds)) in zip(panels, shown.items(), strict=True):
    for kind in kinds:
        label = "new" if kind == "augmented" else kind
        points = place[rows][names == kind, :2]
        panel.scatter(*points.T, s=8, color=colors[kind], label=label)
    panel.set(title=title, xticks=[], yticks=[])
    panel.legend(frameon=False, fontsize="small", markerscale=1.8, loc="best")

is_new = np.isin(truth, ["monocyte", "platelet"])
wrong = np.mean(answers[is_query] != np.where(is_new, "augmented", truth))
print(f"true known share {np.mean(~is_new):.3f}, true error {wrong:.3f}")

# %%
# Before you believe it
# ---------------------
#
# - **Batches.** Another lab, chemistry or depth moves known types, and moved types look new.
#   Correct for batches first, reference and new sample together, and read every ``DriftWarning``.
# - **Correction can hide new types**, too: a method that makes samples alike pulls a type of one
#   sample onto a type of the other. Look at markers of cells called new, and of some called known.
# - **Doublets and dying cells** are new to a reference without them. They are no cell type.
# - **States between types** have no border: a new type that is a mixture of known ones cannot be
#   told from them, and the known share is then an upper bound.
# - **Labeled cells with another answer** in ``eulac_label`` may be labeled wrongly.
