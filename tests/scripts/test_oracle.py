"""The second judge of links: its layers by table, and its committed verdicts against the committed tables."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

pytest.importorskip("lief")

from oracles.cli import differences, mark, write  # noqa: E402
from oracles.facts import keep, kept  # noqa: E402
from oracles.verdict import ImageFacts, PluginFacts, offers, verdict  # noqa: E402

RESULTS = json.loads((ROOT / "tests" / "full" / "results" / "oracle.json").read_text("utf-8"))
TABLES = {
    name: tomllib.loads((ROOT / "matrices" / "links" / f"{name}.toml").read_text("utf-8"))
    for name in ("tensorflow-metal.arm64", "tensorflow-metal.x86_64")
}


def plugin(libraries=("@rpath/a", "/usr/lib/libc++.1.dylib"), two_level=(), flat=()):
    names = {library: frozenset(each) for library, each in dict(two_level).items()}
    return PluginFacts(libraries=tuple(libraries), two_level=names, flat=frozenset(flat))


def image(name, exports=(), passes_on=()):
    return ImageFacts(install_name=name, exports=dict(exports), passes_on=tuple(passes_on), exported=9)


A = image("@rpath/a", {"_own": None, "_TF_b": ("@rpath/b", "_TF_B"), "_sys": ("/usr/lib/x", "_sys")}, ["@rpath/c"])
B = image("@rpath/b", {"_TF_B": None, "_loop": ("@rpath/c", "_loop")})
C = image("@rpath/c", {"_TF_c": None, "_loop": ("@rpath/b", "_loop")}, ["@rpath/a"])


@pytest.mark.parametrize(
    "asks, expected",
    [
        (plugin(), (0, ())),
        (plugin(["@rpath/a", "@rpath/gone"]), (1, ("@rpath/gone",))),
        (plugin(two_level={"@rpath/a": ["_own", "_TF_b", "_TF_c", "_sys"]}), (0, ())),
        (plugin(two_level={"@rpath/b": ["_own"]}, flat=["_TF_no"]), (2, ("_own",))),
        (plugin(two_level={"@rpath/a": ["_nowhere"]}), (2, ("_nowhere",))),
        (plugin(two_level={"/usr/lib/libc++.1.dylib": ["__Znwm"]}), (0, ())),
        (plugin(flat=["_TF_c", "_objc_msgSend", "__ZNSt3__1E"]), (0, ())),
        (plugin(flat=["_TF_z", "__ZN10tensorflow1aEv", "_objc_x"]), (3, ("_TF_z", "__ZN10tensorflow1aEv"))),
    ],
)
def test_the_first_layer_that_fails_names_what_is_missing(asks, expected):
    layer, missing = verdict(asks, [A, B, C])

    assert (layer, tuple(sorted(missing))) == (expected[0], tuple(sorted(expected[1])))


def test_a_name_passed_round_in_a_circle_is_nowhere():
    assert not offers({each.install_name: each for each in (A, B, C)}, "@rpath/b", "_loop")


def test_what_is_kept_comes_back_the_same_for_the_same_names_only(tmp_path):
    keep(tmp_path / "x.json", frozenset({"_a"}), [A, B])

    assert kept(tmp_path / "x.json", frozenset({"_a"})) == [A, B]
    assert kept(tmp_path / "x.json", frozenset({"_a", "_b"})) is None
    assert kept(tmp_path / "none.json", frozenset()) is None


def test_the_results_are_written_a_wheel_a_line_and_read_back_the_same(tmp_path):
    write(tmp_path / "oracle.json", RESULTS)

    text = (tmp_path / "oracle.json").read_text("utf-8")
    assert json.loads(text) == RESULTS
    assert max(len(table["wheels"]) for table in RESULTS.values()) < text.count("\n") < 150


@pytest.mark.parametrize("name", TABLES)
def test_lief_agrees_with_every_committed_pair(name):
    table, results = TABLES[name], RESULTS[name]
    hashes = {row["file"]: row["sha256"] for row in table["tensorflows"]}

    assert differences(table, results["wheels"]) == []
    assert {file: wheel["sha256"] for file, wheel in results["wheels"].items()} == hashes
    assert results["pairs"] == len(table["pairs"]) == sum(len(each["pairs"]) for each in results["wheels"].values())
    assert results["differ"] == 0


@pytest.mark.parametrize("name", TABLES)
def test_no_flat_name_taken_for_the_systems_is_tensorflows(name):
    assert {file: wheel["not_judged"] for file, wheel in RESULTS[name]["wheels"].items() if wheel["not_judged"]} == {}


def test_a_difference_is_told():
    table = TABLES["tensorflow-metal.arm64"]
    changed = json.loads(json.dumps(RESULTS["tensorflow-metal.arm64"]["wheels"]))
    row = next(each for each in table["pairs"] if each["loads"])
    file = next(
        each["file"]
        for each in table["tensorflows"]
        if (each["distribution"], each["version"]) == (row["distribution"], row["tensorflow"])
    )
    changed[file]["pairs"][row["plugin_version"]] = [2, mark(["_x"])]

    (line,) = differences(table, changed)

    assert line.startswith(f"{row['distribution']} {row['tensorflow']} + tensorflow-metal {row['plugin_version']}: ")


def test_it_borrows_nothing_from_what_it_judges():
    for path in (ROOT / "scripts" / "oracles").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.split(".")[0] in {"compat", "linking"} for name in names), path
