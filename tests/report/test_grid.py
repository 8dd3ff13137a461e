"""The grid as columns and as Markdown."""

from __future__ import annotations

import pytest

from compat.plan.evidence.grid import grid
from compat.plan.evidence.standing import Place
from compat.report.grid import cell_text, grid_markdown, grid_text
from compat.report.style import Style
from tests.plan.evidence.test_ground import METAL, lock, run, standing
from tests.verdict.rules.tiny_matrix import PYWRAP, default_links, known_issue, link, release, tiny_matrix

MAC = Place(platform="macos-arm64")
WIDE = Style(width=200)


def text(place=MAC, style=WIDE, *, everything=False, **sections):
    return grid_text(grid(place, tiny_matrix(**sections), everything=everything), style)


def row(version, place=MAC, style=WIDE, **sections):
    line = next(line for line in text(place, style, **sections).splitlines() if line.startswith(version))
    return [cell for cell in line.split("  ") if cell]


RUNS = run("2.18.1", "1.2.0", "works", "runs")
WRONG = run("2.18.1", "1.2.0", "wrong-numbers", "agrees", "OBS002")
LOADS_NOT = run("2.18.1", "1.2.0", "fails-to-load", "imports")


@pytest.mark.parametrize(
    ("metal", "place", "observed", "expected"),
    [
        ("1.2.0", MAC, [], "links"),
        ("1.2.0", MAC, [RUNS], "runs"),
        ("1.2.0", MAC, [LOADS_NOT], "✗ imports"),
        ("1.2.0", MAC, [WRONG], "✗ agrees"),
        ("1.2.0", MAC, [RUNS, WRONG], "runs | ✗ agrees"),
        ("1.1.0", MAC, [], "✗ links"),
        ("1.2.0", Place(platform="macos-arm64", python="3.13"), [RUNS], "no wheel"),
        ("1.2.0", Place(platform="macos-arm64", macos="12.0"), [RUNS], "macOS 12.1+"),
        (None, MAC, [], "installs"),
    ],
)
def test_a_cell_says_the_tier_reached_or_the_one_at_which_it_fails(metal, place, observed, expected):
    assert cell_text(standing("2.18.1", metal, place, observed=observed), WIDE) == expected


@pytest.mark.parametrize(("severity", "expected"), [("warning", "links!"), ("error", "links!"), ("info", "links")])
def test_a_known_problem_marks_its_cell(severity, expected):
    issues = [{**known_issue("TF317", package=METAL), "severity": severity}]

    assert cell_text(standing("2.18.1", "1.2.0", issues=issues), WIDE) == expected


def test_it_is_a_row_a_tensorflow_newest_first_with_the_plugin_releases_and_the_locks():
    locks = [lock(), lock(file="b.toml", python="3.11"), lock(file="c.toml", plugin=METAL, plugin_version="1.2.0")]
    lines = text(locks=locks).splitlines()

    assert lines[0] == "macos-arm64: matrix of 2026-11-30"
    assert lines[2].split("  ")[:6] == [
        "tensorflow",
        "no plugin",
        "metal 1.2.0",
        "metal 1.1.0",
        "metal 1.0.1",
        "metal 1.0.0",
    ]
    versions = [line.split()[0] for line in lines[3:11]]
    assert versions == ["2.21.0", "2.20.0", "2.19.1", "2.18.1", "2.17.1", "2.16.2", "2.13.0", "2.12.0"]
    assert row("2.18.1", locks=locks)[-1].strip() == "cpu 3.11–3.12, 1.2.0 3.12"


def test_what_does_not_fit_the_width_follows_in_further_blocks():
    none = [link("2.21.0", metal, 1, [PYWRAP]) for metal in ("1.0.0", "1.0.1")]
    narrow = text(style=Style(width=60), links=[*default_links(), *none])

    assert all(len(line) <= 60 for line in narrow.split("\n\n")[1].splitlines())
    assert "further releases of the plugin, where one of them loads:" in narrow
    for version in ("1.2.0", "1.1.0", "1.0.1", "1.0.0"):
        assert f"metal {version}" in narrow
    blocks = narrow.split("further releases")
    assert "2.21.0" in blocks[0]
    assert "2.21.0" not in "".join(blocks[1:])  # nothing in these blocks loads on it


def test_rows_and_columns_without_a_wheel_for_the_python_are_listed_instead():
    shown = text(Place(platform="macos-arm64", python="3.12"))

    assert "no wheel for macos-arm64, Python 3.12: tensorflow 2.13.0, 2.12.0" in shown
    assert (
        "no wheel beside one of TensorFlow for macos-arm64, Python 3.12: tensorflow-metal 1.1.0, 1.0.1, 1.0.0" in shown
    )
    assert "metal 1.1.0  " not in shown


def test_releases_that_have_left_the_platform_are_listed():
    assert "no wheel for macos-x86_64: tensorflow 2.21.0, 2.20.0, 2.19.1, 2.18.1, 2.17.1" in text(
        Place(platform="macos-x86_64")
    )


def test_a_plugin_of_sources_only_is_listed_as_not_judged():
    name = "tensorflow-metal-plugin"
    releases = {name: [release(name, "0.4.1", has_sdist=True)]}

    assert f"source only, not judged: {name} 0.4.1" in text(everything=True, releases=releases)
    assert name not in text(releases=releases)


def test_on_linux_the_locks_are_shown_and_the_option_for_a_mac_named():
    shown = text(Place(platform="linux-x86_64"), locks=[lock(platform="linux-x86_64", tier="runs")])

    assert "tensorflow-metal is a plugin for macOS: add --platform macos-arm64" in shown
    assert "metal 1.2.0" not in shown
    assert next(line for line in shown.splitlines() if line.startswith("2.18.1")).split() == [
        "2.18.1",
        "runs",
        "cpu",
        "3.12",
    ]
    assert "plugin for macOS" not in text(MAC)


def test_the_legend_explains_the_words_that_are_used_and_no_others():
    plain = text(links=[])
    assert "✗" not in plain
    assert "contradict" not in plain
    assert "reports contradict each other" in text(observed=[RUNS, WRONG])
    assert "was built for a newer macOS" in text(Place(platform="macos-arm64", macos="12.0"))


def test_a_narrow_encoding_gets_plain_signs():
    shown = text(style=Style(unicode=False, width=200), locks=[lock(), lock(file="b.toml", python="3.11")])

    assert shown.isascii()
    assert "x links" in shown
    assert "cpu 3.11-3.12" in shown
    assert "?" not in shown


def test_the_markdown_is_one_table_with_every_plugin():
    lines = grid_markdown(grid(MAC, tiny_matrix(observed=[RUNS, WRONG]))).splitlines()
    table = [line for line in lines if line.startswith("|")]

    assert len(table) == 2 + 8
    assert len({line.replace(r"\|", "").count("|") for line in table}) == 1
    assert r"runs \| ✗ agrees" in "\n".join(table)
