"""Model files made to cost much when they are read: large claims, many parts, deep nesting."""

import copy
import warnings
from importlib.util import find_spec

import numpy as np
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import eulac
from easy_mixture import easy_split
from eulac.persistence.files import save
from persistence.forging import forged, states

LIST = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
NUMBER = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "is_json": True}
CLAIMS = ["1000000000", "1e308", "-1", str(2**63), '"' + "9" * 10_000 + '"', "[" * 5000]
SHAPES = ["(2000000000,)", "(50000, 50000)", "(1,) * 99", "(0, 1000000000000)"]
KINDS = ["<f8", "<U0", "|V0", "<U100000000", "|O"]
SEARCHED = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-6]}, cv=2)
FLAT = KNeighborsClassifier(3, algorithm="brute", metric="manhattan")
VOTES = [("near", KNeighborsClassifier(3)), ("flat", FLAT), ("searched", SEARCHED)]
MODELS = {
    "kernel": eulac.KernelEulacClassifier(0.6, bandwidth=2.0, penalty=0.1, random_state=0),
    "landmark": eulac.LandmarkEulacClassifier(
        0.6, n_landmarks=40, bandwidth=0.5, penalty=0.1, random_state=0
    ),
    "forest": eulac.TwoStageEulacClassifier(
        RandomForestClassifier(20, random_state=0), known_proportion=0.6, n_folds=3, random_state=0
    ),
}
MODELS["votes"] = eulac.TwoStageEulacClassifier(
    VotingClassifier(VOTES, voting="soft"), known_proportion=0.6, n_folds=3, random_state=0
)
if find_spec("torch") is not None:
    MODELS["deep"] = eulac.DeepEulacClassifier(known_proportion=0.6, max_epochs=1, random_state=0)


def write_models(folder, names=tuple(MODELS)):
    """Return the paths of honest model files, one of each kind."""
    sample = easy_split().sample
    paths = []
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clf = MODELS[name].fit(sample.X_labeled, sample.y_labeled, sample.X_unlabeled)
        paths.append(save(clf, folder / f"{name}.eulac"))
    return paths


def crafted(path, rng):
    """Write one of the crafted changes over a model file; return the path."""
    return forged(path, CRAFTS[int(rng.integers(len(CRAFTS)))](rng))


def _member(kind, shape, number):
    """Return an array of eight-byte values unlike that of any other number, with its header."""
    values = np.full(1 + number % 50, number, dtype=kind)
    return _header(kind, shape, width=100 + number % 300) + values.tobytes()


def _header(kind, shape, width=117):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}".encode()
    header = header.ljust(width) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


def _root(schema):
    return schema["content"]["content"]


def claimed_numbers(rng):
    """Say of some numbers that they are others: sizes, widths, counts, seeds."""

    def change(schema, parts):
        found = [one for one in states(schema) if one["__loader__"] == "JsonNode"]
        for place in rng.choice(len(found), size=min(5, len(found)), replace=False):
            found[place].pop("__id__", None)
            found[place]["content"] = str(rng.choice(CLAIMS))

    return change


def claimed_arrays(rng):
    """Say of an array that it holds more, or another kind of, values than follow."""

    def change(schema, parts):
        name = str(rng.choice([name for name in parts if name.endswith(".npy")]))
        shape, kind = str(rng.choice(SHAPES)), str(rng.choice(KINDS))
        parts[name] = _header(kind, shape) + parts[name][:64]

    return change


def many_members(rng):
    """Hang thousands of small arrays into the model, each a member of its own."""

    def change(schema, parts):
        node = next(one for one in states(schema) if one["__loader__"] == "NdArrayNode")
        n_more = int(rng.integers(1000, 22_000))
        items = []
        for number in range(n_more):
            items.append({**node, "__id__": 10**6 + number, "file": f"more-{number}.npy"})
            parts[f"more-{number}.npy"] = _member("<i8", f"({1 + number % 50},)", number)
        _root(schema)["more_"] = {**LIST, "__id__": 10**7, "content": items}

    return change


def many_numbers(rng):
    """Hang a list of very many numbers into the model."""

    def change(schema, parts):
        n_more = int(rng.integers(1000, 30_000))
        items = [{**NUMBER, "__id__": 10**6 + number, "content": "1"} for number in range(n_more)]
        _root(schema)["more_"] = {**LIST, "__id__": 10**7, "content": items}

    return change


def nested_lists(rng):
    """Nest lists in lists."""

    def change(schema, parts):
        level = {**LIST, "__id__": 10**6, "content": []}
        for depth in range(int(rng.integers(20, 400))):
            level = {**LIST, "__id__": 10**6 + 1 + depth, "content": [level]}
        _root(schema)["more_"] = level

    return change


def copied_parts(rng):
    """Put the whole model into itself, some times over."""

    def change(schema, parts):
        whole = copy.deepcopy(schema["content"])
        copies = []
        for number in range(int(rng.integers(2, 20))):
            one = copy.deepcopy(whole)
            for state in states(one):
                if isinstance(state.get("__id__"), int):
                    state["__id__"] += 10**9 * (number + 1)
            copies.append(one)
        _root(schema)["more_"] = {**LIST, "__id__": 10**7, "content": copies}

    return change


def doubled_lists(rng):
    """Refer twice to what refers twice, and so on."""

    def change(schema, parts):
        level = {**LIST, "__id__": 10**6, "content": []}
        for depth in range(1, int(rng.integers(20, 60))):
            reference = {**LIST, "__id__": 10**6 + depth - 1, "content": []}
            level = {**LIST, "__id__": 10**6 + depth, "content": [level, reference]}
        _root(schema)["more_"] = level

    return change


def large_array(rng):
    """Give an array ten million honest values, of which nothing knows."""

    def change(schema, parts):
        name = str(rng.choice([name for name in parts if name.endswith(".npy")]))
        parts[name] = _header("<f8", "(10000000,)") + bytes(80_000_000)

    return change


CRAFTS = (
    claimed_numbers,
    claimed_numbers,
    claimed_arrays,
    many_members,
    many_numbers,
    nested_lists,
    copied_parts,
    doubled_lists,
    large_array,
)
