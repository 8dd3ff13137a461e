"""Lines that say in a person's words that there is nothing to install, and of what, as far as they say.

Installers' own complaints are read by ``installers``; here are notes, sentences and captions: ``no wheel``,
``pip refuses 2.12.0``, ``the plugin does not support 3.13``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.facts.pasted import NO_WHEEL, REFUSED, SYSTEM, Lacking
from compat.probe.pasted.lines import Log
from compat.probe.pasted.mention import told
from compat.probe.pasted.packages import normalized

_WORDS = re.compile(
    rb"\b[Nn]o (?:[\w.-]{1,30} ){0,4}(?:[Ww]heels?|binar(?:y|ies))\b(?! found for)"
    rb"|\b(?:lacks?|without|never had|misses) (?:an? |any )?(?:[\w.-]{1,30} ){0,3}wheels?\b"
    rb"|\b[Nn]o matching distribution(?! found for [A-Za-z])"
    rb"|\b(?:[Nn]othing (?:was )?found|[Ff]ound nothing)\b"
    rb"|\b[Nn]o (?:such )?(?:package )?versions?\b"
    rb"(?= (?:of|for|that|is|are|was|v?\d|[=<>~(]|found|available|to be|set)|\s{0,3}(?:[.,;:)\n]|$))"
    rb"|\b(?:can(?:no|')t|could(?: not|n't)|unable to|impossible to) (?:be )?install"
    rb"|(?:\bnot|n't) (?:be )?(?:installable|available (?:for|on) "
    rb"(?:[Pp]ython|arm|x86|mac|[Aa]pple|[Ii]ntel|M[1-9])|found on (?:PyPI|pypi|the index))"
    rb"|\bpip3? (?:refuses|rejects)\b"
    rb"|(?:n't|\b(?:not|no|without|lacks)) [Ss]upport(?:ed)?(?: (?:for|on|by|with|under))?\b"
    rb"|\b[Nn]o (?:arm64|aarch64|x86_64|[Aa]pple [Ss]ilicon|cp3\d{1,2})\b"
)
_REFUSED = re.compile(rb"\.whl[^\n]{0,40} is not a supported wheel")
_SYSTEM = re.compile(
    rb"\bmac ?OS(?: version)?[^\n]{0,30}\b(?:too old|not supported|unsupported|older than)\b"
    rb"|\b(?:requires|needs|only (?:available )?on) mac ?OS 1[1-9]"
)
_NAMES = re.compile(
    r"(?<![\w.-])((?:[Tt]ensor[Ff]low|tf|tfx)(?:[-_](?:macos|metal|cpu|gpu|intel|text|io[-_]gcs[-_]filesystem|io|addons|"
    r"probability|models[-_]official|transform|data[-_]validation|bsl|keras))?|[Mm]etal(?: plugin)?|"
    r"(?:the|[Aa]pple'?s?) plugin)(?![\w-])",
    re.IGNORECASE,
)
_ALIASES = {
    "tf": "tensorflow", "tf-text": "tensorflow-text", "tf-macos": "tensorflow-macos", "tf-io": "tensorflow-io",
    "tf-metal": "tensorflow-metal", "tf-gpu": "tensorflow-gpu", "tf-cpu": "tensorflow-cpu",
    "tf-addons": "tensorflow-addons", "tf-probability": "tensorflow-probability",
    "tf-transform": "tensorflow-transform", "tfx": "tfx-bsl", "metal": "tensorflow-metal",
    "metal-plugin": "tensorflow-metal",
}  # fmt: skip
"""What people call distributions; names that are none on the index are told apart from loose talk."""
_SPOKEN = frozenset({"tf", "tfx", "metal", "metal-plugin"})
"""``tfx`` stands for the native part that it requires."""
_VERSION = re.compile(r"(?<![\w.])v?([12]\.\d{1,2}(?:\.\d{1,2})?(?:rc\d)?|0\.\d{1,2}\.\d{1,2})(?![\w])(?!\.\d)")
_PYTHON = re.compile(r"(?:cp3(\d{1,2})|(?<![\w.])3\.(\d{1,2})(?:\.\d{1,2})?\+?)(?!\w)")
_ARCHITECTURE = re.compile(r"\b(arm64|aarch64|x86_64|[Aa]pple [Ss]ilicon|M[1-5]\b|Intel)")
_COMMAND = re.compile(r"\b(?:pip3?|uv|conda|mamba|poetry|pipenv)\b[^\n]{0,20} (?:install|add) ([^\n]{1,200})")
_ABOVE = 6
"""Lines above a complaint within which the command stands that it answers."""
_BEHIND = 14
"""Characters behind a name within which its version ends: ``==2.16.1``, `` (v2.15.0)``."""
_MOST = 20


def lacking(log: Log) -> Iterator[Lacking]:
    """Yield each such line once, of the first few."""
    seen: set[int] = set()
    for match in (match for pattern in (_REFUSED, _SYSTEM, _WORDS) for match in told(log, pattern)):
        start, end = log.bounds(match.start())
        if start not in seen and len(seen) < _MOST:
            seen.add(start)
            text = log.data[start:end].decode("utf-8", "replace")
            yield from _said(log, match, text, match.start() - start, match.end() - start)


def _said(log: Log, match: re.Match[bytes], text: str, begin: int, end: int) -> Iterator[Lacking]:
    """Yield what a line says is lacking: of the name nearest to the words, else of what was to be installed."""
    kind = REFUSED if match.re is _REFUSED else SYSTEM if match.re is _SYSTEM else NO_WHEEL
    if kind != NO_WHEEL:
        yield Lacking(line=log.line(match.start()), kind=kind)
        return
    supports = "upport" in text[begin:end]
    name, alias = _nearest(text, begin, end)
    python = _PYTHON.search(text)
    if supports and (not name or python is None):
        return  # what else is not supported is no matter of wheels
    is_bare = b"wheel" not in match[0].lower() and _ARCHITECTURE.fullmatch(text[begin:end].rpartition(" ")[2])
    if is_bare and not name:
        return  # "no arm64": of what, only the line can say
    if not name:
        name, alias = _commanded(log, match.start())
    architecture = _ARCHITECTURE.search(text)
    yield Lacking(
        line=log.line(match.start()),
        name=name,
        version=_version(text, begin, end),
        python=f"3.{python[1] or python[2]}" if python else "",
        architecture=_word(architecture[1]) if architecture else "",
        is_alias=alias,
    )


def _nearest(text: str, begin: int, end: int) -> tuple[str, bool]:
    found = _by_distance(text, begin, end)
    return _called(found[0][1]) if found else ("", False)


def _by_distance(text: str, begin: int, end: int) -> list[re.Match[str]]:
    return sorted(_NAMES.finditer(text), key=lambda hit: min(abs(hit.end() - begin), abs(hit.start() - end)))


def _version(text: str, begin: int, end: int) -> str:
    """Return the version that a line names; where it names several packages, only one that follows the nearest name."""
    names = _by_distance(text, begin, end)
    if len({name[1].lower() for name in names}) > 1:
        text = text[names[0].end() : names[0].end() + _BEHIND]
    found = _VERSION.search(text)
    return found[1] if found else ""


def _called(word: str) -> tuple[str, bool]:
    """Return the distribution that a word means, and whether the word is the name of none."""
    name = normalized(word)
    if name.endswith("plugin"):
        return "tensorflow-metal", False
    return _ALIASES.get(name, name), name in _ALIASES and name not in _SPOKEN


def _commanded(log: Log, at: int) -> tuple[str, bool]:
    """Return what the command above was to install, where it names one of TensorFlow's family."""
    for line in reversed(log.window(at, _ABOVE, 0).split("\n")):
        command = _COMMAND.search(line)
        if command:
            name = _NAMES.search(command[1])
            return _called(name[1]) if name else ("", False)
    return "", False


def _word(text: str) -> str:
    return "x86_64" if text in ("x86_64", "Intel") else "arm64"
