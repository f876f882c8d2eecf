import io
import zipfile

import numpy as np
import pytest

from eulac.exceptions import ModelFileError
from eulac.persistence.archive import check_array_member, open_stored, write_stored


def stored(members, compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream


def as_npy(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def test_the_same_members_give_the_same_bytes():
    one, two = io.BytesIO(), io.BytesIO()
    for stream in (one, two):
        write_stored(stream, {"a": b"1", "b": b"2"})
    assert one.getvalue() == two.getvalue()
    assert open_stored(one, "file").namelist() == ["a", "b"]


def test_what_is_no_archive_or_cut_off_is_refused():
    stream = io.BytesIO()
    write_stored(stream, {"a": b"1" * 100})
    for content in (b"", b"plain text", stream.getvalue()[:-30]):
        with pytest.raises(
            ModelFileError, match=r"m\.eulac must be a model file, a whole zip archive"
        ):
            open_stored(io.BytesIO(content), "m.eulac")


def test_packed_members_are_refused():
    with pytest.raises(ModelFileError, match="'big' is packed"):
        open_stored(stored([("big", b"0" * 1000)], zipfile.ZIP_DEFLATED), "m.eulac")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused():
    with pytest.raises(ModelFileError, match="it has 2 of 1 names"):
        open_stored(stored([("a", b"1"), ("a", b"2")]), "m.eulac")


def test_members_that_claim_more_than_the_file_holds_are_refused():
    stream = stored([("a", b"12345")])
    content = stream.getvalue()
    place = content.rindex(b"PK\x01\x02") + 24  # the uncompressed size, in the central directory
    forged = content[:place] + (10**6).to_bytes(4, "little") + content[place + 4 :]
    with pytest.raises(ModelFileError, match="they claim 1,000,000 bytes"):
        open_stored(io.BytesIO(forged), "m.eulac")


@pytest.mark.parametrize(
    "array", [np.arange(6.0).reshape(2, 3), np.array("text"), np.zeros((0, 4))]
)
def test_plain_arrays_pass(array):
    check_array_member(as_npy(array), "a.npy")


def test_arrays_of_objects_are_refused():
    content = as_npy(np.array([{}, None], dtype=object), allow_pickle=True)
    with pytest.raises(ModelFileError, match=r"must hold plain values.*'a\.npy' claims object"):
        check_array_member(content, "a.npy")


@pytest.mark.parametrize("change", [lambda c: c + b"0", lambda c: c[:-1]])
def test_arrays_that_claim_another_size_are_refused(change):
    with pytest.raises(ModelFileError, match=r"claims float64 of shape \(5,\)"):
        check_array_member(change(as_npy(np.arange(5.0))), "a.npy")


def test_what_is_no_array_is_refused():
    with pytest.raises(ModelFileError, match=r"'a\.npy' is not"):
        check_array_member(b"nonsense", "a.npy")


def test_values_of_no_bytes_are_refused():
    content = as_npy(np.empty(3, dtype="<U1")).replace(b"<U1", b"<U0").replace(b"(3,)", b"(9,)")
    header = content[: 10 + int.from_bytes(content[8:10], "little")]
    with pytest.raises(ModelFileError, match=r"claims <U0 of shape \(9,\)"):
        check_array_member(header, "a.npy")


def test_members_beyond_the_limit_are_refused(monkeypatch):
    monkeypatch.setattr("eulac.persistence.archive.MAX_MEMBERS", 2)
    with pytest.raises(ModelFileError, match="2 of them at most; it has 3"):
        open_stored(stored([(name, b"") for name in "abc"]), "m.eulac")
