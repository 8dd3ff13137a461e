"""An answer as text, JSON and Markdown."""

from __future__ import annotations

import json

from compat.plan.evidence.chain import Fact, Stands
from compat.plan.evidence.proof import Word
from compat.plan.evidence.standing import Place
from compat.plan.evidence.why import Answer
from compat.report.style import Style
from compat.report.why import as_json, as_markdown, as_text
from tests.plan.evidence.test_ground import standing

PAGE = "https://github.com/tensorflow/tensorflow/issues/84167"
PLACE = Place(platform="macos-arm64", chip="Apple M1", python="3.12")


def fact(stands=Stands.AGAINST, text="it cannot load", source="observed: OBS001", url=PAGE, tier="imports"):
    return Fact(stands=stands, text=text, source=source, url=url, tier=tier)


def answer(*facts, word=Word.NO, reason="it cannot load", pair=None):
    return Answer(
        question="tensorflow==2.20 tensorflow-metal",
        place=PLACE,
        matrix_date="2026-11-30",
        word=word,
        reason=reason,
        standing=pair,
        facts=facts,
    )


def test_the_answer_comes_first_then_each_fact_with_its_source_then_the_place():
    told = as_text(
        answer(fact(), fact(Stands.FOR, "wheels", "releases/x.toml", ""), fact(Stands.NOTE, "twin")), Style()
    )

    assert told.splitlines() == [
        "no: it cannot load",
        "",
        "✗ it cannot load",
        f"    observed: OBS001 {PAGE}",
        "✓ wheels",
        "    releases/x.toml",
        "· twin",
        f"    observed: OBS001 {PAGE}",
        "",
        "asked for macos-arm64, Apple M1, Python 3.12; matrix data of 2026-11-30",
    ]


def test_long_facts_wrap_and_addresses_do_not():
    told = as_text(answer(fact(text="word " * 60)), Style(width=60)).splitlines()

    assert all(len(line) <= 60 for line in told if PAGE not in line and "asked" not in line)
    assert any(line.endswith(PAGE) for line in told)


def test_a_yes_and_an_unknown_begin_with_their_word():
    assert as_text(answer(word=Word.YES, reason="up to tier runs"), Style()).startswith("yes, up to tier runs\n")
    assert as_text(answer(word=Word.UNKNOWN, reason="not judged"), Style()).startswith("unknown: not judged\n")


def test_a_narrow_encoding_gets_plain_signs():
    told = as_text(answer(fact(text="Python 3.9–3.12")), Style(unicode=False))

    assert told.isascii()
    assert "x Python 3.9-3.12" in told


def test_as_json_it_has_the_answer_the_pair_and_the_chain():
    value = json.loads(as_json(answer(fact(), fact(Stands.FOR, url="", tier=None), pair=standing("2.18.1", "1.2.0"))))

    assert (value["schema_version"], value["answer"], value["headline"]) == (1, "no", "no: it cannot load")
    assert (value["pair"]["tensorflow"], value["pair"]["plugin_version"], value["pair"]["reached"]) == (
        "2.18.1",
        "1.2.0",
        "links",
    )
    assert value["place"]["chip"] == "Apple M1"
    assert value["facts"][0] == {
        "stands": "against",
        "text": "it cannot load",
        "tier": "imports",
        "source": "observed: OBS001",
        "url": PAGE,
    }
    assert (value["facts"][1]["url"], value["facts"][1]["tier"]) == (None, None)
    assert json.loads(as_json(answer()))["pair"] is None


def test_as_markdown_sources_are_links_and_texts_are_shown_as_they_are():
    told = as_markdown(answer(fact(text="__ZN3tsl"), fact(url="note:m5-cnn")))

    assert "**no: it cannot load**" in told
    assert rf"- against: \_\_ZN3tsl — `observed: OBS001` ([source]({PAGE}))" in told
    assert "note:m5-cnn" not in told
