"""Amended files onto the disk: byte for byte, whole or not at all, and only what was read."""

import os
import subprocess

import pytest

from compat.builder.amend import Change, diff, write
from compat.errors import CannotAct


def change(path, before, after, encoding="utf-8", mark=b""):
    return Change(path=path, before=before, after=after, encoding=encoding, mark=mark)


@pytest.mark.parametrize(
    "encoding, mark",
    [("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")],
)
def test_encoding_mark_and_line_ends_stay(tmp_path, encoding, mark):
    path = tmp_path / "requirements.txt"
    path.write_bytes(mark + "# ü\r\ntensorflow\r\n".encode(encoding))

    write(change(path, "# ü\r\ntensorflow\r\n", "# ü\r\ntensorflow<2.20\r\n", encoding, mark))

    assert path.read_bytes() == mark + "# ü\r\ntensorflow<2.20\r\n".encode(encoding)


def test_the_mode_stays_and_nothing_is_left_beside(tmp_path):
    path = tmp_path / "requirements.sh"
    path.write_text("a\n")
    path.chmod(0o750)

    write(change(path, "a\n", "b\n"))

    assert path.stat().st_mode & 0o777 == 0o750
    assert [one.name for one in tmp_path.iterdir()] == ["requirements.sh"]


def test_a_link_stays_one_and_what_it_points_to_is_replaced(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "base.txt").write_text("a\n")
    link = tmp_path / "requirements.txt"
    link.symlink_to("real/base.txt")

    write(change(link, "a\n", "b\n"))

    assert link.is_symlink()
    assert (tmp_path / "real" / "base.txt").read_text() == "b\n"


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path):
    path = tmp_path / "requirements.txt"
    path.write_text("somebody else's\n")

    with pytest.raises(CannotAct, match="changed while it was judged"):
        write(change(path, "a\n", "b\n"))
    assert path.read_text() == "somebody else's\n"


def test_a_write_protected_file_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "requirements.txt"
    path.write_text("a\n")
    monkeypatch.setattr(os, "access", lambda *_: False)  # the tests may run as root, who may write anything

    with pytest.raises(CannotAct, match=r"cannot write .*requirements\.txt: Permission denied"):
        write(change(path, "a\n", "b\n"))
    assert path.read_text() == "a\n"


def test_a_write_that_fails_half_way_leaves_the_file_and_no_litter(tmp_path, monkeypatch):
    path = tmp_path / "requirements.txt"
    path.write_text("a\n")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(CannotAct, match="No space left on device"):
        write(change(path, "a\n", "b\n"))
    assert ([one.name for one in tmp_path.iterdir()], path.read_text()) == (["requirements.txt"], "a\n")


@pytest.mark.parametrize(
    "before, after",
    [
        ("a\ntensorflow\n", "a\ntensorflow<2.20\n"),
        ("tensorflow", "tensorflow\nnumpy<2"),
        ("a\r\ntensorflow\r\n", "a\r\ntensorflow\r\nnumpy<2\r\n"),
        ("a\x0cb\x85c\ntensorflow", "a\x0cb\x85c\ntensorflow<2.20"),
    ],
    ids=["plain", "no last line end", "CRLF", "other signs of a new line"],
)
def test_git_makes_the_same_change_of_the_diff(tmp_path, before, after):
    path = tmp_path / "requirements.txt"
    path.write_bytes(before.encode())
    text = diff(Change(path=path.relative_to(tmp_path), before=before, after=after))

    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=text.encode(), check=True)

    assert path.read_bytes() == after.encode()
