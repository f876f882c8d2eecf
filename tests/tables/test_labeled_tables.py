"""Labels of a table: found by name, refused where doubtful, blank where unlabeled."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from eulac.data.labels import LabelCodec
from eulac.exceptions import TableRequestError
from eulac.tables.labeled_tables import labels_known_to, read_labeled_table, read_table_for

FRAME = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "species": ["owl", "hen", " ", None]})


@pytest.fixture
def path(tmp_path):
    FRAME.to_csv(tmp_path / "birds.csv", index=False)
    return tmp_path / "birds.csv"


def test_a_usual_name_is_enough_and_is_noted(path):
    table = read_labeled_table(path)
    assert table.label_column == "species"
    assert table.y.tolist() == ["owl", "hen"]
    assert table.unlabeled["size"].tolist() == [3.0, 4.0]
    assert table.notes == [
        f"Labels are taken from the column 'species' of {path}, because of its name."
    ]
    assert read_labeled_table(path, "species").notes == []


def test_no_usual_name_and_several_are_requests_that_leave_something_open(path):
    FRAME.rename(columns={"species": "kind"}).to_csv(path, index=False)
    with pytest.raises(TableRequestError, match=r"no column has a usual name.*`label_column`"):
        read_labeled_table(path)
    FRAME.assign(label=1).to_csv(path, index=False)
    with pytest.raises(TableRequestError, match="2 columns may be it"):
        read_labeled_table(path)


def test_the_only_column_the_pool_lacks_holds_the_labels(path, tmp_path):
    pool = tmp_path / "pool.csv"
    frame = FRAME.rename(columns={"species": "kind"})
    frame.to_csv(path, index=False)
    frame.drop(columns="kind").to_csv(pool, index=False)
    table = read_labeled_table(path, pool=pool)
    assert table.label_column == "kind"
    assert "the only one that" in table.notes[0]


def test_a_usual_name_that_the_pool_has_beside_a_column_it_lacks_is_asked_about(path, tmp_path):
    pool = tmp_path / "pool.csv"
    frame = FRAME.rename(columns={"species": "kind"}).assign(y=2.0)
    frame.to_csv(path, index=False)
    frame.to_csv(pool, index=False)
    assert read_labeled_table(path, pool=pool).label_column == "y"
    frame.drop(columns="kind").to_csv(pool, index=False)
    with pytest.raises(TableRequestError, match=r"2 columns may be it.*'y', 'kind'"):
        read_labeled_table(path, pool=pool)


@pytest.mark.parametrize(
    ("labels", "message"), [("", "all 4 cells of column 'species'"), (-1, "-1 may mean")]
)
def test_labels_that_say_nothing_are_refused(path, labels, message):
    FRAME.assign(species=labels).to_csv(path, index=False)
    with pytest.raises(ValueError, match=message):
        read_labeled_table(path)


def model_of(*known, label_column="species"):
    codec = LabelCodec.from_labels(np.array(known))
    return SimpleNamespace(codec_=codec, label_column=label_column)


def test_labels_of_a_table_for_a_model_are_of_its_kind(path):
    table, unseen = read_table_for(model_of("hen", "tit"), path)
    assert (table.y.tolist(), unseen) == (["owl", "hen"], ["owl"])
    y, unseen = labels_known_to(model_of("1", "2"), np.array([1, 2, 3]), "here")
    assert (y.tolist(), unseen) == (["1", "2", "3"], ["3"])


def test_labels_no_model_can_know_are_refused(path):
    with pytest.raises(ValueError, match="must be numbers, as those the model learned"):
        read_table_for(model_of(1, 2), path)
    with pytest.raises(ValueError, match="at least one label must be known to the model"):
        read_table_for(model_of("cow", "dog"), path)


def test_labels_are_quoted_as_they_are_written():
    model = SimpleNamespace(codec_=LabelCodec(np.array([0, 1]), augmented_label=-2))
    _, unseen = labels_known_to(model, np.array([0, 1, 7]), "column 'digit'")
    assert unseen == [7]
