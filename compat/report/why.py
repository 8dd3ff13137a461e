"""An answer with its chain of facts, told as text, JSON and Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from compat.errors import one_line
from compat.plan.evidence.chain import Fact, Stands
from compat.plan.evidence.proof import Word
from compat.plan.evidence.why import Answer
from compat.report import json
from compat.report.document import SCHEMA_VERSION
from compat.report.known import place_values, place_words, standing_values
from compat.report.markdown import escape
from compat.report.style import Style

_SIGNS = {Stands.FOR: "passes", Stands.AGAINST: "fails", Stands.NOTE: "info"}
_COLOURS = {Word.YES: "1;32", Word.NO: "1;31", Word.UNKNOWN: "1;35"}


def as_text(answer: Answer, style: Style) -> str:
    """Return the answer in its first line, then each fact with its source."""
    lines = [style.paint(one_line(answer.headline), _COLOURS[answer.word]), ""]
    for fact in answer.facts:
        lines += _fact(fact, style)
    lines += ["", f"asked for {place_words(answer.place)}; matrix data of {answer.matrix_date}"]
    text = "\n".join(lines) + "\n"
    return text if style.unicode else text.replace("–", "-").encode("ascii", "replace").decode("ascii")


def _fact(fact: Fact, style: Style) -> Iterator[str]:
    pieces = textwrap.wrap(
        one_line(fact.text), max(30, style.width - 2), break_long_words=False, break_on_hyphens=False
    )
    yield f"{style.sign(_SIGNS[fact.stands])} {pieces[0] if pieces else ''}"
    yield from (f"  {piece}" for piece in pieces[1:])
    yield f"    {one_line(f'{fact.source}  {fact.url}').strip()}"


def as_json(answer: Answer) -> str:
    """Return ``matrix why --format json``."""
    return json.text(
        {
            "schema_version": SCHEMA_VERSION,
            "matrix_date": answer.matrix_date,
            "question": answer.question,
            "answer": answer.word.value,
            "headline": answer.headline,
            "place": place_values(answer.place),
            "pair": _pair(answer),
            "facts": [_values(fact) for fact in answer.facts],
        }
    )


def _pair(answer: Answer) -> dict[str, Any] | None:
    best = answer.standing
    if best is None:
        return None
    pair = best.pair
    return {
        "distribution": best.distribution,
        "tensorflow": pair.tensorflow,
        "plugin": pair.plugin,
        "plugin_version": pair.plugin_version,
        **standing_values(best),
    }


def _values(fact: Fact) -> dict[str, Any]:
    return {
        "stands": fact.stands.value,
        "text": fact.text,
        "tier": fact.tier,
        "source": fact.source,
        "url": fact.url or None,
    }


def as_markdown(answer: Answer) -> str:
    """Return the answer for an issue tracker."""
    lines = [f"### {escape(answer.question)}", "", f"**{escape(answer.headline)}**", ""]
    for fact in answer.facts:
        link = f" ([source]({fact.url}))" if fact.url.startswith("https://") else ""
        lines.append(f"- {fact.stands.value}: {escape(fact.text)} — `{one_line(fact.source).replace('`', '')}`{link}")
    return (
        "\n".join(
            (*lines, "", f"<sub>{escape(place_words(answer.place))}, matrix of {escape(answer.matrix_date)}</sub>")
        )
        + "\n"
    )
