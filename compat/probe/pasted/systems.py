"""What a text says of the machine: its system and version, its chip, a container, Apple's plugin at work.

Paths and strings that tools print are *seen*; forms and sentences are *said*, and not of this machine where they speak
of another, of examples, or of what works.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.facts.pasted import ASKED, SAID, SEEN
from compat.probe.pasted.lines import Log
from compat.probe.pasted.mention import Mention, Place, places
from compat.probe.pasted.wording import is_about_elsewhere, is_example, is_range

_PLATFORM = re.compile(rb"(macOS|Darwin|Linux|Windows)-(\d{1,3}(?:\.\d{1,6}){0,3})-[\w.+-]{3,100}")
_MACOS = re.compile(
    rb"(?:ac ?OS|(?<![-_\w])macos|OSX|OS X)(?: X)?[ \t:]{0,3}(?:[A-Z][a-z]+(?: [A-Z][a-z]+)?[ \t,:(]{0,3})?"
    rb"(?:[Vv]ersion[ :]{1,3}|v)?(\d{2}(?:\.\d{1,2}){0,2})(?![\w]|\.\d)"
)
_BARE_MAC = re.compile(rb"(?<![-_\w])[Mm]ac[ \t:]{1,3}(1[0-9]\.\d{1,2}(?:\.\d{1,2})?|2[6-9]\.\d(?:\.\d)?)(?![\w]|\.\d)")
_NAMED = re.compile(
    rb"(Big Sur|Monterey|Ventura|Sonoma|Sequoia|Tahoe)[ \t,:(]{0,3}(?:[Vv]ersion )?(\d{2}(?:\.\d{1,2}){0,2})?"
)
_PRODUCT = re.compile(rb"ProductVersion:?\s{1,8}(\d{2}\.\d{1,2}(?:\.\d{1,2})?)")
_DARWIN = re.compile(rb"Darwin (?:Kernel Version )?(\d{2}\.\d{1,2}\.\d{1,2})")
_SHIM = re.compile(rb"10[._]16\b|SYSTEM_VERSION_COMPAT ?= ?1")
_SHIM_OF = re.compile(r"mac_ver|[Pp]roductVersion|macOS|Mac OS X|macosx|SYSTEM_VERSION_COMPAT")

_MAC_SEEN = re.compile(rb"\.dylib|dyld|osx-arm64|osx-64|-apple-darwin|-darwin\.so")
_MAC_SAID = re.compile(
    rb"ntel(?:-based)? Mac\b|ac(?:OS| OS|Book| [Mm]ini| [Ss]tudio| Pro)|iMac|OS X"
    rb"|(?<![-_\w])mac(?:os(?![-_\w])|[ -][Ii]ntel\b)|\b(?:my|an?|on) [Mm]ac\b(?![-_.]| address)|[Ss]ilicon [Mm]acs?\b"
)
_CHIP = re.compile(rb"pple (M[1-9])( Pro| Max| Ultra)?(?![\w])")
_BARE_CHIP = re.compile(rb"[Mm]([1-9])(?:[ -]?([Pp]ro|[Mm]ax|MAX|PRO|[Uu]ltra))?(?![\w.=/])(?!\.\d)")
_MISTYPED_CHIP = re.compile(
    rb"\bMI(?= (?:[Aa]ir|[Pp]ro|[Mm]ax|[Mm]ac|[Cc]hip))|(?<=ac )MI\b|(?<=Air )MI\b|(?<=Pro )MI\b"
)
"""The letter for the digit: ``MI Air``."""
_SILICON = re.compile(rb"pple(?:[ -][Ss]ilicon| ARM| arm64)|ARM64_T\d{4}")
_INTEL = re.compile(
    rb"ntel(?:\(R\)| Core|(?:-based)? [Mm]ac| [ix]\d| chip| processor| CPU)"
    rb"|\b[xX]86(?:[-_]64)?(?:-based)? (?:[Mm]ac ?(?:OS|os)?|OS X|iMac|[Mm]ac[Bb]ook(?: Air| Pro)?)"
    rb"(?= (?:machine|computer|host|laptop|system|hardware|user|\d)|[.,;:)\n]|$)"
)

_LINUX_SEEN = re.compile(rb"/x86_64-linux-gnu/|with-glibc(\d\.\d{1,2})|/usr/lib/python3/dist-packages")
_LINUX_SAID = re.compile(rb"buntu|ebian|entOS|edora|ed ?[Hh]at|oogle Colab")
_CONTAINER = re.compile(rb"[Dd]ocker(?:[Ff]ile|\b)|linux/(?:amd64|arm64)")
_WSL = re.compile(rb"WSL ?-?([12])?(?!\w)|icrosoft-standard-WSL2")
_WINDOWS_SEEN = re.compile(rb"[A-Z]:\\+(?:Users|Program|Python|[A-Za-z]+conda)|win_amd64\.whl|\.dll\b")
_WINDOWS_SAID = re.compile(rb"indows[ -](?:10|11|Server|8)")
_PLUGIN_SEEN = re.compile(rb"libmetal_plugin\.dylib|etal device set to|/device:GPU:0, name: METAL")
_PLUGIN_SAID = re.compile(rb"ensorflow[-_ ]metal(?![-_ ]?plugin)")
_INSTALLING = re.compile(r"install|require|version")


def systems(log: Log) -> Iterator[Mention]:
    """Yield what is stated about the machine."""
    yield from _printed(log)
    yield from _macos(log)
    yield from _chips(log)
    yield from _told(log)
    for place in places(log, _PLUGIN_SAID):
        yield place.says("tensorflow-metal", "", ASKED if _INSTALLING.search(place.line) else SAID)


def _printed(log: Log) -> Iterator[Mention]:
    """What tools print: ``macOS-13.4-arm64-arm-64bit``, libraries' names, Windows' paths."""
    for place in places(log, _PLATFORM):
        system, version = place.group(1), place.group(2)
        yield place.says("os", {"macOS": "macos", "Darwin": "macos"}.get(system, system.lower()), SEEN)
        if system == "macOS":
            yield _version(place, version, SEEN)
        elif system == "Darwin":
            yield place.says("darwin", version, SEEN)
    for pattern, os in ((_MAC_SEEN, "macos"), (_LINUX_SEEN, "linux"), (_WINDOWS_SEEN, "windows")):
        for place in places(log, pattern):
            if not place.before[-1:].isalpha() or not place.group(0)[:1].isalpha():
                yield place.says("os", os, SEEN)
    for place in places(log, _LINUX_SEEN):
        if place.group(1):
            yield place.says("glibc", place.group(1), SEEN)
    for place in places(log, _PLUGIN_SEEN):
        yield place.says("tensorflow-metal", "", SEEN)


def _version(place: Place, value: str, how: str) -> Mention:
    """Return the macOS version, or that programs are told another one (10.16; 16.x on macOS 26)."""
    return place.says("shim" if value.startswith(("10.16", "16.")) else "macos", value, how)


def _macos(log: Log) -> Iterator[Mention]:
    for place in _of_this_machine(log, _MACOS):
        if not is_range(place.before, place.after):
            yield _version(place, place.group(1), SAID)
    for place in _of_this_machine(log, _BARE_MAC):
        if not is_range(place.before, place.after):
            yield _version(place, place.group(1), SAID)
    for place in _of_this_machine(log, _NAMED):
        yield place.says("macos", place.group(2) or place.group(1), SAID)
    for place in places(log, _PRODUCT):
        yield _version(place, place.group(1), SEEN)
    for place in places(log, _DARWIN):
        yield place.says("darwin", place.group(1), SEEN)
    for place in places(log, _SHIM):
        if _SHIM_OF.search(place.line):
            yield place.says("shim", "10.16", SEEN)


def _of_this_machine(log: Log, pattern: re.Pattern[bytes]) -> Iterator[Place]:
    """Yield the places that are neither examples of a form nor about another machine."""
    for place in places(log, pattern):
        if not is_example(place.before) and not is_about_elsewhere(place.before, place.after):
            yield place


def _chips(log: Log) -> Iterator[Mention]:
    for place in places(log, _CHIP):
        how = SEEN if "device set to" in place.before else SAID
        if how == SEEN or not is_about_elsewhere(place.before, place.after):
            yield place.says("chip", f"Apple {place.group(1)}{place.group(2)}", how)
    if re.search(rb"[Mm]ac|pple|etal", log.data):
        for place in _of_this_machine(log, _BARE_CHIP):
            word = place.before[-1:]
            if not (word.isalnum() or word in "_./=-") or not word:
                yield place.says("chip", f"Apple M{place.group(1)} {place.group(2).capitalize()}".strip(), SAID)
        for place in _of_this_machine(log, _MISTYPED_CHIP):
            yield place.says("chip", "Apple M1", SAID)
    for pattern, value in ((_SILICON, "arm64"), (_INTEL, "x86_64")):
        for place in _of_this_machine(log, pattern):
            yield place.says("hardware", value, SAID)


def _told(log: Log) -> Iterator[Mention]:
    """Systems that are spoken of."""
    for pattern, os in ((_MAC_SAID, "macos"), (_LINUX_SAID, "linux"), (_WINDOWS_SAID, "windows"), (_WSL, "linux")):
        for place in _of_this_machine(log, pattern):
            yield place.says("os", os, SAID)
            if pattern is _WSL:
                yield place.says("wsl", place.group(1) or "2", SAID)
    for place in _of_this_machine(log, _CONTAINER):
        yield place.says("container", "", SAID)
