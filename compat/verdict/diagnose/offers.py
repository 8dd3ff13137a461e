"""Causes from what installers could not get: no wheel for this Python, this architecture, this system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compat.facts.pasted import ASKED, Line, Pasted, Stated
from compat.matrix.load import Matrix
from compat.matrix.model import Issue
from compat.matrix.query import APPLE_PLUGIN
from compat.matrix.versions import contains, order, ranges
from compat.verdict.diagnose.affected import fit
from compat.verdict.diagnose.cause import HIGH, LOW, MEDIUM, Cause
from compat.verdict.diagnose.fingerprint import Reading, is_wanted, serving
from compat.verdict.diagnose.picture import Picture, releases_of
from compat.verdict.diagnose.signed import is_empty, unstated
from compat.verdict.finding import Evidence, Remedy
from compat.verdict.rules.interpreter import HONEST_PIP
from compat.verdict.rules.remedies import NEW_ENVIRONMENT

ADDONS = frozenset(
    {"tensorflow-text", "tensorflow-io", "tensorflow-addons", "tf-models-official", "tensorflow-io-gcs-filesystem"}
)
_INSTALLERS_WORDS = ("the requirement", "matching distribution", "wheels with a matching", "installation candidates")
_FEW = 2
"""Platforms that are named one by one."""
_NEAR = 3
"""Lines between the two that pip prints of one complaint."""
_OLD_PIP = "<20.3"
"""pip that knows no tags of macOS 11 and newer (pip 20.3 notes)."""


def from_offers(readings: tuple[Reading, ...], pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield a cause for each complaint that the wheels explain."""
    for reading in readings:
        named = _named_by_signature(reading, pasted, picture, matrix)
        if _is_intel_list(reading, picture):
            yield _intel_python(reading, HIGH, matrix)
        elif _would_be_served_natively(reading, picture, matrix):
            yield _intel_python(reading, MEDIUM, matrix)
        if is_empty(reading.offered) and reading.has_wheel is None and is_old_pip(picture, matrix):
            yield old_pip(reading.offered.line, picture, matrix)
        elif reading.has_wheel is False:
            yield _no_wheel(reading, _issue(reading, picture, matrix) or named, picture, matrix)
        elif reading.offered.is_list and not reading.offered.versions and reading.targets:
            yield from _nothing_though_there_is(reading, named, picture, matrix)


def _is_intel_list(reading: Reading, picture: Picture) -> bool:
    """Tell whether an Apple-silicon Mac was shown a list that only an x86_64 Python is shown."""
    platforms = {target.platform for target in reading.listed if target.platform.startswith("macos")}
    on_silicon = picture.hardware == ("arm64",) and picture.os == ("macos",)
    return bool(reading.offered.versions) and on_silicon and platforms == {"macos-x86_64"}


def _would_be_served_natively(reading: Reading, picture: Picture, matrix: Matrix) -> bool:
    """Tell whether on Apple silicon an arm64 Python is served today what was asked for, and an x86_64 one never."""
    offered = reading.offered
    both = ("macos-arm64", "macos-x86_64")
    if not offered.versions or picture.hardware != ("arm64",) or picture.os != ("macos",) or not reading.targets:
        return False
    arm, intel = (serving(offered.name, offered.specifier, platform, matrix) for platform in both)
    return (
        "macos-x86_64" in reading.platforms
        and set(reading.pythons) <= set(arm)
        and not set(reading.pythons) & set(intel)
    )


def _intel_python(reading: Reading, confidence: str, matrix: Matrix) -> Cause:
    rows = (row for row in matrix.issues() if row.rule == "PY201" and row.affects and row.withdrawn is None)
    issue = next(rows, None)
    return Cause(
        id=issue.id if issue else "PY201",
        issue=issue.id if issue else None,
        title="an x86_64 Python on Apple silicon: pip offers it the wheels of Intel Macs only",
        confidence=confidence,
        line=reading.offered.line,
        rule="PY201",
        remedy=Remedy(
            text="make a new environment with an arm64 Python, and do not copy this one", commands=(NEW_ENVIRONMENT,)
        ),
        verify="python -c 'import platform; print(platform.machine())'",
        evidence=(_evidence(reading),),
        missing=() if confidence == HIGH else ("process", "day"),
        is_final=True,
        is_proved=True,
    )


