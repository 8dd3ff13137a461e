"""What a bundle can do without: the interpreter, and tfcompat itself with all it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from compat.builder import disk, own_wheel, wheelhouse
from compat.builder.fetch import Limits, shown
from compat.builder.pages import indexes
from compat.builder.shelf import Shelf, sha256_of
from compat.builder.uv import Uv
from compat.errors import CannotAct
from compat.matrix.model import LockedPackage, Target
from compat.matrix.versions import order
from compat.plan import bundled
from compat.plan.bundled import Archive

TOOL_FLOOR = "3.10"
"""The oldest Python tfcompat itself runs on (``requires-python``)."""


class Means(Protocol):
    """What these need of a job."""

    @property
    def uv(self) -> Uv:
        """The uv to ask, for the target."""

    @property
    def shelf(self) -> Shelf:
        """Where files come from."""

    @property
    def say(self) -> Callable[[str], None]:
        """Who hears of it."""

    @property
    def variables(self) -> Mapping[str, str]:
        """Where the indexes are said."""

    @property
    def tool_version(self) -> str:
        """The tfcompat at work."""

    @property
    def limits(self) -> Limits:
        """Of an index's page."""


def interpreter(folder: Path, target: Target, means: Means) -> Archive:
    """Put the archive uv would fetch on the target into a folder, checked by uv's own list. Raises CannotAct."""
    wanted = means.uv.download(target.platform, target.python, folder)
    means.say(f"fetching Python {wanted.version}")
    path = means.uv.fetch_python(wanted, folder)
    return Archive(version=wanted.version, path=f"{folder.name}/{path.name}", source=shown(wanted.url))


def tool(folder: Path, building: Path, target: Target, means: Means) -> None:
    """Put tfcompat's own wheel and all it needs, uv among it, into a folder with a lock of them. Raises CannotAct."""
    if order(target.python) < order(TOOL_FLOOR):
        raise CannotAct(f"it needs Python {TOOL_FLOOR} or newer, the bundle is for {target.python}")
    own = own_wheel.pack(folder)
    asked, output = building / "tool.in", building / "tool.lock"
    disk.write(asked, "\n".join(own_wheel.requires()) + "\n")
    means.say("resolving what tfcompat itself needs")
    means.uv.compile((asked,), python=target.python, output=output)
    chosen = wheelhouse.of_text(output.read_text("utf-8"), target, indexes(means.variables), means.limits)
    needed = tuple(wheelhouse.fetched(tuple(chosen), folder, means.shelf, means.say))
    packed = LockedPackage(
        name=own_wheel.NAME,
        version=means.tool_version,
        file=own.name,
        sha256=sha256_of(own),
        size=own.stat().st_size,
    )
    disk.write(folder / bundled.LOCK, bundled.lock_text((packed, *needed), f"tfcompat {means.tool_version}"))
