"""``tfcompat matrix update``: the only command that may fetch matrix data, and only from where it is told to."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from compat.cli import output
from compat.errors import UsageError

if TYPE_CHECKING:
    from compat.builder.update import Updated


def update(
    *,
    source: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--source", metavar="FOLDER|FILE|URL", help="A matrix: a folder, a .zip, .whl, .tar.gz, or https://…"
        ),
    ] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Return to the data that came with tfcompat.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the source and say what would change.")] = False,
    allow_older: Annotated[bool, typer.Option("--allow-older", help="Take data older than those in use.")] = False,
) -> None:
    """Take newer matrix data from a source, checked before it is used; --reset returns to the bundled data."""
    from compat.builder import update as acting

    if reset:
        _only_reset(source, other=dry_run or allow_older)
        gone = acting.reset()
        output.talk("the updated copy is removed: the bundled data is in use" if gone else "the bundled data is in use")
        return
    if not source:
        raise UsageError(
            "there is no default source until the project is published: name one with --source",
            hint="tfcompat matrix update --source FOLDER|FILE|https://…",
        )
    wish = acting.Wish(
        source=source, today=_tomorrow(), allow_older=allow_older, dry_run=dry_run, seconds=acting.SECONDS
    )
    output.emit(_told(acting.update(wish), dry_run=dry_run))
    if os.environ.get("TFCOMPAT_MATRICES"):
        output.talk("note: TFCOMPAT_MATRICES is set: the folder it names stays in use")


def _only_reset(source: str | None, *, other: bool) -> None:
    if source or other:
        raise UsageError("--reset takes no other option: it returns to the bundled data")


def _tomorrow() -> str:
    """The latest day it can be anywhere on Earth."""
    return (datetime.now(timezone.utc) + timedelta(days=1)).date().isoformat()


def _told(done: Updated, *, dry_run: bool) -> str:
    counts = ", ".join(f"{change.total} {change.kind}" for change in done.changes)
    lines = [f"matrix of {done.day}: {counts}"]
    for change in done.changes:
        parts = ((change.new, "new"), (change.changed, "changed"), (change.gone, "gone"))
        said = ", ".join(f"{number} {word}" for number, word in parts if number)
        lines += [f"  {change.kind}: {said}"] if said else []
    if not done.placed and not dry_run:
        lines.append("nothing changed: this is what is in use")
    elif dry_run:
        lines.append(f"dry run: the data in use, of {done.before}, stay")
    else:
        lines.append(f"in use from now on, in place of the data of {done.before}")
    return "\n".join(lines) + "\n"
