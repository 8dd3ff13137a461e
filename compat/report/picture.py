"""Smoke results as one HTML page that needs nothing else: no network, no scripts, readable in print and by ear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from compat.facts.numerics import Check, Curve, Numerics
from compat.report.drawing import Mark, Row, curve, errors, finite, said
from compat.report.measured import (
    BAD,
    COMMAND,
    Remark,
    error_text,
    failing,
    headline,
    passed,
    remarks,
    reproduction,
)
from compat.report.stylesheet import CSS

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing is fetched, whatever text a broken plugin puts into its messages."""
DRAWN = ("passes", "info", *BAD)
TITLES = {
    "precision": "Fewer significant bits",
    "cpu": "No kernel",
    "order": "Answers that vary",
    "convention": "Decided by convention",
    "speed": "Speed",
}
HOW = (
    "Each mark is one tensor: its largest error against a float64 reference, in units of what a right answer may be "
    "off by. Right of the bound is wrong. Circle: passes. Cross: fails. Crossed square: crashed. Diamond: worth "
    "saying, no fault. The left column holds errors below 0.0001 of the bound and statements that hold; the right one "
    "errors off the scale, and answers that are no numbers or not of the right shape."
)


def as_html(numerics: Numerics, *, tool_version: str, machine: str = "", command: str = COMMAND) -> str:
    """Return ``smoke --format html``; ``machine`` is a line about it, ``command`` the beginning of further commands."""
    title = _capital(headline(numerics))
    body = "\n".join(_body(numerics, title, (machine, tool_version), command))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{said(title)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _body(numerics: Numerics, title: str, place: tuple[str, str], command: str) -> Iterator[str]:
    yield f'<h1 class="{"good" if passed(numerics) else "bad"}">{said(title)}</h1>'
    yield from _environment(numerics, *place)
    yield from _ending(numerics)
    yield from _failing(failing(numerics), command)
    yield from _families(numerics.checks)
    yield from _curves(numerics.curves)
    yield from _remarks(remarks(numerics))


def _environment(numerics: Numerics, machine: str, tool_version: str) -> Iterator[str]:
    unknown = "not known"
    devices = [" ".join(filter(None, (one.name, one.kind, one.description))) for one in numerics.devices]
    variables = [f"{one.name}={one.value}" for one in numerics.variables]
    rows = [
        ("TensorFlow", numerics.tensorflow or unknown),
        ("Keras", numerics.keras or unknown),
        ("NumPy", numerics.numpy or unknown),
        ("Python", numerics.python or unknown),
        ("Devices", "; ".join(devices) or unknown),
        ("Variables that change numerics", ", ".join(variables) or "none set"),
        *([("Machine", machine)] if machine else []),
        ("Measured by", f"tfcompat {tool_version}"),
    ]
    yield "<dl>" + "\n".join(f"<dt>{said(name)}</dt><dd>{said(value)}</dd>" for name, value in rows) + "</dl>"


def _ending(numerics: Numerics) -> Iterator[str]:
    if numerics.outcome == "ran" or not numerics.stderr_tail:
        return
    lines = "\n".join(said(line) for line in numerics.stderr_tail)
    yield f"<section><h2>The end of its output</h2><pre>{lines}</pre></section>"


def _failing(bad: Sequence[Check], command: str) -> Iterator[str]:
    if not bad:
        return
    yield "<section><h2>What fails</h2>"
    yield errors([_row(f"{check.id} · {check.mode} · {check.device}", [check]) for check in bad], "Checks that fail")
    yield f"<table><thead>{_cells('th', ('check', 'operation', 'where', 'error', 'what is wrong'))}</thead><tbody>"
    for check in bad:
        code = f"<pre><code>{said(check.code)}</code></pre>" if check.code else ""
        told = f"<td>{said(check.detail)}{code}</td>"
        where = " ".join(filter(None, (check.mode, check.device, check.dtype, check.shape)))
        yield f"<tr>{_cells('td', (check.id, check.op, where, error_text(check) or check.status))}{told}</tr>"
    yield "</tbody></table>"
    shown = said(reproduction(bad[0], command))
    yield f"<p>A program that shows one alone, to file upstream: <code>{shown}</code></p></section>"


def _families(checks: Sequence[Check]) -> Iterator[str]:
    families: dict[str, list[Check]] = {}
    for check in checks:
        if check.status in DRAWN:
            families.setdefault(check.id.split("/")[0], []).append(check)
    if not families:
        return
    yield f'<h2>Every check</h2>\n<p class="soft">{said(HOW)}</p>'
    for family, members in sorted(families.items(), key=lambda item: not _any_bad(item[1])):
        rows = [_row(label, group) for label, group in _operations(members)]
        count = f"{len(members)} checks, {sum(check.status in BAD for check in members)} fail"
        yield f"<section><h3>{said(family)}</h3>\n{errors(rows, f'{family}: {count}')}</section>"
        yield f"<details><summary>{said(f'{family} in numbers: {count}')}</summary>{_table(members)}</details>"


def _operations(checks: Sequence[Check]) -> list[tuple[str, list[Check]]]:
    """The checks by operation, mode and device; those with a failing check first, else operation by operation."""
    groups: dict[tuple[str, str, str], list[Check]] = {}
    for check in checks:
        groups.setdefault((check.op or check.id, check.mode, check.device), []).append(check)
    ops = list(dict.fromkeys(op for op, _, _ in groups))
    ordered = sorted(groups.items(), key=lambda item: (not _any_bad(item[1]), ops.index(item[0][0])))
    return [(" · ".join(key), group) for key, group in ordered]


def _any_bad(checks: Sequence[Check]) -> bool:
    return any(check.status in BAD for check in checks)


def _row(label: str, checks: Sequence[Check]) -> Row:
    marks = [Mark(ratio=check.error_in_bounds, status=check.status, title=_mark_title(check)) for check in checks]
    return Row(label=label, marks=tuple(marks))


def _mark_title(check: Check) -> str:
    told = (check.id, check.mode, check.device, check.status, error_text(check), check.detail)
    return ", ".join(part for part in told if part)


def _table(checks: Sequence[Check]) -> str:
    head = _cells("th", ("check", "operation", "mode", "device", "shape", "type", "status", "error in bounds"))
    rows = []
    for check in checks:
        ratio = "none" if check.error_in_bounds is None else f"{check.error_in_bounds:.3g}"
        told = (check.id, check.op, check.mode, check.device, check.shape, check.dtype, check.status)
        rows.append(f'<tr>{_cells("td", told)}<td class="number">{ratio}</td></tr>')
    return f"<table><thead>{head}</thead><tbody>\n" + "\n".join(rows) + "\n</tbody></table>"


def _cells(kind: str, texts: Sequence[str]) -> str:
    return "".join(f"<{kind}>{said(text)}</{kind}>" for text in texts)


def _curves(curves: Sequence[Curve]) -> Iterator[str]:
    yield "<h2>The loss of a small classifier, step by step</h2>"
    if not curves:
        yield "<p>Not trained in this run: the levels <code>standard</code> and <code>full</code> train it.</p>"
        return
    yield (
        '<p class="soft">Solid with dots: as trained on the device. Dashed: the same steps in float64. Shaded: how far '
        "they may be apart; rounding grows from step to step, so the band does.</p>"
    )
    for one in curves:
        text = curve_text(one)
        yield f"<section><h3>{said(one.device)}</h3>\n{curve(one, text)}\n<p>{said(text)}</p></section>"


def curve_text(drawn: Curve) -> str:
    """Return a curve in words: where it ends, and where it left the band."""
    losses, wanted = finite(drawn.losses), finite(drawn.wanted)
    if not losses or not wanted:
        return f"{drawn.device}: no loss was a number"
    outside = [
        index + 1
        for index, (loss, right, limit) in enumerate(zip(losses, wanted, drawn.limits, strict=False))
        if not abs(loss - right) <= limit
    ]
    last = min(len(losses), len(wanted))
    text = f"{drawn.device}: loss {losses[last - 1]:.4g} at step {last}, {wanted[last - 1]:.4g} in float64; "
    text += f"leaves the band at step {outside[0]}" if outside else "never leaves the band"
    return text + (f"; after step {last} of {len(wanted)} it is no number" if last < len(wanted) else "")


def _remarks(found: Sequence[Remark]) -> Iterator[str]:
    if not found:
        return
    yield "<h2>Worth saying, and no fault</h2>"
    by_reason = sorted(found, key=lambda remark: [*TITLES, ""].index(remark.reason) if remark.reason in TITLES else 99)
    for reason, some in groupby(by_reason, key=lambda remark: remark.reason):
        yield f"<section><h3>{said(TITLES.get(reason, 'Other'))}</h3>"
        for remark in some:
            items = "".join(f"<li>{said(_item(check))}</li>" for check in remark.checks)
            yield f"<p>{said(remark.text)}</p><details><summary>which checks</summary><ul>{items}</ul></details>"
        yield "</section>"


def _item(check: Check) -> str:
    return f"{check.id} ({check.mode}): " + (check.detail or error_text(check) or check.status)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
