"""The one way a refresh fails: a line that says what happened, a hint, an exit code."""

from __future__ import annotations

COULD_NOT_ACT = 3
WRONG_USAGE = 2


class RefreshError(Exception):
    """Nothing was written, and the message says why in one line."""

    def __init__(self, message: str, *, hint: str = "", exit_code: int = COULD_NOT_ACT) -> None:
        super().__init__(" ".join(message.split()))
        self.hint = hint
        self.exit_code = exit_code
