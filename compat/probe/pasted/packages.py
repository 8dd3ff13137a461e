"""Versions of packages as texts state them: installers' lines, tables, file names, ``__version__``, forms, prose.

Every pattern begins with literal letters, so that a pass over a log is quick, and bounds what it repeats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from compat.facts.pasted import ASKED, FAILED, SAID, SEEN
from compat.probe.pasted.lines import Log, unframed
from compat.probe.pasted.mention import SAME_TEXT, Mention, told
from compat.probe.pasted.outcomes import outcomes, unloadable
from compat.probe.pasted.wording import is_about_elsewhere, is_range

_V = rb"[vV]?(\d{1,4}\.(?:\d{1,4}|[xX*])(?:\.(?:\d{1,6}|[xX*])){0,2}(?:[.-]?(?:rc|post|dev|a|b)\.?\d{1,3})?)"
_GAP = rb"(\s?==\s?|=|-|(?:[ \t|:(,\"'`*@]|is|version|Version|VERSION){1,60})"
_TENSORFLOW = re.compile(
    rb"ensor[Ff]low((?:[-_ ](?:macos|metal[-_]plugin|metal|cpu[-_]aws|cpu|gpu|intel|text|io[-_]gcs[-_]filesystem|io"
    rb"|addons|probability|hub|datasets|estimator|aarch64|model[-_]optimization))?)(?:\[[\w,-]{1,40}\])?" + _GAP + _V
)
_OTHERS = ("keras", "numpy", "protobuf", "h5py", "ml-dtypes", "typing-extensions", "setuptools", "tensorboard", "wrapt",
           "grpcio", "pip", "jax")  # fmt: skip
_FORM = re.compile(rb"ensor[ -]?[Ff]low [Vv]ersion(?: \(use command below\))?([^\n]{0,160})")
_VERSION_OF = re.compile(rb"__version__\)?[^\n\d]{0,30}\n?(?:Out ?\[\d{1,4}\]: ?)?[>\s'\"]{0,8}" + _V)
_SHOW = re.compile(rb"Name: ([\w.-]{2,60})\s{1,6}Version: (\S{1,40})")
_SATISFIED = re.compile(rb"Requirement already satisfied: ([\w.-]{2,60})[^\n]{0,400}\((\d[\w.]{0,30})\)\s{0,4}(?=\n|$)")
_BUT_HAVE = re.compile(rb"but you(?:'ll)? have ([\w.-]{2,60}) (\d[\w.]{0,30}) ")
_REQUIRES = re.compile(rb" (?:requires|has requirement) ")
_REQUIRER = re.compile(rb"([A-Za-z][\w.-]{1,60}) (\d[\w.]{0,30})$")
_INSTALLED = re.compile(rb"Successfully installed ([^\n]{1,20000})")
_BUILT_FOR = re.compile(rb"cannot be run in\s{1,12}[>|]?\s{0,4}NumPy (\d[\w.]{1,20})")
_DESCRIBED = re.compile(rb"v\d{1,2}\.\d{1,3}\.\d{1,3}(?:-rc\d)?-\d{1,6}-g[0-9a-f]{6,12}")
_RANGE = re.compile(
    rb"ensor[Ff]low((?:[-_](?:macos|metal|cpu|intel))?)(?:\[[\w,-]{1,40}\])?[ \t]{0,3}"
    rb"((?:(?:[<>]=?|~=|!=)[ \t]?\d{1,4}(?:\.\d{1,4}){1,2}(?:\.?(?:rc|a|b)\d{1,3})?[ \t]{0,2},?[ \t]{0,2}){1,4})"
)
_REQUIREMENT = re.compile(
    r"['\"]?tensor[Ff]low(?:[-_]\w{3,8})?(?:\[[\w,-]{1,40}\])?\s{0,3}(?:(?:[<>=]=?|~=|!=)\s?[\w.]{1,20}\s{0,2},?\s{0,2}){1,4}"
    r"['\"]?,?(?:\s{0,8}[;#].{0,200})?"
)
"""A line of a requirements file, of a list of dependencies or of notes: nothing but one distribution and its range."""
_COMPARED = re.compile(rb"(?m)(?<![\w.-])([A-Za-z][\w-]{2,40}) ?((?:[<>]=?|==) ?\d[^\n]{3,200})")
"""A name with a comparison, and the rest of its line."""
_UNLOADABLE = re.compile(rb"(?:load|import|work|fails?|breaks|crashes) (?:on|with|beside|under|in)\b")
_SENTENCE = 400
"""Bytes of a line that a person writes; outcomes are read no further."""
_OTHER = re.compile(r"\b(?:[Tt]ensor[Ff]low|[Kk]eras|numpy|[Mm]etal|[Pp]ython|macOS|CUDA)\b")
_BARE = re.compile(_V + rb"(?![\w.-])")
_TOKEN = re.compile(r"([A-Za-z][\w.-]*?)-(\d[\w.]*)")
_ROW = re.compile(r"([A-Za-z][\w.-]{1,60})[\s|]+(\d[\w.+!]*)(?=[\s|]|$)")
_TABLES = (re.compile(rb"Package {1,80}\|? {0,4}Version"), re.compile(rb"# Name {1,80}Version"))
_TABLE_ROWS = 600
_GONE = re.compile(r"[Uu]ninstall|Found existing installation|Would remove|WARNING: Ignoring invalid")
_ASKED = re.compile(
    r"==|\binstall\b|Collecting|equirement|Downloading|Using cached|matching distribution|conda create|depends on"
)
_FROZEN = re.compile(r"[\w.-]+==[\w.]+")
"""A line of ``pip freeze`` or of a requirements file."""
_SEEN = re.compile(
    r"dist-info|Successfully installed|which is incompatible| requires |__version__|site-packages/tensor"
)

_ALIASES = {"tensorflow-metal plugin": "tensorflow-metal-plugin"}
_MODULES = {"tf": "tensorflow", "tensorflow": "tensorflow", "np": "numpy", "numpy": "numpy", "keras": "keras",
            "tensorboard": "tensorboard", "protobuf": "protobuf", "google.protobuf": "protobuf", "h5py": "h5py",
            "setuptools": "setuptools", "ml_dtypes": "ml-dtypes", "tf_keras": "tf-keras"}  # fmt: skip


def versions(log: Log) -> Iterator[Mention]:
    """Yield every package version the text states, with how it is stated."""
    yield from _tables(log)
    yield from _installers(log)
    yield from _modules(log)
    yield from _form(log)
    yield from _ranges(log)
    for name, pattern in _patterns():
        yield from _named(log, name, pattern)


def normalized(name: str) -> str:
    """Return a name as PEP 503 compares it."""
    return re.sub(r"[-_. ]+", "-", name.strip()).lower()


def _patterns() -> Iterator[tuple[str, re.Pattern[bytes]]]:
    yield "tensorflow", _TENSORFLOW
    for name in _OTHERS:
        stem = re.escape(name[1:]).replace(r"\-", "[-_]").encode()
        yield name, re.compile(stem + rb"()" + _GAP + _V)


def _named(log: Log, name: str, pattern: re.Pattern[bytes]) -> Iterator[Mention]:
    initials = (name[0] + name[0].upper()).encode()
    seen: Counter[bytes] = Counter()
    for match in pattern.finditer(log.data):
        seen[match[0]] += 1
        start = match.start() - 1
        if seen[match[0]] > SAME_TEXT or start < 0 or log.data[start] not in initials:
            continue
        if log.data[max(0, start - 1) : start].isalnum() or log.data[max(0, start - 1) : start] in (b"-", b"_", b"."):
            continue  # the end of another name: tf-keras, standard_keras
        yield from _stated(log, name + match[1].decode(), match, start)


def _stated(log: Log, name: str, match: re.Match[bytes], start: int) -> Iterator[Mention]:
    value, end = match[3].decode(), match.end()
    begin, stop = log.bounds(start)
    before = log.data[begin:start].decode("utf-8", "replace")
    after = log.data[end:stop].decode("utf-8", "replace")
    context = before + match[0].decode("utf-8", "replace") + after
    if "from versions" in before or _GONE.search(context) or is_range(before, after):
        return
    if after[:1].isalnum() or after.startswith("/"):
        return
    failed = tuple(_failed(match[3].decode() + after))
    if failed:
        yield from (Mention(normalized(name), version, FAILED, start) for version in failed)
        return
    how = SAID if _FROZEN.fullmatch(unframed(context)) else _how(match[2].decode(), context)
    if how == SAID and is_about_elsewhere(before, after):
        return
    yield Mention(_ALIASES.get(name.lower(), normalized(name)), _tidy(value), how, start)


def _failed(rest: str) -> Iterator[str]:
    """Yield the versions that a line's rest says to fail beside others that do not."""
    other = _OTHER.search(rest)
    found = outcomes(rest[: min(other.start() if other else _SENTENCE, _SENTENCE)])
    if len({failed for _, failed in found}) > 1:
        yield from (version for version, failed in found if failed)


