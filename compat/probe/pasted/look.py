"""The whole look at a text: bytes in, one record out."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from compat.errors import BadFacts
from compat.facts.capture import SCHEMA_VERSION, Facts
from compat.facts.codec import decode
from compat.facts.pasted import MACHINE, Pasted, Stated
from compat.probe.pasted import (
    architectures,
    devices,
    endings,
    installers,
    interpreters,
    lacking,
    loading,
    packages,
    search,
    systems,
)
from compat.probe.pasted.lines import Log
from compat.probe.pasted.mention import Mention
from compat.probe.pasted.source import searchable

_CAPTURE = re.compile(rb"\"facts\"\s{0,20}:\s{0,20}\{")
_WORD = re.compile(rb"[A-Za-z_]{3,31}")
_ENDS = 60_000
"""Bytes at each end of the text whose words are kept."""


def look(
    raw: bytes,
    signatures: Sequence[str],
    names: frozenset[str],
    clock: Callable[[], float] = time.monotonic,
) -> Pasted:
    """Return what a text states and shows; of packages, those of the given names.

    Raises UsageError where there is no text in it.
    """
    data = searchable(raw)
    log = Log(data)
    capture, around = _capture(data)
    told = log if capture is None else Log(around)
    kept = told.data
    ends = kept if len(kept) <= 2 * _ENDS else kept[:_ENDS] + b"\n" + kept[-_ENDS:]
    return Pasted(
        stated=_once(told, _mentions(told), names),
        hits=search.find(log, signatures, clock),
        unlinked=tuple(loading.unlinked(log)),
        offered=tuple(installers.offered(log)),
        lacking=tuple(lacking.lacking(told)),
        no_gpu=devices.no_gpu(told),
        errors=endings.errors(log),
        capture=capture,
        works=endings.works(log),
        words=frozenset(word.decode("ascii").lower() for word in _WORD.findall(ends)),
        bytes_read=len(raw),
    )


def _mentions(log: Log) -> Iterator[Mention]:
    yield from packages.versions(log)
    yield from interpreters.interpreters(log)
    yield from architectures.architectures(log)
    yield from systems.systems(log)
    yield from installers.tags(log)


def _once(log: Log, found: Iterable[Mention], names: frozenset[str]) -> tuple[Stated, ...]:
    """Keep the first line of each statement, of packages only those asked about."""
    kept: dict[tuple[str, str, str], Mention] = {}
    for item in found:
        if item.name in names or item.name in MACHINE:
            kept.setdefault(item[:3], item)
    return tuple(
        Stated(name=item.name, value=item.value, how=item.how, line=log.line(item.at)) for item in kept.values()
    )


def _capture(data: bytes) -> tuple[Facts | None, bytes]:
    """Return the capture that the text is or holds, and the text around it.

    One that cannot be read is text like any other.
    """
    match = _CAPTURE.search(data)
    starts = {data.find(b"{"), data.rfind(b"{", 0, match.start())} - {-1} if match else set()
    for start in sorted(starts):
        text = data[start:].decode("utf-8", "replace")
        try:
            value, end = json.JSONDecoder().raw_decode(text)
            if value.get("schema_version") == SCHEMA_VERSION:
                facts = decode(Facts, value["facts"])
                return facts, data[:start] + text[end:].encode()
        except (ValueError, RecursionError, KeyError, AttributeError, BadFacts):
            continue
    return None, data
