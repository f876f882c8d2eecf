"""Columns of sentences in a frame are told of: categories of them say next to nothing."""

import warnings

import numpy as np
import pandas as pd
import pytest

from eulac import EulacClassifier
from eulac.exceptions import SentenceColumnWarning

WORDS = np.array(["the", "parcel", "is", "late", "card", "was", "billed", "twice"])


def tickets(n_rows):
    rng = np.random.default_rng(0)
    said = [" ".join(rng.choice(WORDS, 6)) for _ in range(n_rows)]
    color = rng.choice(["red", "blue"], n_rows)
    return pd.DataFrame({"said": said, "color": color, "size": rng.normal(size=n_rows)})


def test_sentences_beside_other_columns_are_warned_of():
    X, y = tickets(120), np.where(np.arange(120) < 60, np.arange(120) % 2, -1)
    classifier = EulacClassifier(known_proportion=0.9, random_state=0)
    with pytest.warns(SentenceColumnWarning, match="column 'said' holds sentences"):
        classifier.fit(X, y)


def test_names_and_words_are_no_sentences():
    X, y = tickets(120), np.where(np.arange(120) < 60, np.arange(120) % 2, -1)
    X["said"] = [f"ticket {row}" for row in range(120)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", SentenceColumnWarning)
        EulacClassifier(known_proportion=0.9, random_state=0).fit(X, y)
