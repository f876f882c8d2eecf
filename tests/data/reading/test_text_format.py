"""Text files: what separates cells, which decimal mark and which letters; the user's word wins."""

import codecs
import gzip

import pytest

from eulac.data.reading.text_format import SNIFFED, TextFormat, text_notes
from eulac.data.table_scan import scan_table
from eulac.data.tables import read_table

ROWS = [["größe", "kind"], ["14{}5", "rot"], ["3{}25", "weiß"]]


def written(path, separator=",", decimal=".", encoding="utf-8", mark=b""):
    lines = [separator.join(row).format(decimal) for row in ROWS]
    content = mark + ("\n".join(lines) + "\n").encode(encoding)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz"])
@pytest.mark.parametrize("separator", [";", "\t", "|", ","])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_separator_and_encoding_are_found_out(tmp_path, name, separator, encoding):
    path = written(tmp_path / name, separator, encoding=encoding)
    assert SNIFFED.of(path) == TextFormat(separator, ".", encoding)
    table = read_table(path, label_column="kind")
    assert table.features["größe"].tolist() == [14.5, 3.25]
    assert table.labels.tolist() == ["rot", "weiß"]


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_decimal_commas_are_found_out(tmp_path, separator):
    path = written(tmp_path / "t.csv", separator, ",")
    assert SNIFFED.of(path).decimal == ","
    assert read_table(path).features["größe"].tolist() == [14.5, 3.25]
    assert scan_table(path, "kind").rows["größe"].tolist() == [14.5, 3.25]


@pytest.mark.parametrize(
    ("mark", "encoding", "found"),
    [
        (codecs.BOM_UTF8, "utf-8", "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16"),
    ],
)
def test_byte_order_marks_are_no_part_of_the_first_name(tmp_path, mark, encoding, found):
    path = written(tmp_path / "t.csv", encoding=encoding, mark=mark)
    assert SNIFFED.of(path).encoding == found
    assert list(read_table(path).features) == ["größe", "kind"]


def test_letters_far_below_the_head_still_tell_the_encoding(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + 100_000 * b"1,x\n" + "2,ß\n".encode("cp1252"))
    assert read_table(path).features["b"].iloc[-1] == "ß"


@pytest.mark.parametrize(
    ("content", "separator"),
    [
        ("a\n1\n2\n", ","),
        ("a;b,c\n1;2,3\n4;5,6\n7;8\n", ";"),
        ('name,note\nx,"a;b;c"\ny,"d;e;f"\n', ","),
        ("a,b\n1;2,3\n4;5,6\n", ","),
        ('"a;x";b\n1;2\n', ";"),
    ],
    ids=["one column", "ragged commas", "quoted", "not in the header", "quoted name"],
)
def test_doubtful_files_are_cut_where_every_line_agrees(tmp_path, content, separator):
    (tmp_path / "t.csv").write_text(content)
    assert SNIFFED.of(tmp_path / "t.csv").separator == separator


def test_points_among_the_cells_speak_against_decimal_commas(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1,234;1.5\n2,345;2.5\n")
    assert SNIFFED.of(tmp_path / "t.csv").decimal == "."


def test_what_the_user_says_wins(tmp_path):
    path = written(tmp_path / "t.csv", ";", ",", "latin-1")
    said = TextFormat("|", ".", "latin-1")
    assert said.of(path) == said
    assert TextFormat(decimal=".").of(path) == TextFormat(";", ".", "cp1252")
    assert list(read_table(path, text=said).features) == ["größe;kind"]


def test_only_what_the_suffix_does_not_promise_is_said(tmp_path):
    assert text_notes(written(tmp_path / "t.csv")) == []
    assert text_notes(written(tmp_path / "t.tsv", "\t")) == []
    (note,) = text_notes(written(tmp_path / "t.csv", ";", ",", "cp1252"))
    assert note.endswith("with ';' between cells and a decimal comma and the encoding cp1252.")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"separator": ";;"}, r"`separator` must be one character, .* got ';;'"),
        ({"decimal": "'"}, r"`decimal` must be '.' or ','; got \"'\""),
        ({"encoding": "klingon"}, r"`encoding` must be one that Python knows, .* got 'klingon'"),
    ],
)
def test_formats_that_are_none_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        TextFormat(**options)
