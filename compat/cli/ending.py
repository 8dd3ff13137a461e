"""How a command ends: an error of ours becomes one line and a hint on stderr, and its exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable

from compat.errors import ExitCode, TfcompatError, one_line


def ended(work: Callable[[], int], program: str = "tfcompat") -> int:
    """Do the work and return the exit code; what stops it is told in at most two lines, never as a traceback.

    What is no error of ours and none of the system's is a bug, and passes through.
    """
    try:
        return work()
    except TfcompatError as error:
        return _tell(error, program)
    except KeyboardInterrupt:
        _say(f"{program}: interrupted")
        return ExitCode.INTERRUPTED
    except (OSError, MemoryError) as error:
        _say(f"{program}: {_told(error)}")
        return ExitCode.CANNOT


def _tell(error: TfcompatError, program: str) -> int:
    if error.message:
        _say(f"{program}: {error.message}")
    if error.hint:
        _say(f"hint: {error.hint}")
    return error.exit_code


def _told(error: Exception) -> str:
    """Name the file and the reason, as the system gives them."""
    if isinstance(error, OSError) and error.strerror:
        return one_line(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
    return one_line(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
