"""A diagnosis as text, JSON and Markdown."""

import json
from dataclasses import replace

from compat.facts.pasted import Line
from compat.report.explained import as_json, columns, markdown
from compat.report.style import Style
from compat.verdict.diagnose.cause import Cause, Diagnosis
from compat.verdict.finding import Evidence, Remedy

CAUSE = Cause(
    id="ISS001",
    title="a pair that cannot load",
    confidence="medium",
    line=Line(number=7, text="Symbol not found: <_x> | y"),
    remedy=Remedy(text="take another pair", commands=("tfcompat fix --create-venv",)),
    verify="tfcompat doctor",
    evidence=(Evidence(fact="a fact", source="links"),),
    consequences=("ISS062",),
)
SOME = Diagnosis(
    causes=(CAUSE,),
    missing_facts=("the Python version",),
    send=("python -VV",),
    stated=("tensorflow 2.18",),
    matrix_date="2026-11-30",
)
NONE = Diagnosis(missing_facts=("the first error line",), send=("tfcompat facts",), matrix_date="2026-11-30")


def test_the_json_has_the_keys_that_others_build_on():
    value = json.loads(as_json(SOME))
    (cause,) = value["causes"]

    assert value["schema_version"] == 1
    assert value["missing_facts"] == ["the Python version"]
    assert (cause["id"], cause["confidence"], cause["line"]) == ("ISS001", "medium", "Symbol not found: <_x> | y")
    assert cause["remedy"] == {"commands": ["tfcompat fix --create-venv"], "text": "take another pair"}
    assert cause["line_number"] == 7


def test_nothing_is_an_empty_list_of_causes():
    value = json.loads(as_json(NONE))

    assert (value["causes"], value["send"]) == ([], ["tfcompat facts"])


def test_the_text_names_cause_confidence_line_remedy_and_what_to_send():
    text = columns(SOME, Style())

    for words in (
        "ISS001",
        "confidence: medium",
        "line 7: Symbol not found",
        "do:",
        "$ tfcompat fix",
        "explains also: ISS062",
        "the Python version",
        "$ python -VV",
        "tensorflow 2.18",
    ):
        assert words in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_no_match_says_so_and_what_to_send():
    text = columns(NONE, Style())

    assert "unknown: nothing known explains this text" in text
    assert "the first error line" in text
    assert "$ tfcompat facts" in text


def test_a_plain_terminal_gets_ascii():
    assert columns(SOME, Style(unicode=False)).isascii()


def test_markdown_escapes_what_the_log_says():
    text = markdown(SOME)

    assert "Symbol not found: \\<\\_x\\> \\| y" in text
    assert "**ISS001** (medium confidence)" in text
    assert "Unknown: nothing known" in markdown(NONE)


def test_one_fact_of_several_sources_is_told_once():
    rows = (*(Evidence(fact="a slow start", source=f"https://a.example/{n}") for n in (1, 2)), Evidence(fact="other"))
    some = replace(SOME, causes=(replace(CAUSE, evidence=rows),))

    for text in (columns(some, Style(width=200)), markdown(some)):
        assert text.count("a slow start") == 1
        assert "a.example/1, https" in text
        assert "known: other\n" in text
