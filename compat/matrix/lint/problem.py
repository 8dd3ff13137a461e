"""What lint can say: a problem with its address, and the table of all checks by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Complaint = tuple[str, str, str]
"""Where in the row (``sources[0].url``), the name of the check, what is wrong."""

SCOPES = ("file", "row", "set", "tree")
"""What a check has to see: one file, one row, the rows of all files, or the tree with all that was made of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with the data, where, and which check says so."""

    address: str
    """``issues/load.toml: ISS001.sources[0].url``: the file below the root, then the row and its field."""
    check: str
    text: str
    fixable: bool = False

    def __str__(self) -> str:
        """Return it all on one line."""
        return f"{self.address}: {self.text} [{self.check}{', fixable' if self.fixable else ''}]"

    @property
    def scope(self) -> str:
        """One of ``SCOPES``."""
        return CHECKS[self.check].scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check, as its name is looked up."""

    scope: str
    excusable: bool = False
    """An exception may silence it. Never what keeps a reader from reading or a person from harm."""
    cosmetic: bool = False
    """It is about how a file is written; the data are the same."""


_FILE, _ROW, _SET, _TREE = (Check(scope=scope) for scope in SCOPES)
_STYLE = Check(scope="file", cosmetic=True)
_ROW_OPINION, _SET_OPINION, _TREE_OPINION = (Check(scope=scope, excusable=True) for scope in SCOPES[1:])

CHECKS: Mapping[str, Check] = {
    "unreadable": _FILE,
    "schema-version": _FILE,
    "unknown-file": _FILE,
    "unknown-key": _FILE,
    "wrong-type": _FILE,
    "missing-key": _FILE,
    "too-many-rows": _FILE,
    "line-endings": _STYLE,
    "trailing-whitespace": _STYLE,
    "final-newline": _STYLE,
    "unsorted-list": _STYLE,
    "id-shape": _ROW,
    "empty-field": _ROW,
    "unknown-word": _ROW,
    "no-source": _ROW,
    "source-url": _ROW,
    "second-hand-only": _ROW_OPINION,
    "day": _ROW,
    "version": _ROW,
    "version-set": _ROW,
    "requirement": _ROW,
    "no-signature": _ROW,
    "rule-id": _ROW,
    "no-package": _ROW,
    "signature-too-short": _ROW_OPINION,
    "signature-too-long": _ROW,
    "signature-lines": _ROW,
    "signature-gap": _ROW,
    "signature-personal": _ROW,
    "signature-pattern": _ROW_OPINION,
    "command-personal": _ROW,
    "command-destructive": _ROW,
    "result-tier": _ROW,
    "run-shape": _ROW,
    "link-shape": _ROW,
    "lock-name": _ROW,
    "lock-tier": _ROW,
    "lock-pin": _ROW,
    "number": _ROW,
    "duplicate-id": _SET,
    "duplicate-signature": _SET_OPINION,
    "unknown-chip": _SET,
    "unknown-macos": _SET,
    "impossible-macos": _SET_OPINION,
    "unknown-reference": _SET,
    "unknown-repair": _SET,
    "link-missing": _TREE_OPINION,
    "link-unknown-release": _TREE_OPINION,
    "lock-unproved": _TREE,
    "lock-unknown-release": _TREE_OPINION,
    "claim-uncontradicted": _TREE_OPINION,
    "id-dropped": _TREE,
    "compiled-broken": _TREE,
    "compiled-stale": _TREE,
    "unknown-check": _FILE,
    "not-excusable": _FILE,
    "stale-exception": _TREE,
}
"""Every check by the name that stands behind each problem, and that an exception gives."""
