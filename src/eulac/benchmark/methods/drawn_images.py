"""The images of a draw: six classes known and four never labeled, or nine and one."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.benchmark.trial import Draw
from eulac.data.datasets import load_dataset

__all__ = ["IMAGES", "NEW_CLASSES", "ImageRows", "image_rows", "image_seed"]

NEW_CLASSES = ((3, 6, 7, 8), (1, 2, 4, 6), (2, 3, 4, 9), (0, 1, 2, 6), (4, 5, 6, 9))
"""The class splits of the literature; all ten classes are drawn from."""

FIRST_TEST_ROW_OF_MNIST = 60_000

SMALLEST_LABELED_SHARE = 0.2
"""Of a known class whose share moved, as in the code of PULSE's authors."""

Split = tuple[list[NDArray[np.intp]], tuple[int, ...]]
"""Rows that are labeled, unlabeled and for the test; classes that are new."""


class ImageSet(NamedTuple):
    """Images of ten classes: shape, brightest value, rows of a class, and passes over them."""

    shape: tuple[int, ...]
    brightest: float
    n_labeled: int
    n_unlabeled: int
    n_test: int
    n_epochs: int


IMAGES = {
    "mnist": ImageSet((28, 28), 255.0, 500, 900, 300, 12),
    "svhn": ImageSet((32, 32, 3), 255.0, 1200, 600, 200, 80),
    "cifar10": ImageSet((32, 32, 3), 255.0, 1500, 800, 200, 65),
    "usps": ImageSet((16, 16), 1.0, 250, 250, 150, 12),
    "digits": ImageSet((8, 8), 16.0, 60, 70, 40, 12),
}


class ImageRows(NamedTuple):
    """Labeled, unlabeled and test images with their true classes, and those never labeled."""

    X: NDArray[np.float32]
    y: NDArray[Any]
    X_unlabeled: NDArray[np.float32]
    y_unlabeled: NDArray[Any]
    X_test: NDArray[np.float32]
    y_test: NDArray[Any]
    new: tuple[int, ...]


def image_rows(draw: Draw) -> ImageRows:
    """Return the rows of a draw: six classes known, or nine whose shares moved.

    Examples
    --------
    >>> rows = image_rows(Draw("digits"))
    >>> rows.X.shape, sorted(set(rows.y.tolist()))
    ((360, 8, 8), [0, 1, 2, 4, 5, 9])
    """
    kind, (X, y) = IMAGES[draw.dataset], _images(draw.dataset)
    rng = np.random.default_rng(image_seed(draw))
    split = _moved_shares if draw.condition("moved_shares") else _literature_split
    parts, new = split(draw, y, rng)
    scaled = [(X[part].astype(np.float32) / kind.brightest, y[part]) for part in parts]
    labeled, unlabeled, test = scaled
    return ImageRows(*labeled, *unlabeled, *test, new)


def _literature_split(draw: Draw, y: NDArray[Any], rng: np.random.Generator) -> Split:
    """Four new classes, so many rows of each class; mnist keeps its standard test part apart."""
    kind, new = IMAGES[draw.dataset], NEW_CLASSES[draw.class_draw]
    labeled, unlabeled, test = [], [], []
    for k in range(10):
        rows = np.flatnonzero(y == k)
        if draw.dataset == "mnist":
            held_out = rows[rows >= FIRST_TEST_ROW_OF_MNIST]
        else:
            held_out = rng.permutation(rows)[: kind.n_test]
        test.append(rng.permutation(held_out)[: kind.n_test])
        rows = rng.permutation(np.setdiff1d(rows, held_out))
        if k not in new:
            labeled.append(rows[: kind.n_labeled])
        unlabeled.append(rows[kind.n_labeled : kind.n_labeled + kind.n_unlabeled])
    return [np.concatenate(part) for part in (labeled, unlabeled, test)], new


def _moved_shares(draw: Draw, y: NDArray[Any], rng: np.random.Generator) -> Split:
    """One new class; of every other one a part, drawn anew for each, is labeled.

    The setting of PULSE on CIFAR-10: a fifth of all rows is kept apart, and tests on what is
    unlabeled there.
    """
    new = (int(rng.integers(10)),)
    parts: list[list[NDArray[np.intp]]] = [[], [], []]
    for k in range(10):
        share = 0.0 if k in new else rng.uniform(SMALLEST_LABELED_SHARE, 1.0)
        rows = rng.permutation(np.flatnonzero(y == k))
        tests, rest = np.split(rows, [len(rows) // 5])
        for part, found in zip(
            parts,
            (*np.split(rest, [round(share * len(rest))]), tests[round(share * len(tests)) :]),
            strict=True,
        ):
            part.append(found)
    return [np.concatenate(part) for part in parts], new


def image_seed(draw: Draw) -> int:
    """Return the seed of rows and fits: the number of the class split, for the first seed."""
    return draw.class_draw + len(NEW_CLASSES) * draw.seed


def _images(name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    if name == "digits":
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
    else:
        dataset = load_dataset(name)
        X, y = dataset.X, dataset.y
    return X.reshape(-1, *IMAGES[name].shape), y
