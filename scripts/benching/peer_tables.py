"""README's tables of the peers, from `scripts/results/peers.json`: what each one found, and how long it took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benching.judging import ALARM, FOUND, NAMED, NO_ANSWER, NOTHING, OTHER, QUIET

DASH = "–"
WORDS = {
    FOUND: "**found**, exit {exit}",
    NAMED: "named it, but exit {exit}",
    OTHER: "something else, exit {exit}",
    NOTHING: "nothing, exit {exit}",
    ALARM: "**false alarm**, exit {exit}",
    QUIET: "no alarm, exit {exit}",
    NO_ANSWER: "did not answer, exit {exit}",
}
Record = Mapping[str, Any]
HOW = """\
Found is: one line of its report names the cause, and its exit code fails; the words that count as naming are
the same for all (`scripts/benching/planted.py`), and what each one printed is kept, shortened, in
`scripts/results/peers.json`. rigsolve, mlenvdoctor and env-doctor cannot look at another environment, so each
was installed into a copy of it. They are made for CUDA and PyTorch first: an alarm about a missing GPU or a
missing PyTorch is not counted as the planted cause. pip and they see the Mac's files as an environment of this
Linux; uv is told the platform. Where TensorFlow's own import prints a warning (NumPy's does), it is the
library's and not the tool's. env-doctor asks for newer data over the network when it starts, and takes what it
brings where there is no answer."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def found(record: Record) -> str:
    """Return what each tool found, and how that was judged."""
    tools = [tool["name"] for tool in record["tools"]]
    cells = {(cell["environment"], cell["tool"]): cell for cell in record["cells"]}
    rows = []
    for name in tools:
        spoilt = cells[record["environments"][0]["id"], name].get("exit")
        line = [cell_text(cells[one["id"], name], spoilt) for one in record["environments"]]
        rows.append([f"`{name}`", *line])
    head = ["asked", *(one["title"] for one in record["environments"])]
    causes = "\n".join(f"- {one['title']}: {one['cause']}" for one in record["environments"])
    return f"{table(head, rows)}\n\n{causes}\n\n{HOW}\n\n{versions(record)}"


def cell_text(cell: Record, alarm: int | None = None) -> str:
    """Return one cell; ``alarm`` is the tool's exit code on the healthy environment, no news elsewhere."""
    if "why" in cell:
        return str(cell["why"])
    text = WORDS[cell["found"]].format(exit="none" if cell["exit"] is None else cell["exit"])
    if cell["found"] == OTHER and cell["exit"] == alarm:
        text += " (its exit on the healthy one too)"
    if "exits" in cell:
        text += f" (not always: {', '.join(cell['exits'])})"
    return text


def versions(record: Record) -> str:
    """Return the versions, and what the peers' own installation replaced in the copies they were asked in."""
    names = list(dict.fromkeys(tool["version"] for tool in record["tools"]))
    spoken = [tool for tool in record["tools"] if tool["changed"]]
    changed = [f"{tool['version']} replaced {', '.join(tool['changed'])}" for tool in spoken]
    return f"Asked were {', '.join(names)}." + (f" In the copies {'; '.join(changed)}." if changed else "")


def speed(record: Record) -> str:
    """Return the seconds, and the rows of our own that have an aim."""
    tools = [tool["name"] for tool in record["tools"]]
    cells = {(cell["environment"], cell["tool"]): cell for cell in record["cells"]}
    rows = [[f"`{name}`", *(seconds_text(cells[one["id"], name]) for one in record["environments"])] for name in tools]
    head = ["seconds (× `doctor --no-smoke`)", *(one["title"] for one in record["environments"])]
    own = [[row["what"], row["peer"], *times(row), ratio_text(row), aim_text(row)] for row in record["speed"]]
    how = f"medians of {record['runs']} rounds in which each tool ran once in turn, bytecode and disk warm"
    foot = f"{record['machine']}, {record['day']}, {how}: `{record['command'].strip()}`."
    ours = table(["ours", "peer", "ours, s", "peer, s", "ratio", "aim"], own)
    return f"{table(head, rows)}\n\n{ours}\n\n{foot}"


def seconds_text(cell: Record) -> str:
    if "why" in cell:
        return DASH
    times = f" (× {cell['times_ours']:.2f})" if "times_ours" in cell else ""
    return f"{cell['seconds']:.2f}{times}"


def times(row: Record) -> list[str]:
    return [f"{row[key]:.3f}" for key in ("seconds", "peer_seconds")]


def ratio_text(row: Record) -> str:
    return f"{row['ratio']:.2f}" if "ratio" in row else DASH


def aim_text(row: Record) -> str:
    if row.get("limit_ratio"):
        return f"≤ {row['limit_ratio']}"
    return f"≤ {row['limit_seconds']} s" if row.get("limit_seconds") else DASH