def _ranges(log: Log) -> Iterator[Mention]:
    """Yield what is required beside a plugin, ranges that fail, and those that it is said not to load on."""
    if b"etal" not in log.data:
        return  # without a plugin nothing follows from a range
    for match in _RANGE.finditer(log.data):
        start = match.start() - 1
        if start >= 0 and log.data[start : start + 1] in b"tT" and _is_short(log, start):
            line = unframed(log.raw(start))
            if _REQUIREMENT.fullmatch(line):
                value = re.sub(r"\s", "", match[2].decode()).rstrip(",")
                yield Mention(normalized(f"tensorflow{match[1].decode()}"), value, SAID, start)
    yield from _failed_ranges(log)
    for match in _UNLOADABLE.finditer(log.data):
        pair = unloadable(log.raw(match.start())) if _is_short(log, match.start()) else None
        if pair:
            yield Mention("tensorflow-metal", pair[0], FAILED, match.start())
            yield Mention("tensorflow", pair[1], FAILED, match.start())


def _failed_ranges(log: Log) -> Iterator[Mention]:
    """Yield the ranges that fail, of lines that tell of others that do not."""
    for match in told(log, _COMPARED):
        for version in _failed(match[2].decode("utf-8", "replace")):
            yield Mention(normalized(match[1].decode()), version, FAILED, match.start())


