"""What a terminal can show: colours, signs, width. Light to import, because every command asks for it."""

from __future__ import annotations

from dataclasses import dataclass

_UNICODE = {"fails": "✗", "warns": "!", "info": "·", "unknown": "?", "crashed": "!", "passes": "✓", "skipped": "-"}
_ASCII = {"fails": "x", "warns": "!", "info": "*", "unknown": "?", "crashed": "!", "passes": "+", "skipped": "-"}
_COLOURS = {
    "fails": "31",
    "warns": "33",
    "info": "36",
    "unknown": "35",
    "crashed": "35",
    "passes": "32",
    "skipped": "2",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """What the terminal can show."""

    colour: bool = False
    unicode: bool = True
    width: int = 100
    verbose: bool = False
    quiet: bool = False

    def sign(self, kind: str) -> str:
        """Return the sign of a kind of line."""
        sign = (_UNICODE if self.unicode else _ASCII)[kind]
        return self.paint(sign, _COLOURS[kind])

    def paint(self, text: str, code: str) -> str:
        """Return the text in a colour, where there are colours."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text
