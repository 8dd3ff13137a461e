"""An install that went on in a text that speaks of ``SYSTEM_VERSION_COMPAT``: pip had been told macOS 10.16.

The setting changes only the version of macOS that programs are told. Where pip found no version at all of what it
fetches further down, and the setting is named, the setting is the likeliest difference; where in the text it stands is
not kept, so it is never sure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compat.facts.pasted import Offered, Pasted
from compat.matrix.load import Matrix
from compat.verdict.diagnose.cause import Cause
from compat.verdict.diagnose.picture import Picture
from compat.verdict.finding import Evidence

_SETTING = "system_version_compat"
_SHOWN = 200.0
"""Letters: more than any signature about the refusal itself, which says less than the two installs together."""


def from_retry(pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield that programs are told macOS 10.16, where the text shows the setting to be what mends the install."""
    if _SETTING not in pasted.words or picture.os != ("macos",):
        return
    from compat.verdict.diagnose.offers import hidden_macos

    mended = next((offered for offered in pasted.offered if _went_on(offered, pasted)), None)
    if mended is not None:
        shown = Evidence(fact=f"pip finds no {mended.name} and fetches it later, and the text names {_SETTING.upper()}")
        yield replace(hidden_macos(mended.line, matrix), evidence=(shown,), weight=_SHOWN)


def _went_on(refused: Offered, pasted: Pasted) -> bool:
    """Tell whether a name of which no version was offered is fetched further down, and not refused again."""
    if not refused.is_list or refused.versions:
        return False
    again = any(item.name == refused.name and item.line.number > refused.line.number for item in pasted.offered)
    return not again and any(
        row.name == refused.name and row.is_exact and ".whl" in row.line.text and row.line.number > refused.line.number
        for row in pasted.stated
    )
