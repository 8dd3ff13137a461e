"""What a tool found in an environment with one planted cause: by a rule on its words and its exit code, alike for all.

A cause is *named* when one line of the report has a word of every group of its rule; a line that says all is well is no
such line, and no group can be met by a bare list of what is installed. It is *found* when it is named and the exit code
fails, because a script or a CI job sees nothing but the exit code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FOUND = "found"
NAMED = "named"
OTHER = "something else"
NOTHING = "nothing"
ALARM = "false alarm"
QUIET = "no alarm"
NO_ANSWER = "no answer"
PASSES = re.compile(r"^[\s│|]*(\[ok\]|ok\b|✅|✓|pass\b)|\[ok\] pass", re.IGNORECASE)
"""How the tools here mark what is in order: rigsolve and mlenvdoctor, env-doctor, tfcompat."""
SHOWN = 400
LINES = 4
WIDTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The words by which a cause is named."""

    groups: tuple[tuple[str, ...], ...] = ()
    """In lower case; a line names the cause when it has one of every group. Without groups nothing is planted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a tool printed, and the codes by which it answers at all."""

    code: int | None
    """None where it had to be stopped."""
    report: str
    answers: frozenset[int]
    """Exit codes that are a verdict; any other says that it could not do its work."""


def judge(said: Said, rule: Rule) -> str:
    """Return one of the values above."""
    if said.code not in said.answers:
        return NO_ANSWER
    failed = said.code != 0
    if not rule.groups:
        return ALARM if failed else QUIET
    if naming(said.report, rule):
        return FOUND if failed else NAMED
    return OTHER if failed else NOTHING


def naming(report: str, rule: Rule) -> list[str]:
    """Return the lines that name the cause."""
    return [line for line in report.splitlines() if rule.groups and not PASSES.search(line) and _has_all(line, rule)]


def report_of(stdout: str, stderr: str) -> str:
    """Return what the tool itself said: uv reports on stderr; else stderr has what the libraries it imports print."""
    return stdout if stdout.strip() else stderr


def shown(report: str, rule: Rule, masks: Mapping[str, str]) -> dict[str, object]:
    """Return enough of a report for a reader to check the judgement: its beginning, and the lines it hangs on."""
    text = masked(report, masks)
    words = {"tensorflow", *(rule.groups[0] if rule.groups else ())}
    lines = text.splitlines()
    named = naming(text, rule)
    close = [line for line in lines if line not in named and any(word in line.lower() for word in words)]
    return {"begins": text[:SHOWN], "lines": [_short(line) for line in [*named, *close][:LINES]]}


def masked(text: str, masks: Mapping[str, str]) -> str:
    """Return the text without the places and names of the machine; the longest are replaced first."""
    for found in sorted(masks, key=len, reverse=True):
        text = text.replace(found, masks[found]) if found else text
    return re.sub(r'("machine_id": ")[^"]*', r"\1…", text)


def without_folder(report: str, folder: str) -> str:
    """Return a report without the names of the environments' folders: they would say what is planted."""
    return re.sub(re.escape(folder) + r"/[^/\s'\"]+", "ENVIRONMENT", report)


def changed(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return what an installation replaced, from two lists of ``name==version``."""
    old, new = (dict(line.split("==", 1) for line in lines if "==" in line) for lines in (before, after))
    return [f"{name} {old[name]} to {new.get(name, 'none')}" for name in sorted(old) if new.get(name) != old[name]]


def _has_all(line: str, rule: Rule) -> bool:
    lower = line.lower()
    return all(any(word in lower for word in group) for group in rule.groups)


def _short(line: str) -> str:
    squeezed = re.sub(r"\s+", " ", line.strip())
    return squeezed if len(squeezed) <= WIDTH else squeezed[: WIDTH - 1] + "…"
