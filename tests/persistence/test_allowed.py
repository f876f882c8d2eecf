"""Only types on the list are made: nothing that could run, nothing that could grow."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
)
from sklearn.svm import OneClassSVM

import eulac
from eulac.exceptions import ModelFileError
from eulac.persistence.allowed import is_ours
from eulac.persistence.files import load, save
from eulac.persistence.native_parts import check_native_parts
from persistence.forging import forged, states

FUNCTION = {"__class__": "system", "__module__": "os", "__loader__": "FunctionNode"}
ARGUMENTS = {
    "__class__": "tuple",
    "__module__": "builtins",
    "__loader__": "TupleNode",
    "content": [
        {
            "__class__": "str",
            "__module__": "builtins",
            "__loader__": "JsonNode",
            "content": '"touch ran"',
        }
    ],
}
TREE_ARGUMENTS = ["n_features", "n_classes", "n_outputs"]
ATTACKS = {
    "a function": FUNCTION,
    "a type": {"__class__": "eval", "__module__": "builtins", "__loader__": "TypeNode"},
    "an object": {"__class__": "Popen", "__module__": "subprocess", "__loader__": "ObjectNode"},
    "a constructor": {
        "__class__": "Popen",
        "__module__": "subprocess",
        "__loader__": "ConstructorFromReduceNode",
        "content": ARGUMENTS,
    },
    "a constructor of ours": {
        "__class__": "GaussianKernel",
        "__module__": "eulac.maths.kernels",
        "__loader__": "ConstructorFromReduceNode",
        "content": ARGUMENTS,
    },
    "a partial": {
        "__class__": "partial",
        "__module__": "functools",
        "__loader__": "PartialNode",
        "content": {"func": FUNCTION, "args": ARGUMENTS, "kwds": ARGUMENTS, "namespace": ARGUMENTS},
    },
    "a list type": {
        "__class__": "system",
        "__module__": "os",
        "__loader__": "ListNode",
        "content": [],
    },
    "a foreign name in our module": {
        "__class__": "np",
        "__module__": "eulac.data.labels",
        "__loader__": "ObjectNode",
    },
    "a function of ours": {
        "__class__": "fetch_dataset",
        "__module__": "eulac.data.datasets",
        "__loader__": "ObjectNode",
    },
    "a module that is not there": {
        "__class__": "Model",
        "__module__": "eulac.kernel.none",
        "__loader__": "ObjectNode",
    },
    "a sparse matrix": {
        "__class__": "csr_matrix",
        "__module__": "scipy.sparse._csr",
        "__loader__": "SparseMatrixNode",
        "type": "scipy",
        "file": "a.npz",
    },
    "a bare reference": {"__id__": 1},
    "no loader": {"__class__": "system", "__module__": "os"},
    "a loader that is no text": {"__class__": "a", "__module__": "b", "__loader__": ["ListNode"]},
    "a method": {
        "__class__": "KernelEulacClassifier",
        "__module__": "eulac.kernel.kernel_classifier",
        "__loader__": "MethodNode",
        "content": {"func": "fit", "obj": FUNCTION},
    },
}


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    clf = eulac.OsnnClassifier(ratio=0.8).fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1])
    return save(clf, tmp_path / "model.eulac")


@pytest.fixture(scope="module")
def forest():
    rng = np.random.default_rng(0)
    clf = eulac.NoveltyClassifier(IsolationForest(n_estimators=2), random_state=0)
    return clf.fit(rng.normal(size=(30, 3)), np.arange(30) % 2)


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_what_is_not_on_the_list_is_refused(attack, file, tmp_path):
    def insert(schema, parts):
        schema["content"]["content"]["ratio"] = attack

    with pytest.raises(ModelFileError, match="must hold only types of eulac"):
        load(forged(file, insert))
    assert not (tmp_path / "ran").exists()


def test_lists_that_double_at_every_level_are_refused(file):
    def insert(schema, parts):
        inner = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
        level = {**inner, "__id__": 1, "content": []}
        for depth in range(2, 60):
            reference = {**inner, "__id__": depth - 1, "content": []}
            level = {**inner, "__id__": depth, "content": [level, reference]}
        schema["content"]["content"]["ratio"] = level

    with pytest.raises(ModelFileError, match="names and bytes of their own"):
        load(forged(file, insert))


def test_two_parts_of_one_name_must_be_the_same(file):
    def insert(schema, parts):
        arrays = [s for s in states(schema) if s["__loader__"] == "NdArrayNode"]
        arrays[0]["__id__"] = arrays[1]["__id__"]

    with pytest.raises(ModelFileError, match="names and bytes of their own"):
        load(forged(file, insert))


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(-1,)", "(2,)"])
def test_arrays_must_hold_what_they_claim(shape, file):
    def insert(schema, parts):
        name = next(n for n in parts if n.endswith(".npy"))
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".encode()
        header = header.ljust(117) + b"\n"
        parts[name] = (
            b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"12345678"
        )

    with pytest.raises(ModelFileError, match="as many as they claim"):
        load(forged(file, insert))


def test_pickled_arrays_are_refused(file):
    def insert(schema, parts):
        name = next(n for n in parts if n.endswith(".npy"))
        header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}".ljust(117) + b"\n"
        parts[name] = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"cos\n"

    with pytest.raises(ModelFileError, match="plain values"):
        load(forged(file, insert))


@pytest.mark.parametrize("protocol", [0, 1, True, "2", None, 10**6])
def test_protocols_of_skops_we_never_wrote_are_refused(protocol, file):
    with pytest.raises(ModelFileError, match="protocol"):
        load(forged(file, lambda schema, parts: {**schema, "protocol": protocol}))


def test_deep_nesting_is_refused_without_a_crash(file):
    def insert(schema, parts):
        level = []
        for _ in range(400):
            level = {
                "__class__": "list",
                "__module__": "builtins",
                "__loader__": "ListNode",
                "content": [level] if level else [],
            }
        schema["content"]["content"]["ratio"] = level

    with pytest.raises(ModelFileError, match="at most 300 parts within one another; it has more"):
        load(forged(file, insert))


def test_generators_are_stored_but_not_of_any_size(tmp_path):
    clf = eulac.OsnnClassifier(ratio=0.8).fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1])
    clf.generator_ = np.random.default_rng(3)
    path = save(clf, tmp_path / "model.eulac")
    assert load(path).generator_.integers(10**9) == clf.generator_.integers(10**9)

    def change(schema, parts):
        node = next(s for s in states(schema) if s["__loader__"] == "RandomGeneratorNode")
        node["content"]["seed_seq"]["content"]["pool_size"] = {
            **ARGUMENTS["content"][0],
            "content": str(10**10),
        }

    with pytest.raises(ModelFileError, match="must be of the usual size"):
        load(forged(path, change))


def forge_tree(path, key, value):
    number = {
        "__class__": "str",
        "__module__": "builtins",
        "__loader__": "JsonNode",
        "content": value,
        "is_json": True,
    }

    def change(schema, parts):
        tree = next(s for s in states(schema) if s["__loader__"] == "TreeNode")
        arguments = tree["__reduce__"]["args"]["content"]
        if key in TREE_ARGUMENTS:
            arguments[TREE_ARGUMENTS.index(key)] = number
        else:
            tree["content"]["content"][key] = number

    return forged(path, change)


@pytest.mark.parametrize(
    ("key", "value"),
    [("n_outputs", "1000000"), ("n_features", "1"), ("n_features", "9")],
)
def test_trees_that_would_read_outside_their_arrays_are_refused(key, value, forest, tmp_path):
    path = save(forest, tmp_path / "model.eulac")
    with pytest.raises(ModelFileError, match=r"usual size|must fit each other|must see"):
        load(forge_tree(path, key, value))


def test_the_claimed_number_of_nodes_is_not_believed(forest, tmp_path):
    path = save(forest, tmp_path / "model.eulac")
    try:  # newer versions of scikit-learn count the nodes themselves
        same = load(forge_tree(path, "node_count", "100000000"))
    except ModelFileError:
        return
    trees = [estimator.tree_ for estimator in same.model_.detector.estimators_]
    assert all(tree.node_count <= tree.capacity for tree in trees)


def test_trees_that_go_in_circles_are_refused(forest, tmp_path):
    path = save(forest, tmp_path / "model.eulac")

    def change(schema, parts):
        tree = next(s for s in states(schema) if s["__loader__"] == "TreeNode")
        name = tree["content"]["content"]["nodes"]["file"]
        header, nodes = parts[name][:-64], bytearray(parts[name])
        start = nodes.index(b"\n") + 1
        nodes[start : start + 8] = (0).to_bytes(8, "little")  # the root is its own child
        parts[name] = bytes(nodes)
        assert len(header) > 0

    with pytest.raises(ModelFileError, match="must fit each other"):
        load(forged(path, change))


@pytest.mark.parametrize(
    ("field", "value"),
    [("left", 0), ("right", 10**6), ("feature_idx", 9), ("feature_idx", -1), ("is_categorical", 1)],
)
def test_boosting_that_would_read_outside_its_arrays_is_refused(field, value):
    X = np.random.default_rng(0).normal(size=(200, 2))
    boosting = HistGradientBoostingClassifier(max_iter=2).fit(X, X[:, 0] > 1)
    check_native_parts(boosting, "memory")
    boosting._predictors[0][0].nodes[field][0] = value
    with pytest.raises(ModelFileError, match="a HistGradientBoostingClassifier in it does not"):
        check_native_parts(boosting, "memory")


@pytest.mark.parametrize("kind", [HistGradientBoostingClassifier, HistGradientBoostingRegressor])
def test_boosting_of_another_width_than_its_rows_is_refused(kind):
    X = np.random.default_rng(0).normal(size=(200, 2))
    boosting = kind(max_iter=2).fit(X, X[:, 0] > 0)
    check_native_parts(boosting, "memory")
    boosting._n_features = 9
    boosting._bin_mapper.is_categorical_ = np.zeros(9, dtype=np.uint8)
    boosting._bin_mapper.bin_thresholds_ = [np.zeros(0)] * 9
    boosting._predictors[0][0].nodes["feature_idx"] = 8
    with pytest.raises(ModelFileError, match=f"a {kind.__name__} in it does not"):
        check_native_parts(boosting, "memory")


def test_boosting_of_categories_is_refused():
    frame = pd.DataFrame({"color": pd.Categorical(["red", "blue"] * 50), "size": range(100)})
    boosting = HistGradientBoostingClassifier(max_iter=2).fit(frame, np.arange(100) % 2)
    with pytest.raises(ModelFileError, match="boosting of categories, cannot be stored"):
        check_native_parts(boosting, "memory")


@pytest.mark.parametrize("name", ["dual_coef_", "_dual_coef_", "support_vectors_", "_n_support"])
def test_machines_whose_arrays_do_not_fit_are_refused(name):
    machine = OneClassSVM().fit(np.random.default_rng(0).normal(size=(20, 3)))
    check_native_parts(machine, "memory")
    value = np.asarray(getattr(machine, name))
    if name == "_n_support":
        value = -value
    setattr(machine, name, value[..., :1] if name != "_n_support" else value)
    with pytest.raises(ModelFileError, match="a OneClassSVM in it does not"):
        check_native_parts(machine, "memory")


def test_every_class_a_model_is_made_of_is_ours():
    assert is_ours("eulac.risk.decision_rule.DecisionRule")
    assert is_ours("eulac.maths.weibull.Weibull")
    assert is_ours("eulac.tables.table_model.TableModel")
    assert not is_ours("eulac.cli.main.LazyGroup")
    assert not is_ours("os.system")
    assert not is_ours("eulac.risk.decision.replace")
