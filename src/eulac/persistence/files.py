"""Models to files and back, without ever running code from a file.

A file is a zip archive of two members, stored as they are: `manifest.json`, and `model.skops` in
the format of skops. Whatever cannot be read is refused with a sentence (`ModelFileError`).
"""

import copy
import hashlib
import io
import os
import zipfile
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from eulac.classifier.own_rows import without_pool
from eulac.data.reading.drafts import replacing, require_new_file
from eulac.exceptions import ModelFileError
from eulac.persistence.allowed import check_payload, is_ours, require_names
from eulac.persistence.archive import open_stored, write_stored
from eulac.persistence.canonical_payload import canonical_payload
from eulac.persistence.manifest import Manifest, data_fingerprint, describe
from eulac.persistence.native_parts import check_native_parts
from eulac.persistence.skops_import import import_skops
from eulac.persistence.stored_neighbors import with_trees, without_trees
from eulac.persistence.stored_networks import with_networks, without_networks
from eulac.tables.table_model import TableModel

__all__ = ["load", "load_table_model", "read_manifest", "save"]

MANIFEST, MODEL = "manifest.json", "model.skops"
LARGEST_MANIFEST = 10**7
ABILITIES = ("predict", "augmented_score")


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    fingerprint: str | None = None,
    overwrite: bool = False,
    keep_pool: bool = True,
    trusted_types: Collection[str] = (),
) -> Path:
    """Write a fitted classifier to a file, whole or not at all; return the path.

    The same rows, settings and seed give the same bytes.

    Parameters
    ----------
    model : fitted classifier of this package, or TableModel
    path : str or path
    fingerprint : str, optional
        Of the training data, from `data_fingerprint`; stands in the manifest. A `TableModel` has
        one of its labeled rows by default.
    overwrite : bool, default=False
        Whether an existing file may be replaced.
    keep_pool : bool, default=True
        Keep, of each unlabeled row of the fit, a hash and what models that have not seen it say:
        16 bytes and 8 more for each class and *augmented*. By them commands know the row again and
        answer it so. Without, files are smaller, and hold nothing of single unlabeled rows but
        what the model itself is made of.
    trusted_types : collection of str, default=()
        Classes and functions beyond our list that the model may be made of, such as
        ``"birds.models.NestClassifier"`` for a base classifier of your own. `load` must be given
        them too.

    Returns
    -------
    path : Path

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from eulac import OsnnClassifier, load, save
    >>> X, y = np.array([[0.0], [0.1], [5.0], [5.1]]), np.array(["a", "a", "b", "b"])
    >>> clf = OsnnClassifier(ratio=0.5).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     same = load(save(clf, f"{folder}/ab.eulac"))
    >>> same.predict([[0.05], [2.6]])
    array(['a', 'augmented'], dtype='<U9')
    """
    path = Path(path)
    require_names(trusted_types)
    require_new_file(path, overwrite=overwrite)
    if not keep_pool:
        model = _without_pool(model)
    payload = _payload(model, trusted_types)
    if fingerprint is None and isinstance(model, TableModel):
        fingerprint = data_fingerprint(model.X_labeled, model.y_labeled)
    manifest = describe(model, payload, fingerprint=fingerprint)
    with replacing(path) as draft, draft.open("wb") as stream:
        write_stored(stream, {MANIFEST: manifest.to_json(), MODEL: payload})
    return path


def load(
    path: str | os.PathLike[str],
    *,
    trusted_networks: Collection[str] = (),
    trusted_types: Collection[str] = (),
) -> Any:
    """Return the model of a file written by `save`.

    Types are checked against a fixed list before anything is made; sizes before anything is read.
    Nothing in the file is run.

    Parameters
    ----------
    path : str or path
    trusted_networks : collection of str, default=()
        Functions of yours that may be imported and called to build a network, such as
        ``"birds.networks:small_cnn"``. A file can only name such a function; of one that is not
        named here too it is refused.
    trusted_types : collection of str, default=()
        Classes and functions beyond our list, such as ``"birds.models.NestClassifier"``. Their
        modules are imported, instances are made with the attributes the file holds, and their
        methods run when the model answers: name what you trust with whatever a file may hand it.

    Returns
    -------
    model : classifier or TableModel

    Raises
    ------
    ModelFileError
        If the file is damaged, from a later version, or holds anything but a model of ours.
    """
    require_names(trusted_types)
    manifest, payload = _read(Path(path), with_model=True)
    model = _unpack(payload, str(path), trusted_networks, trusted_types)
    inner = model.classifier if isinstance(model, TableModel) else model
    if type(inner).__name__ != manifest.estimator:
        raise ModelFileError(
            f"the manifest of {path} must name what it holds; it says {manifest.estimator!r:.60}, "
            f"and holds {type(inner).__name__!r}."
        )
    return model


