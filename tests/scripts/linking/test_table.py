"""The written table: stable to the byte, merged release by release."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from linking.table import StaleTable, Table, table_of, write

DAY = dt.date(2026, 11, 30)


def table(*releases, day=DAY, plugins=("1.2.0", "1.1.0")):
    made = Table("tensorflow-metal", "arm64", "https://pypi.org/simple/tensorflow-metal/", day)
    made.plugins = [{"version": version, "file": "f.whl"} for version in plugins]
    for distribution, version, missing in releases:
        made.tensorflows.append({"distribution": distribution, "version": version})
        for plugin in plugins:
            row = {"distribution": distribution, "tensorflow": version, "plugin_version": plugin, "loads": not missing}
            made.pairs.append({**row, "missing": made.name_missing(2, missing)} if missing else row)
    return made


OLD, NEW = ("tensorflow", "2.9.2", ()), ("tensorflow", "2.10.0", ("_a", "_b"))


def test_the_text_is_toml_that_says_the_same():
    made = table(NEW, OLD)

    assert table_of(tomllib.loads(made.text())).text() == made.text()


def test_the_order_rows_arrive_in_does_not_show():
    assert table(OLD, NEW).text() == table(NEW, OLD).text()
    assert table(OLD, NEW, plugins=("1.1.0", "1.2.0")).text() == table(NEW, OLD).text()


def test_versions_are_ordered_as_versions():
    text = table(OLD, NEW).text()

    assert text.index('version = "2.10.0"') < text.index('version = "2.9.2"')


def test_a_set_of_names_is_called_the_same_whatever_else_the_table_holds():
    other = ("tensorflow", "2.11.0", ("_z",))

    assert set(table(NEW).missing) < set(table(other, OLD, NEW).missing)


def test_a_judged_release_replaces_its_own_rows_and_keeps_all_others():
    mended = ("tensorflow", "2.10.0", ())
    judged = table(mended)

    judged.merge(table(OLD, NEW))

    assert judged.text() == table(OLD, mended).text()


def test_rows_of_the_other_distribution_of_that_version_are_kept():
    other = ("tensorflow-macos", "2.10.0", ())
    judged = table(NEW)

    judged.merge(table(OLD, other))

    assert judged.text() == table(OLD, NEW, other).text()


def test_a_table_made_from_other_plugins_is_not_merged_with():
    with pytest.raises(StaleTable, match="run without --tensorflow"):
        table(NEW).merge(table(OLD, plugins=("1.2.0",)))


def test_a_file_changes_only_when_more_than_the_day_would(tmp_path):
    path = tmp_path / "links" / "tensorflow-metal.arm64.toml"
    later = dt.date(2027, 1, 1)

    assert write(table(OLD), path, None)
    first = path.read_text()
    assert not write(table(OLD, day=later), path, table_of(tomllib.loads(first)))
    assert path.read_text() == first
    assert write(table(OLD, NEW, day=later), path, table_of(tomllib.loads(first)))
    assert "computed = 2027-01-01" in path.read_text()
    assert [each.name for each in path.parent.iterdir()] == [path.name]
