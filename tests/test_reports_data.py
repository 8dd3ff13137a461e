"""The public reports and the cause expected of each: two files that belong together, written before the tool read either.

They are data for scoring; what is claimed here is only that they are whole and agree with each other.
"""

import re
import sys
from datetime import date
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).resolve().parent / "data" / "reports"
REPORTS = tomllib.loads((FOLDER / "reports.toml").read_text("utf-8"))["reports"]
ANSWERS = tomllib.loads((FOLDER / "expected.toml").read_text("utf-8"))
CAUSES, EXPECTED = ANSWERS["causes"], ANSWERS["expected"]
HOME_PATH = re.compile(r"/(?:Users|home)/|/root\b|[A-Za-z]:\\Users\\")
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
ONE_ERROR = [
    "Library not loaded: @rpath/_pywrap_tensorflow_internal.so",
    "symbol not found in flat namespace '_CFRelease'",
    "mach-o, but wrong architecture",
    "llegal hardware instruction",
    "compiled against API version",
    "was compiled to use AVX instructions",
    "requirement tensorflow-macos (from versions: none)",
    "requirement tensorflow-metal (from versions: None)",
    "Unable to find installation candidates",
]


def named_in(row):
    """Every slug one expectation mentions."""
    return {row["cause"], *row.get("also", ()), *([row["thread"]] if "thread" in row else [])}


def test_there_are_the_119_reports_that_were_handed_over():
    assert len(REPORTS) == 119


@pytest.mark.parametrize("rows", [REPORTS, EXPECTED], ids=["reports", "expected"])
def test_no_report_stands_twice(rows):
    ids = [row["id"] for row in rows]

    assert sorted(set(ids)) == sorted(ids)


def test_every_report_has_one_expectation_and_every_expectation_a_report_in_the_same_order():
    assert [row["id"] for row in REPORTS] == [row["id"] for row in EXPECTED]


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: row["id"])
def test_an_expectation_speaks_in_the_vocabulary_and_says_why(row):
    assert set(row) <= {"id", "cause", "also", "thread", "why"}
    assert named_in(row) <= set(CAUSES)
    assert row["cause"] not in row.get("also", ())
    assert row["why"].strip()


def test_every_word_of_the_vocabulary_is_used_well_formed_and_explained():
    assert set().union(*(named_in(row) for row in EXPECTED)) == set(CAUSES)
    assert [slug for slug in CAUSES if not SLUG.fullmatch(slug)] == []
    assert [slug for slug, sentence in CAUSES.items() if not sentence.endswith(".")] == []


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report["id"])
def test_a_report_says_where_it_stands_and_what_was_seen_and_no_home_path(report):
    assert set(report) <= {"id", "url", "where", "day", "established", "text"}
    assert ("url" in report) != ("where" in report)
    assert report.get("url", "https://").startswith("https://")
    assert isinstance(report["established"], bool)
    assert report["text"].strip()
    assert not HOME_PATH.search(report["text"])


@pytest.mark.parametrize("report", [r for r in REPORTS if "day" in r], ids=lambda report: report["id"])
def test_the_day_of_a_report_is_a_day_or_a_month(report):
    day = report["day"]

    assert date.fromisoformat(day if len(day) == len("2024-01-31") else f"{day}-01") >= date(2020, 11, 1)


def test_a_settled_cause_is_named_even_where_the_text_cannot_show_it():
    settled = {report["id"] for report in REPORTS if report["established"]}
    unnamed = {row["id"] for row in EXPECTED if row["cause"] == "unknown"}

    assert {row["id"] for row in EXPECTED if "thread" in row} == settled & unnamed


@pytest.mark.parametrize("line", ONE_ERROR)
def test_reports_that_quote_one_error_are_expected_to_share_a_cause(line):
    pairs = zip(REPORTS, EXPECTED, strict=True)
    accepted = [{row["cause"], *row.get("also", ())} for report, row in pairs if line in report["text"]]

    assert len(accepted) > 1
    assert set.intersection(*accepted)
