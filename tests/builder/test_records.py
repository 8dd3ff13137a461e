"""A file that is not what its wheel said is found, whoever changed it; what was made here is not asked about."""

import base64
import hashlib

import pytest

from compat.builder.records import altered


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "lib/python3.11/site-packages"
    (folder / "demo-1.0.dist-info").mkdir(parents=True)
    (folder / "demo").mkdir()
    (folder / "demo/__init__.py").write_text("x = 1\n")
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"x = 1\n").digest()).rstrip(b"=").decode()
    rows = [
        f"demo/__init__.py,sha256={digest},6",
        "demo/__pycache__/__init__.cpython-311.pyc,,",
        "demo-1.0.dist-info/RECORD,,",
    ]
    (folder / "demo-1.0.dist-info/RECORD").write_text("\n".join(rows) + "\n")
    return folder


def test_what_is_as_the_wheel_said_is_not_named(tmp_path, site):
    assert list(altered(tmp_path)) == []


def test_a_file_changed_under_another_name_of_it_is_named(tmp_path, site):
    (tmp_path / "cache.py").hardlink_to(site / "demo/__init__.py")
    (tmp_path / "cache.py").write_text("x = 2\n")

    assert list(altered(tmp_path)) == ["demo/__init__.py"]


def test_bytecode_a_wheel_brought_is_made_anew(tmp_path, site):
    record = site / "demo-1.0.dist-info/RECORD"
    record.write_text(record.read_text() + "demo/__pycache__/other.cpython-311.pyc,sha256=abc,3\n")

    assert list(altered(tmp_path)) == []


def test_a_file_that_is_gone_is_named(tmp_path, site):
    (site / "demo/__init__.py").unlink()

    assert list(altered(tmp_path)) == ["demo/__init__.py"]
