"""Files that are whole or not there."""

import subprocess
import sys
from pathlib import Path

import pytest

from eulac.data.reading.drafts import replacing, require_new_file


def test_a_failed_write_leaves_the_old_file_and_no_draft(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("old", encoding="utf-8")

    def write_half():
        with replacing(path) as draft:
            draft.write_text("half", encoding="utf-8")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match=r"stop"):
        write_half()
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_target_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    with pytest.raises(PermissionError, match=r"must be writable; .* is not \(File name too long"):
        require_new_file(tmp_path / ("a" * 250))
    with pytest.raises(ValueError, match="'/dev/null' is a device"):
        require_new_file(Path("/dev/null"), overwrite=True)
    require_new_file(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_one_and_leads_to_the_new_file(tmp_path):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "note.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    with replacing(link) as draft:
        draft.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_drafts_of_processes_that_are_gone_are_removed(tmp_path):
    code = (
        "import os, sys; from pathlib import Path;"
        "from eulac.data.reading.drafts import replacing;"
        "context = replacing(Path(sys.argv[1])); context.__enter__().touch(); os._exit(9)"
    )
    path, other = tmp_path / "note.txt", tmp_path / "other.txt"
    for name in (path, other):
        subprocess.run([sys.executable, "-c", code, str(name)], check=False)
    assert len(list(tmp_path.iterdir())) == 2
    with replacing(path) as living, replacing(path) as draft:
        living.touch()
        draft.write_text("done")
    left = sorted(entry.name for entry in tmp_path.iterdir())
    assert left[1:] == ["note.txt"]
    assert left[0].endswith("other.txt")
