"""Signatures of known problems: literal text, ``…`` for anything on the same line; matched without regular expressions.

Matching is ``str.find`` piece by piece, so it takes time linear in the text whatever a signature holds.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

GAP = "…"
_DROPPED = dict.fromkeys(map(ord, " \t\n\r\x0b\x0c>│┃║╰╭╮╯├└┌┐─━╌▶"), None)
_QUOTES = {ord("‘"): "'", ord("’"): "'", ord("“"): '"', ord("”"): '"', 0xA0: " ", 0x202F: " "}
_REACH = 400
"""Characters a gap may span where the text is wrapped and lines no longer bound it."""


@functools.cache
def pieces(signature: str) -> tuple[str, ...]:
    """Return the literal pieces, their white space and quotes as ``plain`` leaves them."""
    return tuple(piece for part in signature.split(GAP) if (piece := plain(part)))


@functools.cache
def squeezed_pieces(signature: str) -> tuple[str, ...]:
    """Return the literal pieces as ``squeezed`` leaves them."""
    return tuple(piece for part in signature.split(GAP) if (piece := squeezed(part)))


def plain(text: str) -> str:
    """Return text with straight quotes and single spaces."""
    return " ".join(text.translate(_QUOTES).split())


def squeezed(text: str) -> str:
    """Return text without white space, quoting and box lines, so that wrapping makes no difference."""
    return text.translate(_QUOTES).translate(_DROPPED)


def is_on(signature: str, line: str) -> bool:
    """Tell whether a signature's pieces stand on a line (``plain``) in their order."""
    return _follow(pieces(signature), line, len(line)) >= 0


def is_wrapped_in(signature: str, text: str) -> int:
    """Return where a signature begins in wrapped text (``squeezed``), -1 where it is not there."""
    return _follow(squeezed_pieces(signature), text, _REACH)


def _follow(wanted: Sequence[str], text: str, reach: int) -> int:
    """Return where the pieces begin; each must begin within ``reach`` of the end of the one before it."""
    if not wanted:
        return -1
    first = text.find(wanted[0])
    while first >= 0:
        at = first + len(wanted[0])
        for piece in wanted[1:]:
            found = text.find(piece, at, at + reach + len(piece))
            if found < 0:
                break
            at = found + len(piece)
        else:
            return first
        if reach >= len(text):
            return -1  # the pieces behind are not to be found from a later start either
        first = text.find(wanted[0], first + 1)
    return -1
