"""Generative OpenMax: OpenMax on a network that saw a class of generated rows."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import softmax
from torch import Tensor, nn

from eulac.deep.generator import GeneratingClassifierMixin, RowGenerator, with_generated_class
from eulac.deep.openmax import OpenMaxCalibration, OpenMaxClassifier
from eulac.deep.softmax import fit_closed_set, hold_out_labeled
from eulac.deep.training import choose_device, logits_of

__all__ = ["GenerativeOpenMaxClassifier", "GeneratedClassCalibration", "unsure_interpolations"]

Array = NDArray[np.float64]

LARGEST_PROBABILITY = 0.5
"""A generated row is nobody's if no class is likelier than that."""

N_CANDIDATES = 10
"""Interpolations tried for each one that is wanted."""


@dataclass(frozen=True, eq=False)
class GeneratedClassCalibration:
    """OpenMax of K + 1 classes, the last one generated: that one and the unknown one are one.

    Attributes
    ----------
    openmax : OpenMaxCalibration

    Examples
    --------
    >>> from eulac.deep.openmax import fit_openmax
    >>> y = np.repeat([0, 1, 2], 40)
    >>> logits = np.random.default_rng(0).normal(8.0 * np.eye(3)[y])
    >>> calibration = GeneratedClassCalibration(fit_openmax(logits, y))
    >>> calibration.probabilities(8.0 * np.eye(3)).argmax(axis=1)
    array([0, 1, 2])
    """

    openmax: OpenMaxCalibration

    def revised(self, logits: Array) -> Array:
        """Return revised logits of the known classes, then that of the augmented one."""
        revised = self.openmax.revised(logits)
        augmented = np.logaddexp(revised[:, -2], revised[:, -1])
        return np.column_stack([revised[:, :-2], augmented])

    def probabilities(self, logits: Array) -> Array:
        """Return the probabilities of the known classes, then that of the augmented one."""
        return np.asarray(softmax(self.revised(logits), axis=1))


def unsure_interpolations(
    generator: RowGenerator,
    network: nn.Module,
    X: Tensor,
    y: Tensor,
    n_wanted: int,
    random: torch.Generator,
    device: torch.device,
) -> Tensor:
    """Return rows generated between rows of different classes that a network is unsure of.

    Ten times as many are tried as are wanted. Those of which no class has a probability of 0.5
    are taken first, then the ones of the smallest largest probability: with two classes, one
    always has 0.5.
    """
    first, second = _pairs_of_different_classes(y, N_CANDIDATES * n_wanted, random)
    encodings = generator.encode(X.to(device)).cpu()
    share = torch.rand(len(first), 1, generator=random)
    between = share * encodings[first] + (1 - share) * encodings[second]
    candidates = generator.decode(between.to(device))
    largest = softmax(logits_of(network, candidates, device), axis=1).max(axis=1)
    # All that are unsure enough are as good as each other: not the most extreme, the first drawn.
    order = np.argsort(np.maximum(largest, LARGEST_PROBABILITY), kind="stable")
    return candidates.cpu()[torch.from_numpy(order[:n_wanted].copy())]


