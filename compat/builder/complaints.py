"""What uv says where it fails, and what to do about it."""

from __future__ import annotations

import re

from compat.process import Completed

_LAST = 6
"""Lines that are told where none begins an error: uv draws what cannot be resolved as a tree."""
_FOR_URL = re.compile(r" for url \(\S+\)")
"""Said behind a cause, of an address that stands before it."""


def complaint(done: Completed) -> str:
    """Return what uv said last that tells something, with every cause it names, on one line."""
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Using ", "Resolved ", "Prepared ", "warning:"))]
    errors = [place for place, line in enumerate(telling) if line.startswith("error: ")]
    return " ".join(telling[errors[-1] if errors else -_LAST :]) or f"uv ended with code {done.returncode}"


def shortened(text: str) -> str:
    """Return a complaint without the causes between the first and the last, which repeat each other."""
    first, *causes = _FOR_URL.sub("", text.removeprefix("error: ")).split(" cause: ")
    return f"{first}: {causes[-1]}" if causes else first


_HINTS = (
    (("No space left", "os error 28"), "free some disk space and run it again; nothing was kept"),
    (
        ("install_only", "python-build-standalone", "mismatch for `cpython-"),
        "install that Python yourself, or check UV_PYTHON_INSTALL_MIRROR, from where uv fetches it",
    ),
    (
        ("dns error", "error sending request", "Connection", "timed out", "tcp connect"),
        "check the network and run it again",
    ),
    (
        ("hash mismatch", "Hash mismatch"),
        "the index served another file than the lock names: do not install it; run it again later",
    ),
    (
        ("404", "not found in the package registry", "Failed to fetch"),
        "the index did not have a file: check UV_DEFAULT_INDEX",
    ),
    (
        ("Permission denied", "Read-only"),
        "choose a folder you may write to: tfcompat fix --create-venv DIR",
    ),
    (
        ("No interpreter found", "No download found"),
        "install that Python, or name another: tfcompat fix --python 3.11",
    ),
)


def hint_for(why: str, *, offline: bool) -> str:
    """Return what to do about it, nothing where we do not know."""
    if offline and ("offline" in why or "not found in the cache" in why or "no versions" in why):
        return "not everything is in uv's cache: run once without --offline"
    return next((hint for needles, hint in _HINTS if any(needle in why for needle in needles)), "")
