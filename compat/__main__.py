"""The command ``tfcompat``: the one place that ends the process."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False) and not sys.flags.isolated:
    del sys.path[0]  # `python -m` put the current folder there: what lies in it is not to be imported

import signal
from types import FrameType


def main(argv: list[str] | None = None) -> int:
    """Run a command and return its exit code; every error of ours becomes one line and a hint on stderr."""
    _be_told_of_the_end()
    _have_streams()
    from compat.cli.ending import ended

    return ended(lambda: _run(sys.argv[1:] if argv is None else argv))


def _run(argv: list[str]) -> int:
    from compat.cli import run

    return run(argv)


def _be_told_of_the_end() -> None:
    """Clean up after ``kill`` and a closed terminal as after Ctrl-C; a signal ignored on purpose (nohup) stays so."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _as_interrupt)


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _have_streams() -> None:
    """A stream that the caller closed (``2>&-``) is None in Python: what is said there goes nowhere instead."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open to the end


if __name__ == "__main__":
    raise SystemExit(main())
