"""Find signatures in a log: a few rare words are looked for in all of it, whole signatures only around those.

Searching every signature by itself costs a pass over the text each. Signatures share words (``satisfies``, ``Error``),
so a dozen or two of them lead to all; the greedy choice below is made anew for the signatures at hand.
"""

from __future__ import annotations

import functools
import heapq
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from compat.facts.pasted import Hit
from compat.matrix.signatures import is_on, is_wrapped_in, pieces, plain, squeezed, squeezed_pieces
from compat.probe.pasted.lines import Log

LINES = 3000
"""Lines of one word that are looked at from each end of the log."""
SECONDS = 5.0
"""What the search may take; what was found until then stands."""
WHOLE = 200_000
"""Bytes up to which a text is also searched with all its wrapping taken out, where nothing was found otherwise."""

_CUT = 5
"""Characters that wrapping must have left of a signature for the line to be looked at further."""

_WORD = re.compile(r"[^\s\"'`()\[\]<>,:;=]{5,}")
_GRAM = 6
_COMMON = (
    "tensor", "ensorf", "nsorfl", "sorflo", "orflow", "keras.", "python", "packag", "ackage", "module", "odule",
    "import", "mport", "versio", "ersion", "install", "nstall", "instal", "stalle", "talled", "device", "evice",
)  # fmt: skip
"""Beginnings of words that ordinary logs are full of: they lead nowhere."""


def find(log: Log, signatures: Sequence[str], clock: Callable[[], float] = time.monotonic) -> tuple[Hit, ...]:
    """Return every signature that stands in the text, at its last place; wrapped and quoted text counts."""
    deadline = clock() + SECONDS
    found: dict[str, Hit] = {}
    seen: dict[tuple[str, str], tuple[str, ...]] = {}
    for word, led_to in gates(tuple(signatures)).items():
        for at in places(log, word.encode()):
            if clock() > deadline:
                return tuple(found.values())
            kind = word, log.raw(at)
            if kind not in seen:
                seen[kind] = _on_line(log, at, led_to)
            _note(log, at, seen[kind], found)
    if not found and len(log.data) <= WHOLE:
        _look_unwrapped(log, signatures, found)
    return tuple(found.values())


def _on_line(log: Log, at: int, signatures: Sequence[str]) -> tuple[str, ...]:
    """Return the signatures that stand on the line around a place, or wrapped over it and its neighbours."""
    text = plain(log.raw(at))
    here = tuple(signature for signature in signatures if is_on(signature, text))
    if not here and (cut := [signature for signature in signatures if _may_be_cut(signature, text)]):
        wrapped = squeezed(log.window(at, 2, 2))
        here = tuple(signature for signature in cut if is_wrapped_in(signature, wrapped) >= 0)
    return here


def _note(log: Log, at: int, signatures: Iterable[str], found: dict[str, Hit]) -> None:
    """Keep the last place of each signature."""
    for signature in signatures:
        if signature not in found or found[signature].line.number <= log.number(at):
            found[signature] = Hit(signature=signature, line=log.line(at))


def _may_be_cut(signature: str, line: str) -> bool:
    """Tell whether a line may hold the part of a signature that wrapping left on it.

    The line then ends with a beginning of the signature, begins with an end of it, or lies in it whole.
    """
    flat, tight = squeezed(line), "".join(squeezed_pieces(signature))
    if flat[-_CUT:] not in tight and flat[:_CUT] not in tight:
        return False
    return flat in tight or any(
        flat.endswith(tight[:length]) or flat.startswith(tight[-length:]) for length in range(_CUT, len(tight))
    )


def _look_unwrapped(log: Log, signatures: Iterable[str], found: dict[str, Hit]) -> None:
    """Search the text with all white space out: lines cut in the middle of a word hide words from the gates."""
    text = log.data.decode("utf-8", "replace")
    flat = squeezed(text)
    for signature in signatures:
        if is_wrapped_in(signature, flat) >= 0 and (at := _place(log, signature)) is not None:
            found[signature] = Hit(signature=signature, line=log.line(at))


def _place(log: Log, signature: str) -> int | None:
    """Return a place near which a wrapped signature stands: the line that holds the longest part of its beginning."""
    start = pieces(signature)[0]
    for length in range(len(start), 7, -1):
        at = log.data.rfind(start[:length].encode())
        if at >= 0 and is_wrapped_in(signature, squeezed(log.window(at, 2, 4))) >= 0:
            return at
    return None


def places(log: Log, word: bytes) -> Iterator[int]:
    """Yield where a word stands, once a line; of very many lines the first and the last ``LINES``."""
    at, count, last = log.data.find(word), 0, -1
    while at >= 0 and count < LINES:
        yield at
        _, end = log.bounds(at)
        last, at, count = at, log.data.find(word, max(end, at + 1)), count + 1
    if at < 0:
        return
    end, count = len(log.data), 0
    while count < LINES and (at := log.data.rfind(word, last + 1, end)) >= 0:
        yield at
        start, _ = log.bounds(at)
        end, count = min(start + len(word) - 1, at), count + 1


@functools.lru_cache(maxsize=4)
def gates(signatures: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return a small set of word parts, each with the signatures it leads to; every signature is led to by one."""
    grams = {signature: _grams(signature) for signature in signatures}
    led: dict[str, list[str]] = {}
    for signature, parts in grams.items():
        for part in parts:
            led.setdefault(part, []).append(signature)
    heap = [(-len(signatures), part) for part, signatures in led.items()]
    heapq.heapify(heap)
    chosen: dict[str, tuple[str, ...]] = {}
    left = {signature for signature in signatures if grams[signature]}
    while left:
        promised, part = heapq.heappop(heap)
        here = [signature for signature in led[part] if signature in left]
        if len(here) < -promised:  # others have taken some of them since: back in line
            heapq.heappush(heap, (-len(here), part))
            continue
        chosen[part] = tuple(here)
        left.difference_update(here)
    for signature in signatures:
        if not grams[signature] and squeezed_pieces(signature):
            chosen[max(pieces(signature)[0].split(), key=len)] = (signature,)
    return chosen


def _grams(signature: str) -> frozenset[str]:
    """Return the parts of a signature's words that may lead to it: beginnings and ends of words, no common ones."""
    words = [word for piece in pieces(signature) for word in _WORD.findall(piece)]
    found = {part for word in words for part in (word[:_GRAM], word[-_GRAM:])}
    rare = {gram for gram in found if gram.lower() not in _COMMON}
    return frozenset(rare or found)
