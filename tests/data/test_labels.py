"""Labels: every way to write them gives the same codes, and what is ambiguous is refused."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

from eulac.data.labels import (
    AUGMENTED,
    AUGMENTED_NAME,
    UNLABELED,
    LabelCodec,
    is_unlabeled,
    validated_labels,
)
from eulac.data.lac_sample import LacSample
from eulac.data.lac_table import LacTable

CODES = [1, 0, UNLABELED, 2, 0]
WAYS_TO_WRITE = {
    "list of ints": [7, 3, -1, 9, 3],
    "small ints": np.array([7, 3, -1, 9, 3], dtype=np.int8),
    "floats": np.array([7.0, 3.0, -1.0, 9.0, 3.0]),
    "objects that are ints": np.array([7, 3, -1, 9, 3], dtype=object),
    "ints with a text marker": np.array([7, 3, "-1", 9, 3], dtype=object),
    "nullable ints": pd.array([7, 3, -1, 9, 3], dtype="Int64"),
    "series": pd.Series([7, 3, -1, 9, 3], index=list("abcde")),
    "categorical ints": pd.Categorical([7, 3, -1, 9, 3]),
    "strings": ["cow", "ant", "-1", "fox", "ant"],
    "strings from numpy": np.array(["cow", "ant", -1, "fox", "ant"]),
    "variable strings": np.array(["cow", "ant", "-1", "fox", "ant"], dtype=np.dtypes.StringDType()),
    "objects that are strings": np.array(["cow", "ant", "-1", "fox", "ant"], dtype=object),
    "strings with a number marker": np.array(["cow", "ant", -1, "fox", "ant"], dtype=object),
    "pandas strings": pd.Series(["cow", "ant", "-1", "fox", "ant"], dtype="string"),
    "categorical strings": pd.Series(["cow", "ant", "-1", "fox", "ant"], dtype="category"),
}
either_kind = st.one_of(
    st.lists(st.integers(0, 9), min_size=1),
    st.lists(st.sampled_from(["ant", "cow", "a longer name", "ß"]), min_size=1),
)


@pytest.mark.parametrize("y", WAYS_TO_WRITE.values(), ids=WAYS_TO_WRITE)
def test_every_way_to_write_labels_gives_the_same_codes(y):
    codec = LabelCodec.from_labels(y)
    np.testing.assert_array_equal(codec.encode(y), CODES)
    assert codec.n_known_classes == 3


@pytest.mark.parametrize(
    "y", [[True, False], np.array([True, False, -1], dtype=object)], ids=["bools", "masked"]
)
def test_flags_are_two_classes(y):
    np.testing.assert_array_equal(LabelCodec.from_labels(y).encode(y), [1, 0, -1][: len(y)])


@given(y=either_kind)
def test_decoding_undoes_encoding(y):
    codec = LabelCodec.from_labels(y)
    assert codec.decode(codec.encode(y)).tolist() == y
    assert sorted(set(y)) == codec.known.tolist()


@given(y=either_kind, seed=st.integers(0, 99))
def test_the_codec_does_not_depend_on_the_order_of_rows(y, seed):
    shuffled = np.random.default_rng(seed).permutation(y)
    assert (
        LabelCodec.from_labels(shuffled).known.tolist() == LabelCodec.from_labels(y).known.tolist()
    )


def test_the_augmented_label_is_a_number_or_a_word_as_the_labels_are():
    assert LabelCodec.from_labels([1, 2]).augmented_label == AUGMENTED
    assert LabelCodec.from_labels(["a", "b"]).augmented_label == AUGMENTED_NAME
    np.testing.assert_array_equal(LabelCodec.from_labels([1, 2]).all_labels, [1, 2, AUGMENTED])


@pytest.mark.parametrize("dtype", [str, object])
def test_long_augmented_names_are_not_cut(dtype):
    codec = LabelCodec.from_labels(np.array(["a", "b"], dtype=dtype), augmented_label="quite new")
    assert codec.decode([0, 2]).tolist() == ["a", "quite new"]


def test_labels_not_known_count_as_augmented():
    codec = LabelCodec.from_labels([3, 5])
    np.testing.assert_array_equal(codec.encode([5, 4, AUGMENTED, UNLABELED]), [1, 2, 2, -1])


def test_numbers_beside_a_text_marker_stay_numbers():
    codec = LabelCodec.from_labels(np.array([0, 1, "?"], dtype=object), unlabeled_label="?")
    assert codec.known.tolist() == [0, 1]
    assert codec.augmented_label == AUGMENTED
    np.testing.assert_array_equal(codec.encode([0, 1, 5]), [0, 1, 2])


@pytest.mark.parametrize(
    ("y", "marker", "expected"),
    [
        ([0, -1], UNLABELED, [False, True]),
        (["a", "-1"], UNLABELED, [False, True]),
        (["a", "?"], "?", [False, True]),
        ([0, 1], "?", [False, False]),
        (np.array([0, "?"], dtype=object), "?", [False, True]),
        (np.array([3, 4], dtype=np.uint8), UNLABELED, [False, False]),
    ],
)
def test_the_marker_is_found_in_numbers_and_in_text(y, marker, expected):
    np.testing.assert_array_equal(is_unlabeled(y, marker), expected)


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        ([1, 2, 3], {"augmented_label": 3}, r"`augmented_label`=3 is also .* \(\[1, 2, 3\]\)"),
        ([-2, 2], {}, r"`augmented_label`=-2 is also .* \(\[-2, 2\]\)"),
        (["augmented", "b"], {}, r"`augmented_label`='augmented' is also a known class"),
        ([1, 2], {"augmented_label": -1}, r"must differ; both are -1"),
        (["a", "b"], {"augmented_label": "-1"}, r"must differ; both are '-1'"),
        ([1, 2], {"augmented_label": "new"}, r"got 'new' for the classes \[1, 2\]"),
        (["a", "b"], {"augmented_label": -2}, r"got -2 for the classes \['a', 'b'\]"),
        ([-1, -1], {}, r"only unlabeled rows \(2 times -1, or missing\)"),
        (["?"], {"unlabeled_label": "?"}, r"only unlabeled rows \(1 times '\?', or missing\)"),
        ([], {}, r"only unlabeled rows \(0 times -1, or missing\)"),
    ],
)
def test_clashes_are_refused_with_the_values(y, options, message):
    with pytest.raises(ValueError, match=message):
        LabelCodec.from_labels(y, **options)


@pytest.mark.parametrize(
    ("y", "codes", "known"),
    [
        ([0.0, np.nan, np.nan], [0, -1, -1], [0]),
        (np.array(["a", None, "b"], dtype=object), [0, -1, 1], ["a", "b"]),
        (np.array([1, pd.NA, None, np.nan, -1], dtype=object), [0, -1, -1, -1, -1], [1]),
        (pd.array([1, None, 2], dtype="Int64"), [0, -1, 1], [1, 2]),
        (pd.Series(["a", None], dtype="string"), [0, -1], ["a"]),
        (pd.Categorical(["a", None, "a"]), [0, -1, 0], ["a"]),
    ],
)
def test_missing_labels_are_unlabeled_rows(y, codes, known):
    codec = LabelCodec.from_labels(y)
    assert codec.known.tolist() == known
    assert [type(label) for label in codec.known.tolist()] == [type(label) for label in known]
    assert codec.encode(y).tolist() == codes


@pytest.mark.parametrize("blank", ["", "  "])
def test_blank_text_is_no_class(blank):
    with pytest.raises(ValueError, match=r"must not be blank; 2 of 4 are.* by '-1' or None"):
        LabelCodec.from_labels(["cat", blank, "dog", "-1", blank])
    named = LabelCodec.from_labels(["cat", "", "dog"], unlabeled_label="")
    assert named.known.tolist() == ["cat", "dog"]


def test_nothing_but_missing_labels_is_refused():
    with pytest.raises(ValueError, match=r"only unlabeled rows \(2 times -1, or missing\)"):
        LabelCodec.from_labels([np.nan, None])


def test_minus_one_and_one_beside_other_unlabeled_rows_are_refused():
    y, X = [-1, 1, -1, 1], np.eye(4)
    for kind in (LacSample, LacTable):
        with pytest.raises(ValueError, match=r"labels -1 and 1 .* holds it 2 times. Rename"):
            kind.from_masked(X, y, X_unlabeled=X)
        assert kind.from_masked(X, y).n_unlabeled == 2
        both = kind.from_masked(X, y, X_unlabeled=X, unlabeled_label=-9)
        assert both.codec.known.tolist() == [-1, 1]
        missing = kind.from_masked(X, [np.nan, 1, 1, np.nan], X_unlabeled=X)
        assert missing.n_unlabeled == 6


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array(["a", 3], dtype=object), r"all numbers or all booleans; got \['int', 'str'\]"),
        (np.array([True, 7], dtype=object), r"or all booleans; got \['bool', 'int'\]"),
        ([0.5, 1.25], "continuous"),
        ([[0, 1], [1, 0]], r"must stand in one column.* got an array of shape \(2, 2\)"),
    ],
)
def test_what_is_no_vector_of_labels_is_refused(y, message):
    with pytest.raises(ValueError, match=message):
        validated_labels(y, UNLABELED)


def test_a_column_of_labels_is_taken_with_a_warning():
    with pytest.warns(DataConversionWarning, match=r"column-vector"):
        assert validated_labels([[0], [1]], UNLABELED).shape == (2,)


@pytest.mark.parametrize(
    ("known", "y", "message"),
    [
        (["0", "1"], [0, 1], r"known classes \['0', '1'\]; got 0"),
        ([0, 1], ["1", "0"], r"known classes \[0, 1\]; got '1'"),
    ],
)
def test_text_does_not_pass_for_numbers_nor_numbers_for_text(known, y, message):
    with pytest.raises(ValueError, match=message):
        LabelCodec.from_labels(known).encode(y)
    np.testing.assert_array_equal(LabelCodec.from_labels(known).encode([-1, -1]), [-1, -1])


@pytest.mark.parametrize(
    ("label", "quoted"),
    [
        ((5, "a"), r"\(5, 'a'\) of type tuple"),
        (frozenset({1}), r"frozenset\(\{1\}\) of type frozenset"),
        (b"a", "b'a' of type bytes"),
        (Decimal(3), r"Decimal\('3'\) of type Decimal"),
        (np.datetime64("2020-01-01"), "of type datetime64"),
        (1 + 2j, r"\(1\+2j\)"),
    ],
)
def test_labels_are_text_numbers_or_booleans(label, quoted):
    y = np.empty(3, dtype=object)
    y[:] = [label, label, -1]
    with pytest.raises(ValueError, match=f"must be text, numbers or booleans; got .*{quoted}"):
        LabelCodec.from_labels(y)


def test_arrays_of_other_kinds_are_no_labels():
    for kind in ("complex128", "datetime64[D]", "S3"):
        with pytest.raises(ValueError, match="must be text, numbers or booleans; got np"):
            LabelCodec.from_labels(np.array([0, 1]).astype(kind))
