"""How far a running battery has come: read from its progress file while it computes, for whoever waits."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

EVERY = 0.5
"""Seconds between two looks."""
RESULT = '{"event": "result"'
"""How the line of a finished check begins."""


@contextmanager
def watched(progress: Path, tell: Callable[[str], None] | None) -> Iterator[None]:
    """Tell how far the battery has come, now and then, until the block ends; not at all without ``tell``."""
    if tell is None:
        yield
        return
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(progress, tell, over), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _watch(progress: Path, tell: Callable[[str], None], over: threading.Event) -> None:
    while not over.wait(EVERY):
        standing = stands(progress)
        if standing:
            tell(standing)


def stands(progress: Path) -> str:
    """Return how many checks are done and what is under way; empty where nothing was written yet.

    The file is counted, not decoded: it holds thousands of lines, and the battery has no time to wait for us.
    """
    try:
        text = progress.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    begun = text.rfind('{"event": "start"')
    try:
        event = json.loads(text[begun:].partition("\n")[0]) if begun >= 0 else None
    except ValueError:  # cut short: it is being written
        return ""
    if not isinstance(event, dict):
        return ""
    return f"numerical smoke test: {text.count(RESULT)} checks done, now {name_of(event)}"


def name_of(event: Mapping[str, Any]) -> str:
    """Return a check as it is called everywhere: ``conv2d/k3_odd (eager on GPU:0)``."""
    mode, device = event.get("mode"), event.get("device")
    return f"{event.get('id')}" + (f" ({mode} on {device})" if mode else "")