def _is_short(log: Log, at: int) -> bool:
    start, end = log.bounds(at)
    return end - start <= _SENTENCE


def _how(joint: str, context: str) -> str:
    if joint.strip() == "-" and "dist-info" not in context and "Successfully installed" not in context:
        return ASKED
    if _SEEN.search(context):
        return SEEN if "==" not in joint else ASKED
    return ASKED if _ASKED.search(context) or joint.strip() in ("==", "=") else SAID


def _tidy(value: str) -> str:
    """Return a version without a leading v; ``2.20.x`` as ``2.20``."""
    return re.sub(r"(?:\.[xX*])+$", "", value.lstrip("vV"))


def _tables(log: Log) -> Iterator[Mention]:
    """Rows of ``pip list`` and ``conda list``."""
    for pattern in _TABLES:
        for header in pattern.finditer(log.data):
            for at, raw in log.after(header.start(), _TABLE_ROWS):
                row = unframed(raw)
                if row and set(row) <= set("-| +"):
                    continue
                match = _ROW.match(row)
                if match is None:
                    break
                yield Mention(normalized(match[1]), match[2], SEEN, at)


def _installers(log: Log) -> Iterator[Mention]:
    for match in _INSTALLED.finditer(log.data):
        for name, value in _TOKEN.findall(match[1].decode("utf-8", "replace")):
            yield Mention(normalized(name), value.rstrip("."), SEEN, match.start())
    for pattern in (_SHOW, _SATISFIED, _BUT_HAVE):
        for match in pattern.finditer(log.data):
            yield _pair(match)
    for verb in _REQUIRES.finditer(log.data):
        requirer = _REQUIRER.search(log.data[max(0, verb.start() - 100) : verb.start()])
        if requirer:
            yield _pair(requirer, verb.start())
    for match in _BUILT_FOR.finditer(log.data):
        yield Mention("numpy", match[1].decode(), SEEN, match.start())


def _pair(match: re.Match[bytes], at: int | None = None) -> Mention:
    name, value = match[1].decode(), match[2].decode().rstrip(".")
    return Mention(normalized(name), value, SEEN, match.start() if at is None else at)


def _modules(log: Log) -> Iterator[Mention]:
    for match in _VERSION_OF.finditer(log.data):
        owner = re.search(rb"([\w.]{1,40})\.$", log.data[max(0, match.start() - 41) : match.start()])
        name = _MODULES.get(owner[1].decode("ascii", "replace")) if owner else None
        if name:
            yield Mention(name, _tidy(match[1].decode()), SEEN, match.start())


def _form(log: Log) -> Iterator[Mention]:
    """The field *TensorFlow version* of an issue form: its value stands behind it, or on one of the next lines."""
    for match in _FORM.finditer(log.data):
        lines = [match[1], *(raw.encode() for _, raw in log.after(match.end(), 3))]
        value = next((found for line in lines if (found := _form_value(line))), None)
        if value:
            yield Mention("tensorflow", value, SAID, match.start())


def _form_value(line: bytes) -> str | None:
    text = _DESCRIBED.sub(b" ", line)
    found = [
        match[1].decode()
        for match in _BARE.finditer(text)
        if not is_range("", text[match.end() :].decode("utf-8", "replace"))
    ]
    if found:
        return _tidy(found[-1])
    described = _DESCRIBED.search(line)
    return ".".join(described[0].decode().lstrip("v").split(".")[:2]) if described else None
