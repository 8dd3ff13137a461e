"""Which files are read: each once, none that leads elsewhere, waits, or has no end."""

import errno
import os

import pytest

from compat.errors import CannotLook
from compat.probe.gathered.places import content, places
from compat.probe.replay import LIMIT_BYTES


def found(*paths):
    return [(place.path.name, place.problem) for place in places(paths)]


def test_of_a_folder_the_reports_by_name_and_nothing_hidden_or_deeper(tmp_path):
    for name in ("b.json", "a.JSON", "notes.txt", "._a.json", ".b.json.123.tmp"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "captures").mkdir()
    (tmp_path / "captures" / "c.json").write_text("{}")

    assert found(tmp_path) == [("a.JSON", ""), ("b.json", "")]


def test_a_file_named_twice_or_through_a_link_is_one(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "again").symlink_to(tmp_path)
    (tmp_path / "other.json").symlink_to("a.json")

    given = (tmp_path / "a.json", tmp_path / "a.json", tmp_path / "again" / "a.json", tmp_path / "other.json")
    assert found(*given) == [("a.json", "")]
    assert found(tmp_path / "again", tmp_path / "a.json") == [("a.json", ""), ("other.json", "")]


def test_a_folder_without_reports_is_an_answer(tmp_path):
    assert found(tmp_path) == [(tmp_path.name, "no .json file in this folder")]


def test_a_folder_that_may_not_be_listed_is_an_answer(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(os, "listdir", refuse)

    assert found(tmp_path) == [(tmp_path.name, "Permission denied")]


def read(path, *, named=False):
    [place] = [one for one in places([path] if named else [path.parent]) if one.path == path]
    return content(place)


def test_a_link_in_a_folder_is_not_followed_one_that_was_named_is(tmp_path):
    (tmp_path / "secret").write_text('{"a": 1}')
    link = tmp_path / "mac.json"
    link.symlink_to("secret")

    with pytest.raises(OSError, match="Errno"):
        read(link)
    assert read(link, named=True) == b'{"a": 1}'


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "mac.json")

    with pytest.raises(CannotLook, match="not an ordinary file"):
        read(tmp_path / "mac.json")
    with pytest.raises(CannotLook, match="not an ordinary file"):
        read(tmp_path / "mac.json", named=True)


def test_a_folder_with_the_name_of_a_report_is_no_report(tmp_path):
    (tmp_path / "mac.json").mkdir()

    with pytest.raises(CannotLook, match="not an ordinary file"):
        read(tmp_path / "mac.json")


def test_a_hundred_megabytes_are_refused(tmp_path):
    path = tmp_path / "mac.json"
    with path.open("wb") as file:
        file.truncate(100_000_000)

    with pytest.raises(CannotLook, match="more than 20 MB is no report"):
        read(path)
    os.truncate(path, LIMIT_BYTES)
    assert len(read(path)) == LIMIT_BYTES


def test_no_file_is_left_open(tmp_path):
    (tmp_path / "good.json").write_text("{}")
    (tmp_path / "mac.json").mkdir()
    free = os.dup(0)
    os.close(free)
    for _ in range(3):
        read(tmp_path / "good.json")
        with pytest.raises(CannotLook):
            read(tmp_path / "mac.json")

    again = os.dup(0)  # the system hands out the lowest number that is free
    os.close(again)
    assert again == free
