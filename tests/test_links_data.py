"""The committed ``matrices/links/``: whole, consistent, and in agreement with what is known from elsewhere."""

from __future__ import annotations

import datetime as dt
import re
import sys
from pathlib import Path

import pytest
from packaging.version import Version

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).resolve().parents[1] / "matrices" / "links"
DATA = {path.stem: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))}
JUDGED = {name: table for name, table in DATA.items() if name.startswith("tensorflow-metal.")}
ARM64, INTEL = DATA["tensorflow-metal.arm64"], DATA["tensorflow-metal.x86_64"]


def pair(table, tensorflow, plugin, distribution=None):
    rows = [
        row
        for row in table["pairs"]
        if (row["tensorflow"], row["plugin_version"]) == (tensorflow, plugin)
        and distribution in {None, row["distribution"]}
    ]
    assert len(rows) == 1, f"{tensorflow} + {plugin}: {len(rows)} rows"
    return rows[0]


def missing(table, row):
    return table["missing"][row["missing"]] if "missing" in row else []


@pytest.mark.parametrize("name, table", DATA.items(), ids=DATA)
def test_every_file_says_what_it_is_about(name, table):
    assert name == f"{table['plugin']}.{table['architecture']}"
    assert table["source"] == f"https://pypi.org/simple/{table['plugin']}/"
    assert isinstance(table["computed"], dt.date)


@pytest.mark.parametrize("table", JUDGED.values(), ids=JUDGED)
def test_every_plugin_is_judged_with_every_tensorflow_once(table):
    pairs = [(row["distribution"], row["tensorflow"], row["plugin_version"]) for row in table["pairs"]]
    expected = {
        (row["distribution"], row["version"], plugin["version"])
        for row in table["tensorflows"]
        for plugin in table["plugins"]
    }

    assert set(pairs) == expected
    assert len(pairs) == len(expected)


@pytest.mark.parametrize("table", JUDGED.values(), ids=JUDGED)
def test_a_row_that_does_not_load_says_what_is_missing_and_no_other_does(table):
    kinds = {1: "library", 2: "two-level", 3: "flat"}
    for row in table["pairs"]:
        assert row["loads"] == (row["layer"] == 0) == ("missing" not in row)
        if row["layer"]:
            assert row["missing"].startswith(kinds[row["layer"]])


@pytest.mark.parametrize("table", JUDGED.values(), ids=JUDGED)
def test_every_set_of_missing_names_is_used_sorted_and_as_long_as_its_name_says(table):
    assert set(table["missing"]) == {row["missing"] for row in table["pairs"] if "missing" in row}
    for name, symbols in table["missing"].items():
        assert symbols == sorted(set(symbols))
        assert len(symbols) == int(name.split("-")[-2])


@pytest.mark.parametrize("table", DATA.values(), ids=DATA)
def test_every_file_named_is_of_that_version_and_architecture_and_has_a_hash(table):
    for row in (*table["plugins"], *table["tensorflows"]):
        name, version, *_ = row["file"].removesuffix(".tar.gz").split("-")
        assert name == row.get("distribution", table["plugin"]).replace("-", "_")
        assert version == row["version"]
        assert re.fullmatch(r"[0-9a-f]{64}", row["sha256"])
        assert row["file"].endswith((f"_{table['architecture']}.whl", ".tar.gz"))


@pytest.mark.parametrize("table", JUDGED.values(), ids=JUDGED)
def test_newest_releases_come_first(table):
    for rows in (table["plugins"], table["tensorflows"]):
        versions = [Version(row["version"]) for row in rows]
        assert versions == sorted(versions, reverse=True)


@pytest.mark.parametrize("table", JUDGED.values(), ids=JUDGED)
def test_no_prerelease_but_of_what_comes_after_the_newest_final(table):
    versions = [Version(row["version"]) for row in table["tensorflows"]]
    newest = max(version for version in versions if not version.is_prerelease)
    assert all(version > newest for version in versions if version.is_prerelease)


# Checkpoints of an earlier, separate measurement on the same wheels.

BANDS = {
    **dict.fromkeys(["0.1.2", "0.2.0", "0.3.0", "0.4.0", "0.5.0", "0.5.1", "0.6.0"], ("2.5", "2.10")),
    **dict.fromkeys(["0.7.0", "0.7.1"], ("2.11", "2.17")),
    **dict.fromkeys(["0.8.0", "1.0.0", "1.0.1"], ("2.12", "2.13")),
    "1.1.0": ("2.12", "2.17"),
    "1.2.0": ("2.12", "2.19"),
}


@pytest.mark.parametrize("plugin, band", BANDS.items(), ids=BANDS)
def test_on_apple_silicon_plugins_load_in_bands(plugin, band):
    first, last = map(Version, band)
    for row in ARM64["pairs"]:
        if row["plugin_version"] == plugin:
            minor = Version(".".join(row["tensorflow"].split(".")[:2]))
            assert row["loads"] == (first <= minor <= last), row


