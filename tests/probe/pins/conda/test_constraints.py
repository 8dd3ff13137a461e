import pytest

from compat.probe.pins.conda.constraints import conda, spec


@pytest.mark.parametrize(
    ("written", "version", "build", "admits"),
    [
        ("numpy", "", "", ("",)),
        ("numpy=1.26", "=1.26", "", ("==1.26.*",)),
        ("numpy =1.26", "=1.26", "", ("==1.26.*",)),
        ("numpy 1.26", "1.26", "", ("==1.26",)),
        ("numpy==1.26.4", "==1.26.4", "", ("==1.26.4",)),
        ("numpy=1.26.4=py311h0", "1.26.4", "py311h0", ("==1.26.4",)),
        ("numpy 1.26 py311*", "1.26", "py311*", ("==1.26",)),
        ("tensorflow=*=cuda*", "=*", "cuda*", ("",)),
        ("numpy >= 1.22 , < 2", ">=1.22,<2", "", (">=1.22,<2",)),
        ("numpy>=1.22.*", ">=1.22.*", "", (">=1.22",)),
        ("python 3.9|3.10.*", "3.9|3.10.*", "", ("==3.9", "==3.10.*")),
        ("numpy!=1.24.*", "!=1.24.*", "", ("!=1.24.*",)),
        ("numpy~=1.24", "~=1.24", "", ("~=1.24",)),
        ("openssl=1.1.1w", "=1.1.1w", "", ()),
        ("numpy[version='>=1.2,<2',build=py*]", ">=1.2,<2", "py*", (">=1.2,<2",)),
    ],
)
def test_a_constraint_is_told_in_pep_440(written, version, build, admits):
    found = spec(written)

    assert (found.version, found.build, found.admits) == (version, build, admits)


def test_a_channel_and_the_names_place_are_told():
    found = spec("conda-forge/label/x::numpy>=1")

    assert (found.channel, found.name, found.name_at) == ("conda-forge/label/x", "numpy", 21)


@pytest.mark.parametrize("text", ["./numpy", "http://x/y.conda", "-e .", "", "a" * 2000], ids=lambda text: text[:9])
def test_what_is_no_specification_is_none(text):
    assert spec(text) is None


def test_grouping_and_patterns_are_not_understood():
    assert conda("(>=1,<2)|3") == ()
    assert conda("^1.*$") == ()
