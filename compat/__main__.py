"""The command ``tfcompat``: the one place that ends the process."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from compat.errors import ExitCode, TfcompatError


def main(argv: list[str] | None = None) -> int:
    """Run a command and return its exit code; every error of ours becomes one line and a hint on stderr."""
    signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        from compat.cli import run

        return run(sys.argv[1:] if argv is None else argv)
    except TfcompatError as error:
        return _tell(error)
    except KeyboardInterrupt:
        sys.stderr.write("tfcompat: interrupted; nothing half-made was left behind" + "\n")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader went away (``| head``): point stdout elsewhere so that the interpreter's last flush stays quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.CANNOT
    except (OSError, MemoryError) as error:
        sys.stderr.write(f"tfcompat: {type(error).__name__}: {error}" + "\n")
        return ExitCode.CANNOT


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _tell(error: TfcompatError) -> int:
    if error.message:
        sys.stderr.write(f"tfcompat: {error.message}" + "\n")
    if error.hint:
        sys.stderr.write(f"hint: {error.hint}" + "\n")
    return error.exit_code


if __name__ == "__main__":
    raise SystemExit(main())
