"""Take the home folder and secrets out of texts before they leave the machine; keys stay, values go."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from compat.errors import HIDDEN, without_secrets

_SECRET_NAME = re.compile(r"token|secret|passw|credential|api_?key|access_?key|private", re.IGNORECASE)
_AFTER_HOME = r"(?![\w.-])"


def mask_text(text: str, home: str | None = None) -> str:
    """Return ``text`` with the home folder as ``~`` and credentials of URLs and assignments hidden.

    ``home`` is the current user's unless given (a test, or a capture of another machine).
    """
    hidden = without_secrets(text)
    for folder in _spellings(home):
        hidden = re.sub(re.escape(folder) + _AFTER_HOME, "~", hidden)
    return hidden


def mask_variable(name: str, value: str, home: str | None = None) -> str:
    """Return an environment variable's value, hidden whole where its name says that it is a secret."""
    return HIDDEN if _SECRET_NAME.search(name) else mask_text(value, home)


def mask_tree(value: Any, home: str | None = None) -> Any:  # noqa: ANN401 - JSON is what it is
    """Return a JSON value with every text in it masked; keys of objects are kept."""
    if isinstance(value, str):
        return mask_text(value, home)
    if isinstance(value, Mapping):
        return {key: mask_tree(item, home) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [mask_tree(item, home) for item in value]
    return value


def _spellings(home: str | None) -> Iterable[str]:
    """List the home folder as written and as resolved (a Mac's may lie behind a link), longest first."""
    given = home if home is not None else os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises without one
    found = {given, os.path.realpath(given)} if home is None else {given}
    trimmed = {folder.rstrip("/\\") for folder in found}
    return sorted((folder for folder in trimmed if len(folder) > 1 and folder != "~"), key=len, reverse=True)
