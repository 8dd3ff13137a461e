"""``tfcompat facts``: only look, and print what was seen."""

from __future__ import annotations

from typing import Annotated

import typer

from compat import __version__
from compat.cli import options, output, session


def facts(
    *,
    python: options.Python = None,
    venv: options.Venv = None,
    smoke: Annotated[
        bool, typer.Option("--smoke", help="Run the numerical smoke test too and put its results in.")
    ] = False,
) -> None:
    """Print a capture of this machine and an environment (for a bug report; paths and secrets are masked)."""
    from compat.report.json import capture

    looked = session.look(session.Subject(python=python, venv=venv), gpus=True)
    if smoke:
        looked = session.measure(looked, level="quick", timeout=300.0)
    output.emit(capture(session.masked_facts(looked), __version__))
