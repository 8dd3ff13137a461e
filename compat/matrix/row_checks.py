"""What must hold of a row by itself: its parts are there, its sets parse, its days are days, its words name nobody.

Each check yields ``(where in the row, what is wrong)``; ``compat.matrix.lint`` adds which row it is and looks across
rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from packaging.requirements import InvalidRequirement, Requirement

from compat.matrix.model import PLATFORMS, TIERS, Affects, Issue, LinkRow, LockEntry, Observation, Repair, Source
from compat.matrix.versions import parse, specifiers

Complaint = tuple[str, str]

SEVERITIES = ("error", "warning", "info")
SOURCE_KINDS = ("report", "article", "note", "vendor", "index", "measured")
RULE_FAMILIES = ("MAC", "PY", "TF", "BIN", "PIN", "NUM", "TRN")
RESULTS = {"works": TIERS, "fails-to-load": ("imports",), "fails-to-run": ("runs",), "wrong-numbers": ("agrees",)}
"""What a run can come to, and the tiers at which it can come to that."""

STEPS = ("import", "fit", "save", "tensorboard")
MACOS_LOCK_TIERS = ("installs", "links")
"""No Mac verifies a lock where locks are made, so none may claim more."""

NOTE = "note:"
"""Begins the url of a public note whose address was not kept; allowed to sources of kind ``note`` alone."""

PERSONAL = ("/Users/", "/home/", "/opt/", "/private/", "/var/", "~/", ":\\", "://", "github.com", "site-packages")
"""Pieces of a place, a person or a project; an error text that holds one matches only its reporter's machine."""

PATTERN = (".*", ".+", "\\d", "\\w", "\\s", "[^", "(?")
"""Pieces of a regular expression: signatures are compared letter by letter."""

DESTRUCTIVE = ("rm ", "sudo ", "rmdir ", "del ", "--break-system-packages")
_SHA256_LENGTH = 64
_FIRST_TENSORFLOW = "2015-11-09"
_SHORTEST_SIGNATURE = 12


def issue(row: Issue, today: str | None) -> Iterator[Complaint]:
    """Check one known problem."""
    yield from _wanted(row, ("title", "symptom", "remedy"))
    if row.severity not in SEVERITIES:
        yield "severity", f"{row.severity!r} is none of {', '.join(SEVERITIES)}"
    if not row.signatures and row.rule is None:
        yield "signatures", "neither a signature nor a rule: nothing could ever point at this issue"
    if row.rule is not None and not is_rule_id(row.rule):
        yield "rule", f"{row.rule!r} is not a rule id"
    yield from sources(row.sources, today)
    if row.severity == "error" and row.sources and all(source.kind == "article" for source in row.sources):
        yield "sources", "second-hand articles alone do not support an error"
    for index, condition in enumerate(row.affects):
        yield from _affects(condition, f"affects[{index}]")
    for index, text in enumerate(row.signatures):
        yield from _signature(text, f"signatures[{index}]")
    for index, text in enumerate(row.commands):
        yield from _command(text, f"commands[{index}]")


def is_rule_id(text: str) -> bool:
    """Tell whether a text is a family's letters and three digits."""
    return text[:-3] in RULE_FAMILIES and text[-3:].isdigit()


def _wanted(row: object, names: Iterable[str]) -> Iterator[Complaint]:
    for name in names:
        if not str(getattr(row, name)).strip():
            yield name, "empty"


def sources(rows: tuple[Source, ...], today: str | None) -> Iterator[Complaint]:
    """Check where a claim comes from: there is a source, it has an address, it was read on a day."""
    if not rows:
        yield "sources", "no source"
    for index, row in enumerate(rows):
        at = f"sources[{index}]"
        if not row.url.startswith("https://") and not (row.kind == "note" and row.url.startswith(NOTE)):
            yield f"{at}.url", f"{row.url!r} is not an https address"
        if row.kind not in SOURCE_KINDS:
            yield f"{at}.kind", f"{row.kind!r} is none of {', '.join(SOURCE_KINDS)}"
        yield from day(row.day, f"{at}.day", today)


def day(text: str, at: str, today: str | None = None) -> Iterator[Complaint]:
    """Check an ISO day: it exists, TensorFlow existed, and it is not to come."""
    try:
        date.fromisoformat(text)
    except ValueError:
        yield at, f"{text!r} is not a day (YYYY-MM-DD)"
        return
    if text < _FIRST_TENSORFLOW:
        yield at, f"{text} is older than TensorFlow"
    if today is not None and text > today:
        yield at, f"{text} is yet to come"


def _affects(row: Affects, at: str) -> Iterator[Complaint]:
    for name in ("versions", "with_versions", "macos", "python"):
        yield from _set(getattr(row, name), f"{at}.{name}")
    if row.package is None:
        yield (
            f"{at}.package",
            "a condition on no package holds everywhere; leave affects empty where a rule or a text tells",
        )
    if row.with_versions is not None and row.with_package is None:
        yield f"{at}.with_versions", "versions of no package"
    for platform in row.platforms:
        yield from _one_of(platform, PLATFORMS, f"{at}.platforms")


