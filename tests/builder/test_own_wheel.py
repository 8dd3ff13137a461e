"""The wheel packed from an installation is the one it was installed from, file for file."""

import csv
import subprocess
import zipfile
from importlib.metadata import PathDistribution

import pytest
from uv import find_uv_bin

from compat.builder import own_wheel
from compat.errors import CannotAct
from tests.builder.tiny_index import wheel


@pytest.fixture
def installed(tmp_path):
    """A distribution installed by uv from a tiny wheel; return it and that wheel."""
    made = wheel(tmp_path, "tfdemo", "1.0", requires=["helper>=1; python_version >= '3.8'", "other; extra == 'more'"])
    site = tmp_path / "site"
    install(made, site)
    return PathDistribution(site / "tfdemo-1.0.dist-info"), made


def install(made, site):
    words = [find_uv_bin(), "pip", "install", "--no-deps", "--no-index", "--target", site, made, "--no-config"]
    subprocess.run(words, check=True, capture_output=True, env={"UV_NO_CACHE": "1", "PATH": "/usr/bin:/bin"})


def contents(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}


def test_it_has_the_files_and_the_name_of_the_wheel_it_came_from(installed, tmp_path):
    found, made = installed
    packed = own_wheel.pack(tmp_path / "site", "tfdemo", found)

    assert packed.name == made.name
    assert contents(packed) == contents(made)


def test_it_installs_again(installed, tmp_path):
    found, _ = installed
    (tmp_path / "out").mkdir()
    packed = own_wheel.pack(tmp_path / "out", "tfdemo", found)
    install(packed, tmp_path / "again")

    assert (tmp_path / "again" / "tfdemo" / "__init__.py").read_text() == "__version__ = '1.0'\n"


def test_its_record_names_every_file(installed, tmp_path):
    found, _ = installed
    packed = own_wheel.pack(tmp_path, "tfdemo", found)

    with zipfile.ZipFile(packed) as archive:
        record = archive.read("tfdemo-1.0.dist-info/RECORD").decode()
        assert {row[0] for row in csv.reader(record.splitlines())} == set(archive.namelist())


def test_the_same_installation_gives_the_same_bytes(installed, tmp_path):
    found, _ = installed
    for name in ("one", "two"):
        (tmp_path / name).mkdir()

    assert (
        own_wheel.pack(tmp_path / "one", "tfdemo", found).read_bytes()
        == own_wheel.pack(tmp_path / "two", "tfdemo", found).read_bytes()
    )


def test_what_was_changed_in_place_is_not_passed_on(installed, tmp_path):
    found, _ = installed
    (tmp_path / "site" / "tfdemo" / "__init__.py").write_text("print('patched')\n")

    with pytest.raises(CannotAct, match="is not as it was installed"):
        own_wheel.pack(tmp_path, "tfdemo", found)


def test_an_editable_install_has_no_wheel(installed, tmp_path):
    found, _ = installed
    (tmp_path / "site" / "tfdemo-1.0.dist-info" / "direct_url.json").write_text(
        '{"url": "file:///somewhere", "dir_info": {"editable": true}}'
    )

    with pytest.raises(CannotAct, match="is an editable install"):
        own_wheel.pack(tmp_path, "tfdemo", found)


def test_what_is_not_installed_at_all_runs_from_its_sources(tmp_path):
    with pytest.raises(CannotAct, match="runs from its sources"):
        own_wheel.pack(tmp_path, "no-such-distribution")


def test_what_it_needs_is_told_without_its_extras(installed):
    found, _ = installed

    assert own_wheel.requires("tfdemo", found) == ('helper>=1; python_version >= "3.8"',)
