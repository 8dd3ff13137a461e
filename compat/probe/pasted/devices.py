"""Lines that say that TensorFlow finds no GPU: empty lists as programs print them, and people's words for them."""

from __future__ import annotations

import re

from compat.facts.pasted import Line
from compat.probe.pasted.lines import Log
from compat.probe.pasted.mention import told
from compat.probe.pasted.wording import is_about_elsewhere

_NONE = re.compile(
    rb"\bGPU[sS]?(?:[ _-][A-Za-z]{1,12}){0,3}\s{0,3}[:=]?\s{0,3}\[\s{0,2}\]"
    rb"|\b(?:[Nn]um(?:ber of)?|[Cc]ount of) GPUs?[^\n\d]{0,20}0(?![\w.:])"
    rb"|\bGPUs (?:available|found|detected)\s{0,3}[:=]\s{0,3}0(?![\w.:])"
    rb"|physical_devices\(['\"]GPU['\"]\)[^\n]{0,20}\n?[>\s]{0,6}\[\s{0,2}\]"
    rb"|\bGPU(?:s|[ -]list)?(?: is| are| was)? (?:list )?"
    rb"(?:not|NOT|never|n't|empty|missing|unavailable|lost|invisible)\b"
    rb"|\b(?:[Nn]o|NO|without(?: a| any)?) GPUs?\b(?! (?:needed|required|code|problem|issue|error|trouble))"
    rb"|\b(?:[Oo]nly (?:the |on (?:the )?)?CPU|CPU[- ]only|(?:silently|only) on (?:the )?CPU)\b"
    rb"(?! (?:wheel|build|package))"
    rb"|(?:n't|\b(?:not|never|cannot)) (?:see|find|detect|recogni[sz]e|use|list)s? (?:the |my |any |a )?GPU"
    rb"|\bGPU(?: device)? (?:check|test) fail"
)
_LIBRARY = re.compile(rb"GPU libraries")
"""Words of TensorFlow's own log lines, which are signatures of their own."""


def no_gpu(log: Log) -> Line | None:
    """Return the first line that says so, None where there is none; what another machine lacks is not said here."""
    for match in told(log, _NONE):
        start, end = log.bounds(match.start())
        before = log.data[start : match.start()].decode("utf-8", "replace")
        after = log.data[match.end() : end].decode("utf-8", "replace")
        if not is_about_elsewhere(before, after) and not _LIBRARY.search(log.data, start, end):
            return log.line(match.start())
    return None
