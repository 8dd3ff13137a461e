"""Everything that can stop tfcompat, each with its exit code and what to do about it.

They live together so that no two parts invent two codes or two tones for one situation. A *finding* is not an error:
errors are for "could not look", "could not act" and "asked for something that makes no sense".
"""

from __future__ import annotations

import re
from enum import IntEnum

HIDDEN = "***"


class ExitCode(IntEnum):
    """Process exit codes, the same for every command."""

    HEALTHY = 0
    FINDINGS = 1
    USAGE = 2
    CANNOT = 3
    INTERRUPTED = 130


class TfcompatError(Exception):
    """Something that ends a command: one line that says what happened, one that says what to do; never a secret."""

    exit_code: ExitCode = ExitCode.CANNOT
    default_hint: str = ""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(without_secrets(one_line(message)))
        self.hint = without_secrets(one_line(hint or self.default_hint))

    @property
    def message(self) -> str:
        """What happened, on one line."""
        return str(self.args[0])


class UsageError(TfcompatError):
    """The words of the command do not fit together."""

    exit_code = ExitCode.USAGE


class CannotLook(TfcompatError):
    """An environment, interpreter or file could not be read."""


class BadFacts(CannotLook):
    """A facts file that is not one, is cut short, or speaks another schema version."""

    default_hint = "make a new capture with `tfcompat facts > FILE`"


class BadBinary(CannotLook):
    """A file that claims to be a Mach-O binary and is not a readable one."""


class BadMatrix(TfcompatError):
    """The matrix data cannot be read; the message carries the address of the value."""

    default_hint = "reinstall tfcompat, or unset TFCOMPAT_MATRICES if it points at your own data"


class CannotAct(TfcompatError):
    """A step of a plan failed; nothing half-made was left behind."""


class UvMissing(CannotAct):
    """No uv, or one too old to drive."""

    default_hint = "uv comes with tfcompat: reinstall tfcompat, or run `python -m pip install -U uv`"


class Refused(TfcompatError):
    """No plan can meet the wish; the refusal itself has been printed."""

    exit_code = ExitCode.FINDINGS


class Interrupted(TfcompatError):
    """The user pressed Ctrl-C (or the process was asked to end)."""

    exit_code = ExitCode.INTERRUPTED


def one_line(text: str, limit: int = 2000) -> str:
    """Fold ``text`` to a single printable line of at most ``limit`` characters."""
    safe = printable(" ".join(text.split()))
    return safe if len(safe) <= limit else safe[: limit - 1] + "…"


def printable(text: str) -> str:
    """Return the text with everything replaced that is more than a sign on the screen.

    That is control characters (terminal escapes and line ends among them), and those that turn the direction of what
    follows or have no width (Unicode's ``Cf``): texts come from files and processes we do not trust.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


_IN_ADDRESS = re.compile(r"(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]*://)[^/\s]*@")
"""User and password of a URL (RFC 3986, 3.2.1), whole where a password holds an ``@`` that should be encoded."""
_IN_BROKEN_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]*://)[^/\s:@\[]*:(?!\d*(?:[/?#\s]|$))[^\s\"']{0,300}@"
)
"""A password with a ``/`` that should be encoded: what follows the colon is no port, so it is no host before it."""
_ASSIGNED = re.compile(
    r"((?<![A-Za-z])(?:tokens?|secret|passw(?:or)?d|api[_-]?key|signature|credentials?|sig|auth)(?![A-Za-z])[\w-]{0,80}"
    r"[\"']?[ \t]{0,8}[=:][ \t]{0,8})(?:\"[^\"\s]+\"|'[^'\s]+'|[^\s&;,\"'=]+)",
    re.IGNORECASE,
)
"""``token=…`` and the like, but not ``tokenizers==0.15``."""
_AUTHORIZED = re.compile(r"\b((?:Proxy-)?Authorization[\"']?\s?[=:]\s?[\"']?)[^\"'\r\n]+", re.IGNORECASE)
_BEARER = re.compile(r"\b(Bearer |Basic )(?=[A-Za-z0-9+/=._~-]*[0-9=])[A-Za-z0-9+/=._~-]{8,}")
"""What stands in an HTTP header (RFC 6750, RFC 7617); a word of plain letters after ``Basic`` is prose."""


def without_secrets(text: str) -> str:
    """Return the text without credentials: those in URLs, in assignments and in headers; what they were for stays."""
    hidden = text
    if "@" in text and "://" in text:
        hidden = _IN_ADDRESS.sub(rf"\g<1>{HIDDEN}@", _IN_BROKEN_ADDRESS.sub(rf"\g<1>{HIDDEN}@", text))
    hidden = _AUTHORIZED.sub(rf"\g<1>{HIDDEN}", hidden)
    hidden = _BEARER.sub(rf"\g<1>{HIDDEN}", hidden)
    return _ASSIGNED.sub(rf"\g<1>{HIDDEN}", hidden)