def _named_by_signature(reading: Reading, pasted: Pasted, picture: Picture, matrix: Matrix) -> Issue | None:
    """Return the known problem whose signature stands in the complaint, the longest first.

    One of another rule than the wheels' only where the stated facts leave it possible.
    """
    offered, rule = reading.offered, _rule(reading.offered.name, reading)
    near = {
        hit.signature for hit in pasted.hits if 0 <= hit.line.number - offered.line.number <= _NEAR and hit.signature
    }
    found = [
        (len(signature), issue)
        for issue in matrix.issues()
        if issue.withdrawn is None
        for signature in issue.signatures
        if signature in near and (issue.rule == rule or fit(issue, picture, matrix).possible)
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _no_wheel(reading: Reading, issue: Issue | None, picture: Picture, matrix: Matrix) -> Cause:
    """Nothing asked for has a wheel on any target that list and facts leave: which of them it is does not matter."""
    offered = reading.offered
    is_known = any(is_wanted(offered.specifier, row.version) for row in matrix.releases(offered.name))
    suits = issue is not None and fit(issue, picture, matrix).possible
    rule = _rule(offered.name, reading)
    return Cause(
        id=issue.id if issue else rule,
        title=_title(reading),
        confidence=HIGH if is_known and (issue is None or suits) else MEDIUM,
        line=offered.line,
        remedy=_remedy(reading, issue, matrix),
        rule=rule,
        issue=issue.id if issue else None,
        evidence=(_evidence(reading),),
        missing=() if is_known else (offered.name,),
        is_final=True,
        is_proved=True,
    )


def _title(reading: Reading) -> str:
    offered = reading.offered
    platforms = "any platform" if len(reading.platforms) > _FEW else ", ".join(reading.platforms)
    where = f"Python {ranges(reading.pythons)} on {platforms}" if reading.targets else "this Python"
    return f"no wheel of {offered.name}{offered.specifier} for {where}"


def _evidence(reading: Reading) -> Evidence:
    offered = reading.offered
    if not offered.is_list:
        said = "the installer found no fitting file"
    elif not offered.versions:
        said = "pip was offered no version at all"
    else:
        first, last = min(offered.versions, key=order), max(offered.versions, key=order)
        said = f"pip was offered {len(offered.versions)} versions, {first} to {last}"
    targets = reading.targets or reading.listed
    pythons = sorted({target.python for target in targets}, key=order)
    platforms = ", ".join(dict.fromkeys(target.platform for target in targets))
    return Evidence(
        fact=f"{said}, as Python {ranges(pythons)} on {platforms} is" if targets else said,
        source=f"matrix: releases/{offered.name}",
        tier="installs",
    )


def _issue(reading: Reading, picture: Picture, matrix: Matrix) -> Issue | None:
    """Return the known problem that describes it: of those about this distribution the one whose conditions hold."""
    offered = reading.offered
    version = offered.specifier[2:] if offered.specifier.startswith("==") else ""
    asked = Stated(name=offered.name, value=version, how=ASKED, line=offered.line)
    here = replace(picture, packages={**picture.packages, offered.name: (asked,)})
    for issue in matrix.issues():
        about = tuple(row for row in issue.affects if row.package == offered.name and row.with_package is None)
        if about and is_about_wheels(issue) and fit(replace(issue, affects=about), here, matrix).is_sure:
            return issue
    return None


def is_about_wheels(issue: Issue) -> bool:
    """Tell whether a known problem shows itself in what installers say: others of a release are no answer here."""
    return issue.withdrawn is None and any(word in sign for sign in issue.signatures for word in _INSTALLERS_WORDS)


def _rule(name: str, reading: Reading) -> str:
    if name == APPLE_PLUGIN:
        return "PY205"
    if name == "tensorflow-cpu" and reading.platforms == ("macos-arm64",):
        return "TF305"
    return "TF316" if name in ADDONS else "PY204"


def _remedy(reading: Reading, issue: Issue | None, matrix: Matrix) -> Remedy:
    offered = reading.offered
    platform = reading.platforms[0] if len(reading.platforms) == 1 else None
    words = ""
    if platform:
        pythons = serving(offered.name, offered.specifier, platform, matrix)
        what = f"{offered.name}{offered.specifier}"
        words = f"on {platform} {what} has wheels for Python {ranges(pythons)}"
        words = words if pythons else f"{what} has no wheel on {platform}"
    if issue:
        words = f"{words}. {issue.remedy}" if words else issue.remedy
    commands = issue.commands if issue and issue.commands else (NEW_ENVIRONMENT,)
    return Remedy(text=words or "use a Python that has a wheel", commands=commands)


def _nothing_though_there_is(
    reading: Reading, named: Issue | None, picture: Picture, matrix: Matrix
) -> Iterator[Cause]:
    """An empty list where the matrix knows wheels: an old pip, a hidden macOS, or a log older than those wheels."""
    if is_old_pip(picture, matrix):
        yield old_pip(reading.offered.line, picture, matrix)
    elif picture.os == ("macos",) and picture.shim:
        yield hidden_macos(reading.offered.line, matrix)
    elif reading.first_day and len(reading.pythons) == 1 and len(reading.platforms) == 1:
        title = f"{reading.offered.name} has wheels for Python {reading.pythons[0]} on {reading.platforms[0]} only"
        facts = unstated(picture)
        confidence = LOW if facts else MEDIUM  # the list alone left one Python and platform
        missing = tuple(dict.fromkeys((*facts, "day", "pip")))
        cause = _later(reading, f"{title} since {reading.first_day}", confidence, missing)
        yield replace(cause, id=named.id, issue=named.id) if named else cause


def is_old_pip(picture: Picture, matrix: Matrix) -> bool:
    """Tell whether pip's stated version is older than the tags of the stated macOS (11 or newer, if none is stated)."""
    pips = [version for row in picture.versions("pip") for version in releases_of(row, matrix)]
    new = all(int(value.split(".")[0]) >= 11 for value in picture.macos)  # noqa: PLR2004 - macOS 11
    return picture.os == ("macos",) and new and bool(pips) and all(contains(_OLD_PIP, version) for version in pips)


def old_pip(line: Line, picture: Picture, matrix: Matrix) -> Cause:
    """Return the cause that pip is too old; only likely where its version is not stated."""
    issue = _of_rule("PY207", matrix)
    pips = [row.value for row in picture.versions("pip")]
    return Cause(
        id=issue.id if issue else "PY207",
        issue=issue.id if issue else None,
        rule="PY207",
        title=f"pip {pips[0] if pips else 'before 20.3'} knows no wheels for macOS 11 and newer",
        confidence=MEDIUM if pips else LOW,
        line=line,
        remedy=Remedy(text="upgrade pip", commands=("python -m pip install -U pip",)),
        evidence=(Evidence(fact="pip reads the tags of macOS 11 from 20.3 on", source="pip's notes on release 20.3"),),
        missing=() if pips else ("pip", "process"),
        is_final=True,
        is_proved=bool(pips),
    )


def hidden_macos(line: Line, matrix: Matrix) -> Cause:
    """Return the cause that programs are told macOS 10.16."""
    issue = _of_rule("MAC102", matrix)
    return Cause(
        id=issue.id if issue else "MAC102",
        issue=issue.id if issue else None,
        rule="MAC102",
        title="Python is told macOS 10.16, so no wheel for macOS 11 or newer is offered to it",
        confidence=MEDIUM,
        line=line,
        remedy=Remedy(
            text=f"set SYSTEM_VERSION_COMPAT=0 for the install, or take pip {HONEST_PIP} or newer, or a newer Python",
            commands=("SYSTEM_VERSION_COMPAT=0 python -m pip install -U pip",),
        ),
        evidence=(Evidence(fact="the text shows macOS told as 10.16"),),
        missing=("pip",),
        is_final=True,
        is_proved=True,
    )


def _of_rule(rule: str, matrix: Matrix) -> Issue | None:
    return next((row for row in matrix.issues() if row.rule == rule and not row.withdrawn), None)


def _later(reading: Reading, title: str, confidence: str, missing: tuple[str, ...]) -> Cause:
    """Return that the wheels came later than such a log, or that the interpreter is another one."""
    return Cause(
        id="PY204",
        title=title,
        confidence=confidence,
        line=reading.offered.line,
        rule="PY204",
        remedy=Remedy(
            text="a log from before that day shows a Python too new for its time, which can be served now: upgrade pip "
            "and try again; else the interpreter is not what the text says",
            commands=("python -m pip install -U pip",),
        ),
        evidence=(_evidence(reading),),
        missing=missing,
        is_final=True,
        is_proved=True,
    )
