"""Everything that can stop tfcompat, each with its exit code and what to do about it.

They live together so that no two parts invent two codes or two tones for one situation. A *finding* is not an error:
errors are for "could not look", "could not act" and "asked for something that makes no sense".
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Process exit codes, the same for every command."""

    HEALTHY = 0
    FINDINGS = 1
    USAGE = 2
    CANNOT = 3
    INTERRUPTED = 130


class TfcompatError(Exception):
    """Something that ends a command: one line that says what happened, one that says what to do."""

    exit_code: ExitCode = ExitCode.CANNOT
    default_hint: str = ""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(one_line(message))
        self.hint = one_line(hint or self.default_hint)

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
    """Fold ``text`` to a single printable line of at most ``limit`` characters.

    Control characters (terminal escapes among them) are replaced: texts come from files and processes we do not trust.
    """
    folded = " ".join(text.split())
    safe = "".join(char if char.isprintable() else "\ufffd" for char in folded)
    return safe if len(safe) <= limit else safe[: limit - 1] + "…"
