import importlib
import io
import json
import zipfile

import numpy as np

from eulac.persistence.canonical_payload import _numbered, canonical_payload
from eulac.persistence.skops_import import import_skops

skops_io = import_skops()


def dumped():
    shared = np.arange(3.0)
    return skops_io.dumps({"a": shared, "b": [shared, np.eye(2)]})


def test_the_same_object_gives_the_same_bytes():
    one, two = dumped(), dumped()
    assert one != two
    assert canonical_payload(one) == canonical_payload(two)


def test_the_object_stays_the_same():
    content = skops_io.loads(canonical_payload(dumped()))
    np.testing.assert_array_equal(content["a"], np.arange(3.0))
    np.testing.assert_array_equal(content["b"][1], np.eye(2))


def test_parts_are_numbered_in_the_order_they_are_described():
    with zipfile.ZipFile(io.BytesIO(canonical_payload(dumped()))) as archive:
        assert archive.namelist() == ["schema.json", "0.npy", "1.npy"]
        schema = json.loads(archive.read("schema.json"))
    assert schema["content"]["a"]["file"] == "0.npy"
    assert schema["content"]["a"]["__id__"] == schema["content"]["b"]["content"][0]["__id__"]


def test_modules_that_go_by_the_end_of_their_name_are_stored_by_all_of_it():
    """Before scikit-learn 1.9 losses of boosting say they are of `_loss`, which nobody finds."""
    stored = _numbered({"__module__": "_loss", "__class__": "CyHalfMultinomialLoss"}, {}, {})
    assert hasattr(importlib.import_module(stored["__module__"]), stored["__class__"])
    assert _numbered({"__module__": "eulac._loss"}, {}, {})["__module__"] == "eulac._loss"
