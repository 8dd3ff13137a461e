"""The only module that prints: documents to stdout, talk to stderr."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from compat.errors import CannotAct
from compat.report.style import Style

Say = Callable[[str], None]


def emit(text: str, *, done: str = "") -> None:
    """Write a document to stdout; characters its encoding lacks are replaced.

    Raises CannotAct where it cannot be written, saying what was ``done`` all the same; without a word where the reader
    went away (``| head``).
    """
    state = f"; {done}" if done else ""
    if sys.stdout is None:  # closed by whoever started us (`>&-`)
        raise CannotAct(f"the report could not be written: standard output is closed{state}")
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_the_rest()
        raise CannotAct("") from None
    except OSError as error:
        _drop_the_rest()
        raise CannotAct(f"the report could not be written: {error.strerror or error}{state}") from error


def _drop_the_rest() -> None:
    """Point stdout elsewhere, so that the interpreter's last flush stays quiet."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def talk(text: str) -> None:
    """Write a line of talk to stderr."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def style(*, verbose: int, quiet: bool) -> Style:
    """Return what this terminal can show: NO_COLOR and a dumb TERM mean plain, a narrow encoding means ASCII."""
    terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    colour = terminal and not os.environ.get("NO_COLOR")
    width = min(shutil.get_terminal_size((100, 24)).columns, 110)
    return Style(colour=colour, unicode=_takes_unicode(), width=width, verbose=verbose > 0, quiet=quiet)


def on_screen() -> bool:
    """Tell whether stdout is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def _takes_unicode() -> bool:
    try:
        "✓✗…–".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def ask(question: str) -> bool:
    """Ask yes or no on the terminal; anything but yes is no."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def at_terminal() -> bool:
    """Tell whether there is a person to ask."""
    return sys.stdin.isatty() and sys.stderr.isatty()


@contextmanager
def progress(*, quiet: bool) -> Iterator[tuple[Say, Say]]:
    """Yield two voices: steps (kept lines) and details (a passing status line), on stderr.

    rich is imported only where there is a terminal to draw on.
    """
    if quiet:
        yield _silent, _silent
    elif not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield talk, _silent
    else:
        from rich.console import Console
        from rich.markup import escape

        console = Console(stderr=True, highlight=False)
        with console.status("…") as status:

            def step(text: str) -> None:
                console.print(text, markup=False)
                status.update("…")

            yield step, lambda text: status.update(escape(text))


def _silent(_text: str) -> None:
    """Say nothing."""
