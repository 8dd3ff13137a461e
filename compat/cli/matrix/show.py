"""``tfcompat matrix show``: pairs, and the tier of evidence each reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional

import typer

from compat.cli import options, output
from compat.cli.matrix import asked
from compat.errors import UsageError

if TYPE_CHECKING:
    from compat.matrix.load import Matrix
    from compat.plan.evidence.standing import Place


def show(
    *,
    links: Annotated[bool, typer.Option("--links", help="Every judged pair: does the plugin load?")] = False,
    platform: asked.Platform = None,
    arch: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--arch", metavar="ARCH", help="Short for a Mac's --platform: arm64 or x86_64."),
    ] = None,
    python: asked.PythonVersion = None,
    macos: asked.Macos = None,
    chip: asked.Chip = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Pre-releases, yanked releases and other makers' plugins too.")
    ] = False,
    format: Annotated[options.Format, typer.Option("--format", help="How to tell it.")] = options.Format.COLUMNS,
) -> None:
    """Show TensorFlow × plugin for this machine or a named one, with the tier of evidence each pair reached."""
    from compat.cli.matrix.place import place_of

    given = {"--python": python, "--macos": macos, "--chip": chip}
    for option in (name for name, value in given.items() if links and value is not None):
        raise UsageError(f"--links tells every judged pair, whatever the {option}", hint=f"leave out {option}")
    matrix = asked.matrix()
    place = place_of(
        matrix, platform=platform, arch=arch, python=python, macos=macos, chip=chip, plugin=links and not platform
    )
    output.emit(_links(matrix, place, format) if links else _grid(matrix, place, format, everything=everything))


def _links(matrix: Matrix, place: Place, format: options.Format) -> str:
    """The proofs alone. Raises UsageError where there are none for the place."""
    from compat.report import known as told

    rows = [row for row in matrix.links() if place.is_mac and row.arch == place.architecture]
    if not rows:
        raise UsageError(f"no pair is judged for {place.platform}", hint="one of --platform macos-arm64, macos-x86_64")
    tell = {options.Format.JSON: told.links_json, options.Format.MARKDOWN: told.links_markdown}
    return tell.get(format, told.links_text)(rows)


def _grid(matrix: Matrix, place: Place, format: options.Format, *, everything: bool) -> str:
    from compat.plan.evidence.grid import grid
    from compat.report import grid as told
    from compat.report.known import grid_json

    found = grid(place, matrix, everything=everything)
    if format is options.Format.JSON:
        return grid_json(found)
    if format is options.Format.MARKDOWN:
        return told.grid_markdown(found)
    return told.grid_text(found, output.style(verbose=0, quiet=False))
