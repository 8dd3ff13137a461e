"""Version sets and entries as each format spells them, beside what a person wrote there before."""

from __future__ import annotations

import re

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from compat.facts.pins import Writing

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_BARE = re.compile(r"\d[\w.+!-]*")
"""A version without an operator: Poetry's way to say ``==``."""
_EXACT = re.compile(r"==\s*([^*,\s]+)")
_WORD = re.compile(
    r"(?P<open>\\?[\"']?)(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?P<extras>\s*\[[^\]]*\])?"
    r"(?P<set>[^;@#\"'\\]*)(?P<marker>;.*?)?(?P<close>\\?[\"']?)",
    re.DOTALL,
)
_SHELL = re.compile(r"[\s<>;|&()*?!~$\[\]{}]")
"""What a shell would not hand on as it stands."""


def respelled(old: str, spelling: str, specifier: str | None, *, name: str = "") -> str | None:
    """Return a version set (PEP 440) in a format's spelling; bounds that stay are left as they are written.

    For ``word`` ``old`` is the whole word and ``name`` may replace its name. None: ``old`` is nothing that can be read.
    """
    if spelling == "word":
        return _word(old, specifier, name)
    if spelling in ("poetry", "pipfile"):
        if not specifier:
            return "*"
        exact = _EXACT.fullmatch(specifier)
        if spelling == "poetry" and exact and _BARE.fullmatch(old.strip()):
            return exact[1]
        return specifier if old.strip() in ("", "*") else _set(old, specifier)
    return _set(old, specifier or "")


def added(requirement: str, writing: Writing) -> str:
    """Return the text that puts one more requirement behind an entry."""
    if writing.spelling in ("poetry", "pipfile"):
        entry = _assignment(Requirement(requirement), "markers")
    elif writing.spelling == "word":
        return writing.joint + quoted(requirement)
    else:
        entry = quotable(requirement, writing.opening)
    return writing.joint + writing.opening + entry + writing.closing


def renamed(text: str, name: str) -> int | None:
    """Return the length of a name as ``text`` begins with it, None where that is another one."""
    found = _NAME.match(text)
    return found.end() if found and canonicalize_name(found[0]) == name else None


def quoted(word: str) -> str:
    """Return a word of a shell line, in single quotes where a shell would not hand it on as it stands."""
    return f"'{word}'" if _SHELL.search(word) and "'" not in word else f'"{word}"' if _SHELL.search(word) else word


def _set(old: str, new: str) -> str:
    """Return the new set; where all of the old one stays, what comes is added behind it in its own manner."""
    clauses = [_bare(part) for part in old.split(",") if part.strip()]
    wanted = [_bare(part) for part in new.split(",") if part.strip()]
    if clauses and all(part in wanted for part in clauses):
        more = [part for part in wanted if part not in clauses]
        return old + "".join(f"{_comma(old)}{_spaced(part, old)}" for part in more)
    return _comma(old).join(_spaced(part, old) for part in wanted)


def _bare(clause: str) -> str:
    return re.sub(r"\s+", "", clause)


def _comma(old: str) -> str:
    return ", " if re.search(r",\s", old) else ","


def _spaced(clause: str, old: str) -> str:
    """Put a blank behind the operator where the file does."""
    blank = re.search(r"(?:[<>=!~]=?=?)\s", old)
    return re.sub(r"^([<>=!~]+)", r"\1 ", clause) if blank else clause


def _word(old: str, specifier: str | None, name: str) -> str | None:
    found = _WORD.fullmatch(old)
    if found is None or (found["open"] != found["close"]):
        return None
    version = found["set"] if specifier is None else _set(found["set"].strip(), specifier)
    new = f"{name or found['name']}{found['extras'] or ''}{version}{found['marker'] or ''}"
    return f"{found['open']}{new}{found['close']}" if found["open"] else quoted(new)


def conditional(old: str, marker: str) -> str | None:
    """Return a shell's word with a marker behind it; None where it has one or cannot be read."""
    found = _WORD.fullmatch(old)
    if found is None or found["open"] != found["close"] or found["marker"]:
        return None
    bare = f"{found['name']}{found['extras'] or ''}{found['set'].strip()}; {marker}"
    quote = found["open"] or '"'
    return f"{quote}{quotable(bare, quote)}{quote}"


def quotable(requirement: str, opening: str) -> str:
    """Return a requirement without the quote it will stand in."""
    quote = opening[-1:]
    return requirement.replace(quote, '"' if quote == "'" else "'") if quote in ("'", '"') and quote else requirement


def _assignment(wanted: Requirement, marker: str) -> str:
    """Return a requirement as a TOML assignment."""
    version = str(wanted.specifier) or "*"
    if not wanted.extras and wanted.marker is None:
        return f'{wanted.name} = "{version}"'
    extras = f", extras = [{', '.join(_text(word) for word in sorted(wanted.extras))}]" if wanted.extras else ""
    more = f", {marker} = {_text(str(wanted.marker))}" if wanted.marker else ""
    return f'{wanted.name} = {{ version = "{version}"{extras}{more} }}'


def _text(text: str) -> str:
    """Return a TOML string; in single quotes where it has double ones."""
    return f"'{text}'" if '"' in text and "'" not in text else '"' + text.replace('"', "'") + '"'
