"""scripts/links against an index of our own, with wheels built to order: judged, merged, dated, failing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

import linking.index
from linking.cli import main
from refreshing import web as refreshing_web

from tests.probe.machobuilder import FLAT, Binary
from tests.scripts.index_server import sdist_bytes, serving, zip_bytes

ROOT = "tensorflow/python/_pywrap_tensorflow_internal.so"
TENSORFLOW = "@rpath/_pywrap_tensorflow_internal.so"
PAGE = "/simple/tensorflow/"


def tensorflow(*exports, own=TENSORFLOW):
    return zip_bytes({ROOT: Binary(install_name=own, exports=dict.fromkeys(exports)).build()})


def plugin(*needs):
    binary = Binary(libraries=[(TENSORFLOW, "load")], undefined=[(name, FLAT, 0) for name in needs], minimum=(12, 3, 0))
    return zip_bytes({"tensorflow-plugins/libmetal_plugin.dylib": binary.build()})


@pytest.fixture
def index(monkeypatch):
    monkeypatch.setattr(linking.index, "SHELL_LIMIT", 0)
    monkeypatch.setattr(refreshing_web, "LONGEST_WAIT_SECONDS", 0.01)
    with serving() as answering:
        for version, exports in {"2.9.0": ["_TF_a", "_TF_b"], "2.10.0": ["_TF_a"]}.items():
            answering.add(f"tensorflow-{version}-cp310-cp310-macosx_12_0_arm64.whl", tensorflow(*exports))
        answering.add("tensorflow_macos-2.9.0-cp310-cp310-macosx_12_0_arm64.whl", tensorflow(own="bazel-out/x.so"))
        answering.add("tensorflow_metal-1.0.0-cp310-cp310-macosx_12_0_arm64.whl", plugin("_TF_a", "_TF_b", "_objc_x"))
        sources = sdist_bytes("tensorflow-metal-plugin", "0.4.1", ["numpy", "tensorflow==2.10.*"])
        answering.add("tensorflow_metal_plugin-0.4.1.tar.gz", sources)
        yield answering


@pytest.fixture
def links(index, tmp_path):
    def run(*arguments):
        fixed = ["--index", index.url, "--output", str(tmp_path / "links"), "--cache", str(tmp_path / "cache")]
        return main([*fixed, *arguments])

    return run


@pytest.fixture
def written(tmp_path):
    def read(name="tensorflow-metal.arm64"):
        return tomllib.loads((tmp_path / "links" / f"{name}.toml").read_text("utf-8"))

    return read


def outcomes(table):
    return {
        (row["distribution"], row["tensorflow"]): (row["layer"], *table["missing"].get(row.get("missing"), ()))
        for row in table["pairs"]
    }


def test_every_pair_is_judged_by_what_its_wheels_hold(links, written, capsys):
    assert links("--as-of", "2026-11-30") == 0

    table = written()
    assert str(table["computed"]) == "2026-11-30"
    assert outcomes(table) == {
        ("tensorflow", "2.10.0"): (3, "_TF_b"),
        ("tensorflow", "2.9.0"): (0,),
        ("tensorflow-macos", "2.9.0"): (1, TENSORFLOW),
    }
    assert [row["minimum_macos"] for row in table["plugins"]] == ["12.3"]
    assert "bytes fetched" in capsys.readouterr().err


def test_a_plugin_of_sources_alone_is_not_judged_beside_what_it_asks_for(links, written):
    assert links() == 0

    (row,) = written("tensorflow-metal-plugin.arm64")["pairs"]
    assert (row["tensorflow"], row["judged"], row["reason"]) == ("2.10.0", False, "source distribution only")
    assert "loads" not in row


def test_the_same_index_and_day_give_the_same_bytes_from_nothing(links, tmp_path):
    assert links("--as-of", "2026-11-30") == 0
    first = {path.name: path.read_bytes() for path in (tmp_path / "links").iterdir()}

    assert links("--as-of", "2026-11-30", "--output", str(tmp_path / "again"), "--cache", str(tmp_path / "none")) == 0

    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == first
    assert len(first) == 2


def test_what_was_uploaded_later_does_not_exist_yet(index, links, written):
    later = {"uploaded": "2026-12-01T00:00:01Z"}
    index.add("tensorflow-2.11.0-cp310-cp310-macosx_12_0_arm64.whl", tensorflow("_TF_a"), **later)
    index.add("tensorflow_metal-1.1.0-cp310-cp310-macosx_12_0_arm64.whl", plugin("_TF_a"), **later)
    index.add("tensorflow_metal_plugin-0.5.0.tar.gz", b"not read", **later)

    assert links("--as-of", "2026-11-30") == 0
    assert {row["tensorflow"] for row in written()["pairs"]} == {"2.9.0", "2.10.0"}
    assert [row["version"] for row in written("tensorflow-metal-plugin.arm64")["plugins"]] == ["0.4.1"]


def test_a_new_release_is_judged_alone_and_joins_both_tables(index, links, written, capsys):
    assert links("--as-of", "2026-11-30") == 0
    before = {name: written(name)["pairs"] for name in ("tensorflow-metal.arm64", "tensorflow-metal-plugin.arm64")}
    index.add("tensorflow-2.10.1-cp310-cp310-macosx_12_0_arm64.whl", tensorflow("_TF_a", "_TF_b", "_new"))
    index.asked.clear()

    assert links("--tensorflow", "2.10.1", "--as-of", "2026-12-01") == 0

    assert "tensorflow 2.10.1 + tensorflow-metal 1.0.0: loads" in capsys.readouterr().out
    assert {path for path in index.paths() if path.endswith(".whl")} == {
        "/files/tensorflow-2.10.1-cp310-cp310-macosx_12_0_arm64.whl"
    }
    for name, rows in before.items():
        added = [row for row in written(name)["pairs"] if row not in rows]
        assert [row["tensorflow"] for row in added] == ["2.10.1"]
        assert len(written(name)["pairs"]) == len(rows) + 1


WHEEL = "/files/tensorflow-2.10.0-cp310-cp310-macosx_12_0_arm64.whl"


@pytest.mark.parametrize("fault", [404, 429, 500, b"<html>hello</html>", b'{"files": [{}]}', "half a body"], ids=str)
def test_a_failing_index_is_one_line_and_no_file(index, links, tmp_path, capsys, fault):
    index.fail(PAGE, fault, ...)

    assert links() == 3

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("links: ")
    assert not (tmp_path / "links").exists()


@pytest.mark.parametrize("content", [b"garbage", zip_bytes({"a": b"b"}), zip_bytes({ROOT: b"no binary"})], ids=len)
def test_a_wheel_that_is_none_is_one_line_and_no_file(index, links, tmp_path, capsys, content):
    index.add("tensorflow-2.11.0-cp310-cp310-macosx_12_0_arm64.whl", content)

    assert links() == 3

    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("links: ")
    assert not (tmp_path / "links" / "tensorflow-metal.arm64.toml").exists()


@pytest.mark.parametrize(
    "arguments", [["--as-of", "soon"], ["--jobs", "0"], ["--tensorflow", "new"], ["--arch", "vax"]]
)
def test_wrong_usage_ends_with_2(links, arguments):
    with pytest.raises(SystemExit) as ended:
        links(*arguments)
    assert ended.value.code == 2


def test_a_release_that_is_not_there_is_said(links, capsys):
    assert links("--tensorflow", "3.0") == 3
    assert "no macOS wheels for TensorFlow 3.0" in capsys.readouterr().err
