"""Tables of scores: columns by name, answers in the order of the pool."""

import numpy as np
import pandas as pd
import pytest

from eulac.exceptions import TableRequestError
from eulac.tables.score_tables import audit_tables


@pytest.fixture
def tables(tmp_path):
    """Logits of two known classes, and of rows that are neither; the first pool row is new."""
    rng = np.random.default_rng(0)
    means = np.array([[6.0, 0.0], [0.0, 6.0], [0.0, 0.0]])
    y, pool = np.resize([0, 1], 200), np.resize([2, 0, 1], 300)
    frames = {
        "labeled": pd.DataFrame(rng.normal(means[y]), columns=["a", "b"]).assign(
            kind=np.array(["ant", "bee"])[y], row=np.arange(200)
        ),
        "pool": pd.DataFrame(rng.normal(means[pool]), columns=["a", "b"]).assign(
            row=np.arange(300), place="garden"
        ),
    }
    paths = {name: tmp_path / f"{name}.csv" for name in frames}
    for name, path in paths.items():
        frames[name].to_csv(path, index=False)
    return paths["labeled"], paths["pool"]


def test_answers_stand_in_the_order_of_the_pool(tables):
    found = audit_tables(*tables, "kind", scores="logits", id_column="row")
    assert found.columns == ["a", "b"]
    assert (found.n_labeled, found.n_unlabeled) == (200, 300)
    assert list(found.answers) == [
        "row", "label", "p_ant", "p_bee", "p_augmented", "augmented_score",
    ]  # fmt: skip
    expected = np.resize(["augmented", "ant", "bee"], 300)
    assert np.mean(found.answers["label"] == expected) > 0.8
    new = found.answers["label"] == "augmented"
    np.testing.assert_array_equal(found.answers["augmented_score"] > 0, new)
    assert any("'place'" in note for note in found.notes)


def test_blank_labels_are_more_of_the_pool(tables):
    labeled = pd.read_csv(tables[0])
    labeled.loc[:49, "kind"] = None
    labeled.to_csv(tables[0], index=False)
    found = audit_tables(*tables, "kind", scores="logits", drop=["row"])
    assert (found.n_labeled, found.n_unlabeled, len(found.answers)) == (150, 350, 300)


def test_columns_of_text_are_refused_by_name(tables):
    labeled = pd.read_csv(tables[0]).assign(place="wood")
    labeled.to_csv(tables[0], index=False)
    with pytest.raises(TableRequestError, match=r"'place' of .* are not all"):
        audit_tables(*tables, "kind", scores="logits", drop=["row"])
    with pytest.raises(ValueError, match=r"lacks 'raw'.*Did you mean 'row'"):
        audit_tables(*tables, "kind", scores="logits", drop=["raw"])