@pytest.mark.parametrize("tensorflow", ["2.20.0", "2.21.0", "2.22.0rc0"])
def test_nothing_of_apples_loads_from_2_20_on(tensorflow):
    rows = [row for row in ARM64["pairs"] if row["tensorflow"] == tensorflow]
    assert rows
    assert not any(row["loads"] for row in rows)


@pytest.mark.parametrize("tensorflow", ["2.20.0", "2.21.0"])
def test_1_2_0_fails_on_a_library_that_changed_its_install_name(tensorflow):
    row = pair(ARM64, tensorflow, "1.2.0")
    assert (row["layer"], missing(ARM64, row)) == (1, ["@rpath/_pywrap_tensorflow_internal.so"])


@pytest.mark.parametrize("tensorflow", ["2.18.0", "2.18.1", "2.19.0", "2.19.1"])
def test_1_1_0_lacks_one_symbol_on_2_18_and_2_19(tensorflow):
    row = pair(ARM64, tensorflow, "1.1.0")
    assert (row["layer"], missing(ARM64, row)) == (2, ["__ZN3tsl8internal10LogMessageC1EPKcii"])


@pytest.mark.parametrize("plugin", ["1.0.0", "1.0.1"])
@pytest.mark.parametrize(
    "tensorflow, count", [("2.14.1", 2), ("2.16.1", 2), ("2.17.1", 2), ("2.18.0", 3), ("2.19.1", 3)]
)
def test_1_0_lacks_two_symbols_from_2_14_and_three_from_2_18(plugin, tensorflow, count):
    row = pair(ARM64, tensorflow, plugin)
    names = missing(ARM64, row)
    assert (row["layer"], len(names)) == (2, count)
    assert {"__ZN10tensorflow16TensorShapeProtoC1ERKS0_", "__ZN10tensorflow16TensorShapeProtoD1Ev"} <= set(names)


MINIMUM_MACOS = {
    "arm64": {
        **dict.fromkeys(["0.1.0", "0.1.1", "0.1.2", "0.2.0", "0.3.0"], "12.0"),
        "0.4.0": "12.3",
        "0.5.0": "12.3",
        "0.5.1": "13.0",
        "0.6.0": "12.5",
        **dict.fromkeys(["0.7.0", "0.7.1", "0.8.0", "1.0.0", "1.0.1", "1.1.0"], "11.3"),
        "1.2.0": "12.1",
    },
    "x86_64": {
        **dict.fromkeys(["0.1.0", "0.1.1", "0.1.2"], "12.0"),
        **dict.fromkeys(["0.2.0", "0.3.0", "0.4.0"], "11.3"),
        "0.5.0": "13.0",
        "0.5.1": "13.0",
        "0.6.0": "12.5",
        **dict.fromkeys(["0.7.0", "0.7.1", "0.8.0"], "11.3"),
        "1.0.0": "14.0",
    },
}


@pytest.mark.parametrize("table", JUDGED.values(), ids=JUDGED)
def test_the_minimum_macos_is_the_binarys_and_not_the_tags(table):
    assert {row["version"]: row["minimum_macos"] for row in table["plugins"]} == MINIMUM_MACOS[table["architecture"]]


@pytest.mark.parametrize("version", ["2.13.0", "2.14.1", "2.15.0"])
def test_shells_are_not_judged_in_place_of_the_body(version):
    assert pair(ARM64, version, "1.0.0")["distribution"] == "tensorflow-macos"


@pytest.mark.parametrize("version", ["2.15.1", "2.16.1", "2.16.2"])
def test_nor_are_the_shells_of_tensorflow_macos(version):
    assert pair(ARM64, version, "1.0.0")["distribution"] == "tensorflow"


def test_intel_macs_have_the_same_bands_where_both_have_wheels():
    arm = {(row["distribution"], row["tensorflow"], row["plugin_version"]): row["loads"] for row in ARM64["pairs"]}
    shared = 0
    for row in INTEL["pairs"]:
        key = (row["distribution"], row["tensorflow"], row["plugin_version"])
        if key in arm:
            shared += 1
            assert row["loads"] == arm[key], row
    assert shared > 100


def test_the_source_only_plugin_is_not_judged_and_says_why():
    table = DATA["tensorflow-metal-plugin.arm64"]
    assert table["pairs"]
    for row in table["pairs"]:
        assert (row["judged"], row["reason"]) == (False, "source distribution only")
        assert "loads" not in row
    assert {row["tensorflow"] for row in table["pairs"] if row["plugin_version"] == "0.4.1"} == {"2.21.0"}