def _pairs_of_different_classes(
    y: Tensor, n_pairs: int, random: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Draw classes first, then a row of each, so that rare classes take part."""
    by_class = torch.argsort(y, stable=True)
    counts = torch.bincount(y)
    starts = torch.cumsum(counts, 0) - counts
    n_classes = len(counts)
    first = torch.randint(n_classes, (n_pairs,), generator=random)
    step = 1 + torch.randint(n_classes - 1, (n_pairs,), generator=random)
    pairs = []
    for classes in (first, (first + step) % n_classes):
        place = torch.rand(n_pairs, generator=random, dtype=torch.float64) * counts[classes]
        pairs.append(by_class[starts[classes] + place.long()])
    return pairs[0], pairs[1]


class GenerativeOpenMaxClassifier(GeneratingClassifierMixin, OpenMaxClassifier):
    """OpenMax on a network with an extra class of generated rows (G-OpenMax).

    A network learns the known classes, and a generator learns the rows. Rows generated between
    encodings of rows of different known classes, of which the network finds no class likely
    (below 0.5), become an extra class of a second network, trained anew. Its outputs are
    calibrated as in OpenMax; the generated class and OpenMax's unknown class together are the
    augmented one. Learns from labeled rows only; a fifth of them is held out to set `epsilon`.

    Departs from its paper:

    - The paper mixes classes at the entrance of a conditional generative adversarial network and
      keeps images that a classifier gets wrong. Here encodings of rows are mixed, as Neal et al.
      do where they compare with it, by an autoencoder that trains in seconds on a processor.
    - Where too few rows are unsure, the least sure ones are taken; with two known classes all
      are, for one of the two has 0.5 or more.
    - What `OpenMaxClassifier` says of logits, tails and `epsilon` holds here too.

    Images between classes are easily told from real ones, so little is gained over OpenMax: with
    six known classes of MNIST, 500 rows each, 96.9 instead of 96.3 % AUC and 91 instead of 93 %
    accuracy, in one draw.

    Parameters
    ----------
    network : str or callable, default="auto"
        See `DeepEulacClassifier`; built with an output per known class, then with one more.
    n_generated : int, optional
        Number of generated rows; by default as many as labeled rows per known class, at most
        1000.
    n_latent : int, default=32
        Length of encodings.
    generator_epochs : int, default=15
        Passes over the rows to train the generator; at least 300 batches.
    tail_size, alpha, epsilon, rejected_share : see `OpenMaxClassifier`
    augmentation, max_epochs, batch_size, learning_rate, weight_decay, device, mixed_precision, \
random_state : see `DeepEulacClassifier`

    Attributes
    ----------
    classes_, known_classes_ : see `KernelEulacClassifier`
    calibration_ : GeneratedClassCalibration
    epsilon_, threshold_ : see `OpenMaxClassifier`
    generator_ : RowGenerator
    generated_ : array
        Generated rows, scaled as the network takes them.
    network_ : nn.Module
    history_ : list of dict
        Per epoch: objective, seconds; first of the K-way network, then of the one used.

    References
    ----------
    Ge, Demyanov and Garnavi, "Generative OpenMax for Multi-Class Open Set Classification", BMVC
    2017.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [6, 0], [0, 6]])
    >>> y = np.repeat([0, 1, 2], 80)
    >>> X = rng.normal(centers[y], 0.5)
    >>> clf = GenerativeOpenMaxClassifier(max_epochs=5, random_state=0).fit(X, y)
    >>> clf.predict([[0.0, 0.0], [6.0, 0.0], [3.0, 3.0]])
    array([ 0,  1, -2])
    """

    _fewest_epochs = 1

    def __init__(
        self,
        network="auto",
        *,
        n_generated=None,
        n_latent=32,
        generator_epochs=15,
        tail_size=20,
        alpha=10,
        epsilon="auto",
        rejected_share=0.05,
        augmentation="auto",
        max_epochs=20,
        batch_size=64,
        learning_rate=2e-3,
        weight_decay=5e-3,
        device="auto",
        mixed_precision=False,
        random_state=None,
    ):
        super().__init__(
            network,
            tail_size=tail_size,
            alpha=alpha,
            epsilon=epsilon,
            rejected_share=rejected_share,
            augmentation=augmentation,
            max_epochs=max_epochs,
            batch_size=batch_size,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
            device=device,
            mixed_precision=mixed_precision,
            random_state=random_state,
        )
        self.n_generated = n_generated
        self.n_latent = n_latent
        self.generator_epochs = generator_epochs

    def fit(self, X, y, X_unlabeled=None, *, on_epoch=None):
        """Learn from labeled rows; unlabeled ones are accepted and change nothing.

        Parameters
        ----------
        X, y, X_unlabeled : see `DeepEulacClassifier.fit`
        on_epoch : callable, optional
            Called with the record of every epoch, first of one network, then of the other.

        Returns
        -------
        self
        """
        self._check_parameters()
        sample, seed = self._open_sample(X, y, X_unlabeled, needs_unlabeled=False)
        self._require_two_classes(sample)
        rows, held_out = hold_out_labeled(sample, seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            closed = self._training(rows, rows.n_known_classes, seed)
            self.network_ = closed.network
            fit_closed_set(closed, on_epoch)
            self.generated_ = self._generate(closed.network, rows, seed)
            rows = with_generated_class(rows, self.generated_)
            training = self._training(rows, rows.n_known_classes + 1, seed)
            self.network_ = training.network
            fit_closed_set(training, on_epoch)
        self.history_ = closed.history + training.history
        self._calibrate(training, rows, held_out)
        return self

    def _check_parameters(self) -> None:
        self._check_generator_parameters()
        super()._check_parameters()

    def _generate(self, network, rows, seed):
        """Train the generator; return the rows of the extra class."""
        self.generator_ = self._train_generator(rows, seed)
        return unsure_interpolations(
            self.generator_,
            network,
            torch.from_numpy(rows.X_labeled),
            torch.from_numpy(rows.y_labeled),
            self._n_wanted(rows),
            torch.Generator().manual_seed(seed),
            choose_device(self.device),
        ).numpy()

    def _calibration(self, openmax):
        return GeneratedClassCalibration(openmax)
