"""``tfcompat matrix``: what is known, why, whether the data is sound, and what another copy of it says."""

from __future__ import annotations

import typer

from compat.cli.matrix.check import check
from compat.cli.matrix.diff import diff
from compat.cli.matrix.show import show
from compat.cli.matrix.update import update
from compat.cli.matrix.why import why

app = typer.Typer(help="Show and check what is known.", no_args_is_help=True, rich_markup_mode=None)
for _command in (show, why, diff, check, update):
    app.command()(_command)
