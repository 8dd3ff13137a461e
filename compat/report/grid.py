"""The grid of a place for readers: TensorFlow × plugin, in each cell the tier reached or the tier it fails at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compat.matrix.model import LockEntry
from compat.matrix.versions import order, ranges
from compat.plan.evidence.grid import Grid, Row
from compat.plan.evidence.standing import Standing
from compat.report.known import place_words
from compat.report.markdown import escape
from compat.report.style import Style

GAP = "  "


def grid_text(grid: Grid, style: Style) -> str:
    """Return the grid as aligned columns, in blocks that fit the width, with a legend of the words used."""
    rows = [row for row in grid.rows if row.alone.pythons]
    lines = [style.paint(_title(grid), "1"), ""]
    for number, block in enumerate(_blocks(grid, rows, style)):
        lines += (
            [*block, ""] if number == 0 else ["further releases of the plugin, where one of them loads:", *block, ""]
        )
    text = "\n".join((*lines, *_notes(grid, rows, style))) + "\n"
    return text if style.unicode else text.replace("–", "-").encode("ascii", "replace").decode("ascii")


def _title(grid: Grid) -> str:
    return f"{place_words(grid.place)}: matrix of {grid.matrix_date}"


def _blocks(grid: Grid, rows: Sequence[Row], style: Style) -> Iterator[list[str]]:
    """Tables of as many plugin releases as fit; from the second on only rows that say more than "does not load"."""
    shown = [number for number, _ in enumerate(grid.plugins) if any(row.cells[number].pythons for row in rows)]
    heads = [grid.plugins[number] for number in shown]
    table = [[cell_text(row.cells[number], style) for number in shown] for row in rows]
    widths = [max(len(_head(head)), *(len(line[at]) for line in table), 0) for at, head in enumerate(heads)]
    fixed = [["tensorflow", "no plugin", "locks (Python)"]]
    fixed += [[row.tensorflow, cell_text(row.alone, style), _locks(row.locks)] for row in rows]
    start = 0
    while start == 0 or start < len(heads):
        end = _fitting(widths, start, fixed, style.width)
        kept = [at for at in range(len(rows)) if start == 0 or _says_more(rows[at], shown[start:end])]
        lines = [[_head(head) for head in heads[start:end]], *(table[at][start:end] for at in kept)]
        left = [fixed[0], *(fixed[at + 1] for at in kept)]
        if len(lines) > 1 or start == 0:
            yield _aligned(left, lines, with_locks=start == 0)
        start = max(end, start + 1)


def _fitting(widths: Sequence[int], start: int, fixed: Sequence[Sequence[str]], width: int) -> int:
    """Return the first column that does not fit a line any more (at least one does)."""
    used = sum(max(len(line[at]) for line in fixed) + len(GAP) for at in ((0, 1, 2) if start == 0 else (0,)))
    end = start
    while end < len(widths) and (end == start or used + widths[end] + len(GAP) <= width):
        used += widths[end] + len(GAP)
        end += 1
    return end


def _says_more(row: Row, columns: Sequence[int]) -> bool:
    return any(row.cells[at].pythons and (row.cells[at].failed != "links" or row.cells[at].mixed) for at in columns)


def _aligned(left: Sequence[Sequence[str]], cells: Sequence[Sequence[str]], *, with_locks: bool) -> list[str]:
    """Each line as padded columns: TensorFlow, no plugin, the plugins, the locks."""
    whole = [
        [name, *([alone] if with_locks else []), *line, *([locks] if with_locks else [])]
        for (name, alone, locks), line in zip(left, cells, strict=True)
    ]
    widths = [max(len(line[at]) for line in whole) for at in range(len(whole[0]))]
    return [GAP.join(text.ljust(size) for text, size in zip(line, widths, strict=True)).rstrip() for line in whole]


def _head(plugin: tuple[str, str]) -> str:
    name, version = plugin
    return f"{name.removeprefix('tensorflow-')} {version}"


def cell_text(cell: Standing, style: Style) -> str:
    """Return one cell: the tier reached, or a cross and the tier at which it fails, or both."""
    cross = "✗" if style.unicode else "x"
    if not cell.pythons:
        return "?" if cell.source_only else "no wheel"
    if cell.needs_macos is not None:
        return f"macOS {cell.needs_macos}+"
    if cell.failed is not None:
        return f"{cell.reached} | {cross} {cell.failed}" if cell.mixed else f"{cross} {cell.failed}"
    return f"{cell.reached}{'!' if any(row.severity != 'info' for row in cell.issues) else ''}"


def _locks(locks: Iterable[LockEntry]) -> str:
    """``cpu 3.9–3.12, 1.2.0 3.9–3.12``: what each group of locks is for, and its Pythons."""
    groups: dict[str, list[str]] = {}
    for row in locks:
        kind = "cuda" if row.cuda else row.plugin_version or "cpu"
        groups.setdefault(kind, []).append(row.python)
    return ", ".join(f"{kind} {ranges(pythons)}" for kind, pythons in groups.items())


def _notes(grid: Grid, rows: Sequence[Row], style: Style) -> Iterator[str]:
    """What was left out, then what the words mean."""
    yield from _left_out(grid)
    cells = [cell for row in rows for cell in (row.alone, *row.cells)]
    texts = [cell_text(cell, style) for cell in cells]
    cross = "✗" if style.unicode else "x"
    yield "highest tier known: installs < links < imports < runs < agrees (numbers match a reference)"
    if any(text.startswith(cross) for text in texts):
        yield f"{cross}: fails at that tier ({cross} links: the binaries do not fit, {cross} agrees: wrong numbers)"
    if any(" | " in text for text in texts):
        yield f"runs | {cross} agrees: reports contradict each other, both are true of their machine"
    if any(text.endswith("!") for text in texts):
        yield "!: a known problem applies; `tfcompat matrix why` names it"
    if any(text.startswith("macOS") for text in texts):
        yield "macOS 13.0+: the plugin's binary was built for a newer macOS than this one"
    if not grid.place.is_mac:
        yield "tensorflow-metal is a plugin for macOS: add --platform macos-arm64 to see what is known of it"


def _left_out(grid: Grid) -> Iterator[str]:
    where = f"{grid.place.platform}" + (f", Python {grid.place.python}" if grid.place.python else "")
    where += f", macOS {grid.place.macos}" if grid.place.macos else ""
    if grid.beyond:
        yield f"no wheel for {grid.place.platform}: tensorflow {_listed(grid.beyond)}"
    empty = [row.tensorflow for row in grid.rows if not row.alone.pythons]
    if empty:
        yield f"no wheel for {where}: tensorflow {_listed(empty)}"
    rows = [row for row in grid.rows if row.alone.pythons]
    for name in dict.fromkeys(name for name, _ in grid.plugins):
        columns = [at for at, plugin in enumerate(grid.plugins) if plugin[0] == name]
        lacking = [at for at in columns if not any(row.cells[at].pythons for row in rows)]
        if lacking and rows:
            built = all(row.cells[at].source_only for row in rows for at in lacking)
            word = "source only, not judged" if built else f"no wheel beside one of TensorFlow for {where}"
            yield f"{word}: {name} {_listed([grid.plugins[at][1] for at in lacking])}"


def _listed(versions: Iterable[str]) -> str:
    return ", ".join(sorted(versions, key=order, reverse=True))


def grid_markdown(grid: Grid) -> str:
    """Return the grid as one GitHub-flavoured table."""
    style = Style(unicode=True)
    rows = [row for row in grid.rows if row.alone.pythons]
    heads = ["tensorflow", "no plugin", *(f"{name} {version}" for name, version in grid.plugins), "locks (Python)"]
    lines = [f"### {escape(_title(grid))}", "", _line(heads), "|" + "---|" * len(heads)]
    for row in rows:
        cells = (cell_text(cell, style) for cell in row.cells)
        lines.append(_line([row.tensorflow, cell_text(row.alone, style), *cells, _locks(row.locks)]))
    return "\n".join((*lines, "", *(f"- {escape(note)}" for note in _notes(grid, rows, style)))) + "\n"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(escape(cell) for cell in cells)} |"
