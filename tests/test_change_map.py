"""The change map of ARCHITECTURE.md is true: what it names is all that an addition touches.

Each addition is made to a copy of the package, in the files that the map names, and then used the
way people would use it. A registry that the map forgets lets that use fail.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import eulac

DOCS = Path(__file__).parents[1] / "docs"
MOST_FILES = 3

LOSS = """\
        Loss(
            "steep",
            lambda z: 0.5 * _logistic(2.0 * z),
            lambda z: -_sigmoid(2.0 * z),
            lambda z: 2.0 * _sigmoid(2.0 * z) * _sigmoid(-2.0 * z),
            linear_odd_part=True,
            lipschitz=lambda radius: 1.0,
            newton=True,
            certainty=lambda z: np.tanh(z),
        ),
"""

PROPORTION = '''\
"""The share of unlabeled rows that score above half of the known ones, doubled."""

import numpy as np

from eulac.proportion.on_scores import ScoreEstimate, ScoreProportion


class HalvesProportion(ScoreProportion):
    """As the module says."""

    method = "halves"

    def from_scores(self, known_scores, unlabeled_scores):
        """Return the estimate."""
        return ScoreEstimate(2.0 * np.mean(unlabeled_scores > np.median(known_scores)))
'''

ROOM = (
    '"""Means of classes.\n\nEnters: a `LacSample`. Leaves: a mean a class.\nNothing else.\n"""\n'
)

FAMILY = '''\
"""The nearest mean of a known class, unless it is far."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from eulac.classifier.open_set import LabelsMixin, open_rows


class NearestMeanEulacClassifier(LabelsMixin, ClassifierMixin, BaseEstimator):
    """As the module says."""

    def __init__(
        self, radius=3.0, unlabeled_label=-1, augmented_label=None, random_state=None
    ):
        self.radius = radius
        self.unlabeled_label = unlabeled_label
        self.augmented_label = augmented_label
        self.random_state = random_state

    def fit(self, X, y, X_unlabeled=None):
        """Take the means."""
        sample, _ = open_rows(self, X, y, X_unlabeled, uses_unlabeled=False)
        codes = range(sample.n_known_classes)
        self.means_ = np.stack([sample.X_labeled[sample.y_labeled == k].mean(0) for k in codes])
        self.proportion_ = None
        return self

    def _decision(self, X):
        X = validate_data(self, X, reset=False)
        near = -np.linalg.norm(X[:, None] - self.means_, axis=2)
        return np.column_stack([near, np.full(len(X), -self.radius)])
'''

COMMAND = '''\
"""`eulac classes`: the classes a model knows."""

from pathlib import Path

import click

from eulac.cli.command_options import PATH
from eulac.cli.output import say


@click.command()
@click.argument("model", type=PATH)
def classes(model: Path) -> None:
    """List the classes of a MODEL."""
    from eulac.persistence.files import load

    say(" ".join(map(str, load(model).known_classes_)))
'''

STUB = "__init__.pyi"


def public(module, name):
    """Return the insertion of a public name: before which line, and what."""
    return "HOMES:", f"from eulac.{module} import {name} as {name}\n"


# What to do to which file: write it, or insert a text before another.
ADDITIONS = {
    "a loss": {"maths/losses.py": ('        Loss(\n            "sigmoid"', LOSS)},
    "a proportion estimator": {
        "proportion/halves.py": PROPORTION,
        "proportion/methods.py": (
            '    "pulse":',
            '    "halves": _made_by("halves:HalvesProportion"),\n',
        ),
        STUB: public("proportion.halves", "HalvesProportion"),
    },
    "a family": {
        "means/__init__.py": ROOM,
        "means/nearest_mean.py": FAMILY,
        STUB: public("means.nearest_mean", "NearestMeanEulacClassifier"),
    },
    "a command": {
        "cli/classes.py": COMMAND,
        "cli/main.py": ('    "completion":', '    "classes": "eulac.cli.classes:classes",\n'),
    },
}

MIXTURE = """
from eulac.data.synthetic import make_gaussian_task
X, y = make_gaussian_task(random_state=0).draw(60, 120, random_state=0).sample.as_masked()
"""
USES = {
    "a loss": """
from eulac import KernelEulacClassifier, load, save
kernel = KernelEulacClassifier(0.6, loss="steep", bandwidth=1.0, penalty=0.01).fit(X, y)
save(kernel, "kernel.eulac")
assert (load("kernel.eulac").predict_proba(X) == kernel.predict_proba(X)).all()
""",
    "a proportion estimator": """
from eulac import HalvesProportion, LacSample
from eulac.cli.proportion import proportion
from eulac.proportion.methods import compare_methods
estimate = compare_methods(LacSample.from_masked(X, y), ["halves"], random_state=0)["halves"]
assert 0.0 < estimate.total < 1.0, estimate
assert HalvesProportion(random_state=0).fit(X, y).estimate_.total == estimate.total
[choices] = [option.type.choices for option in proportion.params if option.name == "methods"]
assert "halves" in choices
""",
    "a family": f"""
import runpy
from eulac import NearestMeanEulacClassifier, load, save
from eulac.cli.fit import METHODS
means = NearestMeanEulacClassifier().fit(X, y)
save(means, "means.eulac")
assert (load("means.eulac").predict(X) == means.predict(X)).all()
assert METHODS["nearest-mean"] == "NearestMeanEulacClassifier"
assert "NearestMeanEulacClassifier" in runpy.run_path({str(DOCS / "conf.py")!r})["api_page"]()
""",
    "a command": """
from click.testing import CliRunner
from eulac import OsnnClassifier, save
from eulac.cli.main import cli
save(OsnnClassifier(random_state=0).fit(X, y), "model.eulac")
run = CliRunner().invoke(cli, ["classes", "model.eulac"])
assert run.output.split() == [str(label) for label in sorted(set(y) - {-1})], run.output
assert "List the classes of a MODEL." in CliRunner().invoke(cli, ["--help"]).output
""",
}


def changed(root, files):
    """Make an addition to the package in `root`."""
    for name, change in files.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        if isinstance(change, tuple):
            before, text = change
            old = path.read_text()
            assert old.count(before) == 1, f"{name} has no single {before!r}"
            change = old.replace(before, text + before)
        path.write_text(change)


@pytest.mark.parametrize("addition", ADDITIONS)
def test_an_addition_touches_at_most_three_files(addition):
    assert len(ADDITIONS[addition]) <= MOST_FILES


def test_additions_work_with_nothing_but_what_the_map_names(tmp_path):
    # Compiled modules come along, with their times: then one process starts in a second or two.
    root = shutil.copytree(Path(eulac.__file__).parent, tmp_path / "eulac")
    for files in ADDITIONS.values():
        changed(root, files)
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", MIXTURE + "".join(USES.values())],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
