"""Mutated model files: our error or the same model, never code, memory in proportion to the file.

Two kinds: files damaged at random, and files forged by somebody who mends the checksums. Of the
latter a different model may come out, never anything else than a model of ours.
"""

import json
import sys
import tracemalloc
import warnings
from contextlib import suppress

import numpy as np
import pytest

import eulac
from easy_mixture import easy_split
from eulac.exceptions import ModelFileError
from eulac.persistence.files import load, save
from persistence.crafted_files import (
    claimed_arrays,
    claimed_numbers,
    copied_parts,
    doubled_lists,
    nested_lists,
    write_models,
)
from persistence.forging import SCHEMA, forged, states

CODE = (
    *("exec", "os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen"),
    *("pickle.find_class", "marshal.loads", "socket.connect", "ctypes.dlopen"),
)
"""Events of the interpreter that a file must never cause."""

MEMORY_PER_BYTE, MEMORY_AT_LEAST = 20, 5 * 10**6
WORDS = ["os.system", "builtins", "eval", "ListNode", "ObjectNode", "", "1e999", "[" * 99, "-1"]

pytestmark = pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")


class Watch:
    """Remembers events of the interpreter while it is on; such a hook cannot be taken off."""

    def __init__(self):
        self.on, self.seen = False, []
        sys.addaudithook(self.hook)

    def hook(self, event, arguments):
        if self.on and event in CODE:
            self.seen.append((event, str(arguments)[:200]))


@pytest.fixture(scope="module")
def watch():
    return Watch()


@pytest.fixture(scope="module")
def model():
    sample = easy_split(20, 30).sample
    clf = eulac.KernelEulacClassifier(0.6, bandwidth=2.0, penalty=0.1, random_state=0)
    return clf.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)


@pytest.fixture(scope="module")
def content(model, tmp_path_factory):
    path = save(model, tmp_path_factory.mktemp("model") / "model.eulac")
    load(path)  # everything is imported by now, so an import is one of the file's
    return path.read_bytes()


def damaged(content, rng):
    """Return the bytes after one random accident."""
    place = int(rng.integers(len(content)))
    length = int(rng.integers(1, 200))
    piece = content[place : place + length]
    kind = rng.integers(5)
    if kind == 0:  # flipped bits, one to three
        out = bytearray(content)
        for where in rng.integers(len(content), size=rng.integers(1, 4)):
            out[where] ^= 1 << int(rng.integers(8))
        return bytes(out)
    if kind == 1:
        return content[:place] + rng.bytes(len(piece)) + content[place + len(piece) :]
    if kind == 2:
        return content[:place] + content[place + length :]
    if kind == 3:
        return content[:place] + piece + content[place:]
    return content[:place]


def forgery(rng):
    """Return a change of the description or of an array, of which the file knows nothing."""

    def change(schema, parts):
        if rng.random() < 0.3:
            name = str(rng.choice([name for name in parts if name != SCHEMA]))
            parts[name] = damaged(parts[name], rng)
            return
        found = states(schema)
        state = found[int(rng.integers(len(found)))]
        key = str(rng.choice(list(state)))
        kind = rng.integers(5)
        if kind == 0:
            del state[key]
        elif kind == 1:
            state[key] = str(rng.choice(WORDS))
        elif kind == 2:
            state[key] = found[int(rng.integers(len(found)))].get(key)
        elif kind == 3:
            state[key] = json.loads(json.dumps(found[int(rng.integers(len(found)))]))
        else:
            state.pop("__id__", None)
            state["content"] = str(rng.choice(["1e308", "-7", "null", "[]", '"x"', "NaN", "{}"]))

    return change


def loaded(path, watch):
    """Return the model or None, having watched for code and memory."""
    limit = MEMORY_AT_LEAST + MEMORY_PER_BYTE * path.stat().st_size
    tracemalloc.start()
    watch.on = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn warns of another version's models
            return load(path)
    except ModelFileError:
        return None
    finally:
        watch.on = False
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < limit
        assert watch.seen == []


def check_damaged(content, model, watch, path, n_files, seed):
    rng, X = np.random.default_rng(seed), easy_split().X_test
    expected = model.predict_proba(X)
    n_same = 0
    for _ in range(n_files):
        path.write_bytes(damaged(content, rng))
        same = loaded(path, watch)
        if same is not None:
            n_same += 1
            np.testing.assert_array_equal(same.predict_proba(X), expected)
    assert n_same < 0.1 * n_files


def check_forged(content, watch, path, n_files, seed):
    rng, X = np.random.default_rng(seed), easy_split().X_test[:20]
    n_models = 0
    for _ in range(n_files):
        path.write_bytes(content)
        other = loaded(forged(path, forgery(rng)), watch)
        if other is None:
            continue
        n_models += 1
        assert type(other).__module__.startswith("eulac.")
        # A broken model may say so in any words.
        with warnings.catch_warnings(), np.errstate(all="ignore"), suppress(Exception):
            warnings.simplefilter("ignore")
            other.predict(X)
    assert 0 < n_models < n_files


def test_damaged_files_give_an_error_or_the_same_model(content, model, watch, tmp_path):
    check_damaged(content, model, watch, tmp_path / "model.eulac", 200, seed=1)


def test_forged_files_never_run_code(content, watch, tmp_path):
    check_forged(content, watch, tmp_path / "model.eulac", 150, seed=2)


def test_forged_votes_of_neighbors_and_searches_never_run_code(watch, tmp_path):
    [path] = write_models(tmp_path, ["votes"])
    load(path)
    check_forged(path.read_bytes(), watch, path, 10, seed=6)


def test_the_watch_itself_sees_code(watch):
    watch.on = True
    exec("1 + 1")
    watch.on = False
    assert [event for event, _ in watch.seen] == ["exec"]
    watch.seen.clear()


@pytest.mark.slow
def test_ten_thousand_mutated_files(content, model, watch, tmp_path):
    check_damaged(content, model, watch, tmp_path / "model.eulac", 7000, seed=3)
    check_forged(content, watch, tmp_path / "model.eulac", 3000, seed=4)


@pytest.mark.slow
def test_three_hundred_forged_votes(watch, tmp_path):
    [path] = write_models(tmp_path, ["votes"])
    load(path)
    check_forged(path.read_bytes(), watch, path, 300, seed=7)


def test_crafted_files_end_in_an_error_or_a_model_within_their_memory(watch, tmp_path):
    rng, [path] = np.random.default_rng(5), write_models(tmp_path, ["kernel"])
    content = path.read_bytes()
    for make in (claimed_numbers, claimed_arrays, nested_lists, copied_parts, doubled_lists):
        for _ in range(4):
            path.write_bytes(content)
            loaded(forged(path, make(rng)), watch)
