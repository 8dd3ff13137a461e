"""Measured numbers as inline SVG: errors on a logarithmic axis, curves with a band. Colours are the page's."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from compat.errors import one_line

if TYPE_CHECKING:
    from compat.facts.numerics import Curve

WIDTH, LABELS, LANE, ROW, HEAD = 980, 330, 56, 18, 26
"""Of a chart of errors: its width, that of the labels, of the lanes at either end, heights of a row and of the axis."""
LOWEST, HIGHEST = -4, 12
"""Decades that the axis shows at most; what is below stands in the left lane, what is above in the right one."""
HEIGHT, LEFT, BOTTOM = 280, 70, 34
"""Of a chart of curves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One check: its error in units of its bound, None for none or one that is no number."""

    ratio: float | None
    status: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The marks of one line of a chart."""

    label: str
    marks: tuple[Mark, ...]


def said(text: str) -> str:
    """Return text as HTML that shows it as it is, on one line, without control characters."""
    return escape(one_line(text), quote=True)


def errors(rows: Sequence[Row], title: str) -> str:
    """Return a chart of errors in units of their bounds, the bound at 1 marked."""
    top = _top([mark.ratio for row in rows for mark in row.marks])
    height = HEAD + ROW * len(rows) + 8
    parts = [*_axis(top, height)]
    for index, row in enumerate(rows):
        y = HEAD + ROW * index + ROW / 2
        parts.append(f'<text class="label" x="{LABELS - 10}" y="{y + 4:g}">{said(row.label)}</text>')
        parts += [_mark(mark, _x(mark, top), y) for mark in row.marks]
    return _svg(height, title, parts)


def _top(ratios: Sequence[float | None]) -> int:
    known = [ratio for ratio in ratios if ratio is not None and math.isfinite(ratio) and ratio > 0]
    return min(HIGHEST, max(1, math.ceil(math.log10(max(known, default=1.0)))))


def _axis(top: int, height: int) -> Iterator[str]:
    yield f'<text class="tick" x="{LABELS + LANE / 2:g}" y="12">about 0</text>'
    yield f'<text class="tick" x="{WIDTH - LANE / 2:g}" y="12">off scale</text>'
    step = 1 if top - LOWEST <= 8 else 2  # noqa: PLR2004 - labels would touch
    for power in range(LOWEST, top + 1):
        x = _place(10.0**power, top)
        kind = "bound" if power == 0 else "grid"
        yield f'<line class="{kind}" x1="{x:.1f}" y1="{HEAD - 8}" x2="{x:.1f}" y2="{height - 4}"/>'
        if power % step == 0:
            yield f'<text class="tick" x="{x:.1f}" y="12">{"bound" if power == 0 else f"1e{power}"}</text>'


def _place(ratio: float, top: int) -> float:
    left, right = LABELS + LANE, WIDTH - LANE - 6
    return left + (math.log10(ratio) - LOWEST) / (top - LOWEST) * (right - left)


def _x(mark: Mark, top: int) -> float:
    """Where a mark stands; an answer without a number is at the right where it is wrong, else at the left."""
    ratio = mark.ratio
    if ratio is None or not math.isfinite(ratio):
        return WIDTH - LANE / 2 if mark.status in ("fails", "crashed") else LABELS + LANE / 2
    if ratio > 10.0**top:
        return WIDTH - LANE / 2
    return LABELS + LANE / 2 if ratio < 10.0**LOWEST else _place(ratio, top)


def _mark(mark: Mark, x: float, y: float) -> str:
    """A shape of its own for each status: meaning is never by colour alone."""
    shapes = {
        "fails": f"M{x - 5:.1f} {y - 5:g}l10 10m0-10l-10 10",
        "crashed": f"M{x - 5:.1f} {y - 5:g}h10v10h-10zl10 10m0-10l-10 10",
        "info": f"M{x:.1f} {y - 5:g}l5 5l-5 5l-5-5z",
    }
    path = shapes.get(mark.status, f"M{x - 3:.1f} {y:g}a3 3 0 1 0 6 0a3 3 0 1 0-6 0z")
    return f'<path class="{said(mark.status)}" d="{path}"><title>{said(mark.title)}</title></path>'


def _svg(height: float, title: str, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    opening = f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{said(title)}">'
    return f"{opening}\n<title>{said(title)}</title>\n{body}\n</svg>"


def curve(drawn: Curve, title: str) -> str:
    """Return the losses of a device, those of the reference, and the band within which they must stay."""
    losses, wanted = finite(drawn.losses), finite(drawn.wanted)
    band = [(w - limit, w + limit) for w, limit in zip(wanted, drawn.limits, strict=False) if math.isfinite(limit)]
    steps = max(len(losses), len(wanted), 2)
    across = _across(steps)
    up, ticks = _upward([*losses, *wanted, *(edge for pair in band for edge in pair)], wanted)
    parts = [*_frame(ticks, up, steps)]
    if band:
        upper = [(across(i), up(high)) for i, (_, high) in enumerate(band)]
        lower = [(across(i), up(low)) for i, (low, _) in enumerate(band)]
        parts.append(f'<polygon class="band" points="{_points([*upper, *reversed(lower)])}"/>')
    for kind, values in (("wanted", wanted), ("losses", losses)):
        points = _points([(across(i), up(value)) for i, value in enumerate(values)])
        parts.append(f'<polyline class="{kind}" points="{points}"/>')
    parts += [f'<circle class="losses" cx="{across(i):.1f}" cy="{up(v):.1f}" r="2.5"/>' for i, v in enumerate(losses)]
    return _svg(HEIGHT, title, parts)


def finite(values: Sequence[float]) -> list[float]:
    """Return the values up to the first that is no number."""
    found: list[float] = []
    for value in values:
        if not math.isfinite(value):
            break
        found.append(value)
    return found


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _across(steps: int) -> Callable[[int], float]:
    return lambda index: LEFT + index / (steps - 1) * (WIDTH - LEFT - 20)


def _upward(values: Sequence[float], wanted: Sequence[float]) -> tuple[Callable[[float], float], list[float]]:
    """The vertical place of a value, and where ticks stand; logarithmic where a loss ran away."""
    top = max(values, default=1.0)
    usual = max(wanted, default=1.0)
    if usual > 0 and top > 10 * usual:
        low = math.floor(math.log10(max(min((v for v in values if v > 0), default=usual), usual / 1000)))
        high = math.ceil(math.log10(top))
        decades = list(range(low, high + 1, max(1, (high - low) // 6)))
        return _scale(low, high, lambda v: math.log10(max(v, 10.0**low))), [10.0**power for power in decades]
    bottom = min([0.0, *values])
    top = top if top > bottom else bottom + 1
    return _scale(bottom, top, lambda v: v), [bottom + (top - bottom) * i / 4 for i in range(5)]


def _scale(low: float, high: float, shape: Callable[[float], float]) -> Callable[[float], float]:
    return lambda value: 12 + (1 - (shape(value) - low) / (high - low)) * (HEIGHT - BOTTOM - 12)


def _frame(ticks: Sequence[float], up: Callable[[float], float], steps: int) -> Iterator[str]:
    for tick in ticks:
        y = up(tick)
        yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - 20}" y2="{y:.1f}"/>'
        yield f'<text class="label" x="{LEFT - 8}" y="{y + 4:.1f}">{tick:.3g}</text>'
    for step in sorted({1, *range(5, steps + 1, max(5, steps // 6)), steps}):
        yield f'<text class="tick" x="{_across(steps)(step - 1):.1f}" y="{HEIGHT - 12}">{step}</text>'
