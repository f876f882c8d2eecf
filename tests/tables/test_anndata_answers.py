"""Cells of an AnnData object, by the real library: labels in `obs`, answers back in `obs`."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from eulac import KernelEulacClassifier
from eulac.tables.anndata_answers import annotate_anndata

anndata = pytest.importorskip("anndata", reason="needs AnnData: pip install 'eulac[anndata]'")

# AnnData 0.13 sets an option that pandas 3.1 no longer needs.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string' option is deprecated")

TRUTH = np.repeat(["B", "T", "B", "T", "NK"], 40)
MACHINE = KernelEulacClassifier(bandwidth=1.0, penalty=1e-3, random_state=0)


def cells(missing="Unknown"):
    rng = np.random.default_rng(0)
    place = pd.Series(TRUTH).map({"B": 0.0, "T": 6.0, "NK": 12.0}).to_numpy()
    labels = np.where(np.arange(200) < 80, TRUTH, missing)
    # AnnData cannot write the text columns that pandas 3 makes of strings.
    names = pd.Index([f"c{n}" for n in range(200)], dtype=object)
    obs = pd.DataFrame({"type": pd.Categorical(labels)}, index=names)
    obs["type"] = obs["type"].cat.rename_categories(obs["type"].cat.categories.astype(object))
    if missing == "":
        obs["type"] = obs["type"].cat.remove_categories([""])
    var = pd.DataFrame(index=pd.Index(["g0", "g1", "g2"], dtype=object))
    adata = anndata.AnnData(rng.normal(size=(200, 3)) + place[:, None], obs=obs, var=var)
    adata.obsm["X_pca"] = adata.X
    return adata


@pytest.fixture(scope="module")
def annotated():
    adata = cells()
    return adata, annotate_anndata(adata, "type", classifier=MACHINE)


def test_answers_stand_in_obs_cell_by_cell(annotated):
    adata, clf = annotated
    answers = adata.obs["eulac_label"]
    assert np.mean(answers.astype(str) == np.where(TRUTH == "NK", "augmented", TRUTH)) > 0.95
    assert (answers.to_numpy() == clf.held_out_labels_).all()
    np.testing.assert_array_equal(adata.obs["eulac_augmented_score"] > 0, answers == "augmented")
    assert adata.obs["eulac_new_probability"].between(0, 1).all()
    assert adata.uns["eulac"]["known_proportion"] == clf.proportion_.total
    assert not hasattr(MACHINE, "classes_")  # a copy is fitted


def test_annotated_cells_survive_a_file(annotated, tmp_path):
    annotated[0].write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    expected = annotated[0].obs.astype({"type": str, "eulac_label": str})
    found = again.obs.astype({"type": str, "eulac_label": str})
    pd.testing.assert_frame_equal(found, expected, check_index_type=False)
    np.testing.assert_array_equal(
        again.uns["eulac"]["error_interval"], annotated[0].uns["eulac"]["error_interval"]
    )


def test_missing_labels_and_other_representations_give_the_same_answers(annotated):
    adata = cells(missing="")
    assert adata.obs["type"].isna().sum() == 120
    annotate_anndata(adata, "type", classifier=MACHINE, use_rep="X", key_added="mine")
    expected = annotated[0].obs["eulac_label"]
    assert (adata.obs["mine_label"].astype(str) == expected.astype(str)).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"label_key": "kind"}, r"`label_key` must be .* got 'kind', and there is 'type'"),
        ({"use_rep": "X_umap"}, r"`use_rep` must be .* got 'X_umap', and there is 'X_pca'"),
        ({"use_rep": "sparse"}, r"must be dense; 'sparse' is sparse"),
    ],
)
def test_what_is_missing_is_named_beside_what_is_there(given, message):
    from scipy.sparse import csr_array

    adata = cells()
    if given.get("use_rep") == "sparse":
        adata.obsm["sparse"] = csr_array(adata.X)
    with pytest.raises(ValueError, match=message):
        annotate_anndata(adata, **{"label_key": "type", **given})


def test_cells_that_all_have_a_label_are_refused():
    adata = cells()
    adata.obs["type"] = pd.Categorical(TRUTH)
    with pytest.raises(ValueError, match=r"all 200 have one in 'type'\. Say by `unlabeled`"):
        annotate_anndata(adata, "type", classifier=MACHINE)


def test_other_classifiers_are_refused_with_what_to_do():
    with pytest.raises(TypeError, match=r"got LogisticRegression\. Wrap it"):
        annotate_anndata(cells(), "type", classifier=LogisticRegression())