def _set(text: str | None, at: str) -> Iterator[Complaint]:
    if text is not None and (not text.strip() or specifiers(text) is None):
        yield at, f"{text!r} is not a PEP 440 set"


def _one_of(text: str, known: tuple[str, ...], at: str) -> Iterator[Complaint]:
    if text not in known:
        yield at, f"{text!r} is none of {', '.join(known)}"


def _signature(text: str, at: str) -> Iterator[Complaint]:
    if len(text) < _SHORTEST_SIGNATURE:
        yield at, f"{text!r} is too short to point at one problem"
    for piece in PERSONAL:
        if piece in text:
            yield at, f"{text!r} holds {piece!r}: it names a place, a person or a project"
    for piece in PATTERN:
        if piece in text:
            yield at, f"{text!r} looks like a regular expression; signatures are literal"


def _command(text: str, at: str) -> Iterator[Complaint]:
    for piece in PERSONAL:
        if piece in text:
            yield at, f"{text!r} holds {piece!r}: it works on one machine only"
    for piece in DESTRUCTIVE:
        if text.startswith(piece) or f" {piece}" in text:
            yield at, f"{text!r} destroys: {piece.strip()!r} is never offered"


def observation(row: Observation, today: str | None) -> Iterator[Complaint]:
    """Check one run, or one claim."""
    yield from _one_of(row.kind, ("run", "claim"), "kind")
    yield from _one_of(row.tier, TIERS, "tier")
    if row.result not in RESULTS:
        yield "result", f"{row.result!r} is none of {', '.join(RESULTS)}"
    elif row.tier in TIERS and row.tier not in RESULTS[row.result]:
        yield "tier", f"a result {row.result!r} is not one of tier {row.tier!r}"
    yield from (_run(row) if row.kind == "run" else _claim(row))
    yield from sources(row.sources, today)


def _run(row: Observation) -> Iterator[Complaint]:
    for name in ("tensorflow", "plugin_version", "python", "macos"):
        text = getattr(row, name)
        if text is not None and parse(text) is None:
            yield name, f"{text!r} is not a version: a run has exactly one"
    if (row.plugin is None) != (row.plugin_version is None):
        yield "plugin_version", "a plugin without its version, or a version without its plugin"
    if not row.what:
        yield "what", "empty: say what was run"
    if row.contradicted_by:
        yield "contradicted_by", "a run is not contradicted: both runs are rows"


def _claim(row: Observation) -> Iterator[Complaint]:
    for name in ("tensorflow", "python", "macos"):
        yield from _set(getattr(row, name), name)


def repair(row: Repair) -> Iterator[Complaint]:
    """Check one constraint that mends drift."""
    try:
        Requirement(row.requirement)
    except InvalidRequirement:
        yield "requirement", f"{row.requirement!r} is not a requirement"
    yield from _set(row.versions, "versions")
    yield from _set(row.python, "python")
    yield from _one_of(row.step, STEPS, "step")
    yield from _wanted(row, ("failure",))
    if not row.packages:
        yield "packages", "a repair of nothing"


def link(row: LinkRow) -> Iterator[Complaint]:
    """Check one judged pair: what it says of loading, of the layer and of what is missing fit together."""
    if row.loads is None and not row.reason:
        yield "reason", "not judged, and nobody says why"
    if row.loads and (row.layer or row.missing):
        yield "layer", "it loads, and yet something is missing"
    if row.loads is False and not (1 <= row.layer <= 3 and row.missing):  # noqa: PLR2004 - dyld's three layers
        yield "layer", "it does not load: layer 1, 2 or 3 and what is missing belong to that"
    for name in ("tensorflow", "plugin_version"):
        if parse(getattr(row, name)) is None:
            yield name, f"{getattr(row, name)!r} is not a version"


def lock_head(row: LockEntry, today: str | None) -> Iterator[Complaint]:
    """Check the head of a lock: known words, days, a name that says its content, no more evidence than there can be."""
    yield from _one_of(row.platform, PLATFORMS, "platform")
    yield from _one_of(row.tier, TIERS, "tier")
    if row.file != lock_name(row):
        yield "file", f"its content calls for {lock_name(row)!r}"
    if row.platform.startswith("macos") and row.tier in TIERS and row.tier not in MACOS_LOCK_TIERS:
        yield "tier", f"a macOS lock was never run, so it cannot be {row.tier!r}"
    if row.tier in TIERS and row.tier not in MACOS_LOCK_TIERS and row.verified_day is None:
        yield "verified", f"tier {row.tier!r} without the day and record of a run"
    yield from day(row.exclude_newer, "exclude_newer", today)
    if row.verified_day is not None:
        yield from day(row.verified_day, "verified.day", today)


def lock_name(row: LockEntry) -> str:
    """Return the file a lock belongs in: ``macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml``."""
    flavour = f"metal-{row.plugin_version}" if row.plugin_version else ("cuda" if row.cuda else "cpu")
    return f"{row.platform}/tensorflow-{row.tensorflow}-{flavour}-cp{row.python.replace('.', '')}.toml"


def is_sha256(text: str) -> bool:
    """Tell whether a text is a SHA-256 in lower-case hexadecimal."""
    return len(text) == _SHA256_LENGTH and not set(text) - set("0123456789abcdef")
