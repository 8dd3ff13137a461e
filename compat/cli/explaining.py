"""What ``tfcompat explain`` does once its words are understood; knows no typer, so that a log is answered quickly."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compat.cli import output
from compat.errors import CannotLook, ExitCode, UsageError

if TYPE_CHECKING:
    from compat.matrix.load import Matrix
    from compat.verdict.diagnose.cause import Diagnosis

_ID = re.compile(r"[A-Za-z]{2,3}\d{3}")
_LIKE_AN_ID = re.compile(r"[A-Za-z]{2,6}[-_ ]?\d{1,4}|[A-Za-z]{1,8}")
_LIKE_A_PATH = re.compile(r"[~./]\S*|\S+\.(?:log|txt|out|err|json|ipynb|md)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be explained, and how it is to be told."""

    words: tuple[str, ...]
    format: str = "columns"


def answer(asked: Question) -> ExitCode:
    """Explain an id, a file, the standard input or the words themselves. Raises UsageError, CannotLook, BadMatrix."""
    what = " ".join(asked.words)
    if len(asked.words) == 1 and _ID.fullmatch(what):
        return _answer_id(what.upper(), asked.format)
    if len(asked.words) > 1 and all(word == "-" or _ID.fullmatch(word) for word in asked.words):
        raise UsageError("one thing at a time: an id, a file, a text, or -", hint="put a pasted text in quotes")
    raw = _raw(what, single=len(asked.words) == 1)
    if raw is None:
        raise _no_such_id(what)
    from compat.cli.knowledge import matrix

    output.emit(rendered(diagnose_bytes(raw, matrix()), asked.format))
    return ExitCode.HEALTHY


def diagnose_text(text: str, matrix: Matrix) -> Diagnosis:
    """Return what explains a text. Raises UsageError for one without any."""
    return diagnose_bytes(text.encode("utf-8", "replace"), matrix)


def diagnose_bytes(raw: bytes, matrix: Matrix) -> Diagnosis:
    """Return what explains a log's bytes, in whatever encoding. Raises UsageError where there is no text in them."""
    from compat.probe.pasted.look import look
    from compat.verdict.diagnose.diagnosis import diagnose, followed, signatures_of

    signatures = signatures_of(matrix)
    return diagnose(look(raw, signatures, followed(matrix)), matrix)


def rendered(diagnosis: Diagnosis, format: str) -> str:
    """Return the diagnosis in the wished format."""
    from compat.report import explained

    if format == "json":
        return explained.as_json(diagnosis)
    if format == "markdown":
        return explained.markdown(diagnosis)
    return explained.columns(diagnosis, output.style(verbose=0, quiet=False))


def _raw(what: str, *, single: bool) -> bytes | None:
    """Return the bytes to explain; None for one short word that is neither a file nor a text."""
    from compat.probe.pasted.source import bounded, read_file

    if what == "-":
        if sys.stdin.isatty():
            output.talk("paste the text, then press Ctrl-D")
        return bounded(sys.stdin.buffer, "the standard input")
    if single and _is_there(what):
        return read_file(what)
    if single and _LIKE_A_PATH.fullmatch(what):
        raise CannotLook(f"{what}: there is no such file", hint="put a pasted text in quotes, or give - and paste it")
    if single and _LIKE_AN_ID.fullmatch(what):
        return None
    return what.encode("utf-8", "surrogateescape")


def _is_there(what: str) -> bool:
    try:
        return os.path.exists(what)  # noqa: PTH110 - a pasted text may be no possible path at all
    except (OSError, ValueError):
        return False


def _answer_id(name: str, format: str) -> ExitCode:
    from compat.cli.pages import issue_page, rule_page

    page = rule_page(name) or issue_page(name)
    if page is None:
        raise _no_such_id(name)
    output.emit(page.told(format))
    return ExitCode.HEALTHY


def _no_such_id(name: str) -> UsageError:
    import difflib

    from compat.cli.pages import ids

    known, given = ids(), name.upper()
    longer = [known_id for known_id in known if len(given) > 2 and known_id.startswith(given)]  # noqa: PLR2004
    near = longer[:3] or difflib.get_close_matches(given, known, n=3, cutoff=0.6)
    hint = f"did you mean {', '.join(near)}?" if near else "list the rules with `tfcompat doctor --list-checks`"
    return UsageError(f"{name!r} is neither a rule nor a known issue, nor a file", hint=hint)
