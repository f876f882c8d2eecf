"""Every public classifier takes sparse rows, or refuses them in a sentence that says what does."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix
from sklearn.utils import get_tags

import eulac

OF_ROWS = [name for name in eulac.__all__ if name.endswith("Classifier")]
TAKES = {"EulacClassifier", "TwoStageEulacClassifier"}
X, Y = np.eye(6), np.array([0, 0, 1, 1, -1, -1])


def instance(name):
    try:
        kind = getattr(eulac, name)
    except ImportError as error:  # networks, without the extra `deep`
        pytest.skip(str(error))
    return kind(eulac.EulacClassifier()) if name == "HeadEulacClassifier" else kind()


@pytest.mark.parametrize("name", sorted(set(OF_ROWS) - TAKES))
def test_sparse_rows_are_refused_by_name_with_what_takes_them(name):
    sentence = r"dense for \w+; got sparse ones, 6 x 6\. Use EulacClassifier\(\), or TwoStage"
    with pytest.raises(TypeError, match=sentence):
        instance(name).fit(csr_matrix(X), Y)


@pytest.mark.parametrize("name", sorted(TAKES))
def test_those_the_advice_names_say_that_they_take_them(name):
    assert get_tags(instance(name)).input_tags.sparse


@pytest.mark.parametrize("kind", [csr_array, coo_array])
def test_the_copy_is_measured_whatever_holds_the_cells(kind):
    with pytest.raises(TypeError, match=r"3,000 x 500\. .*`X\.toarray\(\)`, 12\.0 MB"):
        eulac.LinearEulacClassifier().fit(kind((3000, 500)), np.resize([0, 1, -1], 3000))
