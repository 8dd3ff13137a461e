"""The grid: which rows and columns it has, newest first."""

from __future__ import annotations

from compat.plan.evidence.grid import grid
from compat.plan.evidence.standing import Place
from tests.plan.evidence.test_ground import lock
from tests.verdict.rules.tiny_matrix import default_releases, release, tiny_matrix

MAC = Place(platform="macos-arm64")
NAME = "tensorflow-metal-plugin"


def shape(place, *, everything=False, **sections):
    found = grid(place, tiny_matrix(**sections), everything=everything)
    return [row.tensorflow for row in found.rows], list(found.plugins)


def test_rows_are_what_has_code_for_the_platform_newest_first_without_prereleases():
    rows, plugins = shape(MAC)

    assert rows == ["2.21.0", "2.20.0", "2.19.1", "2.18.1", "2.17.1", "2.16.2", "2.13.0", "2.12.0"]
    assert plugins == [("tensorflow-metal", version) for version in ("1.2.0", "1.1.0", "1.0.1", "1.0.0")]


def test_everything_is_prereleases_yanked_ones_and_other_plugins_too():
    yanked = release("tensorflow", "2.18.2", default_releases()["tensorflow"][4]["wheels"], yanked="broken")
    releases = {
        "tensorflow": [*default_releases()["tensorflow"], yanked],
        NAME: [release(NAME, "0.4.1", has_sdist=True)],
    }

    assert "2.18.2" not in shape(MAC, releases=releases)[0]
    rows, plugins = shape(MAC, releases=releases, everything=True)
    assert (rows[0], "2.18.2" in rows, plugins[-1]) == ("2.22.0rc0", True, (NAME, "0.4.1"))


def test_a_row_without_a_wheel_for_the_wished_python_stays_and_says_so():
    found = grid(Place(platform="macos-arm64", python="3.13"), tiny_matrix())

    assert {row.tensorflow: row.alone.failed for row in found.rows}["2.19.1"] == "installs"
    assert {row.tensorflow: row.alone.reached for row in found.rows}["2.20.0"] == "installs"


def test_on_intel_the_newer_releases_are_told_to_have_no_wheel():
    found = grid(Place(platform="macos-x86_64"), tiny_matrix())

    assert found.rows[0].tensorflow == "2.16.2"
    assert found.beyond == ("2.21.0", "2.20.0", "2.19.1", "2.18.1", "2.17.1")


def test_linux_has_no_plugins_and_its_locks_cuda_ones_too():
    locks = [
        lock(platform="linux-x86_64"),
        lock(platform="linux-x86_64", file="b.toml", cuda=True),
        lock(file="mac.toml"),
    ]
    found = grid(Place(platform="linux-x86_64"), tiny_matrix(locks=locks))

    assert found.plugins == ()
    assert [one.file for row in found.rows for one in row.locks] == ["a.toml", "b.toml"]
