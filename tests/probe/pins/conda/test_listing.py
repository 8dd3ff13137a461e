import pytest
from hypothesis import given

from compat.probe.pins import formats
from tests.probe.pins.reading import assert_read, mutated, named, rows, source

TABLE = """\
# packages in environment at /opt/homebrew/envs/tf:
#
# Name                    Version                   Build  Channel
appnope                   0.1.3              pyhd8ed1ab_0    conda-forge
numpy                     1.23.5           py310h5d7c261_0    conda-forge
python                    3.10.8          h3ba56d0_0_cpython    conda-forge
tensorflow-deps           2.9.0                         0    apple
tensorflow_macos          2.9.2                    pypi_0    pypi
"""
EXPORT = """\
# This file may be used to create an environment using:
# $ conda create --name <env> --file <this file>
# platform: osx-arm64
numpy=1.23.5=py310h5d7c261_0
openssl=1.1.1s=h03a7124_1
python=3.10.8=h3ba56d0_0_cpython
tensorflow-macos=2.9.2=pypi_0
"""
EXPLICIT = """\
# This file may be used to create an environment using:
@EXPLICIT
https://conda.anaconda.org/conda-forge/osx-arm64/numpy-1.23.5-py310h5d7c261_0.conda#0123456789abcdef
https://conda.anaconda.org/conda-forge/noarch/keras-2.9.0-pyhd8ed1ab_0.tar.bz2
not an address
"""


def listing(text, name="packages.txt"):
    return formats.read(source(name, text))


@pytest.mark.parametrize(
    ("text", "kind", "relock"),
    [
        (TABLE, "conda-list", "conda list"),
        (EXPORT, "conda-list", "conda list --export"),
        (EXPLICIT, "conda-explicit", "conda list --explicit"),
    ],
)
def test_each_listing_is_known_by_its_content(text, kind, relock):
    file = listing(text)

    assert (file.kind, file.relock, file.is_lock) == (kind, relock, True)
    assert all(pin.locked and pin.writing is None for pin in file.pins)


def test_a_table_tells_versions_channels_and_what_is_from_pypi():
    file = listing(TABLE)

    assert rows(file)[1:] == [
        (5, 1, "numpy", "1.23.5", ""),
        (7, 1, "tensorflow-deps", "2.9.0", ""),
        (8, 1, "tensorflow-macos", "2.9.2", ""),
    ]
    assert (named(file, "tensorflow-deps").origin, named(file, "tensorflow-deps").channel) == ("conda", "apple")
    assert (named(file, "tensorflow-macos").origin, named(file, "tensorflow-macos").admits) == ("index", ("==2.9.2",))
    assert (file.requires_python, file.pythons[0].version) == ("==3.10.8", "3.10.8")
    assert file.platforms == ("macos-arm64", "macos-x86_64")


def test_an_export_names_its_platform():
    file = listing(EXPORT)

    assert (file.platforms, file.platforms_why) == (("macos-arm64",), "the header names it")
    assert named(file, "openssl").admits == ()
    assert named(file, "tensorflow-macos").origin == "index"
    assert file.requires_python == "==3.10.8"


def test_addresses_name_package_version_and_platform():
    file = listing(EXPLICIT)

    assert rows(file) == [(3, 50, "numpy", "1.23.5", ""), (4, 47, "keras", "2.9.0", "")]
    assert named(file, "numpy").channel == "conda-forge"
    assert file.platforms == ("macos-arm64",)
    assert [(one.line, one.text) for one in file.unread] == [(5, "not an address")]


@pytest.mark.parametrize("text", [TABLE, EXPORT, EXPLICIT])
def test_no_text_raises(text):
    from compat.probe.pins.conda.listing import read

    @given(mutated(text))
    def check(changed):
        assert_read(read, "packages.txt", changed)

    check()