def load_table_model(path: str | os.PathLike[str]) -> TableModel:
    """Return the model of a file written by `eulac fit`, which knows its columns."""
    model = load(path)
    if not isinstance(model, TableModel):
        raise ValueError(
            f"{path} must hold a model of a table, as `eulac fit` writes; it holds a bare "
            f"{type(model).__name__}, which does not know its columns. Use eulac.load in Python."
        )
    return model


def read_manifest(path: str | os.PathLike[str]) -> Manifest:
    """Return what a model file says about itself, without loading the model."""
    return _read(Path(path), with_model=False)[0]


def _without_pool(model: Any) -> Any:
    if isinstance(model, TableModel):
        return replace(model, classifier=without_pool(model.classifier))
    return without_pool(model)


def _payload(model: Any, trusted_types: Collection[str] = ()) -> bytes:
    """Return the stored form of a model, after reading it back as far as the list goes."""
    skops_io = import_skops()
    inner = model.classifier if isinstance(model, TableModel) else model
    _require_model(inner, "`model`")
    check_is_fitted(inner)
    stored = without_trees(_without_callbacks(without_networks(inner)))
    if inner is not model:
        stored = TableModel(**{**vars(model), "classifier": stored})
    try:
        payload = skops_io.dumps(stored, compression=zipfile.ZIP_STORED)
    except (skops_io.exceptions.UnsupportedTypeException, TypeError, AttributeError) as error:
        raise ModelFileError(
            f"every part of {type(inner).__name__} must be storable without code; one is not: "
            f"{error}"
        ) from error
    payload = canonical_payload(payload)
    check_payload(open_stored(io.BytesIO(payload), "the model"), "the model", trusted_types)
    check_native_parts(model, "the model")
    return payload


def _without_callbacks(model: Any) -> Any:
    """Return a copy without scikit-learn's callbacks, which are of a session; or as it is."""
    if not hasattr(model, "_skl_callbacks"):
        return model
    stored = copy.copy(model)
    del stored._skl_callbacks
    return stored


def _require_model(model: Any, what: str) -> None:
    name = f"{type(model).__module__}.{type(model).__name__}"
    if not (is_ours(name) and all(hasattr(model, ability) for ability in ABILITIES)):
        raise ModelFileError(
            f"{what} must be a classifier of eulac; got {type(model).__name__}. Others are stored "
            "with skops itself."
        )


def _read(path: Path, *, with_model: bool) -> tuple[Manifest, bytes]:
    if path.is_dir():
        raise ModelFileError(f"a model must be a file; {str(path)!r} is a folder. Name a file.")
    if not path.exists():
        raise FileNotFoundError(
            f"a model file must exist; {str(path)!r} does not. Check the name and the folder."
        )
    with path.open("rb") as stream, open_stored(stream, str(path)) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
        for name in (MANIFEST, MODEL):
            if name not in sizes:
                raise ModelFileError(f"{path} must have the member {name!r}; it has not.")
        if sizes[MANIFEST] > LARGEST_MANIFEST:
            raise ModelFileError(
                f"the manifest of {path} must have at most {LARGEST_MANIFEST:,} bytes; got "
                f"{sizes[MANIFEST]:,}. It was not written by eulac.save."
            )
        manifest = Manifest.from_json(_member(archive, MANIFEST, path), str(path))
        payload = _member(archive, MODEL, path) if with_model else b""
    if with_model and hashlib.sha256(payload).hexdigest() != manifest.sha256:
        raise ModelFileError(f"{path} is damaged: the model is not the one its manifest names.")
    return manifest, payload


def _member(archive: zipfile.ZipFile, name: str, path: Path) -> bytes:
    try:
        return archive.read(name)
    except Exception as error:  # damaged headers surface in many ways
        raise ModelFileError(f"{path} is damaged: {name!r} cannot be read ({error}).") from error


def _unpack(
    payload: bytes, source: str, trusted_networks: Collection[str], trusted_types: Collection[str]
) -> Any:
    skops_io = import_skops()
    try:
        with open_stored(io.BytesIO(payload), source) as archive:
            types = check_payload(archive, source, trusted_types)
        model = skops_io.loads(payload, trusted=types)
        inner = model.classifier if isinstance(model, TableModel) else model
        _require_model(inner, source)
        with_networks(inner, trusted_networks)
        with_trees(model, source)
        check_native_parts(model, source)
    except (ModelFileError, MemoryError, ImportError, Warning):
        raise
    except Exception as error:  # a forged description can be wrong in any way
        reason = f"{type(error).__name__}: {error}"[:160]
        raise ModelFileError(
            f"{source} must describe a whole model; building it failed ({reason}). Save the model "
            "again."
        ) from error
    return model
