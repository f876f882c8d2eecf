"""What each named dataset must look like, and where it comes from: one entry per name."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DATASETS", "DatasetSpec"]


@dataclass(frozen=True)
class DatasetSpec:
    """What a named dataset must look like, and where it comes from.

    Parameters
    ----------
    name : str
    n_rows, n_features, n_classes : int
    class_counts : tuple of two int, or None
        Rows of the smallest and of the biggest class; None when not known, then not checked.
    source : str
        Origin and license in a few words.
    openml : tuple of (str, int), or None, default=None
        Name and version on OpenML; None when there is no fitting copy.
    image_shape : tuple of int or None, default=None
        Shape of one row as an image.
    remark : str, default=""
        How the data differ from what the paper used.
    loads : str, default=""
        Name of the dataset read in place of this one.
    n_first_part : int or None, default=None
        Rows of the first official part, if the last one comes from elsewhere: from other writers.

    Examples
    --------
    >>> DATASETS["mnist"].n_features, DATASETS["mnist"].image_shape
    (784, (28, 28))
    """

    name: str
    n_rows: int
    n_features: int
    n_classes: int
    class_counts: tuple[int, int] | None
    source: str
    openml: tuple[str, int] | None = None
    image_shape: tuple[int, ...] | None = None
    remark: str = ""
    loads: str = ""
    n_first_part: int | None = None

    @property
    def file_name(self) -> str:
        """Name of the file that holds the data."""
        return f"{self.loads or self.name}.npz"


_STATLOG = "UCI Statlog, CC BY 4.0"
_SATIMAGE = (6435, 36, 6, (626, 1533), f"{_STATLOG} (Landsat)", ("satellite_image", 1))
_RGB = (32, 32, 3)

DATASETS = {
    spec.name: spec
    for spec in [
        DatasetSpec(
            *("usps", 9298, 256, 10, (708, 1553), "Hull 1994, for research", ("USPS", 2)),
            image_shape=(16, 16),
            remark="OpenML's copy lies in [-1, 1] with labels 1-10; others in [0, 1] with 0-9.",
            n_first_part=7291,
        ),
        DatasetSpec("segment", 2310, 19, 7, (330, 330), _STATLOG, ("segment", 1)),
        DatasetSpec("satimage", *_SATIMAGE),
        DatasetSpec(
            *("optdigits", 5620, 64, 10, (554, 572), "UCI, CC BY 4.0", ("optdigits", 1), (8, 8)),
            n_first_part=3823,
        ),
        DatasetSpec(
            *("pendigits", 10992, 16, 10, (1055, 1144), "UCI, CC BY 4.0", ("pendigits", 1)),
            n_first_part=7494,
        ),
        DatasetSpec(
            *("senseveh", 98528, 100, 3, None, "Duarte and Hu 2004, no license stated"),
            openml=("SensIT-Vehicle-Combined", 1),
            remark="The paper's class counts (12316 to 26423, 61581 rows) match no public copy.",
        ),
        DatasetSpec(
            *("landset", *_SATIMAGE),
            remark="Stand-in: satimage. The paper lists 73 features with satimage's class counts; "
            "no such file is known.",
            loads="satimage",
        ),
        DatasetSpec(
            *("mnist", 70000, 784, 10, (6313, 7877), "LeCun et al., CC BY-SA 3.0"),
            openml=("mnist_784", 1),
            image_shape=(28, 28),
            remark="The paper's 780 features are X[:, :780]; the last four pixels are always 0.",
        ),
        DatasetSpec("shuttle", 58000, 9, 7, (10, 45586), _STATLOG, ("shuttle", 1)),
        DatasetSpec(
            *("letter", 20000, 16, 26, (734, 813), "UCI, CC BY 4.0", ("letter", 1)),
            remark="Not in the paper: many classes with few rows each.",
        ),
        DatasetSpec(
            *("cifar10", 25000, 3072, 10, (2500, 2500), "Krizhevsky 2009, for research"),
            image_shape=_RGB,
            remark="Subset that went through JPEG: 15000 training rows, then the 10000 test rows.",
        ),
        DatasetSpec(
            *("cifar10_exact", 6102, 3072, 10, (562, 639), "Krizhevsky 2009, for research"),
            image_shape=_RGB,
            remark="Smaller subset with the original pixels: 5085 training rows, 1017 test rows.",
        ),
        DatasetSpec(
            *("svhn", 20000, 3072, 10, (2000, 2000), "Netzer et al. 2011, non-commercial"),
            image_shape=_RGB,
            remark="Subset that went through JPEG: 19000 training rows, then 1000 test rows.",
        ),
        DatasetSpec(
            *("sensit300", 300, 100, 3, (100, 100), "Duarte and Hu 2004, no license stated"),
            remark="300-row sample of senseveh; too small for the paper's draws.",
        ),
    ]
}
